package coll

import "fmt"

// Execute applies a schedule in place to real buffers in one process, in one
// valid order: the oracle for every driver. bufs[rank] is that rank's whole
// buffer; all have the same length. It panics if the buffers do not fit the
// schedule or the schedule deadlocks (Check says why).
func Execute(s Schedule, bufs [][]float32) { ExecuteBy(s, bufs, add) }

// add is how float32 are reduced.
func add(dst, src []float32) {
	for i := range dst {
		dst[i] += src[i]
	}
}

// ExecuteBy is Execute with another reduction: dst becomes that of dst and src.
func ExecuteBy(s Schedule, bufs [][]float32, reduce func(dst, src []float32)) {
	if len(bufs) != s.Ranks() {
		panic(fmt.Sprintf("coll: %d buffers for %d ranks", len(bufs), s.Ranks()))
	}
	if n := Inputs(s); n > 0 {
		panic(fmt.Sprintf("coll: %s in place, but it has an input of %d chunks per channel", s.Name(), n))
	}
	for r, b := range bufs {
		if len(b) != len(bufs[0]) {
			panic(fmt.Sprintf("coll: rank %d has %d elements, rank 0 has %d", r, len(b), len(bufs[0])))
		}
	}
	executeFrom(s, EvenLayout(s, len(bufs[0])), nil, bufs, reduce)
}

// ExecuteFrom is Execute for a schedule out of place, from the buffers in to the
// buffers out, or for buffers that are not cut evenly.
func ExecuteFrom(s Schedule, at Layout, in, out [][]float32) { executeFrom(s, at, in, out, add) }

func executeFrom(s Schedule, at Layout, in, out [][]float32, reduce func(dst, src []float32)) {
	for c := range s.Channels() {
		x := execution{s: s, at: at, channel: c, reduce: reduce, wires: map[[2]int32][][]float32{}}
		x.bufs[Out], x.bufs[In] = out, in
		x.run()
	}
}

// execution runs one channel: channels touch disjoint elements.
type execution struct {
	s       Schedule
	at      Layout
	channel int
	reduce  func(dst, src []float32)
	bufs    [bufferKinds][][]float32
	slots   [][][]float32            // [rank][slot]
	wires   map[[2]int32][][]float32 // (from, to) -> messages sent and not yet received
}

// run goes round the ranks, each as far as it gets, until all are done.
func (x *execution) run() {
	n := x.s.Ranks()
	pc := make([]int, n)
	x.slots = make([][][]float32, n)
	for r := range x.slots {
		x.slots[r] = make([][]float32, x.s.Slots())
	}
	for {
		done, moved := true, false
		for r := range n {
			length := x.s.Len(r, x.channel)
			for pc[r] < length && x.step(int32(r), x.s.Op(r, x.channel, pc[r])) {
				pc[r]++
				moved = true
			}
			done = done && pc[r] == length
		}
		if done {
			return
		}
		if !moved {
			panic(fmt.Sprintf("coll: %s deadlocks in channel %d", x.s.Name(), x.channel))
		}
	}
}

// step performs op if it can: only a Recv without its message cannot.
func (x *execution) step(rank int32, op Op) bool {
	switch op.Kind {
	case Send:
		to := [2]int32{rank, op.Peer}
		x.wires[to] = append(x.wires[to], append([]float32(nil), x.chunk(rank, op.Buffer, op.Chunk)...))
	case Recv:
		from := [2]int32{op.Peer, rank}
		if len(x.wires[from]) == 0 {
			return false
		}
		x.slots[rank][op.Slot] = x.wires[from][0]
		x.wires[from] = x.wires[from][1:]
	case Reduce:
		x.reduce(x.chunk(rank, Out, op.Chunk), x.slots[rank][op.Slot])
	case Copy:
		copy(x.chunk(rank, Out, op.Chunk), x.slots[rank][op.Slot])
	case Keep:
		copy(x.chunk(rank, Out, op.Chunk), x.chunk(rank, In, op.Source))
	}
	return true
}

func (x *execution) chunk(rank int32, b Buffer, chunk int32) []float32 {
	lo, hi := x.at(int(rank), b, x.channel, int(chunk))
	return x.bufs[b][rank][lo:hi]
}
