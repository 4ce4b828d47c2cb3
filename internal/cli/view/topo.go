package view

import (
	"strconv"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/survey"
	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

// TopoText prints the graph, and what it is good for.
func TopoText(s *sheet.Sheet, p *plan.Plan, _ *plan.Job) error {
	if err := p.Graph.WriteText(s); err != nil {
		return err
	}
	s.Blank()
	s.Wrap("", "In numbers")
	s.Grid("lrw", foresight.SurveyOf(p).Rows())
	return nil
}

// A Graph is hosts, switches and cables as data.
type Graph struct {
	Nodes     []graphNode  `json:"nodes"`
	Ports     []graphPort  `json:"ports"` // one direction of a cable each
	Tiers     []graphTier  `json:"tiers"`
	Bisection unit.Bitrate `json:"bisection_bps"`
}

type graphNIC struct {
	Name string `json:"name"`
	GPU  int32  `json:"gpu"`
	Rail int32  `json:"rail"`
	Port string `json:"port"`
}

type graphNode struct {
	Name  string     `json:"name"`
	Kind  string     `json:"kind"`
	Tier  int        `json:"tier"`
	Pod   int        `json:"pod,omitempty"` // from 1, as plane and rail; of none: absent
	Plane int        `json:"plane,omitempty"`
	Rail  int        `json:"rail,omitempty"`
	Model string     `json:"model,omitempty"`
	GPUs  int        `json:"gpus,omitempty"`
	NICs  []graphNIC `json:"nics,omitempty"`
}

type graphPort struct {
	Name   string        `json:"name"`
	From   string        `json:"from"`
	To     string        `json:"to"`
	Rate   unit.Bitrate  `json:"rate_bps"`
	Delay  unit.Duration `json:"delay_ps"`
	Length unit.Length   `json:"length_mm"`
}

type graphTier struct {
	Tier     int          `json:"tier"`
	Switches int          `json:"switches"`
	Down     unit.Bitrate `json:"down_bps"`
	Up       unit.Bitrate `json:"up_bps"`
	Over     string       `json:"oversubscription,omitempty"`
}

// GraphOf is the graph of a network as data.
func GraphOf(g *topo.Graph) *Graph {
	out := &Graph{Bisection: g.Bisection()}
	host := map[topo.NodeID]topo.Host{}
	for _, h := range g.Hosts {
		host[h.Node] = h
	}
	for i, n := range g.Nodes {
		d := graphNode{Name: n.Name, Kind: n.Kind.String(), Tier: n.Tier, Pod: n.Place.Pod + 1, Plane: n.Place.Plane + 1,
			Rail: n.Place.Rail + 1, Model: n.Model, GPUs: host[topo.NodeID(i)].GPUs}
		for _, id := range host[topo.NodeID(i)].NICs {
			c := g.NICs[id]
			d.NICs = append(d.NICs, graphNIC{"nic" + strconv.Itoa(int(c.Index)), c.GPU, c.Rail + 1, g.Ports[c.Port].Name})
		}
		out.Nodes = append(out.Nodes, d)
	}
	for _, t := range g.Ports {
		out.Ports = append(out.Ports, graphPort{t.Name, g.Nodes[t.Node].Name, g.Nodes[t.To].Name, t.Rate, t.Delay,
			g.Links[t.Link].Length})
	}
	for _, t := range g.Tiers() {
		d := graphTier{Tier: t.Tier, Switches: t.Switches, Down: t.Down, Up: t.Up}
		if over, ok := t.Oversubscription(); ok {
			d.Over = over.String()
		}
		out.Tiers = append(out.Tiers, d)
	}
	return out
}

// TopoData is the graph as data, and what it is good for.
func TopoData(p *plan.Plan, _ *plan.Job) (any, error) {
	return struct {
		*Graph
		Survey *survey.Survey `json:"survey"`
	}{GraphOf(p.Graph), foresight.SurveyOf(p)}, nil
}
