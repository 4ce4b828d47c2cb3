// Package prove shows what a finding of lint does: a small network is simulated with the configuration
// as it is, and again with that one finding mended. The figures of both stand side by side.
//
//	Finding, Device --recipe--> scenario, devices as they are --run--> figures
//	                              '------ devices, mended ------run--> figures
//
// The configuration goes in as any does (fabric.config): what it says of quality of service is simulated,
// what it leaves to the platform is the same in both runs. A recipe says which figure is to move, and in
// which direction. If it does not move, the proof says that, too: nothing is claimed that was not seen.
//
// What is wrong with hosts is shown on a scenario's own job (NewCosts): as designed, and with each finding as keys of
// the scenario say it. What no key says is not shown, and why.
//
// Invariants: both runs have the same scenario and seed; they differ in what is mended alone; a proof
// takes well under a second of one core.
package prove
