// Package rib works out what switches know of each other: the routes that BGP leaves with the
// configurations that they have.
//
//	connected -> networks and aggregates -> Loc-RIB -> advertised: a path and a next hop, to each neighbour
//	                                           ^------ received: paths of neighbours, but for loops
//
// It is a path-vector computation over sessions that are configured on both ends, for what is true
// once nothing changes any more. It has no time, no timers and no packets; which routes a run
// takes is package topo's (a test holds one against the other).
//
// Invariants:
//   - a session is up only if both ends name each other's address and AS;
//   - no path is taken that has the own AS in it more often than the neighbour's allowas-in;
//   - of paths the shortest wins, a local one before all; those as long share the traffic, up to
//     maximum-paths. Of equal ones the best, which is passed on, is that of the lowest router
//     identifier, then of the lowest address (RFC 4271, section 9.1.2.2; implementations may keep the oldest);
//   - the result does not depend on the order of devices;
//   - inside an AS routes go on from and to clients alone (RFC 4456). Of them those win, and share, that were
//     reflected the fewest times: what FRR calls equal-cluster-length;
//   - a session between addresses that are in no common subnet needs a route to the other one on both sides;
//   - EVPN's sessions carry ends of tunnels alone, whose next hops nobody changes (RFC 8365, section 5.1.3);
//   - a next hop of another route must be in a subnet of the switch: no other protocol could know it.
//
// There is no policy but aggregates: RFC 4271, RFC 4456 and RFC 7938.
package rib
