package exec

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
)

// How often what a rank has done between two places follows once more is what its program says. A line is a program: in
// each stream operations by the microseconds that they take, with those that they wait for, by name; | is where the period
// begins and ends, between operations that have begun; a * is one in progress.
func TestHowOftenAPeriodFollows(t *testing.T) {
	for _, x := range []struct {
		name    string
		streams []string
		want    int64
	}{
		{"as often as operations are alike", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1 i:1"}, 2},
		{"one of them takes longer", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:2 h:1 i:1"}, 1},
		{"the first one does", []string{"a:1 b:1* | c:1 d:1* | e:1 f:2 g:1 h:1 i:1"}, 0},
		{"periods of unlike operations", []string{"a:1 b:2* | c:1 d:2* | e:1 f:2 g:1 h:2 i:2"}, 2},
		{"nothing began: it stands still", []string{"a:1 b:1* | | e:1 f:1 g:1 h:1 i:1"}, Ever},
		{"they wait for what is alike", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1",
			"A:1<a | C:1<b | E:1<d G:1<f"}, 2},
		{"one waits for more", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1", "A:1<a | C:1<b | E:1<d,e G:1<f"}, 0},
		{"one waits for less", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1", "A:1<a | C:1<b | E:1 G:1<f"}, 0},
		{"one waits for what is over", []string{"z:1 a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1", "A:1<a | C:1<b,z | E:1<d,a G:1<f"}, 2},
		{"the next of a stream that is free begins too soon", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1 i:1 j:1",
			"A:1<a | | Z:1<e"}, 0},
		{"it waits long enough for once", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1 i:1 j:1", "A:1<a | | Z:1<f"}, 1},
		{"and for twice", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1 i:1 j:1", "A:1<a | | Z:1<h"}, 2},
		{"a stream stands still", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1 i:1", "A:1* | | B:1<a"}, 2},
		{"and then runs what waits for less", []string{"A:1* | | B:1", "a:1 b:1* | c:1 d:1<A* | e:1 f:1<A g:1 h:1 i:1"}, 1},
		{"a stream is busy at the end alone", []string{"a:1 b:1* | c:1 d:1* | e:1 f:1", "A:1 | B:1* | C:1"}, 0},
	} {
		r, from := paused(x.streams)
		if p := r.PeriodSince(pausedAt, from, pausedFor, nil); p.Times != x.want {
			t.Errorf("%s: %d times, want %d", x.name, p.Times, x.want)
		}
	}
}

// A rank that has had a period again stands where it would have come to, and what it was before lies as much earlier.
func TestARankGoesOnBehindAPeriod(t *testing.T) {
	r, from := paused([]string{"a:1 b:1* | c:1 d:1* | e:1 f:1 g:1 h:1 i:1", "A:1<a | C:1<b | E:1<d G:1<f K:1<h", "Z:1* | | Y:1<A"})
	p := r.PeriodSince(pausedAt, from, pausedFor, nil)
	r.ledger.waits = []Wait{{Op: r.in.Queues[1][1], From: 20, To: 30}}
	r.ledger.computing, r.ledger.start, r.left = 100, 5, 9
	from.ledger.computing = 60
	if p.Times != 2 {
		t.Fatalf("%d times", p.Times)
	}
	r.Repeat(&p, 2, 1000)
	var got strings.Builder
	for s, queue := range r.in.Queues {
		for at, id := range queue {
			op := &r.ops[id]
			switch st := &r.streams[s]; {
			case at >= st.next:
				fmt.Fprintf(&got, "%s waits for %d\n", r.in.ops[id].Name, op.waiting)
			case st.busy && at == st.next-1:
				fmt.Fprintf(&got, "%s since %d\n", r.in.ops[id].Name, op.start)
			default:
				fmt.Fprintf(&got, "%s %d to %d by %d\n", r.in.ops[id].Name, op.start, op.end, op.by)
			}
		}
	}
	fmt.Fprintf(&got, "%d left, computing %d since %d\nwaits ", r.left, r.ledger.computing, r.ledger.start)
	for i, w := range r.ledger.waits {
		fmt.Fprintf(&got, "%sfor %d from %d", []string{"", ", ", ", "}[i], w.Op, w.From)
	}
	got.WriteString("\n")
	const want = `a -1999 to -1989 by -1
b -1989 to -1979 by 0
c -1979 to -1969 by 1
d -989 to -979 by 2
e -979 to -969 by 3
f 11 to 21 by 4
g 21 to 31 by 5
h since 31
i waits for 0
A -1999 to -1989 by -1
C -1989 to -1979 by 9
E -989 to -979 by 10
G 11 to 21 by 11
K waits for 1
Z since -1999
Y waits for 0
3 left, computing 180 since -1995
waits for 10 from -1980, for 11 from -980, for 12 from 20
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}

// What is in progress goes on as that which stands for it, also where the period follows once more alone: then a collective
// that has ended stands where it was.
func TestAReceiverGoesOnBehindAPeriod(t *testing.T) {
	r := waiting(t, 3)
	comes := func() { r.Received(r.ledger.at+10, 0, Arrival{Bytes: 8, Coll: r.running(0).id}, nil) }
	r.Rest()
	from := r.Place(r.ledger.at)
	comes()
	r.Rest()
	from.own, from.ages = r.stands.ages(r.ledger.at) // but for how long it has not computed
	p := r.PeriodSince(r.ledger.at, from, 10, nil)
	if p.Times != 1 {
		t.Fatalf("it follows %d times more, want once", p.Times)
	}
	r.Repeat(&p, 1, 10)
	if c := r.running(0); c == nil || c.id != 2 || r.left != 1 || !c.fresh() {
		t.Fatalf("%d operations are left, %+v runs", r.left, c)
	}
	if comes(); !r.Finished() {
		t.Errorf("%d operations are left", r.left)
	}
}

// deaf takes nothing.
type deaf struct{}

func (deaf) Open(Way) int32                                     { return 0 }
func (deaf) Post(*Message)                                      {}
func (deaf) Credit(_, _ int32)                                  {}
func (deaf) Abort(_ int32, err error)                           { panic(err) }
func (deaf) CopyIn(int32, Token, unit.Bytes, Work)              {}
func (deaf) Run(rank int32, tok Token, d unit.Duration, w Work) {}

// waiting is a rank whose only stream receives so many times from another, and waits for the first message.
func waiting(t *testing.T, times int) *Rank {
	s, err := coll.DirectSend([][]int32{{0, 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	job := &workload.Job{Of: []int32{0, 0}, Groups: []workload.Group{{Name: "g", Ranks: []int32{0, 1}}},
		Buffers: []workload.Buffer{{Elems: 8, ElemBytes: 1}}, Programs: []workload.Program{{Streams: []workload.Stream{{Name: "g"}}}}}
	for i := range times {
		c := workload.Collective{Schedule: s, ElemBytes: 1}
		goal, _ := coll.GoalOf(s)
		job.Collectives = append(job.Collectives, c.OutOfPlace(workload.Range{Elems: 8}, goal, func(m, _ int) int { return 8 * (1 - m) }))
		job.Programs[0].Ops = append(job.Programs[0].Ops, workload.Op{ID: int32(i), Kind: workload.Communication, Coll: int32(i)})
	}
	r := NewRank(Config{Rank: 1, Job: job, Steps: 1, Transport: deaf{}, Clock: deaf{}})
	r.Start(1)
	return r
}

// pausedAt is when, and pausedFor how long the period was.
const (
	pausedAt  unit.Time     = 100
	pausedFor unit.Duration = 10
)

// paused is a rank in the middle of a program, with the place where the period began: see TestHowOftenAPeriodFollows. The
// k-th operation of a stream began at 10 k+1, was released by the one before, and took 10.
func paused(streams []string) (*Rank, *Place) {
	var ops []workload.Op
	ids, from := map[string]int32{}, &Place{}
	r := &Rank{cfg: Config{Job: &workload.Job{}}}
	type cut struct {
		begun int
		busy  bool
	}
	cuts := make([][]cut, len(streams))
	var waits [][2]string
	for s, text := range streams {
		r.streams = append(r.streams, streamState{running: -1})
		begun, busy := 0, false
		for _, word := range strings.Fields(text) {
			if word == "|" {
				cuts[s] = append(cuts[s], cut{begun, busy})
				continue
			}
			word, busy = strings.CutSuffix(word, "*")
			word, deps, _ := strings.Cut(word, "<")
			name, takes, _ := strings.Cut(word, ":")
			ids[name] = int32(len(ops))
			d, _ := unit.ParseDuration(takes + "us")
			ops = append(ops, workload.Op{ID: int32(len(ops)), Name: name, Stream: int32(s), Duration: d, Coll: -1})
			waits = append(waits, [2]string{name, deps})
			begun++
		}
	}
	for _, w := range waits {
		for _, d := range strings.FieldsFunc(w[1], func(c rune) bool { return c == ',' }) {
			op := &ops[ids[w[0]]]
			op.Deps = append(op.Deps, ids[d])
		}
	}
	r.steps = r.template(ops, workload.NewOrder(ops, len(r.streams)))
	r.in, r.ops = &r.steps, make([]opState, len(ops))
	r.ledger.busy, r.begun = 1, true
	for s, c := range cuts {
		from.begun, from.ended = append(from.begun, c[0].begun), append(from.ended, c[0].begun)
		if c[0].busy {
			from.ended[s]--
		}
		r.streams[s].next, r.streams[s].busy = c[1].begun, c[1].busy
		for at, id := range r.in.Queues[s][:c[1].begun] {
			r.ops[id] = opState{start: unit.Time(1 + 10*at), end: unit.Time(11 + 10*at), by: id - 1}
			if at == 0 {
				r.ops[id].by = -1
			}
		}
	}
	r.Rest()
	from.own, from.ages = r.stands.ages(pausedAt)
	_, before := r.stands.ages(pausedAt.Add(-pausedFor))
	for s, c := range cuts {
		if c[0] == c[1] && c[0].busy { // it stands still
			from.ages[s] = before[s]
		}
	}
	return r, from
}
