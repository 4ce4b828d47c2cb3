package foresight

import (
	"strings"

	"railyard/internal/net/survey"
	"railyard/internal/net/topo"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
)

// mostCircles bounds the failures that are tried, and mostCirclePorts the ports of all tries together.
const (
	mostCircles     = 256
	mostCirclePorts = 1 << 18
)

// Circle says where buffers may wait for each other in a circle, with PFC: as the network stands, or after one or
// two of its links between switches have failed, whichever is found first; "": nowhere. Large networks are not
// searched whole: see mostCircles.
func Circle(p *plan.Plan) string {
	tries := min(mostCircles, mostCirclePorts/len(p.Graph.Ports))
	try := func(links ...topo.LinkID) string {
		if tries--; tries < 0 {
			return ""
		}
		dead := map[topo.LinkID]bool{}
		var names []string
		for _, l := range links {
			dead[l] = true
			names = append(names, p.Graph.Ports[2*l].Name)
		}
		ports := survey.Circle(p.Graph, network.Routes(p.Scenario, p.Graph, dead))
		if ports == nil {
			return ""
		}
		text := ""
		for _, id := range ports {
			text += p.Graph.Ports[id].Name + " > "
		}
		if text += p.Graph.Ports[ports[0]].Name; len(names) > 0 {
			text = "without " + strings.Join(names, " and ") + ": " + text
		}
		return text
	}
	trunks := trunks(p)
	text := try()
	for i := 0; i < len(trunks) && text == "" && tries > 0; i++ {
		text = try(trunks[i])
	}
	for i := 0; i < len(trunks) && text == "" && tries > 0; i++ {
		for k := i + 1; k < len(trunks) && text == "" && tries > 0; k++ {
			text = try(trunks[i], trunks[k])
		}
	}
	return text
}

// trunks are the links between switches.
func trunks(p *plan.Plan) (all []topo.LinkID) {
	for l := range len(p.Graph.Ports) / 2 {
		if a, b := p.Graph.Ports[2*l], p.Graph.Ports[2*l+1]; p.Graph.Nodes[a.Node].Kind != topo.HostKind &&
			p.Graph.Nodes[b.Node].Kind != topo.HostKind {
			all = append(all, topo.LinkID(l))
		}
	}
	return all
}
