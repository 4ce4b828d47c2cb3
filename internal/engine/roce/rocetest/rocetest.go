package rocetest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// Play is what a driver does: it posts messages at once, and plays until all are acknowledged or the queue pair gives
// up.
type Play struct {
	Params     roce.Params
	Controller cc.Params
	Connect    bool // connection managers join the ends first
	Messages   []Message
	lose       map[string][]int
}

// Message is a WRITE: From is what it writes, To where, of the same length.
type Message struct{ From, To []byte }

// Lost reports whether the n-th packet of data, or answer, that leaves is to be lost; n counts from 1.
func (p *Play) Lost(data bool, n int) bool {
	if data {
		return slices.Contains(p.lose["data"], n)
	}
	return slices.Contains(p.lose["answer"], n)
}

// Outcome is what a driver has seen.
type Outcome struct {
	Data, Answers, Managers []Frame
	Acked                   []unit.Bytes // of messages, in order
	Failed                  bool         // the queue pair gave up
}

// Frame is a packet as it left.
type Frame struct {
	roce.Packet
	Lost bool
}

// See notes a packet that leaves and reports whether it is to be lost.
func (o *Outcome) See(p *Play, pk *roce.Packet) (lost bool) {
	switch {
	case pk.Data():
		lost = p.Lost(true, len(o.Data)+1)
		o.Data = append(o.Data, Frame{*pk, lost})
	case pk.Opcode == wire.Acknowledge:
		lost = p.Lost(false, len(o.Answers)+1)
		o.Answers = append(o.Answers, Frame{*pk, lost})
	case pk.Opcode == wire.DatagramSend:
		o.Managers = append(o.Managers, Frame{*pk, false})
	}
	return lost
}

// Run plays the scripts of a directory on a driver.
func Run(t *testing.T, dir string, driver func(t *testing.T, p *Play) Outcome) {
	t.Helper()
	scripttest.RunIn(t, dir, func(t *testing.T) scripttest.Stage { return &stage{t: t, driver: driver} })
}

type stage struct {
	t      *testing.T
	driver func(t *testing.T, p *Play) Outcome
	scripttest.Log
}

// Do plays.
func (s *stage) Do(words []string) {
	s.t.Helper()
	if words[0] != "play" {
		s.t.Fatalf("no command %q", words[0])
	}
	p, short := s.read(words[1:])
	o := s.driver(s.t, p)
	if len(o.Managers) > 0 {
		s.line("managers", o.Managers, func(f *Frame) string { return f.Manage.String() })
	}
	if !short {
		s.line("data", o.Data, func(f *Frame) string { return dataOf(&p.Params, f) })
		s.line("answers", o.Answers, func(f *Frame) string { return answerOf(f) })
	}
	fmt.Fprint(&s.Log, "acknowledged")
	for i, b := range o.Acked {
		fmt.Fprintf(&s.Log, "%s %v", [...]string{"", ","}[min(i, 1)], b)
	}
	if o.Failed {
		fmt.Fprint(&s.Log, "; the queue pair gave up")
	}
	fmt.Fprintf(&s.Log, "\ncontents %s\n", contents(p.Messages))
}

// read makes a play of the words of a command.
func (s *stage) read(words []string) (p *Play, short bool) {
	s.t.Helper()
	p = &Play{Params: roce.Params{MTU: 1024, AckEvery: 1, Timeout: 20 * unit.Millisecond, Retries: 7, AckDuplicates: true},
		Controller: cc.None{}, lose: map[string][]int{}}
	for i, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "mtu":
			p.Params.MTU = unit.Bytes(s.number(v))
		case "every":
			p.Params.AckEvery = s.number(v)
		case "retries":
			p.Params.Retries = s.number(v)
		case "window":
			b := unit.Bytes(s.number(v))
			p.Controller = cc.DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: p.Params.MTU, InitialWindow: b, MaxWindow: b}
		case "connect":
			p.Connect = true
		case "short":
			short = true
		case "lose":
			for _, one := range strings.Split(v, ",") {
				what, n, _ := strings.Cut(one, ":")
				p.lose[what] = append(p.lose[what], s.number(n))
			}
		default:
			m := Message{From: make([]byte, s.number(w))}
			for k := range m.From {
				m.From[k] = byte(k*7 + k>>8 + i + 1)
			}
			m.To = make([]byte, len(m.From))
			p.Messages = append(p.Messages, m)
		}
	}
	return p, short
}

func (s *stage) number(w string) int {
	s.t.Helper()
	n, err := strconv.Atoi(w)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *stage) line(name string, frames []Frame, say func(*Frame) string) {
	fmt.Fprint(&s.Log, name)
	for i := range frames {
		fmt.Fprintf(&s.Log, "%s %s", [...]string{"", ","}[min(i, 1)], say(&frames[i]))
		if frames[i].Lost {
			fmt.Fprint(&s.Log, " (lost)")
		}
	}
	fmt.Fprintln(&s.Log)
}

func dataOf(p *roce.Params, f *Frame) string {
	text := "MIDDLE"
	switch last := p.Ends(f.Opcode); {
	case f.Lands() && last:
		text = "ONLY"
	case f.Lands():
		text = "FIRST"
	case last:
		text = "LAST"
	}
	text += fmt.Sprintf(" %d", f.PSN)
	if f.Lands() {
		text += fmt.Sprintf(" of %v", f.Landing.Length)
	}
	return text
}

func answerOf(f *Frame) string {
	if f.Nak() {
		return fmt.Sprintf("NAK %d", f.PSN)
	}
	return fmt.Sprintf("ACK %d", f.PSN)
}

// contents says which messages are where they were written to.
func contents(all []Message) string {
	var bad []string
	for i, m := range all {
		if !bytes.Equal(m.From, m.To) {
			bad = append(bad, fmt.Sprint(i+1))
		}
	}
	if bad == nil {
		return "as sent"
	}
	return "differ of message " + strings.Join(bad, ", ")
}
