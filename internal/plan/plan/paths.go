package plan

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
)

// addFlows adds the queue pairs of a job's flows, and those of its file. What is wrong with several is told at once.
func (p *Plan) addFlows(j *Job) error {
	return together(
		func() error { return addListed(p, j.Spec.Flows, j, j.Spec.FlowPath) },
		func() error { return p.addRead(j) })
}

// addListed adds the queue pairs of flows of the scenario, those of a job or, with nil, of the background.
func addListed(p *Plan, flows []scenario.Flow, j *Job, path func(i int) string) error {
	return gather(len(flows), func(i int) error {
		return p.addFlow(&flows[i], j, inScenario(p.Scenario, path(i)))
	})
}

// addRead adds the queue pairs of a job's file of flows.
func (p *Plan) addRead(j *Job) error {
	file := j.Spec.FlowsCSV
	if !file.Set {
		return nil
	}
	src := p.Files.of(j).Flows
	flows, err := p.Scenario.ReadFlows(j.Spec, file.Value, src)
	if err != nil {
		return err
	}
	p.Pairs = slices.Grow(p.Pairs, len(flows))
	return gather(len(flows), func(i int) error {
		return p.addFlow(&flows[i].Flow, j, func(key, message string) error {
			return scenario.FlowProblem(file.Value, src, flows[i].Line, key, message)
		})
	})
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
	if err := setPaths(p, &pair, wrong); err != nil {
		return err
	}
	if err := p.addPair(pair); err != nil {
		return wrong("", err.Error())
	}
	return nil
}

// setPaths gives the queue pair of a flow the paths that the flow names, and its way back if it names one way only.
func setPaths(p *Plan, pair *Pair, wrong flowProblem) error {
	if pair.Flow.Path == nil && pair.Flow.Back == nil {
		return nil
	}
	set := func(key string, nodes []string, path *[]topo.PortID, from, to topo.NICID) func() error {
		return func() (err error) {
			if nodes == nil {
				return nil
			}
			if *path, err = p.explicitPath(nodes, from, to); err != nil {
				return wrong(key, err.Error())
			}
			if key == "path" {
				pair.Back = p.reversed(*path)
			}
			return nil
		}
	}
	return together(set("path", pair.Flow.Path, &pair.Path, pair.From, pair.To),
		set("back", pair.Flow.Back, &pair.Back, pair.To, pair.From))
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
