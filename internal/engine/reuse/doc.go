// Package reuse tells whether a simulated network at rest is as it was at rest before: then what happens next is what
// happened then, and need not be simulated again. It reads the state of components as a program reads a value, through
// one table that says of each field of each of them what it is (fields.go). It knows no component.
//
// Two states are the same if all that has a say in what comes is the same relative to the instant: an instant counts from
// it, sequence numbers count from the first that is not acknowledged, counters that nothing but tables reads do not count.
//
//	R0 = rest, digest d       R1 = rest, digest d        what followed R0 up to R1 follows R1, and again
//	------|===== period =====|----->
//
// Who asks (package run) records what follows a state that was met before until it is met once more,
// and tells that again: later by the period, and so many steps further. Ranks end as many steps
// sooner, and the simulation's own clock stands still meanwhile. So no state of the network is ever written, and what
// is skipped costs what its rows cost.
//
// The last step of a run is told likewise up to its end, from one that is recorded: what the network would come to by then nobody
// asks for (package run).
//
// Where a rank is in its program is no part of its state: exec says what it is in the middle of (Rank.Rest). So a layer may
// leave the network as the layer before did. Whether what follows is alike is for the programs to say (exec.Period).
//
// At rest no packet is in the network, no message is posted and not acknowledged, no timer runs that means anything, and
// ranks do nothing but compute. Anything else is refused with its reason, and so is what the table does not name.
//
// Invariants:
//   - a field that the table does not name makes every digest fail, and a test;
//   - a digest reads; it changes nothing;
//   - equal digests are equal states, up to collisions of SHA-256.
package reuse
