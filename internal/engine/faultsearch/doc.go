// Package faultsearch looks for violations of the packet engine's invariants in
// random small networks on which everything goes wrong that can: lost, corrupted,
// duplicated and reordered frames, links that flap or are slow, switches that reboot or leak,
// switches and ports that are configured otherwise, from the start or for a while, PFC that is
// stuck, watchdogs, NICs without room, pause storms, tiny buffers, extreme parameters. A case is a
// function of its number alone, so a failure is one
// line to repeat:
//
//	go test ./internal/engine/faultsearch -run TestSearch -first 12345 -cases 1
//
// Invariants of every case, looked at every few events and at the end:
//   - accounts of every switch sum to its buffer, frames in queues to their counts;
//   - time does not run backwards, and the run comes to an end;
//   - every message arrives whole, its bytes in place, or its queue pair failed after its retries;
//   - a class under PFC with computed headroom never drops;
//   - the causes of every message sum to its time;
//   - when all is over, no switch holds a byte;
//   - the buffers of ranks that run collectives beside the flows, with receiver-driven admission or
//     without, equal those of coll.Execute, bit for bit, and the causes of their steps sum. What they
//     run is any algorithm, in slices and over slots with credit: on ranges of a buffer step after
//     step, as a training does, or one after the other, in place and out of place, as a benchmark.
//     Jobs are aborted and start again, from checkpoints, on a spare NIC;
//   - run again with its nodes spread over two to five islands, on several workers, the case gives the same messages,
//     steps and counters.
//
// The idea is that of TigerBeetle's simulator: find with a seed what a scripted test does not think
// of.
package faultsearch
