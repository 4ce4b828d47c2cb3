package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A queue pair that is closed sends nothing more, and answers nothing of what is still on its way; one that is added then
// works like any other.
func TestAClosedQueuePairIsSilentAndAnotherWorks(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	r := defaults(oneSwitch(t, 2, rate), rate)
	r.nic.Transport.AckEvery = 1
	r.build(t)
	old := r.flow(t, 0, 1, 10*unit.Megabyte, 0)
	rtt := func(int32) unit.Duration { return 4 * unit.Microsecond }
	r.net.Build(rtt)
	cut := unit.Time(100 * unit.Microsecond)
	if more, ok := r.eng.RunUntil(cut); !more || !ok {
		t.Fatal("the flow is over")
	}
	frames := func(id topo.NICID) int64 { return r.fab.Stats(r.eng.Now(), r.graph.NICs[id].Port).Frames }
	acked, sent, answered := r.net.Delivered(old), frames(0), frames(1)
	r.net.Close(old)
	if r.eng.Run(); acked == 0 || r.net.Delivered(old) != acked || frames(0) > sent+1 || frames(1) > answered+1 {
		t.Errorf("closed after %d frames, %d answers and %d bytes: now %d, %d, %d", sent, answered, acked, frames(0), frames(1),
			r.net.Delivered(old))
	}
	next := r.flow(t, 0, 1, unit.Megabyte, cut.Add(unit.Millisecond))
	r.net.Extend(next, rtt)
	if r.eng.Run(); len(r.flows) != 1 || r.flows[0].QP != next || r.flows[0].Acked < 0 || r.net.Delivered(next) != 1_000_000 {
		t.Errorf("messages %+v after another queue pair was added", r.flows)
	}
}
