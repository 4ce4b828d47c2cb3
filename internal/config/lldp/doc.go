// Package lldp reads what devices hear of their neighbours by LLDP (IEEE 802.1AB), as they print it.
//
//	leaf1# show lldp neighbors          Dump{Host: "leaf1"}
//	Port   Neighbor Device ID  ..   --> Neighbour{Port: "Et1", System: "spine1", FarPort: "Ethernet1/1"}
//	Et1    spine1              ..
//
// Forms: lldpd's lldpctl and lldpcli (text, keyvalue, json, json0: its manual, lldpcli(8), -f), `show lldp neighbors` of EOS,
// NX-OS and Junos, `show lldp table` of SONiC, `nv show interface lldp` and `net show lldp` of Cumulus Linux. Of tables the
// heading tells which one it is, and where columns begin.
//
// Not here: which of the devices a neighbour is, and what follows (package lint); frames on a wire (package wire).
//
// Invariants: Parse is a function of the text; no name is made up: what a form does not print is empty; a text in which
// nothing is a neighbour is an error, not an empty list.
package lldp
