// Package planted holds small scenarios in each of which one cause of lost time has been planted,
// with its place and its culprit, and runs them with it and without it. It keeps the diagnosis
// honest: the first blame must be the planted one, and the time attributed to it what its removal
// saves.
//
// A case is a file of testdata:
//
//	# What was done to whom.
//	# want: shared port at rail1/host1 by background1
//	# noun: incast
//	# additive: false, REASON
//	cluster: ...
//	    - {from: host3, ...} # planted
//
// Lines that end in "# planted" are left out of the scenario without it, which has the text behind
// "#instead" in place of it. A want lists alternatives with "or" (a cable has two directions), and
// "not crossed" for a victim of pauses that spread.
//
// The noun is that of the first finding. What is planted taken away takes the noun away, too, but for those of shares, which
// any run has.
//
// Attributed and saved must agree within a tenth, or the case says why they need not, by one
// of a few reasons (Reasons).
package planted
