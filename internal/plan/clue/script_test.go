package clue_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Scripts ask of a plan what may be to blame: key is a key of the scenario, flow a flow of its job, fault an entry of faults; then
// questions about ports, links, hosts and the queue pair of a flow.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

type stage struct {
	scripttest.Log
	keys, flows, faults []string
	p                   *plan.Plan
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *stage) Do(c []string) {
	rest := strings.Join(c[1:], " ")
	switch c[0] {
	case "key":
		s.keys, s.p = append(s.keys, rest), nil
		return
	case "flow":
		s.flows, s.p = append(s.flows, rest), nil
		return
	case "fault":
		s.faults, s.p = append(s.faults, rest), nil
		return
	}
	if s.p == nil {
		s.plan()
	}
	ask[c[0]](s, c[1:])
}

// plan makes the plan of what has been said, which is forgotten then.
func (s *stage) plan() {
	yaml := strings.Join(s.keys, "\n") + "\njob: {flows: [" + strings.Join(s.flows, ", ") + "]}\n"
	if len(s.faults) > 0 {
		yaml += "faults:\n  - " + strings.Join(s.faults, "\n  - ") + "\n"
	}
	sc, err := scenario.Parse("clue.yaml", []byte(yaml))
	if err == nil {
		s.p, err = plan.New(sc, plan.Files{}, nil)
	}
	if err != nil {
		panic(err)
	}
	s.keys, s.flows, s.faults = nil, nil, nil
}

// ask are the questions.
var ask = map[string]func(s *stage, c []string){
	// equal PAIR PORT: among which ports it was one.
	"equal": func(s *stage, c []string) {
		s.say("%s: %s", c[1], s.ports(clue.Equal(s.p, s.pair(c[0]), s.port(c[1]))))
	},
	// choosers PAIR PORT: which switches chose, up to the port.
	"choosers": func(s *stage, c []string) {
		var names []string
		for _, id := range clue.Choosers(s.p, s.pair(c[0]), s.port(c[1])) {
			names = append(names, s.p.Graph.Nodes[id].Name)
		}
		s.say("%s: %s", c[1], strings.Join(names, " "))
	},
	// alike SWITCH SWITCH: whether they have the same hashes of all queue pairs.
	"alike": func(s *stage, c []string) {
		var pairs []*plan.Pair
		for i := range s.p.Pairs {
			pairs = append(pairs, &s.p.Pairs[i])
		}
		s.say("%s and %s: %v", c[0], c[1], clue.HashAlike(s.p, pairs, s.node(c[0]), s.node(c[1])))
	},
	// cut PORT TIME: how long it was down by then.
	"cut": func(s *stage, c []string) { s.say("%s by %s: %v", c[0], c[1], clue.Cut(s.p, s.port(c[0]), at(c[1]))) },
	// odd PORT...: in what they are set otherwise than their like.
	"odd": func(s *stage, c []string) {
		for _, name := range c {
			o := clue.OddAt(s.p, s.port(name))
			text := fmt.Sprintf("%+v", o)
			var in []string
			for word := range strings.FieldsSeq(strings.Trim(text, "{}")) {
				if what, is := strings.CutSuffix(word, ":true"); is {
					in = append(in, what)
				}
			}
			s.say("%s: %s", name, strings.Join(in, " "))
		}
	},
	// suspects FROM UNTIL LINK|GPU...: entries of faults that happened to one of these meanwhile.
	"suspects": func(s *stage, c []string) {
		var links []topo.LinkID
		var gpus []faults.GPU
		for _, name := range c[2:] {
			var g faults.GPU
			if n, _ := fmt.Sscanf(name, "host%d/gpu%d", &g.Host, &g.GPU); n == 2 {
				g.Host--
				gpus = append(gpus, g)
			} else {
				links = append(links, s.p.Graph.Ports[s.port(name)].Link)
			}
		}
		s.say("%s: %v", strings.Join(c[2:], " "), clue.Suspects(s.p, at(c[0]), at(c[1]), links, gpus))
	},
	// links PAIR: those that its frames and their answers take.
	"links": func(s *stage, c []string) {
		var ports []topo.PortID
		for _, l := range clue.LinksOf(s.p, s.pair(c[0])) {
			ports = append(ports, topo.PortID(2*l))
		}
		s.say("%s", s.ports(ports))
	},
	// rate PORT...: what is slower for a while, or stormed at.
	"rate": func(s *stage, c []string) {
		for _, name := range c {
			s.say("%s: degraded %v, stormed at %v", name, clue.Degraded(s.p, s.port(name)), clue.Storms(s.p, s.port(name)))
		}
	},
	// pcie HOST...: what PCIe of their NICs carries where it is less.
	"pcie": func(s *stage, c []string) {
		for _, name := range c {
			var h int32
			fmt.Sscanf(name, "host%d", &h)
			s.say("%s: %v", name, clue.SlowPCIe(s.p, h-1))
		}
	},
	// slows ENTRY LINK...: whether an entry of faults is about links inside hosts.
	"slows": func(s *stage, c []string) {
		var entry int
		fmt.Sscan(c[0], &entry)
		for _, name := range c[1:] {
			link, err := s.p.PCIe.Graph.Link(name)
			if err != nil {
				panic(err)
			}
			s.say("%s: %v", name, clue.Slows(s.p, entry, link))
		}
	},
}

func at(text string) unit.Time {
	d, err := unit.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return unit.Time(d)
}

func (s *stage) pair(number string) *plan.Pair {
	var i int
	fmt.Sscan(number, &i)
	return &s.p.Pairs[i]
}

func (s *stage) port(name string) topo.PortID {
	id, err := s.p.Graph.Names().Port(name)
	if err != nil {
		panic(err)
	}
	return id
}

func (s *stage) node(name string) topo.NodeID {
	for id := range s.p.Graph.Nodes {
		if s.p.Graph.Nodes[id].Name == name {
			return topo.NodeID(id)
		}
	}
	panic("no node " + name)
}

func (s *stage) ports(all []topo.PortID) string {
	var names []string
	for _, id := range all {
		names = append(names, s.p.Graph.Ports[id].Name)
	}
	return strings.Join(names, " ")
}
