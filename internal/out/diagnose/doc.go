// Package diagnose says what a run's time was lost to: not in which state time passed (package
// cause knows that) but what made it pass, where, and whose traffic it was.
//
//	spans: cause, port, queue pair, rank --+
//	queue pairs: marks, waits, shares -----+--> Of --> Diagnosis: blames, largest first
//	ports: rate, whose bytes waited -------+
//
// A mechanism is not a reason. Rate limits, windows and pauses are mostly how a network says that a
// port is full. So the time that a queue pair spent in them goes to a port first:
//
//   - a pause to the port from whose queue it spread;
//   - a rate limit to the ports that marked the queue pair's packets, in proportion; without marks
//     (delay and telemetry), to those at which its packets waited;
//   - a full window to what a round trip was made of: the waits at ports on either way, and the way
//     itself, which is the window's own.
//
// Then what that port did while the message was under way decides. As far as it stood idle, the
// mechanism held the sender back for nothing: that is the mechanism's. While it was busy with
// others' bytes, it is theirs. Where it was busy with the message's own bytes, and is slower than
// the sender's link, it is the port's rate.
//
// Invariants: the blames sum to the whole, to rounding; the same evidence gives the same blames.
//
// The time of a whole job, with what aborts and checkpoints cost it, is a Lifetime.
//
// What is attributed is not what its removal would save: two flows that fill a port between them
// are each to blame for all of it. That takes another run.
package diagnose
