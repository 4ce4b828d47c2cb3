package trial

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/plan/transport"
	"railyard/internal/run/run"
	"railyard/internal/study/tune"
)

// facts takes what the formulas need from the plans of the patterns.
func (t *tuning) facts() (f tune.Facts, err error) {
	sc := t.base
	f.Reacts, f.Counts = sc.Congestion.Algorithm.NeedsMarks(), sc.Congestion.Algorithm == scenario.ByDCTCP
	f.Pauses, f.Fixed = sc.Fabric.QoS.PFC.Enabled, sc.Fabric.QoS.PFC.Threshold.Set
	f.Class = int(switches.ClassData)
	for i := range t.found.Patterns {
		p, err := run.NewPlan(t.found.Patterns[i].scenario)
		if err != nil {
			return f, err
		}
		if d, ok := transport.Controller(p.Scenario).(cc.DCQCN); ok {
			f.DCQCN = &d
		}
		f.Policy, f.Sites = foresight.Policy(p)
		f.Frame = f.Policy.Frame
		look(&f, p)
	}
	return f, nil
}

// look takes from a plan the longest round trip, and how many NICs send to one.
func look(f *tune.Facts, p *plan.Plan) {
	from := map[topo.NICID]map[topo.NICID]bool{}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if !q.Enabled() {
			continue
		}
		if rtt := p.BaseRTT(q); rtt > f.RTT {
			f.RTT = rtt
		}
		last := p.Graph.Ports[q.Path[len(q.Path)-1]].Rate
		if f.Rate == 0 || last < f.Rate {
			f.Rate = last
		}
		if from[q.To] == nil {
			from[q.To] = map[topo.NICID]bool{}
		}
		from[q.To][q.From] = true
		f.Senders = max(f.Senders, len(from[q.To]))
	}
}

// changes are the keys that give a scenario a point's thresholds.
func (t *tuning) changes(p tune.Point) (all []scenario.Change) {
	set := func(path, text string) { all = append(all, scenario.Change{Path: "fabric.qos." + path, Text: text}) }
	if p.Marks() {
		set("ecn.enabled", "true")
		set("ecn.port_rate", t.facts0.Rate.String())
		set("ecn.min", p.Min.String())
		set("ecn.max", p.Max.String())
		set("ecn.probability", percent(p.Probability))
	}
	switch {
	case p.XOFF > 0:
		set("pfc.threshold", p.XOFF.String())
	case p.Alpha.Num > 0:
		set("pfc.alpha_rate", "none")
		set("pfc.alpha", p.Alpha.String())
	default:
		return all
	}
	set("pfc.headroom_delays", "none")
	set("pfc.headroom", "auto")
	set("pfc.resume_offset", (2 * t.base.Fabric.MTU).String())
	return all
}

func percent(r unit.Ratio) string {
	return (unit.Ratio{Num: 100 * r.Num / r.Den, Den: 1}).String() + "%"
}
