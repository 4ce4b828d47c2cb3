// Package fabric is the packet engine: ports, links, queues and shared-buffer
// switches with ECN marking, PFC and schedulers. It moves frames between NICs and
// knows no RDMA: what a frame means is for the edge (see Source and Sink).
//
//	        egress port p of the upstream node
//	NIC ==> [pull]----link p---->| switch                              |
//	                             |  admit: reserve, shared, headroom   |
//	NIC <== [queues]<---link p^1-|  (account of ingress p, per class)  |
//	                             |  enqueue at egress port q  [cls 0]==|==> link q
//	        PFC frames <---------|  xOFF / xON on account p   [cls 1]  |
//
// A port is one direction of a link and is named by one number everywhere: as the
// egress port of the sending node, and as the ingress port of the receiving one.
// At which lengths a switch marks and pauses is arithmetic of its configuration: package qos.
// The port of the other direction is p^1; a switch that wants link p to pause sends
// a PFC frame out of port p^1.
//
// A link has two ends. What the sending end needs (the rate, what it sent last, PFC frames to send,
// counters) is the port's; what the receiving end needs (frames under way, the account, refresh) is the
// ingress's. Each belongs to its node's island, and frames that cross to another island are told of by
// mail, between windows. Counters, traces, chunks of frames: each island has its own.
//
// Parts, each with what it holds and a file of its name; a Fabric is these, the way of frames through them (transmit.go),
// and what others ask of it:
//
//	setup      what New decided: modes, sizes, the graph       pfc       who sends pauses, who heeds them; the watchdog
//	links      ports, ingresses, frames on them, mail          lines     frames that nothing can hold up
//	egress     queues: whom a port serves; samples of lengths  router    switches that choose next hops
//	buffers    the shared buffers and their accounts           evidence  who was marked where, behind whom, paused by whom
//	marking    what a queue marks                              tracing   the way of one frame
//	faults     what goes wrong                                 witness   what is told of ports as it happens
//
// Account, marking and hold (what PFC does to a queue) are machines without ports and clock: testdata/account.txt and
// hold.txt play two of them alone.
//
// A frame in flight costs two or three events for each hop: it arrives, its port is free, a timer. The
// second is there only if something waits, or the buffer is released at the end. A frame that waits
// for a port does so in a queue, and leaves by an event; or, between islands, where nothing but the
// frames before it can hold it up, in line on the link: then the second is counted, and no event. What
// can be seen is the same: line.go.
//
// A link keeps at most one pending arrival, however many frames are on it, and none if it comes from
// another island: those are read off the link as a window begins (arrivals.go). Frames lie by value in
// chunks of seven, 32 bytes each, and each knows when it arrives. Free chunks lie in a pool of the
// island, the one freed last on top.
//
// A switch looks up the next port; charges the ingress account; marks, queues or drops; starts the
// port if it is idle. Where a method is static and routes never change, the path was resolved when the
// queue pair was made, and a frame carries its place in it: one load. Else a frame carries the NIC
// that it goes to and how many switches it has passed, and the switch asks package balance for one of
// its group of next hops, with state of its own, which its island owns. With glb switches tell the
// next ones of their links, with conweave a flow's last switch tells its first, in messages that cross
// islands as pauses do. Routes are epochs, from the faults of links and their convergence: a switch
// looks at its clock. Both ends of a link may ask for its state at an instant, since that is a
// function of time alone.
//
// A switch may differ from the others in buffer, marking, pauses, hash, method and in what it takes a
// DSCP or a priority for (Profile), and its ports from each other. A frame keeps its DSCP and is in
// the class that the switch has for it; a PFC frame names a priority, which the neighbour may have for
// another class, or for none.
//
// While no switch is near xOFF (calm.go), windows are as long as frames of data need, cable and
// pipeline; else as PFC frames do, cable and response. A bit beside others that a port looks at anyway
// says that the port is tapped (tap.go), so others pay nothing; frames that are seen lie with their
// island until the window is over. What OnEvent is told is counted and bounded at its port; where
// nobody listens it costs a comparison with nil where something rare happens. Counters and traces lie
// in arrays; samples of queues are run-length coded on change, and taken anew, on their own grid,
// where steps are told again (repeat.go). A pause has a deadline, and no timer.
//
// Habits of a simulator that is compared with, and of no network, are one value: Quirks.
//
// Everything at one instant happens in the order of sim's phases: transmissions
// end, frames arrive, timers expire, hosts work.
//
// Invariants (held by Check, which tests call as often as they like):
//   - bytes are conserved: what entered a switch is in a queue, on a link, or counted as dropped;
//   - a switch's accounts sum to its shared and headroom use, and never exceed the buffer;
//   - a class under PFC never drops while headroom is as computed;
//   - no allocation per frame and hop in steady state.
//
// Sources: IEEE 802.1Qbb and 802.1Q annex N (PFC, headroom), 802.1Qaz (ETS), RFC 3168 (ECN),
// Floyd and Jacobson, "Random Early Detection" (ToN 1993), Choudhury and Hahne, "Dynamic queue
// length thresholds" (ToN 1998), Shreedhar and Varghese, "Deficit Round Robin" (SIGCOMM 1995).
//
// Decisions a reader may question:
//   - A PFC frame carries one class. It waits only for the frame in transmission and for earlier
//     PFC frames.
//   - xOFF is compared when a frame is charged and xON when a frame is released; not when the
//     threshold moves because of other accounts.
//   - The frame that crosses xOFF lies in the shared part, which keeps room for one such frame per
//     lossless account (with CrossingInHeadroom: in headroom, although the headroom formula does
//     not count it).
//   - A lossy frame is dropped if its queue would pass the threshold with it; the frame in
//     transmission is not counted.
//   - Marking compares the queue without the new frame and without the frame in transmission.
//     Acknowledgements and CNPs count, but are never marked.
//   - If only one class has frames, it is served without using its deficit.
package fabric
