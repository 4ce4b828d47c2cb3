package exec_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// quiet is a driver for one rank that a test moves by hand.
type quiet struct{ posted []exec.Message }

func (q *quiet) Post(m *exec.Message)                          { q.posted = append(q.posted, *m) }
func (*quiet) Open(exec.Way) int32                             { return 0 }
func (*quiet) Credit(int32, int32)                             {}
func (*quiet) Abort(_ int32, err error)                        { panic(err) }
func (*quiet) CopyIn(int32, exec.Token, unit.Bytes, exec.Work) {}
func (*quiet) Run(int32, exec.Token, unit.Duration, exec.Work) {}

// TestMessageBeforeTheStart: a message for a rank that has not begun waits for its first step.
func TestMessageBeforeTheStart(t *testing.T) {
	s, err := coll.ChainBroadcast([][]int32{{0, 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	wait := &one{Collectives: []workload.Collective{collective("broadcast", 10, s)},
		Program: workload.Program{Streams: []workload.Stream{{Name: "compute", Group: -1},
			{Name: "broadcast", Group: 0}},
			Ops: []workload.Op{{Name: "broadcast", Kind: workload.Communication, Stream: 1, Body: -1}}}}
	job := jobOf(t, 2, same(wait))
	j, q := &journal{}, &quiet{}
	r := exec.NewRank(exec.Config{Rank: 1, Job: job, Steps: 1, Transport: q, Clock: q, Observer: j})
	r.Received(5, r.Inlet(exec.Conn{}), exec.Arrival{Bytes: 40}, nil)
	if r.Steps() != 0 || r.Finished() || len(j.steps) != 0 {
		t.Fatalf("%d steps ended before the first began", r.Steps())
	}
	r.Start(10)
	if len(j.steps) != 1 || j.steps[0].Start != 10 || !r.Finished() {
		t.Errorf("steps %+v, want one that starts at 10", j.steps)
	}
}
