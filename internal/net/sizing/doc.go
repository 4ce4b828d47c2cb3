// Package sizing finds how many switches and cables a network takes: from how many hosts there are,
// what their NICs and the switches have, and how much oversubscription is allowed.
//
// It knows ports, rates and prices of switches only: what a switch weighs, where it stands and how long its
// cables are is above it (package design).
//
//	Need --Size--> Network: segments, pods, planes; leaves, spines, super-spines; cables; ports used; Bound
//	         |                  |
//	         +--> Refusal       +--> topo.Design, Reach, Losses
//
// # The family
//
// The networks are folded Clos networks (C. Clos, Bell System Technical Journal 32, 1953) as package
// topo builds them: of one to three tiers, in planes that share no switch. Of a leaf that has d links of rate h
// down, and u links of rate r up, d*h / (u*r) is at most the oversubscription; a switch takes
// ceil(d / split) + ceil(u / split) of its ports, split being into how many equal ones a port may be broken out.
// Links between two switches have a rate that ports of one of them split into, unless the need says which.
//
// Size looks at every number of hosts on a leaf, of pods, spines, groups of super-spines and links between two
// switches, and at every rate, but for what cannot be better than a choice with a smaller number of the same. It
// takes the network of the least cost where all models have a price, else that with the fewest switches; of those
// the one with the fewest cables. TestBruteForce walks through all of them, without that exception.
//
// Beside them are dragonflies (dragonfly.go): groups of routers, of which uniform traffic over minimal routes is what the
// oversubscription is of.
//
// # The bound
//
// No network of the family has fewer switches than Bound, nor has one whose links have several rates, whose leaves
// have hosts of different number, whose pods differ, or whose places are not all taken. It counts ports, tier by tier.
//
//   - A leaf that has h hosts has at most so many ports left for uplinks as those of the hosts leave; what they carry
//     at the best rate is at least d*h over the oversubscription. That bounds h, and each set of rails takes
//     ceil(hosts / h) leaves. Of s spines that a leaf has links to, the l with the most capacity carry l/s of it at
//     least: so it has d*h over the oversubscription, times s / (s - l), and s is at most the number of its uplinks.
//   - All leaves of a plane send X = hosts * links * rate / oversubscription up at least. A spine without uplinks
//     carries ports * rate, so s >= l + X / (ports * rate): (s - l) / s of what s spines carry is X.
//   - A spine with uplinks gives a ports to leaves and the others to super-spines; it carries from leaves at most
//     max over a of min(a * rate, (ports - a) * rate * spine oversubscription), of each pod all but l of them X.
//   - Super-spines carry X / spine oversubscription in all.
//   - In two tiers each spine has a link to every leaf of its plane: its ports, all split, are no fewer. In three, it
//     has one to every leaf of its pod, beside their uplinks, and each super-spine one to every pod; so there are so
//     many pods at least, each with the spines that it must not be without.
//
// Where one of these inequalities fails for two tiers and for three, no choice closes, and the refusal tells it. Where
// they hold and counts that are given leave no choice, all are tried, and the refusal tells the nearest.
//
// Invariants:
//   - a Network closes: no switch has more links than ports, no tier is oversubscribed beyond the need,
//     also after the loss of LostSpines; what does not close is a *Refusal;
//   - its cost is at least that of its Bound;
//   - Network.Build makes the very graph that is counted (a test holds it against topo and survey);
//   - segments are alike, and pods: a network may have room for more hosts than there are.
package sizing
