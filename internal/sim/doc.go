// Package sim is the discrete-event engine: virtual time, event wheels, islands
// and named random streams. It knows nothing of packets, queues or ranks.
//
// An event is sixteen bytes without a pointer: a time and a key. The key orders
// events of one instant and names who handles them:
//
//	 31 30 29      26 25                                        0
//	+-----+----------+-------------------------------------------+
//	|phase|  class   |                  owner                    |
//	+-----+----------+-------------------------------------------+
//
// Phases of one instant: transmission ends (buffers released), arrivals, timers,
// host and rank work. The class picks the Handler from a table; the owner is a
// dense number fixed by the scenario.
//
// Islands are groups of nodes with a wheel of their own. Nothing acts from one
// island on another sooner than the lookahead, so islands run one after another
// in windows of that length and the partition cannot change a result.
//
// Invariants:
//   - events of an island run in the order (time, key); insertion order never matters;
//   - a handler at t schedules at t only in a later phase, else after t;
//   - two pending events with the same time and key are the same event twice: a
//     handler must not mind being called again;
//   - no allocation per event in steady state.
//
// Reading: Brown, "Calendar Queues" (CACM 31(10), 1988); Varghese and Lauck,
// "Hashed and Hierarchical Timing Wheels" (SOSP 1987), schemes 4 and 6.
package sim
