package switches_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Files in testdata/sets hold a scenario, a line ---- and what its switches do, or what is wrong. What this notices: a switch with the
// queues, thresholds, seeds or watchdog of another, a class that is another's, an entry whose keys are left out or taken too often.
func TestSets(t *testing.T) {
	scripttest.Said(t, "testdata/sets/*.txt", func(_ *testing.T, src string) string { return setOf(src) })
}

func setOf(src string) string {
	sc, err := scenario.Parse("s.yaml", []byte(src))
	if err != nil {
		return err.Error() + "\n"
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	s := p.Switches
	say("marks %v, pauses %v, %d classes, DSCPs %v", s.Marks(), s.Pauses(), s.Classes(), s.DSCPs())
	if w := s.Watchdog(); w != nil {
		say("watchdog %+v", *w)
	}
	like := map[string]string{} // what a switch does: the first that does it
	for id, n := range p.Graph.Nodes {
		if n.Kind == topo.HostKind {
			continue
		}
		id := topo.NodeID(id)
		f := s.FabricAt(id)
		own := s.Profile(f)
		say("%s (%s): differs %v, seed %d, balance %s, latency %v, MTU %v", n.Name, s.NameOf(id), s.Differs(id), s.SeedNumber(id),
			f.Balance, own.SwitchLatency, own.MTU)
		text := queuesOf(p, id)
		if first := like[text]; first != "" {
			say("  queues as those of %s", first)
			continue
		}
		like[text] = n.Name
		b.WriteString(text)
	}
	for _, d := range s.Differing() {
		say("%+v", d)
	}
	for _, d := range s.Misclassed() {
		say("%+v", d)
	}
	return b.String()
}

// queuesOf says how a switch queues, pauses and marks.
func queuesOf(p *plan.Plan, id topo.NodeID) string {
	var b strings.Builder
	s := p.Switches
	own := s.Profile(s.FabricAt(id))
	fmt.Fprintf(&b, "  buffer %+v\n  PFC %+v\n", own.Buffer, own.PFC)
	if own.ClassOf != nil {
		fmt.Fprintf(&b, "  classes of DSCPs %v\n", *own.ClassOf)
	}
	for c := range own.Classes {
		x := &own.Classes[c]
		ecn := "none"
		if x.ECN != nil {
			ecn = fmt.Sprintf("%+v", *x.ECN)
		}
		fmt.Fprintf(&b, "  %s: priority %d, %d at its first port, DSCP %d, strict %v, weight %d, lossless %v, drop %+v, marks %s\n",
			x.Name, x.Priority, s.Priority(p.Graph.Nodes[id].Ports[0], uint8(c)), s.DSCP(uint8(c)), x.Strict, x.Weight, x.Lossless,
			x.Drop, ecn)
	}
	return b.String()
}
