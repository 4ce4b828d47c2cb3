package sizing

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// TestScripts plays testdata: what networks take, tier by tier, and which needs no network meets.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

type stage struct {
	scripttest.Log
	t    *testing.T
	need Need
}

// Do obeys
//
//	need DESIGN KEY=VALUE...    what all that follows shares
//	size KEY=VALUE...           one network, with changes of its own
//	reach, losses               of the network that the need makes
func (s *stage) Do(command []string) {
	switch command[0] {
	case "need":
		s.need = Need{Design: topo.DesignName(command[1])}
		s.set(&s.need, command[2:])
	case "size":
		n := s.need
		s.set(&n, command[1:])
		w, err := Size(n)
		if err != nil {
			fmt.Fprintf(s, "refused: %v\n", err)
			return
		}
		s.tell(w)
	case "reach", "losses":
		w, err := Size(s.need)
		if err != nil {
			s.t.Fatal(err)
		}
		if command[0] == "reach" {
			fmt.Fprintf(s, "%v\n", w.Reach())
			return
		}
		for _, l := range w.Losses() {
			fmt.Fprintf(s, "%s: %d GPUs and %d hosts without a NIC, %d GPUs with fewer; left %s %s\n", l.What, l.GPUs,
				l.Hosts, l.Part, l.Left, l.Where)
		}
	default:
		s.t.Fatalf("no command %q", command)
	}
}

// tell writes a network down.
func (s *stage) tell(w *Network) {
	fmt.Fprintf(s, "%s of %s in %s: room for %s\n", count(w.Segments, "segment"),
		count(w.Segment, "host"), count(w.Pods, "pod"), count(w.Room(), "host"))
	for _, t := range w.Tiers() {
		ratio := ""
		if r := t.Oversubscribed(); r.Den > 0 {
			ratio = ", " + Against(r)
		}
		up := "none up"
		if t.Up > 0 {
			up = fmt.Sprintf("%d x %v up%s", t.Up, t.UpRate, ratio)
		}
		fmt.Fprintf(s, "%s: %d x %v down, %s, %d of %d ports\n", count(t.Switches, t.Role), t.Down, t.DownRate, up, t.Used,
			t.There)
	}
	fmt.Fprintf(s, "cables %d %d %d; bound %d, found %d\n", w.HostLinks(), w.LeafLinks(), w.SuperLinks(), w.Bound.Switches(),
		w.Switches())
}

func (s *stage) set(n *Need, words []string) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		s.setOne(n, key, value)
	}
}

func (s *stage) setOne(n *Need, key, value string) {
	wholes := map[string]*int{"hosts": &n.Hosts, "rails": &n.Rails, "ports": &n.Ports, "perrail": &n.PerRail, "perleaf": &n.RailsPerLeaf,
		"segment": &n.Segment, "planes": &n.Planes, "pods": &n.Pods, "leaves": &n.Leaves, "spines": &n.Spines,
		"supers": &n.SuperSpines, "lost": &n.LostSpines, "least": &n.LeastSpines, "bond": &n.Bond}
	rates := map[string]*unit.Bitrate{"rate": &n.HostRate, "up": &n.SpineRate, "over": &n.SuperRate}
	ratios := map[string]*unit.Ratio{"oversub": &n.Oversubscription, "spine-oversub": &n.SpineOversubscribed}
	switches := map[string][]*Switch{"switch": {&n.Leaf, &n.Spine, &n.Super}, "leaf": {&n.Leaf}, "spine": {&n.Spine}}
	var err error
	switch {
	case wholes[key] != nil:
		*wholes[key], err = strconv.Atoi(value)
	case rates[key] != nil:
		*rates[key], err = unit.ParseBitrate(value)
	case ratios[key] != nil:
		*ratios[key], err = unit.ParseRatio(value)
	case key == "design":
		n.Design = topo.DesignName(value)
	case switches[key] != nil:
		for _, to := range switches[key] {
			*to = s.aSwitch(value)
		}
	default:
		s.t.Fatalf("no key %q", key)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// aSwitch reads 64x800Gb/s/2: ports, their rate and breakout; 48x1Gb/s+4x100Gb/s has ports for uplinks too.
func (s *stage) aSwitch(text string) Switch {
	if below, above, both := strings.Cut(text, "+"); both {
		sw, up := s.aSwitch(below), s.aSwitch(above)
		sw.Model, sw.Uplinks, sw.UplinkRate = text, up.Ports, up.Rate
		return sw
	}
	ports, rest, _ := strings.Cut(text, "x")
	n, err := strconv.Atoi(ports)
	if err != nil {
		s.t.Fatal(err)
	}
	i := strings.LastIndex(rest, "/")
	split := 1
	if rest[i:] != "/s" {
		if split, err = strconv.Atoi(rest[i+1:]); err != nil {
			s.t.Fatal(err)
		}
		rest = rest[:i]
	}
	rate, err := unit.ParseBitrate(rest)
	if err != nil {
		s.t.Fatal(err)
	}
	return Switch{Model: text, Ports: n, Rate: rate, Breakout: split}
}
