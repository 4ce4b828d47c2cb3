package switches

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// balance takes how the switch chooses among equal links, if it has any.
func (a *applying) balance() {
	b, all := a.parsed.Device.Balance, a.f.Balance
	if b == nil {
		a.assume("choice among equal links: fabric.balance %s", all)
		return
	}
	switch equal := a.equalPorts(); {
	case len(equal) == 0:
	case all.WholeWay():
		a.assume("choice among equal links: fabric.balance %s chooses whole paths, whatever the switch says (%s)", all, b.Method)
	case b.Method == "ecmp":
		a.hashes(b)
	case b.Method == "dlb":
		a.dynamic(b, equal)
	default:
		a.refuse(equal[0], fmt.Sprintf("load balancing %s: want ecmp or dlb", b), "balance")
	}
}

// equalPorts are those of the switch's ports, by their place among them, that lead as far as others do.
func (a *applying) equalPorts() (all []int) {
	for _, g := range a.in.Groups(a.s.configs.routes, a.id) {
		if len(g.Ports) < 2 {
			continue
		}
		for _, port := range g.Ports {
			all = append(all, slices.Index(a.ports, port))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hashes takes a hash: its fields, and its seed if it has one that is not the scenario's.
func (a *applying) hashes(b *netconf.Balance) {
	h := &a.f.Hash
	a.f.Balance = scenario.Balancer(b.Method)
	a.assume("function of the hash: fabric.hash.function %s", h.Function)
	if h.Fields = "5-tuple"; b.QP {
		h.Fields = scenario.HashFieldsQP
	}
	switch own := a.s.configs.seeds[a.id]; {
	case b.Seed == 0:
		a.assume("seed of the hash: fabric.hash.seed %s", h.Seed)
	case b.Seed != own:
		h.Seed, h.Role, h.Number = fmt.Sprint(b.Seed), "", b.Seed
	}
}

// noteSeeds numbers the seeds that switches have in the scenario, 0: they have no number. Where one of a role has
// another number in its configuration, numbers say who hashes alike, and roles do no more.
func (s *Set) noteSeeds() {
	s.configs.seeds = make([]uint32, len(s.graph.Nodes))
	roles := true
	for id, parsed := range s.configs.of {
		if parsed == nil {
			continue
		}
		own := s.SeedNumber(topo.NodeID(id))
		s.configs.seeds[id] = own
		if b := parsed.Device.Balance; b != nil && b.Seed > 0 && b.Seed != own {
			roles = false
		}
	}
	for id := range s.configs.of {
		if !roles && s.FabricAt(topo.NodeID(id)).Hash.Seed == "role" {
			s.configs.seeds[id] = 0
		}
	}
}

// dynamic takes dynamic load balancing, if it is on for all equal links or none.
func (a *applying) dynamic(b *netconf.Balance, equal []int) {
	without := slices.DeleteFunc(slices.Clone(equal), func(k int) bool {
		return len(b.Ports) == 0 || slices.Contains(b.Ports, a.in.Ports[a.ports[k]].Name.String())
	})
	switch {
	case len(without) == len(equal):
		a.assume("dlb is on for no port that has equal ones: these hash")
		a.hashes(&netconf.Balance{Method: "ecmp"})
		return
	case len(without) > 0:
		a.refuse(without[0], "without dlb, and others that lead as far have it: a run has one method for a switch", "balance")
		return
	}
	f := &a.f
	if b.Unit == "" && adapts[f.Balance] {
		a.assume("how adaptive routing chooses: fabric.balance %s", f.Balance)
		return
	}
	f.Balance = scenario.BalanceDLB
	switch {
	case b.Unit == "":
		a.assume("how adaptive routing chooses: as dlb, fabric.dlb.mode %s", f.DLB.Mode)
	case b.Unit == "flowlet" && b.Gap == 0:
		f.DLB.Mode = b.Unit
		a.assume("dlb takes a flow's next burst after %v for a flowlet", f.DLB.Gap)
	default:
		f.DLB.Mode = b.Unit
		if b.Gap > 0 {
			f.DLB.Gap = b.Gap
		}
	}
	a.assume("how dlb weighs load and queue: fabric.dlb")
}

// leaveIdle reports parameters of dlb that no switch uses, and leaves them out of the resolved scenario: else that
// would be no scenario that runs.
func (s *Set) leaveIdle() (all located.Problems) {
	uses := func(f *scenario.Fabric) bool { return f.Balance == "dlb" || f.Balance == "glb" }
	if uses(&s.scenario.Fabric) || s.anySwitch(uses) {
		return nil
	}
	given := s.scenario
	s.scenario = given.WithoutDLB()
	for _, f := range given.Fields() {
		if f.Origin == "file" && strings.HasPrefix(f.Path, "fabric.dlb.") {
			all = append(all, s.wrong(f.Path, "%s: has no effect: neither fabric.balance nor a configuration is dlb",
				f.Value))
		}
	}
	return all
}

// adapts are the methods that look at how full links are.
var adapts = map[scenario.Balancer]bool{scenario.BalanceDLB: true, scenario.BalanceGLB: true, scenario.BalanceSpray: true}
