package tune

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
)

// The scripts: formulas on a switch, and searches whose points are measured by hand.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{T: t, facts: plain()} })
}

// plain is 17 hosts at 100 Gb/s on a switch of 16 MB, with the constants of SIGCOMM'15.
func plain() Facts {
	dcqcn := cc.Presets["dcqcn-sigcomm15"].DCQCN
	f := Facts{Rate: 100 * unit.GigabitPerSec, RTT: 8 * unit.Microsecond, Senders: 16, Frame: 4178, Reacts: true,
		DCQCN: &dcqcn, Pauses: true}
	ecn := qos.DefaultECN
	f.Policy = qos.Policy{MTU: 9216, Frame: 4178, Pause: 84, Pipeline: 600 * unit.Nanosecond,
		Classes: []qos.Class{{Lossless: true, ECN: &ecn}, {}},
		Buffer:  qos.Buffer{Size: 16 * unit.Megabyte, Reserve: 4096},
		PFC:     qos.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, ResumeOffset: 18432}}
	f.ports(17)
	return f
}

func (f *Facts) ports(n int) {
	f.Sites = []qos.Site{{Kind: "leaf", Count: 1}}
	for range n {
		f.Sites[0].Links = append(f.Sites[0].Links, qos.Link{Rate: f.Rate, Delay: 10 * unit.Nanosecond})
	}
}

// stage plays
//
//	facts KEY VALUE     what is otherwise than with plain
//	formula             the point, and why
//	search N [PREFER]   a search of at most N points
//	prefer PREFER       from now on
//	next                the points that it hands out
//	took WHAT...        answers one: times=5us,6us delay=3us paused=1us drops=2
//	judge               where each stands
type stage struct {
	scripttest.Log
	*testing.T
	facts  Facts
	prefer Prefer
	search *Search
	given  []Trial
}

func (s *stage) Do(c []string) {
	switch c[0] {
	case "facts":
		s.set(c[1], c[2])
	case "formula":
		p, why, err := Formula(s.facts)
		if err != nil {
			fmt.Fprintln(s, err)
			return
		}
		fmt.Fprintln(s, p)
		for _, r := range why {
			fmt.Fprintf(s, "  %s %s: %s\n", r.Key, r.Value, r.Why)
		}
	case "search":
		p, _, err := Formula(s.facts)
		if err != nil {
			s.Fatal(err)
		}
		n := 0
		fmt.Sscan(c[1], &n) //nolint:errcheck // 0 fails below
		if s.prefer = PreferAll; len(c) > 2 {
			s.prefer = Prefer(c[2])
		}
		s.search = NewSearch(p, n, s.prefer)
	case "prefer":
		s.prefer = Prefer(c[1])
	case "next":
		s.given = s.search.Next()
		for _, t := range s.given {
			what := t.Point.String()
			if t.Own {
				what = "the scenario's own"
			}
			fmt.Fprintln(s, what)
		}
		if len(s.given) == 0 {
			fmt.Fprintln(s, "over")
		}
	case "took":
		s.given[0].Figures = figures(s.T, c[1:])
		s.search.Took(s.given[0])
		s.given = s.given[1:]
	case "judge":
		v := Judge(s.search.Trials, s.prefer)
		for i, st := range v.Of {
			fmt.Fprintf(s, "%d %.4f %s\n", i+1, st.Speed, st.Why)
		}
		fmt.Fprintf(s, "chosen %d\n", v.Chosen+1)
	default:
		s.Fatalf("no command %q", c[0])
	}
}

func (s *stage) set(key, value string) {
	f := &s.facts
	var err error
	switch key {
	case "rate":
		f.Rate, err = unit.ParseBitrate(value)
		f.ports(len(f.Sites[0].Links))
	case "rtt":
		f.RTT, err = unit.ParseDuration(value)
	case "senders":
		_, err = fmt.Sscan(value, &f.Senders)
	case "ports":
		n := 0
		_, err = fmt.Sscan(value, &n)
		f.ports(n)
	case "buffer":
		f.Policy.Buffer.Size, err = unit.ParseBytes(value)
	case "algorithm":
		f.Reacts, f.Counts = value != "hpcc", value == "dctcp"
	case "xoff":
		f.Fixed = value == "fixed"
	case "pfc":
		f.Pauses = value == "on"
	default:
		s.Fatalf("no fact %q", key)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// figures reads times=5us,6us delay=3us paused=1us drops=2.
func figures(t *testing.T, words []string) (f Figures) {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		var err error
		switch key {
		case "times":
			for part := range strings.SplitSeq(value, ",") {
				d, e := unit.ParseDuration(part)
				if e != nil {
					t.Fatal(e)
				}
				f.Times = append(f.Times, d)
			}
		case "delay":
			f.Delay, err = unit.ParseDuration(value)
		case "paused":
			f.Paused, err = unit.ParseDuration(value)
		case "drops":
			_, err = fmt.Sscan(value, &f.Drops)
			f.Wrong = value + " drops in incast with seed 2"
		default:
			t.Fatalf("no figure %q", key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}
