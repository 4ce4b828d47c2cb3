package foresight

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// small is a training on hosts of some GPUs, with two spines.
func small(hosts, gpus int, more string) string {
	return fmt.Sprintf("cluster: {hosts: %d, host: {gpus: %d}}\nfabric: {design: rail-optimized, spines: 2, "+
		"links: {spine: 400Gb/s}}\n%sjob:\n  train: {layers: [784, 16, 12, 8], data: {digits: {dir: nowhere}}, batch: 8, "+
		"lr: 0.1}\n", hosts, gpus, more)
}

// text is a group a line: what stays on NVLink, what enters by each rail, what crosses a spine.
func text(groups []GroupTraffic) string {
	var b strings.Builder
	for _, g := range groups {
		c := &g.Step
		fmt.Fprintf(&b, "%s %v hosts %v: %d + %d, spine %d\n", g.Name, g.Ranks, g.Hosts, c.NVLink, c.Rails, c.Spine)
	}
	return b.String()
}

// Three hosts of two GPUs, whose layers are split over both: what goes from stage to stage stays on its rail,
// what goes between the parts of a layer in its host. Two micro-batches of 4 rows, of 16 and 12 values of 4 bytes.
func TestStagesStayOnTheirRail(t *testing.T) {
	p := planned(t, small(3, 2, "")+"  parallel: {tp: 2, pp: 3, tensor: book, micro_batches: 2}\n")
	got := text(GroupTrafficOf(p, &p.Jobs[0]))
	want := `
tensor-parallel.stage1 [0 1] hosts [0]: 512 + [0 0], spine 0
tensor-parallel.stage2 [2 3] hosts [1]: 1408 + [0 0], spine 0
tensor-parallel.stage3 [4 5] hosts [2]: 1024 + [0 0], spine 0
pipeline activations.2.part1 [0 2] hosts [0 1]: 0 + [512 0], spine 0
pipeline deltas.1.part1 [2 0] hosts [0 1]: 0 + [512 0], spine 0
pipeline activations.2.part2 [1 3] hosts [0 1]: 0 + [0 512], spine 0
pipeline deltas.1.part2 [3 1] hosts [0 1]: 0 + [0 512], spine 0
pipeline activations.3.part1 [2 4] hosts [1 2]: 0 + [384 0], spine 0
pipeline deltas.2.part1 [4 2] hosts [1 2]: 0 + [384 0], spine 0
pipeline activations.3.part2 [3 5] hosts [1 2]: 0 + [0 384], spine 0
pipeline deltas.2.part2 [5 3] hosts [1 2]: 0 + [0 384], spine 0
`
	if got != want[1:] {
		t.Errorf("%s\nwant%s", got, want)
	}
}

// A job whose ranks lie anywhere, each with the NIC of its own GPU, crosses spines.
func TestScatteredRanksCrossSpines(t *testing.T) {
	of := func(more string) Crossing {
		p := planned(t, small(2, 4, "")+more)
		return GroupTrafficOf(p, &p.Jobs[0])[0].Step
	}
	c := of("  collective: {exit: own}\n  placement: scattered\n")
	if c.Spine == 0 || c.Spine > c.Network() || c.Relayed != 0 {
		t.Errorf("%+v", c)
	}
	c = of("")
	if c.Spine != 0 || c.Relayed == 0 || c.Relayed > c.Network() {
		t.Errorf("by the rail of the channel: %+v", c)
	}
}

// Over all groups, each byte is counted once: a ring of n ranks sends 2(n-1) times what it sums, and
// what goes over all links is what is counted.
func TestGroupsCountEachByteOnce(t *testing.T) {
	p := planned(t, small(2, 4, ""))
	j := &p.Jobs[0]
	var all Crossing
	for _, g := range GroupTrafficOf(p, j) {
		all.Add(&g.Step)
	}
	if want := unit.Bytes(2 * 7 * 4 * j.Model.Params()); all.All() != want {
		t.Errorf("%d bytes, want %d", all.All(), want)
	}
	p = planned(t, small(2, 4, "")+"  parallel: {tp: 2, pp: 2, micro_batches: 2}\n")
	j = &p.Jobs[0]
	all = Crossing{}
	for _, g := range GroupTrafficOf(p, j) {
		all.Add(&g.Step)
	}
	sum := unit.Bytes(0)
	for i := range j.Work.Collectives {
		c := &j.Work.Collectives[i]
		if c.Once {
			continue
		}
		for m := range c.Schedule.Ranks() {
			for ch := range c.Schedule.Channels() {
				for k := range c.Schedule.Len(m, ch) {
					if op := c.Schedule.Op(m, ch, k); op.Kind == coll.Send {
						_, n := c.Chunk(m, op.Buffer, ch, int(op.Chunk))
						sum += unit.Bytes(n)
					}
				}
			}
		}
	}
	if all.All() != sum || all.NVLink == 0 || all.Network() == 0 {
		t.Errorf("%d bytes in all, %d by the schedules: %+v", all.All(), sum, all)
	}
}
