package planted

import (
	"fmt"
	"strings"
)

// shapeFamilies plant one fault under any traffic in any network: both are drawn.
var shapeFamilies = []Family{
	{"shape-lossy", drawShapeLossy},
	{"shape-speed", drawShapeSpeed},
	{"shape-flap", drawShapeFlap},
	{"shape-storm", drawShapeStorm},
	{"shape-incast", drawShapeIncast},
	{"shape-straggler", drawShapeStraggler},
	{"shape-pcie", drawShapePCIe},
	{"shape-inner-lossy", drawShapeInnerLossy},
	{"shape-inner-speed", drawShapeInnerSpeed},
	{"shape-inner-storm", drawShapeInnerStorm},
}

// A shape is a network with hosts, as text that is still open.
type shape struct {
	hosts, gpus, rate int
	parallel          bool // a host has several links to its switch
	topology          string
	nic, host, fabric string               // more keys of these groups, each with a comma before it
	edge              func(h int) string   // the switch that a host's first NIC is at
	inner             func(d *draw) string // a link between switches that traffic of the first half to the second crosses; nil: none
}

// link is the link of a host's first NIC.
func (s *shape) link(h int) string {
	name := fmt.Sprintf("%s/host%d", s.edge(h), h)
	if s.parallel {
		name += "#1"
	}
	return name
}

// ends are both directions of a link.
func ends(link string) string {
	name, number, several := strings.Cut(link, "#")
	a, b, _ := strings.Cut(name, "/")
	if several {
		number = "#" + number
	}
	return link + " or " + b + "/" + a + number
}

func one(name string) func(int) string { return func(int) string { return name } }

// shapes are the networks that are drawn.
var shapes = []func(d *draw) *shape{
	func(d *draw) *shape {
		return &shape{hosts: 2 * d.between(2, 3), gpus: 1, fabric: "design: single-switch", edge: one("rail1")}
	},
	func(d *draw) *shape {
		return &shape{hosts: 2 * d.between(1, 2), gpus: 2 * d.between(1, 2),
			fabric: "design: rail-optimized, spines: 1", edge: one("rail1")}
	},
	func(d *draw) *shape {
		return &shape{hosts: 4, gpus: 2, fabric: "design: rail-only", edge: one("rail1")}
	},
	func(d *draw) *shape {
		return &shape{hosts: 2, gpus: 4, fabric: "design: single-switch", nic: ", shared: true", edge: one("rail1")}
	},
	func(d *draw) *shape {
		return &shape{hosts: 2, gpus: 4, host: ", graph: preset", fabric: "design: rail-optimized, spines: 1", edge: one("rail1")}
	},
	func(d *draw) *shape { // leaves below two spines with room for all
		s := &shape{hosts: 4 * d.between(1, 2), gpus: 1, rate: d.rate()}
		s.fabric = fmt.Sprintf("design: leaf-spine, leaves: 2, spines: 2, links: {spine: %dGb/s}, balance: %s", s.hosts/2*s.rate,
			d.of("spray", "pinned"))
		s.edge = func(h int) string { return fmt.Sprintf("leaf%d", 1+(h-1)/(s.hosts/2)) }
		s.inner = func(d *draw) string { return fmt.Sprintf("leaf%d/spine%d", d.between(1, 2), d.between(1, 2)) }
		return s
	},
	func(d *draw) *shape { // leaves below one spine
		s := &shape{hosts: 4, gpus: 2, rate: d.rate(), parallel: true}
		s.fabric = fmt.Sprintf("design: leaf-spine, leaves: 2, spines: 1, links: {spine: %dGb/s}", 4*s.rate)
		s.edge = func(h int) string { return fmt.Sprintf("leaf%d", 1+(h-1)/2) }
		s.inner = func(d *draw) string { return fmt.Sprintf("leaf%d/spine1", d.between(1, 2)) }
		return s
	},
	func(d *draw) *shape { // a star from a file
		s := &shape{hosts: 2 * d.between(2, 3), gpus: 1, rate: d.rate(), edge: one("mid")}
		s.topology, _, _ = strings.Cut(star(s.hosts, s.rate), "cluster:")
		s.fabric = "design: custom, topology: " + TopologyFile
		return s
	},
	func(d *draw) *shape { // three switches in a row
		s := &shape{hosts: 6, gpus: 1, rate: d.rate()}
		var b strings.Builder
		for i := range s.hosts {
			fmt.Fprintf(&b, "#topology host host%d\n", i+1)
		}
		b.WriteString("#topology switch a leaf\n#topology switch b leaf\n#topology switch c leaf\n")
		at := func(h int) string { return []string{"a", "b", "c"}[(h-1)/2] }
		for i := range s.hosts {
			fmt.Fprintf(&b, "#topology link host%d %s %dGb/s 20m\n", i+1, at(i+1), s.rate)
		}
		fmt.Fprintf(&b, "#topology link a b %[1]dGb/s 20m\n#topology link b c %[1]dGb/s 20m\n", 4*s.rate)
		s.topology, s.edge, s.fabric = b.String(), at, "design: custom, topology: "+TopologyFile
		s.inner = func(d *draw) string { return d.of("a/b", "b/c") }
		return s
	},
	func(d *draw) *shape { // three tiers
		s := &shape{hosts: 8, gpus: 1, rate: d.rate()}
		s.topology = pods(s.hosts, s.rate)
		s.fabric = "design: custom, topology: " + TopologyFile + ", balance: " + d.of("spray", "pinned")
		s.edge = func(h int) string { return fmt.Sprintf("leaf%d", 1+2*((h-1)%2)+(h-1)/2%2) }
		s.inner = func(d *draw) string {
			return d.of("spine1/core1", "spine3/core1", "spine2/core2", "leaf1/spine1", "leaf3/spine4")
		}
		return s
	},
	func(d *draw) *shape {
		s := &shape{hosts: 12, gpus: 1, rate: d.rate()}
		s.fabric = fmt.Sprintf("design: dragonfly, dragonfly: {groups: 3, routers: 2, global: 1, "+
			"global_rate: %[1]dGb/s, local_rate: %[1]dGb/s}", 8*s.rate)
		s.edge = func(h int) string { return fmt.Sprintf("router%d", 1+(h-1)/2) }
		return s
	},
}

// shaped draws a network; inner: one that has links between switches.
func (d *draw) shaped(inner bool) *shape {
	for {
		s := shapes[d.below(len(shapes))](d)
		if s.rate == 0 {
			s.rate = d.rate()
		}
		if !inner || s.inner != nil {
			return s
		}
	}
}

// text is the network with hosts as a scenario has it. Where packets are sprayed receivers take any order: else what they repeat for
// want of that hides whatever is planted.
func (s *shape) text(more, slow string) string {
	if strings.Contains(s.fabric, "spray") && !strings.Contains(more, "receiver:") {
		if !strings.Contains(more, "transport: {") {
			more += "transport: {}\n"
		}
		more = strings.Replace(more, "transport: {", "transport: {receiver: direct, ", 1)
		more = strings.Replace(more, ", }", "}", 1)
	}
	if slow != "" {
		slow = ", slow: [" + slow + "]"
	}
	return s.topology + fmt.Sprintf("cluster: {hosts: %d, host: {gpus: %d%s}, nic: {speed: %dGb/s%s}%s}\nfabric: {%s}\n", s.hosts, s.gpus,
		s.host, s.rate, s.nic, slow, s.fabric) + more
}

// traffic draws what goes on in a network, between all hosts; and whether ranks compute. Flows are from the first half of the hosts
// to the second.
func (d *draw) traffic(s *shape, computes bool) string {
	ranks := s.hosts * s.gpus
	steps := []string{"replay", "dp", "dp", "pp", "tp", "gpt", "zero"}
	kinds := steps
	if !computes {
		kinds = append([]string{"flows", "flows", "collective", "collective", "collective"}, steps...)
	}
	switch kind := d.of(kinds...); kind {
	case "flows":
		text := "job:\n  flows:\n"
		for i := range s.hosts / 2 {
			text += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, bytes: %s}\n", i+1, i+1+s.hosts/2,
				bytes(s.rate, d.between(150, 250)))
		}
		return text
	case "collective":
		op := d.of("all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "all-to-all", "gather", "scatter", "all-reduce")
		return fmt.Sprintf("job:\n  collectives: [{op: %s, bytes: %s, warmup: 0, iterations: 2%s}]\n", op,
			bytes(s.rate*s.gpus, d.between(200, 400)), d.of("", ", protocol: none"))
	case "replay":
		return fmt.Sprintf("job:\n  replay: {forward: %dus, steps: 3, "+
			"buckets: [{bytes: %[2]s, compute: %dus}, {bytes: %[2]s, compute: 20us}]}\n",
			d.between(20, 60), bytes(s.rate, d.between(30, 60)), d.between(10, 30))
	case "pp":
		return fmt.Sprintf("job:\n  parallel: {pp: 2, micro_batches: %d}\n", d.between(1, 2)*2) + digits("[784, 512, 10]", 16)
	case "tp":
		if s.gpus > 1 {
			return "job:\n  parallel: {tp: 2}\n" + digits("[784, 128, 10]", 16)
		}
	case "gpt":
		tp := ""
		if s.gpus > 1 {
			tp = "tp: 2, "
		}
		return "job:\n  parallel: {" + tp + "pp: 2, micro_batches: 2}\n  train:\n    model: gpt\n" +
			"    gpt: {size: 32, blocks: 2, heads: 4}\n" +
			fmt.Sprintf("    data: {text: {window: 16, grammar: {train: %d, test: 20}}}\n", 100*ranks) +
			"    batch: 4\n    steps: 3\n    lr: 0.01\n"
	case "zero":
		return fmt.Sprintf("job:\n  parallel: {zero: %d}\n", d.between(1, 3)) + digits("[784, 128, 10]", 16)
	}
	return "job:\n" + digits("[784, 256, 10]", 16)
}

func (d *draw) controlled() string {
	return d.of(none, none, "", "congestion: {algorithm: hpcc}\n", "congestion: {algorithm: swift}\n")
}

func drawShapeLossy(d *draw) string {
	s := d.shaped(false)
	at := s.link(d.between(1, s.hosts))
	return "# A host's link loses frames.\n# noun: lossy link, timeout at " + ends(at) + "\n# cure: without faults[0]\n" +
		s.text(d.controlled()+"transport: {timeout: 200us"+d.of("", ", receiver: direct")+"}\n", "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, drop: 0.0%d}\n", at, d.between(2, 5)))
}

func drawShapeSpeed(d *draw) string {
	s := d.shaped(false)
	at := s.link(d.between(1, s.hosts))
	return "# A host's link came up slow.\n# noun: slow link at " + ends(at) + "\n# cure: without faults[0]\n" +
		s.text(d.controlled(), "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, speed: %dGb/s}\n", at, s.rate/d.between(5, 20)))
}

func drawShapeFlap(d *draw) string {
	s := d.shaped(false)
	at := s.link(d.between(1, s.hosts))
	return "# A host's link goes down for a while, twice.\n# noun: link down at " + ends(at) + "\n# cure: without faults[0]\n" +
		s.text(none+"transport: {timeout: 100us}\n", "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, at: %dus, down: %dus, count: 2, every: 400us}\n", at,
			d.between(30, 80), d.between(100, 200)))
}

func drawShapeStorm(d *draw) string {
	s := d.shaped(false)
	at := s.link(d.between(1+s.hosts/2, s.hosts))
	return "# A NIC pauses its switch without end.\n# noun: PFC storm at " + at + "\n# cure: without faults[0]\n" +
		s.text(d.controlled(), "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, at: %dus, storm: %dus}\n", at, d.between(20, 60), d.between(300, 500)))
}

func drawShapeIncast(d *draw) string {
	s := d.shaped(false)
	n, to := d.between(2, 4), d.between(1+s.hosts/2, s.hosts)
	job := d.traffic(s, false)
	from := ""
	for i, k := 1, 0; k < n; i++ {
		if h := 1 + i%s.hosts; h != to {
			from += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, bytes: %s, count: 2, every: %dus}\n", h, to,
				bytes(s.rate, d.between(200, 300)), d.between(200, 300))
			k++
		}
	}
	noun := "incast at " + s.link(to)
	if s.hosts == 2 { // there is one to send: they meet at its NIC before
		noun = "incast, NIC shared at " + ends(s.link(3-to)) + " or " + s.link(to)
	}
	return "# Others send to a host of the job.\n# noun: " + noun +
		"\n# cure: without all background flows or without the\n" +
		s.text(d.controlled(), "") + job + planted("background:\n  flows:\n"+from)
}

func drawShapeStraggler(d *draw) string {
	s := d.shaped(false)
	ranks := s.hosts * s.gpus
	rank, factor, more, job := d.between(0, ranks-1), d.between(4, 8), d.controlled(), d.traffic(s, true)
	job = strings.Replace(job, "forward: ", "forward: 1", 1) // long enough to count
	with, without := s.text("", fmt.Sprintf("{rank: %d, factor: %d}", rank, factor)), s.text("", "")
	split := func(text string) (topology, cluster, fabric string) {
		i, k := strings.Index(text, "cluster:"), strings.Index(text, "fabric:")
		return text[:i], text[i:k], text[k:]
	}
	topology, slow, fabric := split(with)
	_, fast, _ := split(without)
	return fmt.Sprintf("# A GPU is slow.\n# noun: straggler at rank %[1]d\n# cure: with rank %[1]d as the other ranks\n", rank) + topology +
		planted(slow) + "#instead " + fast + fabric + more + job
}

func drawShapePCIe(d *draw) string {
	s := d.shaped(false)
	at := d.between(1, s.hosts)
	return "# PCIe of a host carries next to nothing.\n# noun: PCIe-bound, slow receiver, PCIe shared\n# cure: without faults[0]\n" +
		s.text(d.controlled(), "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {host: host%d, pcie: %dGb/s}\n", at, max(1, s.rate/d.between(10, 20))))
}

func drawShapeInnerLossy(d *draw) string {
	s := d.shaped(true)
	at := s.inner(d)
	return "# A link between switches loses frames.\n# noun: lossy link, timeout at " + ends(at) + "\n# cure: without faults[0]\n" +
		s.text(d.controlled()+"transport: {timeout: 200us, receiver: direct}\n", "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, drop: 0.0%d}\n", at, d.between(2, 5)))
}

func drawShapeInnerSpeed(d *draw) string {
	s := d.shaped(true)
	at := s.inner(d)
	return "# A link between switches came up slow.\n# noun: slow link at " + ends(at) + "\n# cure: without faults[0]\n" +
		s.text(d.controlled()+"transport: {receiver: direct}\n", "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, speed: %dGb/s}\n", at, max(1, s.rate/d.between(5, 20))))
}

func drawShapeInnerStorm(d *draw) string {
	s := d.shaped(true)
	at := s.inner(d)
	_, sender, _ := strings.Cut(at, "/")
	return "# A switch's PFC is stuck towards another.\n# noun: PFC storm at " + at + "\n# cure: without faults[0]\n" +
		s.text(d.controlled()+"transport: {receiver: direct}\n", "") + d.traffic(s, false) +
		planted(fmt.Sprintf("faults:\n  - {link: %s, sender: %s, at: 20us, storm: %dus}\n", at, sender, d.between(300, 500)))
}
