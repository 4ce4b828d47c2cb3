package exec

import (
	"fmt"

	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
)

// decided takes the sizes of a collective that begins, where they are decided in each step, or
// reports false if they do not fit.
//
// This is the one way from what is computed to when something happens. Both operations from which
// the sizes come have ended, and the driver has joined their bodies, so it cannot matter when they
// ran.
func (r *Rank) decided(c *collRun) bool {
	if c.layout != nil {
		c.layout.Forget()
	}
	if c.Counts == nil {
		return true
	}
	if r.counter == nil {
		c.DeclaredOf(r.step, c.me, c.sizes)
	} else {
		r.counter.Counts(r.cfg.Rank, r.step, c.id, c.sizes)
	}
	if err := c.CheckCounts(c.me, c.sizes); err != nil {
		r.abort(fmt.Errorf("rank %d, step %d, collective %q: %w", r.cfg.Rank, r.step, c.Name, err))
		return false
	}
	return true
}

// positions is how many positions came for an operation in this step. What brought them has ended, and it runs again in the
// next step at the earliest.
func (r *Rank) positions(op *workload.Op) int64 {
	id, ok := r.numberOf.Find(op.Counted.Coll)
	if !ok {
		panic(fmt.Sprintf("exec: rank %d takes no part in what brings positions to operation %q", r.cfg.Rank, op.Name))
	}
	c := &r.colls[id]
	return c.Counts.Positions(c.sizes.Receive)
}

// Chunk returns the bytes of one chunk of this rank in the step in progress.
func (c *collRun) Chunk(b coll.Buffer, channel int, chunk int32) (off, length int64) {
	return c.ChunkBy(c.layout, b, channel, int(chunk))
}

// expected reports whether the next message of a connection is what the Recv of a channel waits for. If it is
// not, the two ranks do not agree on the sizes.
func (r *Rank) expected(c *collRun, channel int, what Arrival) bool {
	op := c.channels[channel].op
	n := op.bytes
	if int64(what.Bytes) != n || what.Coll != c.id || what.Step != r.step {
		r.abort(fmt.Errorf("rank %d, step %d, collective %q: want %d B from rank %d, got %d B of step %d, "+
			"collective %q: the ranks do not agree on the sizes", r.cfg.Rank, r.step, c.Name, n, c.members[op.Peer],
			int64(what.Bytes), what.Step, r.cfg.Job.Collectives[what.Coll].Name))
		return false
	}
	return true
}

// unwanted says that a message came for a step that is over here.
func (r *Rank) unwanted(from Conn, what Arrival) error {
	return fmt.Errorf("rank %d: %d B from rank %d of step %d, collective %q, which has ended here: the ranks do not "+
		"agree on the sizes", r.cfg.Rank, int64(what.Bytes), from.Peer, what.Step, r.cfg.Job.Collectives[what.Coll].Name)
}
