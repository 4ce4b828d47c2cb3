// Package noun is the one list of what a network engineer calls the things that make a step or a message long:
// incast, ECMP collision, bubble. Whoever names a fault, tries a cure for it or explains it takes the noun from
// here, so that a run, its page, its counterfactuals and its lessons use one word for one thing.
//
//	diagnose: evidence --> Finding {Noun, Place, Culprits, N, Time, Share, Evidence}
//	whatif:   Noun     --> cures that are tried
//
// A noun is a Fault (something is broken, or set otherwise than its like), Contention (traffic that meets), a
// Choice (the job or the network was laid out so, and could be otherwise) or a Share (what every run has some of).
// Only a Fault or Contention is absent from a run in which nothing is wrong.
//
// Invariants: a noun's text is stable, for it stands in files; every noun has a class and a meaning; the package
// knows no engine, scenario or run.
package noun
