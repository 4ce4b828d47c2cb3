package coll

import "fmt"

// Hierarchical is an all-reduce in three rings: a reduce-scatter among the G ranks
// of each host, an all-reduce among the ranks of the same number of all H hosts,
// an all-gather among those of each host. Between hosts each rank sends
// 2(H-1)/H of 1/G of the data.
//
//	host 0   0 -> 1 -> 2 -> 3 -> 0      1. reduce-scatter, 3. all-gather
//	         |    |    |    |
//	host 1   4 -> 5 -> 6 -> 7 -> 4      2. all-reduce 0 - 4, 1 - 5, 2 - 6, 3 - 7
//
// Chunk l*H + c is part c of share l; after the first ring the rank at place i of
// its host has the sum over the host of share i+1. In the rings within a host a
// share's H chunks follow each other as slices do in Ring.
//
// Each message has its own staging slot.
type Hierarchical struct {
	orders
	perHost, hosts int
}

// HierarchicalAllReduce returns the all-reduce over orders that have perHost
// ranks of a host in a row.
func HierarchicalAllReduce(orders [][]int32, perHost int) (*Hierarchical, error) {
	const name = "hierarchical-all-reduce"
	o, err := newOrders(orders)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkHosts(name, orders, perHost); err != nil {
		return nil, err
	}
	return &Hierarchical{o, perHost, o.Ranks() / perHost}, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (h *Hierarchical) Name() string { return "hierarchical-all-reduce" }

// Chunks returns one per rank.
func (h *Hierarchical) Chunks() int { return h.Ranks() }

// Slots returns one for each message that a rank receives.
func (h *Hierarchical) Slots() int { return 2*h.inner().messages + h.outer().messages }

// Goal returns what the schedule is to achieve.
func (h *Hierarchical) Goal() Goal { return Goal{Collective: AllReduce} }

// Len returns 3 ops per message.
func (h *Hierarchical) Len(rank, channel int) int { return 3 * h.Slots() }

// inner and outer are the order of messages in a ring within a host and between
// hosts.
func (h *Hierarchical) inner() lane {
	m := (h.perHost - 1) * h.hosts
	return lane{m, min(m, h.hosts)}
}

func (h *Hierarchical) outer() lane {
	m := 2 * (h.hosts - 1)
	return lane{m, min(m, 1)}
}

// chunk is part c of share l, each modulo their number.
func (h *Hierarchical) chunk(l, c int) int32 {
	return int32(wrap(l, h.perHost)*h.hosts + wrap(c, h.hosts))
}

// Op returns op i of rank in channel, in constant time.
func (h *Hierarchical) Op(rank, channel, i int) Op {
	p := int(h.pos[channel][rank])
	host, at := p/h.perHost, p%h.perHost
	in, out := h.inner(), h.outer()
	op := Op{Slot: -1, After: -1, Acked: -1}
	switch scatter, reduce := in.ops(), in.ops()+out.ops(); {
	case i < scatter:
		h.scatter(&op, at, i)
		op.Peer = h.neighbour(channel, op, host, at, 1)
	case i < reduce:
		h.reduce(&op, host, at, i-scatter)
		op.Peer = h.neighbour(channel, op, wrap(host+direction(op), h.hosts), at, 0)
	default:
		h.gather(&op, host, at, i-reduce)
		op.Peer = h.neighbour(channel, op, host, at, 1)
	}
	if op.Kind == Reduce || op.Kind == Copy {
		op.After = int32(i - 1)
	}
	return op
}

// direction is where an op's peer is: one on for a Send, one back for a Recv.
func direction(op Op) int {
	if op.Kind == Send {
		return 1
	}
	return -1
}

// neighbour is the peer of an op, on host `to` and step places along the ring of
// the host; -1 for an op without one.
func (h *Hierarchical) neighbour(channel int, op Op, to, at, step int) int32 {
	if op.Kind != Send && op.Kind != Recv {
		return -1
	}
	return h.at(channel, to*h.perHost+wrap(at+step*direction(op), h.perHost))
}

// scatter is op i of the ring reduce-scatter within a host.
func (h *Hierarchical) scatter(op *Op, at, i int) {
	l := h.inner()
	part, m := l.at(i)
	t, j := m/h.hosts, m%h.hosts
	if part == sends {
		op.Kind, op.Chunk = Send, h.chunk(at-t, j)
		if t > 0 {
			op.After = int32(l.apply(m - h.hosts))
		}
		return
	}
	op.Kind, op.Chunk, op.Slot = Recv, h.chunk(at-1-t, j), int32(m)
	if part == applies {
		op.Kind = Reduce
	}
}

// scattered is the op that ends the reduce-scatter of part c of the rank's own
// share, -1 if the host has one rank.
func (h *Hierarchical) scattered(c int) int32 {
	l := h.inner()
	if l.messages == 0 {
		return -1
	}
	return int32(l.apply(l.messages - h.hosts + wrap(c, h.hosts)))
}

// reduce is op i of the ring all-reduce between hosts.
func (h *Hierarchical) reduce(op *Op, host, at, i int) {
	l, start := h.outer(), h.inner().ops()
	part, t := l.at(i)
	if part == sends {
		op.Kind, op.Chunk = Send, h.chunk(at+1, host-wrap(t, h.hosts))
		if op.After = h.scattered(host); t > 0 {
			op.After = int32(start + l.apply(t-1))
		}
		return
	}
	c := host - 1 - wrap(t, h.hosts)
	op.Kind, op.Chunk, op.Slot = Recv, h.chunk(at+1, c), int32(h.inner().messages+t)
	reduces := t < h.hosts-1
	switch {
	case part == receives && reduces: // it adds to what the reduce-scatter has left
		op.After = h.scattered(c)
	case part == applies && reduces:
		op.Kind = Reduce
	case part == applies:
		op.Kind, op.Acked = Copy, int32(start+l.send(t-(h.hosts-1)))
	}
}

// reduced is the op that ends the all-reduce of part c of the rank's own share.
func (h *Hierarchical) reduced(host, c int) int32 {
	l := h.outer()
	if l.messages == 0 {
		return h.scattered(c)
	}
	t := wrap(host-1-c, h.hosts)
	if t+h.hosts < l.messages { // after its Reduce, its Copy
		t += h.hosts
	}
	return int32(h.inner().ops() + l.apply(t))
}

// gather is op i of the ring all-gather within a host.
func (h *Hierarchical) gather(op *Op, host, at, i int) {
	l, start := h.inner(), h.inner().ops()+h.outer().ops()
	part, m := l.at(i)
	t, j := m/h.hosts, m%h.hosts
	if part == sends {
		op.Kind, op.Chunk = Send, h.chunk(at+1-t, j)
		if op.After = h.reduced(host, j); t > 0 {
			op.After = int32(start + l.apply(m-h.hosts))
		}
		return
	}
	op.Kind, op.Chunk, op.Slot = Recv, h.chunk(at-t, j), int32(l.messages+h.outer().messages+m)
	if part == applies { // the reduce-scatter sent this chunk as its message m
		op.Kind, op.Acked = Copy, int32(l.send(m))
	}
}
