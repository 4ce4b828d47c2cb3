package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/judge"
)

// fabric is one of the networks on which faults are planted.
type fabric struct {
	name        string
	hosts, gpus int
	network     string // lines of fabric
	tight       string // the same with links between switches that the job can fill
	deep        string // of three tiers, both of which choose
	few         string // with as many links up as hosts of the job at a first switch
	packed      int    // hosts at the same first switches in tight
	job         []int  // hosts of the job: some at each first switch
	ranks       int    // on each of them
}

// fabrics are of 32, 64, 128 and 256 GPUs. Jobs have two ranks of a host or more, so that a rank is not a host, and 24 to 48 in all:
// what a run costs goes with their number, squared, and not with that of GPUs.
var fabrics = []fabric{
	{"leaf-spine-32", 16, 2, "design: leaf-spine\n  leaves: 4\n  spines: 4",
		"design: leaf-spine\n  leaves: 4\n  spines: 2\n  links: {spine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 4\n  spines: 2\n  pods: 2\n  superspines: 4\n  links: {spine: 200Gb/s, superspine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 4\n  spines: 4\n  links: {spine: 200Gb/s}", 4, upTo(1, 12), 2},
	{"rails-64", 16, 4, "design: rail-optimized\n  spines: 2\n  segment: 8",
		"design: rail-optimized\n  spines: 2\n  segment: 4\n  links: {spine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 4\n  spines: 2\n  pods: 2\n  superspines: 4\n  links: {spine: 200Gb/s, superspine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 4\n  spines: 4\n  links: {spine: 200Gb/s}", 4, upTo(1, 12), 4},
	{"pods-128", 32, 4, "design: leaf-spine\n  leaves: 8\n  spines: 4\n  pods: 2\n  superspines: 4",
		"design: leaf-spine\n  leaves: 8\n  spines: 2\n  pods: 2\n  superspines: 4\n  links: {spine: 200Gb/s, superspine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 8\n  spines: 2\n  pods: 2\n  superspines: 4\n  links: {spine: 200Gb/s, superspine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 8\n  spines: 2\n  pods: 2\n  superspines: 8\n  links: {spine: 200Gb/s, superspine: 200Gb/s}",
		4, eachOf(8, 4, 2), 2},
	{"leaf-spine-256", 32, 8, "design: leaf-spine\n  leaves: 4\n  spines: 8",
		"design: leaf-spine\n  leaves: 4\n  spines: 2\n  links: {spine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 8\n  spines: 2\n  pods: 4\n  superspines: 4\n  links: {spine: 200Gb/s, superspine: 200Gb/s}",
		"design: leaf-spine\n  leaves: 4\n  spines: 4\n  links: {spine: 200Gb/s}", 8, eachOf(4, 8, 4), 2},
}

func upTo(from, to int) (all []int) {
	for h := from; h <= to; h++ {
		all = append(all, h)
	}
	return all
}

// eachOf is the first n hosts at each of so many switches with so many hosts.
func eachOf(switches, hosts, n int) (all []int) {
	for s := range switches {
		all = append(all, upTo(1+s*hosts, s*hosts+n)...)
	}
	return all
}

// spare are the hosts that the job leaves free.
func (f *fabric) spare() (all []int) {
	for h := 1; h <= f.hosts; h++ {
		if !slices.Contains(f.job, h) {
			all = append(all, h)
		}
	}
	return all
}

// planted is a case.
type planted struct {
	key    string // kind, fabric, draw, seed
	kind   kind
	base   string // scenario in order
	text   string // scenario with the fault
	want   []judge.Mechanism
	places []string // of which the answer must be one
	shown  *seen    // what it shows, where it was run to be drawn
}

// kind is a kind of fault.
type kind struct {
	name  string
	want  []judge.Mechanism
	heavy bool // planted where switches mark
	tight bool // planted where links between switches are full
	rings bool // planted where a few large flows cross them
	deep  bool // planted where there are three tiers

	single bool // and there are no equal ones; the job is as small as fits at the same first switches
	plant  func(d *drawing) (faults string, places []string)
}

// drawing draws a place and a strength.
type drawing struct {
	splitmix.Stream
	*fabric
	graph  *topo.Graph
	edge   []string // leaf/host
	uplink []string // leaf/spine and spine/superspine
}

func (d *drawing) below(n int) int        { return int(d.Next() % uint64(n)) }
func (d *drawing) between(a, b int) int   { return a + d.below(b-a+1) }
func (d *drawing) of(all []string) string { return all[d.below(len(all))] }
func (d *drawing) host() int              { return d.job[d.below(len(d.job))] }

// link draws an edge link, or one between switches if the job uses some.
func (d *drawing) link() string {
	if len(d.uplink) > 0 && d.below(2) == 0 {
		return d.of(d.uplink)
	}
	return d.of(d.edge)
}

// back is the name of the other direction of a link.
func back(port string) string {
	number := ""
	if i := strings.IndexByte(port, '#'); i >= 0 {
		port, number = port[:i], port[i:]
	}
	a, b, _ := strings.Cut(port, "/")
	return b + "/" + a + number
}

func both(port string) []string { return []string{port, back(port)} }

func (d *drawing) switchOf(port string) string { s, _, _ := strings.Cut(port, "/"); return s }

const storm = "\n  qos: {pfc: {watchdog: {detect: 100us, restore: 100us}}}"

// kinds are the kinds of fault.
var kinds = []kind{
	{name: "lossy optic", want: []judge.Mechanism{judge.LossyOptic}, plant: func(d *drawing) (string, []string) {
		l := d.link()
		return fmt.Sprintf("{link: %q, bit_errors: %de-8}", l, d.between(10, 200)), both(l)
	}},
	{name: "flapping link", want: []judge.Mechanism{judge.Flapping}, plant: func(d *drawing) (string, []string) {
		l := d.link()
		return fmt.Sprintf("{link: %q, at: %dus, down: %dus, count: %d, every: 100us}", l, d.between(5, 80), d.between(10, 50),
			d.between(2, 4)), both(l)
	}},
	{name: "link down", want: []judge.Mechanism{judge.DownRerouted, judge.DownNotMoved}, plant: func(d *drawing) (string, []string) {
		l, more := d.link(), ""
		if d.below(2) == 0 && slices.Contains(d.uplink, l) {
			more = fmt.Sprintf(", convergence: %dus", d.between(10, 60))
		}
		return fmt.Sprintf("{link: %q, at: %dus, down: %dus%s}", l, d.between(5, 200), d.between(100, 400), more), both(l)
	}},
	{name: "degraded speed", want: []judge.Mechanism{judge.Degraded}, plant: func(d *drawing) (string, []string) {
		l := d.link()
		return fmt.Sprintf("{link: %q, speed: %dGb/s}", l, d.between(10, 120)), both(l)
	}},
	{name: "storm by a NIC", want: []judge.Mechanism{judge.StuckNIC}, plant: func(d *drawing) (string, []string) {
		l := d.of(d.edge)
		return fmt.Sprintf("{link: %q, at: %dus, storm: %dus}", l, d.between(5, 150), d.between(150, 600)), []string{l}
	}},
	{name: "storm by a switch", want: []judge.Mechanism{judge.StuckSwitch}, plant: func(d *drawing) (string, []string) {
		l := d.link()
		if slices.Contains(d.uplink, l) && d.below(2) == 0 {
			return fmt.Sprintf("{link: %q, sender: %s, at: %dus, storm: %dus}", l, d.switchOf(back(l)), d.between(5, 150),
				d.between(150, 600)), []string{l}
		}
		return fmt.Sprintf("{link: %q, sender: %s, at: %dus, storm: %dus}", l, d.switchOf(l), d.between(5, 150),
			d.between(150, 600)), []string{back(l)}
	}},
	{name: "watchdog acting", want: []judge.Mechanism{judge.WatchdogActs}, plant: func(d *drawing) (string, []string) {
		l := d.of(d.edge)
		return fmt.Sprintf("{link: %q, at: %dus, storm: %dus}", l, d.between(5, 150), d.between(400, 900)), []string{l}
	}},
	{name: "ECN off", heavy: true, tight: true, want: []judge.Mechanism{judge.NoMarking}, plant: func(d *drawing) (string, []string) {
		s := d.switchOf(d.of(d.edge))
		return fmt.Sprintf("{port: %q, config: {ecn: false}}", s+"/*"), []string{s}
	}},
	{name: "wrong DSCP map", heavy: true, want: []judge.Mechanism{judge.OtherClass}, plant: func(d *drawing) (string, []string) {
		s := d.switchOf(d.of(d.edge))
		return fmt.Sprintf("{port: %q, config: {dscp: %d}}", s+"/*", d.between(1, 20)), []string{s}
	}},
	{name: "thresholds drifted", heavy: true, tight: true, want: []judge.Mechanism{judge.Drifted, judge.NoMarking},
		plant: func(d *drawing) (string, []string) {
			s := d.switchOf(d.of(d.edge))
			min, max := d.between(2, 8), d.between(10, 20)
			if d.below(2) == 0 {
				min, max = d.between(2000, 4000), d.between(5000, 8000)
			}
			return fmt.Sprintf("{port: %q, config: {min: %dkB, max: %dkB}}", s+"/*", min, max), []string{s}
		}},
	{name: "wrong MTU", want: []judge.Mechanism{judge.SmallMTU}, plant: func(d *drawing) (string, []string) {
		l := d.link()
		return fmt.Sprintf("{port: %q, at: %dus, for: %dus, config: {mtu: %dB}}", l, d.between(5, 100), d.between(100, 400),
			d.between(1000, 1600)), both(l)
	}},
	{name: "hash polarisation", heavy: true, deep: true, want: []judge.Mechanism{judge.Polarised}, plant: nil},
	{name: "ECMP collision", rings: true, want: []judge.Mechanism{judge.Collision}, plant: nil},
	{name: "incast by another job", want: []judge.Mechanism{judge.ForeignIncast}, plant: nil},
	{name: "slow GPU", want: []judge.Mechanism{judge.SlowGPU}, plant: func(d *drawing) (string, []string) {
		h, g := d.host(), d.below(d.ranks)
		name := fmt.Sprintf("host%d/gpu%d", h, g)
		return fmt.Sprintf("{gpu: host%d/gpu%d, slow: %d/100}", h, g, d.between(115, 300)), []string{name}
	}},
	{name: "slow PCIe", want: []judge.Mechanism{judge.SlowPCIe}, plant: func(d *drawing) (string, []string) {
		h := d.host()
		return fmt.Sprintf("{host: host%d, pcie: %dGb/s}", h, d.between(20, 120)), []string{fmt.Sprintf("host%d", h)}
	}},
	{name: "missing peer memory", want: []judge.Mechanism{judge.NoPeerMemory}, plant: func(d *drawing) (string, []string) {
		h := d.host()
		return fmt.Sprintf("{host: host%d, staged: true}", h), []string{fmt.Sprintf("host%d", h)}
	}},
	{name: "dead rank", want: []judge.Mechanism{judge.DeadRank}, plant: func(d *drawing) (string, []string) {
		h, g := d.host(), d.below(d.ranks)
		name := fmt.Sprintf("host%d/gpu%d", h, g)
		return fmt.Sprintf("{gpu: host%d/gpu%d, at: %dus, hang: 1h}", h, g, d.between(20, 300)), []string{name}
	}},
	{name: "host hang", want: []judge.Mechanism{judge.HostHang}, plant: func(d *drawing) (string, []string) {
		h, long := d.host(), fmt.Sprintf("%dus", d.between(200, 800))
		if d.below(2) == 0 {
			long = "1h"
		}
		return fmt.Sprintf("{host: host%d, at: %dus, hang: %s}", h, d.between(20, 250), long), []string{fmt.Sprintf("host%d", h)}
	}},
	{name: "fragmented placement", heavy: true, tight: true, single: true, want: []judge.Mechanism{judge.Fragmented}, plant: nil},
}

// oneWay finds how many spines there are.
var oneWay = regexp.MustCompile(`(spines: )\d+`)

// base is the scenario in order.
func (f *fabric) base(seed uint64, k *kind, more string) string {
	network, hosts, ranks, pairs := f.network, f.job, f.ranks, ""
	switch {
	case k.single:
		network, hosts = oneWay.ReplaceAllString(f.tight, "${1}1"), upTo(1, f.packed)
	case k.deep:
		network, ranks = f.deep, 2
	case k.rings:
		network, ranks, pairs = f.few, 1, ", qps_per_connection: 1"
	case k.tight:
		network = f.tight
	}
	job := "replay: {forward: 40us, steps: 3, buckets: [{bytes: 300kB, compute: 30us}, {bytes: 300kB, compute: 30us}]}"
	switch {
	case k.heavy:
		job = "collectives: [{op: all-to-all, bytes: 1MB, iterations: 2}]"
	case k.rings:
		job = "collectives: [{op: all-to-all, bytes: 2MB, warmup: 0, iterations: 2}]"
	}
	gpus := "gpu0"
	if ranks > 1 {
		gpus += fmt.Sprintf("-gpu%d", ranks-1)
	}
	return fmt.Sprintf("seed: %d\ncluster:\n  hosts: %d\n  host: {gpus: %d, pcie: 26GB/s}\n"+
		"  nic: {speed: 200Gb/s, receive_buffer: 256kB}\n"+
		"fabric:\n  %s%s\ntransport: {timeout: 300us%s}\njob:\n  watchdog: 3ms\n  hosts: [%s]\n  gpus: [%s]\n  %s\n"+
		"output: {telemetry: 20us, flows: false, queues: false}\n", seed, f.hosts, f.gpus, network, more, pairs, names(hosts), gpus, job)
}

// names lists hosts as a scenario has them.
func names(hosts []int) string {
	var all []string
	for _, h := range hosts {
		all = append(all, fmt.Sprintf("host%d", h))
	}
	return strings.Join(all, ", ")
}

// draw makes the n-th case of a kind on a fabric.
func (b *bench) draw(k kind, f *fabric, n int, seed uint64) (planted, error) {
	c := planted{key: fmt.Sprintf("%s|%s|%d|%d", k.name, f.name, n, seed), kind: k, want: k.want}
	c.base = f.base(seed, &k, "\n  balance: pinned")
	if k.name == "watchdog acting" {
		c.base = f.base(seed, &k, "\n  balance: pinned"+storm)
	}
	order, err := b.inOrder(c.base)
	if err != nil {
		return c, err
	}
	g := order.graph
	d := &drawing{Stream: splitmix.Stream(splitmix.Mix(splitmix.Mix(uint64(n)*1000+seed) ^ hashOf(k.name+f.name))), fabric: f, graph: g}
	d.find(order.of)
	if k.plant != nil {
		faults, places := k.plant(d)
		c.text, c.places = c.base+"faults:\n  - "+faults+"\n", places
		return c, nil
	}
	switch k.name {
	case "hash polarisation":
		c.text, c.places = f.base(seed+uint64(n)*17, &k, "\n  balance: ecmp\n  hash: {seed: same}"), []string{topo.Spine.String()}
	case "ECMP collision":
		return c, b.collide(&c, f, n, seed)
	case "incast by another job":
		to := d.host()
		c.text = c.base + "background:\n  flows:\n"
		from := f.spare()
		for i := range d.between(2, 4) {
			c.text += fmt.Sprintf("    - {from: host%d/nic%d, to: host%d/nic0, bytes: %dkB, start: %dus}\n", from[i], 0, to,
				d.between(1000, 6000), d.between(0, 60))
		}
		for i := range g.Ports {
			if p := &g.Ports[i]; g.Nodes[p.To].Name == fmt.Sprintf("host%d", to) && g.Ports[i^1].NIC == g.Hosts[to-1].NICs[0] {
				c.places = append(c.places, p.Name)
			}
		}
	case "fragmented placement":
		hosts := make([]int, f.hosts)
		for i := range hosts {
			j := d.below(i + 1)
			hosts[i], hosts[j] = hosts[j], i+1
		}
		hosts = hosts[:f.packed]
		slices.Sort(hosts)
		for _, h := range hosts {
			if h > f.packed {
				c.places = append(c.places, fmt.Sprintf("host%d", h))
			}
		}
		c.text = strings.Replace(c.base, names(upTo(1, f.packed)), names(hosts), 1)
	}
	return c, nil
}

// mostChances is how many hashes are drawn until flows meet.
const mostChances = 50

// collide draws hashes until flows meet by chance: until explain, which knows every path, says that a choice among equal links cost
// 1 % or more of the time. It must be named at one of the ports of which explain says so.
func (b *bench) collide(c *planted, f *fabric, n int, seed uint64) (err error) {
	for i := range uint64(mostChances) {
		c.text = f.base(seed+uint64(n)*1009+i*100_003, &c.kind, "\n  balance: ecmp\n  hash: {seed: per-switch}")
		if c.shown, err = b.play(c.text); err != nil {
			return err
		}
		if c.places = c.shown.uneven; len(c.places) > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s: no flows met in %d draws", c.key, mostChances)
}

// find finds the ports that the job uses.
func (d *drawing) find(t *telemetry.Telemetry) {
	for _, s := range t.Find(telemetry.Port) {
		n, _ := s.Total(telemetry.TxBytes)
		if n < 100_000 {
			continue
		}
		if strings.Contains(s.Port, "/host") {
			d.edge = append(d.edge, s.Port)
		} else if s.Port < back(s.Port) {
			d.uplink = append(d.uplink, s.Port)
		}
	}
}

func hashOf(s string) (h uint64) {
	for _, c := range []byte(s) {
		h = splitmix.Mix(h ^ uint64(c))
	}
	return h
}
