// Package exec is one rank of a job as a state machine: it walks the operations
// of each step and, inside a collective, the program of each channel.
//
// It has no clock, socket, goroutine or randomness of its own. A driver (nic on
// simulated time, rank on real time) tells it what happened and when; it answers
// by calling Transport, Clock and Observer. The same rank replays a job (Body
// nil: durations only) or trains a network (every operation bound to real code).
//
//	            Start  Done  Received  Acked
//	               \     |      |      /
//	driver ->  +------------------------------+
//	           | step: streams of operations  |
//	           |   collective: channels       |
//	           |     program: send recv ...   |
//	           +------------------------------+
//	               /     |      \
//	driver <-   Post    Run    Step, Operation records
//
// Invariants:
//   - operations of a stream start in issue order, one at a time; what becomes
//     ready at one instant starts in the order of the streams;
//   - a channel runs its program strictly in order, one operation at a time, which
//     is more than Op.After asks for; channels do not wait for each other;
//   - the k-th message from a rank on a channel belongs to the k-th Recv from that
//     rank on that channel. It may come before this rank has reached the Recv, or
//     even the step: it is counted and waits;
//   - a collective is done when every channel is at its end and every message that
//     it sent is acknowledged, so that the next writer of a buffer finds it free;
//   - a chunk of no elements is neither sent, received, reduced nor copied. Both
//     sides know its size;
//   - the causes of a step sum to its duration exactly.
//
// A rank has at most one communicator, since messages are matched by source and
// channel alone. A collective must make every rank wait for every other (as an
// all-reduce does): two staging buffers are then enough, for no rank can be more
// than one step ahead. The rank panics when a peer is.
//
// # Why a step took as long as it did
//
// An instant is compute if a compute operation runs. Every other instant lies in a
// wait that ends when the next compute operation starts or the step ends; the
// collective that released it says why:
//
//	posted            placed      channel's end   acknowledged
//	  |  the message's   |   local       |              |
//	--+------------------+---------------+--------------+-> compute starts
//	dependency  its trace     compute       dependency
//
// The message is the last one for which the channel that finished last stood
// still: a message that was there before its Recv held nobody up. After it, the
// rank's own reductions and copies are compute; a write that waits for the
// acknowledgement of an earlier send, and the end of a collective that waits for
// its last acknowledgement, are dependency (somebody else had to finish first).
// A collective that waited for no message is compute from its start (its launch and
// its copies), and the wait before it is explained by the operation that released it.
package exec
