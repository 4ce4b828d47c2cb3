// Package whatif runs a run directory's own scenario again with one thing taken away or changed,
// and says what that saved beside what had been attributed to it. Blame is not additive: two flows
// that hold up a job may save little each and much together, so every change is run, groups are run
// too, and the sum of the parts stands beside the whole.
//
// Until a change has been run its time is "attributed"; only then it "saves".
//
// Not here: which cause is to blame in the first place (package report), and how runs share the
// machine (sweep).
//
//	DIR/inputs/ --> scenario --> cuts(plan, figures) --> sweep: as it is, without A, ...
//	                                ^                               |
//	DIR/run.json, tables -----------+--> attributed(cut) -----------+--> table, whatif.json
//
// The ideal network is the scenario without background traffic, faults, PFC, ECN, congestion control and windows, with links of
// 100 Tb/s without length, PCIe of 100 TB/s, and switches and NICs without latency. What then is left is compute, launches,
// NVLink, NCCL's own latencies, and waiting for them.
//
// Cures are tried by themselves: whatever the scenario has room for, first those for the nouns that the diagnosis found, within
// three times the packet-hops of the run and of what takes one thing away. Where chance decides on a cure, several seeds are run.
//
// Invariants: over the same messages nothing that changes the network or traffic alone takes less than the ideal network; a
// change repeated by hand, with its flags, gives its figure; what is printed as a cure was run.
//
// Of a job that was aborted, or wrote checkpoints, the whole time is compared. If it never came to its
// end, a change is asked whether it brings it there. Of several jobs one is compared: Compared says which.
//
// A training is long: it is compared over its first 256 steps, or as many as make about 20 million
// packet-hops, 8 at least.
package whatif
