package exec

import (
	"slices"

	"railyard/internal/coll"
)

// planned is an operation of a channel's program, with what is asked for again in each step.
type planned struct {
	coll.Op
	off, bytes int64 // of its chunk, within the buffer
	recv       int32 // of a Send that has been matched: the Recv in the peer's program; else -1
	slot       int32 // of that Recv
}

// keptOps bounds what the ranks of a job keep of their programs: 56 bytes for each operation, as long as they
// have no more than so many. Those of large jobs, whose schedules are long, are generated in every step.
var keptOps = 1 << 18

// keepPrograms keeps the programs of the collectives that the rank runs step after step, if those of all ranks
// together are small. Of sizes that are decided in each step nothing can be kept.
func (r *Rank) keepPrograms() {
	again := func(c *collRun) bool { return !c.Once && c.Counts == nil }
	ops := 0
	for i := range r.colls {
		c := &r.colls[i]
		for channel := range c.channels {
			if again(c) {
				ops += c.Schedule.Len(c.me, channel)
			}
		}
	}
	if r.cfg.Steps == 1 || ops > keptOps/r.cfg.Job.Ranks() {
		return
	}
	for i := range r.colls {
		if c := &r.colls[i]; again(c) {
			c.keep()
		}
	}
}

func (c *collRun) keep() {
	for channel := range c.channels {
		program := make([]planned, c.Schedule.Len(c.me, channel))
		for i := range program {
			program[i] = c.plan(channel, i)
		}
		c.channels[channel].program = program
	}
}

func (c *collRun) plan(channel, i int) planned {
	op := c.Schedule.Op(c.me, channel, i)
	off, n := c.Chunk(op.Buffer, channel, op.Chunk)
	return planned{Op: op, off: off, bytes: n, recv: -1}
}

// at returns operation i of a channel's program: of one that is not kept it is valid until the next call.
func (c *collRun) at(channel, i int) *planned {
	ch := &c.channels[channel]
	if ch.program != nil {
		return &ch.program[i]
	}
	ch.only = c.plan(channel, i)
	return &ch.only
}

// unacked reports whether the Send at index op still awaits its acknowledgement.
func (c *collRun) unacked(channel int, op int32) bool {
	if op < 0 {
		return false
	}
	ch := &c.channels[channel]
	peer := int32(0)
	if ch.program != nil {
		peer = ch.program[op].Peer
	} else {
		peer = c.Schedule.Op(c.me, channel, int(op)).Peer
	}
	i, ok := ch.peerOf.Find(c.members[peer])
	if !ok {
		return false
	}
	_, awaits := slices.BinarySearch(ch.peers[i].sent, op)
	return awaits
}
