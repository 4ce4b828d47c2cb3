// Package roce is the reliable-connection queue pair of RoCEv2: segmentation into
// packets, packet sequence numbers, acknowledgements, NAK and go-back-N, timeouts.
// Sender (requester) and Receiver (responder) are state machines without a clock,
// a socket or memory: a driver feeds them packets and times and does what they say.
//
//	 una            next                 end
//	  |   in flight  |   posted, to send  |
//	--+--------------+--------------------+--> packet sequence (unwrapped; 24 bits on the wire)
//	  |<- messages, contiguous, each ceil(bytes/MTU) packets, at least one ->|
//
// Invariants:
//   - una <= next <= end, and una never goes back;
//   - the receiver accepts each sequence number once, in order, and nothing else;
//   - messages complete in the order in which they were posted.
//
// Source: InfiniBand Architecture Specification vol. 1, chapter 9 (9.7.5 acknowledgements,
// 9.7.2 PSN ranges, 9.7.6 retry) and annex A17 (RoCEv2).
//
// Decisions a reader may question:
//   - Go-back-N answers a gap with one NAK. If a packet that is then sent again is lost too, only
//     the timeout helps.
//   - Selective repeat follows IRN: past the cumulative acknowledgement a packet counts as lost
//     only if a later packet was acknowledged. Each packet is sent again once per recovery; after
//     that the timeout decides. Unlike IRN, after a timeout each packet that becomes the oldest
//     counts as lost too, so that a lost tail costs one timeout.
//   - At most half of the sequence numbers are in flight; with selective repeat, at most MaxAhead.
package roce
