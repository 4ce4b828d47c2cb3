package switches

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Traffic classes in dense order, as packets name them.
const (
	ClassData uint8 = iota
	ClassOther
	ClassCNP
)

// Set is what each switch of a network does: what the scenario says of all, where entries of fabric.switches differ from it, and
// what configurations say that were read.
type Set struct {
	scenario *scenario.Scenario
	graph    *topo.Graph
	configs  *configs         // nil: the scenario says what switches do
	short    []fabric.Setting // see Short

	of       []int32                // by node: index in profiles, -1: as the others; nil: all are
	profiles []scenario.Fabric      // the fabric as such a switch has it
	names    []string               // what matches it: "spine*, spine2"
	ports    [][]fabric.PortProfile // by profile: where single ports differ; shorter than profiles, or nil: none do
}

// New gives each switch the profile that the entries of fabric.switches make which match it.
func New(sc *scenario.Scenario, g *topo.Graph) (*Set, error) {
	s := &Set{scenario: sc, graph: g}
	if len(sc.Fabric.Switches) == 0 {
		return s, nil
	}
	s.of = make([]int32, len(g.Nodes))
	matched := make([]int, len(sc.Fabric.Switches))         // by entry: how many switches
	idle := make([]map[string]int, len(sc.Fabric.Switches)) // by entry and key: at how many it does nothing
	for id, n := range g.Nodes {
		s.of[id] = -1
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
		k := slices.Index(s.names, name)
		if k < 0 {
			k = len(s.names)
			s.names, s.profiles = append(s.names, name), append(s.profiles, f)
		}
		s.of[id] = int32(k)
	}
	return s, s.checkEntries(matched, idle)
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
func (s *Set) checkEntries(matched []int, idle []map[string]int) error {
	var all located.Problems
	for i := range matched {
		at, own := fmt.Sprintf("fabric.switches[%d].", i), s.scenario.Fabric.Switches[i].Match
		if matched[i] == 0 {
			all = append(all, s.wrong(at+"match", "%s: matches no switch, want one of %s", own, Names(s.graph)))
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(idle[i])) {
			if idle[i][key] == matched[i] {
				all = append(all, s.wrong(at+key, "has no effect: no switch that %s matches balances so", own))
				break // what lies below it has none either
			}
		}
	}
	return all.Err()
}

// mostNames is how many switches an error names.
const mostNames = 8

// wrong is a problem with a key of the scenario.
func (s *Set) wrong(path, format string, args ...any) located.Problem {
	return s.scenario.Wrong(path, format, args...)
}

// Names lists the switches of a network for an error, the first of many.
func Names(g *topo.Graph) string {
	var names []string
	for _, n := range g.Nodes {
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
func (s *Set) AnyFabric(is func(*scenario.Fabric) bool) bool {
	for i := range s.profiles {
		if is(&s.profiles[i]) {
			return true
		}
	}
	return is(&s.scenario.Fabric)
}

// Own is the fabric as switches have it that differ from the others, and by node which of them, -1: none; nil: no switch differs.
func (s *Set) Own() (of []int32, fabrics []scenario.Fabric) { return s.of, s.profiles }

// Differs reports whether a switch is configured unlike the others.
func (s *Set) Differs(id topo.NodeID) bool { return s.profileOf(id) >= 0 }

// FabricAt is the fabric as a switch has it.
func (s *Set) FabricAt(id topo.NodeID) *scenario.Fabric {
	if i := s.profileOf(id); i >= 0 {
		return &s.profiles[i]
	}
	return &s.scenario.Fabric
}

// Marks and Pauses report whether any switch marks RoCE data, and whether any pauses its neighbours.
func (s *Set) Marks() bool {
	return s.anySwitch(func(f *scenario.Fabric) bool { return f.QoS.ECN.Enabled })
}

// Pauses: see Marks.
func (s *Set) Pauses() bool {
	return s.anySwitch(func(f *scenario.Fabric) bool { return f.QoS.PFC.Enabled })
}

func (s *Set) anySwitch(is func(*scenario.Fabric) bool) bool {
	for id, n := range s.graph.Nodes {
		if n.Kind != topo.HostKind && is(s.FabricAt(topo.NodeID(id))) {
			return true
		}
	}
	return false
}

// NameOf is what matches a switch that differs from the others; "": it does not.
func (s *Set) NameOf(id topo.NodeID) string {
	if s.of != nil && s.of[id] >= 0 {
		return s.names[s.of[id]]
	}
	return ""
}

// Watchdog is what switches do about ports that are paused for too long, nil: nothing. Of configured switches it is
// that of the first port which has one.
func (s *Set) Watchdog() *fabric.Watchdog {
	if !s.Pauses() {
		return nil
	}
	if s.configs == nil {
		return s.ownWatchdog()
	}
	for _, w := range s.configs.watchdogs {
		if w != nil {
			return w
		}
	}
	return nil
}

// ownWatchdog is the scenario's.
func (s *Set) ownWatchdog() *fabric.Watchdog {
	w := &s.scenario.Fabric.QoS.PFC.Watchdog
	if !w.Detect.Set {
		return nil
	}
	return &fabric.Watchdog{Detect: w.Detect.Value, Restore: w.Restore, Forward: w.Action == "forward"}
}

// Profile is how a switch is configured in a fabric.
func (s *Set) Profile(f *scenario.Fabric) fabric.Profile {
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
		Classes: classes[:s.Classes()],
		ClassOf: s.classOf(f),
		PFC: fabric.PFC{
			Alpha:        q.PFC.Alpha,
			AlphaRate:    s.alphaRate(),
			Threshold:    q.PFC.Threshold.Or(0),
			ResumeOffset: q.PFC.ResumeOffset,
			Quanta:       uint16(q.PFC.Quanta),
			Refresh:      q.PFC.Refresh,
			Headroom:     headroom(f),
			Response:     qos.Response{Tabulated: !q.PFC.Response.Set, After: q.PFC.Response.Value},
		},
		Buffer: fabric.Buffer{
			Size:               s.bufferOf(f),
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
func (s *Set) DSCPs() []uint8 {
	q := &s.scenario.Fabric.QoS
	other := 0
	for other == q.DSCP || other == q.CNPDSCP {
		other += 8
	}
	return []uint8{ClassData: uint8(q.DSCP), ClassOther: uint8(other), ClassCNP: uint8(q.CNPDSCP)}[:s.Classes()]
}

// classOf is the class of each DSCP at switches that are as a fabric says; nil: as NICs mean it.
func (s *Set) classOf(f *scenario.Fabric) *[64]uint8 {
	all, q := &s.scenario.Fabric.QoS, &f.QoS
	if q.DSCP == all.DSCP && q.CNPDSCP == all.CNPDSCP || s.Classes() == 1 {
		return nil
	}
	return ClassOf(q.CNPDSCP, q.DSCP)
}

// ClassOf is the class of each DSCP where one means a CNP and one RoCE data; -1: none does.
func ClassOf(cnp, data int) *[64]uint8 {
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
func (s *Set) Priority(port topo.PortID, class uint8) int32 {
	q := &s.FabricAt(s.graph.Ports[port].Node).QoS
	return int32([...]int{ClassData: q.DataPriority, ClassOther: q.OtherPriority, ClassCNP: q.CNPPriority}[class])
}

// bufferOf is the packet buffer of a switch; where no packet is sent it is of no account, and large enough for any number
// of ports.
func (s *Set) bufferOf(f *scenario.Fabric) unit.Bytes {
	if s.scenario.ByFormula() {
		return unit.Terabyte
	}
	return f.Switch.Buffer
}

// Classes returns how many traffic classes ports have, the first of ClassData, ClassOther and
// ClassCNP.
func (s *Set) Classes() int {
	if s.scenario.Fabric.QoS.Classes == "data" {
		return 1
	}
	return 3
}

// alphaRate is the rate above which alpha grows with the rate of a port, 0 for none.
func (s *Set) alphaRate() unit.Bitrate {
	switch r := s.scenario.Fabric.QoS.PFC.AlphaRate; r.Word {
	case "none":
		return 0
	case "nic":
		slowest := s.graph.Ports[s.graph.NICs[0].Port].Rate
		for _, n := range s.graph.NICs {
			for _, port := range n.Ports {
				slowest = min(slowest, s.graph.Ports[port].Rate)
			}
		}
		return slowest
	default:
		return r.Value
	}
}

// headroom is the rule for the buffer that a switch keeps for what arrives after xOFF.
func headroom(f *scenario.Fabric) qos.Headroom {
	switch pfc := &f.QoS.PFC; {
	case pfc.HeadroomDelays.Set:
		return qos.DelaysHeadroom(pfc.HeadroomDelays.Value)
	case pfc.Headroom.Set:
		return qos.FixedHeadroom(pfc.Headroom.Value)
	}
	return qos.FormulaHeadroom(f.MTU, f.Switch.Latency)
}

// SeedNumber is the number that stands for the seed of a switch in its configuration, 0: none does. With a seed for
// each switch, that number makes the same seed again.
func (s *Set) SeedNumber(id topo.NodeID) uint32 {
	switch h := &s.FabricAt(id).Hash; {
	case h.Number > 0:
		return h.Number
	case h.Seed == "per-switch":
		return uint32(id) + 1
	case h.Seed == "role": // that of the first switch which has it
		for first := range id {
			if own := &s.FabricAt(first).Hash; own.Seed == h.Seed && own.Role == h.Role {
				return uint32(first) + 1
			}
		}
		return uint32(id) + 1
	}
	return 0
}

// Apply sets what switches do in the parameters of a fabric.
func (s *Set) Apply(cfg *fabric.Config) {
	all := s.Profile(&s.scenario.Fabric)
	cfg.Classes, cfg.DSCP, cfg.PFC, cfg.Buffer = all.Classes, s.DSCPs(), all.PFC, all.Buffer
	cfg.SwitchLatency, cfg.MTU, cfg.Watchdog = all.SwitchLatency, all.MTU, s.Watchdog()
	cfg.ProfileOf = s.of
	for i := range s.profiles {
		own := s.Profile(&s.profiles[i])
		if i < len(s.ports) {
			own.Ports = s.ports[i]
		}
		cfg.Profiles = append(cfg.Profiles, own)
	}
	if s.configs != nil && cfg.Watchdog != nil {
		cfg.Watchdogs = s.configs.watchdogs
	}
}

// Scenario is that of the switches: the one given, or without keys that no configuration gives a meaning.
func (s *Set) Scenario() *scenario.Scenario { return s.scenario }

// Short is which ports take shorter frames than are sent, by their configuration.
func (s *Set) Short() []fabric.Setting { return s.short }

// DSCP is what NICs write into frames of a class.
func (s *Set) DSCP(class uint8) uint8 { return s.DSCPs()[class] }

// ClassesAt is the traffic classes of a node, in the order of their numbers.
func (s *Set) ClassesAt(n topo.NodeID) []fabric.Class { return s.Profile(s.FabricAt(n)).Classes }
