// Package board draws what is inside a host: GPUs, NVSwitches, PCIe switches, CPUs with their memory, and
// NICs, with the links between them and their rates. A board is a value of public data sheets; what a
// sheet does not say is unknown, not guessed.
//
//	CPU0 --- CPU1
//	  |        |
//	PCIe1 ... PCIe4
//	 |  \
//	GPU0 NIC0     GPU0 === NVSwitch1 .. 4
//
// Nothing is simulated by it: a run has the rates of cluster.host (see package host).
//
// Invariants: every part is linked to each other by some way; links join different parts that are there.
package board
