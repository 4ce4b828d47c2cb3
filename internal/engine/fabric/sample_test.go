package fabric

import (
	"testing"

	"railyard/internal/base/unit"
)

// longQueue is a queue of a port with frames of flows 0, 1, 2 and so on; the port is with its frame until busy.
func longQueue(frames int32, busy unit.Time) *egress {
	eg := &egress{setup: &setup{nc: 1}, links: &links{ports: make([]port, 1)}, queues: make([]queue, 1), slow: make([]slow, 1)}
	eg.links.ports[0].busyUntil = busy
	var free pool
	for flow := range frames {
		eg.queues[0].push(&free, &Packet{Flow: flow, Bytes: 1000})
		eg.queues[0].bytes += 1000
	}
	return eg
}

func seenAt(eg *egress, now unit.Time) (flows []int32) {
	eg.look(now, 0, min(eg.queues[0].n, lookAt), func(p *Packet) { flows = append(flows, p.Flow) })
	return flows
}

// A long queue that stays as it is is looked at elsewhere each time: as often at each of its frames, within five deviations.
// Looks that are not counted see the same 32 of 128 frames for ever.
func TestLooksAtAQueueThatStaysSeeAllOfIt(t *testing.T) {
	const frames, looks = 128, 2000
	eg := longQueue(frames, 0)
	seen := make([]int, frames)
	for range looks {
		flows := seenAt(eg, 7)
		if len(flows) != lookAt {
			t.Fatalf("%d frames were read, want %d", len(flows), lookAt)
		}
		for i, f := range flows {
			if int(f)*lookAt/frames != i {
				t.Fatalf("frame %d was read for part %d of %d", f, i, lookAt)
			}
			seen[f]++
		}
	}
	const mean, deviation = looks * lookAt / frames, 20 // 500, and the root of 2000 x 1/4 x 3/4
	for f, k := range seen {
		if k < mean-5*deviation || k > mean+5*deviation {
			t.Errorf("frame %d was read %d times of %d, want %d", f, k, looks, mean)
		}
	}
}

// The same at whatever time it happens: as far as the port is with its frame, and from the first look on after the queue was
// short. Else what happens again would not be told again.
func TestLooksAreTheSameAtAnyTime(t *testing.T) {
	const at, later = unit.Time(5 * unit.Microsecond), unit.Time(3 * unit.Second)
	one, two := longQueue(100, at.Add(unit.Nanosecond)), longQueue(100, later.Add(unit.Nanosecond))
	for range 3 {
		seenAt(two, later) // before it was short
	}
	short := two.queues[0].n
	two.queues[0].n = lookAt
	if flows := seenAt(two, later); len(flows) != lookAt || flows[0] != 0 {
		t.Fatalf("of a short queue %v were read, want all", flows)
	}
	two.queues[0].n = short
	for k := range 10 {
		a, b := seenAt(one, at), seenAt(two, later)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("look %d: %v at %v, %v at %v", k, a, at, b, later)
			}
		}
	}
}
