// Package traffic makes flows of a few words: who sends to whom in a pattern, how large flows are by a published
// distribution, and when they arrive at a load.
//
//	ends, pattern --Pairs, Permutation, Source--> senders and receivers
//	distribution, bits --Draw--> bytes
//	mean gap, bits --Gap--> time to the next arrival
//
// Ends are numbers here; of each only the host is known: nothing is sent within a host. What an end is, and how fast its
// NIC, scenario says.
//
// Invariants: the same seed and name give the same flows on every machine: all arithmetic is in whole numbers. A
// permutation has each sender and each receiver once, and no pair within a host.
//
// Sources: J. von Neumann, "Various techniques used in connection with random digits" (1951), for exponential times by
// comparisons alone; R. W. Floyd, "A sample of brilliance" (CACM 30(9), 1987), for samples without repetition. The
// distributions have theirs with them.
package traffic
