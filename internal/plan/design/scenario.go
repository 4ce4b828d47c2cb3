package design

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Lengths returns the longest cable of each tier of the backend: what a scenario has.
func (l *Layout) Lengths() sizing.Lengths {
	out := sizing.Lengths{Host: unit.Metre, Spine: unit.Metre, Super: unit.Metre}
	tier := map[string]topo.Kind{}
	for i, kind := range []topo.Kind{topo.Leaf, topo.Spine, topo.SuperSpine} {
		for _, prefix := range [][]string{{"leaf", "rail", "router"}, {"spine"}, {"superspine"}}[i] {
			tier[prefix] = kind
		}
	}
	for i := range l.Cables {
		c := &l.Cables[i]
		if c.Net != Backend {
			break
		}
		low := min(kindOf(c.From.Device, tier), kindOf(c.To.Device, tier))
		switch low {
		case topo.HostKind:
			out.Host = max(out.Host, c.Length)
		case topo.Leaf:
			if c.Between {
				out.Super = max(out.Super, c.Length)
				continue
			}
			out.Spine = max(out.Spine, c.Length)
		default:
			out.Super = max(out.Super, c.Length)
		}
	}
	return out
}

// kindOf is the tier of a device of the backend, by its name.
func kindOf(d *Device, tier map[string]topo.Kind) topo.Kind {
	return tier[strings.TrimRight(d.Name, "0123456789")]
}

// Scenario writes the scenario of a backend with all places for hosts taken, which plays some collectives of
// so many bytes. It is the text of a file.
func Scenario(r *scenario.Requirement, o *Option, l sizing.Lengths, bytes unit.Bytes, ops ...string) []byte {
	w := o.Backend()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Made by railyard design: %s, %s. Segments of a scenario are full: %d hosts.", r.Name, o.Design, w.Room())
	line("name: %s-%s", shortened(r.Name), o.Design)
	line("cluster:")
	line("  hosts: %d", w.Room())
	line("  host: {preset: %s, gpus: %d}", r.Host.Preset, r.Host.GPUs)
	nic := fmt.Sprintf("speed: %v, per_gpu: %d", r.NIC.Speed, r.NIC.PerGPU/w.Bond)
	switch {
	case w.Bond > 1:
		nic += fmt.Sprintf(", ports: %d", w.Bond)
	case r.NIC.SharedBy > 1:
		nic = fmt.Sprintf("speed: %v, shared_by: %d", r.NIC.Speed, r.NIC.SharedBy)
	}
	line("  nic: {%s}", nic)
	line("fabric:")
	line("  design: %s", w.Design)
	writeShape(line, w, l)
	writeLinks(line, w, l)
	writeSwitches(line, r, w)
	if w.PlaneSupers > 0 { // with equal seeds spines would choose as the leaves before them did
		line("  hash: {seed: per-switch}")
	}
	line("job:")
	line("  collectives:")
	for _, op := range ops {
		line("    - {op: %s, bytes: %v, iterations: 1, warmup: 0}", op, bytes)
	}
	return []byte(b.String())
}

// shortened leaves room for the name of a design in that of a scenario.
func shortened(name string) string { return name[:min(len(name), 40)] }

// writeShape writes what a design has of its own.
func writeShape(line func(string, ...any), w *sizing.Network, l sizing.Lengths) {
	switch w.Design {
	case topo.DesignRailOnly, topo.DesignRailOptimized:
		line("  segment: %d", w.Segment)
		line("  rails_per_leaf: %d", w.RailsPerLeaf)
	case topo.DesignLeafSpine:
		line("  leaves: %d", w.Leaves())
	}
	if w.Design == topo.DesignDragonfly {
		line("  dragonfly:")
		line("    groups: %d", w.Pods)
		line("    routers: %d", w.Segments/w.Pods)
		line("    global: %d", w.Global)
		line("    local_rate: %v", w.SpineRate)
		line("    local_length: %v", l.Spine)
		line("    global_length: %v", l.Super)
		return
	}
	if w.Design == topo.DesignRailOptimized || w.Design == topo.DesignLeafSpine {
		line("  spines: %d", w.PodSpines)
	}
	if w.Planes > 1 {
		line("  planes: %d", w.Planes)
	}
	if w.Pods > 1 {
		line("  pods: %d", w.Pods)
		line("  superspines: %d", w.PlaneSupers)
		line("  superspine_groups: %d", w.Groups)
	}
}

// writeLinks writes the cables, each tier as long as its longest.
func writeLinks(line func(string, ...any), w *sizing.Network, l sizing.Lengths) {
	line("  links:")
	line("    host: %v", w.HostRate)
	line("    length: %v", l.Host)
	if w.PodSpines > 0 {
		line("    spine: %v", w.SpineRate)
		line("    spine_length: %v", l.Spine)
		line("    parallel: %d", w.Parallel)
	}
	if w.PlaneSupers > 0 {
		line("    superspine: %v", w.SuperRate)
		line("    superspine_length: %v", l.Super)
		line("    superspine_parallel: %d", w.SuperParallel)
	}
}

// writeSwitches writes the switches: by the model where all are alike and a scenario knows it.
func writeSwitches(line func(string, ...any), r *scenario.Requirement, w *sizing.Network) {
	tiers := w.Tiers()
	leaf := r.Switch(w.Leaf.Model)
	alike := true
	for _, t := range tiers {
		alike = alike && t.Switch.Model == w.Leaf.Model
	}
	switch {
	case !alike || leaf.Uplinks > 0:
	case scenario.KnowsModel(leaf) && leaf.Breakout > 1:
		line("  switch: {model: %s, breakout: %d}", leaf.Name, leaf.Breakout)
		return
	case scenario.KnowsModel(leaf):
		line("  switch: {model: %s}", leaf.Name)
		return
	case leaf.Buffer > 0:
		line("  switch: {ports: %d, port_rate: %v, breakout: %d, buffer: %v}", leaf.Ports, leaf.Rate, max(leaf.Breakout, 1),
			leaf.Buffer)
		return
	default:
		line("  switch: {ports: %d, port_rate: %v, breakout: %d}", leaf.Ports, leaf.Rate, max(leaf.Breakout, 1))
		return
	}
	if leaf.Buffer > 0 {
		line("  switch: {buffer: %v}", leaf.Buffer)
	}
	var profiles []string
	for _, t := range tiers[1:] {
		if m := r.Switch(t.Switch.Model); m.Buffer > 0 {
			profiles = append(profiles, fmt.Sprintf("    - {match: %q, buffer: %v}", t.Role+"*", m.Buffer))
		}
	}
	if len(profiles) > 0 {
		line("  switches:")
		line("%s", strings.Join(profiles, "\n"))
	}
}

// Slice returns an option with few hosts: as many segments of the design as there may be with so many, two at
// least, sized anew with the same switches, rates and ratios. It says how many hosts it has.
func Slice(r *scenario.Requirement, o *Option) (*Option, error) {
	w := o.Backend()
	need := w.Need
	need.Hosts = min(r.Simulate.Hosts, w.Hosts)
	need.Pods, need.Leaves, need.Spines, need.SuperSpines = 0, 0, 0, 0
	if w.PodSpines > 0 || w.Design == topo.DesignDragonfly {
		need.Segment = min(w.Segment, max(need.Hosts/2, 1))
	} else {
		need.Segment = 0
	}
	s, err := sizing.Size(need)
	if err != nil {
		return nil, err
	}
	return &Option{Design: o.Design, Nets: []*Net{{Name: Backend, Sized: s, Machines: need.Hosts, hosts: need.Hosts}}}, nil
}
