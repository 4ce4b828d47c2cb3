package machine

import "runtime"

// Slowness returns how many times as long this machine takes as the one that costs were measured on (see foresight.Costs), for
// work of a kind that a simulation does: a heap of what is to come, and states that no cache holds all of. It takes that one a
// tenth of a second of processor time, and 1 where a machine does not say what time it took.
func Slowness() float64 {
	const took = 0.02 // seconds, of the reference
	least := 0.0
	for range 5 { // the least: a collector of garbage may be at work beside it
		from := CPU()
		runtime.KeepAlive(try(7)) // or it would be left out
		if d := CPU() - from; d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	if least == 0 {
		return 1
	}
	return least / took
}

// The heap is of as many events as a middling run has to come; the states are more than a core's second cache holds.
const (
	triedEvents = 1 << 12
	triedStates = 1 << 20 // words
	triedRounds = 200_000
)

// try takes the next event from a heap, touches a state that it names, and has another event follow.
func try(seed uint64) (sum uint64) {
	states := make([]uint64, triedStates)
	heap := make([]uint64, triedEvents)
	for i := range heap {
		heap[i] = uint64(i) << 20 // in order, so a heap
	}
	for range triedRounds {
		seed = seed*6364136223846793005 + 1442695040888963407
		at := heap[0]
		s := &states[(seed>>40)&(triedStates-1)]
		*s += at
		sum ^= *s
		sink(heap, at+1<<20+seed>>40)
	}
	return sum
}

// sink puts a key in the place of the least one.
func sink(heap []uint64, key uint64) {
	i := 0
	for {
		k := 2*i + 1
		if k >= len(heap) {
			break
		}
		if k+1 < len(heap) && heap[k+1] < heap[k] {
			k++
		}
		if heap[k] >= key {
			break
		}
		heap[i], i = heap[k], k
	}
	heap[i] = key
}
