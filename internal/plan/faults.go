package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"railyard/internal/fabric"
	"railyard/internal/located"
	"railyard/internal/qos"
	"railyard/internal/scenario"
	"railyard/internal/switches"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Mishaps is what the scenario's faults come to.
type Mishaps struct {
	Fabric *fabric.Faults // nil: nothing goes wrong with links and switches
	GPUs   []GPUFault
	Hosts  []HostFault
	// Entries is what each entry of faults happens to.
	Entries []Mishap
}

// Mishap is what an entry of faults happens to.
type Mishap struct {
	Links []topo.LinkID // all links of a switch or host that is down
	Ports []topo.PortID
	Hosts []int32
	GPUs  []GPU
}

// GPU is a GPU of a host.
type GPU struct{ Host, GPU int32 }

// GPUFault says that kernels of a GPU take times as long for a while.
type GPUFault struct {
	GPU
	fabric.While
	Factor unit.Ratio // Num 0: it stands still
}

// HostFault says that a host hangs for a while, or that the PCIe of its NICs is slower.
type HostFault struct {
	Host int32
	fabric.While
	Hangs  bool
	PCIe   unit.Bitrate // 0: as always
	Staged bool         // what NICs carry crosses PCIe twice
	Named  bool         // it is that of Link alone
	Link   int32        // of the hosts' graph
}

// Mishaps returns what the scenario's faults come to.
func (p *Plan) Mishaps() *Mishaps { return &p.mishaps }

// mishaps is Mishaps in the making.
type mishaps struct {
	p   *Plan
	out Mishaps
	fab fabric.Faults
	of  map[topo.LinkID][]int // which entries give a link its chances
}

// doers say what each kind of fault comes to, for each time it happens.
var doers = map[string]func(m *mishaps, f *scenario.Fault, i int, from unit.Time) error{
	"drop": random, "duplicate": random, "reorder": random, "bit_errors": random,
	"down": (*mishaps).down, "storm": (*mishaps).storm, "speed": (*mishaps).speed, "config": (*mishaps).config,
	"leak": (*mishaps).leak, "pcie": (*mishaps).pcie, "staged": (*mishaps).staged, "hang": (*mishaps).hang, "slow": (*mishaps).slow,
}

// planFaults translates the scenario's faults.
func (p *Plan) planFaults() error {
	m := mishaps{p: p, of: map[topo.LinkID][]int{}}
	var err error
	if m.out.Entries, err = p.happensTo(); err != nil {
		return err
	}
	for i := range p.Scenario.Faults {
		f := &p.Scenario.Faults[i]
		if f.Random() {
			for _, l := range m.out.Entries[i].Links {
				m.of[l] = append(m.of[l], i)
			}
		}
		for _, kind := range f.Kinds() {
			for _, from := range f.Begins() {
				if err := doers[kind](&m, f, i, from); err != nil {
					return err
				}
			}
		}
	}
	p.mishaps = m.out
	return m.finish()
}

// happensTo finds what each fault names.
func (p *Plan) happensTo() (all []Mishap, err error) {
	var wrong located.Problems
	for i := range p.Scenario.Faults {
		f := &p.Scenario.Faults[i]
		e, err := p.mishap(f)
		if err != nil {
			key, _ := f.Thing()
			wrong = append(wrong, p.Scenario.Wrong(fmt.Sprintf("faults[%d].%s", i, key), "%v", err))
		}
		all = append(all, e)
	}
	return all, wrong.Err()
}

// checkFaultNames looks up the names of faults that have one.
func (p *Plan) checkFaultNames() error {
	_, err := p.happensTo()
	return err
}

// mishap finds what an entry happens to.
func (p *Plan) mishap(f *scenario.Fault) (e Mishap, err error) {
	key, name := f.Thing()
	switch key {
	case scenario.OnLink:
		e.Links, err = p.names.Links(name)
	case scenario.OnPort:
		e.Ports, err = p.portsNamed(name)
	case scenario.OnSwitch, scenario.OnHost:
		err = p.nodesNamed(name, key == scenario.OnHost, &e)
	case scenario.OnGPU:
		for h, host := range p.Graph.Hosts {
			for g := range host.GPUs {
				if ok, _ := path.Match(name, fmt.Sprintf("%s/gpu%d", host.Name, g)); ok {
					e.GPUs = append(e.GPUs, GPU{int32(h), int32(g)})
				}
			}
		}
		if len(e.GPUs) == 0 {
			err = fmt.Errorf("%q matches no GPU, want one such as %s/gpu0", name, p.Graph.Hosts[0].Name)
		}
	}
	return e, err
}

// portsNamed finds ports of switches: the first name of each is the switch.
func (p *Plan) portsNamed(name string) (all []topo.PortID, err error) {
	if !topo.IsPattern(name) {
		if _, err := p.names.Port(name); err != nil {
			return nil, err
		}
	}
	for id, port := range p.Graph.Ports {
		if ok, _ := path.Match(name, port.Name); ok && p.Graph.Nodes[port.Node].Kind != topo.HostKind {
			all = append(all, topo.PortID(id))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q is no port of a switch, want switch/peer such as %s", name, p.aSwitchPort())
	}
	return all, nil
}

// aSwitchPort is the name of a port of a switch, for errors.
func (p *Plan) aSwitchPort() string {
	i := slices.IndexFunc(p.Graph.Ports, func(x topo.Port) bool { return p.Graph.Nodes[x.Node].Kind != topo.HostKind })
	return p.Graph.Ports[i].Name
}

// nodesNamed finds hosts or switches with their links.
func (p *Plan) nodesNamed(name string, hosts bool, e *Mishap) error {
	found := false
	for id, n := range p.Graph.Nodes {
		if ok, _ := path.Match(name, n.Name); !ok || hosts != (n.Kind == topo.HostKind) {
			continue
		}
		found = true
		if hosts {
			h := slices.IndexFunc(p.Graph.Hosts, func(h topo.Host) bool { return h.Node == topo.NodeID(id) })
			e.Hosts = append(e.Hosts, int32(h))
		}
		for _, port := range n.Ports {
			if l := p.Graph.Ports[port].Link; !slices.Contains(e.Links, l) {
				e.Links = append(e.Links, l)
			}
		}
	}
	switch {
	case found:
		return nil
	case hosts:
		return fmt.Errorf("%q matches no host, want one such as %s", name, p.Graph.Hosts[0].Name)
	}
	return fmt.Errorf("%q matches no switch, want one of %s", name, switches.Names(p.Graph))
}

// lasting is when a fault is there that begins at a time.
func lasting(f *scenario.Fault, from unit.Time) fabric.While {
	if !f.For.Set {
		return fabric.While{From: from}
	}
	return fabric.While{From: from, Until: from.Add(f.For.Value)}
}

// random is of links, which draw: see finish.
func random(*mishaps, *scenario.Fault, int, unit.Time) error { return nil }

func (m *mishaps) down(f *scenario.Fault, i int, from unit.Time) error {
	until := from.Add(f.Down.Value)
	for _, l := range m.out.Entries[i].Links {
		m.fab.Downs = append(m.fab.Downs, fabric.Down{Link: l, From: from, Until: until})
		if c := m.p.noticed(f, l); c.Set && f.Down.Value > c.Value {
			m.p.outages = append(m.p.outages, outage{l, from.Add(c.Value), until.Add(c.Value)})
		}
	}
	if f.Switch.Set {
		for id, n := range m.p.Graph.Nodes {
			if ok, _ := path.Match(f.Switch.Value, n.Name); ok && n.Kind != topo.HostKind {
				m.fab.Reboots = append(m.fab.Reboots, fabric.Reboot{Switch: topo.NodeID(id), At: from})
			}
		}
	}
	return nil
}

func (m *mishaps) storm(f *scenario.Fault, i int, from unit.Time) error {
	port, err := m.stormsFrom(f, i)
	if err != nil {
		return err
	}
	s := fabric.Storm{Port: port, Class: switches.ClassData, From: from, Until: from.Add(f.Storm.Value)}
	for _, o := range m.fab.Storms {
		if o.Port == port && s.From < o.Until && o.From < s.Until {
			return problem(m.p.Scenario, fmt.Sprintf("faults[%d].storm", i), "a second storm by %s at the same time",
				m.p.Graph.Ports[port].Name)
		}
	}
	m.fab.Storms = append(m.fab.Storms, s)
	return nil
}

// stormsFrom is the port by which the pause frames of a storm leave.
func (m *mishaps) stormsFrom(f *scenario.Fault, i int) (topo.PortID, error) {
	g, links := m.p.Graph, m.out.Entries[i].Links
	for _, id := range []topo.PortID{topo.PortID(2 * links[0]), topo.PortID(2*links[0] + 1)} {
		n := &g.Nodes[g.Ports[id].Node]
		if len(links) == 1 && (f.Sender.Set && n.Name == f.Sender.Value || !f.Sender.Set && n.Kind == topo.HostKind) {
			return id, nil
		}
	}
	if f.Sender.Set {
		return 0, problem(m.p.Scenario, fmt.Sprintf("faults[%d].sender", i), "%s: is no end of %s", f.Sender.Value, f.Link.Value)
	}
	return 0, problem(m.p.Scenario, fmt.Sprintf("faults[%d].link", i),
		"%s: no link of a host, want one, or sender as well: which end sends pause frames", f.Link.Value)
}

func (m *mishaps) speed(f *scenario.Fault, i int, from unit.Time) error {
	for _, l := range m.out.Entries[i].Links {
		for _, id := range []topo.PortID{topo.PortID(2 * l), topo.PortID(2*l + 1)} {
			if full := m.p.Graph.Ports[id].Rate; f.Speed.Value >= full {
				return problem(m.p.Scenario, fmt.Sprintf("faults[%d].speed", i), "%s: no slower than %s is, %s", f.Speed.Value,
					m.p.Graph.Ports[id].Name, full)
			}
			m.fab.Settings = append(m.fab.Settings, fabric.Setting{Port: id, While: lasting(f, from), Rate: f.Speed.Value})
		}
	}
	return nil
}

func (m *mishaps) config(f *scenario.Fault, i int, from unit.Time) error {
	c := &f.Config
	for _, id := range m.out.Entries[i].Ports {
		q := m.p.Switches.FabricAt(m.p.Graph.Ports[id].Node).QoS
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
			rate := m.p.Graph.Ports[id].Rate
			if at := curve.At(rate); at.Min > at.Max {
				return problem(m.p.Scenario, fmt.Sprintf("faults[%d].config", i), "min %s is above max %s of %s", at.Min, at.Max,
					m.p.Graph.Ports[id].Name)
			}
			s.ECN = &curve
		}
		if (c.Forgotten || c.DSCP.Set) && m.p.Switches.Classes() > 1 {
			s.ClassOf = switches.ClassOf(q.CNPDSCP, c.DSCP.Or(-1))
			if c.Forgotten {
				s.ClassOf = switches.ClassOf(-1, -1)
			}
		}
		m.fab.Settings = append(m.fab.Settings, s)
	}
	return nil
}

func (m *mishaps) leak(f *scenario.Fault, i int, from unit.Time) error {
	for id, n := range m.p.Graph.Nodes {
		if ok, _ := path.Match(f.Switch.Value, n.Name); ok && n.Kind != topo.HostKind {
			m.fab.Leaks = append(m.fab.Leaks, fabric.Leak{Switch: topo.NodeID(id), While: lasting(f, from), Bytes: f.Leak.Value})
		}
	}
	return nil
}

func (m *mishaps) pcie(f *scenario.Fault, i int, from unit.Time) error {
	link, named, err := m.p.hostLink(f, i)
	if err != nil {
		return err
	}
	for _, h := range m.out.Entries[i].Hosts {
		m.out.Hosts = append(m.out.Hosts, HostFault{Host: h, While: lasting(f, from), PCIe: f.PCIe.Value, Named: named, Link: link})
	}
	return nil
}

func (m *mishaps) staged(f *scenario.Fault, i int, from unit.Time) error {
	full := m.p.Scenario.Cluster.Host.PCIe
	if g := m.p.HostGraph; g != nil {
		full = g.fastestCard()
	}
	if full == 0 {
		return problem(m.p.Scenario, fmt.Sprintf("faults[%d].staged", i), "true: has no effect, PCIe of NICs has no limit: "+
			"want cluster.host.pcie")
	}
	for _, h := range m.out.Entries[i].Hosts {
		m.out.Hosts = append(m.out.Hosts, HostFault{Host: h, While: lasting(f, from), Staged: true})
	}
	return nil
}

func (m *mishaps) hang(f *scenario.Fault, i int, from unit.Time) error {
	w := fabric.While{From: from, Until: from.Add(f.Hang.Value)}
	for _, g := range m.out.Entries[i].GPUs {
		m.out.GPUs = append(m.out.GPUs, GPUFault{GPU: g, While: w})
	}
	for _, h := range m.out.Entries[i].Hosts {
		m.out.Hosts = append(m.out.Hosts, HostFault{Host: h, While: w, Hangs: true})
		for g := range m.p.Graph.Hosts[h].GPUs {
			m.out.GPUs = append(m.out.GPUs, GPUFault{GPU: GPU{h, int32(g)}, While: w})
		}
	}
	return nil
}

func (m *mishaps) slow(f *scenario.Fault, i int, from unit.Time) error {
	for _, g := range m.out.Entries[i].GPUs {
		m.out.GPUs = append(m.out.GPUs, GPUFault{GPU: g, While: lasting(f, from), Factor: f.Slow.Value})
	}
	return nil
}

// finish gives links their chances, and reports entries that have no effect.
func (m *mishaps) finish() error {
	sc, f := m.p.Scenario, &m.fab
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
	m.p.mishaps.Fabric = f
	return m.checkChances()
}

// checkChances reports an entry whose chances no link ever has: later ones that are always there match all its links.
func (m *mishaps) checkChances() error {
	sc := m.p.Scenario
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
			return problem(sc, fmt.Sprintf("faults[%d]", i), "has no effect: later entries with chances hold for all links of %s",
				f.Link.Value)
		}
	}
	return nil
}

// noticed is after how long the switches route without a link: their convergence, or for a link of a bond how long
// its NIC takes to find out, since the switch at the other end tells the others then.
func (p *Plan) noticed(f *scenario.Fault, l topo.LinkID) scenario.Opt[unit.Duration] {
	if nic := p.Graph.Ports[2*l].NIC; nic >= 0 && len(p.Graph.NICs[nic].Ports) > 1 {
		return scenario.Opt[unit.Duration]{Set: true, Value: p.Scenario.Cluster.NIC.Bond.Detection}
	}
	return f.Convergence
}

// PortDown is a time in which a NIC takes a port of its for down.
type PortDown struct {
	Port        topo.PortID
	From, Until unit.Time
}

// PortDowns are those of all NICs, as faults of links and the time that it takes to know of them make them.
func (p *Plan) PortDowns() (all []PortDown) {
	for _, o := range p.outages {
		for _, port := range []topo.PortID{topo.PortID(2 * o.link), topo.PortID(2*o.link + 1)} {
			if at := &p.Graph.Ports[port]; at.NIC >= 0 && p.Graph.Nodes[at.Node].Kind == topo.HostKind {
				all = append(all, PortDown{port, o.from, o.until})
			}
		}
	}
	return all
}
