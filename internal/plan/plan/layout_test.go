package plan

import (
	"strings"
	"testing"

	"railyard/internal/plan/plan/plantest"
)

// What cannot be laid out is a problem at the keys that say it, all at once.
func TestMisfitsHaveTheirPlaces(t *testing.T) {
	for _, c := range []struct{ layers, parallel, more, want string }{
		{"[784, 20, 10]", "{pp: 4, micro_batches: 3}", "", `
test.yaml:4:18: job.parallel.pp: 4 stages with 1 virtual stages each want 4 layers, there are 2
test.yaml:4:36: job.parallel.micro_batches: 3 micro-batches do not divide a batch of 16 rows`},
		{"[784, 6, 10]", "{tp: 4}", "", "test.yaml:4:18: job.parallel.tp: tp 4 does not divide the 6 outputs of layer 1"},
		{"[784, 20, 10]", "{pp: 2}", "fabric: {qos: {classes: data}}\ncongestion: {algorithm: none, notify: none}\n",
			"job.parallel.pp: 2: stages on two hosts need credits"},
		{"[784, 20, 10]", "{zero: 1}", "  collective: {algorithm: tree}\n", "job.collective.algorithm: with job.parallel.zero 1"},
		{"[784, 20, 10]", "{zero: 1, dp: 1}", "", "job.parallel.zero: zero 1 with dp 1: replicas hold the shards"},
	} {
		_, err := New(plantest.Read(t, plantest.Layers(c.layers, c.parallel, c.more)), Files{}, nil)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(c.want)) {
			t.Errorf("%s: error\n%v\nwant\n%s", c.parallel, err, c.want)
		}
	}
}

// A stage sends to the next by the NIC on the receiver's rail, a group of one rail's ranks by that
// rail's, and there is one queue pair for each direction.
func TestQueuePairsOfGroups(t *testing.T) {
	p := planned(t, plantest.Layers("[784, 20, 10]", "{tp: 2, pp: 2}", ""))
	var got []string
	for i := range p.Pairs {
		got = append(got, p.Pairs[i].Name+" "+p.PathText(p.Pairs[i].Path))
	}
	want := strings.Join([]string{
		"rank0>rank2#0 data-parallel.stage1.part1 host1>rail1>host2",
		"rank2>rank0#0 data-parallel.stage1.part1 host2>rail1>host1",
		"rank1>rank3#0 data-parallel.stage1.part2 host1>rail2>host2",
		"rank3>rank1#0 data-parallel.stage1.part2 host2>rail2>host1",
		"rank4>rank6#0 data-parallel.stage2.part1 host3>rail1>host4",
		"rank6>rank4#0 data-parallel.stage2.part1 host4>rail1>host3",
		"rank5>rank7#0 data-parallel.stage2.part2 host3>rail2>host4",
		"rank7>rank5#0 data-parallel.stage2.part2 host4>rail2>host3",
		"rank0>rank4#0 pipeline activations.2.replica1.part1 host1>rail1>host3",
		"rank4>rank0#0 pipeline deltas.1.replica1.part1 host3>rail1>host1",
	}, "\n")
	if s := strings.Join(got[:min(len(got), 10)], "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if len(got) != 16 {
		t.Errorf("%d queue pairs, want 16", len(got))
	}
}

// Between stages on different rails each direction takes the receiver's.
func TestAStageSendsOnTheReceiversRail(t *testing.T) {
	for exit, want := range map[string]string{
		"channel": "host1>rail1>host2 host2>rail2>host1",
		"own":     "host1>rail2>spine1>rail1>host2 host2>rail1>spine1>rail2>host1",
	} {
		p := planned(t, plantest.Layers("[784, 20, 20, 20, 10]", "{pp: 4, dp: 1}", "  collective: {exit: "+exit+"}\nfabric: {spines: 1}\n"))
		var got []string
		for i := range p.Pairs {
			got = append(got, p.PathText(p.Pairs[i].Path))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", exit, s, want)
		}
	}
}
