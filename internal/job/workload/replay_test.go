package workload

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// A step of a replay: each bucket is summed as soon as its gradients are there, while the next are
// computed, and the update waits for the last. A slow rank takes longer for all of it.
func TestReplay(t *testing.T) {
	const us = unit.Microsecond
	c := ReplayConfig{Ranks: 4, Forward: 10 * us, Update: 2 * us, Schedule: ring(t, 4), Device: Device{Launch: 1 * us},
		Buckets: []ReplayBucket{{Compute: 6 * us, Elems: 100}, {Compute: 4 * us, Elems: 50}},
		Slow:    map[int32]unit.Ratio{2: {Num: 3, Den: 2}}}
	j, err := Replay(c)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range map[int32]string{
		0: "forward 10us after [], backward.bucket1 6us after [0], allreduce.bucket1 1us after [1], " +
			"backward.bucket2 4us after [1], allreduce.bucket2 1us after [3], update 2us after [4]",
		2: "forward 15us after [], backward.bucket1 9us after [0], allreduce.bucket1 1.5us after [1], " +
			"backward.bucket2 6us after [1], allreduce.bucket2 1.5us after [3], update 3us after [4]",
	} {
		if got := outline(j.Program(rank)); got != want {
			t.Errorf("rank %d: %s, want %s", rank, got, want)
		}
	}
	if a, b := j.Collectives[0].Range, j.Collectives[1].Range; a != (Range{Elems: 100}) || b != (Range{Offset: 100, Elems: 50}) ||
		j.Buffers[0].Elems != 150 {
		t.Errorf("buckets at %v and %v of %d", a, b, j.Buffers[0].Elems)
	}
	c.Ranks, c.Schedule, c.Slow = 1, nil, nil
	if j, err = Replay(c); err != nil {
		t.Fatal(err)
	}
	want := "forward 10us after [], backward.bucket1 6us after [0], backward.bucket2 4us after [1], update 2us after [2]"
	if got := outline(j.Program(0)); got != want || len(j.Collectives) != 0 {
		t.Errorf("one rank: %s, want %s", got, want)
	}
}

// outline lists operations with what they take and depend on.
func outline(p *Program) string {
	var ops []string
	for _, op := range p.Ops {
		ops = append(ops, fmt.Sprintf("%s %v after %v", op.Name, op.Duration, op.Deps))
	}
	return strings.Join(ops, ", ")
}

func TestReplayRefuses(t *testing.T) {
	for want, c := range map[string]ReplayConfig{
		"replay of 0 buckets":  {Ranks: 1},
		"on 0 ranks":           {Buckets: []ReplayBucket{{Elems: 1}}},
		"bucket 1 has 0 elem":  {Ranks: 1, Buckets: []ReplayBucket{{}}},
		"1 elements after -1p": {Ranks: 1, Buckets: []ReplayBucket{{Elems: 1, Compute: -1}}},
		"over 2 ranks, group":  {Ranks: 3, Buckets: []ReplayBucket{{Elems: 1}}, Schedule: coll.Schedule(ring(t, 2))},
	} {
		if _, err := Replay(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
