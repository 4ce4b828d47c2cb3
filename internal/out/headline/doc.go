// Package headline holds the figures that a run is known by: step time, completion
// time, loss, counters. It is the one table of them: the terminal, the page, compare and
// JSON show its names, units, values and meanings, and print values as it does.
//
//	result.Summary --> Of --> []Figure --> Text, Change
//
// It is not the plots (chart), not the tables of links, flows and queues (report), and
// not the spread over many runs (sweep). It is apart from report because
// figures are named where there is no page, too: in lists (view), in conditions and tables of sweeps.
//
// Invariants:
//   - a name stands for the same thing, in the same unit, in every run;
//   - figures come in the order of the table, and each at most once;
//   - what a run does not have is not there: no figure is 0 because it is unknown.
package headline
