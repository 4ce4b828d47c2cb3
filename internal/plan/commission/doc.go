// Package commission is the checks of a new cluster, in the order in which one thing rests on another, each
// with the value that is to be expected of this network, and what is accepted.
//
//	plan, inventory, simulations -> Checks     what to measure
//	KEY VALUE lines              -> Measured   what was measured
//	both                         -> Judge      the first deviation, and the layer where it likely lies
//
// It runs nothing: what it wants simulated it returns as scenarios, and takes their summaries.
//
// Order and thresholds follow what operators publish of bringing up such clusters: links, sessions, silence of PFC
// and ECN, write bandwidth of each rail (350 of 392 Gb/s), collectives (15 %), steps (5 %). A check says of its value
// whether packets, a closed form or the inventory gave it.
//
// Invariants: the same plan gives the same checks; keys are unique; a value that is expected is accepted.
package commission
