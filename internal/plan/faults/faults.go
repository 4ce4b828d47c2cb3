package faults

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
)

// Set is what the faults of a scenario come to.
type Set struct {
	Fabric  *fabric.Faults // nil: nothing goes wrong with links and switches
	GPUs    []OfGPU
	Hosts   []OfHost
	Entries []Entry // what each entry of faults happens to

	net     *topo.Graph
	outages []outage
	last    unit.Time // at which an entry begins or ends
}

// Entry is what an entry of faults happens to.
type Entry struct {
	Links []topo.LinkID // all links of a switch or host that is down
	Ports []topo.PortID
	Hosts []int32
	GPUs  []GPU
}

// GPU is a GPU of a host.
type GPU struct{ Host, GPU int32 }

// OfGPU says that kernels of a GPU take times as long for a while.
type OfGPU struct {
	GPU
	fabric.While
	Factor unit.Ratio // Num 0: it stands still
}

// OfHost says that a host hangs for a while, or that the PCIe of its NICs is slower.
type OfHost struct {
	Host int32
	fabric.While
	Hangs  bool
	PCIe   unit.Bitrate // 0: as always
	Staged bool         // what NICs carry crosses PCIe twice
	Named  bool         // it is that of Link alone
	Link   int32        // of the hosts' graph
}

// Network is what faults happen to.
type Network struct {
	Scenario *scenario.Scenario
	Graph    *topo.Graph
	Names    *topo.Names
	Switches *switches.Set
	PCIe     *pcie.Graph // nil: a link for each card
}

// maker is a Set in the making.
type maker struct {
	Network
	out *Set
	fab fabric.Faults
	of  map[topo.LinkID][]int // which entries give a link its chances
}

// doers say what each kind of fault comes to, for each time it happens.
var doers = map[string]func(m *maker, f *scenario.Fault, i int, from unit.Time) error{
	"drop": random, "duplicate": random, "reorder": random, "bit_errors": random,
	"down": (*maker).down, "storm": (*maker).storm, "speed": (*maker).speed, "config": (*maker).config,
	"leak": (*maker).leak, "pcie": (*maker).pcie, "staged": (*maker).staged, "hang": (*maker).hang, "slow": (*maker).slow,
}

// New translates the faults of a network's scenario.
func New(n Network) (*Set, error) {
	m := maker{Network: n, out: &Set{net: n.Graph}, of: map[topo.LinkID][]int{}}
	var err error
	if m.out.Entries, err = n.happensTo(); err != nil {
		return m.out, err
	}
	for i := range n.Scenario.Faults {
		f := &n.Scenario.Faults[i]
		m.out.last = max(m.out.last, f.LastTurn())
		if f.Random() {
			for _, l := range m.out.Entries[i].Links {
				m.of[l] = append(m.of[l], i)
			}
		}
		for _, kind := range f.Kinds() {
			for _, from := range f.Begins() {
				if err := doers[kind](&m, f, i, from); err != nil {
					return m.out, err
				}
			}
		}
	}
	return m.out, m.finish()
}

// happensTo finds what each fault names.
func (n Network) happensTo() (all []Entry, err error) {
	var wrong located.Problems
	for i := range n.Scenario.Faults {
		f := &n.Scenario.Faults[i]
		e, err := n.entry(f)
		if err != nil {
			key, _ := f.Thing()
			wrong = append(wrong, n.Scenario.Wrong(fmt.Sprintf("faults[%d].%s", i, key), "%v", err))
		}
		all = append(all, e)
	}
	return all, wrong.Err()
}

// CheckNames looks up the names of faults that have one.
func (n Network) CheckNames() error {
	_, err := n.happensTo()
	return err
}

// entry finds what an entry happens to.
func (n Network) entry(f *scenario.Fault) (e Entry, err error) {
	key, name := f.Thing()
	switch key {
	case scenario.OnLink:
		e.Links, err = n.Names.Links(name)
	case scenario.OnPort:
		e.Ports, err = n.portsNamed(name)
	case scenario.OnSwitch, scenario.OnHost:
		err = n.nodesNamed(name, key == scenario.OnHost, &e)
	case scenario.OnGPU:
		for h, host := range n.Graph.Hosts {
			for g := range host.GPUs {
				if ok, _ := path.Match(name, fmt.Sprintf("%s/gpu%d", host.Name, g)); ok {
					e.GPUs = append(e.GPUs, GPU{int32(h), int32(g)})
				}
			}
		}
		if len(e.GPUs) == 0 {
			err = fmt.Errorf("%q matches no GPU, want one such as %s/gpu0", name, n.Graph.Hosts[0].Name)
		}
	}
	return e, err
}

// portsNamed finds ports of switches: the first name of each is the switch.
func (n Network) portsNamed(name string) (all []topo.PortID, err error) {
	if !topo.IsPattern(name) {
		if _, err := n.Names.Port(name); err != nil {
			return nil, err
		}
	}
	for id, port := range n.Graph.Ports {
		if ok, _ := path.Match(name, port.Name); ok && n.Graph.Nodes[port.Node].Kind != topo.HostKind {
			all = append(all, topo.PortID(id))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q is no port of a switch, want switch/peer such as %s", name, n.aSwitchPort())
	}
	return all, nil
}

// aSwitchPort is the name of a port of a switch, for errors.
func (n Network) aSwitchPort() string {
	i := slices.IndexFunc(n.Graph.Ports, func(x topo.Port) bool { return n.Graph.Nodes[x.Node].Kind != topo.HostKind })
	return n.Graph.Ports[i].Name
}

// nodesNamed finds hosts or switches with their links.
func (n Network) nodesNamed(name string, hosts bool, e *Entry) error {
	found := false
	for id, node := range n.Graph.Nodes {
		if ok, _ := path.Match(name, node.Name); !ok || hosts != (node.Kind == topo.HostKind) {
			continue
		}
		found = true
		if hosts {
			h := slices.IndexFunc(n.Graph.Hosts, func(h topo.Host) bool { return h.Node == topo.NodeID(id) })
			e.Hosts = append(e.Hosts, int32(h))
		}
		for _, port := range node.Ports {
			if l := n.Graph.Ports[port].Link; !slices.Contains(e.Links, l) {
				e.Links = append(e.Links, l)
			}
		}
	}
	switch {
	case found:
		return nil
	case hosts:
		return fmt.Errorf("%q matches no host, want one such as %s", name, n.Graph.Hosts[0].Name)
	}
	return fmt.Errorf("%q matches no switch, want one of %s", name, switches.Names(n.Graph))
}

// lasting is when a fault is there that begins at a time.
func lasting(f *scenario.Fault, from unit.Time) fabric.While {
	if !f.For.Set {
		return fabric.While{From: from}
	}
	return fabric.While{From: from, Until: from.Add(f.For.Value)}
}

// random is of links, which draw: see finish.
func random(*maker, *scenario.Fault, int, unit.Time) error { return nil }

func (m *maker) down(f *scenario.Fault, i int, from unit.Time) error {
	until := from.Add(f.Down.Value)
	for _, l := range m.out.Entries[i].Links {
		m.fab.Downs = append(m.fab.Downs, fabric.Down{Link: l, From: from, Until: until})
		if c := m.noticed(f, l); c.Set && f.Down.Value > c.Value {
			m.out.outages = append(m.out.outages, outage{l, from.Add(c.Value), until.Add(c.Value)})
		}
	}
	if f.Switch.Set {
		for id, n := range m.Graph.Nodes {
			if ok, _ := path.Match(f.Switch.Value, n.Name); ok && n.Kind != topo.HostKind {
				m.fab.Reboots = append(m.fab.Reboots, fabric.Reboot{Switch: topo.NodeID(id), At: from})
			}
		}
	}
	return nil
}

func (m *maker) storm(f *scenario.Fault, i int, from unit.Time) error {
	port, err := m.stormsFrom(f, i)
	if err != nil {
		return err
	}
	s := fabric.Storm{Port: port, Class: switches.ClassData, From: from, Until: from.Add(f.Storm.Value)}
	for _, o := range m.fab.Storms {
		if o.Port == port && s.From < o.Until && o.From < s.Until {
			return m.Scenario.Refused(fmt.Sprintf("faults[%d].storm", i), "a second storm by %s at the same time",
				m.Graph.Ports[port].Name)
		}
	}
	m.fab.Storms = append(m.fab.Storms, s)
	return nil
}

// stormsFrom is the port by which the pause frames of a storm leave.
func (m *maker) stormsFrom(f *scenario.Fault, i int) (topo.PortID, error) {
	g, links := m.Graph, m.out.Entries[i].Links
	for _, id := range []topo.PortID{topo.PortID(2 * links[0]), topo.PortID(2*links[0] + 1)} {
		n := &g.Nodes[g.Ports[id].Node]
		if len(links) == 1 && (f.Sender.Set && n.Name == f.Sender.Value || !f.Sender.Set && n.Kind == topo.HostKind) {
			return id, nil
		}
	}
	if f.Sender.Set {
		return 0, m.Scenario.Refused(fmt.Sprintf("faults[%d].sender", i), "%s: is no end of %s", f.Sender.Value, f.Link.Value)
	}
	return 0, m.Scenario.Refused(fmt.Sprintf("faults[%d].link", i),
		"%s: no link of a host, want one, or sender as well: which end sends pause frames", f.Link.Value)
}

func (m *maker) speed(f *scenario.Fault, i int, from unit.Time) error {
	for _, l := range m.out.Entries[i].Links {
		for _, id := range []topo.PortID{topo.PortID(2 * l), topo.PortID(2*l + 1)} {
			if full := m.Graph.Ports[id].Rate; f.Speed.Value >= full {
				return m.Scenario.Refused(fmt.Sprintf("faults[%d].speed", i), "%s: no slower than %s is, %s", f.Speed.Value,
					m.Graph.Ports[id].Name, full)
			}
			m.fab.Settings = append(m.fab.Settings, fabric.Setting{Port: id, While: lasting(f, from), Rate: f.Speed.Value})
		}
	}
	return nil
}

func (m *maker) config(f *scenario.Fault, i int, from unit.Time) error {
	c := &f.Config
	for _, id := range m.out.Entries[i].Ports {
		q := m.Switches.FabricAt(m.Graph.Ports[id].Node).QoS
		s := fabric.Setting{Port: id, While: lasting(f, from), MTU: c.MTU.Or(0), XOFF: c.XOFF.Or(0),
			NoECN: c.Forgotten || c.ECN.Set, NoPFC: c.Forgotten || c.PFC.Set}
		if c.Min.Set || c.Max.Set {
			curve := q.ECN.Curve()
			if c.Min.Set {
				curve.Min = qos.Length{Bytes: c.Min.Value}
			}
			if c.Max.Set {
				curve.Max = qos.Length{Bytes: c.Max.Value}
			}
			rate := m.Graph.Ports[id].Rate
			if at := curve.At(rate); at.Min > at.Max {
				return m.Scenario.Refused(fmt.Sprintf("faults[%d].config", i), "min %s is above max %s of %s", at.Min, at.Max,
					m.Graph.Ports[id].Name)
			}
			s.ECN = &curve
		}
		if (c.Forgotten || c.DSCP.Set) && m.Switches.Classes() > 1 {
			s.ClassOf = switches.ClassOf(q.CNPDSCP, c.DSCP.Or(-1))
			if c.Forgotten {
				s.ClassOf = switches.ClassOf(-1, -1)
			}
		}
		m.fab.Settings = append(m.fab.Settings, s)
	}
	return nil
}

func (m *maker) leak(f *scenario.Fault, i int, from unit.Time) error {
	for id, n := range m.Graph.Nodes {
		if ok, _ := path.Match(f.Switch.Value, n.Name); ok && n.Kind != topo.HostKind {
			m.fab.Leaks = append(m.fab.Leaks, fabric.Leak{Switch: topo.NodeID(id), While: lasting(f, from), Bytes: f.Leak.Value})
		}
	}
	return nil
}

func (m *maker) pcie(f *scenario.Fault, i int, from unit.Time) error {
	link, named, err := m.hostLink(f, i)
	if err != nil {
		return err
	}
	for _, h := range m.out.Entries[i].Hosts {
		m.out.Hosts = append(m.out.Hosts, OfHost{Host: h, While: lasting(f, from), PCIe: f.PCIe.Value, Named: named, Link: link})
	}
	return nil
}

func (m *maker) staged(f *scenario.Fault, i int, from unit.Time) error {
	full := m.Scenario.Cluster.Host.PCIe
	if g := m.PCIe; g != nil {
		full = g.FastestCard()
	}
	if full == 0 {
		return m.Scenario.Refused(fmt.Sprintf("faults[%d].staged", i), "true: has no effect, PCIe of NICs has no limit: "+
			"want cluster.host.pcie")
	}
	for _, h := range m.out.Entries[i].Hosts {
		m.out.Hosts = append(m.out.Hosts, OfHost{Host: h, While: lasting(f, from), Staged: true})
	}
	return nil
}

func (m *maker) hang(f *scenario.Fault, i int, from unit.Time) error {
	w := fabric.While{From: from, Until: from.Add(f.Hang.Value)}
	for _, g := range m.out.Entries[i].GPUs {
		m.out.GPUs = append(m.out.GPUs, OfGPU{GPU: g, While: w})
	}
	for _, h := range m.out.Entries[i].Hosts {
		m.out.Hosts = append(m.out.Hosts, OfHost{Host: h, While: w, Hangs: true})
		for g := range m.Graph.Hosts[h].GPUs {
			m.out.GPUs = append(m.out.GPUs, OfGPU{GPU: GPU{h, int32(g)}, While: w})
		}
	}
	return nil
}

func (m *maker) slow(f *scenario.Fault, i int, from unit.Time) error {
	for _, g := range m.out.Entries[i].GPUs {
		m.out.GPUs = append(m.out.GPUs, OfGPU{GPU: g, While: lasting(f, from), Factor: f.Slow.Value})
	}
	return nil
}

// finish gives links their chances, and reports entries that have no effect.
func (m *maker) finish() error {
	sc, f := m.Scenario, &m.fab
	if len(m.of)+len(f.Downs)+len(f.Storms)+len(f.Settings)+len(f.Reboots)+len(f.Leaks) == 0 {
		return nil
	}
	of := map[topo.LinkID][]fabric.Chances{}
	for _, l := range slices.Sorted(maps.Keys(m.of)) {
		for _, i := range m.of[l] {
			x := &sc.Faults[i]
			for _, from := range x.Begins() {
				of[l] = append(of[l], fabric.Chances{While: lasting(x, from), BitErrors: x.BitErrors, Drop: x.Drop,
					Duplicate: x.Duplicate, Reorder: x.Reorder, PFC: x.PFC})
			}
		}
	}
	f.Of = func(port topo.Port) []fabric.Chances { return of[port.Link] }
	m.out.Fabric = f
	return m.checkChances()
}

// checkChances reports an entry whose chances no link ever has: later ones that are always there match all its links.
func (m *maker) checkChances() error {
	sc := m.Scenario
	has := make([]bool, len(sc.Faults))
	for _, entries := range m.of {
		for k := len(entries) - 1; k >= 0; k-- {
			i := entries[k]
			if has[i] = true; sc.Faults[i].At == 0 && !sc.Faults[i].For.Set {
				break
			}
		}
	}
	for i := range has {
		if f := &sc.Faults[i]; f.Random() && !has[i] {
			return sc.Refused(fmt.Sprintf("faults[%d]", i), "has no effect: later entries with chances hold for all links of %s",
				f.Link.Value)
		}
	}
	return nil
}

// noticed is after how long the switches route without a link: their convergence, or for a link of a bond how long
// its NIC takes to find out, since the switch at the other end tells the others then.
func (m *maker) noticed(f *scenario.Fault, l topo.LinkID) scenario.Opt[unit.Duration] {
	if nic := m.Graph.Ports[2*l].NIC; nic >= 0 && len(m.Graph.NICs[nic].Ports) > 1 {
		return scenario.Opt[unit.Duration]{Set: true, Value: m.Scenario.Cluster.NIC.Bond.Detection}
	}
	return f.Convergence
}

// hostLink is the link inside a host that a fault is about; false: those of its NICs.
func (m *maker) hostLink(f *scenario.Fault, i int) (link int32, named bool, err error) {
	at := fmt.Sprintf("faults[%d].pcie", i)
	full, what := m.Scenario.Cluster.Host.PCIe, "cluster.host.pcie"
	if f.PCIeLink.Set {
		if m.PCIe == nil {
			return 0, false, m.Scenario.Refused(at+"_link", "%s: has no effect, cluster.host.graph is none", f.PCIeLink.Value)
		}
		if link, err = m.PCIe.Link(f.PCIeLink.Value); err != nil {
			return 0, false, m.Scenario.Refused(at+"_link", "%v", err)
		}
		full, what, named = m.PCIe.Rates[link], f.PCIeLink.Value, true
	} else if m.PCIe != nil {
		full, what = m.PCIe.FastestCard(), "the links of NICs in cluster.host.graph"
	}
	if f.PCIe.Value >= full && full > 0 {
		return 0, false, m.Scenario.Refused(at, "%s: no slower than %s, %s", f.PCIe.Value, what, full)
	}
	return link, named, nil
}
