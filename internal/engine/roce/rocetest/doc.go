// Package rocetest is what every driver of the cores in package roce must do, as scripts: the simulated NIC plays them,
// a driver on real time too, and whatever comes next. A driver carries the packets of one queue pair between its two
// ends, in order, loses those that the script names, and says what it has seen.
//
//	play [KEY=VALUE...] BYTES...
//	----
//	data ...          packets of data as they leave: place in the message and PSN, "again", "(lost)"
//	answers ...       what comes back for them: ACK and NAK with their PSN
//	managers ...      what connection managers say
//	acknowledged ...  messages, in order, with the bytes of each
//	contents ...      of the memory that they were written to
//
// Keys: mtu, every (packets to an acknowledgement), window (bytes in flight), retries, connect, and lose=data:2,answer:1
// with the numbers of packets of data, or of answers, counted from 1 as they leave. short leaves out the frames: with
// several packets in flight, how many leave before an answer comes is the driver's.
//
// Invariant: what is printed follows from the script and the core alone, not from time.
package rocetest
