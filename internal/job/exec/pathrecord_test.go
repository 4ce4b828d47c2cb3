package exec

import (
	"slices"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// A record keeps traces whole up to its bound; of what comes then each cause keeps its time, and all end where they ended.
func TestRecordsOfTracesAreBounded(t *testing.T) {
	draw := splitmix.Stream(38)
	pick := func(n int) int { return int(draw.Next() % uint64(n)) }
	const most = 500
	p := newRankPath(&pathLayout{program: &workload.Program{}, most: most})
	whole, totals := 0, 0
	for n := range 400 {
		tr := Trace{Posted: unit.Time(pick(1000))}
		var want cause.Split
		until := tr.Posted
		for range 1 + pick(60) {
			c, d := cause.Cause(pick(int(cause.Count))), unit.Duration(1+pick(100))
			want[c] += d
			until = until.Add(d)
			tr.Segments = append(tr.Segments, Segment{Until: until, Cause: c, At: int32(2*len(tr.Segments) + pick(2))})
		}
		tr.Placed = until
		op := programOp{start: unit.Time(pick(1000))} // it may have been posted before the operation that takes it began
		m := kept(p, &tr, op)
		left := p.segments[m.first : m.first+m.n]
		var got cause.Split
		from := unit.Duration(0)
		for _, g := range left {
			got[g.cause] += g.until - from
			from = g.until
		}
		if got != want || m.posted+from != m.placed || op.start.Add(m.posted) != tr.Posted || op.start.Add(m.placed) != tr.Placed {
			t.Fatalf("message %d: %v up to %v, want %v up to %v", n, got, from, want, tr.Placed)
		}
		if len(left) == len(tr.Segments) {
			whole++
		} else if totals++; len(left) > int(cause.Count) {
			t.Fatalf("message %d: %d segments are left of %d", n, len(left), len(tr.Segments))
		}
		if len(p.segments) > most+(n+1)*int(cause.Count) || totals == 0 && len(p.segments) > most {
			t.Fatalf("%d segments of %d messages", len(p.segments), n+1)
		}
	}
	if whole < 5 || totals < 300 {
		t.Errorf("%d messages are whole, %d are not", whole, totals)
	}
}

// A collective that is told again has the traces of the one that it is like, so much later. They count as if it had its own: from when
// on traces are kept as totals is the same as without.
func TestWhatIsToldAgainHasTheTracesOfWhatItIsLike(t *testing.T) {
	ring := func(id int32) pathColl {
		return pathColl{collRun: &collRun{Collective: &workload.Collective{}, exchange: &exchange{}, id: id}, recorded: true}
	}
	a, b := ring(7), ring(8)
	a.channels, b.channels = []extent{{0, 2}}, []extent{{2, 4}}
	l := &pathLayout{program: &workload.Program{}, local: &lists.Index[int32]{}, most: 8, length: 4, peer: make([]int32, 4),
		colls: []pathColl{a, b}}
	l.local.Add(7)
	l.local.Add(8)
	p := newRankPath(l)
	p.program[0] = programOp{start: 30, done: 60}
	p.keep(&Trace{Posted: 10, Placed: 60, Segments: []Segment{
		{Until: 40, Cause: cause.Queueing, At: 2}, {Until: 60, Cause: cause.Serialisation, At: 3}}}, p.program[:1])
	p.program[1] = programOp{start: 60, done: 61, message: -1}
	p.again(7, 8, 1000, 2)
	if got := p.program[2]; got.told != 2 || got.start != 1030 || got.done != 1060 || p.placed(&got) != 1060 || len(p.messages) != 1 {
		t.Errorf("%+v, placed at %v, of %d messages", got, p.placed(&got), len(p.messages))
	}
	if p.program[3].message != -1 || p.told != 4 || len(p.segments) != 2 {
		t.Errorf("%+v, %d segments are told of %d", p.program[3], p.told, len(p.segments))
	}
	w := pathWalk{at: 1060, record: &PathRecord{}}
	w.trace(p, &p.program[2], PathPart{})
	if parts := w.record.Parts; len(parts) != 2 || parts[0].From != 1040 || parts[0].At != 3 || w.at != 1010 {
		t.Errorf("%+v back to %v", parts, w.at)
	}
}

// However many of collectives that are alike are told again, and these again, and wherever in them the record is full, it has what it
// has if each was heard: whole traces up to there, totals behind it.
func TestARecordIsFullWhereItWouldBe(t *testing.T) {
	const colls, ops = 9, 4
	draw := splitmix.Stream(46)
	pick := func(n int) int { return int(draw.Next() % uint64(n)) }
	brims := map[string]int{}
	for range 400 {
		var traces [ops]Trace
		for i := range traces {
			until := unit.Time(0)
			for range pick(6) {
				until = until.Add(unit.Duration(1 + pick(9)))
				traces[i].Segments = append(traces[i].Segments, Segment{Until: until, Cause: cause.Cause(pick(3)), At: int32(pick(2))})
			}
			traces[i].Placed = until
		}
		l := &pathLayout{program: &workload.Program{}, local: &lists.Index[int32]{}, length: colls * ops, most: pick(colls * ops * 3),
			peer: make([]int32, colls*ops)}
		for c := range int32(colls) {
			l.colls = append(l.colls, pathColl{collRun: &collRun{Collective: &workload.Collective{}, exchange: &exchange{}, id: c},
				recorded: true, channels: []extent{{int(c) * ops, int(c+1) * ops}}})
			l.local.Add(c)
		}
		hear := func(p *rankPath, c int) {
			program := p.program[c*ops : (c+1)*ops]
			for i, tr := range traces {
				program[i] = programOp{start: unit.Time(1000 * c), done: unit.Time(1000*c + 10), message: -1}
				if len(tr.Segments) == 0 {
					continue
				}
				later := Trace{Posted: unit.Time(1000 * c), Placed: tr.Placed.Add(unit.Duration(1000 * c))}
				for _, g := range tr.Segments {
					g.Until = g.Until.Add(unit.Duration(1000 * c))
					later.Segments = append(later.Segments, g)
				}
				p.keep(&later, program[:i+1])
			}
		}
		heard, told := newRankPath(l), newRankPath(l)
		for c := range colls {
			hear(heard, c)
		}
		first, more := 1+pick(2), 0 // heard; then they are told again together, and all that is behind the first as well
		for c := range first {
			hear(told, c)
		}
		more = told.told
		for c := first; c < 3*first; c++ {
			told.again(int32(c%first), int32(c), unit.Duration(1000*(c-c%first)), c/first*more)
		}
		whole := told.told
		for c := 3 * first; c < colls; c++ {
			told.again(int32(c-3*first), int32(c), unit.Duration(3000*first), whole)
		}
		if told.told != heard.told {
			t.Fatalf("%d segments are told, %d heard", told.told, heard.told)
		}
		totals := 0
		for i := range heard.program {
			a, b := heard.program[i], told.program[i]
			if (a.message < 0) != (b.message < 0) || a.start != b.start || a.told != b.told && a.message >= 0 {
				t.Fatalf("operation %d: %+v and %+v", i, a, b)
			}
			if a.message < 0 {
				continue
			}
			m, n := heard.messages[a.message], told.messages[b.message]
			is, was := told.segments[n.first:n.first+n.n], heard.segments[m.first:m.first+m.n]
			if !slices.Equal(is, was) || m.posted != n.posted || m.placed != n.placed || m.whole != n.whole {
				t.Fatalf("operation %d, with room for %d: %+v, want %+v", i, l.most, is, was)
			}
			if int(a.told)+int(m.whole) > l.most {
				totals++
			}
		}
		switch {
		case totals == 0:
			brims["none"]++
		case totals > (colls-first)*ops:
			brims["before anything is told again"]++
		default:
			brims["behind"]++
		}
	}
	if brims["none"] < 20 || brims["behind"] < 100 || brims["before anything is told again"] < 20 {
		t.Errorf("records were full: %v", brims)
	}
}

// kept is the message that a record keeps of an operation.
func kept(p *rankPath, tr *Trace, op programOp) pathMessage {
	program := []programOp{op}
	p.keep(tr, program)
	return p.messages[program[0].message]
}

// What an operation has that did not begin in this step is of an earlier one.
func TestAnEarlierStepsMessageIsNotShared(t *testing.T) {
	p := newRankPath(&pathLayout{program: &workload.Program{}, most: 99})
	program := []programOp{{message: 7}, {}}
	p.keep(&Trace{Posted: 5, Placed: 9, Segments: []Segment{{Until: 9, Cause: cause.Queueing}}}, program)
	if program[1].message != 0 || len(p.segments) != 1 {
		t.Errorf("%+v of %d segments", program[1], len(p.segments))
	}
}

// The messages of a channel's rounds have their segments once if their ways took as long, wherever they began; not if anything of them is
// another. They count each.
func TestRoundsShareTheirSegments(t *testing.T) {
	trace := func(posted unit.Time, more func([]Segment)) *Trace {
		all := []Segment{{Until: posted + 4, Cause: cause.Queueing, At: 2}, {Until: posted + 9, Cause: cause.Serialisation, At: 3}}
		if more != nil {
			more(all)
		}
		return &Trace{Posted: posted, Placed: all[len(all)-1].Until, Segments: all}
	}
	for _, x := range []struct {
		name string
		tr   *Trace
		most int
		want int // segments of two messages
	}{
		{"the same, later", trace(107, nil), 99, 2},
		{"longer", trace(107, func(s []Segment) { s[0].Until++ }), 99, 4},
		{"by another cause", trace(107, func(s []Segment) { s[0].Cause = cause.Pause }), 99, 4},
		{"elsewhere", trace(107, func(s []Segment) { s[1].At++ }), 99, 4},
		{"as totals, in the order of causes", trace(107, nil), 2, 4},
		{"both as totals", trace(107, nil), 0, 2},
	} {
		p := newRankPath(&pathLayout{program: &workload.Program{}, most: x.most})
		program := []programOp{{start: 3}, {message: -1}, {start: 50}}
		p.keep(trace(5, nil), program[:1])
		p.keep(x.tr, program)
		if len(p.segments) != x.want || p.told != 4 || p.placed(&program[2]) != x.tr.Placed || program[1].message != -1 {
			t.Errorf("%s: %d segments, %d told", x.name, len(p.segments), p.told)
		}
	}
}
