package network

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Model gives the switches their model, and reports what does not fit one: too many cables, or
// cables that are too fast.
func Model(sc *scenario.Scenario, g *topo.Graph) error {
	sw := &sc.Fabric.Switch
	var full, fast []string
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == topo.HostKind {
			continue
		}
		if sw.Model != "any" && n.Model == "" {
			n.Model = sw.Model
		}
		rates := map[unit.Bitrate]int{}
		for _, port := range n.Ports {
			rates[g.Ports[port].Rate]++
		}
		if used := panel(&sc.Fabric).Needs(g, topo.NodeID(i)); sw.Ports.Set && used > sw.Ports.Value {
			full = append(full, fmt.Sprintf("%s needs %d", n.Name, used))
		}
		for _, r := range slices.Sorted(maps.Keys(rates)) {
			if sw.PortRate.Set && r > sw.PortRate.Value {
				fast = append(fast, fmt.Sprintf("%s has a link of %s", n.Name, r))
			}
		}
	}
	var all located.Problems
	for _, c := range []struct {
		path, most string
		wrong      []string
	}{{"fabric.switch.ports", fmt.Sprintf("%d ports", sw.Ports.Value), full},
		{"fabric.switch.port_rate", "ports of " + sw.PortRate.Value.String(), fast}} {
		if len(c.wrong) == 0 {
			continue
		}
		text := c.wrong[0]
		if more := len(c.wrong) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more alike or worse)", more)
		}
		if sw.Model != "any" { // most often the model says it
			c.path = "fabric.switch.model"
		}
		all = append(all, sc.Located(scenario.Finding{
			Severity: scenario.Error,
			Path:     c.path,
			Message:  strings.Join([]string{text, "want at most " + c.most}, ", "),
			Hint:     "another fabric.switch.model, fewer hosts a switch, or fabric.switch.breakout",
		}))
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// panel is the front of a switch.
func panel(f *scenario.Fabric) inventory.Panel {
	sw := &f.Switch
	return inventory.Panel{Ports: sw.Ports.Or(0), Rows: sw.PanelRows, Breakout: sw.Breakout, Rate: sw.PortRate.Or(0),
		ByHost: f.Ports == "by-host"}
}
