// Package lazy makes what a package needs for its work when it is first asked for: every process of the command initialises all
// packages, and most do the work of few. Twenty-two regular expressions of package hostinfo were 1.7 ms of each start.
//
// Invariants: what is made is a constant, the same whoever asks first and from any goroutine.
//
// Not here: values that follow from input.
package lazy
