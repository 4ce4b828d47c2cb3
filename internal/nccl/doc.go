// Package nccl is NCCL's published model of collectives as values: what its protocols cost, which
// algorithm and protocol it chooses for so many bytes over such a group, and what that takes.
//
//	group, bytes -> Graph     channels and their speed, as NCCL's search finds them
//	             -> Choose    latency + bytes/bandwidth of each algorithm and protocol: the least
//	             -> Predict   the same formulas with the rates that links reach when measured
//
// Choose says what NCCL would do; it believes what NCCL's table says, rounded speeds and all. Predict
// says what we expect to measure, and is what sweeps are scored by. Both are closed forms: the packet
// engine is told the algorithm, protocol and channels, and finds the time itself.
//
// It is not NCCL: no environment variables, no tuner plug-ins, no registered buffers, hosts all alike.
// Nothing here sends a byte, knows a network or runs a schedule; Algorithm.Schedule names the one of
// package coll, where there is one.
//
// Sources, of every constant beside it: NVIDIA/nccl, version 2.29 (src/graph/tuning.cc, search.cc,
// topo.h, connect.cc, src/enqueue.cc, init.cc, transport/nvls.cc, include/device.h, collectives.h);
// the shape of the NVLS pipeline is src/device/all_reduce.h. Facts were taken, no text.
//
// Invariants:
//   - integers throughout: the same choice on every machine;
//   - a time never falls as bytes grow, but for the choice of NCCL's own table (its correction of trees);
//   - no prediction is above what the links of the group can carry (Bound);
//   - Params holds every constant: a caller changes a copy, and nothing else knows a number.
package nccl
