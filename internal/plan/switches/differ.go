package switches

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Differing is switches that are alike and differ from the others.
type Differing struct {
	Match    string                `json:"match"`
	Switches []string              `json:"switches"`
	Keys     []scenario.Difference `json:"keys"`
}

// Differing returns the switches that differ from the others, and in what. Those whose entries say what holds for all
// are not among them.
func (s *Set) Differing() (all []Differing) {
	for i := range s.profiles {
		d := Differing{Match: s.names[i], Keys: s.scenario.Differences(&s.profiles[i])}
		for id, n := range s.graph.Nodes {
			if s.of[id] == int32(i) {
				d.Switches = append(d.Switches, n.Name)
				d.Keys = append(d.Keys, s.differingPorts(topo.NodeID(id), i)...)
			}
		}
		if len(d.Keys) > 0 {
			all = append(all, d)
		}
	}
	return all
}

// differingPorts says of ports that differ from their switch in what they do.
func (s *Set) differingPorts(id topo.NodeID, profile int) (all []scenario.Difference) {
	if profile >= len(s.ports) {
		return nil
	}
	usual := s.Profile(&s.profiles[profile]).Classes
	for k, own := range s.ports[profile] {
		var texts []string
		for c := range own.Classes {
			texts = append(texts, differingClass(className(uint8(c)), &own.Classes[c], &usual[c])...)
		}
		if own.ClassOf != nil {
			for c, dscp := range s.DSCPs() {
				if of := own.ClassOf[dscp]; int(of) != c {
					texts = append(texts, fmt.Sprintf("DSCP %d is %s", dscp, className(of)))
				}
			}
		}
		if own.XOFF != nil {
			b := netconf.Buffer{XOFF: unit.Bytes(own.XOFF.Fixed), Alpha: own.XOFF.Alpha}
			texts = append(texts, "xOFF "+b.XOFFText())
		}
		if own.Headroom != nil {
			texts = append(texts, "headroom "+own.Headroom.String())
		}
		if own.Deaf != 0 {
			texts = append(texts, "heeds no PFC")
		}
		if len(texts) > 0 {
			port := s.graph.Nodes[id].Ports[k]
			all = append(all, scenario.Difference{Key: "port " + s.graph.Ports[port].Name, Own: strings.Join(texts, "; "), Others: "-"})
		}
	}
	return all
}

// differingClass says in what a class of a port differs from that of its switch.
func differingClass(name string, own, usual *fabric.Class) (texts []string) {
	switch {
	case own.Lossless && !usual.Lossless:
		texts = append(texts, name+" under PFC")
	case !own.Lossless && usual.Lossless:
		texts = append(texts, name+" without PFC")
	}
	switch {
	case own.ECN != nil && (usual.ECN == nil || *own.ECN != *usual.ECN):
		texts = append(texts, fmt.Sprintf("%s marked from %v to %v", name, own.ECN.Min.Bytes, own.ECN.Max.Bytes))
	case own.ECN == nil && usual.ECN != nil:
		texts = append(texts, name+" not marked")
	}
	switch {
	case own.Strict && !usual.Strict:
		texts = append(texts, name+" strict")
	case !own.Strict && usual.Strict:
		texts = append(texts, fmt.Sprintf("%s by its share, %d", name, own.Weight))
	case !own.Strict && own.Weight != usual.Weight:
		texts = append(texts, fmt.Sprintf("%s with a share of %d", name, own.Weight))
	}
	return texts
}

// Misclassed warns of switches that put RoCE data into another class than NICs mean, and of neighbours that do not
// mean the same priority by RoCE data: one pauses what the other does not send.
func (s *Set) Misclassed() (all []scenario.Finding) {
	if len(s.profiles) == 0 {
		return nil
	}
	warn := func(path, format string, args ...any) {
		all = append(all, scenario.Finding{Severity: scenario.Warning, Path: path, Message: fmt.Sprintf(format, args...)})
	}
	for i := range s.profiles {
		f := &s.profiles[i]
		if in := s.DataIn(f); in != nil {
			path := s.entryOf(s.names[i], "dscp", func(s *scenario.SwitchProfile) bool { return s.DSCP.Set || s.CNPDSCP.Set })
			warn(path, "switches that %s matches take DSCP %d for RoCE data, and NICs write %d: there it is %s, which is neither "+
				"marked nor paused", s.names[i], f.QoS.DSCP, s.scenario.Fabric.QoS.DSCP, in.Name)
		}
	}
	seen := map[[2]int32]bool{}
	for _, port := range s.graph.Ports {
		to, from := s.FabricAt(port.To), s.FabricAt(port.Node)
		if s.graph.Nodes[port.To].Kind == topo.HostKind || !to.QoS.PFC.Enabled || to.QoS.DataPriority == from.QoS.DataPriority {
			continue
		}
		pair := [2]int32{s.of[port.To], s.profileOf(port.Node)}
		if seen[pair] {
			continue
		}
		seen[pair] = true
		name := s.NameOf(port.To)
		if name == "" {
			name = s.NameOf(port.Node)
		}
		path := s.entryOf(name, "data_priority", func(s *scenario.SwitchProfile) bool { return s.DataPriority.Set })
		warn(path, "%s pauses priority %d, and %s sends RoCE data with priority %d: it does not stop, and frames are dropped",
			s.graph.Nodes[port.To].Name, to.QoS.DataPriority, s.graph.Nodes[port.Node].Name, from.QoS.DataPriority)
	}
	return all
}

// DataIn is the class that switches which are as a fabric says put RoCE data into; nil: its own.
func (s *Set) DataIn(f *scenario.Fabric) *qos.In {
	of := s.classOf(f)
	if of == nil || of[s.scenario.Fabric.QoS.DSCP] == ClassData {
		return nil
	}
	c := of[s.scenario.Fabric.QoS.DSCP]
	return &qos.In{Class: int(c), Name: className(c)}
}

func className(c uint8) string {
	return [...]string{ClassData: "RoCE data", ClassOther: "other traffic", ClassCNP: "a CNP"}[c]
}

// profileOf is the profile of a node, -1: none.
func (s *Set) profileOf(id topo.NodeID) int32 {
	if s.of == nil {
		return -1
	}
	return s.of[id]
}

// entryOf is the path of a key in the last entry of fabric.switches that gives it, of those that make a profile.
func (s *Set) entryOf(profile, key string, gives func(*scenario.SwitchProfile) bool) string {
	names := strings.Split(profile, ", ")
	path := s.scenario.Fabric.SwitchesKey()
	for i := range s.scenario.Fabric.Switches {
		if s := &s.scenario.Fabric.Switches[i]; slices.Contains(names, s.Match) && gives(s) {
			path = fmt.Sprintf("fabric.switches[%d].%s", i, key)
		}
	}
	return path
}
