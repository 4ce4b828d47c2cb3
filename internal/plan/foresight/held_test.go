package foresight

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
)

// All messages of an all-to-all are under way at once, each with what held it up: twice the packets of each take twice the
// spans, up to what is kept of one. What stays inside a host takes none.
func TestMessagesUnderWayCountForMemory(t *testing.T) {
	held := func(hosts int, perPair unit.Bytes) int64 {
		p := planned(t, fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 2}}\nfabric: {design: single-switch}\n"+
			"job: {collectives: [{op: all-to-all, channels: 1, bytes: %v, iterations: 1, warmup: 0}]}\n",
			hosts, perPair*unit.Bytes(2*hosts)))
		e := EstimateOf(p, make([]dataset.Size, 1))
		if e.Sure() != e.Memory/2 {
			t.Errorf("of %v %v are sure", e.Memory, e.Sure())
		}
		return heldMemory(p, &p.Jobs[0])
	}
	const pairs = 8 * 6 // of four hosts: each of eight GPUs sends to six over the network
	if got := held(1, unit.Mebibyte); got != 0 {
		t.Errorf("inside a host: %d", got)
	}
	one := held(4, 4096)
	if want := int64(pairs * (rankPairMemory + heldCopies*spanMemory*packetSpans)); one != want {
		t.Errorf("a packet each: %d, want %d", one, want)
	}
	if got, want := held(4, 64*4096)-one, int64(63*pairs*heldCopies*spanMemory*packetSpans); got != want {
		t.Errorf("63 packets more each: %d, want %d", got, want)
	}
	if got, want := held(4, 4096*4096)-one, int64(pairs*heldCopies*spanMemory*(mostSpans-packetSpans)); got != want {
		t.Errorf("4,096 packets each: %d more than one, want %d: no more is kept", got, want)
	}
}
