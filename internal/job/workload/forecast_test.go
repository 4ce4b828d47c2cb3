package workload

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Of passes that take equally long, stages wait as long as the formula says.
func TestBubbleIsTheFormulas(t *testing.T) {
	for _, l := range []Layout{{PP: 4, MicroBatches: 4}, {PP: 4, MicroBatches: 8}, {PP: 3, MicroBatches: 2, DP: 2},
		{PP: 4, MicroBatches: 4, Schedule: GPipe}, {PP: 2, MicroBatches: 6, Schedule: GPipe},
		{PP: 2, MicroBatches: 4, Virtual: 2, Schedule: Interleaved},
		{PP: 4, MicroBatches: 8, Virtual: 2, Schedule: Interleaved},
		{PP: 4, MicroBatches: 4, Schedule: BookOrder}, {PP: 3, MicroBatches: 6, Schedule: BookOrder}} {
		l = l.filled()
		j, err := Lower(laidOut(l, l.Chunks(), l.MicroBatches))
		if err != nil {
			t.Fatal(err)
		}
		const each = 10 * unit.Microsecond
		for i := range j.Programs {
			for k := range j.Programs[i].Ops {
				op := &j.Programs[i].Ops[k]
				if op.Duration = 0; op.Body >= 0 && (j.Bodies[op.Body].Work == Forward || j.Bodies[op.Body].Work == Backward) {
					op.Duration = each
				}
			}
		}
		last := unit.Duration(0)
		for _, spans := range j.Forecast(Assumed{Took: func(int32) unit.Duration { return 0 }}) {
			for _, s := range spans {
				last = max(last, s.End)
			}
		}
		waits, slots := Bubble(l.PP, l.Virtual, l.MicroBatches)
		passes := 2 * l.Virtual * l.MicroBatches
		if got := last / each; int(got)-passes != 2*waits || int(got) != 2*slots {
			t.Errorf("%+v: %d slots for %d passes, want %d of which %d wait", l, got, passes, 2*slots, 2*waits)
		}
	}
}

// What a collective takes is in the forecast once, where ranks wait for it.
func TestForecastOfCollectives(t *testing.T) {
	j, err := Lower(laidOut(Layout{DP: 2}, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	const sum = unit.Millisecond
	spans := j.Forecast(Assumed{Took: func(int32) unit.Duration { return sum }})
	want := unit.Duration(0)
	for _, op := range j.Program(0).Ops { // one after the other
		want += op.Duration
	}
	if got := spans[1][len(spans[1])-1].End; got != want+sum {
		t.Errorf("a step of %v, want %v and the sum's %v", got, want, sum)
	}
}

// An operation of a pass says by its name what its body is.
func TestPassesByName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j, err := Lower(anyLayout(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range j.Programs {
			for _, op := range j.Programs[i].Ops {
				pass, layer, ok := PassOf(op.Name)
				if op.Body < 0 || !slices.Contains([]string{Forward, Loss, Backward}, j.Bodies[op.Body].Work) {
					if ok {
						t.Fatalf("%s is part of a pass", op.Name)
					}
					continue
				}
				w := j.Bodies[op.Body]
				if want := (Pass{Backward: w.Work == Backward, Micro: w.Micro}); !ok || pass != want ||
					layer != w.Layer && w.Work != Loss {
					t.Fatalf("%s: %+v of layer %d, want %+v of %d", op.Name, pass, layer, want, w.Layer)
				}
			}
		}
	})
	for _, name := range []string{"", "forward", "forward.0", "forward.1.2", "loss.1", "forward.1.m0", "backward.x.m1",
		"loss.m1.m2", "update.1", "allreduce.outputs.1.m1"} {
		if pass, layer, ok := PassOf(name); ok {
			t.Errorf("%q: %+v of layer %d", name, pass, layer)
		}
	}
}

// The book's table of busy GPUs: 25 50 75 100 75 75 100 75 50 25 % (chapter 8).
func TestBusyStagesOfTheBook(t *testing.T) {
	if got, want := BookBusy(4, 4), []int{1, 2, 3, 4, 3, 3, 4, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What stages did tells in which order it was.
func TestOrdersByPasses(t *testing.T) {
	of := func(s PipelineSchedule, p, v, m int) (taken [][]Pass) {
		for stage := range p {
			taken = append(taken, s.Timetable(p, v, m, stage))
		}
		return taken
	}
	for s := range pipelineSchedules {
		v := 1
		if s == Interleaved {
			v = 2
		}
		if got := Orders(4, v, 8, of(s, 4, v, 8)); !slices.Equal(got, []string{s.String()}) {
			t.Errorf("%s looks like %v", s, got)
		}
	}
	if got := Orders(2, 1, 2, of(OneFOneB, 2, 1, 2)); !slices.Equal(got, []string{"1f1b", "book"}) {
		t.Errorf("two stages with two micro-batches: %v", got)
	}
}

// Replicas are alike: the first, by itself, ends each operation when it would beside the others. A copy
// takes what it is said to take.
func TestForecastOfOneReplica(t *testing.T) {
	j, err := Lower(laidOut(Layout{DP: 2, PP: 2}, 2, 2))
	if err != nil {
		t.Fatal(err)
	}
	a := Assumed{Took: func(int32) unit.Duration { return 3 * unit.Microsecond }}
	for _, a.Step = range []int64{0, StartStep} {
		a.Only = nil
		all := j.Forecast(a)
		a.Only = func(r int32) bool { return j.Training.Layout.Coord(int(r)).Data == 0 }
		for r, spans := range j.Forecast(a) {
			want := all[r]
			if !a.Only(int32(r)) {
				want = nil
			}
			if d := cmp.Diff(want, spans); d != "" {
				t.Errorf("step %d, rank %d: %s", a.Step, r, d)
			}
		}
	}
	copied := Job{Of: []int32{0}, Programs: []Program{{Ops: []Op{{Kind: Copy, Bytes: 7, Coll: -1}},
		Streams: []Stream{{Group: CopyGroup}}}}}
	a = Assumed{Copy: func(_ int32, b unit.Bytes) unit.Duration { return unit.Duration(b) * unit.Microsecond }}
	if got, want := copied.Forecast(a)[0][0], (Times{0, 7 * unit.Microsecond}); got != want {
		t.Errorf("a copy runs %v, want %v", got, want)
	}
}

// An operation begins when the last that it waits for has ended, in whatever order they are listed; a sum of ranks when
// the last of them has come; and what a rank receives is over when it was sent and the receiver was there.
func TestForecastsWaitForTheLast(t *testing.T) {
	compute := func(id int32, took unit.Duration, stream int32, deps ...int32) Op {
		return Op{ID: id, Kind: Compute, Duration: took, Stream: stream, Deps: deps, Coll: -1, Body: -1}
	}
	for _, deps := range [][]int32{{0, 1}, {1, 0}} {
		j := &Job{Of: []int32{0}, Programs: []Program{{Streams: make([]Stream, 3),
			Ops: []Op{compute(0, 3, 0), compute(1, 5, 1), compute(2, 1, 2, deps...)}}}}
		spans := j.Forecast(Assumed{Took: func(int32) unit.Duration { return 0 }})
		if got := spans[0][2]; got != (Times{5, 6}) {
			t.Errorf("after %v, which take 3 and 5: %+v, want 5 to 6", deps, got)
		}
	}
	pair := Group{Ranks: []int32{0, 1}}
	for _, c := range []struct {
		kind                  coll.Collective
		first, second         unit.Duration // when the ranks come to it
		wantFirst, wantSecond unit.Duration // when it is over for them, if it takes 4
	}{
		{coll.AllReduce, 3, 5, 9, 9},
		{coll.AllReduce, 5, 3, 9, 9},
		{coll.SendReceive, 2, 1, 6, 6},
		{coll.SendReceive, 2, 10, 6, 10},
		{coll.SendReceive, 1, 2, 5, 5},
	} {
		s, err := schedules(&pair, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		j := &Job{Of: []int32{0, 1}, Groups: []Group{pair}, Collectives: []Collective{{Schedule: s}}}
		for _, launched := range []unit.Duration{c.first, c.second} {
			j.Programs = append(j.Programs, Program{Streams: make([]Stream, 3),
				Ops: []Op{{Kind: Communication, Duration: launched, Coll: 0, Body: -1}}})
		}
		spans := j.Forecast(Assumed{Took: func(int32) unit.Duration { return 4 }})
		if a, b := spans[0][0].End, spans[1][0].End; a != c.wantFirst || b != c.wantSecond {
			t.Errorf("%v that ranks come to after %v and %v is over after %v and %v, want %v and %v", c.kind, c.first, c.second, a, b,
				c.wantFirst, c.wantSecond)
		}
	}
}
