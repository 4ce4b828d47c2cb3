// Package wire knows what RoCEv2 looks like on a cable: how many bytes each frame
// takes, and how its RDMA headers and the pause frames are laid out.
//
// Sizes is all that the simulator needs of it, as a value: the fabric moves lengths,
// not headers. The header structs turn into bytes and back for captures and for
// real endpoints. The package is not a transport: it holds no state and decides
// nothing about what is sent when.
//
//	|<------------------- frame, as queues and buffers count it ------------------->|
//	+--------+----+-----+-----+-----------------------+------------+------+---------+
//	|Ethernet|IPv4| UDP | BTH | RETH / ImmDt / AETH.. |  payload   | ICRC |   FCS   |
//	|   14   | 20 |  8  | 12  |   16     4       4    |  0..MTU    |  4   |    4    |
//	+--------+----+-----+-----+-----------------------+------------+------+---------+
//	and around it, on the link only: preamble 8 before, inter-packet gap 12 after
//
// Standards: InfiniBand Architecture Specification, volume 1, chapter 9 (transport
// headers, PSN) and annex A17 (RoCEv2; A17.9.3 its congestion notification packet);
// IEEE 802.1Qbb and 802.3 annex 31D (priority-based flow control), 802.3 clause 3
// (frame, FCS).
//
// Invariants:
//   - every Decode refuses every strict prefix of what Append wrote;
//   - what Append wrote, Decode reads back to the same value;
//   - reserved fields are sent as zero and ignored when received.
package wire
