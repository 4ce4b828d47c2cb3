package web

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// manyEvents writes a run with so many events, most of them marks, a drop among some ten thousand.
func manyEvents(t testing.TB, n int) string {
	t.Helper()
	root := t.TempDir()
	d := drawn{links: []string{"h1/s1", "s1/h1"}, ends: n/500 + 1}
	draws := rand.New(rand.NewPCG(3, 9))
	for i := range n {
		r := result.EventRow{Time: unit.Time(i) * 2000, Kind: result.EventMark,
			Port:  fmt.Sprintf("s%d/h%d", draws.IntN(64), draws.IntN(16)),
			Class: 3, PSN: int32(i), Bytes: unit.Bytes(draws.IntN(100_000)), Job: "job", Frame: "data",
			Name: fmt.Sprintf("flow%d", draws.IntN(500))}
		if i%1000 == 77 { // in one row group or two
			r.Port, r.Name = fmt.Sprintf("rare%d/s1", i/30_000), fmt.Sprintf("rare%d", i/40_000)
		}
		switch v := draws.IntN(10_000); {
		case v == 0:
			r.Kind, r.Why = result.EventDrop, "full"
		case v < 300:
			r.Kind = result.EventPause
		}
		d.events = append(d.events, r)
	}
	d.write(t, root, "one", result.Complete)
	return root
}

// What is found by the index is what is found by looking at every row.
func TestEventsAreFoundAsInTheTable(t *testing.T) {
	const n = 150_000 // three row groups
	x := serve(t, manyEvents(t, n))
	x.settled("one")
	show, err := x.s.show("one")
	if err != nil {
		t.Fatal(err)
	}
	<-show.gone
	tables, free := show.use()
	defer free()
	if tables.events.groups.Len() < 3 {
		t.Fatalf("%d row groups", tables.events.groups.Len())
	}
	var all []result.EventRow
	for row, err := range tables.run.Events() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	draws := rand.New(rand.NewPCG(5, 5))
	var asked []eventQuery
	var drops []unit.Time
	for i := range all { // back from each drop: to the first of all, and to the third before it
		if all[i].Kind == result.EventDrop {
			drops = append(drops, all[i].Time)
			q := eventQuery{Until: all[i].Time + 1, Most: 1 + len(asked)%3, Back: true, Kinds: map[string]bool{"drop": true}}
			asked = append(asked, q)
			if n := len(drops); n > 3 {
				q.From, q.Most = drops[n-4], 3
				asked = append(asked, q)
			}
		}
	}
	for range 60 {
		q := eventQuery{From: unit.Time(draws.Int64N(2000 * n)), Until: maxTime, Most: 1 + draws.IntN(3), Back: draws.IntN(2) == 0}
		if draws.IntN(3) > 0 {
			q.Until = q.From + unit.Time(draws.Int64N(2000*n))
		}
		if k := []string{"", "drop", "pause", "timeout"}[draws.IntN(4)]; k != "" {
			q.Kinds = map[string]bool{k: true}
		}
		switch draws.IntN(8) {
		case 0, 1:
			q.Port = "s3/h5"
		case 2:
			q.Port = fmt.Sprintf("rare%d/s1", draws.IntN(6)) // of the last there is none
		case 3:
			q.Name = fmt.Sprintf("rare%d", draws.IntN(5))
		}
		asked = append(asked, q)
	}
	for _, q := range asked {
		got, err := tables.events.find(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		want, more := byLooking(all, &q)
		if more != got.More || !slices.EqualFunc(want, got.Events, func(a, b result.EventRow) bool { return a == b }) {
			t.Errorf("%+v: %d events, more %v: %+v, want %d, more %v: %+v", q, len(got.Events), got.More, got.Events, len(want), more, want)
		}
	}
}

// Which row groups may have a name is known, unless there are too many names.
func TestRowGroupsAreKnownByName(t *testing.T) {
	w := whoIs{}
	for i := range 300 {
		w.add(i/100, fmt.Sprint("port", i))
	}
	for i := range 300 {
		for group := range 4 {
			if got, want := w.may(group, fmt.Sprint("port", i)), group == i/100; got != want {
				t.Errorf("port%d in row group %d: %v, want %v", i, group, got, want)
			}
		}
	}
	if w.may(1, "nobody") || !w.may(1, "") {
		t.Error("a name that is nowhere may be in a row group, or any name may not")
	}
	for i := range mostKnown {
		w.add(5, fmt.Sprint("other", i))
	}
	if !w.may(1, fmt.Sprint("other", mostKnown-1)) || !w.may(5, fmt.Sprint("other", 0)) || w.may(1, "other0") {
		t.Error("of names beyond the bound any row group may have rows, of others those that have them")
	}
}

// byLooking is find without an index.
func byLooking(all []result.EventRow, q *eventQuery) (found []result.EventRow, more bool) {
	for i := range all {
		r := &all[i]
		if q.Back {
			r = &all[len(all)-1-i]
		}
		if q.takes(r) {
			found = append(found, *r)
		}
	}
	return found[:min(len(found), q.Most)], len(found) > q.Most
}

// What it costs to find the next event of a kind, in CPU time. RAILYARD_EVENTS says among how many.
func BenchmarkNextEvent(b *testing.B) {
	n := 1_000_000
	if s := os.Getenv("RAILYARD_EVENTS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	x := serve(b, manyEvents(b, n))
	x.settled("one")
	show, err := x.s.show("one")
	if err != nil {
		b.Fatal(err)
	}
	<-show.gone
	t, free := show.use()
	defer free()
	for _, kind := range []string{"mark", "pause", "drop", "timeout", ""} {
		for _, back := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/back=%v", kind, back), func(b *testing.B) {
				draws := rand.New(rand.NewPCG(1, 1))
				before := machine.CPU()
				for range b.N {
					at := unit.Time(draws.Int64N(int64(n) * 2000))
					q := eventQuery{From: at, Until: maxTime, Most: 1, Back: back}
					if back {
						q.From, q.Until = 0, at
					}
					if kind != "" {
						q.Kinds = map[string]bool{kind: true}
					}
					if _, err := t.events.find(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((machine.CPU()-before)*1e3/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
