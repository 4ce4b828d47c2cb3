// Package run wires a scenario into a run: the only place that knows everything.
//
//	scenario -> topo.Graph + placement -> workload.Step + coll.Schedule
//	         -> sim.Engine, fabric, nic, exec, train -> result
//
// Every step before the run is a function of the scenario alone; what they make
// can be printed (Plan). The run itself only ends early when its context does.
//
// Invariants:
//   - the same scenario gives the same tables and the same run.json, but for wall
//     time, on every machine and with every partition into islands;
//   - a run over the memory or packet-hop limit does not start unless forced;
//   - nothing is written outside the run directory and the data folder that the
//     scenario names.
package run
