package scenario

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Fault is something that goes wrong with one thing, or with all that a pattern names, at a time and for a while. Of
// Link, Port, Switch, Host and GPU one is set.
type Fault struct {
	Link   Opt[string] // node/peer, node/peer#k with parallel links; a pattern; or all
	Port   Opt[string] // of the first node of node/peer; a pattern
	Switch Opt[string] // a name or a pattern
	Host   Opt[string] // likewise
	GPU    Opt[string] // host1/gpu0; likewise

	At    unit.Duration
	For   Opt[unit.Duration] // not set: for ever
	Count int                // so many times
	Every unit.Duration      // from one beginning to the next; 0 when Count is 1

	Drop      unit.Ratio
	Duplicate unit.Ratio
	Reorder   unit.Ratio
	BitErrors unit.Ratio // per bit
	PFC       bool       // Drop and BitErrors hit PFC frames too

	Down Opt[unit.Duration] // the link, or all links of the node, carry nothing for so long
	// Convergence is how long after a link goes down or up the switches' routes follow; not set: they never do.
	Convergence Opt[unit.Duration]
	Storm       Opt[unit.Duration] // an end of the link sends pause frames for so long
	Sender      Opt[string]        // of the storm: a node; not set: the host of the link
	Speed       Opt[unit.Bitrate]  // of both directions of the link
	Config      PortConfig
	Leak        Opt[unit.Bytes]   // of the switch's shared buffer
	PCIe        Opt[unit.Bitrate] // of each NIC of the host
	PCIeLink    Opt[string]       // of this link of the host's graph instead
	Staged      bool              // the host has no peer memory: what NICs carry crosses PCIe twice
	Hang        Opt[unit.Duration]
	Slow        Opt[unit.Ratio] // kernels of the GPU take times as long
}

// PortConfig is what a port is configured otherwise than its switch.
type PortConfig struct {
	Forgotten bool // nothing is configured: no ECN, no PFC, no DSCP is RoCE data
	ECN       Opt[bool]
	Min, Max  Opt[unit.Bytes] // of marking
	PFC       Opt[bool]
	XOFF      Opt[unit.Bytes]
	MTU       Opt[unit.Bytes]
	DSCP      Opt[int] // that is RoCE data
}

// set reports whether it says anything.
func (c *PortConfig) set() bool { return *c != PortConfig{} }

// Random reports whether the fault draws frames to hit.
func (f *Fault) Random() bool {
	return f.Drop.Num > 0 || f.Duplicate.Num > 0 || f.Reorder.Num > 0 || f.BitErrors.Num > 0
}

// DrawsLosses reports whether chance decides what faults of the scenario do: with another seed other frames are lost, or come
// twice or late.
func (s *Scenario) DrawsLosses() bool {
	certain := func(r unit.Ratio) bool { return r.Num <= 0 || r.Num >= r.Den }
	return slices.ContainsFunc(s.Faults, func(f Fault) bool {
		return !certain(f.Drop) || !certain(f.Duplicate) || !certain(f.Reorder) || f.BitErrors.Num > 0
	})
}

// A FaultKind is one thing that an entry of faults may do.
type FaultKind struct {
	Key   string
	On    []string // the keys that may say what it happens to
	Lasts bool     // for so long as faults[].for says; else its value says it
	asked func(*Fault) bool
	long  func(*Fault) unit.Duration // how long it lasts by its own value, if not Lasts
}

// The keys that say what a fault happens to.
const (
	OnLink, OnPort, OnSwitch, OnHost, OnGPU = "link", "port", "switch", "host", "gpu"
)

// FaultKinds is every kind of fault.
var FaultKinds = []FaultKind{
	{Key: "drop", On: []string{OnLink}, Lasts: true, asked: func(f *Fault) bool { return f.Drop.Num > 0 }},
	{Key: "duplicate", On: []string{OnLink}, Lasts: true, asked: func(f *Fault) bool { return f.Duplicate.Num > 0 }},
	{Key: "reorder", On: []string{OnLink}, Lasts: true, asked: func(f *Fault) bool { return f.Reorder.Num > 0 }},
	{Key: "bit_errors", On: []string{OnLink}, Lasts: true, asked: func(f *Fault) bool { return f.BitErrors.Num > 0 }},
	{Key: "down", On: []string{OnLink, OnSwitch, OnHost}, asked: func(f *Fault) bool { return f.Down.Set },
		long: func(f *Fault) unit.Duration { return f.Down.Value }},
	{Key: "storm", On: []string{OnLink}, asked: func(f *Fault) bool { return f.Storm.Set },
		long: func(f *Fault) unit.Duration { return f.Storm.Value }},
	{Key: "speed", On: []string{OnLink}, Lasts: true, asked: func(f *Fault) bool { return f.Speed.Set }},
	{Key: "config", On: []string{OnPort}, Lasts: true, asked: func(f *Fault) bool { return f.Config.set() }},
	{Key: "leak", On: []string{OnSwitch}, Lasts: true, asked: func(f *Fault) bool { return f.Leak.Set }},
	{Key: "pcie", On: []string{OnHost}, Lasts: true, asked: func(f *Fault) bool { return f.PCIe.Set }},
	{Key: "staged", On: []string{OnHost}, Lasts: true, asked: func(f *Fault) bool { return f.Staged }},
	{Key: "hang", On: []string{OnHost, OnGPU}, asked: func(f *Fault) bool { return f.Hang.Set },
		long: func(f *Fault) unit.Duration { return f.Hang.Value }},
	{Key: "slow", On: []string{OnGPU}, Lasts: true, asked: func(f *Fault) bool { return f.Slow.Set }},
}

// things are the keys that say what a fault happens to, and where their values are.
func (f *Fault) things() (keys []string, values []string) {
	for _, t := range []struct {
		key string
		v   Opt[string]
	}{{OnLink, f.Link}, {OnPort, f.Port}, {OnSwitch, f.Switch}, {OnHost, f.Host}, {OnGPU, f.GPU}} {
		if t.v.Set {
			keys, values = append(keys, t.key), append(values, t.v.Value)
		}
	}
	return keys, values
}

// Thing is what the fault happens to: the key that says it, and its value.
func (f *Fault) Thing() (key, name string) {
	keys, values := f.things()
	if len(keys) == 0 { // of a scenario with problems
		return "", ""
	}
	return keys[0], values[0]
}

// Kinds returns the keys of what the fault does.
func (f *Fault) Kinds() (keys []string) {
	for i := range FaultKinds {
		if FaultKinds[i].asked(f) {
			keys = append(keys, FaultKinds[i].Key)
		}
	}
	return keys
}

// Begins returns when the fault begins, each time.
func (f *Fault) Begins() (at []unit.Time) {
	for i := range unit.Duration(f.Count) {
		at = append(at, unit.Time(f.At+i*f.Every))
	}
	return at
}

// During reports whether the fault is there at some time of those given, both included.
func (f *Fault) During(from, until unit.Time) bool {
	for _, begin := range f.Begins() {
		for i := range FaultKinds {
			if k := &FaultKinds[i]; k.asked(f) && begin <= until && k.end(f, begin) >= from {
				return true
			}
		}
	}
	return false
}

// LastTurn is the last instant at which the fault begins or ends. What lasts for ever has begun by then.
func (f *Fault) LastTurn() (at unit.Time) {
	for _, begin := range f.Begins() {
		for i := range FaultKinds {
			if k := &FaultKinds[i]; k.asked(f) {
				if at = max(at, begin); k.end(f, begin) < unit.Never {
					at = max(at, k.end(f, begin))
				}
			}
		}
	}
	return at
}

// end is when a fault of the kind that begins at a time is over.
func (k *FaultKind) end(f *Fault, begin unit.Time) unit.Time {
	switch {
	case !k.Lasts:
		return begin.Add(k.long(f))
	case f.For.Set:
		return begin.Add(f.For.Value)
	}
	return unit.Never
}

// checkFaults reports faults that do nothing, or that a thing cannot have.
func (d *decoder) checkFaults(s *Scenario) {
	for i := range s.Faults {
		path := fmt.Sprintf("faults[%d]", i)
		if !d.clean(path, faultFields) {
			continue
		}
		if f := &s.Faults[i]; d.checkThing(path, f) {
			d.checkFault(path, f, s)
		}
	}
}

// checkThing reports a fault that does not say what it happens to, or does what that cannot have.
func (d *decoder) checkThing(path string, f *Fault) bool {
	keys, values := f.things()
	switch {
	case len(keys) == 0:
		d.problem(path, "of nothing, want link, port, switch, host or gpu as well", "")
		return false
	case len(keys) > 1:
		d.problem(path+"."+keys[1], fmt.Sprintf("%s: both %s and %s, want one of them", values[1], keys[0], keys[1]), "")
		return false
	}
	kinds, fit := 0, []string{}
	for _, k := range FaultKinds {
		fits := slices.Contains(k.On, keys[0])
		if fits {
			fit = append(fit, k.Key)
		}
		if !k.asked(f) {
			continue
		}
		if kinds++; !fits {
			d.problem(path+"."+k.Key, fmt.Sprintf("has no meaning for a %s, want it with %s", keys[0], located.OneOf(k.On)), "")
			return false
		}
	}
	if kinds == 0 {
		d.problem(path, "does nothing, want "+located.OneOf(fit)+" as well", "")
	}
	return kinds > 0
}

// checkFault reports keys that have no effect, and times that cannot be.
func (d *decoder) checkFault(path string, f *Fault, s *Scenario) {
	lasts, longest := false, unit.Duration(0)
	for _, k := range FaultKinds {
		switch {
		case !k.asked(f):
		case k.Lasts:
			lasts = true
			longest = max(longest, f.For.Value)
		default:
			longest = max(longest, k.long(f))
		}
	}
	pattern := f.Link.Set && (f.Link.Value == "all" || strings.ContainsAny(f.Link.Value, "*?"))
	switch {
	case f.For.Set && !lasts:
		d.problem(path+".for", fmt.Sprintf("%s: has no effect, what happens here says itself how long it lasts", f.For.Value), "")
	case f.Count > 1 && f.Every == 0:
		d.problem(path+".count", fmt.Sprintf("%d: want every as well", f.Count), "")
	case f.Count == 1 && f.Every > 0:
		d.problem(path+".every", fmt.Sprintf("%s: has no effect without count", f.Every), "")
	case f.Count > 1 && lasts && !f.For.Set:
		d.problem(path+".count", fmt.Sprintf("%d: the first time lasts for ever, want for as well", f.Count), "")
	case f.Count > 1 && f.Every <= longest:
		d.problem(path+".every", fmt.Sprintf("%s: no longer than it lasts, %s", f.Every, longest), "")
	case !f.Down.Set && f.Convergence != (Opt[unit.Duration]{Set: true, Value: s.Fabric.Routing.Convergence()}):
		d.problem(path+".convergence", "has no effect without down", "")
	case f.PFC && f.Drop.Num == 0 && f.BitErrors.Num == 0:
		d.problem(path+".pfc", "true: has no effect without drop or bit_errors", "")
	case f.Sender.Set && !f.Storm.Set:
		d.problem(path+".sender", f.Sender.Value+": has no effect without storm", "")
	case f.PCIeLink.Set && !f.PCIe.Set:
		d.problem(path+".pcie_link", f.PCIeLink.Value+": has no effect without pcie", "")
	case f.Storm.Set && pattern:
		d.problem(path+".link", f.Link.Value+": a storm comes from one port, want a link such as host3/rail1", "")
	case f.Storm.Set && !s.Fabric.QoS.PFC.Enabled:
		d.problem(path+".storm", "fabric.qos.pfc.enabled is false: nobody listens to pause frames", "")
	default:
		d.checkConfig(path+".config.", &f.Config, &s.Fabric.QoS)
	}
}

// checkConfig reports what a port cannot be configured to, or what changes nothing.
func (d *decoder) checkConfig(path string, c *PortConfig, q *QoS) {
	switch {
	case c.Forgotten && (c.ECN.Set || c.PFC.Set || c.DSCP.Set || c.Min.Set || c.Max.Set || c.XOFF.Set):
		d.problem(path+"forgotten", "true: nothing else is configured on such a port but its mtu", "")
	case c.ECN.Set && !c.ECN.Value && (c.Min.Set || c.Max.Set):
		d.problem(path+"ecn", "false: min and max have no effect then", "")
	case (c.Min.Set || c.Max.Set) && !q.ECN.Enabled:
		d.problem(path+"min", "has no effect: fabric.qos.ecn.enabled is false", "")
	case c.Min.Set && c.Max.Set && c.Min.Value > c.Max.Value:
		d.problem(path+"min", fmt.Sprintf("%s: above max, %s", c.Min.Value, c.Max.Value), "")
	case c.PFC.Set && !c.PFC.Value && c.XOFF.Set:
		d.problem(path+"xoff", "has no effect: pfc is false", "")
	case c.ECN.Set && c.ECN.Value || c.PFC.Set && c.PFC.Value:
		key := "ecn"
		if c.PFC.Set && c.PFC.Value {
			key = "pfc"
		}
		d.problem(path+key, "true: is what the switch has, want false or nothing", "")
	}
}
