package fabric

import (
	"slices"
	"sort"

	"railyard/internal/sim"
	"railyard/internal/unit"
)

// over returns how much an account that is charged so many bytes more has over its reserve then, and how many of them
// come out of the shared part.
func (a *account) over(size int64) (over, shared int64) {
	over = max(0, a.used+size-a.node.reserve)
	return over, min(size, over)
}

// farWith is below where so little of the shared part is in use that no xOFF need be looked at.
func (a *account) farWith(size int64) (shared int64, ok bool) {
	_, shared = a.over(size)
	return shared, !a.sentOff && a.headroom == 0 && a.node.shared+shared < a.node.far
}

// below reports whether a frame of a class under PFC is charged without headroom and leaves its
// account below xOFF: nearly all are. It takes so many bytes of the shared part then. chargeLossless
// would charge the same, and overXOFF deny.
func (a *account) below(xoff *threshold, size int64) (shared int64, ok bool) {
	over, shared := a.over(size)
	n, use := a.node, a.node.shared+shared
	return shared, !a.sentOff && a.headroom == 0 && (use < n.far || n.under(use, over, xoff))
}

// under reports whether an account that has so much over its reserve is below xOFF, with so much of the shared
// part in use, and whether that fits.
func (n *node) under(use, over int64, xoff *threshold) bool {
	return use <= n.crossing && use <= n.size && over < xoff.at(n.size-use)
}

// farBelow returns with less than how many bytes of the shared part in use no account is at xOFF, of those that a
// switch may have: none has more over its reserve than all have.
func (n *node) farBelow(xoffs []*threshold) int64 {
	return int64(sort.Search(int(n.size)+1, func(use int) bool {
		return slices.ContainsFunc(xoffs, func(x *threshold) bool { return !n.under(int64(use), int64(use), x) })
	}))
}

// chargeLossless charges a frame of a class under PFC to its ingress account: first to the reserve,
// then to the shared part up to the threshold, then to headroom. If no part has room it charges
// nothing and returns false.
func (n *node) chargeLossless(a *account, xoff *threshold, limit, size int64) bool {
	reserve := n.reserve
	used := a.used + size
	switch {
	case used <= reserve:
		a.used = used
	case !a.sentOff && n.shared+min(size, used-reserve) <= n.crossing:
		// This frame crosses xOFF: the shared part keeps room for one such frame of each account.
		a.used = used
		n.shared += min(size, used-reserve)
		n.maxUsed = max(n.maxUsed, n.shared)
	case used-reserve > xoff.at(n.size-n.shared) || n.shared+min(size, used-reserve) > n.size:
		if a.headroom+size > limit {
			return false
		}
		a.headroom += size
	default:
		a.used = used
		n.shared += min(size, used-reserve)
		n.maxUsed = max(n.maxUsed, n.shared)
	}
	return true
}

func (n *node) overXOFF(a *account, in *ingress) bool {
	// A fixed xOFF may be larger than the shared part. What is above it lies in the room for frames
	// that cross xOFF.
	return a.headroom > 0 || n.shared > n.size ||
		max(0, a.used-n.reserve) >= in.xoff.at(n.size-n.shared)
}

// chargeLossy charges a frame of a class without PFC. If its egress queue, which holds so many bytes,
// would pass its dynamic threshold it charges nothing and returns false.
func (n *node) chargeLossy(a *account, queued, size int64) bool {
	free := max(0, n.size-n.shared)
	reserve := n.reserve
	shared := max(0, a.used+size-reserve) - max(0, a.used-reserve)
	if shared > free || queued+size > n.lossyAlpha.Num*free/n.lossyAlpha.Den && shared > 0 {
		return false
	}
	a.used += size
	n.shared += shared
	n.maxUsed = max(n.maxUsed, n.shared)
	return true
}

// release gives a frame's bytes back to the account that it was charged to, headroom first, and sends
// xON if the account is low enough.
func (f *Fabric) release(isl *sim.Island, now unit.Time, account int32, size int64) {
	a := &f.accounts[account]
	if a.release(size); a.sentOff {
		f.mayGoOn(isl, now, account, a)
	}
}

// release is that of the account alone.
func (a *account) release(size int64) {
	head := min(a.headroom, size)
	a.headroom -= head
	size -= head
	a.node.shared -= min(size, max(0, a.used-a.node.reserve))
	a.used -= size
}

// mayGoOn sends xON if an account of which bytes have been released is low enough.
func (f *Fabric) mayGoOn(isl *sim.Island, now unit.Time, account int32, a *account) {
	in, class := PortID(int(account)/f.nc), uint8(int(account)%f.nc)
	if !a.node.underXON(a, &f.ingresses[in]) {
		return
	}
	f.xon(isl, now, in, a, class)
	if f.cfg.OnEvent != nil {
		f.tellHeld(isl, now, in, a, class, nil)
	}
}

func (n *node) underXON(a *account, in *ingress) bool {
	used := max(0, a.used-n.reserve)
	return a.headroom == 0 &&
		(used == 0 || n.shared <= n.size && used+n.resume <= in.xoff.at(n.size-n.shared))
}
