// Package containerlab writes a fabric as a lab that containerlab brings up (containerlab.dev, "Topology definition"): each
// switch a container that runs FRR with what package frr renders for it, each host a container with its addresses and routes,
// each cable a veth pair.
//
//	*inventory.Inventory --> Lab --> NAME.clab.yml
//	                                 SWITCH/frr.conf, daemons, vtysh.conf, which the topology file binds
//
// A VLAN is a bridge of its own: all its ports are access ports. Rates, lengths, quality of service and the choice among equal
// links are the kernel's: a lab shows names, addresses, sessions and routes.
//
// Invariants: the same inventory gives the same bytes; ports have the names that the switches' configuration has; a node waits
// for those above it. What a bridge of Linux cannot be (VXLAN, MLAG, bonded ports) is an error, not left out.
package containerlab
