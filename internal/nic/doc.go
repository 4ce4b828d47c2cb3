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
// A queue pair keeps a ledger of why its next byte does not leave, written when its state changes.
// When the last packet of a message leaves, the ledger since the post and that packet's way through
// the fabric split the message's time exactly.
//
// Invariants:
//   - bytes are copied to the destination when the receiver accepts their packet, and nowhere else;
//   - the causes of a message sum to placed - posted, to the picosecond;
//   - a queue pair is in the ready list of its NIC, or in its heap of times, or idle (nothing to
//     send), or blocked (window full): in one of these only.
//
// Decisions a reader may question:
//   - The retransmission timer starts again with each acknowledgement. With each packet it starts
//     again until an acknowledgement is owed (after as many packets as one acknowledgement covers,
//     or at the end of a message). It does not stop while PFC holds the queue pair.
//   - The rate limiter counts what the link carries, with preamble and gap, and spaces the starts
//     of packets. An idle queue pair saves up no credit. Acknowledgements and CNPs are not limited.
//   - A packet that selective repeat sends again asks for an acknowledgement at once: the packets
//     that would complete a coalesced acknowledgement may not come. All NAKs of one recovery count
//     as one loss for the controller.
//   - A round trip is measured with the packet that made the receiver acknowledge, so coalescing
//     adds nothing to it.
//   - A marked packet that is not accepted causes a CNP all the same; its mark is echoed only if
//     the packet is answered.
//   - SharedTimer models the NIC of the HPCC authors' simulator, with one pacing timer and one list
//     of queue pairs (armShared, ring, reopen): packets leave later than they could. It is slow: a
//     NIC that has nothing to send looks at all its queue pairs.
//   - Pipes are reserved in the order of posts. A relay holds the NVLink of both GPUs and the PCIe
//     of the NIC from its start.
package nic
