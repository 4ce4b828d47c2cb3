package fabric

import (
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// due is ports whose transmissions end, by when: a wheel of lists. Only those are looked through whose time has come,
// in no order: what a port does at the end of a transmission concerns no other port, and accounts are sums.
type due struct {
	at    unit.Time // none ends before
	slots uint64    // a bit for each list that is not empty
	first [dueSlots]int32
}

const (
	dueSlots = 64
	dueShift = 13 // a slot is 8 ns
)

func dueSlot(t unit.Time) int64 { return int64(t) >> dueShift }

// expect puts a port into the list of the instant at which its transmission ends. It is in none: one that was caught up
// with meanwhile stays in the list of an instant that is over as its next frame comes.
func (l *lines) expect(st *state, id PortID, p *port) {
	d := &st.due
	i := dueSlot(p.busyUntil) & (dueSlots - 1)
	l.after[id] = -1
	if d.slots&(1<<i) != 0 {
		l.after[id] = d.first[i]
	}
	d.first[i] = int32(id)
	d.slots |= 1 << i
	d.at = min(d.at, p.busyUntil)
}

// admitDue is admit where transmissions have ended since the last arrival.
func (f *Fabric) admitDue(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) {
	f.lines.catchUpDue(isl, in.state, now)
	f.admit(isl, now, id, in, pk)
}

// catchUpDue is catchUp of the ports of which a transmission has ended.
func (l *lines) catchUpDue(isl *sim.Island, st *state, now unit.Time) {
	d, last := &st.due, dueSlot(now)
	s := d.next(max(dueSlot(d.at), last-dueSlots+1))
	for d.at = unit.Never; s <= last; s = d.next(s + 1) {
		i := s & (dueSlots - 1)
		d.slots &^= 1 << i
		for id := d.first[i]; id >= 0; {
			p, after := &l.links.ports[id], l.after[id]
			if p.sent.line&lineClass != 0 && p.busyUntil <= now {
				l.catchUp(isl, st, now, PortID(id))
			}
			if p.sent.line&lineClass != 0 {
				l.expect(st, PortID(id), p)
			}
			id = after
		}
	}
	if d.slots != 0 {
		d.at = min(d.at, unit.Time(d.next(last+1)<<dueShift))
	}
}

// next returns the first slot from s on with a list, or a slot that is far ahead.
func (d *due) next(s int64) int64 {
	return s + int64(bits.TrailingZeros64(bits.RotateLeft64(d.slots, -int(s&(dueSlots-1)))))
}
