// Package exec is one rank of a job as a state machine: it walks the operations
// of each step and, inside a collective, the program of each channel.
//
// It has no clock, socket, goroutine or randomness of its own. A driver (host on
// simulated time, rank on real time, exectest in tests) tells it what happened and when; it answers
// by calling Transport, Clock and Observer. The same rank replays a job (Body
// nil: durations only) or trains a network (every operation bound to real code).
//
//	      Start  Done  Received  Acked  Credited
//	          \     \     |      /     /
//	driver ->  +------------------------------+
//	           | step: streams of operations  |
//	           |   collective: channels       |
//	           |     program: send recv ...   |
//	           +------------------------------+
//	               /     |      \
//	driver <- Post, Credit, CopyIn  Run  Step, Operation records
//
// Invariants:
//   - operations of a stream start in issue order, one at a time; what becomes
//     ready at one instant starts in the order of the streams;
//   - a channel runs its program strictly in order, one operation at a time, which
//     is more than Op.After asks for; channels do not wait for each other;
//   - the k-th message of a group from a rank on a channel belongs to the k-th Recv from
//     that rank on that channel. It may come before this rank has reached the Recv, or
//     even the step: it is counted and waits;
//   - a collective is done when every channel is at its end and every message that
//     it sent is acknowledged, so that the next writer of a buffer finds it free;
//   - a chunk of no elements is neither sent, received, reduced nor copied. Both
//     sides know its size: see below;
//   - the causes of a step sum to its duration exactly.
//
// A rank is in any number of groups, and runs at most one collective of each at a time:
// a message is known by its group, channel and peer, and by its place in their order.
//
// How far ranks run apart follows from their staging. Without credit there are two areas for
// a collective, which must make every rank of its group wait for every other (as an all-reduce
// does): then no rank is more than one step ahead. With credit there is one area, whose slots
// serve in turn: when an operation that frees a slot is done, the rank posts a credit to the
// sender, and a Send with a window waits for it. Job.CheckRepeat refuses the rest before a run;
// the rank itself looks at none of this.
//
// # Sizes that are decided in each step
//
// Of a collective with Counts a rank takes the sizes as the collective begins: what it sends from
// the compute operation that decided it, what it receives from an exchange of counts, which carries
// them as bytes of the job's buffers. Both have ended, and the driver has joined their bodies: this
// is the only way in which what is computed has a say in when something happens. In a replay the
// sizes are those that the job declares. Sizes beyond the capacity or the buffers end the job.
//
// Do two ranks believe different sizes, then their schedule is no longer one. So each message says
// what it is (Arrival), and a rank that waits for another, or gets one for a step that is over,
// ends the job. A rank that waits for a message that nobody sends waits for ever, as in real life.
//
// Such a collective needs no credit to run step after step: a message of the next step is sent when
// its counts have come from all members, each of which has decided them after its step before.
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
//	dependency  its trace     compute     acknowledgement
//
// The message is the last one for which the channel that finished last stood
// still: a message that was there before its Recv held nobody up. After it, the
// rank's own reductions and copies are compute; a write that waits for the
// acknowledgement of an earlier send, and the end of a collective that waits for
// its last acknowledgement, are acknowledgement, but for what the driver knows held it up: a
// queue on its way, or the time until a lost one was made good. The wait of a Send for a credit
// is window.
// A collective that waited for no message is compute from its start (its launch and
// its copies), and the wait before it is explained by the operation that released it.
//
// A wait that the end of a copy ended is PCIe since the copy began.
//
// # The critical path of a step
//
// That split is a rank's own view: in a ring all-reduce most of it is dependency,
// for a rank waits through 2(n-1) messages of which it sees one at a time. A
// PathFinder, shared by the ranks of a job, gives a second split, of the step of the
// rank that ended it last. It walks back in time from that end: each instant belongs
// to what released the thing that ended there, on whatever rank that was.
//
//	        start                                                            end
//	rank 0    |  forward backward launch send                  recv=copy=update|
//	          |                          \                    //
//	          |                         message          message
//	          |                            \            //
//	rank 1    |======forward======backward======launch=send
//
// (= is on the path: the message from rank 0 came before rank 1 had launched.)
//
//   - A compute operation, a launch, a reduction and a copy are compute, of the rank
//     that did it. What released an operation is what ended at the instant at which
//     it began: the operation before it in its stream or one that it depends on.
//   - A Recv that stood still was released by its message: the causes of the message's
//     trace, back to the post on the sender. One that did not was released by the
//     operation before it in the channel's program.
//   - An overwrite or the end of a collective that waited for an acknowledgement was
//     released by it: its way, back to the placement of the message at the peer;
//     then that message, back to its post.
//   - A Send that waited for a credit was released by it: its way (window) back to the end of the
//     operation of the peer that freed the slot, which may belong to the step before.
//   - The start of a step was released by what ended last in that rank's step before.
//     The walk stops at the start of the step of the rank it began with.
//
// So dependency is left only for messages without a trace.
// Where two things end at one instant, either may be named. The finder holds what
// happened in the steps that some ranks have not ended and in one before: 24 bytes
// for each operation of a program and 4 once, 32 and 16 per change of cause or place for each message
// and acknowledgement.
//
// The idea is that of critical path analysis of message-passing programs: Yang and
// Miller, "Critical Path Analysis for the Execution of Parallel and Distributed
// Programs" (ICDCS 1988).
package exec
