package coll

import (
	"fmt"
	"strings"
)

// Problem is one thing that Check found wrong.
type Problem struct {
	Rank, Channel int
	Op            int // -1: no single op
	What          string
}

// Error returns the problem with its place: "rank 2 channel 0 op 7: ...".
func (p Problem) Error() string {
	if p.Op < 0 {
		return fmt.Sprintf("rank %d channel %d: %s", p.Rank, p.Channel, p.What)
	}
	return fmt.Sprintf("rank %d channel %d op %d: %s", p.Rank, p.Channel, p.Op, p.What)
}

// Problems is the error that Check and ReuseSafe return, in order of channel,
// then rank. It is never empty.
type Problems []Problem

// maxProblems is how many problems are printed.
const maxProblems = 10

// Error lists the first problems, one per line.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i == maxProblems {
			fmt.Fprintf(&b, "\n... and %d more", len(ps)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Error())
	}
	return b.String()
}

// Unwrap gives errors.As the single problems.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}
