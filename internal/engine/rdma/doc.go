// Package rdma measures transfers between two endpoints, as perftest does: a server waits, a client says what is to be
// measured, both tell each other over TCP what their queue pairs are, and the client times.
//
//	client                                      server
//	  |-- TCP: operation, QPN, PSN, GID, key ----->|
//	  |<------ QPN, PSN, GID, key, address --------|
//	  |== RoCEv2: messages ======================= |
//	  |-- TCP: SHA-256 of its bytes --------------->|
//	  |<------ SHA-256 of what is there, counters -|
//
// Invariants:
//   - what comes over TCP is bounded and judged before anything is made of it;
//   - a measurement after which the ends have different bytes is an error, not a figure.
//
// Decisions a reader may question:
//   - write_lat sends WRITEs with immediate and waits for their completions, as perftest's --write_with_imm does. Against
//     perftest alone its ends look at memory until it changes.
//   - A server serves one measurement at a time; others wait for their turn.
package rdma
