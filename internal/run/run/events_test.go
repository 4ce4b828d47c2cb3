package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// watched is an incast over two switches with everything in it that is logged: marks, pauses, CNPs;
// drops of the other class are not, since nothing sends in it. A link that is down for a while loses packets.
const watched = `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  links: {spine: 100Gb/s}
  switch: {buffer: 1MB}
  qos: {ecn: {min: 30kB, max: 120kB}}
transport: {timeout: 100us}
faults:
  - {link: host8/leaf2, at: 40us, down: 10us}
job:
  flows:
    - {name: one, from: host2/gpu0, to: host1/gpu0, bytes: 2MB}
    - {name: two, from: host3/gpu0, to: host1/gpu0, bytes: 2MB}
    - {name: three, from: host5/gpu0, to: host1/gpu0, bytes: 2MB}
    - {name: four, from: host6/gpu0, to: host1/gpu0, bytes: 2MB}
    - {name: five, from: host8/gpu0, to: host7/gpu0, bytes: 2MB}
`

// eventsOf reads the log of a run.
func eventsOf(t *testing.T, r ran) (all []result.EventRow) {
	t.Helper()
	for e, err := range r.Run.Events() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func seriesOf(t *testing.T, r ran) (all []result.SeriesRow) {
	t.Helper()
	for s, err := range r.Series() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// What is logged changes nothing else, and is the same however the network is cut into islands.
func TestEventsAreTheSameInIslands(t *testing.T) {
	yaml := watched + "output: {events: true, events_kept: 50, series: true}"
	one := run(t, yaml, Options{})
	for _, opt := range []Options{{Islands: 3}, {Islands: 5, Workers: 4}, {Islands: 64, Workers: 2}} {
		if other := run(t, yaml, opt); digestOf(t, one.path) != digestOf(t, other.path) {
			t.Errorf("%d islands: %s", opt.Islands, firstDifference(t, one.path, other.path))
		}
	}
	without := run(t, watched, Options{Islands: 2})
	for _, table := range without.Run.Tables() {
		a, err1 := os.ReadFile(filepath.Join(one.path, table+".parquet"))
		b, err2 := os.ReadFile(filepath.Join(without.path, table+".parquet"))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("table %s is another where events are logged: %v %v", table, err1, err2)
		}
	}
	if one.Summary.Events != without.Summary.Events || one.VirtualTime != without.VirtualTime {
		t.Errorf("%d events of the engine until %v, without a log %d until %v", one.Summary.Events, one.VirtualTime,
			without.Summary.Events, without.VirtualTime)
	}
	if names := without.Run.Tables(); slices.Contains(names, "events") || slices.Contains(names, "series") {
		t.Errorf("tables that nobody asked for: %v", names)
	}
}

// The log has a row for everything that the run counts.
func TestEventsAreThoseThatAreCounted(t *testing.T) {
	r := run(t, watched+"output: {events: true, events_kept: 1000000}", Options{})
	count, losses, timeouts := map[string]int64{}, int64(0), int64(0)
	held := map[string]bool{}
	for _, e := range eventsOf(t, r) {
		count[e.Kind]++
		switch e.Kind {
		case result.EventPause:
			if held[e.Port] || e.Root == "" {
				t.Errorf("%s stops twice, or because of nothing: %+v", e.Port, e)
			}
			held[e.Port] = true
		case result.EventResume:
			held[e.Port] = false
		case result.EventOverMin, result.EventMark, result.EventXOFF:
			if e.Bytes < e.Threshold {
				t.Errorf("%d bytes are over %d: %+v", e.Bytes, e.Threshold, e)
			}
		case result.EventUnderMin, result.EventXON:
			if e.Bytes > e.Threshold {
				t.Errorf("%d bytes are under %d: %+v", e.Bytes, e.Threshold, e)
			}
		}
	}
	for _, f := range r.Summary.Flows {
		if f.Retransmits > 0 && f.Name != "five" {
			t.Errorf("%s sent again: want that only of the one over the link that was down", f.Name)
		}
	}
	for l, err := range r.Losses() {
		if err != nil {
			t.Fatal(err)
		}
		if l.Kind == "timeout" {
			timeouts++
		} else {
			losses++
		}
	}
	for _, c := range []struct {
		kind string
		want int64
	}{
		{result.EventMark, r.ECNMarks}, {result.EventCNPSent, r.CNPs}, {result.EventCNPReceived, r.CNPs},
		{result.EventLoss, losses}, {result.EventTimeout, timeouts}, {result.EventDrop, r.Drops},
		{result.EventXON, count[result.EventXOFF]}, {result.EventResume, count[result.EventPause]},
		{result.EventUnderMin, count[result.EventOverMin]}, {result.EventUnderMax, count[result.EventOverMax]},
		{result.EventLinkDown, 2}, {result.EventLinkUp, 2}, {result.EventNAKReceived, count[result.EventNAKSent]},
	} {
		if count[c.kind] != c.want {
			t.Errorf("%d rows of %s, want %d", count[c.kind], c.kind, c.want)
		}
	}
	if count[result.EventXOFF] > r.Pauses || count[result.EventPause] > r.Pauses {
		t.Errorf("%d times xOFF, %d pauses of %d PFC frames", count[result.EventXOFF], count[result.EventPause], r.Pauses)
	}
	for _, kind := range []string{result.EventMark, result.EventXOFF, result.EventPause, result.EventOverMin,
		result.EventCNPSent, result.EventLoss, result.EventNAKSent, result.EventRate} {
		if count[kind] == 0 {
			t.Errorf("no %s: the run shows less than it means to", kind)
		}
	}
}

// Of each kind and place the first are kept, and the others counted.
func TestEventsAreBounded(t *testing.T) {
	const kept = 7
	type place struct{ kind, port, name string }
	whole, wanted := map[place]int64{}, []result.EventRow{}
	of := func(e *result.EventRow) place {
		for _, k := range result.EventKindList() {
			if k.Name == e.Kind && k.Pair {
				return place{e.Kind, e.Port, e.Name}
			}
		}
		return place{e.Kind, e.Port, ""}
	}
	for _, e := range eventsOf(t, run(t, watched+"output: {events: true, events_kept: 1000000}", Options{})) {
		if whole[of(&e)]++; whole[of(&e)] <= kept {
			wanted = append(wanted, e)
		}
	}
	r := run(t, watched+fmt.Sprintf("output: {events: true, events_kept: %d}", kept), Options{})
	rows := eventsOf(t, r)
	first := slices.IndexFunc(rows, func(e result.EventRow) bool { return e.LeftOut > 0 })
	if first < 0 || !slices.Equal(rows[:first], wanted) {
		t.Fatalf("%d rows before what is left out, want the first %d of each kind and place: %d", first, kept, len(wanted))
	}
	sum := int64(0)
	for _, e := range rows[first:] {
		sum += e.LeftOut
		if want := whole[of(&e)] - kept; e.LeftOut != want {
			t.Errorf("%+v, want %d left out", e, want)
		}
		delete(whole, of(&e))
	}
	for p, n := range whole {
		if n > kept {
			t.Errorf("%v: %d rows, and none says that more were left out", p, n)
		}
	}
	note := fmt.Sprintf("leaves out %s", unit.CountOf(sum, "event"))
	if !strings.Contains(strings.Join(r.Notes, "\n"), note) {
		t.Errorf("no note %q in %q", note, r.Notes)
	}
}

// A series adds up to what the tables of the whole run say.
func TestSeriesAddsUp(t *testing.T) {
	r := run(t, watched+"output: {series: true, series_interval: 3us}", Options{})
	type sums struct{ busy, paused, marks, drops int64 }
	links, acked := map[string]sums{}, map[string]unit.Bytes{}
	cnps, deepest := int64(0), unit.Bytes(0)
	for _, s := range seriesOf(t, r) {
		if d := s.Until.Sub(s.From); d != 3*unit.Microsecond && s.Until != r.VirtualTime || d <= 0 {
			t.Fatalf("an interval from %v to %v", s.From, s.Until)
		}
		switch s.Kind {
		case result.SeriesLink:
			l := links[s.Port]
			links[s.Port] = sums{l.busy + int64(s.Busy), l.paused + int64(s.Paused), l.marks + s.Marks, l.drops + s.Drops}
		case result.SeriesFlow:
			acked[s.Name] += s.Bytes
			cnps += s.CNPs
		default:
			deepest = max(deepest, s.Bytes)
		}
	}
	for l, err := range r.Links() {
		if want := (sums{int64(l.Busy), int64(l.Paused), l.ECNMarks, l.Drops}); err != nil || links[l.Port] != want {
			t.Errorf("%s: %+v, want %+v (%v)", l.Port, links[l.Port], want, err)
		}
	}
	for name, bytes := range acked {
		if bytes != 2*unit.Megabyte {
			t.Errorf("%s: %v acknowledged, want 2 MB", name, bytes)
		}
	}
	if cnps != r.CNPs || cnps == 0 || len(acked) != 5 || deepest == 0 {
		t.Errorf("%d CNPs, want %d; %d queue pairs; the deepest queue %v", cnps, r.CNPs, len(acked), deepest)
	}
}

// An interval that follows from the run's length gives the table that it would have given if it had
// been named.
func TestIntervalOfASeries(t *testing.T) {
	auto := seriesOf(t, run(t, watched+"output: {series: true}", Options{}))
	every, last := auto[0].Until.Sub(auto[0].From), auto[len(auto)-1].Until
	if n := int64(unit.Duration(last) / every); every <= unit.Microsecond || n < 200 || n > 512 {
		t.Fatalf("%d intervals of %v: want 256 to 512, of more than the finest", n, every)
	}
	output := fmt.Sprintf("output: {series: true, series_interval: %dns}", every/unit.Nanosecond)
	named := seriesOf(t, run(t, watched+output, Options{Islands: 4}))
	if !slices.Equal(auto, named) {
		for i := range min(len(auto), len(named)) {
			if auto[i] != named[i] {
				t.Fatalf("row %d: %+v, named %+v", i, auto[i], named[i])
			}
		}
		t.Fatalf("%d rows, named %d", len(auto), len(named))
	}
}

// A flow that takes another way has an event for it, at the port that it takes now; one with a fixed path has
// none.
func TestPathEvents(t *testing.T) {
	for balance, want := range map[string]bool{"balance: ecmp": false, "balance: flowlet, flowlet: {gap: 1us}": true} {
		yaml := "cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
			"fabric: {design: leaf-spine, leaves: 2, spines: 2, links: {spine: 100Gb/s}, " + balance + "}\njob:\n  flows:\n"
		for i := range 3 {
			yaml += fmt.Sprintf("    - {name: flow%d, from: host%d/gpu0, to: host%d/gpu0, bytes: 20kB, count: 20, every: 9us}\n",
				i, i+1, i+5)
		}
		r := run(t, yaml+"output: {events: true}\n", Options{})
		way, changes := map[string]string{}, 0
		for _, e := range eventsOf(t, r) {
			if e.Kind != result.EventPath {
				continue
			}
			changes++
			at, _, _ := strings.Cut(e.Port, "/")
			key := e.Name + e.Frame + at
			if was := way[key]; e.Root == e.Port || was != "" && was != e.Root || !strings.HasPrefix(e.Root, at+"/") {
				t.Errorf("%s: %+v, it took %q", balance, e, was)
			}
			way[key] = e.Port
		}
		if (changes > 0) != want {
			t.Errorf("%s: %d changes of path, want some: %v", balance, changes, want)
		}
		if other := run(t, yaml+"output: {events: true}\n", Options{Islands: 4, Workers: 2}); digestOf(t, r.path) !=
			digestOf(t, other.path) {
			t.Errorf("%s: %s", balance, firstDifference(t, r.path, other.path))
		}
	}
}
