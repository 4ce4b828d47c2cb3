// Package roce is the reliable-connection queue pair of RoCEv2 as a core: state machines
// without a clock, a socket, memory or randomness of their own. A driver tells them what
// was posted, what came and when, and does what they answer.
//
//	   Post, Credit, Expire, Receive                      Receive, Give, Accept
//	driver ------------------------> Requester    Responder <---------------- driver
//	       <------------------------                        ---------------->
//	 Next, Due, Deadline, Take, Answer                place, Free, Take, Answer
//
// What goes from one to the other is a Packet, whoever carries it: package nic makes frames of the simulated fabric of
// it, package headers those of RoCEv2. Requester (Sender, pacing, window, probes, retransmission timer, congestion
// control, Dialer) and Responder (Receiver, where bytes go, notification point) are the two halves; they share
// nothing but Params. Slots, Given and Known are the two ends of receiver-driven admission
// and of the credits of ranks. Egress says what goes first where several queue pairs share a port.
//
// Which packets are sent again after a loss or a timeout is in sender.go (Sender.OnTimeout); when the retransmission timer runs,
// in requester.go.
//
//	 una            next                 end
//	  |   in flight  |   posted, to send  |
//	--+--------------+--------------------+--> packet sequence (unwrapped; 24 bits on the wire)
//	  |<- messages, contiguous, each ceil(bytes/MTU) packets, at least one ->|
//
// Invariants:
//   - una <= next <= end, and una never goes back;
//   - the receiver accepts each sequence number once, in order, and nothing else;
//   - messages complete in the order in which they were posted;
//   - what the responder knows of a message came with packets: with its first, or with each.
//
// Source: InfiniBand Architecture Specification vol. 1, chapter 9 (9.4.3 RDMA WRITE, 9.7.1 PSNs,
// 9.7.5 responses and 9.7.5.1.2 coalesced acknowledgements, 9.7.6 what the requester does with them
// and 9.7.6.1.3 timeouts); annex A17 (RoCEv2, September 2014), A17.9.3 congestion notification;
// IRN, SIGCOMM 2018, sections 3 and 4. The scripts in testdata name the rule that each step holds.
//
// READs and atomic operations (9.4.4, 9.4.5) are for InOrder and go-back-N; Params.Reads and Resources are 0 in simulated
// jobs, which then have none. One packet asks and takes a sequence number for each response; responses queue up at the
// responder in the order of requests, an ACK behind them waits.
//
// Where the sender sprays, packets differ in their UDP source port (Entropy); answers bring it back,
// and name packets past a gap one by one. Controllers that compare telemetry (HPCC) keep it by path.
//
// Decisions a reader may question:
//   - A response of another length than asked for is a bad response, as one with an opcode out of place: table 55 knows no
//     completion status for it. A NAK behind a lost response of an earlier READ has that READ asked for again first.
//   - Go-back-N answers a gap with one NAK. If a packet that is then sent again is lost too, only
//     the timeout helps.
//   - Selective repeat follows IRN: past the cumulative acknowledgement a packet counts as lost
//     only if a later packet was acknowledged. Each packet is sent again once per recovery; after
//     that the timeout decides. Unlike IRN, after a timeout each packet that becomes the oldest
//     counts as lost too, so that a lost tail costs one timeout.
//   - The retransmission timer starts again with each acknowledgement, and with each packet until
//     an acknowledgement is owed: after as many packets as one covers, or at the end of a message.
//     How much a deadline is drawn out is given by the driver.
//   - A round trip is measured with the packet that made the receiver acknowledge, so coalescing
//     adds nothing to it.
//   - At most half of the sequence numbers are in flight; with selective repeat, at most MaxAhead.
package roce
