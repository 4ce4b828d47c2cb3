// Package judge names what is wrong with a fabric from what an operator can see: telemetry, and who is beside whom. It
// is not package diagnose, which is told of every packet's way; nothing of a run but its telemetry reaches this one.
//
//	telemetry --+                                   +--> Hypothesis {Mechanism, Noun, Place, For, Against, Likelihood}
//	healthy   --+--> view: ports, NICs, ranks ------+    ...
//	topology  --+     rungs: job, host, tier, port  +--> Verdict: the best three, and what would decide
//
// A rung asks what a mechanism must leave, and adds up what each observation says for it and against it, as log
// likelihood ratios against a fabric in order (Observation.Weight, in nats). The weights are of a few sizes (decisive,
// strong, fair, faint) by how often a fabric in order, or another mechanism, shows the same: they are not fitted to
// cases. What was not read says nothing, neither for nor against.
//
// Power tells compute from waiting; utilisation does not, since a kernel of NCCL that waits is a kernel. Who begins a
// collective last is suspect, and who ends it last is not. A port that is paused is a victim: the walk goes on at the
// neighbour that pauses it, until one that nobody pauses.
//
// Invariants: the same input gives the same verdict; an observation quotes readings of the input, and no other number;
// no rung rests on a number of seconds; hypotheses are in order of likelihood, each at a place of its own.
package judge
