// Package tune finds thresholds for a network and its traffic: first by formula, then by a bounded
// search around the formula, of which somebody else measures each point.
//
//	Facts of a network --Formula--> Point, with a reason for each value
//	                                  |
//	       Search.Next --> Point --> (played by package trial) --> Figures --> Search.Took
//	                                  |
//	                       Judge: which points drop, are dominated, are on the frontier; the choice
//
// It runs nothing and knows no scenario: a point is lengths, a probability and an xOFF. Headroom and xON
// are no part of a point. They follow from cables, frames and response times alone (qos.FormulaHeadroom),
// so there is nothing to search.
//
// Invariants: the same facts and figures give the same points in the same order; no point is handed out
// twice; a point that dropped is never chosen; what is chosen is on the frontier.
//
// Sources: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM 2015), section 4, for
// the bounds that package qos has; Zhu et al., "ECN or Delay" (CoNEXT 2016), section 3, for the marking
// probability at which senders settle (cc.FixedPoint); Alizadeh et al., "Data Center TCP" (SIGCOMM 2010),
// section 3.4, for the threshold of DCTCP; Kolda, Lewis, Torczon, "Optimization by Direct Search" (SIAM
// Review 2003), section 3, for the search.
package tune
