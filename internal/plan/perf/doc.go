// Package perf is the sweep that nccl-tests makes, as scenarios: a collective in sizes from small to
// large, each with the algorithm and the channels that NCCL's model chooses among those that the
// packet engine has.
//
//	op, sizes, a scenario's cluster -> Rows      what is run
//	row                             -> Scenario  job.collectives with that row
//	summary of its run              -> Result    as nccl-tests counts
//	log of nccl-tests               -> Measured  what to run beside it
//	both times                      -> Comparison
//
// It runs nothing and prints nothing. The choice is package nccl's and the table is package
// nccltests'; the time is the packet engine's alone.
//
// Invariants:
//   - a row is a scenario that a user can write: what is run is what Scenario returns;
//   - sizes are those that nccl-tests would run.
package perf
