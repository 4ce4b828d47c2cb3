package coll

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Contributors is the set of ranks whose contributions a chunk has in it.
type Contributors uint32

// Count returns how many they are.
func (c Contributors) Count() int { return bits.OnesCount32(uint32(c)) }

// String lists the ranks: "0+2+3", or "-" for none.
func (c Contributors) String() string {
	var all []string
	for rest := uint32(c); rest != 0; rest &= rest - 1 {
		all = append(all, strconv.Itoa(bits.TrailingZeros32(rest)))
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, "+")
}

// Round is a round of a walk: what was sent in it, and what the ranks hold after it.
type Round struct {
	Sends []Sent           // by sender
	Holds [][]Contributors // [rank][chunk]
}

// Sent is a message of a walk.
type Sent struct {
	From, To, Chunk int32
	Of              Contributors // what it carries
}

// MaxWalk is the largest number of ranks that Walk follows: a float32 counts to 2^24.
const MaxWalk = 24

// Walk applies a channel of a schedule in place in rounds, for people to read: in a
// round each rank sends at most one message, all arrive, and are reduced or copied.
// Rounds are no time: a driver lets a fast rank run ahead. The first Round is the
// state before anything is sent.
//
// It is Execute with rank r's chunks holding 2^r, so that the digits of a sum name
// the ranks in it, each once, as Check proves.
func Walk(s Schedule, channel int) []Round {
	if s.Ranks() > MaxWalk || Inputs(s) > 0 {
		panic(fmt.Sprintf("coll: a walk of %s over %d ranks, want one in place over at most %d", s.Name(), s.Ranks(),
			MaxWalk))
	}
	w := walk{execution: execution{s: s, channel: channel, reduce: add, wires: map[[2]int32][][]float32{}}, pc: make([]int, s.Ranks())}
	w.at = func(_ int, _ Buffer, _, chunk int) (lo, hi int) { return chunk, chunk + 1 }
	for r := range s.Ranks() {
		own := make([]float32, s.Chunks())
		for c := range own {
			own[c] = float32(uint32(1) << r)
		}
		w.bufs[Out] = append(w.bufs[Out], own)
		w.slots = append(w.slots, make([][]float32, s.Slots()))
	}
	rounds := []Round{{Holds: w.holds()}}
	for {
		sends := w.send()
		w.apply()
		if len(sends) == 0 {
			break
		}
		rounds = append(rounds, Round{sends, w.holds()})
	}
	for r, pc := range w.pc {
		if pc < s.Len(r, channel) {
			panic(fmt.Sprintf("coll: %s deadlocks in channel %d", s.Name(), channel))
		}
	}
	return rounds
}

// walk is an execution in rounds.
type walk struct {
	execution
	pc []int
}

// next is a rank's next op, if it has one.
func (w *walk) next(rank int) (op Op, ok bool) {
	if ok = w.pc[rank] < w.s.Len(rank, w.channel); ok {
		op = w.s.Op(rank, w.channel, w.pc[rank])
	}
	return op, ok
}

// send lets every rank whose next op is a Send do it.
func (w *walk) send() (out []Sent) {
	for r := range w.pc {
		if op, ok := w.next(r); ok && op.Kind == Send {
			of := Contributors(w.chunk(int32(r), Out, op.Chunk)[0])
			out = append(out, Sent{int32(r), op.Peer, op.Chunk, of})
			w.step(int32(r), op)
			w.pc[r]++
		}
	}
	return out
}

// apply lets every rank go on until it has to send, or to wait.
func (w *walk) apply() {
	for r := range w.pc {
		for op, ok := w.next(r); ok && op.Kind != Send && w.step(int32(r), op); op, ok = w.next(r) {
			w.pc[r]++
		}
	}
}

// holds is what all ranks hold.
func (w *walk) holds() [][]Contributors {
	out := make([][]Contributors, len(w.pc))
	for r := range out {
		for _, v := range w.bufs[Out][r] {
			out[r] = append(out[r], Contributors(v))
		}
	}
	return out
}
