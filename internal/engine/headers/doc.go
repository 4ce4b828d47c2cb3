// Package headers turns packets of queue pairs (package roce) into the headers of RoCEv2 (package wire) and back: the one
// place that knows how what the core says stands on the wire. Captures of the simulated network and sockets both use it.
//
//	roce.Packet --To--> wire.RoCE --> bytes
//	roce.Packet <-From- wire.RoCE <-- bytes
//
// Invariants:
//   - what To writes From reads: the same packet, but for what no header says (which packet lies past a gap, whether a
//     packet was sent before) and for what the driver knows (its payload);
//   - the core counts packets from 0; on the wire a queue pair begins where End says.
//
// Decisions a reader may question:
//   - An acknowledgement that echoes marks, and one of a packet that was marked, both have the BECN bit. A queue pair
//     has one of the two, and From tells both.
//   - Clear-to-sends, credits and their answers have opcodes of the manufacturers' range and four bytes of payload: the
//     count. The PSN says of which collective.
//   - With direct placement each packet is a WRITE of its own, to the place of its own bytes: where its message begins
//     the wire does not say, so From cannot.
package headers
