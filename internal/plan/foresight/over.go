package foresight

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// An Over is a switch that has more bandwidth to what is below it, hosts or switches, than to those above.
type Over struct {
	Node     topo.NodeID
	Down, Up unit.Bitrate
	Switches int // that are so
}

// Below is the bandwidth of a switch to what is below it.
func Below(p *plan.Plan, node topo.NodeID) (down unit.Bitrate) {
	down, _ = linksBeside(p, node)
	return down
}

func linksBeside(p *plan.Plan, node topo.NodeID) (down, up unit.Bitrate) {
	g := p.Graph
	for _, id := range g.Nodes[node].Ports {
		switch to := g.Nodes[g.Ports[id].To].Kind; {
		case to < g.Nodes[node].Kind:
			down += g.Ports[id].Rate
		case to > g.Nodes[node].Kind:
			up += g.Ports[id].Rate
		}
	}
	return down, up
}

// Oversubscribed is the switch that is so most of those that send something of the plan's upwards, the first of several;
// false: none is.
func Oversubscribed(p *plan.Plan) (worst Over, is bool) {
	climbed := climbed(p)
	for id := range p.Graph.Nodes {
		node := topo.NodeID(id)
		down, up := linksBeside(p, node)
		if !climbed[node] || down <= up {
			continue
		}
		if n := worst.Switches; !is || float64(down)*float64(worst.Up) > float64(worst.Down)*float64(up) {
			worst, is = Over{node, down, up, n}, true
		}
		worst.Switches++
	}
	return worst, is
}

// climbed are the switches from which a queue pair's path goes up.
func climbed(p *plan.Plan) []bool {
	g := p.Graph
	all := make([]bool, len(g.Nodes))
	for i := range p.Pairs {
		for _, id := range p.Pairs[i].Path {
			at := g.Ports[id].Node
			if kind := g.Nodes[at].Kind; kind != topo.HostKind && g.Nodes[g.Ports[id].To].Kind > kind {
				all[at] = true
			}
		}
	}
	return all
}

// Ratio is how many times as much, such as 8:1 or 1.5:1.
func (o Over) Ratio() string {
	return strconv.FormatFloat(float64(o.Down)/float64(o.Up), 'g', 3, 64) + ":1"
}

// Text says it of the plan's network.
func (o Over) Text(p *plan.Plan) string {
	others := ""
	if n := o.Switches - 1; n > 0 {
		others = fmt.Sprintf("; %s has more below than above, too", unit.CountOf(int64(n), "switch"))
		if n > 1 {
			others = fmt.Sprintf("; %d more have more below than above, too", n)
		}
	}
	return fmt.Sprintf(oversubscription+"%s: %s has %v to what is below it and %v to what is above%s", o.Ratio(),
		p.Graph.Nodes[o.Node].Name, o.Down, o.Up, others)
}

const oversubscription = "oversubscription "

// NoteOf is the note of a run that says so, "" without one.
func NoteOf(notes []string) string {
	for _, n := range notes {
		if strings.HasPrefix(n, oversubscription) {
			return n
		}
	}
	return ""
}

// oversubscribed warns of it: traffic between leaves gets no more than the links above carry.
func oversubscribed(p *plan.Plan) []scenario.Finding {
	o, is := Oversubscribed(p)
	if !is {
		return nil
	}
	return []scenario.Finding{{Severity: scenario.Warning, Path: "fabric.spines", Message: o.Text(p),
		Hint: "more or faster uplinks (fabric.spines, fabric.links.spine), if traffic between leaves is to go at line rate"}}
}
