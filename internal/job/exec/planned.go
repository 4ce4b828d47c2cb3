package exec

import "railyard/internal/job/coll"

// planned is an operation of a channel's program, with what is asked for again in each step.
type planned struct {
	coll.Op
	conn       int32 // of a Send the outbox, of a Recv the inbox; -1: not looked for yet
	off, bytes int64 // of its chunk, within the buffer
	recv       int32 // of a Send that has been matched: the Recv in the peer's program; else -1
	slot       int32 // of that Recv
}

// keptOps bounds what the ranks of a job keep of their programs: 64 bytes for each operation, as long as they
// have no more than so many. Those of large jobs, whose schedules are long, are generated in every step.
var keptOps = 1 << 18

// keepPrograms keeps the programs of the collectives that the rank runs step after step, if those of all ranks
// together are small. Of sizes that are decided in each step nothing can be kept.
func (r *Rank) keepPrograms() {
	again := func(c *collRun) bool { return !c.Once && c.Counts == nil && !c.Formula }
	ops := 0
	for i := range r.colls {
		c := &r.colls[i]
		if !again(c) {
			continue
		}
		for channel := range c.channels {
			ops += c.Schedule.Len(c.me, channel)
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
	c.programs = make([][]planned, len(c.channels))
	for channel := range c.channels {
		program := make([]planned, c.Schedule.Len(c.me, channel))
		for i := range program {
			c.plan(&program[i], channel, i)
		}
		c.programs[channel] = program
	}
}

// plan makes p operation i of a channel's program.
func (c *collRun) plan(p *planned, channel, i int) {
	coll.Put(&p.Op, c.Schedule, c.me, channel, i)
	p.off, p.bytes = c.Chunk(p.Buffer, channel, p.Chunk)
	p.conn, p.recv, p.slot = -1, -1, 0
}

// at returns operation i of a channel's program: of one that is not kept it is valid until the next call.
func (c *collRun) at(channel, i int) *planned {
	if c.programs != nil {
		return &c.programs[channel][i]
	}
	ch := &c.channels[channel]
	if ch.known != i+1 { // a channel that has waited asks again
		c.plan(&ch.only, channel, i)
		ch.known = i + 1
	}
	return &ch.only
}

// unacked reports whether the Send at index op still awaits its acknowledgement.
func (r *Rank) unacked(c *collRun, channel int, op int32) bool {
	if op < 0 || c.inFlight == 0 {
		return false
	}
	// Acknowledgements come in order, so all that a peer was sent behind the oldest await theirs.
	sent := &r.outboxes[r.outletOf(c, channel, op)].sent
	return sent.Len() > 0 && *sent.At(0) <= op
}

// outletOf returns the outbox of the Send at index op of a channel's program.
func (r *Rank) outletOf(c *collRun, channel int, op int32) int32 {
	if c.programs != nil {
		send := &c.programs[channel][op]
		if send.conn < 0 {
			r.connect(c, channel, send)
		}
		return send.conn
	}
	l := &c.lines.channels[channel]
	if only, ok := l.out.Only(); ok {
		return only
	}
	return r.outlet(c.lines, c.conn(c.Schedule.Op(c.me, channel, int(op)).Peer, int32(channel)))
}
