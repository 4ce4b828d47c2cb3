// Package qos says at which lengths the switches of a fabric act: where a port marks, where it
// pauses its neighbour and lets it go on, what it keeps for what is on its way, and which of these
// comes first. It is arithmetic on a configuration and a list of links: one value, which the engine
// runs with, `railyard check` prints, a run directory keeps and a report draws.
//
//	Policy (what is configured)  --+
//	                               +--> Switch: shared part, Port per link and class --> Row per kind of port
//	Links of a switch            --+                                                 \-> Mistake with its Cures
//
// Thresholds are worked out in switch.go (Policy.Switch), headroom in headroom.go; what is configured is in policy.go, which
// of them acts first in rows.go, mistakes and cures in cure.go.
//
// Of a switch's buffer, from the left what one ingress port holds of a class under PFC:
//
//	| reserve | shared part ............ xON ..... xOFF | headroom |
//	           one for all ports; xOFF = alpha x what is free of it, or fixed
//
// It is not a simulator: what a queue is at some instant is for package fabric, which asks XOFF.At.
//
// Invariants: Port.PFC.XOFF is never above the shared part; FirstPause is to the byte where the
// engine pauses one sender that is alone; each Cure of a Mistake, applied, leaves no such mistake,
// and the buffer still holds what it must.
//
// Sources: IEEE 802.1Q-2018 annex N and 802.1Qbb (headroom), RFC 3168 (ECN), Zhu et al.,
// "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM 2015), section 4 (bounds),
// Choudhury and Hahne, "Dynamic queue length thresholds" (ToN 1998), Li et al., "HPCC" (SIGCOMM
// 2019) and its authors' simulator (default marking, alpha by rate).
package qos
