package host

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// What is to be done at a host is in one order, whoever planned it first: by time, kind, alarm, owner,
// number.
func TestTheAgendaIsInOneOrder(t *testing.T) {
	entries := []entry{{}, {b: 1}, {a: 1}, {a: 1, b: 1}, {alarm: 1}, {alarm: 1, a: 1}, {what: 1}, {what: 1, alarm: 1},
		{at: 1}, {at: 1, what: 1}, {at: 2, what: workCopied, alarm: 255, a: 1<<31 - 1, b: 1<<63 - 1}}
	for i, x := range entries {
		for j, y := range entries {
			p, q := x.key(), y.key()
			if p.Before(q) != (i < j) || entryOf(p) != x {
				t.Errorf("%+v before %+v: %v, as %+v", x, y, p.Before(q), entryOf(p))
			}
		}
	}
	flows := []leaving{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	for i, x := range flows {
		for j, y := range flows {
			p, q := x.key(), y.key()
			if p.Before(q) != (i < j) {
				t.Errorf("%+v before %+v: %v", x, y, p.Before(q))
			}
		}
	}
}

// A link without a rate takes no time, and memory of the NIC is there at once: nobody shares it.
func TestWhatTakesNoTime(t *testing.T) {
	s := newShare(0, 0)
	m := s.add(5, s.flow(), 1000)
	if at := s.past(5, m+1); at != 5 {
		t.Errorf("past at %v", at)
	}
	if at := s.ifAllStay(5, m+1); at != 5 {
		t.Errorf("past at %v if all stay", at)
	}
	if f := (&Fetch{}); f.Shared() {
		t.Error("the NIC's own memory is shared")
	}
	var p pipe
	if at := p.take(7, 1000, 0); at != 7 {
		t.Errorf("through the pipe at %v", at)
	}
}

// A copy of 1 kB and what a NIC brings meanwhile share PCIe: each takes twice its time. Packets of a
// NIC stay in order, and none comes before it would alone.
func TestANICBesideACopy(t *testing.T) {
	const rate = 8 * unit.GigabitPerSec // 1 ns a byte
	link := newShare(rate, unit.Microsecond)
	c := &copies{feeds: []feed{newFeed(&link)}, placed: map[topo.NICID]unit.Time{}}
	link.add(0, c.feeds[0].flow, 1000)
	us := unit.Time(unit.Microsecond)
	if at := c.beside(0, us, 3, 1000); at != 2*us {
		t.Errorf("placed at %v, want 2 us", at)
	}
	if at := c.beside(0, 9*us, 4, 10); at != 9*us {
		t.Errorf("alone it takes until 9 us, beside a copy until %v", at)
	}
	if at := c.beside(3*us, 0, 4, 10); at != 9*us {
		t.Errorf("placed at %v, before the packet before it", at)
	}
}

// failing is a network in which queue pairs fail when they are woken.
type failing struct {
	Network
	h     *Hosts
	woken int
}

func (n *failing) Linger() unit.Duration { return unit.Microsecond }

func (n *failing) Wake(now unit.Time, a Alarm) {
	n.woken++
	n.h.Fail(n.h.Island(int32(a.N)), now, a.QP, fmt.Errorf("queue pair %d", a.QP))
}

// A failure ends the run, on whichever island it is; of several the first is named, of those of one
// instant that of the lowest number.
func TestTheFirstFailureEndsTheRun(t *testing.T) {
	for _, islands := range [][]int{{3}, {2, 1}} {
		g, err := topo.SingleSwitch{Hosts: 2, GPUs: 1, NICs: 1,
			HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
		if err != nil {
			t.Fatal(err)
		}
		islandOf := make([]int32, len(g.Nodes))
		islandOf[g.Hosts[1].Node] = int32(len(islands) - 1)
		eng := sim.New([]int{4, 4}[:len(islands)], unit.Microsecond)
		h := New(eng, g, Config{}, islandOf)
		n := &failing{h: h}
		h.Attach(n)
		at := unit.Time(10 * unit.Microsecond)
		h.Alarm(0, at, Alarm{QP: 7})
		h.Alarm(1, at, Alarm{QP: 5, N: 1})
		h.Alarm(0, at+1, Alarm{QP: 1})
		h.Alarm(1, 100*at, Alarm{QP: 2, N: 1})
		eng.Run()
		if err := h.Err(); err == nil || err.Error() != "queue pair 5" {
			t.Errorf("%d islands: %v, want queue pair 5", len(islands), err)
		}
		if n.woken != 3 {
			t.Errorf("%d islands: %d alarms before the run ended, want 3", len(islands), n.woken)
		}
	}
}

// A GPU that is not next to a NIC, be it GPU 0, has its bytes carried over NVLink by the one that is.
func TestTheWayOfAFarGPU(t *testing.T) {
	g, err := topo.SingleSwitch{Hosts: 1, GPUs: 2, NICs: 2,
		HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	h := New(sim.New([]int{4}, 0), g, Config{}, make([]int32, len(g.Nodes)))
	for nic := range topo.NICID(2) {
		for gpu := range int32(2) {
			feeds, by := 0, gpu
			if g.NICOf(0, int(gpu)) != nic {
				feeds, by = 2, g.NICs[nic].GPU
			}
			if s := h.NewStore(nic, gpu); len(s.relay) != feeds || s.gpu != by {
				t.Errorf("NIC %d to GPU %d: %d feeds of NVLink by GPU %d, want %d by %d", nic, gpu, len(s.relay), s.gpu,
					feeds, by)
			}
			if f := h.NewFetch(nic, gpu); len(f.feeds) != feeds+1 || !f.Shared() {
				t.Errorf("GPU %d to NIC %d: %d feeds, want %d and PCIe", gpu, nic, len(f.feeds), feeds)
			}
		}
	}
}
