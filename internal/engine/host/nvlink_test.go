package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// told is a rank that writes down what the last message took.
type told struct {
	start           func()
	received, acked []unit.Time
	trace           exec.Trace
	credits         []unit.Time
}

func (r *told) Start(unit.Time)            { r.start() }
func (r *told) Done(unit.Time, exec.Token) {}
func (r *told) Inlet(exec.Conn) int32      { return 0 }
func (r *told) Outlet(exec.Conn) int32     { return 0 }
func (r *told) Received(now unit.Time, _ int32, _ exec.Arrival, tr *exec.Trace) {
	r.received = append(r.received, now)
	r.trace = *tr
}
func (r *told) Acked(now unit.Time, _ int32, _ *exec.Trace) { r.acked = append(r.acked, now) }
func (r *told) Credited(now unit.Time, _, _ int32)          { r.credits = append(r.credits, now) }

// 1 kB between two GPUs of a host at 8 Gb/s takes 1 us through the link and 2 us of latency; both
// ranks hear of it then, and that NVLink is what it took. A credit takes the latency.
func TestAMessageOverNVLink(t *testing.T) {
	g, err := topo.SingleSwitch{Hosts: 1, GPUs: 2, NICs: 1,
		HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	eng := sim.New([]int{len(g.Ports)}, 0)
	h := New(eng, g, Config{NVLink: Pipe{Rate: 8 * unit.GigabitPerSec, Latency: 2 * unit.Microsecond}}, make([]int32, len(g.Nodes)))
	j := h.AddJob()
	way := exec.Way{Src: 0, Dst: 1}
	ranks := [2]*told{{start: func() {
		j.Post(&exec.Message{Way: way, Via: j.Open(way), Bytes: 1000, Wire: exec.Wire{Bytes: 1000, Out: 1000, In: 1000}})
	}}, {start: func() { j.Credit(j.Open(way), 0) }}}
	for i := range int32(2) {
		j.AddRank(0, i)
	}
	j.Connect(way)
	us := unit.Time(unit.Microsecond)
	for i := range int32(2) {
		j.SetRank(i, ranks[i], 5*us)
	}
	eng.Run()
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	want := exec.Trace{Posted: 5 * us, Placed: 8 * us, Segments: []exec.Segment{{Until: 8 * us, Cause: cause.NVLink, At: -1}}}
	if d := cmp.Diff(want, ranks[1].trace); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]unit.Time{{8 * us}, {8 * us}, {7 * us}},
		[][]unit.Time{ranks[1].received, ranks[0].acked, ranks[0].credits}); d != "" {
		t.Error(d)
	}
}
