package report

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/out/chart"
	"railyard/internal/out/diagnose"
)

// linkText prints links as "lane@us>lane@us".
func linkText(links []chart.Link) string {
	var all []string
	for _, k := range links {
		all = append(all, fmt.Sprintf("%d@%g>%d@%g", k.From, k.At/1e6, k.To, k.Then/1e6))
	}
	return strings.Join(all, " ")
}

// The line goes from rank to rank where the message does; the lanes of the path have its causes.
func TestPathOverTimeline(t *testing.T) {
	d := load(t, small(t, true))
	p := d.StepPath
	if p == nil || p.Step != 2 || p.Until().Sub(p.From()) != 81*us {
		t.Fatalf("path: %+v, want that of step 2, 81 us", p)
	}
	// Lanes: rank 0 compute, rank 0 data-parallel, rank 1 compute, rank 1 data-parallel.
	f := timelineChart(d)[0]
	if got, want := linkText(f.Lanes.Links), "0@0>0@25 0@25>1@25 1@25>3@76 3@76>2@76 2@76>2@81"; got != want {
		t.Errorf("line %s, want %s", got, want)
	}
	if f.Title != "Timeline of step 2" || !strings.Contains(f.Caption, "This step is the slowest; a lane") {
		t.Errorf("%s: %s", f.Title, f.Caption)
	}
	f = pathChart(d)[0]
	var got []string
	for _, l := range f.Lanes.Lanes {
		for _, s := range l.Spans {
			got = append(got, fmt.Sprintf("%s: %s %g to %g (%s)", l.Group, s.Key, s.From/1e6, s.To/1e6, s.Name))
		}
	}
	want := []string{"rank 0: compute 0 to 25 (compute, compute)",
		"rank 0: queueing 25 to 66 (queueing, message of rank 0 to rank 1)",
		"rank 0: serialisation 66 to 76 (serialisation, message of rank 0 to rank 1)",
		"rank 1: compute 76 to 81 (compute, compute)"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("lanes of the path:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(f.Caption,
		"What rank 1, which ended the step last, had to wait for, on the rank that did it: 81 us in all.") {
		t.Errorf("caption: %s", f.Caption)
	}
}

// Of more ranks than are shown the first, the last and those on the path are kept; the line
// breaks where it leaves them.
func TestPathOverManyRanks(t *testing.T) {
	d := load(t, small(t, true))
	ops := d.StepPath.Ops
	for rank := int32(2); rank < 40; rank++ {
		for _, op := range ops[:4] {
			op.Rank = rank
			if rank == 33 {
				op.End++
			}
			d.StepPath.Ops = append(d.StepPath.Ops, op)
		}
	}
	parts := d.StepPath.Parts
	parts[2].Src, parts[2].Dst, parts[2].OnRank = 39, 1, 39 // rank 39 has little of the path, but more than none
	all, from, _, ranks := lanes(d.StepPath.Ops, d.StepPath.weight())
	var kept []int32
	for i, l := range all {
		if i == 0 || all[i-1].rank != l.rank {
			kept = append(kept, l.rank)
		}
	}
	if got, want := fmt.Sprint(kept, ranks), "[0 1 2 5 7 10 12 15 17 20 22 25 27 30 33 39] 40"; got != want {
		t.Errorf("ranks %s, want %s", got, want)
	}
	links := d.StepPath.links(all[:len(all)-2], from) // without rank 39
	if got, want := linkText(links), "0@0>0@25 0@25>1@25 1@25>3@66 2@76>2@81"; got != want {
		t.Errorf("line %s, want %s: a gap while it is on rank 39", got, want)
	}
	f := timelineChart(d)[0]
	for _, want := range []string{"16 of 40 ranks: the first, the one that ended last, those on the critical path,",
		"it has a gap."} {
		if !strings.Contains(f.Caption, want) {
			t.Errorf("no %q in %s", want, f.Caption)
		}
	}
}

// An acknowledgement leads back to the sender. The fastest message stands beside the slowest.
func TestAcknowledgementLeadsBack(t *testing.T) {
	d := load(t, small(t, true))
	parts := d.StepPath.Parts
	parts[2].Kind = "acknowledgement"
	all, from, _, _ := lanes(d.StepPath.Ops, nil)
	if got, want := linkText(d.StepPath.links(all,
		from)), "0@0>0@25 0@25>1@25 1@25>3@66 3@66>1@76 1@76>2@76 2@76>2@81"; got != want {
		t.Errorf("line %s, want %s", got, want)
	}
	d.Steps = nil
	if _, rows := d.spans(); spanNames(rows) != "mean over 6 messages; fastest: rank0>rank1#0; slowest: rank0>rank1#0" ||
		rows[1].split.Sum() != 10*us || rows[2].split.Sum() != 50*us {
		t.Errorf("rows: %+v", rows)
	}
}

// Time in any state stands at what made it pass; the rest is one row.
func TestCausesNameBlames(t *testing.T) {
	d := load(t, small(t, true))
	d.Summary.Diagnosis = &diagnose.Diagnosis{Subject: "a step", Whole: 100 * us, Blames: []diagnose.Blame{
		{Kind: diagnose.SharedPort, Port: "rail1/host2", Crossed: true, Time: 49 * us,
			Felt: []diagnose.Felt{{Cause: "rate limit", Time: 40 * us}, {Cause: "queueing", Time: 9 * us}}},
		{Kind: diagnose.SlowRank, Rank: new(int32(3)), Time: 50 * us,
			Felt: []diagnose.Felt{{Cause: "dependency", Time: 50 * us}}},
		{Kind: diagnose.LossyLink, Port: "rail1/host9", Time: us / 2,
			Felt: []diagnose.Felt{{Cause: "retransmission", Time: us / 2}}},
		{Kind: diagnose.Cable, Time: us / 2, Felt: []diagnose.Felt{{Cause: "propagation", Time: us / 2}}},
	}}
	var got []string
	f := causesChart(d)[0]
	for _, r := range f.Bars.Rows[2:] {
		row := r.Group + " | " + r.Label + " | " + r.Note
		for _, p := range r.Parts {
			row += fmt.Sprintf(" | %s %g", p.Key, p.Value/1e6)
		}
		got = append(got, row)
	}
	want := []string{
		"What it is attributed to | cross traffic at rail1/host2 | 49 us, 49.0 % | rate_limit 40 | queueing 9",
		"What it is attributed to | slow rank 3 | 50 us, 50.0 % | dependency 50",
		"What it is attributed to | 2 other reasons | 1 us, 1.0 % | propagation 0.5 | retransmission 0.5"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	slow := slowestChart(d)[0].Bars.Rows[0]
	for _, p := range slow.Parts {
		if p.Key == "queueing" && p.Note != "40 us at rail1/host2" {
			t.Errorf("queueing of the slowest message: %q", p.Note)
		}
	}
}

// Parts of less than a thousandth are one part; one alone keeps its name.
func TestSmallCausesAreFolded(t *testing.T) {
	s := cause.Split{cause.Compute: 100 * us, cause.NIC: us / 20, cause.PCIe: us / 20, cause.Queueing: us / 5}
	k := keysOf([]cause.Split{s}, s.Sum())
	parts := k.parts(&s, nil)
	if got, want := fmt.Sprint(parts), "[{compute 1e+08 } {queueing 200000 } {other 100000 }]"; got != want {
		t.Errorf("parts %s, want %s", got, want)
	}
	if last := k.keys[len(k.keys)-1]; last.Name != "other (2 causes)" || last.Meaning != "PCIe, NIC" {
		t.Errorf("key %+v", last)
	}
	s[cause.NIC] = 0
	k = keysOf([]cause.Split{s}, s.Sum())
	if got, want := fmt.Sprint(k.parts(&s, nil)), "[{compute 1e+08 } {pcie 50000 } {queueing 200000 }]"; got != want {
		t.Errorf("one small cause: parts %s, want %s", got, want)
	}
}

// Small spans are put together within a column, and only there: nothing moves further.
func TestSmallSpansAreJoined(t *testing.T) {
	spans := []chart.Span{{From: 0, To: 1, Key: "a", Name: "x"}, {From: 1, To: 3, Key: "b"},
		{From: 3, To: 4.5, Key: "a"},
		{From: 4.5, To: 30, Key: "a", Name: "long"}, {From: 31, To: 32, Key: "b", Name: "last"}}
	got := fmt.Sprint(joinSmall(spans, 5))
	if want := "[{0 4.5 a 3 together} {4.5 30 a long} {31 32 b last}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var many []chart.Span
	for i := range 100_000 {
		many = append(many, chart.Span{From: chart.Value(i), To: chart.Value(i + 1), Key: "a"})
	}
	lanes := thinned([]chart.Lane{{Spans: many}, {Spans: many}}, 100_000)
	if n := len(lanes[0].Spans) + len(lanes[1].Spans); n > mostSpans || n < mostSpans/4 {
		t.Errorf("%d spans are left of 200,000: want at most %d, and no fewer than a quarter of it", n, mostSpans)
	}
}
