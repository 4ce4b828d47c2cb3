// Package network builds the network that a scenario describes:
//
//	Graph       hosts, switches and cables of a design, or of a topology file, as topo has them
//	Model       which model of switch each is, and whether it has so many ports, and so fast ones
//	Inventory   names, port numbers and addresses
//	Routes      the ways that switches find, without some links
//
// What makes no network is refused at the scenario's keys. It is not the graph itself (package topo), nor what each switch does with
// packets (package switches), nor who sends them (package plan).
//
// Invariant: a function of the scenario and the topology file's text.
package network
