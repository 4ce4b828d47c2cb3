package workload

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

// A program that is made from another's is what it is made by itself; bodies and collectives too.
func TestProgramsAgainAreAsMadeByThemselves(t *testing.T) {
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		c := anyLayout(t)
		if rapid.Bool().Draw(t, "slow") {
			c.Slow = map[int32]unit.Ratio{rapid.Int32Range(0, int32(c.Layout.World())-1).Draw(t, "which"): {Num: 3, Den: 2}}
		}
		j, err := Lower(c)
		if err != nil {
			t.Fatal(err)
		}
		want, err := lower(c, true)
		if err != nil {
			t.Fatal(err)
		}
		of := map[*Order]bool{}
		for i := range j.Programs {
			p, q := &j.Programs[i], &want.Programs[i]
			if of[p.order] {
				shared++
			}
			of[p.order] = true
			if !reflect.DeepEqual(p, q) {
				t.Fatalf("program %d:\n%+v\nwant\n%+v", i, p, q)
			}
		}
		if !reflect.DeepEqual(j.Of, want.Of) || !reflect.DeepEqual(j.Bodies, want.Bodies) {
			t.Fatalf("programs of ranks %v, want %v; bodies\n%v\nwant\n%v", j.Of, want.Of, j.Bodies, want.Bodies)
		}
		own, again := j.OpsKept()
		if all, none := want.OpsKept(); own+again != all || none != 0 || again > 0 != (len(of) < len(j.Programs)) {
			t.Fatalf("%d operations of programs by themselves, %d again: want %d in all", own, again, all)
		}
		if err := j.Prefetch(8, 8); err != nil { // it adds a stream, and says so of what is kept
			t.Fatal(err)
		}
		for i := range j.Programs {
			if p := &j.Programs[i]; !reflect.DeepEqual(p.StepOrder(), NewOrder(p.Ops, len(p.Streams))) {
				t.Fatalf("program %d: another order is kept", i)
			}
		}
	})
	if shared == 0 {
		t.Error("no program was made from another")
	}
}

// Operations are counted once for all programs that have them together.
func TestOperationsThatAreKept(t *testing.T) {
	j, err := Lower(laidOut(Layout{DP: 3, PP: 2}, 2, 2)) // a program for each stage
	if err != nil {
		t.Fatal(err)
	}
	all := int64(0)
	for i := range j.Programs {
		all += int64(len(j.Programs[i].Ops))
	}
	if own, again := j.OpsKept(); 3*own != all || again != 2*own {
		t.Errorf("%d operations of programs by themselves, %d again: want a third of %d and the others", own, again, all)
	}
}
