// Package record turns what happens in a run into what it leaves: rows of the tables, the summary,
// the evidence for a diagnosis, notes.
//
//	Network, exec -> Recorder -> result.Dir, result.Summary
//	                     \-> diagnose
//
// The driver, package run, hands the recorder's methods to the engine as observers, calls Open when
// everything is built and Finish when the engine stands still. The recorder decides nothing: it
// tells the driver of ended steps and of the end of the job (Hooks).
//
// Invariants:
//   - what is heard lies with its island, as values, until the window is over; then one goroutine takes it, in
//     the order of time and owner, whatever the partition into islands;
//   - what a hook does, it does between windows: no event is being handled.
package record
