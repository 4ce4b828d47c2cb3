package exec

import "railyard/internal/job/workload"

// slate is what one channel notes while its collective runs. The collectives of a stream run one after the other, and there may be
// thousands, so they share it: each begins with launched or moveColl, which wipe it.
type slate struct {
	op    *planned // at pc, while the channel waits
	only  planned  // of a program that is not kept: its operation known-1, 0: none
	known int

	path    []programOp // for the path finder: by index in the program; nil: nothing is recorded
	peerOps []int32     // and the other ends of messages: see pathLayout.peer
	freed   []int32     // and, with credits, what let a Send start: see rankPath.freed
}

// rooms are what the collectives of a phase keep of their messages, side by side: there may be very many.
type rooms struct {
	exchanges []exchange
	channels  []channelRun
}

// newRooms makes room for the collectives of so many operations.
func newRooms(job *workload.Job, ops []workload.Op) (all rooms) {
	_, exchanges, channels := roomsOf(job, ops)
	return rooms{make([]exchange, exchanges), make([]channelRun, channels)}
}

// roomsOf counts the collectives of operations, those that exchange messages, and the channels of these.
func roomsOf(job *workload.Job, ops []workload.Op) (collectives, exchanges, channels int) {
	for i := range ops {
		if ops[i].Kind != workload.Communication {
			continue
		}
		collectives++
		if c := &job.Collectives[ops[i].Coll]; !c.Formula {
			exchanges++
			channels += c.Schedule.Channels()
		}
	}
	return collectives, exchanges, channels
}

// take returns room for a collective of so many channels.
func (x *rooms) take(channels int) *exchange {
	e := &x.exchanges[0]
	e.channels = x.channels[:channels:channels]
	x.exchanges, x.channels = x.exchanges[1:], x.channels[channels:]
	return e
}
