package switches

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/inventory"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// applying is a switch that takes what its configuration says. What that leaves out stays as the scenario has it.
type applying struct {
	s      *Set
	in     *inventory.Inventory
	id     topo.NodeID
	parsed *netconf.Parsed
	f      scenario.Fabric // the switch, as far as one value for all its ports can say
	ports  []topo.PortID
	slots  [3]uint8 // the traffic class of each class of the run
	prio   [3]uint8 // what PFC frames call it
	want   []wanted // by port
	wrong  located.Problems
}

// wanted is what a port is to do.
type wanted struct {
	classes  []fabric.Class
	classOf  *[64]uint8  // nil: as NICs mean it
	xoff     *qos.XOFF   // nil: the model's
	headroom *unit.Bytes // nil: the model's
	deaf     uint8
}

// applyConfig makes a profile of a switch's configuration, if it differs from what the scenario says.
func (s *Set) applyConfig(in *inventory.Inventory, id topo.NodeID) located.Problems {
	a := applying{s: s, in: in, id: id, parsed: s.configs.of[id], f: *s.FabricAt(id), ports: s.graph.Nodes[id].Ports}
	base := a.f
	a.balance()
	if a.parsed.Device.QoS == nil {
		a.assume("the configuration says nothing of quality of service: all of it is as the scenario says")
		for _, port := range a.ports {
			s.configs.watchdogs[port] = s.ownWatchdog()
		}
	} else {
		a.assign()
		a.device()
		for k := range a.ports {
			a.want = append(a.want, a.port(k))
		}
	}
	if len(a.wrong) > 0 {
		return a.wrong.Sorted()
	}
	var ports []fabric.PortProfile
	if a.want != nil {
		ports = a.settle()
	}
	if ports == nil && reflect.DeepEqual(a.f, base) {
		return nil
	}
	s.add(id, a.f, ports)
	return nil
}

// add gives a switch a profile of its own.
func (s *Set) add(id topo.NodeID, f scenario.Fabric, ports []fabric.PortProfile) {
	name := s.graph.Nodes[id].Name
	if s.of == nil {
		s.of = slices.Repeat([]int32{-1}, len(s.graph.Nodes))
	} else if s.of[id] >= 0 {
		name = s.names[s.of[id]] + ", " + name
	}
	s.of[id] = int32(len(s.profiles))
	s.profiles, s.names = append(s.profiles, f), append(s.names, name)
	s.ports = append(slices.Grow(s.ports, 1), make([][]fabric.PortProfile, len(s.profiles)-len(s.ports))...)
	s.ports[s.of[id]] = ports
}

func (a *applying) assume(format string, args ...any) {
	a.s.configs.assumed.add(a.s.graph.Nodes[a.id].Name, format, args...)
}

// refuse reports what a run cannot do, at the first of places that is known.
func (a *applying) refuse(k int, text string, places ...string) {
	name := a.in.Ports[a.ports[k]].Name.String()
	at := located.Problem{Column: 1, Message: name + ": " + text}
	for _, place := range append(places, "interface "+name, "hostname") {
		if p, known := a.parsed.Places[place]; known {
			at.File, at.Line = p.File, p.Line
			break
		}
	}
	if at.File == "" {
		at.File = a.parsed.Device.Name
	}
	a.wrong = append(a.wrong, at)
}

// profile is how a port treats classes; nil: nothing is said of it.
func (a *applying) profile(k int) *netconf.Profile {
	i := a.s.configs.ports[a.ports[k]]
	if i == nil {
		return nil
	}
	return a.parsed.Device.ProfileOf(i)
}

// most is the profile that most ports have, and a port that has it.
func (a *applying) most() (p *netconf.Profile, port int) {
	n := map[*netconf.Profile]int{}
	for k := range a.ports {
		if own := a.profile(k); own != nil {
			if n[own]++; p == nil || n[own] > n[p] {
				p, port = own, k
			}
		}
	}
	return p, port
}

// assign finds which traffic class each class of the run is. NICs write one DSCP for each. Where two are in one
// traffic class, so are they in the run: then data is the one that pauses, if there is one, and no frame is in it.
func (a *applying) assign() {
	main, at := a.most()
	if main == nil {
		main = &netconf.Profile{}
	}
	dscps := a.s.DSCPs()
	a.slots = [3]uint8{ClassData: main.Classify[dscps[ClassData]]}
	if len(dscps) > 1 {
		a.slots[ClassOther], a.slots[ClassCNP] = main.Classify[dscps[ClassOther]], main.Classify[dscps[ClassCNP]]
		if a.slots[ClassData] == a.slots[ClassOther] {
			a.slots[ClassData] = a.free(main, true, ClassOther, ClassCNP)
		}
		if a.slots[ClassCNP] == a.slots[ClassOther] || a.slots[ClassCNP] == a.slots[ClassData] {
			a.slots[ClassCNP] = a.free(main, false, ClassOther, ClassData)
		}
	}
	a.takes(main)
	a.name(main, at)
}

// takes says which DSCPs the switch takes for RoCE data and for CNPs, where they are not those that NICs write.
func (a *applying) takes(main *netconf.Profile) {
	dscps, q := a.s.DSCPs(), &a.f.QoS
	if len(dscps) == 1 {
		return
	}
	first := func(class uint8, usual int) int {
		all := main.DSCPs(a.slots[class])
		if len(all) == 0 || slices.Contains(all, int(dscps[class])) {
			return usual
		}
		return all[0]
	}
	q.DSCP, q.CNPDSCP = first(ClassData, q.DSCP), first(ClassCNP, q.CNPDSCP)
}

// free is a traffic class that none of some classes is, one that pauses if there is one and it is wanted.
func (a *applying) free(p *netconf.Profile, pauses bool, others ...uint8) uint8 {
	taken := func(tc uint8) bool {
		return slices.ContainsFunc(others, func(c uint8) bool { return a.slots[c] == tc })
	}
	for i := range p.Classes {
		if c := &p.Classes[i]; pauses && c.Pause != nil && !taken(c.TC) {
			return c.TC
		}
	}
	for tc := uint8(netconf.Classes - 1); ; tc-- {
		if !taken(tc) {
			return tc
		}
	}
}

// name gives classes the priorities that PFC frames have for them: those that pause what they say, the others the
// number of the traffic class, if it is free.
func (a *applying) name(main *netconf.Profile, at int) {
	taken := uint8(0)
	nc := len(a.s.DSCPs())
	for c := range nc {
		if of := main.Class(a.slots[c]); of != nil && of.Pause != nil {
			if a.prio[c] = of.Pause.Priority; taken&(1<<a.prio[c]) != 0 {
				a.refuse(at, fmt.Sprintf("two traffic classes pause priority %d, want one: a run tells them apart by it", a.prio[c]))
			}
			taken |= 1 << a.prio[c]
		}
	}
	for c := range nc {
		if of := main.Class(a.slots[c]); of != nil && of.Pause != nil {
			continue
		}
		if a.prio[c] = a.slots[c]; taken&(1<<a.prio[c]) != 0 {
			a.prio[c] = uint8(bits.TrailingZeros8(^taken))
		}
		taken |= 1 << a.prio[c]
	}
	q := &a.f.QoS
	q.DataPriority = int(a.prio[ClassData])
	if nc > 1 {
		q.OtherPriority, q.CNPPriority = int(a.prio[ClassOther]), int(a.prio[ClassCNP])
	}
}

// device takes what is said of the switch as a whole.
func (a *applying) device() {
	d := a.parsed.Device
	if size := d.QoS.Pools.Size; size > 0 {
		a.f.Switch.Buffer = size
	} else {
		a.assume("size of the packet buffer: %v", a.f.Switch.Buffer)
	}
	a.assume("latency of the pipeline: %v", a.f.Switch.Latency)
	dog := a.watchdog()
	for _, port := range a.ports {
		i := a.s.configs.ports[port]
		if i != nil && i.QoS != nil && i.QoS.Watchdog {
			a.s.configs.watchdogs[port] = dog
		}
		if i == nil {
			continue
		}
		if frame, _ := a.parsed.Frame(i); frame > 0 && frame < a.s.configs.largest {
			a.s.short = append(a.s.short, fabric.Setting{Port: port, MTU: frame})
		}
	}
}

// usualDetect is after how long a watchdog acts where neither its configuration nor the scenario says: SONiC's and
// Junos' default.
const usualDetect = 200 * unit.Millisecond

// watchdog is that of the switch; nil: it has none, or one that does nothing.
func (a *applying) watchdog() *fabric.Watchdog {
	w := a.parsed.Device.QoS.Watchdog
	if !w.On {
		return nil
	}
	own := a.f.QoS.PFC.Watchdog
	dog := &fabric.Watchdog{Detect: w.Detect, Restore: w.Restore, Forward: w.Action == "forward"}
	if w.Detect == 0 {
		dog.Detect = own.Detect.Or(usualDetect)
		a.assume("the PFC watchdog acts after %v", dog.Detect)
	}
	if w.Restore == 0 {
		dog.Restore = own.Restore
		a.assume("the PFC watchdog gives back after %v", dog.Restore)
	}
	if w.Action != "" && w.Action != "drop" && w.Action != "forward" {
		a.assume("the PFC watchdog's action is %s: it does nothing", w.Action)
		return nil
	}
	return dog
}

// port is what a port is to do.
func (a *applying) port(k int) (w wanted) {
	own := a.profile(k)
	operational := a.s.configs.priority[a.ports[k]]
	dscps := a.s.DSCPs()
	names := a.s.Profile(&a.f).Classes
	var of [64]uint8
	for d := range of {
		of[d] = ClassOther
	}
	for c := range dscps {
		cl := fabric.Class{Name: names[c].Name, Priority: a.prio[c], Weight: 1}
		if own != nil {
			if of := own.Class(a.slots[c]); of != nil {
				a.class(k, own, of, &cl, &w)
				cl.Lossless = of.Pause != nil && operational&(1<<of.Pause.Priority) != 0
			}
			a.classify(k, own, dscps[c], &of)
		}
		if operational&(1<<a.prio[c]) == 0 && a.s.sendsPauses(a.s.graph.Peer(a.ports[k]))&(1<<a.prio[c]) != 0 {
			w.deaf |= 1 << c
		}
		w.classes = append(w.classes, cl)
	}
	if len(dscps) > 1 {
		w.classOf = &of
	}
	return w
}

// sendsPauses are the priorities that a port may pause, a bit each. A host knows those of the scenario.
func (s *Set) sendsPauses(port topo.PortID) uint8 {
	if s.configs.of[s.graph.Ports[port].Node] == nil {
		return 1 << s.scenario.Fabric.QoS.DataPriority
	}
	return s.configs.priority[port]
}

// classify puts a DSCP into the class of the run whose traffic class it has.
func (a *applying) classify(k int, own *netconf.Profile, dscp uint8, of *[64]uint8) {
	tc := own.Classify[dscp]
	for c := range a.s.DSCPs() {
		if a.slots[c] == tc {
			of[dscp] = uint8(c)
			return
		}
	}
	if len(a.s.DSCPs()) > 1 {
		a.refuse(k, fmt.Sprintf("DSCP %d is in traffic class %d, and in another at most ports: a run has three classes for a switch",
			dscp, tc), fmt.Sprintf("interface %s dscp %d", a.in.Ports[a.ports[k]].Name, dscp))
	}
}

// class takes what a port does with a traffic class.
func (a *applying) class(k int, own *netconf.Profile, of *netconf.Class, cl *fabric.Class, w *wanted) {
	name := a.in.Ports[a.ports[k]].Name.String()
	place := func(what string) string { return fmt.Sprintf("interface %s tc %d %s", name, of.TC, what) }
	if cl.Strict = of.Strict; !of.Strict && of.Share > 0 {
		cl.Weight = of.Share
	} else if !of.Strict && len(own.DSCPs(of.TC)) > 0 {
		a.assume("queues without a share have the least: traffic class %d", of.TC)
	}
	for i := range own.Classes {
		other := &own.Classes[i]
		if other.TC != of.TC && other.Queue == of.Queue && slices.Contains(a.slots[:len(a.s.DSCPs())], other.TC) &&
			len(own.DSCPs(other.TC)) > 0 && len(own.DSCPs(of.TC)) > 0 {
			a.refuse(k, fmt.Sprintf("traffic classes %d and %d share queue %d: a run has a queue for each", of.TC, other.TC, of.Queue),
				place("queue"))
		}
	}
	if of.ECN != nil {
		cl.ECN = a.curve(of.ECN)
	}
	if of.Pause == nil {
		return
	}
	b := of.Pause.Buffer
	if b == nil {
		a.assume("xOFF, xON and headroom: as the scenario says")
		return
	}
	x := qos.XOFF{Fixed: int64(b.XOFF)}
	if b.XOFF == 0 {
		x.Alpha = qos.Bounded(b.Alpha).Lowest()
	}
	headroom := b.Headroom
	if w.xoff != nil && (*w.xoff != x || *w.headroom != headroom) {
		a.refuse(k, "two classes that pause have other thresholds: a run has one for the port", place("pause"))
	}
	w.xoff, w.headroom = &x, &headroom
	a.common(k, &a.f.Switch.Reserve, b.Reserve, "reserve", place("pause"))
	a.common(k, &a.f.QoS.PFC.ResumeOffset, b.Resume, "xON", place("pause"))
}

// common takes a value that a switch has one of.
func (a *applying) common(k int, value *unit.Bytes, own unit.Bytes, what, place string) {
	first := a.firstPausing()
	if k == first {
		*value = own
	} else if own != *value {
		a.refuse(k, fmt.Sprintf("%s %v, and %v at %s: a run has one for the switch", what, own, *value,
			a.in.Ports[a.ports[first]].Name), place)
	}
}

// firstPausing is the first port whose configuration has thresholds of PFC.
func (a *applying) firstPausing() int {
	return slices.IndexFunc(a.ports, func(port topo.PortID) bool {
		i := a.s.configs.ports[port]
		if i == nil {
			return false
		}
		own := a.parsed.Device.ProfileOf(i)
		return own != nil && slices.ContainsFunc(own.Classes, func(c netconf.Class) bool {
			return c.Buffer() != nil && slices.Contains(a.slots[:len(a.s.DSCPs())], c.TC)
		})
	})
}

// curve is a marking curve; nil: nothing marks.
func (a *applying) curve(e *netconf.ECN) *qos.ECN {
	if e.Drops {
		a.assume("a WRED profile that drops, because ecn is missing: the run neither marks nor drops by it")
		return nil
	}
	low, high := e.Min, e.Max
	if e.MaxFill > 0 {
		part := a.parsed.Device.QoS.Pools.LosslessPart
		if part == 0 {
			part = 100
		}
		queue := a.f.Switch.Buffer * unit.Bytes(part) / 100
		low, high = queue*unit.Bytes(e.MinFill)/100, queue*unit.Bytes(e.MaxFill)/100
		a.assume("100 %% of a queue is %v", queue)
	}
	return qos.Curve(low, high, unit.Ratio{Num: int64(e.Probability), Den: 100}, a.f.QoS.ECN.When == "dequeue")
}
