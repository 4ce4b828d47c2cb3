package cc

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
)

// TestScripts plays testdata/*.txt: what a controller does, step by step. A script is blocks of
// commands, a line of dashes and what comes of them: after each, time, rate, target, alpha and
// window, as far as the algorithm has them. `controller NAME` begins anew with a preset of DCQCN or
// the defaults of another algorithm, at 100 Gb/s over 10 us; then
//
//	at TIME              time passes
//	cnp                  a congestion notification
//	loss                 a NAK or a timeout
//	sent BYTES           a packet leaves
//	ack BYTES [KEY=...]  an acknowledgement: rtt; marked; queue and sent, what the one hop had waiting and
//	                     has sent so far
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

// stage is a controller and what a script has had told of it.
type stage struct {
	t *testing.T
	scripttest.Log
	now   unit.Time
	ctl   Controller
	acked int64
	left  int64
}

const (
	stageLine = 100 * unit.GigabitPerSec
	stageRTT  = 10 * unit.Microsecond
)

func (s *stage) Do(words []string) {
	s.t.Helper()
	switch args := words[1:]; words[0] {
	case "controller":
		*s = stage{t: s.t}
		var p Params = Presets[args[0]].DCQCN
		if d, ok := Defaults[args[0]]; ok {
			p = d
		}
		if w, ok := strings.CutPrefix(args[len(args)-1], "window="); ok && args[0] == "none" {
			p = None{Window: Window{Bytes: unit.Bytes(s.number(w))}}
		}
		set := NewSet(p, 1)
		set.Init(0, stageLine, stageRTT)
		s.ctl = set.At(0)
	case "at":
		d, err := unit.ParseDuration(args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.now = unit.Time(d)
	case "cnp":
		s.ctl.OnCNP(s.now, 0)
	case "loss":
		s.ctl.OnLoss(s.now)
	case "sent":
		b := s.number(args[0])
		s.left += b
		s.ctl.OnSent(s.now, unit.Bytes(b))
	case "ack":
		s.ack(args)
	default:
		s.t.Fatalf("no command %q", words[0])
	}
	s.tell(strings.Join(words, " "))
}

func (s *stage) number(w string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, w)
}

func (s *stage) ack(args []string) {
	s.t.Helper()
	b := s.number(args[0])
	s.acked += b
	a := Ack{Now: s.now, Bytes: unit.Bytes(b), Seq: s.acked, NextSeq: max(s.left, s.acked)}
	hop := Hop{Time: s.now, Rate: stageLine}
	for _, w := range args[1:] {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "rtt":
			d, err := unit.ParseDuration(v)
			if err != nil {
				s.t.Fatal(err)
			}
			a.RTT = d
		case "marked":
			a.Marked = true
		case "path":
			a.Path = uint64(s.number(v))
		case "queue":
			hop.Queue = unit.Bytes(s.number(v))
		case "sent":
			hop.TxBytes = unit.Bytes(s.number(v))
			a.Hops = []Hop{hop}
		default:
			s.t.Fatalf("no key %q", w)
		}
	}
	s.ctl.OnAck(&a)
}

// tell says how the controller stands.
func (s *stage) tell(what string) {
	fmt.Fprintf(&s.Log, "%-28s rate %v", what, s.ctl.Rate(s.now))
	if i, ok := s.ctl.(Inspector); ok {
		st := i.State(s.now)
		fmt.Fprintf(&s.Log, " target %v alpha %.4f", st.Target, st.Alpha)
	}
	if w := s.ctl.Window(s.now); w > 0 {
		fmt.Fprintf(&s.Log, " window %d", w)
	}
	s.WriteString("\n")
}
