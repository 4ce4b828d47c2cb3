// Package inventory gives a network its names and addresses: the port numbers that stand on the
// switches, loopbacks, subnets and VLANs of rails, addresses of links, AS numbers. All of it is a
// function of the graph and a few choices.
//
// It is not configuration (package netconf renders that from an inventory) and nothing here acts on
// a packet.
//
//	              spine1  lo 10.255.0.3  AS 4200000001
//	   172.16.0.1 |        a link between switches: a /31 (RFC 3021), a /127 (RFC 6164)
//	   172.16.0.0 |
//	              rail1   lo 10.255.0.1  AS 4200000002
//	block 10.0.1.0/24:    a subnet and a VLAN for each rail, gateway on the switch
//	   10.0.1.2 |  | 10.0.1.3
//	      host1/nic0 host2/nic0
//
// With EVPN a rail is a VXLAN over all switches that have ways to each other: one subnet, a gateway on each of them, and
// loopbacks as ends of tunnels.
//
// Invariants:
//   - no two interfaces have an address in common, but gateways on switches that share NICs or an overlay; subnets
//     overlap only where they are the same one;
//   - a switch's block contains the subnets of all rails on it, and no other switch's but of those that share its NICs
//     or its overlay;
//   - ports of a switch have numbers from 1, each cable one of its own (or a part of one, where ports are split);
//   - the same graph and choices give the same inventory.
//
// Models of rails (eight, two or one on a switch) and their subnets follow chapter 13 of T.
// Pasanen, Deep Learning for Network Engineers, 2025. AS numbers follow RFC 7938, section 5.2.1,
// from the private range of RFC 6996.
package inventory
