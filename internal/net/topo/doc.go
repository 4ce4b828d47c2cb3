// Package topo holds the cluster's network as a value: hosts with their network
// interface cards, switches, and the links between them, plus the shortest
// paths through it.
//
// It is a multigraph: several links between the same two switches are normal.
// It is not a model of time or of queues (package fabric moves the packets) and
// it knows no addresses (package inventory gives names to what is configured).
// Every value is made by a pure function of its parameters: a Design has a type with its own, and
// Graph makes the network. Nodes know their role, and where in the design they stand: pod, plane, rail.
//
//	          spine1        spine2           tier 2
//	         /      \      /      \
//	      rail1      rail2 ..                tier 1: rail r has NIC r of every host
//	     /     \    /     \
//	 nic0     nic0 nic1   nic1
//	[ host1 ..... ] [ host2 ... ]            tier 0: hosts never forward
//
// A link is two ports, one for each direction; a port is where packets leave:
//
//	    port 2l, egress at A --->
//	A ============================ B      link l
//	    <--- port 2l+1, egress at B
//
// Invariants, held by Graph.Validate:
//   - identifiers are dense: nodes, links, ports, hosts and NICs are slice indices;
//   - link l owns ports 2l (at A) and 2l+1 (at B), so Peer(p) = p^1;
//   - rates and delays are positive (lookahead between islands is a link's delay);
//   - links cost at least 1 (routes are shortest paths by cost);
//   - every NIC is one host port, cabled to a switch, its edge switch, or to the NIC of another host.
//
// The rail-optimised design is NVIDIA's (DGX SuperPOD reference architecture,
// "Compute Fabric"); equal-cost multipath over shortest paths is RFC 2992's
// subject, section 2. The designs are those of the book's chapters 10 and 13.
package topo
