// Package pcie says what PCIe is inside hosts, by which bytes go between GPUs, memory and NICs:
//
//	Graph          the links of cluster.host.graph that some way takes, with their rates, and the ways
//	Hosts          those of all hosts of a network; a link for each card where there is no graph
//	Board          the board that cluster.host.graph names: a preset's, or that of NCCL's file
//
// It is not the board itself (package board), nor what happens on its links in a run (package host).
//
// Invariant: a function of the scenario, the network and the file's text; all hosts are alike.
package pcie
