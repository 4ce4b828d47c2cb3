// Package netconf is what a switch is told, in no vendor's words: a Device. A Dialect renders one
// as the files of a platform and reads such files back.
//
//	inventory --Design--> Device --Render--> files
//	                         ^------Parse------'   and what was not understood, line by line
//
// A device knows its interfaces and its BGP; quality of service, LLDP and load balancing have their
// place beside them. What a device says is not what a run does: that is for whoever compares them.
//
// Names are neutral: Ethernet1/24 (Ethernet1/24/2: a part of a port), Vlan101, Loopback0. A dialect has its
// own for them.
//
// Invariants:
//   - Parse(Render(d)) is d, for every device that Render takes;
//   - Render refuses what a dialect cannot say, and leaves nothing out;
//   - Parse skips nothing: a line is understood, or it is a problem that names it;
//   - all of it is a function of its input, and no order of a map reaches a file.
//
// BGP is RFC 4271, its multipath between neighbours of several ASs RFC 7938, section 6.
package netconf
