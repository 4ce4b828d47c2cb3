package exec

import (
	"railyard/internal/base/lists"
	"railyard/internal/job/coll"
)

// Connections are numbered, those that a rank receives from and those that it sends to: drivers say by that number what
// happened on one, and an operation of a program finds its own by its peer, on the line of its channel. Nothing on a
// message's way is looked up by a Conn or a Way.

// line is the connections of a channel of a group, by peer: a rank of the job.
type line struct {
	in  lists.Numbers // in Rank.inboxes
	out lists.Numbers // in Rank.outboxes
}

// lines is the lines of a group, by channel.
type lines struct {
	group    int32
	stream   int32 // that runs its collectives, -1: none does
	channels []line
}

// outbox is the messages that a rank has sent on a connection and that are not acknowledged.
type outbox struct {
	Conn
	stream int32              // as inbox.stream
	via    int32              // as inbox.via
	sent   lists.Queue[int32] // Sends, by their index in the program, in order
	// How far the peer's program has been searched for the Recvs that match, of the collective and step that this is of.
	searched, coll int32
	step           int64
}

// linesOf returns the lines of a group, so many at least.
func (r *Rank) linesOf(group int32, channels int) *lines {
	var l *lines
	for _, other := range r.lines {
		if other.group == group {
			l = other
		}
	}
	if l == nil {
		l = &lines{group: group, stream: -1}
		for s := range r.streams {
			if r.streams[s].group == group {
				l.stream = int32(s)
				break
			}
		}
		r.lines = append(r.lines, l)
	}
	for len(l.channels) < channels {
		l.channels = append(l.channels, line{})
	}
	return l
}

// Inlet returns the number by which a driver tells the rank of messages of a connection.
func (r *Rank) Inlet(from Conn) int32 {
	return r.inlet(r.linesOf(from.Group, int(from.Channel)+1), from)
}

// Outlet returns the number by which a driver tells the rank of acknowledgements and credits of a connection.
func (r *Rank) Outlet(to Conn) int32 { return r.outlet(r.linesOf(to.Group, int(to.Channel)+1), to) }

func (r *Rank) inlet(l *lines, from Conn) int32 {
	of := &l.channels[from.Channel].in
	i, ok := of.Find(from.Peer)
	if !ok {
		i = int32(len(r.inboxes))
		of.Add(from.Peer, i)
		r.inboxes = append(r.inboxes, inbox{Conn: from, stream: l.stream, via: -1})
	}
	return i
}

func (r *Rank) outlet(l *lines, to Conn) int32 {
	of := &l.channels[to.Channel].out
	i, ok := of.Find(to.Peer)
	if !ok {
		i = int32(len(r.outboxes))
		of.Add(to.Peer, i)
		r.outboxes = append(r.outboxes, outbox{Conn: to, stream: l.stream, via: -1})
	}
	return i
}

// viaIn returns the way of an inbox, viaOut that of an outbox, as the driver numbers them.
func (r *Rank) viaIn(in *inbox) int32 {
	if in.via < 0 {
		in.via = r.cfg.Transport.Open(Way{in.Peer, r.cfg.Rank, in.Group, in.Channel})
	}
	return in.via
}

func (r *Rank) viaOut(out *outbox) int32 {
	if out.via < 0 {
		out.via = r.cfg.Transport.Open(Way{r.cfg.Rank, out.Peer, out.Group, out.Channel})
	}
	return out.via
}

// connect finds the connection of a Send or a Recv of a channel.
func (r *Rank) connect(c *collRun, channel int, op *planned) {
	if to := c.conn(op.Peer, int32(channel)); op.Kind == coll.Send {
		op.conn = r.outlet(c.lines, to)
	} else {
		op.conn = r.inlet(c.lines, to)
	}
}
