package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

func (s *stage) atTime(words []string, _ []field) {
	s.net.now = s.time(words[0])
	s.net.wall = s.net.now
}

func (s *stage) setNet(_ []string, fields []field) {
	for _, v := range take(&fields, "at-sender") {
		s.net.atSender = v[0] == "yes"
	}
	for _, v := range take(&fields, "shared") {
		s.net.shared, s.net.size = s.bytes(v[0]), s.bytes(v[1])
	}
	for _, v := range take(&fields, "circle") {
		s.net.circle = nil
		for _, p := range v {
			s.net.circle = append(s.net.circle, s.portOf(p))
		}
	}
	s.set(&s.net.counts, fields)
}

func (s *stage) setPort(words []string, fields []field) {
	p := s.net.port(s.portOf(words[0]))
	for _, v := range take(&fields, "fill") {
		p.fill = append(p.fill, fabric.Share{Flow: s.pairOf(v[0]), Bytes: int64(s.bytes(v[1]))})
	}
	for _, v := range take(&fields, "root") {
		p.roots = append(p.roots, fabric.RootTime{Root: s.portOf(v[0]), Time: unit.Duration(s.time(v[1]))})
	}
	for _, v := range take(&fields, "load") {
		p.load = append(p.load, fabric.LoadPoint{At: s.time(v[0]), Sent: s.bytes(v[1]), Held: unit.Duration(s.time(v[2]))})
	}
	for _, v := range take(&fields, "waiting") {
		p.waiting = s.bytes(v[0])
	}
	s.set(p, fields)
}

func (s *stage) setPair(words []string, fields []field) {
	p := s.net.pair(s.pairOf(words[0]))
	for _, name := range []string{"saw", "back"} {
		for _, v := range take(&fields, name) { // saw=PORT:frames:marked:own:others:pause[:root]
			e := nic.PortEvidence{Port: s.portOf(v[0]), Marked: s.number(v[2]), HopEvidence: nic.HopEvidence{Frames: s.number(v[1]),
				Own: unit.Duration(s.time(v[3])), Others: unit.Duration(s.time(v[4])), Pause: unit.Duration(s.time(v[5]))}}
			if len(v) > 6 {
				e.Roots = []fabric.RootTime{{Root: s.portOf(v[6]), Time: e.Pause}}
			}
			if name == "back" {
				p.back = append(p.back, e)
			} else {
				p.saw = append(p.saw, e)
			}
		}
	}
	s.set(p, fields)
}

// flow tells of a message: "flow NAME left ..." of one that the run leaves unfinished. hop=PORT:own:queueing:pause[:root].
func (s *stage) flow(words []string, fields []field) {
	f := &nic.Flow{QP: s.pairOf(words[0]), Placed: -1, Acked: -1, Inside: nic.Inside{From: -1, To: -1}}
	in := struct{ Island int32 }{}
	for _, v := range take(&fields, "island") {
		in.Island = int32(s.number(v[0]))
	}
	for _, name := range []string{"hop", "return"} {
		for _, v := range take(&fields, name) {
			h := nic.HopWait{Port: s.portOf(v[0]), Back: name == "return", Own: unit.Duration(s.time(v[1])),
				Queueing: unit.Duration(s.time(v[2])), Pause: unit.Duration(s.time(v[3])), Root: -1}
			if len(v) > 4 {
				h.Root = s.portOf(v[4])
			}
			f.Hops = append(f.Hops, h)
		}
	}
	for _, v := range take(&fields, "message") { // message=STEP:GROUP:CHANNEL
		f.Message = &exec.Message{Step: s.number(v[0])}
		f.Message.Group, f.Message.Channel = int32(s.number(v[1])), int32(s.number(v[2]))
	}
	f.Split = s.split(&fields)
	s.set(f, fields)
	if len(words) > 1 && words[1] == "left" {
		s.net.left = append(s.net.left, f)
		return
	}
	s.net.wall = max(f.Acked, f.Placed, f.Posted)
	s.r.Flow(in.Island, f)
}

// lost tells of a frame: lost PAIR WHY port=...
func (s *stage) lost(words []string, fields []field) {
	l := fabric.Loss{Flow: s.pairOf(words[0]), Why: fabric.LossKind(s.index(lossNames[:], strings.ReplaceAll(words[1], "_", " ")))}
	s.set(&l, fields)
	s.net.wall = l.At
	s.r.Lost(0, l)
}

func (s *stage) timeout(words []string, _ []field) {
	s.r.TimedOut(0, s.time(words[1]), s.pairOf(words[0]), s.number(words[2]))
}

func (s *stage) sample(_ []string, fields []field) {
	var x fabric.Sample
	s.set(&x, fields)
	s.r.Sample(0, x)
}

// event tells what happens at a port, happens what does at an end of a queue pair.
func (s *stage) event(words []string, fields []field) {
	e := fabric.Event{Kind: fabric.EventKind(s.index(portEventNames[:], words[0])), Root: -1, Flow: -1}
	for _, v := range take(&fields, "of") {
		e.Flow = s.pairOf(v[0])
	}
	s.set(&e, fields)
	s.r.PortEvent(0, e)
}

func (s *stage) happens(words []string, fields []field) {
	e := nic.Event{Kind: nic.EventKind(s.index(pairEventNames[:], words[0])), QP: s.pairOf(words[1])}
	for _, v := range take(&fields, "of") {
		e.PSN = uint32(s.portOf(v[0]))
	}
	for _, name := range []string{"rate", "target", "alpha", "window"} {
		for _, v := range take(&fields, name) {
			s.set(&e.State, []field{{name, v[0]}})
		}
	}
	s.set(&e, fields)
	s.r.PairEvent(0, e)
}

func (s *stage) job(fields *[]field) *Job {
	for _, v := range take(fields, "job") {
		return s.r.Job(int(s.number(v[0])))
	}
	return s.r.Job(0)
}

// step tells of a step of a rank: step RANK STEP start=... end=... wait=OP:from:to CAUSE=...
func (s *stage) step(words []string, fields []field) {
	var waited []exec.Wait
	j := s.job(&fields)
	for _, v := range take(&fields, "wait") {
		waited = append(waited, exec.Wait{Op: int32(s.number(v[0])), From: s.time(v[1]), To: s.time(v[2])})
	}
	x := exec.StepRecord{Rank: int32(s.number(words[0])), Step: s.number(words[1])}
	x.Split = s.split(&fields)
	s.set(&x, fields)
	j.Observer(0).Step(x, waited)
}

// operation tells of one of a rank: op RANK STEP OP start=... end=...
func (s *stage) operation(words []string, fields []field) {
	j := s.job(&fields)
	x := exec.OperationRecord{Rank: int32(s.number(words[0])), Step: s.number(words[1]), Op: int32(s.number(words[2])), ReleasedBy: -1}
	o := &j.plan.Work.Program(x.Rank).OpsOf(x.Step)[x.Op]
	x.Name, x.Stream = o.Name, o.Stream
	s.set(&x, fields)
	j.Observer(0).Operation(x)
}

// operations lists the program of a rank.
func (s *stage) operations(words []string, fields []field) {
	program := s.job(&fields).plan.Work.Program(int32(s.number(words[0])))
	list := func(when string, ops []workload.Op) {
		for i := range ops {
			fmt.Fprintf(s, "%s%d %s on %s, takes %v\n", when, ops[i].ID, ops[i].Name, program.Streams[ops[i].Stream].Name, ops[i].Duration)
		}
	}
	list("start ", program.Start)
	list("", program.Ops)
}

// critical tells of the critical path of a step: path STEP RANK began=... part=KIND:CAUSE:until:rank[:op[:group[:port[:src:dst]]]],
// and how far back it is found from what each rank did: reached=INSTANT
func (s *stage) critical(words []string, fields []field) {
	j := s.job(&fields)
	p := exec.PathRecord{Step: s.number(words[0]), Rank: int32(s.number(words[1]))}
	parts := take(&fields, "part")
	for _, v := range take(&fields, "reached") {
		p.Reached = append(p.Reached, s.time(v[0]))
	}
	s.set(&p, fields)
	p.Began = max(p.Began, 0)
	at := p.Start
	for _, v := range parts {
		q := exec.PathPart{From: at, Until: s.time(v[2]), Rank: int32(s.number(v[3])), Step: p.Step, Op: -1, Src: -1, Dst: -1, Group: -1,
			Channel: -1, At: -1}
		for q.Kind.String() != v[0] {
			q.Kind++
		}
		q.Cause = cause.Cause(slices.IndexFunc(cause.All(), func(c cause.Cause) bool { return c.String() == v[1] }))
		for i, to := range []*int32{&q.Op, &q.Group} {
			if len(v) > 4+i {
				*to = int32(s.number(v[4+i]))
			}
		}
		if len(v) > 6 {
			q.At = int32(s.portOf(v[6]))
		}
		if len(v) > 8 { // a message, on the first channel
			q.Src, q.Dst, q.Channel = int32(s.number(v[7])), int32(s.number(v[8])), 0
		}
		at = q.Until
		p.Split[q.Cause] += q.Until.Sub(q.From)
		p.Parts = append(p.Parts, q)
	}
	p.End = at
	j.r.repeats.path(&p)
	j.critical.path(&p)
}

func (s *stage) due([]string, []field) {
	if at := s.r.Due(); at == unit.Never {
		fmt.Fprintln(s, "never")
	} else {
		fmt.Fprintln(s, unit.Duration(at))
	}
}

// look lets time pass until an instant: what is due is looked at.
func (s *stage) look(words []string, _ []field) {
	for until := s.time(words[0]); s.r.Due() <= until; {
		s.net.now = s.r.Due()
		s.r.Look(s.net.now)
	}
}

func (s *stage) idle(words []string, _ []field) { s.r.Idle(s.time(words[0])) }
func (s *stage) lastLook([]string, []field)     { s.r.LastLook() }
func (s *stage) report([]string, []field)       { s.r.Report(s.net.now) }
func (s *stage) join([]string, []field)         { s.r.Join() }

func (s *stage) mark(words []string, _ []field) {
	s.r.Join()
	s.marks[words[0]] = s.r.Mark()
}

// repeat has what was heard since a mark be heard again: repeat MARK later steps.
func (s *stage) repeat(words []string, _ []field) {
	s.r.Join()
	s.r.Again(s.marks[words[0]], unit.Duration(s.time(words[1])), s.number(words[2]), Moved{}, noSamples)
}

// conclude has the last step told from one that was heard: conclude FROM UNTIL later steps STEP.
func (s *stage) conclude(words []string, _ []field) {
	s.r.Join()
	s.r.Conclude(s.marks[words[0]], s.marks[words[1]], unit.Duration(s.time(words[2])), s.number(words[3]), s.number(words[4]),
		Moved{}, noSamples)
}

// whole says whether steps since a mark can be told whole, the last up to another, where what ranks did is the same since
// instants: whole FROM [UNTIL] since=INSTANT, for each rank.
func (s *stage) whole(words []string, fields []field) {
	s.r.Join()
	var same []unit.Time
	for _, v := range take(&fields, "since") {
		same = append(same, s.time(v[0]))
	}
	var until *Mark
	if len(words) > 1 {
		until = s.marks[words[1]]
	}
	fmt.Fprintf(s, "whole since %s: %v\n", words[0], s.r.Whole(s.marks[words[0]], until, same))
}

// repeated has what was heard since a mark be kept as heard again: repeated MARK TIMES took steps.
func (s *stage) repeated(words []string, _ []field) {
	none := func(int64) (m Moved) { return m }
	s.r.ToldAgain(s.marks[words[0]], s.number(words[1]), unit.Duration(s.time(words[2])), s.number(words[3]), none)
}

func (s *stage) marked(words []string, _ []field) {
	s.r.Join()
	fmt.Fprintf(s, "lost since: %v; %d rows are kept\n", s.r.LostSince(s.marks[words[0]]), s.r.Recorded()/loggedSize)
}

func (s *stage) behind(words []string, _ []field) {
	s.r.Behind(unit.Duration(s.time(words[0])), s.number(words[1]))
}

// standing reads at=RANK:STEP:COLL:SINCE of who is in a collective, at=RANK:STEP of who is not, at=RANK:over.
func (s *stage) standing(j *Job, fields *[]field) []Standing {
	all := make([]Standing, j.ranks())
	for _, v := range take(fields, "at") {
		st := &all[s.number(v[0])]
		if st.Over = v[1] == "over"; st.Over {
			continue
		}
		st.Step = s.number(v[1])
		if st.In = len(v) > 2; st.In {
			st.Coll, st.Since = int32(s.number(v[2])), s.time(v[3])
		}
	}
	return all
}

func (s *stage) gaveUp(words []string, fields []field) {
	j := s.job(&fields)
	j.GaveUp(s.time(words[1]), s.pairOf(words[0]), errors.New("no answer"), s.standing(j, &fields))
}

func (s *stage) hung(words []string, fields []field) {
	j := s.job(&fields)
	j.Hung(s.time(words[0]), s.standing(j, &fields))
}

func (s *stage) cannot(words []string, fields []field) {
	j := s.job(&fields)
	j.CannotGoOn(s.time(words[0]), int32(s.number(words[1])), errors.New("out of luck"), s.standing(j, &fields))
}

// ended gives a job up, and says how many are left.
func (s *stage) ended(words []string, fields []field) {
	s.job(&fields).Ended("; that was all", s.time(words[0]))
	fmt.Fprintf(s, "%d jobs go on\n", s.r.Going())
}

func (s *stage) saved(words []string, fields []field) { s.job(&fields).Saved(s.number(words[0])) }

// broke tells of processes: broke AT RANK STEP COLLECTIVE.
func (s *stage) broke(words []string, _ []field) {
	s.r.Job(0).Broke(s.time(words[0]), result.AbortRank, int32(s.number(words[1])), s.number(words[2]), words[3], "it went away")
}

// again begins another life of a job, whose ranks are connected anew: move=FROM:TO, hosts by their numbers from 0.
func (s *stage) again(_ []string, fields []field) {
	j := s.job(&fields)
	var a Again
	for _, v := range take(&fields, "move") {
		a.Moves = append(a.Moves, plan.Move{From: int32(s.number(v[0])), To: int32(s.number(v[1]))})
	}
	s.set(&a, fields)
	first := int32(len(s.plan.Pairs))
	if a.Moves != nil {
		_, err := s.plan.Reconnect(j.plan, a.Moves)
		s.must(err)
	}
	j.Again(a, first)
}

func noSamples(bool, func(*fabric.Sample)) {}
