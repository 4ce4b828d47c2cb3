package network

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Scripts say what cluster and fabric come to: key adds a key of the scenario to the block's, the other commands ask.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

type stage struct {
	scripttest.Log
	keys []string
	text string // of a topology file
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *stage) Do(c []string) {
	rest := strings.Join(c[1:], " ")
	switch c[0] {
	case "key":
		s.keys = append(s.keys, rest)
	case "file":
		s.text += rest + "\n"
	case "forget":
		s.keys, s.text = nil, ""
	default:
		if err := s.ask(c[0], rest); err != nil {
			s.say("%v", err)
		}
	}
}

func (s *stage) ask(what, of string) error {
	yaml := strings.Join(s.keys, "\n") + "\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"
	sc, err := scenario.Parse("network.yaml", []byte(yaml))
	if err != nil {
		return err
	}
	if what == "design" {
		s.design(designs[sc.Fabric.Design](sc))
		return nil
	}
	g, err := Graph(sc, []byte(s.text))
	if err == nil {
		err = Model(sc, g)
	}
	if err != nil {
		return err
	}
	switch what {
	case "graph":
		s.graph(g)
	case "links":
		for i, l := range g.Links {
			a, b := &g.Ports[2*i], &g.Ports[2*i+1]
			if back := ""; strings.Contains(a.Name+" "+b.Name, of) {
				if a.Rate != b.Rate {
					back = fmt.Sprintf(", back %v", b.Rate)
				}
				s.say("%s: %v%s, %v, %v", a.Name, a.Rate, back, l.Length, l.Delay)
			}
		}
	case "names":
		in, err := Inventory(sc, g)
		if err != nil {
			return err
		}
		return s.names(g, in, of)
	case "hops":
		s.hops(Routes(sc, g, nil), g, of)
	case "tunnel":
		if err := CheckTunnel(sc, g); err != nil {
			return err
		}
		s.say("fits")
	default:
		panic("no command " + what)
	}
	return nil
}

// design has what a design is given, but for zeros.
func (s *stage) design(d topo.Design) {
	v := reflect.ValueOf(d)
	var walk func(v reflect.Value, at string)
	walk = func(v reflect.Value, at string) {
		for i := range v.NumField() {
			f, name := v.Field(i), at+v.Type().Field(i).Name
			switch {
			case f.IsZero():
			case f.Kind() == reflect.Struct:
				walk(f, name+".")
			default:
				s.say("%s %v", name, f)
			}
		}
	}
	s.say("%s", v.Type().Name())
	walk(v, "")
}

// graph has how many switches of which model there are, and links of which rate.
func (s *stage) graph(g *topo.Graph) {
	models, rates := map[string]int{}, map[string]int{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind != topo.HostKind {
			models[fmt.Sprintf("%v, %q", n.Kind, n.Model)]++
		}
	}
	for i := range g.Links {
		rates[g.Ports[2*i].Rate.String()]++
	}
	for _, m := range slices.Sorted(maps.Keys(models)) {
		s.say("%d of %s", models[m], m)
	}
	for _, r := range slices.Sorted(maps.Keys(rates)) {
		s.say("%d links of %s", rates[r], r)
	}
}

// names has what inventory knows of a switch: its loopback, AS, rails and the addresses of its ports.
func (s *stage) names(g *topo.Graph, in *inventory.Inventory, node string) error {
	for i := range in.Devices {
		d := &in.Devices[i]
		if d.Name != node {
			continue
		}
		s.say("%s: loopback %v %v, AS %d", node, d.Loopback.V4, d.Loopback.V6, d.AS)
		for _, r := range d.Rails {
			s.say("rail %d: %v %v, gateway %v", r.Rail+1, r.Subnet.V4, r.Subnet.V6, r.Gateway.V4)
		}
		for _, id := range g.Nodes[i].Ports {
			p := &in.Ports[id]
			s.say("%v, %s: %v %v", p.Name, g.Ports[id].Name, p.Address.V4, p.Address.V6)
		}
		o := &in.Options
		s.say("MTU %v, %s, hold %v, BFD %v, summaries %v", o.MTU, o.Routing.Protocol, o.Routing.Hold, o.Routing.BFD,
			o.Routing.Summaries)
		return nil
	}
	return fmt.Errorf("no switch %s", node)
}

// hops has the next hops of a switch to a NIC, by their numbers.
func (s *stage) hops(r *topo.Routes, g *topo.Graph, of string) {
	from, to, _ := strings.Cut(of, " ")
	for id := range g.Nodes {
		for nic := range g.NICs {
			if g.Nodes[id].Name == from && g.NICName(topo.NICID(nic)) == to {
				var names []string
				for _, port := range r.NextHops(topo.NodeID(id), topo.NICID(nic)) {
					names = append(names, g.Ports[port].Name)
				}
				s.say("%s to %s: %s", from, to, strings.Join(names, " "))
			}
		}
	}
}
