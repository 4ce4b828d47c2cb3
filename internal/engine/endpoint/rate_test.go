package endpoint

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// ticking notes what leaves and what comes by a clock that the test moves.
type ticking struct {
	now            *atomic.Int64
	sent, received int
	bytes          []sentAt
	cnps           []unit.Time
}

type sentAt struct {
	at   unit.Time
	size int
}

func (c *ticking) Packet(_ time.Time, b []byte, sent bool) {
	at := unit.Time(c.now.Load())
	h, err := wire.DecodeBTH(b[wire.PacketHeaders(false):])
	switch {
	case err != nil:
	case !sent && h.Opcode == wire.CNPOpcode:
		c.cnps = append(c.cnps, at)
	case sent:
		c.bytes = append(c.bytes, sentAt{at, len(b)})
	}
	if sent {
		c.sent++
	} else {
		c.received++
	}
}

// Between two endpoints packets are marked, the receiver notifies, and the sender's rate falls and comes back: what it has sent
// by each instant is within 1 % of what a sender of package cc alone has sent that hears of the same notifications.
//
// It fails if a notification is not told to the controller, comes twice, or if packets follow each other by another rate's gap.
func TestTheRateFollowsNotifications(t *testing.T) {
	var now atomic.Int64
	script := ""
	for n := 300; n < 800; n += 100 {
		script += fmt.Sprintf("mark:%d ", n)
	}
	a, b := newEnd(t, "127.0.48.1", script), newEnd(t, "127.0.48.2", "")
	var watch [2]*ticking
	for i, e := range []*end{a, b} {
		watch[i] = &ticking{now: &now}
		e.mu.Lock()
		e.watch, e.clock = watch[i], func() unit.Time { return unit.Time(now.Add(10)) }
		e.mu.Unlock()
	}
	couple(t, a, b, 5, nil)
	a.Do(func() {
		for range 48 {
			if err := a.qp.PostSend(write(a, b.key, regionAt, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
	})
	const end = unit.Time(4 * unit.Millisecond)
	step := func() (moved bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		if watch[0].sent != watch[1].received || watch[1].sent != watch[0].received {
			return false
		}
		p := a.pairs[0]
		now.Store(max(now.Load(), int64(p.Wake(a.now()))))
		p.Expire(a.now())
		a.load(p)
		a.flush()
		return true
	}
	for limit := time.Now().Add(time.Minute); now.Load() < int64(end); {
		if !step() {
			time.Sleep(5 * time.Microsecond)
		}
		if time.Now().After(limit) {
			t.Fatalf("at %v after a minute: %d packets sent, %d came", unit.Time(now.Load()), watch[0].sent, watch[1].received)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	got, want := watch[0].bytes, alone(watch[0].cnps, end)
	slowest, last := 1e18, 0.0
	const bin = 100 * unit.Microsecond
	before := 0
	for at := unit.Time(bin); at <= end; at += unit.Time(bin) {
		x, y := sentBy(got, at), sentBy(want, at)
		if off := float64(x-y) / float64(y); off > 0.01 || off < -0.01 {
			t.Errorf("by %v %d bytes were sent, package cc alone has sent %d: %.2f %% off", at, x, y, 100*off)
		}
		last = float64(x - before)
		slowest, before = min(slowest, last), x
	}
	first := float64(sentBy(got, unit.Time(bin)))
	if len(watch[0].cnps) < 3 || slowest > first/2 || last < slowest*1.2 {
		t.Errorf("%d notifications; %v bytes in the first 100 us, %v at the slowest, %v in the last: want a fall and a recovery",
			len(watch[0].cnps), first, slowest, last)
	}
	t.Logf("%d notifications; bytes in 100 us: %v, at the slowest %v, in the end %v", len(watch[0].cnps), first, slowest, last)
}

func sentBy(all []sentAt, at unit.Time) (bytes int) {
	for _, s := range all {
		if s.at > at {
			break
		}
		bytes += s.size
	}
	return bytes
}

// alone is what a controller lets go by itself, packets of the path MTU, with notifications at these times.
func alone(cnps []unit.Time, end unit.Time) (all []sentAt) {
	set := cc.NewSet(cc.Presets["dcqcn-sigcomm15"].DCQCN, 1)
	set.Init(0, 100*unit.GigabitPerSec, 0)
	ctl := set.At(0)
	const packet = 20 + 8 + 12 + 4096 + 4 // IP, UDP, BTH, payload, ICRC
	const onLink = 8 + 14 + packet + 4 + 12
	for now := unit.Time(0); now < end; {
		for len(cnps) > 0 && cnps[0] <= now {
			ctl.OnCNP(cnps[0], 0)
			cnps = cnps[1:]
		}
		all = append(all, sentAt{now, packet})
		rate := ctl.Rate(now)
		ctl.OnSent(now, onLink-20)
		now = now.Add(rate.TransmitTime(onLink))
	}
	return all
}
