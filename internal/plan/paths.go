package plan

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/switches"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// customGraph parses the topology of a custom design and checks that its hosts are those of the
// scenario.
func (p *Plan) customGraph() (*topo.Graph, error) {
	sc := p.Scenario
	name := sc.Fabric.Topology.Value
	g, err := topo.ParseText(name, p.Files.Topology, sc.Cluster.Host.GPUs)
	if err != nil {
		return nil, err
	}
	if len(g.Hosts) != sc.Cluster.Hosts {
		return nil, sc.Refused("cluster.hosts", "%d: %s has %d, want that many", sc.Cluster.Hosts, name, len(g.Hosts))
	}
	slowest := unit.Bitrate(0)
	for _, h := range g.Hosts {
		if got, want := len(h.NICs), sc.NICsPerHost(); got != want {
			return nil, sc.Refused("fabric.topology", "%s: %s has %d links, and the scenario %d NICs per host, "+
				"want as many (cluster.nic.per_gpu, cluster.nic.shared, cluster.host.gpus)", name, h.Name, got, want)
		}
		for _, n := range h.NICs {
			if got, want := len(g.NICs[n].Ports), sc.Cluster.NIC.Links(); got != want {
				return nil, sc.Refused("fabric.topology", "%s: %s has %s, and the scenario bonds %d of a NIC, want as many "+
					"(nic= in the file, cluster.nic.ports, cluster.nic.bond.mode)", name, g.NICName(n),
					unit.CountOf(int64(got), "port"), want)
			}
		}
		for _, port := range g.Nodes[h.Node].Ports {
			if r := g.Ports[port].Rate; slowest == 0 || r < slowest {
				slowest = r
			}
		}
	}
	if slowest != sc.Cluster.NIC.Speed {
		return nil, sc.Refused("cluster.nic.speed", "%s: the slowest link of a host in %s is %s, want that",
			sc.Cluster.NIC.Speed, name, slowest)
	}
	return g, nil
}

// recabled sets the rates and delays of the links in fabric.links.named.
func (p *Plan) recabled(g *topo.Graph) (*topo.Graph, error) {
	sc := p.Scenario
	named := sc.Fabric.Links.Named
	if len(named) == 0 {
		return g, nil
	}
	names, of := g.Names(), map[topo.LinkID]int{}
	var changes []topo.Recabling
	for i, l := range named {
		at := fmt.Sprintf("fabric.links.named[%d].link", i)
		links, err := names.Links(l.Link)
		if err != nil {
			return nil, sc.Refused(at, "%v", err)
		}
		if !topo.IsPattern(l.Link) && !l.Sender.Set {
			if first, twice := of[links[0]]; twice {
				return nil, sc.Refused(at, "%s: the link of fabric.links.named[%d] too, "+
					"want one entry for both directions", l.Link, first)
			}
			of[links[0]] = i
		}
		cable := topo.Cable{Rate: l.Rate.Or(0), Length: l.Length.Or(0), Delay: l.Delay.Or(0)}
		for _, link := range links {
			change := topo.Recabling{Link: link, Cable: cable}
			if l.Sender.Set {
				if change.Only, err = sendingEnd(g, link, l.Sender.Value); err != nil {
					return nil, sc.Refused(fmt.Sprintf("fabric.links.named[%d].sender", i), "%v", err)
				}
			}
			changes = append(changes, change)
		}
	}
	return g.Recabled(changes)
}

// sendingEnd is the end of a link that a node sends by, counted from 1.
func sendingEnd(g *topo.Graph, link topo.LinkID, name string) (int, error) {
	a, b := &g.Nodes[g.Links[link].A], &g.Nodes[g.Links[link].B]
	switch name {
	case a.Name:
		return 1, nil
	case b.Name:
		return 2, nil
	}
	return 0, fmt.Errorf("%s: no end of the link, want %s or %s", name, a.Name, b.Name)
}

// addFlows adds the queue pairs of a job's flows, and those of its file.
func (p *Plan) addFlows(j *Job) error {
	sc := p.Scenario
	for i := range j.Spec.Flows {
		wrong := inScenario(sc, j.Spec.FlowPath(i))
		if err := p.addFlow(&j.Spec.Flows[i], j, wrong); err != nil {
			return err
		}
	}
	file := j.Spec.FlowsCSV
	if !file.Set {
		return nil
	}
	src := p.Files.of(j).Flows
	flows, err := sc.ReadFlows(j.Spec, file.Value, src)
	if err != nil {
		return err
	}
	p.Pairs = slices.Grow(p.Pairs, len(flows))
	for i := range flows {
		inFile := func(key, message string) error {
			return scenario.FlowProblem(file.Value, src, flows[i].Line, key, message)
		}
		if err := p.addFlow(&flows[i].Flow, j, inFile); err != nil {
			return err
		}
	}
	return nil
}

// A flowProblem returns an error about a key of a flow ("": about the whole flow) with its place.
type flowProblem func(key, message string) error

// inScenario returns the flowProblem of a flow at a path of the scenario.
func inScenario(sc *scenario.Scenario, at string) flowProblem {
	return func(key, message string) error {
		if key != "" {
			return sc.Refused(at+"."+key, "%s", message)
		}
		return sc.Refused(at, "%s", message)
	}
}

// addFlow adds the queue pair of a flow of a job, nil: of the background.
func (p *Plan) addFlow(f *scenario.Flow, j *Job, wrong flowProblem) error {
	pair := Pair{Name: f.Name, Kind: result.KindBackground, Job: -1, Class: switches.ClassData, Flow: f, Start: unit.Time(f.Start),
		Lanes: 1}
	if j != nil {
		pair.Kind, pair.Job, pair.Start = result.KindJob, j.index, pair.Start.Add(j.Spec.Start)
	}
	pair.From, pair.FromGPU = p.endpoint(f.From)
	pair.To, pair.ToGPU = p.endpoint(f.To)
	if f.From.NIC < 0 && f.Path == nil {
		pair.From = p.relay(pair.From, pair.To)
	}
	if f.Priority == "other" {
		pair.Class = switches.ClassOther
		if int(switches.ClassOther) >= p.Switches.Classes() {
			return wrong("priority", "other: fabric.qos.classes is data, so there is no class for it")
		}
	}
	var err error
	if f.Path != nil {
		if pair.Path, err = p.explicitPath(f.Path, pair.From, pair.To); err != nil {
			return wrong("path", err.Error())
		}
		pair.Back = p.reversed(pair.Path)
	}
	if f.Back != nil {
		if pair.Back, err = p.explicitPath(f.Back, pair.To, pair.From); err != nil {
			return wrong("back", err.Error())
		}
	}
	if err := p.addPair(pair); err != nil {
		return wrong("", err.Error())
	}
	return nil
}

// endpoint returns the NIC of a flow's end, and the GPU whose memory it is, -1 for the NIC itself.
func (p *Plan) endpoint(e scenario.Endpoint) (topo.NICID, int32) {
	return p.Graph.Hosts[e.Host].NICs[p.Scenario.NICOf(e)], int32(e.GPU)
}

// relay returns the NIC by which a GPU sends to another: its own or, if that has no way there, the one of the
// receiver's rail on the same host, over NVLink to that one's GPU (book chapter 13, rail-only; NCCL: PXN).
func (p *Plan) relay(own, to topo.NICID) topo.NICID {
	g := p.Graph
	if g.NICs[own].Host == g.NICs[to].Host {
		return own
	}
	other := g.Hosts[g.NICs[own].Host].NICs[g.NICs[to].Index]
	for _, from := range []topo.NICID{own, other} {
		if _, err := p.Routes.Path(from, to, nil); err == nil {
			return from
		}
	}
	return own // what comes next says why not
}

// explicitPath finds the ports of a path between two NICs that is given by its nodes.
func (p *Plan) explicitPath(nodes []string, from, to topo.NICID) ([]topo.PortID, error) {
	g := p.Graph
	name := func(n topo.NICID) string { return g.Hosts[g.NICs[n].Host].Name }
	if nodes[0] != name(from) {
		return nil, fmt.Errorf("begins at %s, want the sender's host %s", nodes[0], name(from))
	}
	if last, _, _ := strings.Cut(nodes[len(nodes)-1], "#"); last != name(to) {
		return nil, fmt.Errorf("ends at %s, want the receiver's host %s", last, name(to))
	}
	if g.Apart(from, to) {
		return nil, fmt.Errorf("from %s to %s: rails are VLANs that nothing routes between", g.NICName(from), g.NICName(to))
	}
	var path []topo.PortID
	at := nodes[0]
	for i, hop := range nodes[1:] {
		port, err := p.hop(at, hop, i == 0, i == len(nodes)-2, from, to)
		if err != nil {
			return nil, err
		}
		path = append(path, port)
		at, _, _ = strings.Cut(hop, "#")
		if node := g.Nodes[g.Ports[port].To]; node.Kind == topo.HostKind && i < len(nodes)-2 {
			return nil, fmt.Errorf("crosses the host %s, want switches between the first and the last node", node.Name)
		}
	}
	if slices.ContainsFunc(path, func(a topo.PortID) bool { return count(path, a) > 1 }) {
		return nil, fmt.Errorf("%s: crosses a link twice in the same direction", strings.Join(nodes, ">"))
	}
	return path, nil
}

func count(path []topo.PortID, port topo.PortID) (n int) {
	for _, p := range path {
		if p == port {
			n++
		}
	}
	return n
}

// hop finds the port from a node to the next. Of parallel links the number decides, or, at the ends
// of the path, the NIC.
func (p *Plan) hop(at, next string, first, last bool, from, to topo.NICID) (topo.PortID, error) {
	g := p.Graph
	node, number, numbered := strings.Cut(next, "#")
	for _, n := range []string{at, node} {
		if _, err := p.names.Node(n); err != nil {
			return 0, err
		}
	}
	want := topo.PortID(-1)
	switch {
	case first:
		want = g.NICs[from].Port
	case last:
		want = g.Peer(g.NICs[to].Port)
	}
	if want >= 0 && !numbered {
		if g.Nodes[g.Ports[want].Node].Name == at && g.Nodes[g.Ports[want].To].Name == node {
			return want, nil
		}
		return 0, fmt.Errorf("no link between %s and %s at the NIC of the flow, which is linked to %s", at, node,
			g.Ports[want].Name)
	}
	port, err := p.names.Port(at + "/" + next)
	if err != nil && numbered && number == "1" { // the only link may be numbered too
		port, err = p.names.Port(at + "/" + node)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("no link from %s to %s: %w", at, next, err)
	case want >= 0 && port != want:
		return 0, fmt.Errorf("%s is not the link of the flow's NIC, want %s", g.Ports[port].Name, g.Ports[want].Name)
	}
	return port, nil
}

// reversed returns the ports of the way back.
func (p *Plan) reversed(path []topo.PortID) []topo.PortID {
	back := make([]topo.PortID, len(path))
	for i, port := range path {
		back[len(path)-1-i] = p.Graph.Peer(port)
	}
	return back
}
