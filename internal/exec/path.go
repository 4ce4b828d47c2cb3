package exec

import (
	"fmt"

	"railyard/internal/cause"
	"railyard/internal/coll"
	"railyard/internal/unit"
	"railyard/internal/workload"
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
}

// PathRecord is the critical path of one step: what the rank that ended it last
// had to wait for, over all ranks.
//
// Invariant: Parts are contiguous from Start to End; Split.Sum() == End - Start.
type PathRecord struct {
	Step       int64
	Rank       int32 // which ended the step last; among equals the lowest
	Start, End unit.Time
	Split      cause.Split
	Parts      []PathPart // in order of time; valid until the function that was given the record returns
}

// PathFinder finds the critical path of steps (see the package documentation).
// The ranks of a job share one, as Config.Paths, and one driver thread. It keeps
// what happened in the steps that some ranks have not ended, and in the one
// before them.
type PathFinder struct {
	every  int64
	found  func(*PathRecord)
	ranks  []pathLayout
	steps  []*stepPath // in order of step
	free   []*stepPath
	record PathRecord // handed out and used again
}

// NewPathFinder returns a finder for a job of ranks ranks. It calls found for the start phase, if
// there is one, and for every every-th step, from step 0 on, in order, once all ranks have ended it.
func NewPathFinder(ranks int, every int64, found func(*PathRecord)) *PathFinder {
	if ranks < 1 || every < 1 || found == nil {
		panic(fmt.Sprintf("exec: path finder for %d ranks and every %d steps, want at least 1 and a function",
			ranks, every))
	}
	return &PathFinder{every: every, found: found, ranks: make([]pathLayout, ranks)}
}

// pathLayout is what of a rank's template its records are laid out by.
type pathLayout struct {
	program *workload.Program
	local   map[int32]int32 // of a collective of the job: index in colls
	colls   []pathColl      // that the rank runs
	length  int             // of rankPath.program
	credit  bool            // a collective needs credits
}

// pathColl is a collective as one rank runs it.
type pathColl struct {
	*workload.Collective
	op       int32    // the operation that runs it
	me       int      // the rank, as the schedule numbers it
	members  []int32  // of the group
	channels []extent // its parts of rankPath.program
}

// collective returns a collective of the job as the rank runs it.
func (l *pathLayout) collective(c int32) *pathColl { return &l.colls[l.local[c]] }

type extent struct{ from, to int }

// add makes a rank known, before any rank starts.
func (f *PathFinder) add(rank int32, job *workload.Job, colls []collRun) {
	if int(rank) >= len(f.ranks) {
		panic(fmt.Sprintf("exec: rank %d, the path finder is for %d ranks", rank, len(f.ranks)))
	}
	l := pathLayout{program: job.Program(rank), local: map[int32]int32{}}
	for i := range colls {
		c := &colls[i]
		p := pathColl{Collective: c.Collective, op: c.op, me: c.me, members: c.members}
		for ch := range c.channels {
			to := l.length + c.Schedule.Len(c.me, ch)
			p.channels = append(p.channels, extent{l.length, to})
			l.length = to
		}
		l.credit = l.credit || coll.NeedsCredit(c.Schedule)
		l.local[c.id] = int32(len(l.colls))
		l.colls = append(l.colls, p)
	}
	f.ranks[rank] = l
}

// wants reports whether the path of a step is to be found.
func (f *PathFinder) wants(step int64) bool { return step == workload.StartStep || step%f.every == 0 }

// step returns the record of a step, nil if there is none.
func (f *PathFinder) step(n int64) *stepPath {
	for _, s := range f.steps {
		if s.number == n {
			return s
		}
	}
	return nil
}

// begin returns where to record a rank's step, nil if nobody will ask.
func (f *PathFinder) begin(rank int32, step int64, now unit.Time) *rankPath {
	if !f.wants(step) && !f.wants(step+1) { // a path may reach into the step before
		return nil
	}
	s := f.step(step)
	if s == nil {
		s = f.open(step)
	}
	p := &s.ranks[rank]
	p.start = now
	return p
}

// open returns an empty record of a step.
func (f *PathFinder) open(step int64) *stepPath {
	var s *stepPath
	if n := len(f.free); n > 0 {
		s, f.free = f.free[n-1], f.free[:n-1]
	} else {
		s = &stepPath{ranks: make([]rankPath, len(f.ranks))}
		for r := range s.ranks {
			l := &f.ranks[r]
			if l.program == nil {
				panic(fmt.Sprintf("exec: a rank starts, rank %d of the path finder's %d was never made",
					r, len(f.ranks)))
			}
			s.ranks[r] = rankPath{step: s, layout: l, ops: make([]opState, max(len(l.program.Start), len(l.program.Ops))),
				program: make([]programOp, l.length), released: make([]release, len(l.colls))}
			if l.credit {
				s.ranks[r].freed = make([]int32, l.length)
			}
		}
	}
	s.number, s.ended, s.messages, s.segments = step, 0, s.messages[:0], s.segments[:0]
	f.steps = append(f.steps, s)
	return s
}

// ended takes the end of a rank's step. Once all ranks have ended it, the path is
// found and what no later path can reach is let go.
func (f *PathFinder) ended(p *rankPath, now unit.Time, ops []opState, last int32) {
	p.end, p.last = now, last
	copy(p.ops, ops)
	s := p.step
	if s.ended++; s.ended < len(f.ranks) {
		return
	}
	if f.wants(s.number) {
		f.find(s)
		f.found(&f.record)
	}
	kept := f.steps[:0]
	for _, o := range f.steps {
		if o.number > s.number || o == s && f.wants(s.number+1) {
			kept = append(kept, o)
		} else {
			f.free = append(f.free, o)
		}
	}
	f.steps = kept
}
