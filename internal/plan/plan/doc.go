// Package plan derives from a scenario everything that a run needs, before anything runs:
//
//	scenario + files -> topo.Graph, Routes -> coll.Placement, Schedule -> workload.Job
//	                 -> queue pairs with paths, faults, thresholds, parameters
//
// A plan is a value: it can be printed, inspected and run any number of times. Files are given as
// texts (Files); package run reads them. What a run will cost is package foresight's.
//
// It is not where anything is simulated: of fabric it takes types of parameters, and package run
// builds the engine from them.
//
// Invariants:
//   - a plan is a function of the scenario, its files and nothing else: no clock, file, goroutine
//     or lock, and no randomness but by the scenario's seed;
//   - the number of a queue pair follows from the scenario's order, and decides its ECMP paths; a
//     flow that is switched off keeps its queue pair;
//   - its time grows with ranks, flows and ports, not with messages.
package plan
