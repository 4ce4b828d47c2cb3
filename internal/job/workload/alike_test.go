package workload

import (
	"reflect"
	"testing"

	"railyard/internal/job/coll"
)

// Operations are alike whatever they are called, wait for and touch, and not alike if anything else of them differs: a field
// that is added is looked at here.
func TestOperationsAreAlike(t *testing.T) {
	free := map[string]bool{"ID": true, "Name": true, "Deps": true, "Launch": true, "Memory": true, "Body": true, "Reads": true,
		"Writes": true}
	j := &Job{Collectives: []Collective{{Group: 0}, {Group: 1}}}
	for i := range reflect.TypeFor[Op]().NumField() {
		a, b := Op{Coll: -1}, Op{Coll: -1}
		f := reflect.TypeFor[Op]().Field(i)
		switch x := reflect.ValueOf(&b).Elem().Field(i); f.Name {
		case "Name":
			b.Name = "other"
		case "Deps", "Decides":
			x.Set(reflect.ValueOf([]int32{1}))
		case "Effort":
			b.Effort.Product = 1
		case "Counted":
			b.Counted = &Counted{}
		case "Reads", "Writes":
			x.Set(reflect.ValueOf([]Range{{Buffer: 1}}))
		case "Coll":
			a.Coll, b.Coll = 0, 1
		case "Kind":
			x.SetUint(uint64(Copy))
		default:
			x.SetInt(1)
		}
		if got := j.Alike(&a, &b); got != free[f.Name] {
			t.Errorf("operations that differ in %s: alike %v", f.Name, got)
		}
		if f.Name == "Coll" {
			b.Coll = -1
			if j.Alike(&a, &b) {
				t.Error("a collective is like what is none")
			}
		}
	}
}

// Collectives are alike wherever in their buffers they lie, and not alike if anything else of them differs: a field that is
// added is looked at here.
func TestCollectivesAreAlike(t *testing.T) {
	ring, err := coll.RingAllGather([][]int32{{0, 1, 2, 3}})
	other, err2 := coll.RingAllGather([][]int32{{0, 1, 2, 3}})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	sized := func(n int64) Collective {
		return Collective{Schedule: ring}.OutOfPlace(Range{Buffer: 1, Elems: n}, coll.Goal{Collective: coll.AllGather},
			func(m, _ int) int { return int(n) * (m + 1) })
	}
	free := map[string]bool{"Name": true, "Input": true}
	for i := range reflect.TypeFor[Collective]().NumField() {
		a, b := sized(7), sized(7)
		f := reflect.TypeFor[Collective]().Field(i)
		x := reflect.ValueOf(&b).Elem().Field(i)
		switch f.Name {
		case "Name":
			b.Name = "other"
		case "Schedule":
			b.Schedule = other
		case "Range":
			b.Range.Elems++
		case "Input":
			b.Input.Offset = 64
		case "Protocol":
			b.Protocol = &Protocol{}
		case "Counts":
			b.Counts = &Counts{}
		case "goal":
			b.goal.Root = 1
		case "layout": // it follows from the others
			continue
		case "size":
			b.size = func(m, _ int) int { return 7 * (1 + m%3) } // as large at most, and another of the last
		case "largest":
			b.largest++
		case "through":
			b.through++
		case "Once", "Formula", "Between":
			x.SetBool(true)
		default:
			x.SetInt(x.Int() + 1)
		}
		if got := a.alike(&b); got != free[f.Name] {
			t.Errorf("collectives that differ in %s: alike %v", f.Name, got)
		}
	}
	in, out := sized(7), Collective{Schedule: ring, Range: Range{Buffer: 1, Elems: 7}}
	if out.largest = in.largest; out.alike(&in) || in.alike(&out) {
		t.Error("a collective in place is like one that is not")
	}
	if a, b := sized(7), sized(7); func() bool { b.Range.Offset = 64; return !a.alike(&b) }() {
		t.Error("another place in the buffer")
	}
}
