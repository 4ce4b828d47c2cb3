package faults_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Scripts say what entries of faults come to: cluster and fabric are keys of the network from there on, each fault is an entry of
// the block, and what is told is what engines are told of them, or why they are refused.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

type stage struct {
	cluster, fabric string
	entries         []string
	changed         bool
}

func (s *stage) Do(c []string) {
	rest := strings.Join(c[1:], " ")
	switch s.changed = true; c[0] {
	case "cluster":
		s.cluster, s.changed = rest, false
	case "fabric":
		s.fabric, s.changed = rest, false
	case "fault":
		s.entries = append(s.entries, rest)
	default:
		panic("no command " + c[0])
	}
}

func (s *stage) Told() string {
	if !s.changed {
		return ""
	}
	yaml := fmt.Sprintf("cluster: {%s}\nfabric: {%s}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\nfaults:\n  - %s\n",
		s.cluster, s.fabric, strings.Join(s.entries, "\n  - "))
	s.entries, s.changed = nil, false
	sc, err := scenario.Parse("faults.yaml", []byte(yaml))
	if err != nil {
		return err.Error() + "\n"
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		return err.Error() + "\n"
	}
	return told(p)
}

// while is a stretch of time in words.
func while(w fabric.While) string {
	if w.Until == 0 {
		return fmt.Sprintf("from %v on", w.From)
	}
	return fmt.Sprintf("%v to %v", w.From, w.Until)
}

// told is all that a set of faults says, a thing a line.
func told(p *plan.Plan) string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if f := p.Faults.Fabric; f != nil {
		network(p, f, say)
	}
	for _, h := range p.Faults.Hosts {
		what := "hangs"
		switch {
		case h.Staged:
			what = "stages what NICs carry"
		case h.Named:
			what = fmt.Sprintf("%s carries %v", p.PCIe.Graph.Names[2*h.Link], h.PCIe)
		case h.PCIe > 0:
			what = fmt.Sprintf("PCIe carries %v", h.PCIe)
		}
		say("%s: %s %s", p.Graph.Hosts[h.Host].Name, what, while(h.While))
	}
	for _, g := range p.Faults.GPUs {
		what := "stands still"
		if g.Factor.Num > 0 {
			what = fmt.Sprintf("takes %v times as long", g.Factor)
		}
		say("%s: %s %s", name(p, g.GPU), what, while(g.While))
	}
	if turns := p.Faults.Turns(); len(turns) > 0 {
		say("routes change at %v", turns)
	}
	say("repaired at %v", p.Faults.Repairs())
	return strings.Join(out, "\n") + "\n"
}

func name(p *plan.Plan, g faults.GPU) string {
	return fmt.Sprintf("%s/gpu%d", p.Graph.Hosts[g.Host].Name, g.GPU)
}

// network says what the engine of the fabric is told.
func network(p *plan.Plan, f *fabric.Faults, say func(string, ...any)) {
	ports := p.Graph.Ports
	for _, d := range f.Downs {
		say("%s is down %s", ports[2*d.Link].Name, while(fabric.While{From: d.From, Until: d.Until}))
	}
	for _, r := range f.Reboots {
		say("%s reboots at %v", p.Graph.Nodes[r.Switch].Name, r.At)
	}
	for _, s := range f.Storms {
		say("%s storms in class %d %s", ports[s.Port].Name, s.Class, while(fabric.While{From: s.From, Until: s.Until}))
	}
	for _, l := range f.Leaks {
		say("%s leaks %v %s", p.Graph.Nodes[l.Switch].Name, l.Bytes, while(l.While))
	}
	for _, s := range f.Settings {
		say("%s: %s %s", ports[s.Port].Name, strings.Join(set(&s, ports[s.Port].Rate), ", "), while(s.While))
	}
	for i := range p.Graph.Links {
		for _, c := range f.Of(ports[2*i]) {
			say("%s: drop %v, duplicate %v, reorder %v, bit errors %v, PFC %v, %s", ports[2*i].Name, c.Drop, c.Duplicate, c.Reorder,
				c.BitErrors, c.PFC, while(c.While))
		}
	}
}

// set is in what a port is set otherwise.
func set(s *fabric.Setting, rate unit.Bitrate) (all []string) {
	if s.Rate > 0 {
		all = append(all, fmt.Sprintf("sends at %v", s.Rate))
	}
	if s.MTU > 0 {
		all = append(all, fmt.Sprintf("frames to %v", s.MTU))
	}
	if s.XOFF > 0 {
		all = append(all, fmt.Sprintf("xOFF %v", s.XOFF))
	}
	if s.NoECN {
		all = append(all, "no ECN")
	}
	if s.NoPFC {
		all = append(all, "no PFC")
	}
	if s.ECN != nil {
		at := s.ECN.At(rate)
		all = append(all, fmt.Sprintf("marks from %v to %v", at.Min, at.Max))
	}
	if s.ClassOf != nil {
		counts := map[uint8]int{}
		for _, c := range s.ClassOf {
			counts[c]++
		}
		var parts []string
		for c, n := range counts {
			parts = append(parts, fmt.Sprintf("%d of 64 DSCPs in class %d", n, c))
		}
		slices.Sort(parts)
		all = append(all, strings.Join(parts, " and "))
	}
	return all
}
