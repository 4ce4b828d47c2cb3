// Package contents is the memory of ranks that run timed collectives on real numbers: float32 values of which each is known by
// its rank and place, before a row of a benchmark and after it.
//
//	row: warm-up, warm-up, ..., barrier, timed, timed, ...
//	     ^ filled |              ^ filled               | checked, where the values of so many runs are exact
//	              | checked
//
// A value is a small whole number, so that sums of it are exact in whatever order they are made: what is wrong is wrong by
// whole elements. What a rank does not have at the start is -1, which no sum can be.
//
// It times nothing and sends nothing.
//
// Invariants:
//   - nothing is filled or checked between the first timed run of a row and its last;
//   - messages lie in memory that is taken when they come and given back when they have been read: a run takes as much as is on
//     its way.
package contents
