package balance

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
)

// TestScripts plays testdata/*.txt: which link frames take. `group METHOD LINKS [KEY=...]` begins anew with so many
// links of 100 Gb/s; then
//
//	at TIME                   time passes
//	link N [KEY=...]          what the switch knows of a link: waiting and sent, in bytes
//	frame FLOW [HASH]         a frame comes
//	frames N FLOW             so many at once: how many take each link
//	hashes N                  frames of N flows with the hashes 0 to N-1: how many take each link
//	quality LOAD WAITING      the band of a load in percent and so many bytes
//
// Keys of a group: pick, grades, samples and memory of spray; mode, gap, weight; buckets; weights=A,B,.. of its links;
// homes=A,B,.. of its links, whole: how many links it has while none is down.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

type stage struct {
	t *testing.T
	scripttest.Log
	now     unit.Time
	params  Params
	chooser Chooser
	links   known
}

const stageRate = 100 * unit.GigabitPerSec

// known is what the switch knows: Links.
type known struct {
	waiting, sent []unit.Bytes
	told          []int
}

func (k *known) Drain(i int) unit.Duration { return stageRate.TransmitTime(k.waiting[i]) }
func (k *known) Waiting(i int) unit.Bytes  { return k.waiting[i] }
func (k *known) Sent(i int) unit.Bytes     { return k.sent[i] }
func (k *known) Told(i int) int            { return k.told[i] }

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.Log, format+"\n", args...) }

func (s *stage) number(text string) int {
	s.t.Helper()
	return int(scripttest.Number(s.t, text))
}

func (s *stage) time(text string) unit.Duration {
	d, err := unit.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *stage) bytes(text string) unit.Bytes {
	b, err := unit.ParseBytes(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func keys(words []string) map[string]string {
	all := map[string]string{}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		all[key] = value
	}
	return all
}

// begin makes a group.
func (s *stage) begin(method string, links int, with map[string]string) {
	random := splitmix.Stream(1)
	g := &Group{Links: make([]Link, links), Whole: links, Random: random.Next}
	for i := range g.Links {
		g.Links[i] = Link{Rate: stageRate, Home: i}
	}
	s.params = Params{Gap: 50 * unit.Microsecond, Buckets: 64, Spray: Spray{Pick: with["pick"], Samples: 2, Memory: 1,
		Grades: 8, Queue: [2]unit.Bytes{0, 200_000}},
		DLB: DLB{Mode: "flowlet", Sampling: 10 * unit.Microsecond, Load: [2]unit.Ratio{{Num: 1, Den: 10}, {Num: 9, Den: 10}},
			Queue: [2]unit.Bytes{10_000, 500_000}, Weight: unit.Ratio{Num: 1, Den: 2}}}
	for key, value := range with {
		list := strings.Split(value, ",")
		switch key {
		case "samples":
			s.params.Spray.Samples = s.number(value)
		case "grades":
			s.params.Spray.Grades = s.number(value)
		case "memory":
			s.params.Spray.Memory = s.number(value)
		case "gap":
			s.params.Gap = s.time(value)
		case "mode":
			s.params.DLB.Mode = value
		case "buckets":
			s.params.Buckets = s.number(value)
		case "whole":
			g.Whole = s.number(value)
		case "weights":
			for i := range g.Links {
				g.Links[i].Weight = int64(s.number(list[i]))
			}
		case "homes":
			for i := range g.Links {
				g.Links[i].Home = s.number(list[i])
			}
		}
	}
	s.now, s.chooser = 0, Methods[method].New(&s.params, g)
	s.links = known{make([]unit.Bytes, links), make([]unit.Bytes, links), make([]int, links)}
}

func (s *stage) Do(words []string) {
	s.t.Helper()
	switch args := words[1:]; words[0] {
	case "group":
		s.begin(args[0], s.number(args[1]), keys(args[2:]))
	case "at":
		s.now = unit.Time(s.time(args[0]))
	case "link":
		i, with := s.number(args[0]), keys(args[1:])
		if v, ok := with["waiting"]; ok {
			s.links.waiting[i] = s.bytes(v)
		}
		if v, ok := with["sent"]; ok {
			s.links.sent[i] = s.bytes(v)
		}
		if v, ok := with["told"]; ok {
			s.links.told[i] = s.number(v)
		}
	case "frame":
		f := Frame{Now: s.now, Flow: uint64(s.number(args[0]))}
		if len(args) > 1 {
			f.Hash = uint64(s.number(args[1]))
		}
		s.say("at %v: flow %s takes link %d", unit.Duration(s.now), args[0], s.chooser.Pick(&f, &s.links))
	case "frames", "hashes":
		taken := make([]int, len(s.links.sent))
		for i := range s.number(args[0]) {
			f := Frame{Now: s.now, Flow: uint64(i), Hash: uint64(i)}
			if words[0] == "frames" {
				f.Flow = uint64(s.number(args[1]))
			}
			taken[s.chooser.Pick(&f, &s.links)]++
		}
		s.say("taken by link: %v", taken)
	case "quality":
		s.say("band %d", s.params.DLB.Quality(int64(s.number(args[0]))*whole/100, s.bytes(args[1])))
	default:
		s.t.Fatalf("%v: no such command", words)
	}
}
