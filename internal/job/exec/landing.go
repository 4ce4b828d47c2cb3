package exec

import "railyard/internal/job/coll"

// Landing is what becomes of a message as soon as it has come: one operation adds it or copies it, and nothing else reads it.
type Landing struct {
	Kind coll.Kind // Reduce or Copy
	Dst  Ref       // where to
}

// Landing says what the rank does with the next message of an inlet once it has come. false: it does not wait for that
// message, or does something else first, or reads it again. A driver may do it as the bytes come, for memory that is read
// or written until then waits for the same message; the rank has the operation run all the same.
func (r *Rank) Landing(in int32, what Arrival) (Landing, bool) {
	from := &r.inboxes[in]
	c := r.running(from.stream)
	if r.over || c == nil || c.id != what.Coll || what.Step != r.step || int(from.Channel) >= len(c.channels) {
		return Landing{}, false
	}
	channel := int(from.Channel)
	ch := &c.channels[channel]
	if ch.wait != message || ch.op.conn != in || ch.pc+1 == ch.length {
		return Landing{}, false
	}
	next := c.after(channel)
	reads := (next.Kind == coll.Reduce || next.Kind == coll.Copy) && next.Slot == ch.op.Slot && next.bytes == int64(what.Bytes)
	alone := c.once || next.Frees
	if !reads || !alone || r.unacked(c, channel, next.Acked) {
		return Landing{}, false
	}
	return Landing{next.Kind, Ref{Buffer: c.Range.Buffer, Off: next.off, Len: next.bytes}}, true
}

// after returns the operation behind that at which a channel waits.
func (c *collRun) after(channel int) (next planned) {
	at := c.channels[channel].pc + 1
	if c.programs != nil {
		return c.programs[channel][at]
	}
	c.plan(&next, channel, at)
	return next
}
