// Package survey says in numbers what a network is good for, before anything runs over it: ports in use,
// capacity and cuts of its tiers, the most that named halves can exchange, how far apart NICs are and by
// how many ways, what each single failure cuts off, and whether buffers may wait for each other in a
// circle.
//
//	Graph, Routes --Of--> Survey --Rows--> a line for each figure
//
// A survey is a function of the network and its routes. Pairs of NICs are counted by the switches that
// they are on, and of switches with the same neighbours one is looked at.
//
// Invariants: ordered pairs of NICs by distance, with those that no way joins, are all pairs; a cycle
// of waits is one of ports, each of which some route leaves by the next.
package survey
