// Package cm is the connection manager of RDMA as a core: it makes and ends connections of queue pairs by datagrams
// between queue pairs 1, as Linux's rdma_cm does, without a clock, a socket or a queue pair of its own. A driver says what
// came and when, sends what Next gives, and does what Event tells.
//
//	active                          passive
//	Dial      ---- REQ -------------> Asked
//	          <--- MRA -------------- (it takes a while)
//	Replied   <--- REP -------------- Accept
//	Establish ---- RTU -------------> Ready
//	==================== messages ===================
//	Leave     ---- DREQ ------------> Left
//	Left      <--- DREP -------------
//
// Invariants:
//   - a message that came is answered by one message at most, but for a REQ of a queue pair that is connected already: that
//     is rejected, and the old connection is taken down;
//   - a connection has one of Rejected, Unreachable and Left at most, as its last event;
//   - what is not answered is sent again, Retries times.
//
// Decisions a reader may question:
//   - It does not send MRA: its driver answers at once.
//   - A connection that is over is remembered for as long as the other end may repeat what ended it.
//
// Source: InfiniBand Architecture Specification vol. 1, chapter 12: 12.6 messages, 12.9 states, 12.9.8.3 stale
// connections; annex A11, IP addresses in private data.
package cm
