package lab

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/survey"
	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

var networkBench = Bench{
	Meaning: "a network: switches, ports and cables, what tiers carry, what a failure cuts off, subnets of rails",
	Params: []Param{
		{Name: "of", Meaning: "keys of a scenario, such as preset: book-pod, or cluster: {..}, fabric: {..}",
			Default: "preset: book-segment", Needed: true},
	},
	Run: runNetwork,
}

func runNetwork(a Args) (*Shown, error) {
	text := "{name: network, " + a.Text("of") + ", job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}}\n"
	sc, err := scenario.Parse("network", []byte(text))
	if err != nil {
		return nil, err
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		return nil, err
	}
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	s, of := &Shown{}, foresight.SurveyOf(p)
	s.parts(p.Graph, of)
	s.tiers(of)
	s.reach(of)
	s.failures(of)
	s.subnets(in)
	return s, nil
}

// parts counts hosts, switches, their ports and cables.
func (s *Shown) parts(g *topo.Graph, of *survey.Survey) {
	gpus, switches, ports := 0, 0, 0
	for _, h := range g.Hosts {
		gpus += h.GPUs
	}
	s.add("hosts", float64(len(g.Hosts)), "", "hosts")
	s.add("gpus", float64(gpus), "", "GPUs")
	s.add("nics", float64(len(g.NICs)), "", "NICs")
	for _, u := range of.Ports {
		s.add(plural(u.Role), float64(u.Switches), "", plural(u.Role))
		s.add(u.Role+"_ports", float64(u.Most), "", "ports in use on a "+u.Role)
		switches += u.Switches
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind != topo.HostKind {
			ports += len(n.Ports)
		}
	}
	s.add("switches", float64(switches), "", "switches in all")
	s.add("ports", float64(ports), "", "their ports in use")
	s.add("cables", float64(len(g.Links)), "", "cables")
}

func plural(role string) string {
	if role == topo.Leaf.String() {
		return "leaves"
	}
	return role + "s"
}

// tiers says what a switch carries down and up, in Tb/s.
func (s *Shown) tiers(of *survey.Survey) {
	for _, c := range of.Cuts {
		s.add("cables_"+c.Below, float64(c.Links), "", "cables from a "+c.Below+" to a "+c.Above)
		for _, u := range of.Ports {
			each := func(name string, rate unit.Bitrate, to string) {
				s.addIn("Tb/s", u.Role+name, terabits(rate)/float64(u.Switches),
					fmt.Sprintf("%.4g / %d", terabits(rate), u.Switches), "what the links of a "+u.Role+" carry "+to)
			}
			switch {
			case c.Above == c.Below && c.Above == u.Role: // a link is one of both its ends
				each("_across", 2*c.Rate, "to others of its kind")
			case c.Above == u.Role:
				each("_down", c.Rate, "down")
			case c.Below == u.Role:
				each("_up", c.Rate, "up")
			}
		}
	}
	if len(of.Flows) > 0 {
		f := of.Flows[0]
		s.addIn("Tb/s", "halves", terabits(f.Rate), "", "the most that goes from "+f.From+" to "+f.To)
	}
}

func terabits(r unit.Bitrate) float64 { return float64(r) / 1e12 }

// reach says over how many switches pairs of NICs on different hosts reach each other.
func (s *Shown) reach(of *survey.Survey) {
	t := Table{Name: "ways", Title: "Pairs of NICs on different hosts", Columns: []string{"pairs", "switches", "equal paths"}}
	apart, far, ways := int64(0), 0, int64(0)
	for _, p := range of.Pairs {
		row := []string{fmt.Sprint(p.Count), fmt.Sprint(p.Switches), fmt.Sprint(p.Ways)}
		if p.Switches < 0 {
			apart, row[1], row[2] = p.Count, "-", "none"
		} else if p.Switches >= far {
			far, ways = p.Switches, p.Ways
		}
		t.Rows = append(t.Rows, row)
	}
	s.Tables = append(s.Tables, t)
	s.add("stages", float64(far), "", "switches on the longest of the shortest paths between two NICs")
	s.add("ways", float64(ways), "", "such paths between them")
	s.add("apart", float64(apart), "", "pairs of NICs on different hosts that no switch joins")
}

// failures says what is cut off when one switch of a role fails, or one link of a host.
func (s *Shown) failures(of *survey.Survey) {
	for _, u := range of.Ports {
		s.lost(of, u.Role, u.Role)
	}
	s.lost(of, topo.HostKind.String()+" link", "link")
}

// lost says what the worst failure of a kind cuts off; steps begin with a name.
func (s *Shown) lost(of *survey.Survey, what, name string) {
	var worst survey.Point
	for _, p := range of.Points {
		if p.What == what && p.NICs > worst.NICs {
			worst = p
		}
	}
	s.add(name+"_nics", float64(worst.NICs), "", "NICs that the failure of a "+what+" cuts off")
	s.add(name+"_gpus", float64(worst.GPUs), "", "GPUs that have no NIC of their own then")
	s.add(name+"_hosts", float64(worst.Hosts), "", "hosts that have none then")
}

// subnets lists the rails on the first switch that has any: VLAN, subnet, ports.
func (s *Shown) subnets(in *inventory.Inventory) {
	t := Table{Name: "rails", Columns: []string{"rail", "VLAN", "subnet", "ports"}}
	all := 0
	for i := range in.Devices {
		d := &in.Devices[i]
		if len(d.Rails) > 0 && all == 0 {
			t.Title = fmt.Sprintf("Rails on %s, block %s", d.Name, d.Block.V4)
			for _, r := range d.Rails {
				t.Rows = append(t.Rows, []string{strconv.Itoa(r.Rail + 1), strconv.Itoa(r.VLAN), r.Subnet.V4.String(),
					portNumbers(in, r.Ports)})
			}
		}
		all += len(d.Rails)
	}
	s.Tables = append(s.Tables, t)
	s.add("rails_per_leaf", float64(len(t.Rows)), "", "rails on a switch")
	s.add("subnets", float64(all), "", "subnets of rails in all")
}

// portNumbers lists the numbers of ports, four and more that follow each other as a range.
func portNumbers(in *inventory.Inventory, ports []topo.PortID) string {
	var texts []string
	for i := 0; i < len(ports); {
		first, n := in.Ports[ports[i]].Name.Number, 1
		for i+n < len(ports) && in.Ports[ports[i+n]].Name.Number == first+n {
			n++
		}
		text := strconv.Itoa(first)
		if n < 4 {
			n = 1
		} else {
			text += " to " + strconv.Itoa(first+n-1)
		}
		texts, i = append(texts, text), i+n
	}
	return strings.Join(texts, " ")
}
