// Package pcapng writes and reads capture files that Wireshark opens: blocks of bytes and back.
//
//	+---------------------+
//	| section header      |  byte order, who wrote it
//	+---------------------+
//	| interface           |  one for each port: name, link type, unit of its timestamps
//	| interface           |
//	+---------------------+
//	| packet              |  interface, timestamp, length on the link, bytes that are here, comments
//	| packet ...          |
//	| statistics          |  how many packets an interface saw, and how many are not here
//	+---------------------+
//
// Each block is its type, its length, a body of whole 32-bit words, and its length again. What lies in a packet is
// for package wire.
//
// Invariants:
//   - what is written reads back to the same values;
//   - a file that ends within a block is refused, and so is a block longer than MaxBlock;
//   - blocks of other types, and options that are not known, are passed over;
//   - nothing in a file that is written comes from a clock or a machine: same values, same bytes.
//
// Source: "PCAP Next Generation (pcapng) Capture File Format", IETF draft-ietf-opsawg-pcapng, sections 3 (blocks
// and options) and 4.1 to 4.3 (section header, interface description, enhanced packet) and 4.6
// (interface statistics).
package pcapng
