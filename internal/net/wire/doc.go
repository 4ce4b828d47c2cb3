// Package wire knows what RoCEv2 looks like on a cable: how many bytes each frame takes, and how each header is laid
// out, bit by bit.
//
// Sizes is all that the simulator needs of it, as a value: the fabric moves lengths, not headers. The header structs
// turn into bytes and back for captures and for real endpoints; Frame puts them together and Dissect takes them
// apart. The package is not a transport: it holds no state and decides nothing about what is sent when.
//
//	|<------------------- frame, as queues and buffers count it ------------------->|
//	+--------+----+-----+-----+-----------------------+------------+------+---------+
//	|Ethernet|IPv4| UDP | BTH | RETH / ImmDt / AETH.. |  payload   | ICRC |   FCS   |
//	|   14   | 20 |  8  | 12  |   16     4       4    |  0..MTU    |  4   |    4    |
//	+--------+----+-----+-----+-----------------------+------------+------+---------+
//	and around it, on the link only: preamble 8 before, inter-packet gap 12 after
//
// Beside it: a VLAN tag, IPv6, VXLAN; DETH with a connection manager's datagram; PFC; LLDP with DCBX of IEEE and CEE.
//
// Standards: InfiniBand Architecture Specification, volume 1, chapters 9 (transport headers, PSN), 12 (communication
// management) and 13 (management datagrams), and annex A17 (RoCEv2; A17.3.3 its ICRC, A17.9.3 its congestion
// notification packet); IEEE 802.1Qbb and 802.3 annex 31D (priority-based flow control), 802.3 clause 3 (frame, FCS),
// 802.1Q clause 9 (VLAN tag) and annex D (DCBX), 802.1AB (LLDP); RFC 791, 768, 8200, 7348.
//
// Invariants:
//   - every Decode refuses every strict prefix of what Append wrote; Dissect does but for a frame that says how long
//     it was: of that it needs the headers;
//   - what Append wrote, Decode reads back to the same value;
//   - reserved fields are sent as zero and ignored when received.
package wire
