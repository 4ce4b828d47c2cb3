package record

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

// crossings is which queue pairs crossed which ports and switches by paths that are known beforehand. It is made when
// a diagnosis asks for it first.
type crossings struct {
	r      *Recorder
	made   bool
	byPort map[topo.PortID][]int32
	byNode map[topo.NodeID]int
}

// new returns one for a recorder, or what there is.
func (c *crossings) new(r *Recorder) *crossings {
	if c != nil {
		return c
	}
	return &crossings{r: r}
}

func (c *crossings) make() {
	if c.made {
		return
	}
	c.made, c.byPort, c.byNode = true, map[topo.PortID][]int32{}, map[topo.NodeID]int{}
	g := c.r.plan.Graph
	for id := range c.r.plan.Pairs {
		q := &c.r.plan.Pairs[id]
		if data, _ := c.r.plan.ChosenPath(q); c.r.network.Delivered(int32(id)) == 0 || data && c.moves(q) {
			continue
		}
		for i, port := range q.Path {
			c.byPort[port] = append(c.byPort[port], int32(id))
			if i > 0 {
				c.byNode[g.Ports[port].Node]++
			}
		}
	}
}

// moves reports whether packets of a queue pair may take several ways though no route changes.
func (c *crossings) moves(q *plan.Pair) bool {
	return c.r.plan.Scenario.Transport.Entropy != "flow" ||
		slices.ContainsFunc(clue.Choosers(c.r.plan, q, -1), func(at topo.NodeID) bool { return !c.r.plan.MethodAt(at).Static })
}

// crossing returns whose bytes crossed a port.
func (c *crossings) crossing(port int32) (all []diagnose.Share) {
	c.make()
	for _, id := range c.byPort[topo.PortID(port)] {
		all = append(all, diagnose.Share{Pair: id, Bytes: c.r.network.Delivered(id)})
	}
	return all
}

// someone returns a queue pair that waited at a port, or crossed it; nil: none is known.
func (c *crossings) someone(port topo.PortID) *plan.Pair {
	for _, s := range c.r.network.Fill(port) {
		if q := &c.r.plan.Pairs[s.Flow]; clue.Equal(c.r.plan, q, port) != nil { // else its acknowledgements waited
			return q
		}
	}
	c.make()
	if all := c.byPort[port]; len(all) > 0 {
		return &c.r.plan.Pairs[all[0]]
	}
	return nil
}

// choice returns the ports that were equal to a port for what waited there, and how one was chosen.
func (c *crossings) choice(id int32) *diagnose.Choice {
	port, p := topo.PortID(id), c.r.plan
	q := c.someone(port)
	if q == nil {
		return nil
	}
	equal := clue.Equal(p, q, port)
	if len(equal) == 0 {
		return nil
	}
	c.make()
	x := &diagnose.Choice{Hash: p.Scenario.Fabric.Hash.Function}
	for _, e := range equal {
		x.Equal = append(x.Equal, int32(e))
		if clue.Cut(c.r.plan, e, c.r.network.Now()) > 0 {
			x.Cut = append(x.Cut, int32(e))
		}
	}
	c.by(x, q, port)
	c.vias(x, port, equal)
	c.ratio(x, port, equal)
	return x
}

// by says how the port was chosen.
func (c *crossings) by(x *diagnose.Choice, q *plan.Pair, port topo.PortID) {
	p := c.r.plan
	at := clue.Choosers(p, q, port)
	switch {
	case q.Flow != nil && q.Flow.Path != nil:
		x.By = diagnose.Written
		return
	case p.Scenario.Transport.Entropy != "flow":
		x.By = diagnose.ByPacket
		return
	case len(at) == 0:
		return
	}
	last := at[len(at)-1]
	switch m := p.MethodAt(last); {
	case m.Static:
	case m.Hashes, !p.Scenario.Fabric.Balance.Sprays():
		x.By = diagnose.ByBurst
		return
	default:
		x.By = diagnose.ByPacket
		return
	}
	var came []*plan.Pair
	for _, e := range x.Equal {
		for _, id := range c.byPort[topo.PortID(e)] {
			came = append(came, &p.Pairs[id])
		}
	}
	came = slices.DeleteFunc(came, func(o *plan.Pair) bool {
		return o.Flow != nil && o.Flow.Path != nil || !slices.Contains(clue.Choosers(p, o, -1), last)
	})
	for _, before := range at[:len(at)-1] {
		if len(came) > 1 && clue.HashAlike(p, came, before, last) {
			x.Alike = [2]string{p.Graph.Nodes[before].Kind.String(), p.Graph.Nodes[last].Kind.String()}
		}
	}
}

// vias counts flows by what is chosen with the ports: the switches behind them, those before them, or themselves.
func (c *crossings) vias(x *diagnose.Choice, port topo.PortID, equal []topo.PortID) {
	g := c.r.plan.Graph
	ahead, behind := map[topo.NodeID]bool{}, map[topo.NodeID]bool{}
	for _, e := range equal {
		ahead[g.Ports[e].To], behind[g.Ports[e].Node] = true, true
	}
	seen := map[string]bool{}
	for _, e := range equal {
		name, flows := g.Ports[e].Name, len(c.byPort[e])
		switch {
		case len(ahead) == len(equal):
			name, flows = g.Nodes[g.Ports[e].To].Name, c.byNode[g.Ports[e].To]
		case len(behind) == len(equal):
			name, flows = g.Nodes[g.Ports[e].Node].Name, c.byNode[g.Ports[e].Node]
		}
		if e == port {
			x.Via, x.Over = name, flows
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		x.Among += name + " "
		x.Of++
		x.All += flows
		if flows == 0 {
			x.Idle = append(x.Idle, name)
		}
	}
}

// ratio is how much more bandwidth the switches that equal ports lead from have to what is below them or, of ports that lead down, those
// that they lead to.
func (c *crossings) ratio(x *diagnose.Choice, port topo.PortID, equal []topo.PortID) {
	g := c.r.plan.Graph
	var below, up unit.Bitrate
	seen := map[topo.NodeID]bool{}
	ends := func(e topo.PortID) (low, high topo.NodeID) {
		if low, high = g.Ports[e].Node, g.Ports[e].To; g.Nodes[low].Kind > g.Nodes[high].Kind {
			low, high = high, low
		}
		return low, high
	}
	at, above := ends(port)
	climbs := g.Nodes[g.Ports[port].Node].Kind < g.Nodes[g.Ports[port].To].Kind
	for _, e := range equal {
		low, high := ends(e)
		if g.Nodes[low].Kind != g.Nodes[at].Kind || g.Nodes[high].Kind != g.Nodes[above].Kind || g.Nodes[low].Kind == g.Nodes[high].Kind ||
			(g.Ports[e].Node == low) != climbs {
			return // not of one tier
		}
		if up += g.Ports[e].Rate; !seen[low] {
			seen[low] = true
			below += foresight.Below(c.r.plan, low)
		}
	}
	x.Ratio, x.Tier = float64(below)/float64(up), g.Nodes[at].Name
	kinds := func(p *topo.Port) [2]topo.Kind { return [2]topo.Kind{g.Nodes[p.Node].Kind, g.Nodes[p.To].Kind} }
	x.Usual = !slices.ContainsFunc(g.Ports, func(p topo.Port) bool {
		return p.Rate > g.Ports[port].Rate && kinds(&p) == kinds(&g.Ports[port])
	})
}

// overTime adds what a port did over time, and in what it is set otherwise than its like.
func (r *Recorder) overTime(id topo.PortID, p *diagnose.Port) {
	g := r.plan.Graph
	p.Own = g.Nodes[g.Ports[id].Node].Kind == topo.HostKind
	p.Last = g.Nodes[g.Ports[id].To].Kind == topo.HostKind
	p.Degraded, p.Cut = clue.Degraded(r.plan, id), clue.Cut(r.plan, id, r.network.Now())
	for _, x := range r.network.Load(id) {
		p.Load = append(p.Load, diagnose.Load{At: x.At, Sent: x.Sent, Held: x.Held})
	}
	if n := len(p.Load); n > 1 {
		p.Active = p.Load[n-1].At.Sub(p.Load[0].At)
	}
	odd := clue.OddAt(r.plan, id)
	if r.plan.Switches.FabricAt(g.Ports[id].Node).QoS.PFC.Enabled && !odd.PFC && r.dataLost[id] && r.refused == 0 {
		odd.Class = true // what was dropped was not in the class that PFC is on for, or it would have been refused
	}
	for _, x := range []struct {
		is   bool
		name string
	}{{odd.XOFF, diagnose.OddXOFF}, {odd.NoECN, diagnose.OddNoECN}, {odd.Marking, diagnose.OddMarking}, {odd.Class, diagnose.OddClass},
		{odd.PFC, diagnose.OddPFC}, {odd.MTU, diagnose.OddMTU}, {odd.Leak, diagnose.OddLeak}} {
		if x.is {
			p.Odd = append(p.Odd, x.name)
		}
	}
}

// usualLine is the rate that the NICs' ports have in the middle of their order, of two the faster.
func (r *Recorder) usualLine() unit.Bitrate {
	g := r.plan.Graph
	var all []unit.Bitrate
	for i := range g.NICs {
		for _, port := range g.NICs[i].Ports {
			all = append(all, g.Ports[port].Rate)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
}
