// Package nic is the simulated NIC: it drives queue pairs (package roce) on simulated time
// over a fabric, for hosts (package host), whose Network it is. It feeds the fabric's host
// ports from queue pairs, places received bytes, sends acknowledgements, CNPs, clear-to-sends
// and credits, and explains what held up each message.
//
//	host --Post--> sender{roce.Requester, ledger} --Pull--> fabric
//	                 ^ ACK, NAK, CNP, CTS, credit              | data: RETH, ledger (fabric.Edge)
//	                 +-------- fabric <-- card <-- receiver{roce.Responder} --Received--> host
//
// The two halves of a queue pair are structs of their own, each of its NIC's island. What the
// receiver knows of a message came with packets: where it goes with the first (RETH), what held
// it up at the sender with the last; with selective repeat both with each. What only the
// simulation knows, when a message was placed and why then, goes back to the sender as a note, for
// the row that tells of the message.
//
// A queue pair keeps a ledger of why its next byte does not leave, written when its state changes.
// When the last packet of a message leaves, the ledger since the post and that packet's way through
// the fabric split the message's time exactly.
//
// Each port of a NIC is pulled: when it is free it asks for a frame, so rate, window and pause are
// decided at the moment of sending. One event of retransmission serves all queue pairs of a NIC;
// controllers replay their ticks when they are looked at.
//
// A bond is a NIC with several ports. A queue pair is at one of them, so a frame costs what it costs
// with one port; a move is an event of the NIC's island, at a time that the plan knows.
//
// A job that starts again has new queue pairs (Extend), which follow the old ones in number: what is
// still in flight to these is for nobody. Where steps are told again, counters count once more
// (repeat.go).
//
// A queue pair may be the twin of another: then it sends nothing, and is told what that meets (twins.go).
//
// Invariants:
//   - bytes are copied to the destination when the receiver accepts their packet, and nowhere else;
//   - the causes of a message sum to placed - posted, to the picosecond;
//   - a queue pair is in the ready list of its NIC, or in its heap of times, or idle (nothing to
//     send), or blocked (window full): in one of these only;
//   - an event touches memory of its own island; notes go to another when a window ends.
//
// Decisions a reader may question:
//   - The rate limiter counts what the link carries, with preamble and gap, and spaces the starts
//     of packets. An idle queue pair saves up no credit. Acknowledgements and CNPs are not limited.
//   - The retransmission timer does not stop while PFC holds the queue pair.
//   - A packet that selective repeat sends again asks for an acknowledgement at once: the packets
//     that would complete a coalesced acknowledgement may not come.
//   - With selective repeat a message may have all its bytes while one before it has not: until it
//     is complete, its time is retransmission.
//   - A marked packet that is not accepted causes a CNP all the same; its mark is echoed only if
//     the packet is answered.
//   - Quirks models the NIC of the HPCC authors' simulator: packets leave later than they could.
package nic
