package sweep

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"railyard/internal/out/result"
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

// The forecast says how many runs fit at once: as many as there are cores, runs and memory for the largest, and one where even that has
// no room.
func TestForecastOfRunsAtOnce(t *testing.T) {
	vs, err := Variants(parse(t, incast), nil, []uint64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	of := func(l Limits) Forecast {
		f, err := ForecastOf(t.Context(), vs, Options{Limits: l, Force: true})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	largest := of(Limits{Workers: 1, Memory: 1 << 50}).Largest
	for _, c := range []struct {
		l    Limits
		want int
	}{
		{Limits{2, 1 << 50}, 2}, {Limits{8, 1 << 50}, 3}, {Limits{8, 2*largest + 1}, 2}, {Limits{8, largest}, 1}, {Limits{8, 1}, 1},
	} {
		if f := of(c.l); f.AtOnce != c.want || f.Runs != 3 {
			t.Errorf("%+v, %d bytes each: %d at once of %d runs, want %d", c.l, largest, f.AtOnce, f.Runs, c.want)
		}
	}
}

// A run that left flows unfinished has no figures that are compared, and counts as one that failed.
func TestUnfinishedFlowsAreNoFigures(t *testing.T) {
	rows := []Row{{State: result.Complete, SlowestFCT: 5}, {State: result.Complete, SlowestFCT: 9, Unfinished: 1}}
	tab := NewTable("x", nil, []uint64{1, 2}, rows)
	if g := tab.Groups[0]; g.Runs != 1 || g.Failed != 1 || g.Figures[0].Max != 5 || tab.State != result.Failed {
		t.Errorf("%s, %+v", tab.State, g)
	}
}

// Where no variant can run that is an error, but for a search, which goes on with others.
func TestNoneCanRun(t *testing.T) {
	vs, err := Variants(parse(t, incast), nil, []uint64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for even, want := range map[bool]string{false: "would need about", true: ""} {
		rows, err := Run(t.Context(), vs, Options{Limits: Limits{Workers: 1, Memory: 1}, KeepRefused: true, EvenNone: even})
		if want == "" && (err != nil || len(rows) != 2 || rows[1].State != Refused) || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("even none %v: %+v, %v", even, rows, err)
		}
	}
}
