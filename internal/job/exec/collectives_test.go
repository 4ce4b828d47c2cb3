package exec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// Every algorithm, with credit and without, in place and out of place, leaves in every group and
// whatever the latencies what coll.Execute leaves; causes and critical paths sum.
func TestEveryCollective(t *testing.T) {
	seen, waits := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		w := exectest.DrawTogether(t)
		seen[w.Schedule.Name()]++
		latency := rapid.SliceOfN(rapid.Int64Range(0, 20), 97, 97).Draw(t, "latencies")
		drawn := 0
		next := func() unit.Duration { drawn++; return unit.Duration(latency[drawn%97]) * us }
		net := exectest.Net{Ack: next(), Latency: func(exec.Message) unit.Duration { return next() },
			Credit: func(exec.Way) unit.Duration { return next() },
			BodyAt: rapid.SampledFrom([]exectest.BodyAt{exectest.AtStart, exectest.AtEnd}).Draw(t, "bodies")}
		j := &journal{}
		f := exec.NewPathFinder(w.Job.Ranks(), 1, func(p *exec.PathRecord) {
			at := p.Start
			for _, q := range p.Parts {
				if q.From != at {
					t.Fatalf("%s\nhas a gap at %v", text(*p), at)
				}
				if at = q.Until; q.Kind == exec.PathCredit {
					waits++
				}
			}
			if p.Split.Sum() != p.End.Sub(p.Start) || len(p.Parts) > 0 && at != p.End {
				t.Fatalf("%s\ndoes not sum", text(*p))
			}
		})
		d := exectest.New(net, &w.Memory)
		for r := range w.Job.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: w.Job, Steps: w.Steps, Body: &w.Memory, Observer: j, Paths: f})
		}
		if _, err := d.Run(); err != nil {
			t.Fatalf("%s: %v", w.Schedule.Name(), err)
		}
		for _, s := range j.steps {
			if s.Split.Sum() != s.End.Sub(s.Start) {
				t.Fatalf("%+v does not sum", s)
			}
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	})
	if len(seen) < len(coll.AlgorithmNames())*2/3 || waits == 0 {
		t.Errorf("%d of %d algorithms, %d waits for credits on critical paths", len(seen), len(coll.AlgorithmNames()), waits)
	}
}

// twoRanks runs steps of a broadcast in 3 chunks over 2 slots. Rank 1 takes 10 us for each copy.
func twoRanks(t *testing.T, net exectest.Net, steps int64) (*exectest.Driver, *journal, *[]string) {
	t.Helper()
	s, err := coll.ChainBroadcast([][]int32{{0, 1}}, 3)
	if err == nil {
		s, err = s.Credited(2)
	}
	if err != nil {
		t.Fatal(err)
	}
	job := jobOf(t, 2, func(int) *one {
		p := step(0, 0, 3750, s) // 5 kB chunks: a copy takes 10 us
		p.Device = workload.Device{MemoryBandwidth: 16 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
		return p
	})
	if err := job.CheckRepeat(); err != nil {
		t.Fatal(err)
	}
	j, d, texts := &journal{}, exectest.New(net, nil), &[]string{}
	f := exec.NewPathFinder(2, 1, func(p *exec.PathRecord) { *texts = append(*texts, text(*p)) })
	for r := range int32(2) {
		d.Add(exec.Config{Rank: r, Job: job, Steps: steps, Observer: j, Paths: f})
	}
	return d, j, texts
}

// The third message waits for the credit of the first: for the copy, and the credit's own way.
func TestASendWaitsForACredit(t *testing.T) {
	d, j, paths := twoRanks(t, exectest.Net{Latency: constant(2 * us),
		Credit: func(exec.Way) unit.Duration { return 3 * us }}, 1)
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	check(t, j.rank(0), `
	0 before             0s - 0s by -1
	0 allreduce          0s - 17us by 0
	0 after              17us - 17us by 1
	0 0s - 17us: acknowledgement 2us, window 15us; comm 17us, overlap 0s
	`)
	check(t, (*paths)[0], `
	step 0 of rank 1, 0s - 32us: compute 30us, propagation 2us
	0s - 2us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	2us - 12us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	12us - 22us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	22us - 32us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	`)
}

// A rank that reads its messages in another order than that in which they came gives credits in the
// order in which they came: a credit says that all before it are read.
func TestCreditsGoInTheOrderOfMessages(t *testing.T) {
	const text = `schedule late-first
ranks 2
channels 1
chunks 2
slots 2
rank 0 channel 0
0 send chunk 0 to 1 window 2
1 send chunk 1 to 1 window 2
rank 1 channel 0
0 recv chunk 0 from 0 slot 0
1 recv chunk 1 from 0 slot 1
2 copy chunk 1 slot 1 after 1 frees
3 copy chunk 0 slot 0 after 0 frees
`
	s, err := coll.ParseText("late-first", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(coll.Check(s, coll.Goal{Collective: coll.BroadcastFrom}), coll.ReuseSafe(s, 1)); err != nil {
		t.Fatal(err)
	}
	p := step(0, 0, 20000, s)
	p.Device = workload.Device{MemoryBandwidth: 64 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 1}} // copy: 10 us
	posts := ""
	replay(t, exectest.Net{Latency: constant(2 * us), Credit: func(exec.Way) unit.Duration { return 3 * us },
		Posted: func(now unit.Time, m exec.Message) { posts += fmt.Sprintf("%d at %v, ", m.Op, now) }}, 2, 2, same(p))
	if want := "0 at 0s, 1 at 0s, 0 at 25us, 1 at 25us, "; posts != want {
		t.Errorf("posts %s; want %s", posts, want)
	}
}

// When credits take long, they are on the path, from one step into the next.
func TestPathOverCredits(t *testing.T) {
	d, _, paths := twoRanks(t, exectest.Net{Latency: constant(2 * us),
		Credit: func(exec.Way) unit.Duration { return 30 * us }}, 2)
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	check(t, strings.Join(*paths, ""), `
	step 0 of rank 1, 0s - 54us: compute 20us, window 30us, propagation 4us
	0s - 2us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	2us - 12us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	12us - 42us window: credit of rank 0, step 0 operation 1, 0 to 1 on 0
	42us - 44us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	44us - 54us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	step 1 of rank 1, 54us - 138us: compute 20us, window 60us, propagation 4us
	54us - 84us window: credit of rank 0, step 1 operation 1, 0 to 1 on 0
	84us - 86us propagation: message of rank 0, step 1 operation 1, 0 to 1 on 0
	86us - 96us compute: reduce or copy of rank 1, step 1 operation 1 on 0
	96us - 126us window: credit of rank 0, step 1 operation 1, 0 to 1 on 0
	126us - 128us propagation: message of rank 0, step 1 operation 1, 0 to 1 on 0
	128us - 138us compute: reduce or copy of rank 1, step 1 operation 1 on 0
	`)
}

// A credit that never comes leaves its sender stuck; one of another collective is nobody's.
func TestCreditsThatGoWrong(t *testing.T) {
	d, _, _ := twoRanks(t, exectest.Net{Credited: func(exec.Way, *int32) bool { return false }}, 1)
	if _, err := d.Run(); err == nil || err.Error() != "rank 0 is stuck in step 0" {
		t.Errorf("without credits: %v", err)
	}
	defer func() {
		const want = "exec: rank 0: credit from rank 1 on channel 0 for collective 7, no message waits for one"
		if got := recover(); got != want {
			t.Errorf("panic says %q", got)
		}
	}()
	d, _, _ = twoRanks(t, exectest.Net{Credited: func(_ exec.Way, c *int32) bool { *c = 7; return true }}, 1)
	_, err := d.Run()
	t.Errorf("a credit of another collective: %v", err)
}
