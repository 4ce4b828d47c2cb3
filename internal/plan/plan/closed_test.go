package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// Where cluster.nvlink_collectives is formula, rows of a job on one host take what NCCL's model predicts for the row's algorithm,
// protocol and channels, and nothing is connected for them. Rows that the model has not go by messages, and so do all over hosts.
func TestRowsOnOneHostTakeNCCLsTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 1))
	closed, sent := 0, 0
	for range 300 {
		op := scenario.CollectiveOps[rng.IntN(len(scenario.CollectiveOps))].Name
		algorithm := scenario.RowAlgorithms[rng.IntN(len(scenario.RowAlgorithms))].Name
		protocol := scenario.RowProtocols[rng.IntN(len(scenario.RowProtocols))].Name
		row := fmt.Sprintf("op: %s, bytes: %dKiB, algorithm: %s, protocol: %s", op, 1<<rng.IntN(17), algorithm, protocol)
		if rng.IntN(3) == 0 {
			row += fmt.Sprintf(", channels: %d", 2+2*rng.IntN(4))
		}
		for _, hosts := range []int{1, 2} {
			file := strings.Replace(plantest.Collectives(row), "hosts: 2", fmt.Sprintf("hosts: %d, nvlink_collectives: formula", hosts), 1)
			sc, err := scenario.Parse("a.yaml", []byte(file))
			if err != nil {
				continue // what the schema refuses by messages, too
			}
			p, err := New(sc, Files{}, nil)
			if err != nil {
				continue
			}
			j, spec := p.Jobs[0], &sc.Jobs[0].Collectives[0]
			r, c := &j.Rows[0], &j.Work.Collectives[j.Rows[0].First]
			like, has := NCCLAlgorithm(r.Op, r.Algorithm)
			if want := has && hosts == 1; c.Formula != want {
				t.Fatalf("%s on %d hosts: a closed form %v, want %v", row, hosts, c.Formula, want)
			}
			if !c.Formula {
				sent++
				continue
			}
			closed++
			proto, _ := NCCLProtocol(r.Protocol)
			g := NCCLGroup(sc, j.Spec, p.NCCLHost())
			g.Channels = spec.Channels.Or(0)
			by, err := NCCLParams(sc).Predict(r.Op, r.Bytes, g, like, proto)
			if err != nil {
				t.Fatal(err)
			}
			took := c.Takes
			for i := range j.Work.Programs[0].Ops {
				if o := &j.Work.Programs[0].Ops[i]; o.Coll == r.First {
					took += o.Duration
				}
			}
			if off := took - by.Time(); off < 0 || off > 0 && took != sc.Cluster.Host.Launch {
				t.Errorf("%s: %v with its launch, the model says %v", row, took, by.Time())
			}
			if spec.Protocol != "auto" && spec.Protocol != "none" && spec.Protocol != r.Protocol {
				t.Errorf("%s: with %s", row, r.Protocol)
			}
		}
	}
	if closed < 30 || sent < 30 {
		t.Errorf("%d rows are closed forms, %d are not: too few to say anything", closed, sent)
	}
}

// Nothing is connected for closed forms but the ways of the barrier before a row's timed runs: log2 of 4 ranks each. Parts that
// differ go by messages.
func TestClosedFormsConnectNothing(t *testing.T) {
	const replay = "job: {replay: {steps: 2, forward: 10us, buckets: [{bytes: 1MB, compute: 5us}]}}\n"
	rows := func(row string) string { return plantest.Collectives(row) }
	for _, c := range []struct {
		name, file string
		links      int
	}{
		{"replay", "cluster: {hosts: 2, host: {gpus: 4}}\n" + replay, 0},
		{"rows", rows("op: all-to-all, bytes: 1MB"), 4 * 2},
		{"skewed", rows("op: all-to-all, bytes: 1MB, skew: 2"), 4 * 3 * 4},
	} {
		file := strings.Replace(c.file, "hosts: 2", "hosts: 1, nvlink_collectives: formula", 1)
		sc, err := scenario.Parse("a.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(sc, Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Jobs[0].Links); n != c.links {
			t.Errorf("%s: %d links, want %d", c.name, n, c.links)
		}
	}
}
