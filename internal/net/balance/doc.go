// Package balance chooses among the equal-cost next hops of a switch. It is pure: a method is told when a
// frame of which flow wants to leave, sees what its own switch knows, and answers with a number.
//
//	frame (flow, hash) --> Chooser of a group --> link 0 .. n-1
//	                            ^
//	                          Links: waiting bytes, bytes sent, what next hops tell
//
// A Chooser has the state of one group of one switch: nobody else touches it. It reads queues and counters of
// the ports of its switch, and of the next switch only what that has told (Links.Told).
//
// Invariants:
//   - the answer lies in [0, n), and a method that has no time in it answers alike for ever;
//   - chance comes from the group's own stream, so what other switches do does not change a choice;
//   - no allocation per frame but for a flow that a group has not seen.
//
// One method looks at two switches of a flow: ConWeave's Weaver at the first, its Restorer at the last (Song et
// al., SIGCOMM 2023).
//
// Sources: RFC 2992 (hash and modulo), WCMP (EuroSys 2014), LetFlow (NSDI 2017) and CONGA (SIGCOMM 2014) for
// flowlets, CONGA for the discounting rate estimator, DRILL (SIGCOMM 2017), Dixit et al. (INFOCOM 2013) for
// random packet spraying; dynamic load balancing with quality bands of load and queue as Broadcom's switches
// have it, in Junos (egress-quantization, rate-weightage), NX-OS (hardware profile dlb) and SONiC (ARS).
package balance
