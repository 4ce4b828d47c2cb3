// Package sizing finds how many switches and cables a network takes: from how many hosts there are,
// what their NICs and the switches have, and how much oversubscription is allowed.
//
// It knows ports and rates only: what a switch is called, costs and weighs, where it stands and how
// long its cables are is above it (package bom).
//
//	Need --Size--> Network: segments, pods, planes; leaves, spines, super-spines; cables; ports used
//	         |                  |
//	         +--> Refusal       +--> topo.Design, Reach, Losses
//
// The networks are folded Clos networks (C. Clos, Bell System Technical Journal 32, 1953) as package
// topo builds them. Of a leaf that has d links of rate h down, and u links of rate r up, d*h / (u*r) is
// at most the oversubscription; a switch takes ceil(d / split) + ceil(u / split) of its ports, split
// being into how many equal ones a port may be broken out. Of the networks that close, Size takes the one
// with the fewest tiers, then segments, then pods, then spines, then super-spines.
//
// Invariants:
//   - a Network closes: no switch has more links than ports, no tier is oversubscribed beyond the need,
//     also after the loss of LostSpines; what does not close is a *Refusal with the sum;
//   - Network.Design makes the very graph that is counted (a test holds it against topo and survey);
//   - segments are alike, and pods: a network may have room for more hosts than there are.
package sizing
