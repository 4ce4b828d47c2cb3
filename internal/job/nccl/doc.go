// Package nccl is NCCL's published model of collectives as values: what its protocols cost, which
// algorithm and protocol it chooses for so many bytes over such a group, and what that takes.
//
//	group, bytes -> Graph     channels and their speed, as NCCL's search finds them
//	             -> Choose    latency + bytes/bandwidth of each algorithm and protocol: the least
//	an algorithm -> Runs      what NCCL takes where that one is asked for
//	a time       -> Able      which algorithms the links allow to have taken it
//	             -> Predict   the same formulas with the rates that links reach when measured
//
// Choose says what NCCL would do; it believes what NCCL's table says, rounded speeds and all.
// Predict says what we expect to measure, and is what sweeps are scored by. Both are closed forms:
// the packet engine is told the algorithm, protocol and channels, and finds the time itself.
//
// NVLS, an all-reduce by a switch that adds, is what Predict knows more of than NCCL's table. The
// switch pulls a chunk from all GPUs of a host, adds, and sends the sum to all:
//
//	each GPU out: all of its buffer, and the sum of its own part      (n+1)/n of the bytes
//	each GPU in:  the sum of its own part, and all of the result      (n+1)/n of the bytes
//
// so that bytes take (n+1)/n of them over the link's rate times NCCL's efficiency of such a switch.
// A chunk is copied to the switch's buffer, reduced, and copied to the result: until that pipeline
// is full, and to empty it, two chunks' time passes, with the chunk size that NCCL takes for so
// many bytes.
//
// One constant is calibrated, the efficiency of NVLink, on one point: see Calibrate and
// testdata/calibration.txt. Between hosts nothing here has been held against a measurement.
//
// It is not NCCL: no environment variables, no tuner plug-ins, no registered buffers, hosts all
// alike and their GPUs equally near, balanced trees. The pipeline of NVLSTree fills at no cost.
// Sends (Direct) are not in NCCL's table: base latency and one hop of a ring, and what links carry,
// are assumed. Nothing here sends a byte, knows a network or runs a schedule; Algorithm.Schedule
// names the one of package coll, where there is one.
//
// Sources, beside the constants: NVIDIA/nccl, version 2.30.7 (src/graph/tuning.cc, search.cc,
// topo.h, connect.cc, src/enqueue.cc, init.cc, transport/nvls.cc, include/device.h, collectives.h);
// the shape of the NVLS pipeline is src/device/all_reduce.h. Facts were taken, no text.
//
// Invariants:
//   - integers throughout, but for what compares sweeps: the same choice on every machine;
//   - a predicted time never falls as bytes grow;
//   - no predicted bandwidth is above what the links of the group can carry (Bound);
//   - Params holds every latency, rate, efficiency and size: a caller changes a copy. What the code
//     has besides are rules of NCCL's search and formulas.
package nccl
