package faultsearch

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"railyard/internal/balance"
	"railyard/internal/coll"
)

var (
	first = flag.Uint64("first", 1, "number of the first case")
	cases = flag.Uint64("cases", 400, "how many cases")
)

// workers run the islands of a case: each number of them a partition.
var workers = []int{1, 4}

// TestSearch runs cases in order and prints each violation as one line to repeat.
func TestSearch(t *testing.T) {
	events, bad := int64(0), 0
	for n := *first; n < *first+*cases; n++ {
		c, err := New(n)
		if err != nil {
			t.Fatalf("case %d cannot be drawn: %v", n, err)
		}
		e, err := c.Run(workers...)
		events += e
		if err != nil {
			t.Errorf("go test ./internal/faultsearch -run TestSearch -first %d -cases 1: %v\n\t%v", n, err, c)
			if bad++; bad == 10 {
				t.Fatal("ten violations: giving up")
			}
		}
	}
	t.Logf("%d cases, %d events", *cases, events)
}

// Cases that a long search found, and what was wrong. They are drawn anew when drawing changes, and
// then show nothing in particular.
func TestCasesThatWereFound(t *testing.T) {
	for _, n := range []uint64{
		5335, // a frame that waited for a pause frame to leave counted that as its own flow's, in one island
	} {
		c, err := New(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(workers...); err != nil {
			t.Errorf("case %d: %v", n, err)
		}
	}
}

// What a job may run is drawn: every algorithm in place and as a row of a benchmark, with credit and
// without, and barriers between rows.
func TestEveryAlgorithmIsDrawn(t *testing.T) {
	left := map[string]bool{}
	for _, name := range coll.AlgorithmNames() {
		s, err := coll.Algorithms[name].New([][]int32{{0, 1}, {0, 1}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = coll.WithCredit(s, 1)
		for _, credit := range []bool{false, true} {
			if !credit || err == nil {
				left[fmt.Sprintf("%s, credit %v, benchmark", name, credit)] = true
				left[fmt.Sprintf("%s, credit %v, range", name, credit)] = coll.Inputs(s) == 0
			}
		}
	}
	maps.DeleteFunc(left, func(_ string, want bool) bool { return !want })
	for n := uint64(1); n <= 8000 && len(left) > 0; n++ {
		c, err := New(n)
		if err != nil {
			t.Fatal(err)
		}
		if c.Job == nil {
			continue
		}
		kind := "range"
		if c.Job.Work.Buffers[0].Name == "data" {
			kind = "benchmark"
		}
		for i := range c.Job.Work.Collectives {
			s := c.Job.Work.Collectives[i].Schedule
			delete(left, fmt.Sprintf("%s, credit %v, %s", s.Name(), coll.NeedsCredit(s), kind))
		}
	}
	if len(left) > 0 {
		t.Errorf("never drawn: %q", slices.Sorted(maps.Keys(left)))
	}
}

// Every method by which switches choose next hops is drawn, and every way to spray.
func TestEveryBalancerIsDrawn(t *testing.T) {
	left := map[string]bool{"": true}
	for name := range balance.Methods {
		left[name] = true
	}
	for name := range balance.Picks {
		left["spray "+name] = true
	}
	for n := uint64(1); n <= 400; n++ {
		c, err := New(n)
		if err != nil {
			t.Fatal(err)
		}
		delete(left, c.Method)
		if c.Method == "spray" {
			delete(left, "spray "+c.Fabric.Routing.Params.Spray.Pick)
		}
	}
	if len(left) > 0 {
		t.Errorf("not drawn in 400 cases: %v", slices.Sorted(maps.Keys(left)))
	}
}
