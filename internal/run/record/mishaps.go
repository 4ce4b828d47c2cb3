package record

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/faults"
)

// explains says which kinds of blame a kind of fault may be behind.
var explains = map[string][]diagnose.Kind{
	"drop":       {diagnose.LossyLink, diagnose.Timeouts},
	"duplicate":  {diagnose.LossyLink, diagnose.SharedPort},
	"reorder":    {diagnose.LossyLink, diagnose.Reordering, diagnose.NoRoom},
	"bit_errors": {diagnose.LossyLink, diagnose.Timeouts},
	"down": {diagnose.LossyLink, diagnose.NoRoute, diagnose.Deadlock, diagnose.Watchdog, diagnose.Timeouts,
		diagnose.UnevenChoice},
	"storm":  {diagnose.Storm, diagnose.Watchdog},
	"speed":  {diagnose.SlowPort, diagnose.SharedPort, diagnose.Controller, diagnose.LinkSpeed},
	"config": {diagnose.Pauses, diagnose.SlowPort, diagnose.FullBuffer, diagnose.LossyLink, diagnose.Controller, diagnose.Timeouts},
	"leak":   {diagnose.Pauses, diagnose.SlowPort, diagnose.FullBuffer, diagnose.Controller},
	"pcie":   {diagnose.PCIe, diagnose.Receiver, diagnose.Watchdog},
	"staged": {diagnose.PCIe, diagnose.Receiver, diagnose.Watchdog},
	"hang":   {diagnose.SlowRank, diagnose.Dependency},
	"slow":   {diagnose.SlowRank},
}

// spread are the kinds of blame whose fault may be anywhere: a way is gone wherever one of its links is, and pauses spread.
var spread = []diagnose.Kind{diagnose.NoRoute, diagnose.Deadlock, diagnose.Watchdog}

// nameFaults notes which of the scenario's faults may be behind each blame: those that can bring about such a blame,
// on the thing that it names.
func (j *Job) nameFaults(d *diagnose.Diagnosis) {
	for k := range d.Blames {
		nameFaultsOf(j, &d.Blames[k], d.Odd)
	}
	d.NameFaults()
}

// nameFaultsOf is nameFaults of one blame; odd reports whether a setting that differs from the others' may be behind it.
func nameFaultsOf(j *Job, b *diagnose.Blame, odd func(*diagnose.Blame) bool) {
	for i := range j.r.plan.Scenario.Faults {
		f := &j.r.plan.Scenario.Faults[i]
		var kinds []diagnose.Kind
		for _, kind := range f.Kinds() {
			kinds = append(kinds, explains[kind]...)
		}
		if (slices.Contains(kinds, b.Kind) || slices.Contains(f.Kinds(), "config") && odd(b)) && j.concerns(i, b) {
			b.Faults = append(b.Faults, fmt.Sprintf("faults[%d]", i))
		}
	}
}

// concerns reports whether what a blame names is what an entry of faults happens to. A blame that names nothing may be about
// any thing.
func (j *Job) concerns(entry int, b *diagnose.Blame) bool {
	p := j.r.plan
	m := &p.Faults.Entries[entry]
	if host, link, ok := clue.Inside(p, b.Port); ok {
		return clue.Slows(p, entry, link) && slices.Contains(m.Hosts, host)
	}
	if b.Kind == diagnose.PCIe && j.r.plan.PCIe.Graph == nil { // of hosts that are alike, where it has no place
		host, _ := strings.CutSuffix(b.Port, diagnose.PCIeOfHost)
		return slices.ContainsFunc(m.Hosts, func(h int32) bool { return p.Graph.Hosts[h].Name == host })
	}
	switch {
	case b.Rank != nil:
		at := j.plan.Placement.Ranks[*b.Rank]
		return slices.Contains(m.GPUs, faults.GPU{Host: at.Host, GPU: at.GPU}) || slices.Contains(m.Hosts, at.Host)
	case b.Port == "" && b.Kind == diagnose.LinkSpeed: // of links that are alike
		return false
	case b.Port == "" || slices.Contains(spread, b.Kind):
		return true
	}
	id := topo.PortID(slices.IndexFunc(p.Graph.Ports, func(x topo.Port) bool { return x.Name == b.Port }))
	if id < 0 {
		return false
	}
	if b.Kind == diagnose.UnevenChoice { // the others have the traffic of a link that is down
		x := j.r.ways.choice(int32(id))
		return slices.ContainsFunc(x.Cut, func(q int32) bool { return slices.Contains(m.Links, p.Graph.Ports[q].Link) })
	}
	return slices.Contains(m.Links, p.Graph.Ports[id].Link) || slices.ContainsFunc(m.Ports, func(x topo.PortID) bool {
		return x == id^1 || p.Graph.Ports[x].Node == p.Graph.Ports[id].Node // what comes in there waits at others
	})
}
