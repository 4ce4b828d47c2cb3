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
// Islands are groups of nodes with a wheel of their own. Nothing acts from one island on another
// sooner than the lookahead, so islands run window by window, each window as long as the lookahead:
// one after another, or on several workers at the same time (longer while it is known that nothing acts
// as soon as that: Stretch). What crosses within a window is handed
// over between windows (Mail), and what arrives in a window is known as it begins (Arrivals): it is sorted
// once, and only what an island schedules for itself lies on its wheel. What nobody need see at its instant may be put
// off to the end of the window (Late). Neither partition nor workers can change
// a result.
//
// One worker runs islands in the order of their numbers. If each acts at once on those behind it (RunInTurn), the
// lookahead need only hold for those before it: with hosts behind their switches, what a switch sends to a host does not
// make windows short.
//
//	        window k            window k+1
//	A  |==events==|   |   |==events==|   |
//	B  |==events====| | m |==events====| | m    m: mail is collected, OnWindow listens,
//	C  |==events==|   |   |==events==|   |         the next window is found
//
// Handlers of different islands run at the same time if there are several workers: each touches what
// its island owns. Whoever listens to several islands does so in OnWindow.
//
// An island's wheel has slots of a few events, and a heap for what is beyond its horizon. The plain
// heap that takes its place where events of an instant go in the order of scheduling is what tests
// hold the wheel against. As a busy island's window begins, the memory that its events will touch is
// asked for all at once (Prefetch). A run goes on after its last useful event for the longest time in
// which one island acts on another (linger): so its end does not depend on the partition.
//
// Invariants:
//   - events of an island run in the order (time, key); insertion order never matters, unless the
//     engine is told that it does, which takes a plain heap in place of the wheel;
//   - a handler at t schedules at t only in a later phase, else after t;
//   - two pending events with the same time and key are the same event twice: a
//     handler must not mind being called again;
//   - no allocation per event in steady state.
//
// Reading: Brown, "Calendar Queues" (CACM 31(10), 1988); Varghese and Lauck,
// "Hashed and Hierarchical Timing Wheels" (SOSP 1987), schemes 4 and 6.
package sim
