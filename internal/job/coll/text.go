package coll

import (
	"bufio"
	"fmt"
	"io"
)

// WriteText prints a schedule in its text form, which ParseText reads back:
//
//	schedule ring-all-reduce
//	ranks 2
//	channels 1
//	chunks 2
//	slots 2
//
//	rank 0 channel 0
//	   0 send   chunk 0 to 1
//	   1 recv   chunk 1 from 1 slot 0
//	   2 reduce chunk 1 slot 0 after 1
//	   3 send   chunk 1 to 1 after 2
//	   4 recv   chunk 0 from 1 slot 1
//	   5 copy   chunk 0 slot 1 after 4 acked 0
//
//	rank 1 channel 0
//	   ...
//
// After slots come "inputs N" if the schedule has an input, and "slices N" if N
// chunks in a row are one part. An op may say more:
//
//	0 keep   chunk 0 source 0
//	1 send   input chunk 1 to 1 window 2
//	2 copy   chunk 1 slot 0 after 1 frees
//
// and what a switch does with a message (Op.Switch), the N-1 others being the sender's or the receiver's:
//
//	0 send   chunk 1 to 1 adds 4
//	1 reduce chunk 0 slot 0 added
//	2 send   chunk 0 to 1 copies 4
//
// The same schedule always prints the same bytes.
func WriteText(w io.Writer, s Schedule) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "schedule %s\nranks %d\nchannels %d\nchunks %d\nslots %d\n",
		s.Name(), s.Ranks(), s.Channels(), s.Chunks(), s.Slots())
	if n := Inputs(s); n > 0 {
		fmt.Fprintf(b, "inputs %d\n", n)
	}
	if n := Slices(s); n > 1 {
		fmt.Fprintf(b, "slices %d\n", n)
	}
	for r := range s.Ranks() {
		for c := range s.Channels() {
			fmt.Fprintf(b, "\nrank %d channel %d\n", r, c)
			for i := range s.Len(r, c) {
				op := s.Op(r, c, i)
				fmt.Fprintf(b, "%4d %-6s %s\n", i, op.Kind, op.operands())
			}
		}
	}
	return b.Flush()
}
