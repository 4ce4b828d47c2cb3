package plan

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/fabric"
	"railyard/internal/qos"
	"railyard/internal/scenario"
	"railyard/internal/topo"
)

// switches is which switches differ from the others, and how.
type switches struct {
	of       []int32           // by node: index in profiles, -1: as the others; nil: all are
	profiles []scenario.Fabric // the fabric as such a switch has it
	names    []string          // what matches it: "spine*, spine2"
}

// planSwitches gives each switch the profile that the entries of fabric.switches make which match it.
func (p *Plan) planSwitches() error {
	sc := p.Scenario
	if len(sc.Fabric.Switches) == 0 {
		return nil
	}
	w := switches{of: make([]int32, len(p.Graph.Nodes))}
	matched := make([]bool, len(sc.Fabric.Switches))
	for id, n := range p.Graph.Nodes {
		w.of[id] = -1
		if n.Kind == topo.HostKind {
			continue
		}
		f, names := sc.Fabric, []string{}
		for i := range sc.Fabric.Switches {
			if own := &sc.Fabric.Switches[i]; own.Matches(n.Name) {
				f, names = f.With(own), append(names, own.Match)
				matched[i] = true
			}
		}
		if len(names) == 0 {
			continue
		}
		name := strings.Join(names, ", ")
		k := slices.Index(w.names, name)
		if k < 0 {
			k = len(w.names)
			w.names, w.profiles = append(w.names, name), append(w.profiles, f)
		}
		w.of[id] = int32(k)
	}
	if i := slices.Index(matched, false); i >= 0 {
		own := sc.Fabric.Switches[i].Match
		return problem(sc, fmt.Sprintf("fabric.switches[%d].match", i), "%s: matches no switch, want one of %s", own,
			p.switchNames())
	}
	p.switches = w
	return nil
}

// mostNames is how many switches an error names.
const mostNames = 8

// switchNames lists the switches for an error.
func (p *Plan) switchNames() string {
	var names []string
	for _, n := range p.Graph.Nodes {
		if n.Kind == topo.HostKind {
			continue
		}
		if len(names) == mostNames {
			return strings.Join(names, ", ") + ", ..."
		}
		names = append(names, n.Name)
	}
	return strings.Join(names, ", ")
}

// FabricAt is the fabric as a switch has it.
func (p *Plan) FabricAt(id topo.NodeID) *scenario.Fabric {
	if p.switches.of != nil && p.switches.of[id] >= 0 {
		return &p.switches.profiles[p.switches.of[id]]
	}
	return &p.Scenario.Fabric
}

// Marks and Pauses report whether any switch marks RoCE data, and whether any pauses its neighbours.
func (p *Plan) Marks() bool {
	return p.anySwitch(func(f *scenario.Fabric) bool { return f.QoS.ECN.Enabled })
}

// Pauses: see Marks.
func (p *Plan) Pauses() bool {
	return p.anySwitch(func(f *scenario.Fabric) bool { return f.QoS.PFC.Enabled })
}

func (p *Plan) anySwitch(is func(*scenario.Fabric) bool) bool {
	for id, n := range p.Graph.Nodes {
		if n.Kind != topo.HostKind && is(p.FabricAt(topo.NodeID(id))) {
			return true
		}
	}
	return false
}

// nameOf is what matches a switch that differs from the others; "": it does not.
func (p *Plan) nameOf(id topo.NodeID) string {
	if p.switches.of != nil && p.switches.of[id] >= 0 {
		return p.switches.names[p.switches.of[id]]
	}
	return ""
}

// profile is how a switch is configured in a fabric.
func (p *Plan) profile(f *scenario.Fabric) fabric.Profile {
	q := &f.QoS
	var ecn *fabric.ECN
	if q.ECN.Enabled {
		curve := q.ECN.Curve()
		ecn = &curve
	}
	classes := []fabric.Class{
		ClassData: {
			Name:     "data",
			Priority: uint8(q.DataPriority),
			Weight:   q.DataWeight,
			Lossless: q.PFC.Enabled,
			ECN:      ecn,
		},
		ClassOther: {Name: "other", Priority: uint8(q.OtherPriority), Weight: q.OtherWeight},
		ClassCNP:   {Name: "cnp", Priority: uint8(q.CNPPriority), Strict: true},
	}
	return fabric.Profile{
		Classes: classes[:p.Classes()],
		PFC: fabric.PFC{
			Alpha:        q.PFC.Alpha,
			AlphaRate:    p.alphaRate(),
			Threshold:    q.PFC.Threshold.Or(0),
			ResumeOffset: q.PFC.ResumeOffset,
			Quanta:       uint16(q.PFC.Quanta),
			Refresh:      q.PFC.Refresh,
			Headroom:     headroom(f),
			Response:     qos.Response{Tabulated: !q.PFC.Response.Set, After: q.PFC.Response.Value},
		},
		Buffer: fabric.Buffer{
			Size:               f.Switch.Buffer,
			Reserve:            f.Switch.Reserve,
			LossyAlpha:         q.LossyAlpha,
			FreeAtTxEnd:        f.Switch.Release == "end",
			CrossingInHeadroom: q.PFC.Crossing == "headroom",
		},
		SwitchLatency: f.Switch.Latency,
		MTU:           f.MTU,
	}
}
