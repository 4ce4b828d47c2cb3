package exec_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// starting is step with a start phase before it: a broadcast in so many chunks, as long as launch
// takes after its beginning.
func starting(span, launch unit.Duration, elems int64, s coll.Schedule, chunks int) *one {
	order := make([]int32, s.Ranks())
	for r := range order {
		order[r] = int32(r)
	}
	tree, err := coll.TreeBroadcast([][]int32{order}, chunks)
	if err != nil {
		panic(err)
	}
	o := step(span, launch, elems, s)
	c := collective("broadcast", elems, tree)
	c.Once = true
	o.Collectives = append(o.Collectives, c)
	o.Start = []workload.Op{{Name: "broadcast", Kind: workload.Communication, Stream: 1, Duration: launch, Body: -1,
		Coll: 1}}
	return o
}

// The start phase has records and a path as a step has, and step 0 begins on each rank when its own
// is over: the root's when its last message is acknowledged.
func TestStartPhase(t *testing.T) {
	net := exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps, Ack: 4 * us}
	p, j := observedPaths(t, net, 2, 1, 1, same(starting(5*us, 3*us, 50000, ring(2, 1, 1), 1)))
	check(t, text(p[0]), `
	step -1 of rank 0, 0s - 25us: compute 3us, acknowledgement 4us, serialisation 16us, propagation 2us
	0s - 3us compute: launch of rank 0, step -1 operation 0
	3us - 5us propagation: message of rank 0, step -1 operation 0, 0 to 1 on 0
	5us - 21us serialisation: message of rank 0, step -1 operation 0, 0 to 1 on 0
	21us - 25us acknowledgement: acknowledgement of rank 0, step -1 operation 0, 0 to 1 on 0
	`)
	for i, want := range []string{
		"rank 1 step -1: 0s to 21us, dependency 3us, serialisation 16us, propagation 2us",
		"rank 0 step -1: 0s to 25us, compute 3us, acknowledgement 22us",
	} {
		s := j.steps[i]
		if got := fmt.Sprintf("rank %d step %d: %v to %v,%s", s.Rank, s.Step, s.Start, s.End, split(s.Split)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if s := j.steps[2]; s.Step != 0 || s.Start != unit.Time(21*us) && s.Start != unit.Time(25*us) {
		t.Errorf("%+v", s)
	}
}

// The walk from step 0 goes on into the start phase of the rank that began step 0 later.
func TestPathReachesIntoTheStart(t *testing.T) {
	net := exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps, Ack: 40 * us}
	p := paths(t, net, 2, 1, 1, same(starting(5*us, 3*us, 50000, ring(2, 1, 1), 1)))
	if len(p) != 2 || p[1].Step != 0 {
		t.Fatalf("%+v", p)
	}
	before := false
	for _, q := range p[1].Parts {
		before = before || q.Step == workload.StartStep && q.Rank == 0 && q.Kind == exec.PathAck
	}
	if p[1].Rank != 1 || !before {
		t.Errorf("step 0 of rank 1 waited for rank 0, which waited for an acknowledgement before it: %s", text(p[1]))
	}
}

// With any latencies records of the start phase and of steps follow each other without a gap, their
// causes sum, and so do their paths, however few are found.
func TestStartPhaseInAnyWeather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, steps := rapid.IntRange(2, 6).Draw(t, "ranks"), int64(rapid.IntRange(1, 4).Draw(t, "steps"))
		every := rapid.Int64Range(1, 3).Draw(t, "every")
		net := exectest.Net{Rate: 100 * gbps, Ack: unit.Duration(rapid.IntRange(0, 50).Draw(t, "ack")) * us,
			Latency: func(exec.Message) unit.Duration { return unit.Duration(rapid.IntRange(0, 30).Draw(t, "latency")) * us }}
		p, j := observedPaths(t, net, n, steps, every, same(starting(5*us, 3*us, 5000, ring(n, 1, 1),
			rapid.IntRange(1, 8).Draw(t, "chunks"))))
		if want := 1 + (steps+every-1)/every; int64(len(p)) != want || p[0].Step != workload.StartStep {
			t.Fatalf("%d paths, the first of step %d; want %d from the start phase on", len(p), p[0].Step, want)
		}
		for _, q := range p {
			sum := unit.Duration(0)
			for _, part := range q.Parts {
				sum += part.Until.Sub(part.From)
			}
			if d := q.End.Sub(q.Start); q.Split.Sum() != d || sum != d {
				t.Fatalf("step %d: a path of %v, its causes sum to %v, its parts to %v", q.Step, d, q.Split.Sum(), sum)
			}
		}
		ended := map[int32]exec.StepRecord{}
		for _, s := range j.steps {
			last, ok := ended[s.Rank]
			if !ok {
				last = exec.StepRecord{Step: workload.StartStep - 1}
			}
			if s.Start != last.End || s.Step != last.Step+1 || s.Split.Sum() != s.End.Sub(s.Start) {
				t.Fatalf("%+v after %+v", s, last)
			}
			ended[s.Rank] = s
		}
		if len(j.steps) != n*int(steps+1) {
			t.Fatalf("%d records, want %d", len(j.steps), n*int(steps+1))
		}
	})
}

// A rank that is to stop in its start phase takes no step; one without a start phase of its own
// passes through it and leaves no record.
func TestStopInTheStartPhase(t *testing.T) {
	job := jobOf(t, 2, func(rank int) *one {
		o := starting(5*us, 3*us, 50000, ring(2, 1, 1), 1)
		o.Start[0].Kind, o.Start[0].Stream, o.Start[0].Coll = workload.Compute, 0, -1
		if rank == 1 {
			o.Start = nil
		}
		return o
	})
	j, q := &journal{}, &quiet{}
	r := exec.NewRank(exec.Config{Rank: 0, Job: job, Steps: 3, Transport: q, Clock: q, Observer: j})
	r.Start(0)
	r.Stop()
	r.Done(7, 0)
	if !r.Finished() || r.Steps() != 0 || len(j.steps) != 1 || j.steps[0].Step != workload.StartStep {
		t.Errorf("%d steps, records %+v", r.Steps(), j.steps)
	}
	j = &journal{}
	other := exec.NewRank(exec.Config{Rank: 1, Job: job, Steps: 3, Transport: q, Clock: q, Observer: j})
	other.Start(0)
	if len(j.steps) != 0 || other.Steps() != 0 {
		t.Errorf("records %+v, want none before step 0 ends", j.steps)
	}
}
