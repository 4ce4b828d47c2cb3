package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/fabric"
	"railyard/internal/located"
	"railyard/internal/qos"
	"railyard/internal/scenario"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// switches is which switches differ from the others, and how.
type switches struct {
	of       []int32                // by node: index in profiles, -1: as the others; nil: all are
	profiles []scenario.Fabric      // the fabric as such a switch has it
	names    []string               // what matches it: "spine*, spine2"
	ports    [][]fabric.PortProfile // by profile: where single ports differ; shorter than profiles, or nil: none do
}

// planSwitches gives each switch the profile that the entries of fabric.switches make which match it.
func (p *Plan) planSwitches() error {
	sc := p.Scenario
	if len(sc.Fabric.Switches) == 0 {
		return nil
	}
	w := switches{of: make([]int32, len(p.Graph.Nodes))}
	matched := make([]int, len(sc.Fabric.Switches))         // by entry: how many switches
	idle := make([]map[string]int, len(sc.Fabric.Switches)) // by entry and key: at how many it does nothing
	for id, n := range p.Graph.Nodes {
		w.of[id] = -1
		if n.Kind == topo.HostKind {
			continue
		}
		f, names := sc.Fabric, []string{}
		for i := range sc.Fabric.Switches {
			if own := &sc.Fabric.Switches[i]; own.Matches(n.Name) {
				f, names = f.With(own), append(names, own.Match)
				matched[i]++
			}
		}
		if len(names) == 0 {
			continue
		}
		for i := range sc.Fabric.Switches {
			if own := &sc.Fabric.Switches[i]; own.Matches(n.Name) {
				idle[i] = counted(idle[i], own.Idle(&f))
			}
		}
		name := strings.Join(names, ", ")
		k := slices.Index(w.names, name)
		if k < 0 {
			k = len(w.names)
			w.names, w.profiles = append(w.names, name), append(w.profiles, f)
		}
		w.of[id] = int32(k)
	}
	p.switches = w
	return p.checkEntries(matched, idle)
}

func counted(n map[string]int, keys []string) map[string]int {
	if n == nil {
		n = map[string]int{}
	}
	for _, k := range keys {
		n[k]++
	}
	return n
}

// checkEntries reports entries of fabric.switches that match nothing, and parameters that none of the switches uses.
func (p *Plan) checkEntries(matched []int, idle []map[string]int) error {
	var all located.Problems
	for i := range matched {
		at, own := fmt.Sprintf("fabric.switches[%d].", i), p.Scenario.Fabric.Switches[i].Match
		if matched[i] == 0 {
			all = append(all, problemAt(p.Scenario, at+"match", "%s: matches no switch, want one of %s", own, p.switchNames()))
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(idle[i])) {
			if idle[i][key] == matched[i] {
				all = append(all, problemAt(p.Scenario, at+key, "has no effect: no switch that %s matches balances so", own))
				break // what lies below it has none either
			}
		}
	}
	return all.Err()
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

// AnyFabric reports whether something is so of the scenario's fabric, or of that as a switch has it that differs.
func (p *Plan) AnyFabric(is func(*scenario.Fabric) bool) bool {
	for i := range p.switches.profiles {
		if is(&p.switches.profiles[i]) {
			return true
		}
	}
	return is(&p.Scenario.Fabric)
}

// Differs reports whether a switch is configured unlike the others.
func (p *Plan) Differs(id topo.NodeID) bool { return p.profileOf(id) >= 0 }

// FabricAt is the fabric as a switch has it.
func (p *Plan) FabricAt(id topo.NodeID) *scenario.Fabric {
	if i := p.profileOf(id); i >= 0 {
		return &p.switches.profiles[i]
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

// Watchdog is what switches do about ports that are paused for too long, nil: nothing. Of configured switches it is
// that of the first port which has one.
func (p *Plan) Watchdog() *fabric.Watchdog {
	if !p.Pauses() {
		return nil
	}
	if p.configs == nil {
		return p.ownWatchdog()
	}
	for _, w := range p.configs.watchdogs {
		if w != nil {
			return w
		}
	}
	return nil
}

// ownWatchdog is the scenario's.
func (p *Plan) ownWatchdog() *fabric.Watchdog {
	w := &p.Scenario.Fabric.QoS.PFC.Watchdog
	if !w.Detect.Set {
		return nil
	}
	return &fabric.Watchdog{Detect: w.Detect.Value, Restore: w.Restore, Forward: w.Action == "forward"}
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
			Drop:     q.Drops(),
		},
		ClassOther: {Name: "other", Priority: uint8(q.OtherPriority), Weight: q.OtherWeight},
		ClassCNP:   {Name: "cnp", Priority: uint8(q.CNPPriority), Strict: true},
	}
	return fabric.Profile{
		Classes: classes[:p.Classes()],
		ClassOf: p.classOf(f),
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
			Size:               p.bufferOf(f),
			Reserve:            f.Switch.Reserve,
			LossyAlpha:         q.LossyAlpha,
			FreeAtTxEnd:        f.Switch.Release == "end",
			CrossingInHeadroom: q.PFC.Crossing == "headroom",
		},
		SwitchLatency: f.Switch.Latency,
		MTU:           f.MTU,
	}
}

// DSCPs returns what NICs write into frames of each class. Other traffic has the first of these class selectors
// (RFC 2474) that the scenario gives to nothing else.
func (p *Plan) DSCPs() []uint8 {
	q := &p.Scenario.Fabric.QoS
	other := 0
	for other == q.DSCP || other == q.CNPDSCP {
		other += 8
	}
	return []uint8{ClassData: uint8(q.DSCP), ClassOther: uint8(other), ClassCNP: uint8(q.CNPDSCP)}[:p.Classes()]
}

// classOf is the class of each DSCP at switches that are as a fabric says; nil: as NICs mean it.
func (p *Plan) classOf(f *scenario.Fabric) *[64]uint8 {
	all, q := &p.Scenario.Fabric.QoS, &f.QoS
	if q.DSCP == all.DSCP && q.CNPDSCP == all.CNPDSCP || p.Classes() == 1 {
		return nil
	}
	return p.classes(q.CNPDSCP, q.DSCP)
}

// classes is the class of each DSCP where one means a CNP and one RoCE data; -1: none does.
func (p *Plan) classes(cnp, data int) *[64]uint8 {
	var of [64]uint8
	for i := range of {
		of[i] = ClassOther
	}
	if data >= 0 {
		of[data] = ClassData
	}
	if cnp >= 0 {
		of[cnp] = ClassCNP
	}
	return &of
}

// Priority is the priority of a class at a port.
func (p *Plan) Priority(port topo.PortID, class uint8) int32 {
	q := &p.FabricAt(p.Graph.Ports[port].Node).QoS
	return int32([...]int{ClassData: q.DataPriority, ClassOther: q.OtherPriority, ClassCNP: q.CNPPriority}[class])
}

// bufferOf is the packet buffer of a switch; where no packet is sent it is of no account, and large enough for any number
// of ports.
func (p *Plan) bufferOf(f *scenario.Fabric) unit.Bytes {
	if p.ByFormula() {
		return unit.Terabyte
	}
	return f.Switch.Buffer
}
