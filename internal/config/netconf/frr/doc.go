// Package frr is the dialect of a switch that runs Linux: FRR (frrouting.org) for addresses and BGP, and
// ifupdown2 for ports and VLANs.
//
//	etc/frr/frr.conf          addresses, BGP, BFD
//	etc/frr/daemons           which daemons run
//	etc/network/interfaces    speed, MTU, and a bridge that knows VLANs
//
// Ports are swp1, swp2, ..., parts of a port swp1s0, swp1s1, ... as on Cumulus Linux; SVIs vlan101, the
// loopback lo. Linux counts an MTU without Ethernet header and FCS.
//
// The end of a VXLAN is vni10101, a port of the bridge that learns nothing from frames: FRR tells the kernel what EVPN says
// (advertise-all-vni). Route targets are FRR's own, which those with other ASs take by the number of the VXLAN alone.
// Gateways of a rail have one MAC address, so what a host answers to one of them may come to another: arp-accept has that
// one learn from it, and tell the others by EVPN.
//
// Beside ebgp-multihop stands disable-connected-check. Before FRR 9.0 bgpd gave a second connection
// of such a neighbour a TTL of 1, and asked zebra for a connected next hop. Where that connection
// lost, nobody took it back: the session is up, and what the neighbour tells has no next hop for
// good (FRR issue 12025, pull request 13440).
//
// What is rendered was loaded into FRR 8.4 by this package's test. Since FRR 7.4 a session with another AS
// takes no routes without a policy, unless "no bgp ebgp-requires-policy" is said; paths through several ASs
// are equal only with "bgp bestpath as-path multipath-relax". (FRR user guide, chapters BGP and BFD; ifupdown2 and
// Cumulus Linux user guides, with "EVPN Enhancements" and "VXLAN Devices"; arp-accept: ifupdown2's addons/address.py.)
package frr
