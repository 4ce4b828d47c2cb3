// Package nic drives queue pairs and ranks on simulated time: it is the simulated
// host. It feeds the fabric's host ports from queue pairs, places received bytes,
// generates acknowledgements and CNPs, moves bytes over PCIe and NVLink, and runs
// the operations of ranks.
//
//	rank --Post--> NVLink share------------------------------> other GPU of the host
//	          \--> [NVLink relay] -> PCIe share -> NIC -> queue pair --Pull--> fabric
//	fabric --Deliver--> NIC: receiver -> copy bytes -> PCIe pipe -> placed --> rank
//
// Links inside a host are shared equally by the flows (queue pairs, or ranks over NVLink)
// that have bytes for them, see share: a latency, and bytes at a rate; several in a row are
// cut through, not stored and forwarded. Towards the GPUs PCIe carries packets as they come.
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
//   - A transfer takes its shares of all its links from its post, also of those that its first byte
//     reaches a latency later. With shares that differ it is as late as on the slowest of them.
//   - A packet that a NIC hands to another GPU's NVLink takes its share as of then; what comes
//     later does not hold it up.
package nic
