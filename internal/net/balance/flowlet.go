package balance

import "railyard/internal/base/unit"

// table is the flows of a group: which link each has, and when it was last seen. Real tables have few entries
// and flows may share one; here each flow has its own.
type table map[uint64]*entry

type entry struct {
	seen unit.Time
	link int32
}

// quiet returns the entry of a flow, and whether the flow may take another link: it is new, or has been quiet
// for longer than gap. The frame counts as seen.
func (t table) quiet(f *Frame, gap unit.Duration) (e *entry, free bool) {
	e = t[f.Flow]
	if e == nil {
		e = &entry{seen: f.Now}
		t[f.Flow] = e
		return e, true
	}
	free = f.Now.Sub(e.seen) > gap
	e.seen = f.Now
	return e, free
}

// flowlets keeps a flow on its link until it has been quiet for Params.Gap; the burst that follows, a
// flowlet, takes a link drawn by chance: LetFlow (Vanini et al., NSDI 2017). No load is looked at: flowlets
// that meet congestion are held back and break up, so that more of them end on links that have room.
type flowlets struct {
	g     *Group
	gap   unit.Duration
	flows table
}

func newFlowlets(p *Params, g *Group) Chooser { return &flowlets{g: g, gap: p.Gap, flows: table{}} }

func (c *flowlets) Pick(f *Frame, _ Links) int {
	e, free := c.flows.quiet(f, c.gap)
	if free {
		e.link = int32(c.g.below(len(c.g.Links)))
	}
	return int(e.link)
}
