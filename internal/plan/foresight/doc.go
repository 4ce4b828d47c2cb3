// Package foresight says of a plan what there is to know before it runs:
//
//	plan.Plan -> Inspect: Estimate (packet-hops, memory, seconds), findings, thresholds, survey
//	          -> LeastOf (no run ends sooner), SpreadOf (where hashes put flows), Circle (what waits for whom)
//	          -> StepWork, StepBytes (what a step comes to, for a run's figures)
//
// Inspect is in inspect.go, what check and run forecast in estimate.go: packet-hops and messages by way, seconds by cost.go, bytes by
// memory.go.
//
// Everything here is a function of a plan: nothing is kept in it, and no plan is made by it, but those of near layouts that a
// model may fit (fits.go).
//
// Invariants:
//   - a plan is not changed by being looked at;
//   - a bound is never above what a run takes: time by LeastOf never is later, memory is rounded up;
//   - sums do not overflow: they stay at the most that there can be.
package foresight
