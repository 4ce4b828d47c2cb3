package whatif

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
)

// What is attributed to a change is what the diagnosis lays on that thing: a port in both
// directions, flows by their bytes there, a mechanism by its kind or by where time was felt.
func TestAttributed(t *testing.T) {
	const us = unit.Microsecond
	two := int32(2)
	d := &diagnose.Diagnosis{Whole: 200 * us, Blames: []diagnose.Blame{
		{Kind: diagnose.SharedPort, Port: "rail1/host2", Time: 80 * us, Crossed: true,
			Culprits: []diagnose.Culprit{{Name: "a", Share: 0.5}, {Name: "b", Share: 0.25}},
			Felt: []diagnose.Felt{{Cause: cause.Queueing.String(), Time: 50 * us},
				{Cause: cause.Pause.String(), Time: 30 * us}}},
		{Kind: diagnose.SlowPort, Port: "host2/rail1", Time: 20 * us},
		{Kind: diagnose.Controller, Port: "rail1/host2", Time: 10 * us},
		{Kind: diagnose.LossyLink, Port: "rail2/host3#2", Time: 7 * us},
		{Kind: diagnose.FullBuffer, Port: "rail2/host3#1", Time: 6 * us},
		{Kind: diagnose.Window, Time: 5 * us},
		{Kind: diagnose.SlowRank, Rank: &two, Time: 4 * us},
		{Kind: diagnose.Launch, Time: 3 * us},
		{Kind: diagnose.Cable, Time: 2 * us},
		{Kind: diagnose.Compute, Time: 63 * us},
	}}
	for _, c := range []struct {
		cut  Cut
		want unit.Duration // -1: not known
	}{
		{Cut{Kind: OneFlow, Subject: []string{"a"}}, 45 * us}, // half of the port, and of the controller there
		{Cut{Kind: Flows, Subject: []string{"a", "b", "c"}}, 67*us + us/2},
		{Cut{Kind: PFC}, 30 * us},
		{Cut{Kind: Congestion, Subject: []string{"dcqcn"}}, 10 * us},
		{Cut{Kind: Port, Subject: []string{"rail1/host2"}}, 90 * us}, // its direction alone
		{Cut{Kind: Link, Subject: []string{"host3/rail2#1"}}, 6 * us},
		{Cut{Kind: Fault, Subject: []string{"host3/rail2#2"}}, 7 * us},
		{Cut{Kind: Fault, Subject: []string{"host3/rail2#1"}}, 0},
		{Cut{Kind: Fault}, 7 * us},
		{Cut{Kind: Buffer}, 6 * us},
		{Cut{Kind: Window}, 5 * us},
		{Cut{Kind: Rank, Subject: []string{"rank 2"}}, 4 * us},
		{Cut{Kind: Rank, Subject: []string{"rank 1"}}, 0},
		{Cut{Kind: Launch}, 3 * us},
		{Cut{Kind: Ideal}, (80 + 20 + 10 + 7 + 6 + 5 + 2) * us},
		{Setting("fabric.spines", "4"), -1},
		{Cut{Kind: Cure}, -1},
	} {
		got, ok := attributed(&c.cut, d)
		if ok != (c.want >= 0) || ok && got != c.want {
			t.Errorf("%s %v: %v %v, want %v", c.cut.Kind, c.cut.Subject, got.Human(), ok, c.want.Human())
		}
	}
	d.Blames[0].Others = 3
	for name, known := range map[string]bool{"a": true, "c": false} {
		if _, ok := attributed(&Cut{Kind: OneFlow, Subject: []string{name}}, d); ok != known {
			t.Errorf("of %s among culprits that are not listed: %v", name, ok)
		}
	}
	if _, ok := attributed(&Cut{Kind: PFC}, nil); ok {
		t.Error("attributed without a diagnosis")
	}
}
