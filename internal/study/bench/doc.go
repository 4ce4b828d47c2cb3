// Package bench is the fixed set of runs by which the speed of the engine is known: cases as data, each
// a scenario that a user could write, and what a run of one costs.
//
//	Cases --match--> Case --Files--> scenario, flows --Run--> Row
//
// What is of flows, and the training, is there twice: at 100 Gb/s with the frames, delays and DCQCN of the HPCC authors' ns-3 model, an
// acknowledgement for each packet, in default order; and at 400 Gb/s with 4,096-byte payload and all
// defaults. Marking, PFC, DCQCN and causes are on in all.
//
// Permutations are free of collisions: in a leaf-spine network with as many spines as a leaf has hosts,
// flow i of a leaf crosses spine i, so that no two flows share a link in one direction; paths are pinned
// by the flows (job.flows[].path). Starts are spread over the time of a packet: in lockstep every queue
// looks free. Where static ECMP hashes instead, it is collisions that one measures.
//
// Invariants:
//   - a case does the same work on every machine: packet-hops and events are part of its outcome;
//   - CPU time is that of the event loop alone, with the collector of garbage; set-up is all before it;
//   - peak memory is that of the process, so who wants each case's own runs each in a process of its own.
//
// Nets are networks whose training is timed by itself, on one core and without a simulation: the same as are
// timed in PyTorch.
//
// Not here: what a figure was in another version (docs/performance.md).
package bench
