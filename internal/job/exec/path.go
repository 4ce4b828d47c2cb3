package exec

import (
	"fmt"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
)

// PathKind says what a part of a critical path is.
type PathKind uint8

// The kinds of part.
const (
	PathCompute PathKind = iota // a compute operation
	PathLaunch                  // a collective, before its first message
	PathLocal                   // a reduction or copy inside a collective
	PathMessage                 // a message, from its post to its placement
	PathAck                     // the way of an acknowledgement back to the sender
	PathCredit                  // the way of a credit back to the sender
	PathCopy                    // a copy from host memory
	PathUnknown                 // before the first step of a rank that started late, or in a step that was not recorded
)

var pathKindNames = [...]string{"compute", "launch", "reduce or copy", "message", "acknowledgement", "credit",
	"copy", "unknown"}

// String returns the name that tables use.
func (k PathKind) String() string { return pathKindNames[k] }

// PathPart is a span of a critical path: from From to Until the step waited for this.
type PathPart struct {
	From, Until unit.Time
	Cause       cause.Cause
	Kind        PathKind
	Rank        int32 // which did it; of a message, an acknowledgement or a credit, the sender of the message
	Step        int64 // of that rank: the path's, or the one before
	Op          int32 // workload.Op.ID on that rank, also of what happens inside a collective; -1 if unknown
	// Of a message, an acknowledgement or a credit: the message's way. Else -1; Group and Channel
	// are set for a reduction or copy, too.
	Src, Dst, Group, Channel int32
	At                       int32 // of a message or an acknowledgement: Segment.At; else -1
	Lane                     int32 // of a message or an acknowledgement: Trace.Lane
}

// PathRecord is the critical path of one step: what the rank that ended it last
// had to wait for, over all ranks.
//
// Invariant: Parts are contiguous from Start to End; Split.Sum() == End - Start.
type PathRecord struct {
	Step       int64
	Rank       int32     // which ended the step last; among equals the lowest
	Began      unit.Time // when that rank began the step; Start, but where the path comes to what is not recorded: see From
	Start, End unit.Time
	Split      cause.Split
	Parts      []PathPart // in order of time; valid until the function that was given the record returns
	// By rank, how far back the path is found from what the rank did: it would be the same if any of them had done something
	// else that was over before. unit.Never: from nothing. Valid as Parts.
	Reached []unit.Time
}

// MostSegments is how many segments of traces the records of one step hold, of all ranks together: what comes then is kept as
// one for each cause. Those that messages share count for each of them, and those of totals as if they were whole, so that it does not
// matter what was told again.
const MostSegments = 1 << 26

// PathFinder finds the critical path of steps (see the package documentation).
// The ranks of a job share one, as Config.Paths. Each writes what it does into records of its
// own, whatever thread drives it; the driver says, from one thread and while no rank does
// anything, which steps have ended: Ended. The finder keeps what happened in the steps that some ranks
// have not ended, and in the one before them.
type PathFinder struct {
	every  int64
	found  func(*PathRecord)
	ranks  []rankPaths
	most   int         // segments of a rank's record
	first  int32       // collective of the job that is recorded: see From
	ended  []endedStep // that some ranks have ended, in order of step
	record PathRecord  // handed out and used again
}

// endedStep is how many ranks have ended a step.
type endedStep struct {
	number int64
	ranks  int
}

// NewPathFinder returns a finder for a job of ranks ranks. It calls found for the start phase, if
// there is one, and for every every-th step, from step 0 on, in order, once all ranks have ended it.
func NewPathFinder(ranks int, every int64, found func(*PathRecord)) *PathFinder {
	if ranks < 1 || every < 1 || found == nil {
		panic(fmt.Sprintf("exec: path finder for %d ranks and every %d steps, want at least 1 and a function",
			ranks, every))
	}
	return &PathFinder{every: every, found: found, ranks: make([]rankPaths, ranks), most: MostSegments / ranks}
}

// From has the finder record nothing of the job's collectives before that one, in order of Job.Collectives: a path then begins
// where it comes to the end of one of those. It is called before any rank is made.
func (f *PathFinder) From(coll int32) { f.first = coll }

// rankPaths is the records of one rank, which alone writes them.
type rankPaths struct {
	pathLayout
	steps []*rankPath // in order of step
	free  []*rankPath
}

// pathLayout is what of a rank's template its records are laid out by.
type pathLayout struct {
	program *workload.Program
	groups  []workload.Group    // of the job
	local   *lists.Index[int32] // number in colls, by collective of the job
	colls   []pathColl          // that the rank runs
	length  int                 // of rankPath.program
	most    int                 // segments of a record, beside those of totals
	credit  bool                // a collective needs credits
	// peer is, as rankPath.program, the operation at the other end of a message, -1 until it is known:
	// of a Send the Recv in the peer's program, which the rank finds, of a Recv the Send. It is
	// the same in every step.
	peer []int32
	news bool // Recvs have been found whose Sends they do not know
}

// pathColl is a collective as one rank runs it.
type pathColl struct {
	*collRun
	recorded bool     // see PathFinder.From
	channels []extent // its parts of rankPath.program; none if it is not recorded
}

// collective returns a collective of the job as the rank runs it.
func (l *pathLayout) collective(c int32) *pathColl { return &l.colls[l.number(c)] }

// number is a collective's number in colls.
func (l *pathLayout) number(c int32) int {
	n, ok := l.local.Find(c)
	if !ok {
		panic(fmt.Sprintf("exec: collective %d is of other ranks", c))
	}
	return n
}

// peers returns the other ends of a channel's messages; of a collective that is recorded.
func (l *pathLayout) peers(c int32, channel int) []int32 {
	e := l.collective(c).channels[channel]
	return l.peer[e.from:e.to]
}

type extent struct{ from, to int }

// add makes a rank known, before any rank starts.
func (f *PathFinder) add(rank int32, job *workload.Job, colls []collRun, local *lists.Index[int32]) {
	if int(rank) >= len(f.ranks) {
		panic(fmt.Sprintf("exec: rank %d, the path finder is for %d ranks", rank, len(f.ranks)))
	}
	l := pathLayout{program: job.Program(rank), groups: job.Groups, local: local, most: f.most,
		colls: make([]pathColl, 0, len(colls))}
	for i := range colls {
		c := &colls[i]
		p := pathColl{collRun: c, recorded: c.id >= f.first}
		if p.recorded && !c.Formula {
			for ch := range c.channels {
				to := l.length + c.Schedule.Len(c.me, ch)
				p.channels = append(p.channels, extent{l.length, to})
				l.length = to
			}
			l.credit = l.credit || coll.NeedsCredit(c.Schedule)
		}
		l.colls = append(l.colls, p)
	}
	l.peer = slices.Repeat([]int32{-1}, l.length)
	f.ranks[rank] = rankPaths{pathLayout: l}
}

// wants reports whether the path of a step is to be found.
func (f *PathFinder) wants(step int64) bool { return step == workload.StartStep || step%f.every == 0 }

// recorded reports whether somebody will ask for a step: a path may reach into the step before.
func (f *PathFinder) recorded(step int64) bool { return f.wants(step) || f.wants(step+1) }

// of returns a rank's record of a step, nil if there is none.
func (f *PathFinder) of(rank int32, step int64) *rankPath {
	for _, p := range f.ranks[rank].steps {
		if p.number == step {
			return p
		}
	}
	return nil
}

// begin returns where to record a rank's step, nil if nobody will ask.
func (f *PathFinder) begin(rank int32, step int64, now unit.Time) *rankPath {
	if !f.recorded(step) {
		return nil
	}
	r := &f.ranks[rank]
	var p *rankPath
	if n := len(r.free); n > 0 {
		p, r.free = r.free[n-1], r.free[:n-1]
	} else {
		p = newRankPath(&r.pathLayout)
	}
	p.number, p.start, p.messages, p.segments, p.told = step, now, p.messages[:0], p.segments[:0], 0
	clear(p.totals)
	r.steps = append(r.steps, p)
	return p
}

// Ended takes it that a rank has ended a step, or its start phase if it does something there: it has
// told its Observer so. Once all ranks have, the path is found and what no later path can reach is
// let go. No rank may do anything meanwhile; in which order ranks of one step are told of does not matter.
func (f *PathFinder) Ended(rank int32, step int64) {
	if !f.recorded(step) {
		return
	}
	if f.count(step) < f.doing(step) {
		return
	}
	f.ended = slices.DeleteFunc(f.ended, func(e endedStep) bool { return e.number == step })
	if f.wants(step) {
		f.link()
		f.find(step)
		f.found(&f.record)
	}
	for r := range f.ranks {
		f.ranks[r].release(step, f.wants(step+1))
	}
}

// count counts a rank that has ended a step, and returns how many have.
func (f *PathFinder) count(step int64) int {
	i := slices.IndexFunc(f.ended, func(e endedStep) bool { return e.number == step })
	if i < 0 {
		i = len(f.ended)
		f.ended = append(f.ended, endedStep{number: step})
	}
	f.ended[i].ranks++
	return f.ended[i].ranks
}

// doing is how many ranks do something in a step: all but in the start phase.
func (f *PathFinder) doing(step int64) int {
	if step != workload.StartStep {
		return len(f.ranks)
	}
	n := 0
	for r := range f.ranks {
		if len(f.ranks[r].program.Start) > 0 {
			n++
		}
	}
	return n
}

// release lets go of the records up to a step, but of the step's own if it is still wanted.
func (r *rankPaths) release(step int64, wanted bool) {
	kept := r.steps[:0]
	for _, p := range r.steps {
		if p.number > step || p.number == step && wanted {
			kept = append(kept, p)
		} else {
			r.free = append(r.free, p)
		}
	}
	r.steps = kept
}

// link tells Recvs their Sends, where ranks have found Recvs since the last time.
func (f *PathFinder) link() {
	for r := range f.ranks {
		l := &f.ranks[r].pathLayout
		if l.program == nil {
			panic(fmt.Sprintf("exec: rank %d of the path finder's %d was never made", r, len(f.ranks)))
		}
		if !l.news {
			continue
		}
		l.news = false
		for i := range l.colls {
			f.linkSends(l, &l.colls[i])
		}
	}
}

// linkSends does so for the messages that a rank sends in a collective.
func (f *PathFinder) linkSends(l *pathLayout, c *pathColl) {
	for channel := range c.channels {
		for i, recv := range l.peers(c.id, channel) {
			if recv < 0 {
				continue
			}
			if op := c.Schedule.Op(c.me, channel, i); op.Kind == coll.Send {
				f.ranks[c.members[op.Peer]].peers(c.id, channel)[recv] = int32(i)
			}
		}
	}
}
