// Package run wires a scenario into a run: the only place that knows everything.
//
//	scenario and the files that it names -> plan.New
//	         -> sim.Engine, fabric, nic, exec, train -> record -> result
//
// It reads what the scenario names, builds the engine from the plan, drives it, and stops it when
// the job is done, the training diverges or the context ends.
//
// Not here: what is derived from a scenario (plan), what a run leaves (record).
//
// Invariants:
//   - the same scenario gives the same tables and the same run.json, but for wall
//     time, on every machine and with every partition into islands;
//   - a run over the memory or packet-hop limit does not start unless forced;
//   - nothing is written outside the run directory and the data folder that the
//     scenario names.
package run
