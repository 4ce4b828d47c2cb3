// Package capture turns frames of a simulated network into a capture file (package pcapng): the headers that such a
// frame has on the wire (package wire), the time at which its first bit left a port, and in a comment what no header
// says.
//
//	fabric --Sent, mark--> island 0 --+
//	nic    --Posted------>            +-- Join: by (time, kind, owner) --> frame, header by header --> pcapng
//	                       island 1 --+
//
// It is told of things in the islands that they happen in, on whatever core, and takes them after each window in an
// order that no partition changes, as package record does with rows.
//
// What the fabric does not carry is made up by one rule each, here: MAC addresses from numbers of ports, numbers of
// queue pairs from their order. Addresses are the inventory's. Between two NICs on one switch frames are bridged;
// else each switch routes them: it takes one from the time to live, and writes the MAC addresses of its link.
//
// Invariants:
//   - a whole frame is as long as the simulated one, but for the pad bytes of its payload, which that has not got;
//   - same scenario, same bytes, whatever the partition and the number of workers;
//   - no more frames than the limit are kept, and no more are held in memory than it and what a window has.
//
// Decisions a reader may question:
//   - A frame stands in the file with the time at which it begins to leave, at the sending end. It is there also if
//     the link then loses it.
//   - Memory that nothing real is sent from reads as zeros.
//   - Numbers of a message (MSN of an acknowledgement) are those of the messages that the acknowledged packets end.
//   - Immediate data are the bytes of the message, as NCCL's network plugin writes them there.
//   - A port says who it is (LLDP) when its link comes up: such frames are in the file, and take no time on the link.
//   - Clear-to-sends, credits and their answers, which libraries send as small writes, have opcodes of the
//     manufacturers' range and four bytes of payload: the count.
package capture
