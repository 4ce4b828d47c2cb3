package run

import (
	"reflect"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// A lone flow over one link of another rate takes as long as on a network with that link on its
// way, and one on another rail takes what it took.
func TestNamedLink(t *testing.T) {
	yaml := func(links string) string {
		return cluster8(2) + "fabric: {spines: 0, links: {" + links + `}}
congestion: {algorithm: none}
job: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 10MB}, {from: host1/nic1, to: host2/nic1, bytes: 10MB}]}`
	}
	fct := func(links string) (on, beside unit.Duration) {
		r := run(t, yaml(links), Options{})
		return r.Summary.Flows[0].Took(), r.Summary.Flows[1].Took()
	}
	whole, _ := fct("length: 20m")
	slow, beside := fct("named: [{link: host2/rail1, rate: 25Gb/s}]")
	bits := (25 * unit.GigabitPerSec).TransmitTime(10 * unit.Megabyte)
	if slow < bits || slow > bits+bits/5 {
		t.Errorf("10 MB over a link of 25 Gb/s take %v, want %v and what headers take", slow, bits)
	}
	if beside != whole {
		t.Errorf("the flow on the other rail takes %v, without the slow link %v", beside, whole)
	}
	far, beside := fct("named: [{link: rail1/host2, delay: 10us}]")
	long, _ := fct("named: [{link: rail1/host2, length: 2000m}]") // 5 ns a metre
	if extra := far - whole; extra < 9*unit.Microsecond || beside != whole || long != far {
		t.Errorf("a delay of 10 us adds %v, 2 km of cable %v, and on the other rail %v", extra, long-whole,
			beside-whole)
	}
	for links, want := range map[string]string{
		"named: [{link: rail1/host9, rate: 25Gb/s}]": `fabric.links.named[0].link: "rail1/host9" is not a port`,
		"named: [{link: rail1/host2, rate: 25Gb/s}, {link: host2/rail1, delay: 1us}]": "" +
			"fabric.links.named[1].link: host2/rail1: the link of fabric.links.named[0] too",
	} {
		if _, err := NewPlan(read(t, yaml(links))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", links, err, want)
		}
	}
}

// One slow rank takes its factor times as long for each kernel, and the others wait for it.
func TestSlowRank(t *testing.T) {
	const steps = 3
	job := strings.Replace(training(t, steps, 4), "bucket: layer", "bucket: 25MB", 1) // nothing overlaps
	slow := strings.Replace(cluster8(2), "nic:", "slow: [{rank: 5, factor: 2.5}], nic:", 1) + job
	a, b := run(t, cluster8(2)+job, Options{}), run(t, slow, Options{})
	took := func(r ran) map[int32]unit.Duration {
		sum := map[int32]unit.Duration{}
		for _, op := range rows(t, r.Run.Operations()) {
			if op.Stream == "compute" {
				sum[op.Rank] += op.End.Sub(op.Start)
			}
		}
		return sum
	}
	before, after := took(a), took(b)
	for rank, d := range before {
		want := d
		if rank == 5 {
			want = d * 5 / 2
		}
		if got := after[rank]; got > want || got < want-100 { // 2.5 times each operation is rounded down
			t.Errorf("rank %d computes for %v, was %v, want %v", rank, got, d, want)
		}
	}
	// A ring is partly done when the last rank joins it; its launches and sums are slower too.
	if extra, want := b.Summary.VirtualTime.Sub(a.Summary.VirtualTime), before[5]*3/2; extra < want*9/10 ||
		extra > want*3/2 || len(after) != 8 {
		t.Errorf("the run of %d ranks takes %v more, want %v of kernels "+
			"and what launches and sums of the collective add", len(after), extra, want)
	}
	if a.WeightsSHA256 != b.WeightsSHA256 || a.WeightsSHA256 == "" {
		t.Error("slowness changes the weights")
	}
}

// A flow that is not enabled is not sent, and the others keep the paths that follow from their
// numbers: the run is the one in which that flow is over before anything else begins.
func TestFlowNotEnabled(t *testing.T) {
	yaml := func(first string) string {
		return cluster8(4) + "fabric: {spines: 4}\njob:\n  flows:\n" +
			"    - {from: host1/gpu0, to: host3/gpu3, bytes: 1B" + first + `}
    - {from: host1/gpu1, to: host2/gpu0, bytes: 1MB, start: 1ms}
    - {from: host2/gpu1, to: host3/gpu0, bytes: 1MB, start: 1ms}
    - {from: host3/gpu1, to: host2/gpu0, bytes: 1MB, start: 1ms}
`
	}
	with, without := run(t, yaml(""), Options{}), run(t, yaml(", enabled: false"), Options{})
	if len(without.Summary.Flows) != 3 || len(rows(t, without.Run.Flows())) != 3 {
		t.Fatalf("%d flows, want 3", len(without.Summary.Flows))
	}
	for i, f := range without.Summary.Flows {
		if g := with.Summary.Flows[i+1]; !reflect.DeepEqual(f, g) {
			t.Errorf("%+v, want %+v", f, g)
		}
	}
	if with.PacketHops == without.PacketHops {
		t.Error("the flow is sent all the same")
	}
}
