// Package images finds parts of a network that are images of each other, so that one of them is simulated for all: the rails of a
// cluster, between the same hosts. A part is what queue pairs share: a switch, whose buffer all its ports take from, and the ports of
// NICs. Nothing else joins two parts but ranks and hosts, which are not taken from another: each of them posts what it posts, and package
// nic holds the posts of a part against those of the one that is simulated, instant by instant.
//
//	host1: nic1 --- rail1     queue pairs of rail1: host1>host2, host2>host3 ...
//	       nic2 --- rail2     those of rail2 are as many, between the same hosts, in the same order
//
// Two parts are images if their queue pairs, one after the other as they are numbered, go between the same hosts by paths whose ports
// and switches correspond: of the same rates, delays and profiles, in the same order, unused ports too. That is asked of the graph,
// never of names. What it does not ask is whether ranks do the same at the same time, which only the run shows.
//
// Invariant: an image keeps the order of queue pairs, ports and switches, so whatever is decided by the lower number is decided alike.
package images
