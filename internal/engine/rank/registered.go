//go:build unix

package rank

import (
	"fmt"

	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// registered is what may come to a rank: of each collective and peer the slots of its Recvs, in order. It is the
// memory that the schedule has registered, and who may write where, when.
type registered struct {
	job    *workload.Job
	rank   int32
	slots  map[source][]slot
	window map[source]int // how many slots differ
	at     map[source]*cursor
}

// source is the messages of a collective from a peer on a channel.
type source struct {
	coll, peer, channel int32
}

type slot struct{ off, bytes int64 }

// cursor is how far the messages of a source have come.
type cursor struct {
	step int64
	next int // in its slots
}

func newRegistered(job *workload.Job, rank int32) *registered {
	r := &registered{job: job, rank: rank, slots: map[source][]slot{}, window: map[source]int{}, at: map[source]*cursor{}}
	program := job.Program(rank)
	for _, ops := range [][]workload.Op{program.Start, program.Ops} {
		for i := range ops {
			if ops[i].Kind == workload.Communication {
				r.add(ops[i].Coll)
			}
		}
	}
	return r
}

// add registers the Recvs of a collective.
func (r *registered) add(id int32) {
	c := &r.job.Collectives[id]
	members := r.job.Groups[c.Group].Ranks
	me := indexOf(members, r.rank)
	slots, layout := c.Slots(), c.LayoutOf(me, nil)
	for channel := range c.Schedule.Channels() {
		for i := range c.Schedule.Len(me, channel) {
			op := c.Schedule.Op(me, channel, i)
			if op.Kind != coll.Recv {
				continue
			}
			_, n := c.ChunkBy(layout, op.Buffer, channel, int(op.Chunk))
			if n > 0 {
				from := source{id, members[op.Peer], int32(channel)}
				r.slots[from] = append(r.slots[from], slot{slots.Off(channel, op.Slot), n})
			}
		}
	}
}

// patience is how many credits the sender of a collective's messages does not miss: a quarter of the slots that they go to.
func (r *registered) patience(f *Frame) int {
	slots := r.slots[source{f.Header.Coll, f.Way.Src, f.Way.Channel}]
	window := 1
	for window < len(slots) && slots[window].off != slots[0].off {
		window++
	}
	return window / 4
}

func indexOf(ranks []int32, rank int32) int {
	for i, r := range ranks {
		if r == rank {
			return i
		}
	}
	return -1
}

// message takes the next message of a peer, or says why it cannot be.
func (r *registered) message(f *Frame) error {
	h := &f.Header
	if int(h.Coll) >= len(r.job.Collectives) || r.job.Collectives[h.Coll].Group != f.Way.Group {
		return fmt.Errorf("a message of group %d, collective %d: the job has no such", f.Way.Group, h.Coll)
	}
	c := &r.job.Collectives[h.Coll]
	from := source{h.Coll, f.Way.Src, f.Way.Channel}
	slots := r.slots[from]
	if len(slots) == 0 {
		return fmt.Errorf("a message of collective %q on channel %d: the schedule has none from it", c.Name, f.Way.Channel)
	}
	at := r.at[from]
	if at == nil {
		at = &cursor{}
		if c.Once {
			at.step = workload.StartStep
		}
		r.at[from] = at
	}
	if at.next == len(slots) {
		at.step, at.next = at.step+1, 0
	}
	if h.Step != at.step || c.Once && h.Step != workload.StartStep {
		return fmt.Errorf("message %d of collective %q says that it is of step %d, want step %d", at.next, c.Name, h.Step, at.step)
	}
	want := exec.Ref{Buffer: exec.Staging(r.job, h.Coll, h.Step), Off: slots[at.next].off, Len: slots[at.next].bytes}
	if got := f.to(); got != want {
		return fmt.Errorf("message %d of collective %q, step %d: %d bytes for buffer %d at %d, want %d for buffer %d at %d",
			at.next, c.Name, h.Step, got.Len, got.Buffer, got.Off, want.Len, want.Buffer, want.Off)
	}
	at.next++
	return nil
}

// credit holds a credit against the job; whether a message waits for it the rank knows.
func (r *registered) credit(f *Frame) error {
	id := f.Header.Coll
	if int(id) >= len(r.job.Collectives) || r.job.Collectives[id].Group != f.Way.Group {
		return fmt.Errorf("a credit of group %d, collective %d: the job has no such", f.Way.Group, id)
	}
	c := &r.job.Collectives[id]
	members := r.job.Groups[c.Group].Ranks
	if int(f.Way.Channel) >= c.Schedule.Channels() || indexOf(members, r.rank) < 0 || indexOf(members, f.Way.Dst) < 0 {
		return fmt.Errorf("a credit of collective %q on channel %d: the schedule has none from it", c.Name, f.Way.Channel)
	}
	return nil
}

// Pairs visits the pairs of ranks that send each other messages or credits, the lower first, each once.
func Pairs(job *workload.Job, visit func(a, b int32)) {
	seen := map[[2]int32]bool{}
	for id := range job.Collectives {
		c := &job.Collectives[id]
		if c.Formula {
			continue
		}
		members := job.Groups[c.Group].Ranks
		for me := range members {
			for channel := range c.Schedule.Channels() {
				for i := range c.Schedule.Len(me, channel) {
					op := c.Schedule.Op(me, channel, i)
					if op.Kind != coll.Send {
						continue
					}
					a, b := members[me], members[op.Peer]
					key := [2]int32{min(a, b), max(a, b)}
					if !seen[key] {
						seen[key] = true
						visit(key[0], key[1])
					}
				}
			}
		}
	}
}
