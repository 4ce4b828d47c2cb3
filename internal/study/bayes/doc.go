// Package bayes looks for the smallest value of a function of which each value is dear: Bayesian optimisation. A Gaussian process
// through the values that are known says of every other point what to expect there, and how far that may be off (Rasmussen and
// Williams 2006, chapters 2 and 5); the next point is the one with the largest expected improvement (Jones, Schonlau and Welch 1998).
//
//	Seen points --fit--> process, chances --expected improvement x chance that it can be run--> Next points
//
// Points at which the function has no value are kept apart: a second process over where it has one gives the chance.
//
// Invariants:
//   - what is proposed is a function of what is seen and the seed alone, to the last bit, on every processor: products are rounded by
//     themselves, exp and log are those of package nn;
//   - a point is proposed only where free says so, and none twice.
package bayes
