// Package launch runs the ranks of a training as processes: the same programs, schedules and weights as in the simulator,
// on real time.
//
//	         node 0                                  node 1
//	+----------------------+                +----------------------+
//	| launcher: run.Real   |<----- TCP ---->| launcher             |    control: frames (frame.go)
//	+--+--------+----------+                +--+--------+----------+
//	   | socket | socket                       | socket | socket
//	+--+---+ +--+---+                       +--+---+ +--+---+
//	|rank 0| |rank 1|<=== TCP, rank.Frame =>|rank 2| |rank 3|         data: package rank
//	+------+ +------+                       +------+ +------+
//	     shared memory                           shared memory
//
// The launcher of node 0 plans the run, hears every rank's steps and writes the run directory. A launcher starts the ranks
// of its node as children of its own program, passes on what is said to and by them, and knows when one is gone: its
// connection closes, and it has a wait status. Whatever goes wrong is one sentence, the same on every node.
//
// A job may be tried again: its processes and connections are new, node 0's door (door.go) stays open, other launchers come
// again, and spares that wait there take the places of those that do not.
//
// Invariants:
//   - no process outlives its launcher: the kernel kills it (Linux), or its closed connection ends it;
//   - shared memory has no name: it is gone with the last process that has it;
//   - a frame of a process, a node or a stranger is held against what may come before it changes anything, and none
//     allocates more than the job's own sizes.
package launch
