// Package nic drives queue pairs and ranks on simulated time: it is the simulated
// host. It feeds the fabric's host ports from queue pairs, places received bytes,
// generates acknowledgements and CNPs, moves bytes over PCIe and NVLink, and runs
// the operations of ranks.
//
//	rank --Post--> NVLink pipe -------------------------------> other GPU of the host
//	          \--> [NVLink relay] -> PCIe pipe -> NIC -> queue pair --Pull--> fabric
//	fabric --Deliver--> NIC: receiver -> copy bytes -> PCIe pipe -> placed --> rank
//
// Host links are FIFO pipes: a latency, then bytes at a rate, in order; several in a
// row are cut through, not stored and forwarded. They are not packets.
//
// A queue pair keeps a ledger of why its next byte is not leaving, written when its
// state changes. When the last packet of a message leaves, the ledger since the post
// plus that packet's way through the fabric split the message's time exactly.
//
// Invariants:
//   - bytes are copied into the destination when the receiver accepts their packet, and nowhere else;
//   - the causes of a message sum to placed - posted, to the picosecond;
//   - a queue pair is in the ready list of its NIC, or waits for a time in its heap, or is idle
//     (nothing to send) or blocked (window), never in two of these.
package nic
