package coll

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// mutant is a schedule with one thing wrong in one program.
type mutant struct {
	what string
	ops  []Op
	// same is why the mutant means the same as the original, if it does.
	same string
}

// moved renumbers dependencies after ops moved: index[i] is where op i is now,
// -1 if it is gone.
func moved(ops []Op, index func(int32) int32) []Op {
	for i := range ops {
		for _, f := range []*int32{&ops[i].After, &ops[i].Acked} {
			if *f >= 0 {
				*f = index(*f)
			}
		}
	}
	return ops
}

// mutants makes every single-op change of a program.
func mutants(s Schedule, ops []Op) []mutant {
	var all []mutant
	for i, op := range ops {
		set := func(what string, change func(o *Op), same string) {
			m := slices.Clone(ops)
			change(&m[i])
			all = append(all, mutant{fmt.Sprintf("op %d (%s): %s", i, op, what), m, same})
		}
		values := func(what string, field func(o *Op) *int32, hi int) {
			for v := range int32(hi) {
				if old := *field(&op); old >= 0 && old != v {
					set(fmt.Sprintf("%s %d", what, v), func(o *Op) { *field(o) = v }, "")
				}
			}
		}
		values("peer", func(o *Op) *int32 { return &o.Peer }, s.Ranks())
		values("chunk", func(o *Op) *int32 { return &o.Chunk }, s.Chunks())
		values("slot", func(o *Op) *int32 { return &o.Slot }, s.Slots())
		for v := int32(-1); v < int32(i); v++ {
			if op.After >= 0 && v != op.After {
				set(fmt.Sprintf("after %d", v), func(o *Op) { o.After = v }, redundant(ops[:i], op.After))
			}
			if op.Acked >= 0 && v != op.Acked {
				set(fmt.Sprintf("acked %d", v), func(o *Op) { o.Acked = v }, "")
			}
		}
		if op.Kind == Send {
			set("of the other buffer", func(o *Op) { o.Buffer = In - o.Buffer }, "")
			for w := range op.Window + 2 {
				if op.Window > 0 && w != op.Window {
					same := "its sender knows already that the slot is free"
					if w > 0 && w < op.Window {
						same = "a smaller window only waits longer"
					}
					set(fmt.Sprintf("window %d", w), func(o *Op) { o.Window = w }, same)
				}
			}
		}
		if op.Kind == Keep {
			for v := range int32(Inputs(s)) {
				if v != op.Source {
					set(fmt.Sprintf("source %d", v), func(o *Op) { o.Source = v }, "")
				}
			}
		}
		if op.Kind == Reduce || op.Kind == Copy {
			set("frees or not", func(o *Op) { o.Frees = !o.Frees }, "")
		}
		for k := range kinds {
			if k != op.Kind {
				set("becomes "+k.String(), func(o *Op) { o.Kind = k }, "")
			}
		}
		all = append(all, rearranged(ops, i)...)
	}
	return all
}

// redundant: an earlier op has waited for the same thing already, and ops start in order.
func redundant(before []Op, after int32) string {
	if slices.ContainsFunc(before, func(o Op) bool { return o.After == after }) {
		return "an earlier op has the same wait"
	}
	return ""
}

// rearranged deletes op i, doubles it, and swaps it with the next one, with and
// without renumbering what refers to them.
func rearranged(ops []Op, i int) []mutant {
	at := int32(i)
	gone := slices.Delete(slices.Clone(ops), i, i+1)
	double := slices.Insert(slices.Clone(ops), i, ops[i])
	all := []mutant{
		{fmt.Sprintf("op %d (%s) deleted", i, ops[i]), moved(gone, func(v int32) int32 {
			if v == at {
				return -1
			}
			if v > at {
				return v - 1
			}
			return v
		}), ""},
		{fmt.Sprintf("op %d (%s) doubled", i, ops[i]), moved(double, func(v int32) int32 {
			if v > at {
				return v + 1
			}
			return v
		}), ""},
	}
	if i+1 == len(ops) {
		return all
	}
	swapped := slices.Clone(ops)
	swapped[i], swapped[i+1] = ops[i+1], ops[i]
	all = append(all, mutant{fmt.Sprintf("ops %d (%s) and %d (%s) swapped, numbers left", i, ops[i], i+1, ops[i+1]),
		swapped, sameStart(ops, i, false)})
	renumbered := moved(slices.Clone(swapped), func(v int32) int32 {
		switch v {
		case at:
			return at + 1
		case at + 1:
			return at
		}
		return v
	})
	return append(all, mutant{fmt.Sprintf("ops %d (%s) and %d (%s) swapped", i, ops[i], i+1, ops[i+1]), renumbered,
		sameStart(ops, i, true)})
}

// sameStart is why it does not matter which of ops i and i+1 starts first.
func sameStart(ops []Op, i int, renumbered bool) string {
	a, b := ops[i], ops[i+1]
	named := slices.ContainsFunc(ops, func(o Op) bool {
		return o.After == int32(i) || o.After == int32(i+1) || o.Acked == int32(i) || o.Acked == int32(i+1)
	})
	switch {
	case named && !renumbered:
		return ""
	case b.After == int32(i):
		return ""
	case a.Kind == Keep || b.Kind == Keep:
		return "nothing waits for what a rank keeps"
	case a.Kind == Send && b.Kind == Send && a.Peer != b.Peer && a.After == b.After:
		return "two sends to different peers, released together"
	case a.Kind == Recv && b.Kind != Recv, b.Kind == Recv && a.Kind != Recv:
		return "a recv only says where a message will land"
	case (a.Kind == Reduce || a.Kind == Copy) && b.Kind == Send && (a.Chunk != b.Chunk || b.Buffer == In):
		return "they touch different chunks"
	}
	return ""
}

// Every single-op mutation is refused, or means the same: then it is listed
// with the reason, and the hostile driver must find nothing either.
func TestMutationsAreRefused(t *testing.T) {
	m := mutations{same: map[string]int{}}
	for _, name := range AlgorithmNames() {
		most := 5
		if Algorithms[name].Collective == BroadcastFrom {
			most = 8 // a tree with two children below the root
		}
		for n := 2; n <= most; n++ {
			for _, pipeline := range pipelines(name, 1, 2) {
				if pipeline*n <= 8 {
					m.refuse(t, make1(t, name, shuffled(n, 2), pipeline), fmt.Sprintf("pipeline %d", pipeline), nil)
				}
			}
		}
	}
	t.Logf("%d mutants refused; equivalent: %v", m.killed, m.same)
	if m.killed < 80000 {
		t.Errorf("only %d mutants were refused: are they still made?", m.killed)
	}
}

// The same of schedules with credit, which must be safe to run again too.
func TestMutationsOfCreditAreRefused(t *testing.T) {
	m := mutations{same: map[string]int{}}
	for _, name := range AlgorithmNames() {
		for n := 2; n <= 3; n++ {
			for _, slots := range []int{1, 2} {
				if s := credited(make1(t, name, shuffled(n, 2), pipelines(name, 3)[0]), slots); s != nil {
					m.refuse(t, s, fmt.Sprintf("%d slots", slots), func(s Schedule) error { return ReuseSafe(s, 1) })
				}
			}
		}
	}
	t.Logf("%d mutants refused; equivalent: %v", m.killed, m.same)
	if free := m.same["its sender knows already that the slot is free"]; m.killed < 30000 || m.killed < 100*free {
		t.Errorf("only %d mutants were refused, %d windows too large were not: are they still made?", m.killed, free)
	}
}

// mutations counts what becomes of mutants.
type mutations struct {
	killed int
	same   map[string]int
}

// refuse makes every mutant of the programs of a schedule's first channel (the
// others differ in their rank orders alone) and wants Check, or also, to refuse it.
func (c *mutations) refuse(t *testing.T, s withGoal, what string, also func(Schedule) error) {
	table := NewTable(s)
	for part := 0; part < len(table.ops); part += s.Channels() {
		original, runs := table.ops[part], 1
		if also != nil {
			runs = 3
		}
		for k, m := range mutants(s, original) {
			table.ops[part] = m.ops
			if Check(table, s.Goal()) != nil || also != nil && also(table) != nil {
				c.killed++
				continue
			}
			c.same[m.same]++
			if m.same == "" {
				t.Errorf("%s, %d ranks, %s, rank %d survives: %s", s.Name(), s.Ranks(), what, part/s.Channels(), m.what)
			}
			if k%7 == 0 {
				agree(t, s, table, runs, uint64(k))
			}
		}
		table.ops[part] = original
	}
}

// agree runs a mutant under the hostile driver, back to back: it must do what the
// original does.
func agree(t *testing.T, s withGoal, mutant Schedule, runs int, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	if c := s.Goal().Collective; !c.InPlace() {
		if c == Barrier {
			return
		}
		at, in, out, want := moves(s, func(int, int) int { return s.Channels()*Slices(s) + 1 })
		if err := runHostileFrom(mutant, at, in, out, runs, seed); err != nil ||
			!slices.EqualFunc(out, want, slices.Equal[[]float32]) {
			t.Errorf("%s: an accepted mutant fails: %v", s.Name(), err)
		}
		return
	}
	in := buffers(s.Ranks(), s.Channels()*s.Chunks(), rng.Float32)
	want, got := clones(in), clones(in)
	for range runs {
		Execute(s, want)
	}
	if err := runHostile(mutant, got, runs, seed); err != nil {
		t.Errorf("%s: an accepted mutant fails: %v", s.Name(), err)
	}
	eachWanted(s, in, func(r, lo, hi int, _ []float64) {
		if !slices.Equal(got[r][lo:hi], want[r][lo:hi]) {
			t.Errorf("%s: an accepted mutant gives rank %d other bits", s.Name(), r)
		}
	})
}
