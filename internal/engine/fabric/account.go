package fabric

import (
	"math/bits"
	"slices"
	"sort"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
)

// buffer is the shared buffer of a switch.
//
//	|- reserve -|- reserve -| ... |---- size: shared by all ----|- spare -|- headroom -|- headroom -| ...
//	  account 0   account 1                                                account 0    account 1
//
// What accounts charge and give back is all that changes it; a fault may take a part of it, too.
type buffer struct {
	shared   int64 // bytes of the shared part in use
	size     int64 // of the shared part
	crossing int64 // what frames that cross xOFF may fill of the shared part and its spare; -1: they may not
	maxUsed  int64
	spare    int64 // beyond size: a largest frame for each lossless account, for the one that crosses xOFF

	reserve, resume int64 // of each account; how far xON is below xOFF
	far             int64 // with less of the shared part in use no account is at xOFF; 0 with faults, which may move that
	lossyAlpha      unit.Ratio
	fixed           bool // xOFF is
	lines           bool // frames that wait at its switch's ports may stand in line on the links, see line.go
	late            bool // then: what is released is known late
}

// account is what a switch holds of one class from one ingress port.
type account struct {
	used     int64 // reserve and shared part
	headroom int64
	buf      *buffer // of the switch; nil: a host's
	sentOff  bool    // it has come to xOFF, and not yet back to xON: the peer is told to stop
}

// ledger is what few frames touch of an account.
type ledger struct {
	limit   int64     // most that headroom may hold
	root    PortID    // of the pause, see PauseRoot
	sentAt  unit.Time // the pause
	drops   int64
	refused int64 // of those: for want of headroom
}

// verdict is what comes of charging a frame.
type verdict uint8

const (
	refused verdict = iota // no part had room: nothing is charged
	charged
	crossed // charged, and with this frame the account has come to xOFF
)

// charge charges a frame of so many bytes to the account, whose ledger is l: under a threshold if its class is
// under PFC; else, with none, if the egress queue that it goes to, which holds so many bytes, has room for it.
func (a *account) charge(l *ledger, xoff *threshold, queued, size int64) verdict {
	if xoff == nil {
		return a.chargeLossy(queued, size)
	}
	if shared, ok := a.below(xoff, size); ok {
		a.take(size, shared)
		a.buf.maxUsed = max(a.buf.maxUsed, a.buf.shared)
		return charged
	}
	if !a.chargeLossless(xoff, l.limit, size) {
		l.refused++
		return refused
	}
	if a.sentOff || !a.overXOFF(xoff) {
		return charged
	}
	a.sentOff = true
	return crossed
}

// take adds bytes to the account, of which so many come out of the shared part.
func (a *account) take(size, shared int64) {
	a.used += size
	a.buf.shared += shared
}

// release gives a frame's bytes back, headroom first.
func (a *account) release(size int64) {
	head := min(a.headroom, size)
	a.headroom -= head
	size -= head
	a.buf.shared -= min(size, max(0, a.used-a.buf.reserve))
	a.used -= size
}

// goesOn reports whether an account at xOFF, of which bytes have been released, has come to xON. Then it is below.
func (a *account) goesOn(xoff *threshold) bool {
	if !a.underXON(xoff) {
		return false
	}
	a.sentOff = false
	return true
}

// over returns how much an account that is charged so many bytes more has over its reserve then, and how many of them
// come out of the shared part.
func (a *account) over(size int64) (over, shared int64) {
	over = max(0, a.used+size-a.buf.reserve)
	return over, min(size, over)
}

// farWith is below where so little of the shared part is in use that no xOFF need be looked at.
func (a *account) farWith(size int64) (shared int64, ok bool) {
	_, shared = a.over(size)
	return shared, !a.sentOff && a.headroom == 0 && a.buf.shared+shared < a.buf.far
}

// below reports whether a frame of a class under PFC is charged without headroom and leaves its
// account below xOFF: nearly all are. It takes so many bytes of the shared part then. chargeLossless
// would charge the same, and overXOFF deny.
func (a *account) below(xoff *threshold, size int64) (shared int64, ok bool) {
	over, shared := a.over(size)
	b, use := a.buf, a.buf.shared+shared
	return shared, !a.sentOff && a.headroom == 0 && (use < b.far || b.under(use, over, xoff))
}

// under reports whether an account that has so much over its reserve is below xOFF, with so much of the shared
// part in use, and whether that fits.
func (b *buffer) under(use, over int64, xoff *threshold) bool {
	return use <= b.crossing && use <= b.size && over < xoff.at(b.size-use)
}

// farBelow returns with less than how many bytes of the shared part in use no account is at xOFF, of those that a
// switch may have: none has more over its reserve than all have.
func (b *buffer) farBelow(xoffs []*threshold) int64 {
	return int64(sort.Search(int(b.size)+1, func(use int) bool {
		return slices.ContainsFunc(xoffs, func(x *threshold) bool { return !b.under(int64(use), int64(use), x) })
	}))
}

// chargeLossless charges a frame of a class under PFC: first to the reserve, then to the shared part up to the
// threshold, then to headroom. If no part has room it charges nothing and returns false.
func (a *account) chargeLossless(xoff *threshold, limit, size int64) bool {
	b, used := a.buf, a.used+size
	shared := min(size, used-b.reserve)
	switch {
	case used <= b.reserve:
		a.used = used
		return true
	case !a.sentOff && b.shared+shared <= b.crossing:
		// This frame crosses xOFF: the shared part keeps room for one such frame of each account.
	case used-b.reserve > xoff.at(b.size-b.shared) || b.shared+shared > b.size:
		if a.headroom+size > limit {
			return false
		}
		a.headroom += size
		return true
	}
	a.take(size, shared)
	b.maxUsed = max(b.maxUsed, b.shared)
	return true
}

func (a *account) overXOFF(xoff *threshold) bool {
	// A fixed xOFF may be larger than the shared part. What is above it lies in the room for frames
	// that cross xOFF.
	b := a.buf
	return a.headroom > 0 || b.shared > b.size || max(0, a.used-b.reserve) >= xoff.at(b.size-b.shared)
}

func (a *account) underXON(xoff *threshold) bool {
	b, used := a.buf, max(0, a.used-a.buf.reserve)
	return a.headroom == 0 && (used == 0 || b.shared <= b.size && used+b.resume <= xoff.at(b.size-b.shared))
}

// chargeLossy charges a frame of a class without PFC. If its egress queue, which holds so many bytes,
// would pass its dynamic threshold it charges nothing.
func (a *account) chargeLossy(queued, size int64) verdict {
	b := a.buf
	free := max(0, b.size-b.shared)
	shared := max(0, a.used+size-b.reserve) - max(0, a.used-b.reserve)
	if shared > free || queued+size > b.lossyAlpha.Num*free/b.lossyAlpha.Den && shared > 0 {
		return refused
	}
	a.take(size, shared)
	b.maxUsed = max(b.maxUsed, b.shared)
	return charged
}

// threshold is a qos.XOFF that takes no division where its ratio is a power of two.
type threshold struct {
	fixed, num, den int64
	shift           int8 // of den, -1: it is no power of two
}

func newThreshold(x qos.XOFF) threshold {
	t := threshold{fixed: x.Fixed, num: x.Alpha.Num, den: x.Alpha.Den, shift: -1}
	if t.den > 0 && t.den&(t.den-1) == 0 {
		t.shift = int8(bits.TrailingZeros64(uint64(t.den)))
	}
	return t
}

// at returns the threshold while so much of the shared part is free.
func (t *threshold) at(free int64) int64 {
	switch {
	case t.fixed > 0:
		return t.fixed
	case t.shift >= 0:
		return t.num * max(0, free) >> (t.shift & 63)
	}
	return t.num * max(0, free) / t.den
}
