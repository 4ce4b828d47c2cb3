package report

import (
	"fmt"
	"railyard/internal/diagnose"
	"strings"
	"testing"
)

// The line goes from rank to rank where the message does, and the row above has its causes.
func TestPathOverTimeline(t *testing.T) {
	d := load(t, small(t, true))
	p := d.StepPath
	if p == nil || p.Step != 2 || p.Until().Sub(p.From()) != 81*us {
		t.Fatalf("path: %+v, want that of step 2, 81 us", p)
	}
	all, from, to, _ := lanes(p.Ops, p.weight())
	tl := &timeline{lanes: all, from: from, to: to, path: p}
	f := &Frame{d: NewDrawing(81, 10, "", ""), Right: 81, XHi: float64(81 * us)} // a pixel is 1 us
	// Lanes: rank 0 compute, rank 0 communicator, rank 1 compute, rank 1 communicator.
	got := fmt.Sprint(tl.pathLines(f, []float64{1, 2, 3, 4}))
	if want := "[[{0 1} {25 1} {25 2} {76 4} {76 3} {81 3}]]"; got != want {
		t.Errorf("line %s, want %s", got, want)
	}
	tl.drawCauses(f, 0)
	svg := f.d.String()
	for _, want := range []string{`x="25" y="0" width="41"`, "queueing: message of rank 0 to rank 1, 25 us to 66 us (41 us)", `x="66" y="0" width="10"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	figures := timelineFigures(d)
	if s := figures[1].Caption; !strings.Contains(s, "rank 1, which ended last, had to wait for (the slowest step, 81 us)") {
		t.Errorf("caption: %s", s)
	}
}

// Of more ranks than are shown those on the path are kept; the line breaks where it leaves them.
func TestPathOverManyRanks(t *testing.T) {
	d := load(t, small(t, true))
	ops := d.StepPath.Ops
	for rank := int32(2); rank < 40; rank++ {
		for _, op := range ops[:4] {
			op.Rank = rank
			d.StepPath.Ops = append(d.StepPath.Ops, op)
		}
	}
	parts := d.StepPath.Parts
	parts[2].Src, parts[2].Dst, parts[2].OnRank = 39, 1, 39 // rank 39 has little of the path, but more than none
	all, _, _, ranks := lanes(d.StepPath.Ops, d.StepPath.weight())
	var kept []int32
	for i, l := range all {
		if i == 0 || all[i-1].rank != l.rank {
			kept = append(kept, l.rank)
		}
	}
	if got, want := fmt.Sprint(kept, ranks), "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 39] 40"; got != want {
		t.Errorf("ranks %s, want %s", got, want)
	}
	tl := &timeline{lanes: all[:len(all)-2], path: d.StepPath, from: d.StepPath.From(), to: d.StepPath.Until()} // without rank 39
	f := &Frame{d: NewDrawing(81, 10, "", ""), Right: 81, XHi: float64(81 * us)}
	if got := len(tl.pathLines(f, make([]float64, len(all)))); got != 2 {
		t.Errorf("%d pieces of line, want 2: one before rank 39 and one after", got)
	}
}

// Time in any state stands at the port that brought it about; a table of hops says where the slowest messages queued.
func TestLostAtPorts(t *testing.T) {
	d := load(t, small(t, true))
	d.Summary.Diagnosis = &diagnose.Diagnosis{Subject: "a step", Whole: 100 * us, Blames: []diagnose.Blame{
		{Kind: diagnose.SharedPort, Port: "rail1/host1", Time: 20 * us, Felt: []diagnose.Felt{{Cause: "pause", Time: 20 * us}}},
		{Kind: diagnose.SharedPort, Port: "rail1/host2", Time: 15 * us, Felt: []diagnose.Felt{{Cause: "rate limit", Time: 10 * us}, {Cause: "queueing", Time: 5 * us}}},
		{Kind: diagnose.Controller, Port: "rail1/host2", Time: 14 * us, Felt: []diagnose.Felt{{Cause: "rate limit", Time: 14 * us}}},
		{Kind: diagnose.LinkSpeed, Port: "host1/rail1", Time: 50 * us, Felt: []diagnose.Felt{{Cause: "serialisation", Time: 50 * us}}},
		{Kind: diagnose.LossyLink, Port: "rail1/host9", Time: us / 2, Felt: []diagnose.Felt{{Cause: "retransmission", Time: us / 2}}},
	}}
	f := lostFigure(d)
	if len(f) != 1 {
		t.Fatalf("%d figures, want 1", len(f))
	}
	svg := f[0].Draw(wideFigure).String()
	for _, s := range []string{"rail1/host2: rate limit 24 us (82.8 %); shared port, 10 us; congestion control, 14 us", "rail1/host1: pause 20 us (100 %); shared port, 20 us"} {
		if !strings.Contains(svg, s) {
			t.Errorf("no %q in\n%s", s, svg)
		}
	}
	if strings.Index(svg, ">rail1/host2<") > strings.Index(svg, ">rail1/host1<") || strings.Contains(svg, "rail1/host9") || strings.Contains(svg, "host1/rail1") {
		t.Errorf("order, or a port too many:\n%s", svg)
	}
	if svg := slowestFigure(d)[0].Draw(wideFigure).String(); !strings.Contains(svg, "; 40 us at rail1/host2<") {
		t.Errorf("slowest messages:\n%s", svg)
	}
}
