// Package switches says what each switch of a network does with packets: what a scenario says of all of them, where its entries of
// fabric.switches differ, and what configurations say that were read. Every switch comes to one profile (fabric.Profile).
//
// Invariants: a Set is a value once it is configured; it knows the scenario, the graph and configurations, not jobs or paths; what a
// configuration leaves out is as the scenario has it and is told (Assumed); nothing is written back into the scenario, but that
// keys no switch uses are left out of it (Scenario).
package switches
