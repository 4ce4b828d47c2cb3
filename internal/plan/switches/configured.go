package switches

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/dcbx"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
)

// A Configuration is one of a switch: its files, or what they say.
type Configuration struct {
	Name   string          // of the file or folder; the switch it is for, where the files do not say
	Files  []netconf.File  // of one device
	Parsed *netconf.Parsed // nil: Files say it
}

// read parses the files in the dialect that they are of.
func (c *Configuration) read() (*netconf.Parsed, located.Problems) {
	if c.Parsed != nil {
		return c.Parsed, nil
	}
	name, err := dialects.Detect(c.Files)
	if err != nil {
		return nil, located.Problems{{File: c.Files[0].Name, Message: strings.Replace(err.Error(), "--dialect", "one of", 1)}}
	}
	return dialects.All[name].Parse(c.Files), nil
}

// configs is what the configurations of fabric.config come to.
type configs struct {
	of        []*netconf.Parsed    // by node; nil: a host
	ports     []*netconf.Interface // by port; nil: of a host, or the configuration does not have it
	priority  []uint8              // by port: priorities that are under PFC, a bit each
	exchanges []Exchange
	watchdogs []*fabric.Watchdog
	routes    *topo.Routes
	largest   unit.Bytes // the most that a frame has
	assumed   notes
	seeds     []uint32 // by node: see noteSeeds
}

// notes are sentences, each with the switches that it is true of.
type notes []Note

// A Note is a sentence about switches.
type Note struct {
	Text     string   `json:"text"`
	Switches []string `json:"switches"`
}

func (n *notes) add(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(*n, func(x Note) bool { return x.Text == text })
	if i < 0 {
		i = len(*n)
		*n = append(*n, Note{Text: text})
	}
	if of := &(*n)[i].Switches; !slices.Contains(*of, name) {
		*of = append(*of, name)
	}
}

// An Exchange is what DCBX comes to on links that are alike.
type Exchange struct {
	Link    string `json:"link"`  // the first of them: port and port
	Links   int    `json:"links"` // how many there are
	Version string `json:"version"`
	Near    string `json:"near"` // priorities under PFC, and whose setting that is
	Far     string `json:"far"`
}

// Assumed is what configurations leave to the platform, and the run takes from the scenario.
func (s *Set) Assumed() []Note {
	if s.configs == nil {
		return nil
	}
	return s.configs.assumed
}

// Exchanges is what DCBX comes to, where switches are configured.
func (s *Set) Exchanges() []Exchange {
	if s.configs == nil {
		return nil
	}
	return s.configs.exchanges
}

// Configure gives switches what their configurations say. Frames have at most largest bytes. Of a scenario whose keys no
// configuration gives a meaning it keeps the one without them: see Scenario.
func (s *Set) Configure(all []Configuration, in *inventory.Inventory, routes *topo.Routes, largest unit.Bytes) error {
	nodes, ports := len(s.graph.Nodes), len(s.graph.Ports)
	s.configs = &configs{routes: routes, largest: largest, of: make([]*netconf.Parsed, nodes), ports: make([]*netconf.Interface, ports),
		priority: make([]uint8, ports), watchdogs: make([]*fabric.Watchdog, ports)}
	if err := s.matchConfigs(all, in); err != nil {
		return err
	}
	s.exchange(in)
	s.noteSeeds()
	var wrong located.Problems
	for id := range s.graph.Nodes {
		if s.configs.of[id] != nil {
			wrong = append(wrong, s.applyConfig(in, topo.NodeID(id))...)
		}
	}
	return append(wrong, s.leaveIdle()...).Err()
}

// matchConfigs reads configurations and finds the switch of each.
func (s *Set) matchConfigs(all []Configuration, in *inventory.Inventory) error {
	var wrong located.Problems
	nodes := map[string]topo.NodeID{}
	for id := range s.graph.Nodes {
		if s.graph.Nodes[id].Kind != topo.HostKind {
			nodes[in.Devices[id].Name] = topo.NodeID(id)
		}
	}
	for i := range all {
		c := &all[i]
		parsed, problems := c.read()
		if problems != nil {
			wrong = append(wrong, problems...)
			continue
		}
		unread := parsed.Lines.Unread
		for _, problem := range parsed.Problems {
			if problem.Warning {
				unread++
			} else {
				wrong = append(wrong, problem)
			}
		}
		name := parsed.Device.Name
		if name == "" {
			name = strings.TrimSuffix(c.Name, path.Ext(c.Name))
		}
		id, known := nodes[name]
		at := located.Problem{File: c.file(), Line: parsed.Places["hostname"].Line, Column: 1}
		switch {
		case !known:
			at.Message = fmt.Sprintf("%s is no switch of this network, want one of %s", name, Names(s.graph))
			wrong = append(wrong, at)
			continue
		case s.configs.of[id] != nil:
			at.Message = "a second configuration of " + name
			wrong = append(wrong, at)
			continue
		}
		s.configs.of[id] = parsed
		if unread > 0 {
			s.configs.assumed.add(name, "lines that are not understood are not simulated (railyard lint lists them)")
		}
		s.matchPorts(in, id)
	}
	var missing []string
	for id := range s.graph.Nodes {
		if s.graph.Nodes[id].Kind != topo.HostKind && s.configs.of[id] == nil {
			missing = append(missing, s.graph.Nodes[id].Name)
		}
	}
	if len(missing) > 0 && len(wrong) == 0 {
		more := ""
		if len(missing) > mostNames {
			more = fmt.Sprintf(" and %d more", len(missing)-mostNames)
		}
		wrong = append(wrong, s.wrong("fabric.config", "%s: no configuration of %s, want one of each switch",
			s.scenario.Fabric.Config.Value, strings.Join(missing[:min(len(missing), mostNames)], ", ")+more))
	}
	return wrong.Err()
}

// file is what stands for a configuration where no line does.
func (c *Configuration) file() string {
	if len(c.Files) > 0 {
		return c.Files[0].Name
	}
	return c.Name
}

// matchPorts finds the interfaces of a switch's ports.
func (s *Set) matchPorts(in *inventory.Inventory, id topo.NodeID) {
	d, name := s.configs.of[id].Device, s.graph.Nodes[id].Name
	index := map[string]*netconf.Interface{}
	for i := range d.Interfaces {
		index[d.Interfaces[i].Name] = &d.Interfaces[i]
	}
	for _, port := range s.graph.Nodes[id].Ports {
		i := index[in.Ports[port].Name.String()]
		if s.configs.ports[port] = i; d.QoS != nil && (i == nil || i.QoS == nil) {
			s.configs.assumed.add(name, "ports that the configuration does not have put all traffic into one class, without PFC and ECN")
		}
	}
}

// exchange works out what DCBX comes to on each link, and so what is under PFC.
func (s *Set) exchange(in *inventory.Inventory) {
	say := func(port topo.PortID) (device *netconf.Device, i *netconf.Interface, end dcbx.End) {
		node := s.graph.Ports[port].Node
		if s.configs.of[node] == nil { // a host
			return nil, nil, dcbx.NIC(dcbx.Card{})
		}
		device, i = s.configs.of[node].Device, s.configs.ports[port]
		if i != nil {
			end = dcbx.Of(device, i)
		}
		return device, i, end
	}
	for l := range len(s.graph.Ports) / 2 {
		a, b := topo.PortID(2*l), topo.PortID(2*l+1)
		deviceA, portA, endA := say(a)
		deviceB, portB, endB := say(b)
		endA.MAC[5], endB.MAC[5] = 1, 2 // nobody but a NIC is willing
		atA, atB := dcbx.Resolve(&endA, &endB)
		if portA != nil {
			s.configs.priority[a] = dcbx.Operational(deviceA, portA, &atA)
		}
		if portB != nil {
			s.configs.priority[b] = dcbx.Operational(deviceB, portB, &atB)
		}
		if atA.Version != dcbx.Silent {
			s.configs.noteExchange(in, s.graph, a, &atA, &atB)
		}
	}
}

func (c *configs) noteExchange(in *inventory.Inventory, g *topo.Graph, a topo.PortID, atA, atB *dcbx.State) {
	b := g.Peer(a)
	if g.Nodes[g.Ports[a].Node].Kind == topo.HostKind {
		a, b, atA, atB = b, a, atB, atA
	}
	name := func(port topo.PortID) string {
		return in.Devices[g.Ports[port].Node].Name + " " + in.Ports[port].Name.String()
	}
	x := Exchange{Version: atA.Version.String(), Near: said(atA), Far: said(atB)}
	kind := func(y *Exchange) bool { return y.Version == x.Version && y.Near == x.Near && y.Far == x.Far }
	i := slices.IndexFunc(c.exchanges, func(y Exchange) bool { return kind(&y) })
	if i < 0 {
		i = len(c.exchanges)
		x.Link = name(a) + " and " + name(b)
		c.exchanges = append(c.exchanges, x)
	}
	c.exchanges[i].Links++
}

// said is what is operational at an end: "PFC 3 (own)".
func said(s *dcbx.State) string {
	var on []string
	for p := range netconf.Classes {
		if s.PFC&(1<<p) != 0 {
			on = append(on, fmt.Sprint(p))
		}
	}
	if len(on) == 0 {
		on = []string{"none"}
	}
	return fmt.Sprintf("PFC %s (%s)", strings.Join(on, ","), s.PFCFrom)
}
