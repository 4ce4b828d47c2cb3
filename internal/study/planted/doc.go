// Package planted holds small scenarios in each of which one cause of lost time has been planted,
// with its place and its culprit, and runs them with it and without it. It keeps the diagnosis
// honest: the first blame must be the planted one, and the time attributed to it what its removal
// saves.
//
// A case is a file of testdata:
//
//	# What was done to whom.
//	# want: shared port at rail1/host1 by background1
//	# additive: false, REASON
//	cluster: ...
//	    - {from: host3, ...} # planted
//
// Lines that end in "# planted" are left out of the scenario without it, which has the text behind
// "#instead" in place of it. A want lists alternatives with "or" (a cable has two directions), and
// "not crossed" for a victim of pauses that spread.
//
// A case may say what the first finding is called, where, and which changes of `railyard whatif` cure it:
//
//	# noun: incast at rail1/host1
//	# noun: lossy link (MTU) at leaf1/spine1
//	# cure: without all background flows or without background1
//
// What is planted and costs no time has the line
//
//	# free
//
// Lines that begin with "#topology " are the file of a network, TopologyFile.
//
// Draw makes more cases, of families that differ in all their sizes: see Families.
//
// What is planted taken away takes the noun away, too, but for those of shares, which any run has.
//
// Attributed and saved must agree within a tenth, or the case says why they need not, by one
// of a few reasons (Reasons).
package planted
