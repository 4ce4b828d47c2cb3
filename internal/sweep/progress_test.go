package sweep

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"railyard/internal/result"
)

// What is told of a sweep's progress is the sum over its variants, in whatever order they move; at the end it is all of it.
func TestProgressIsTheSumOverVariants(t *testing.T) {
	const n, there = 20, 3 // the rows of three were there
	var told Progress
	s := newSweep(make([]Variant, n), Options{KeepRefused: true, Progress: func(p Progress) { told = p }})
	hops, parts := [n]int64{}, [n]float64{}
	for i := range n {
		if i < there {
			s.done, s.resumed, parts[i] = s.done+1, s.resumed+1, 1
			s.reach(i, 0, wholeRun)
		} else {
			s.left = append(s.left, i)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	holds := func(done int) {
		t.Helper()
		sum, part := int64(0), 0.0
		for i := range n {
			sum, part = sum+hops[i], part+parts[i]
		}
		if told.Done != done || told.Total != n || told.PacketHops != sum || math.Abs(told.Part-part/n) > 1e-6 {
			t.Fatalf("%+v, want %d done, %d packet-hops, part %.9f", told, done, sum, part/n)
		}
	}
	for step := range 500 {
		k := r.IntN(n - there)
		p := result.Progress{Done: int64(r.IntN(1000)), Total: 1000, PacketHops: int64(r.IntN(5))}
		i := k + there
		if hops[i] = p.PacketHops; p.PacketHops > 0 { // else it is planned
			parts[i] = float64(p.Done) / 1000
		}
		s.Progress(k, p)
		if holds(there); step == 250 && told.Part == 0 {
			t.Fatal("nothing has moved")
		}
	}
	for k := range n - there {
		i, err := k+there, error(nil)
		if parts[i] = 1; k%5 == 4 {
			hops[i] = 0
			err = s.Refused(k, errors.New("too large"))
		} else {
			hops[i] = int64(100 * k)
			err = s.Done(k, &Row{State: result.Complete, PacketHops: hops[i]}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		holds(there + k + 1)
	}
	if told.Part != 1 {
		t.Errorf("at the end part %v, want 1", told.Part)
	}
}
