package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// A Case is one run of the set.
type Case struct {
	Name  string // shape-setting: perm128-100g
	Hosts int
	shape *shape
	set   *setting
}

// apart reports whether the case runs where it is named alone.
func (c *Case) apart() bool { return c.shape.apart || c.set.apart }

// A setting is at what rate and with which parameters a shape runs.
type setting struct {
	name    string
	what    string
	cluster string // keys beside hosts and GPUs
	fabric  string // keys beside the design
	keys    string // other groups
	end     string // of flows: nic0 or gpu0
	packet  unit.Duration
	apart   bool // a case runs where it is named
}

var settings = []setting{
	{
		name: "100g", what: "100 Gb/s, links of 1 us, frames and DCQCN of the HPCC authors' ns-3 model, default order",
		cluster: "nic: {speed: 100Gb/s, pacing: each}", fabric: "order: phases", keys: "preset: hpcc-ns3\n", end: "nic0",
		packet: (100 * unit.GigabitPerSec).TransmitTime(1048),
	},
	{
		name: "400g", what: "400 Gb/s, payload of 4,096 bytes, all defaults",
		cluster: "nic: {speed: 400Gb/s}", fabric: "", keys: "", end: "gpu0",
		packet: (400 * unit.GigabitPerSec).TransmitTime(4178),
	},
	{
		name: "400g-1us", what: "as 400g with cables of 200 m (1 us) and buffers of 128 MB",
		cluster: "nic: {speed: 400Gb/s}", fabric: "links: {length: 200m}, switch: {buffer: 128MB}", keys: "", end: "gpu0",
		packet: (400 * unit.GigabitPerSec).TransmitTime(4178), apart: true,
	},
}

// A shape is who sends what to whom.
type shape struct {
	name        string
	what        string
	hosts, gpus int
	apart       bool   // it takes long or much memory: it runs where it is named
	only        string // the one setting that it is there in; "": in each
	design      string
	job         string                      // nil where it sends flows
	flows       func(set *setting) []string // rows of a CSV file below flowColumns
}

const flowColumns = "name,from,to,bytes,start,path"

// Sizes of flows: large networks take the small ones.
const (
	large  = 16 * unit.Megabyte
	middle = 4 * unit.Megabyte
	small  = 1 * unit.Megabyte
	tiny   = 100 * unit.Kilobyte
)

var shapes = []shape{
	{
		name: "incast16", what: "16 hosts send 16 MB each to one more, through one switch",
		hosts: 17, gpus: 1, design: "single-switch",
		flows: func(set *setting) []string {
			return each(16, func(i int) string { return set.flow(i, i, 16, large, "") })
		},
	},
	{
		name: "ring16", what: "16 hosts on one switch send 16 MB each to the next",
		hosts: 16, gpus: 1, design: "single-switch",
		flows: func(set *setting) []string {
			return each(16, func(i int) string { return set.flow(i, i, (i+1)%16, large, "") })
		},
	},
	permutation("perm128", 8, 16, large),
	permutation("perm1024", 32, 32, middle),
	permutation("perm8192", 64, 128, small),
	{
		name: "train64", what: "8 hosts x 8 NICs on 8 rails: 4 steps of a training, replayed, with buckets of 16, 4 and 1 MB " +
			"summed by 8 rings",
		hosts: 8, gpus: 8, design: "rail-optimized",
		job: `run: {reuse: off}
job:
  replay:
    steps: 4
    forward: 400us
    buckets: [{compute: 300us, bytes: 16MB}, {compute: 200us, bytes: 4MB}, {compute: 100us, bytes: 1MB}]
    update: 100us
  collective: {algorithm: ring, channels: 8}
`,
	},
	collective("ring512-1m", 64, "all-reduce", "ring", unit.Mebibyte),
	apart(collective("ring512-64m", 64, "all-reduce", "ring", 64*unit.Mebibyte)),
	apart(collective("ring1024-1m", 128, "all-reduce", "ring", unit.Mebibyte)),
	apart(collective("ring1024-64m", 128, "all-reduce", "ring", 64*unit.Mebibyte)),
	collective("tree512-1m", 64, "all-reduce", "double-tree", unit.Mebibyte),
	collective("tree512-64m", 64, "all-reduce", "double-tree", 64*unit.Mebibyte),
	apart(collective("a2a256-1m", 32, "all-to-all", "auto", unit.Mebibyte)),
	apart(collective("a2a256-64m", 32, "all-to-all", "auto", 64*unit.Mebibyte)),
	collective("nvlink8-1m", 1, "all-reduce", "ring", unit.Mebibyte),
	collective("nvlink8-64m", 1, "all-reduce", "ring", 64*unit.Mebibyte),
	apart(permutation("perm16384", 128, 128, tiny)),
	apart(permutation("perm65536", 256, 256, tiny)),
}

// apart is a shape that runs where it is named.
func apart(s shape) shape {
	s.apart = true
	return s
}

// collective is one, once, over hosts of eight GPUs.
func collective(name string, hosts int, op, algorithm string, bytes unit.Bytes) shape {
	over := fmt.Sprintf("%d hosts x 8 NICs on 8 rails", hosts)
	if hosts == 1 {
		over = "the 8 GPUs of one host"
	}
	return shape{
		name: name, what: fmt.Sprintf("one %s of %s over %s (%s): what it costs is messages", op, bytes.Human(), over, algorithm),
		hosts: hosts, gpus: 8, design: "rail-optimized", only: "400g",
		job: fmt.Sprintf("job: {collectives: [{op: %s, algorithm: %s, bytes: %v, iterations: 1, warmup: 0}]}\n", op, algorithm, bytes),
	}
}

// permutation is that of leaves x per hosts, with a full bisection: see Permutation.
func permutation(name string, leaves, per int, bytes unit.Bytes) shape {
	return shape{
		name: name,
		what: fmt.Sprintf("%s hosts under %d leaves, %d spines, %s each to a host of another leaf, no two flows on a link",
			unit.Count(int64(leaves*per)), leaves, per, bytes.Human()),
		hosts: leaves * per, gpus: 1, design: fmt.Sprintf("leaf-spine, leaves: %d, spines: %d", leaves, per),
		flows: func(set *setting) (rows []string) {
			for _, w := range Permutation(leaves, per) {
				rows = append(rows, set.flow(w.From, w.From, w.To, bytes, fmt.Sprintf("host%d>leaf%d>spine%d>leaf%d>host%d",
					w.From+1, w.FromLeaf+1, w.Spine+1, w.ToLeaf+1, w.To+1)))
			}
			return rows
		},
	}
}

func each(n int, row func(i int) string) (rows []string) {
	for i := range n {
		rows = append(rows, row(i))
	}
	return rows
}

// flow is a row of flowColumns.
func (s *setting) flow(number, from, to int, bytes unit.Bytes, path string) string {
	return fmt.Sprintf("f%d,host%d/%s,host%d/%s,%v,%v,%s", number+1, from+1, s.end, to+1, s.end, bytes,
		Start(number, s.packet), path)
}

// Cases returns the whole set, in order, and those that run where they are named.
func Cases() (all []Case) {
	for i := range shapes {
		for k := range settings {
			if only := shapes[i].only; only != "" && only != settings[k].name {
				continue
			}
			all = append(all, Case{Name: shapes[i].name + "-" + settings[k].name, Hosts: shapes[i].hosts, shape: &shapes[i],
				set: &settings[k]})
		}
	}
	return all
}

// Match returns the cases that any of some patterns names, in order: the whole name or that of the
// shape, with its size or without, with * and ? as in names of files. Without a pattern it is the set, and a pattern with * means
// those of the set, unless there is none. A pattern that names none is an error.
func Match(patterns []string) (some []Case, err error) {
	taken := map[string]bool{}
	for _, p := range patterns {
		all, err := matching(p)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			taken[c.Name] = true
		}
	}
	for _, c := range Cases() {
		if taken[c.Name] || len(patterns) == 0 && !c.apart() {
			some = append(some, c)
		}
	}
	return some, nil
}

// matching returns the cases that a pattern names.
func matching(pattern string) (all []Case, err error) {
	ofSet := func(c Case) bool { return !c.apart() }
	for _, c := range Cases() {
		whole, err := path.Match(pattern, c.Name)
		shape, _ := path.Match(pattern, c.shape.name)
		if of, _, sized := strings.Cut(c.shape.name, "-"); sized && !shape {
			shape, _ = path.Match(pattern, of)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: not a pattern, want names of cases with * and ?", pattern)
		}
		if whole || shape && !c.set.apart {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q: no such case, want %s, or one of them with -100g or -400g", pattern, names())
	}
	if slices.ContainsFunc(all, ofSet) && strings.ContainsAny(pattern, "*?[") {
		all = slices.DeleteFunc(all, func(c Case) bool { return !ofSet(c) })
	}
	return all, nil
}

// names lists the shapes.
func names() string {
	var all []string
	for i := range shapes {
		all = append(all, shapes[i].name)
	}
	return strings.Join(all, ", ")
}

// Describe returns a line on each shape of the set, each shape or setting that runs where it is named, and each
// setting of the set: name, what it is.
func Describe() (set, apart, settingLines [][2]string) {
	for i := range shapes {
		line := [2]string{shapes[i].name, shapes[i].what}
		if shapes[i].apart {
			apart = append(apart, line)
		} else {
			set = append(set, line)
		}
	}
	for i := range settings {
		if settings[i].apart {
			apart = append(apart, [2]string{"-" + settings[i].name, settings[i].what})
			continue
		}
		settingLines = append(settingLines, [2]string{settings[i].name, settings[i].what})
	}
	return set, apart, settingLines
}

// Files returns the scenario of the case, which finds its flows in a file at csv; flows is what that
// holds, nil where it needs none.
func (c *Case) Files(csv string) (scenario, flows []byte) {
	job := c.shape.job
	if c.shape.flows != nil {
		rows := append([]string{flowColumns}, c.shape.flows(c.set)...)
		job, flows = fmt.Sprintf("job: {flows_csv: %q}\n", csv), []byte(strings.Join(rows, "\n")+"\n")
	}
	fabric := "design: " + c.shape.design
	if c.set.fabric != "" {
		fabric += ", " + c.set.fabric
	}
	return fmt.Appendf(nil, "name: %s\n%scluster: {hosts: %d, host: {gpus: %d}, %s}\nfabric: {%s}\n%s", c.Name, c.set.keys,
		c.shape.hosts, c.shape.gpus, c.set.cluster, fabric, job), flows
}
