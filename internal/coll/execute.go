package coll

import "fmt"

// Execute applies a schedule to real buffers in one process, in one valid order:
// the oracle for every driver. bufs[rank] is that rank's whole buffer; all have
// the same length. It panics if the buffers do not fit the schedule or the
// schedule deadlocks (Check says why).
func Execute(s Schedule, bufs [][]float32) {
	if len(bufs) != s.Ranks() {
		panic(fmt.Sprintf("coll: %d buffers for %d ranks", len(bufs), s.Ranks()))
	}
	for r, b := range bufs {
		if len(b) != len(bufs[0]) {
			panic(fmt.Sprintf("coll: rank %d has %d elements, rank 0 has %d", r, len(b), len(bufs[0])))
		}
	}
	for c := range s.Channels() {
		x := execution{s: s, channel: c, bufs: bufs, wires: map[[2]int32][][]float32{}}
		x.run()
	}
}

// execution runs one channel: channels touch disjoint elements.
type execution struct {
	s       Schedule
	channel int
	bufs    [][]float32
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
		x.wires[to] = append(x.wires[to], append([]float32(nil), x.chunk(rank, op.Chunk)...))
	case Recv:
		from := [2]int32{op.Peer, rank}
		if len(x.wires[from]) == 0 {
			return false
		}
		x.slots[rank][op.Slot] = x.wires[from][0]
		x.wires[from] = x.wires[from][1:]
	case Reduce:
		dst, src := x.chunk(rank, op.Chunk), x.slots[rank][op.Slot]
		for i := range dst {
			dst[i] += src[i]
		}
	case Copy:
		copy(x.chunk(rank, op.Chunk), x.slots[rank][op.Slot])
	}
	return true
}

func (x *execution) chunk(rank, chunk int32) []float32 {
	b := x.bufs[rank]
	lo, hi := Range(len(b), x.s.Channels(), x.s.Chunks(), x.channel, int(chunk))
	return b[lo:hi]
}
