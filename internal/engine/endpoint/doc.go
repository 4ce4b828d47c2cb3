// Package endpoint drives queue pairs (package verbs) on real time, over real sockets: RoCEv2 on UDP port 4791.
//
//	verbs.QP --Next--> wire.Packet --> faults --> UDP socket (32 packets a call) --> network
//	verbs.QP <-Receive- wire.Packet <- ICRC <---- raw socket (likewise) <----------- network
//
// It sends by a UDP socket that is not connected and does not fragment, so that Linux writes identification 0 into the
// IP header, which the ICRC covers. It receives by a raw socket, which has that header, if it may; else by the UDP socket:
// then the identification is found from the ICRC itself, and 1 of 65,536 corrupt packets passes.
//
// Invariants:
//   - a packet that came with a wrong ICRC, from another address than the other end's, or for no queue pair has no effect;
//   - in steady state no packet takes memory;
//   - no state is shared between endpoints: several may run in one process, each with its own IP address.
//
// Decisions a reader may question:
//   - One lock holds all of an endpoint: queue pairs of one do not run on several cores.
//   - Packets say that they can be marked (ECT(0)); a mark is answered with a notification as DCQCN demands.
//   - The sockets are not those of package net: the runtime's poller would wake a thread for each packet, also for each that
//     has gone. A goroutine is in the call that waits; where packets come within 100 us of each other it does not wait, but asks
//     again, and offers its processor each time.
//   - What a turn has to send goes when it ends: packets that came together are answered together.
//   - The path MTU that an interface takes is looked up once for each queue pair: a route with less is not noticed, and ends the
//     endpoint with "message too long".
//   - Only Linux. Over IPv6 a UDP socket sees all that the ICRC covers.
//
// Source: annex A17 of the InfiniBand Architecture Specification (RoCEv2, September 2014).
package endpoint
