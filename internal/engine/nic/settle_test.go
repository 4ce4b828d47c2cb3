package nic

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A ledger whose queue pair has no message gives its memory back, to others that write into it, and says of the next message
// what one says that keeps it.
func TestSettledLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spare := new(store[cause.Segment])
		settled := &ledger{log: true, spare: spare}
		kept := &ledger{log: true, spans: make([]cause.Segment, 0, logLimit)} // it never asks for memory
		now := unit.Time(0)
		for range rapid.IntRange(1, 6).Draw(t, "messages") {
			posted := now
			var before, total cause.Split
			settled.at(now, &before)
			settled.restart()
			kept.restart()
			for range rapid.IntRange(1, 12).Draw(t, "spans") {
				now = now.Add(unit.Duration(rapid.Int64Range(0, 50).Draw(t, "time")))
				c := cause.Cause(rapid.IntRange(0, int(cause.Count)-1).Draw(t, "cause"))
				at := topo.PortID(rapid.IntRange(-1, 1).Draw(t, "place"))
				settled.add(c, at, now)
				kept.add(c, at, now)
			}
			settled.at(now, &total)
			total.Sub(&before)
			got, want := settled.since(nil, posted, now, total), kept.since(nil, posted, now, total)
			if !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
			settled.settle()
			if other := spare.take(); other != nil { // another queue pair has it now
				other = append(other[:0], cause.Segment{Until: -1, Cause: cause.Pause, At: 77})
				spare.give(other)
			}
		}
	})
}
