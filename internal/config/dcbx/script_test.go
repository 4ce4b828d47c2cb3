package dcbx

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/net/wire"
)

// TestScripts plays testdata: two ends, and what is operational at each.
//
//	a mac 2 ieee willing pfc 3,4 ets 3:50,0:50     what an end says
//	a cee pfc 3 recommend 3:60,0:40
//	link                                           what they make of it
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

type stage struct {
	scripttest.Log
	t    *testing.T
	a, b End
}

func (s *stage) Do(command []string) {
	switch command[0] {
	case "a":
		s.a = s.end(command[1:])
	case "b":
		s.b = s.end(command[1:])
	case "link":
		a, b := Resolve(&s.a, &s.b)
		s.tell("a", a)
		s.tell("b", b)
	default:
		s.t.Fatalf("%q: want a, b or link", command)
	}
}

func (s *stage) tell(name string, x State) {
	var on []string
	for p := range 8 {
		if x.PFC>>p&1 != 0 {
			on = append(on, strconv.Itoa(p))
		}
	}
	if len(on) == 0 {
		on = []string{"none"}
	}
	fmt.Fprintf(s, "%s hears %s; PFC %s (%s); ETS", name, x.Version, strings.Join(on, ","), x.PFCFrom)
	if x.ETS != nil {
		for class, share := range x.ETS.Bandwidth {
			if share > 0 && x.ETS.Selection[class] == wire.ETSShare {
				fmt.Fprintf(s, " %d:%d%%", class, share)
			}
		}
	}
	fmt.Fprintf(s, " (%s)\n", x.ETSFrom)
}

// end reads what an end says: every word after ieee or cee is of that.
func (s *stage) end(words []string) (e End) {
	willing, off := false, false
	for i := 0; i < len(words); i++ {
		next := func() string { i++; return words[i] }
		switch words[i] {
		case "mac":
			e.MAC[5] = byte(s.number(next()))
		case "ieee":
			e.IEEE, willing = &wire.DCBX{}, false
		case "cee":
			e.CEE, willing, off = &wire.CEE{}, false, false
		case "willing":
			willing = true
		case "disabled":
			off = true
		case "pfc":
			on := uint8(0)
			for p := range strings.SplitSeq(next(), ",") {
				on |= 1 << s.number(p)
			}
			if e.CEE != nil {
				e.CEE.PFC = &wire.CEEPFC{Feature: wire.Feature{Enable: !off, Willing: willing}, Enabled: on}
			} else {
				e.IEEE.PFC = &wire.PFCConfig{Willing: willing, Enable: on}
			}
		case "ets":
			shares := s.shares(next())
			if e.CEE != nil {
				e.CEE.Groups = &wire.CEEGroups{Feature: wire.Feature{Enable: !off, Willing: willing},
					Group: shares.Class, Bandwidth: shares.Bandwidth}
			} else {
				e.IEEE.Config = &wire.ETS{Willing: willing, Shares: shares}
			}
		case "recommend":
			e.IEEE.Recommended = &wire.Recommendation{Shares: s.shares(next())}
		default:
			s.t.Fatalf("%q", words[i:])
		}
	}
	return e
}

// shares gives each priority a class of its own number.
func (s *stage) shares(text string) (x wire.Shares) {
	for part := range strings.SplitSeq(text, ",") {
		p, share, _ := strings.Cut(part, ":")
		n := s.number(p)
		x.Class[n], x.Bandwidth[n], x.Selection[n] = uint8(n), uint8(s.number(share)), wire.ETSShare
	}
	return x
}

func (s *stage) number(text string) int {
	s.t.Helper()
	return int(scripttest.Number(s.t, text))
}
