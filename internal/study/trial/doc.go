// Package trial tunes the thresholds of a scenario: it takes the facts of its network for package tune, plays
// the points that the search hands out on the scenario's own fabric, and says what was found.
//
//	scenario --> patterns (incast, ring, all-to-all, its own job), on all hosts or a stated slice
//	                 |
//	tune.Search --> point --> changes of keys --> sweep.Run: pattern x seed --> Figures --> tune.Search
//	                 |
//	chosen, and the scenario's own, again with other seeds: a drop there refuses the point
//	                 |
//	             Found: table, plots, a scenario with the thresholds
//
// It is apart from tune because that is arithmetic: internal/arrows keeps runs, files and clocks out of it.
//
// Invariants: same scenario, options and seeds, same result, however many cores; all that is played is a
// scenario that a user could write; what ran is kept by a key of its content, so a tuning that was
// interrupted goes on where it stopped.
package trial
