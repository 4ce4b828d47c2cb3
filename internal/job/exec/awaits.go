package exec

// Need is what a channel of a rank waits for another rank for.
type Need uint8

// What a rank waits for.
const (
	NoNeed      Need = iota
	NeedMessage      // a message from the peer
	NeedCredit       // that the peer has read what lies in the slot
	NeedRoom         // that the peer takes what is sent: what the driver knows, not the rank
)

// Awaits visits what the rank waits for other ranks for, in the order of its streams and channels: the collective, the
// peer, and what. It is for whoever says why nothing goes on.
func (r *Rank) Awaits(visit func(coll, peer int32, need Need)) {
	if r.over || !r.begun {
		return
	}
	for s := range r.streams {
		if r.streams[s].running < 0 {
			continue
		}
		c := &r.colls[r.streams[s].running]
		for i := range c.channels {
			ch := &c.channels[i]
			switch ch.wait {
			case message:
				visit(c.id, c.members[ch.op.Peer], NeedMessage)
			case credit:
				visit(c.id, c.members[ch.op.Peer], NeedCredit)
			}
		}
	}
}

// Unacked reports whether something of the rank waits for the acknowledgement of a message that it has sent.
func (r *Rank) Unacked() bool {
	if r.over || !r.begun {
		return false
	}
	for s := range r.streams {
		if r.streams[s].running < 0 {
			continue
		}
		c := &r.colls[r.streams[s].running]
		if c.open == 0 && c.inFlight > 0 {
			return true
		}
		for i := range c.channels {
			if c.channels[i].wait == acknowledge {
				return true
			}
		}
	}
	return false
}

// Owed reports whether a credit of a collective that comes to an Outlet would find a message that waits for one. A driver
// asks it before it believes a peer.
func (r *Rank) Owed(out, coll int32) bool {
	_, l := r.owed(&r.outboxes[out], coll)
	return l != nil
}
