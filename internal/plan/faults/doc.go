// Package faults says what the faults of a scenario come to on its network: which links, ports, hosts and GPUs each entry names,
// when each happens, and what the engine is told of it (fabric.Faults, OfGPU, OfHost).
//
// A Set also answers what there is at an instant: links that are down, or that switches route without, hosts that hang, GPUs that
// stand still, and when something is there again.
//
// It is not where anything happens: that is for fabric, host and nic; who is to blame for what follows is for clue and diagnose.
//
// Invariant: a function of scenario, network and profiles of switches: what is drawn is drawn in the run.
package faults
