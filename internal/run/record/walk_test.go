package record

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// walk has all ranks take a step, each its operations one after the other: what computes takes what the plan says, a part in
// a collective as long as the script says of the rank, a quarter of it a wait for others. It begins where its last one ended,
// or later. What computes on positions that are counted takes what those that came take. The path of the rank that ends last is traced.
//
//	walk STEP [start=TIME] comm=RANK0:RANK1... [slow=RANK:by] [late=RANK:by] [traced=no] [until=RANKS] [waits=QUARTERS]
//	     [came=POSITIONS0:POSITIONS1...]
func (s *stage) walk(words []string, fields []field) {
	j := s.job(&fields)
	in := struct {
		Start  unit.Time
		Traced bool
		Until  int32
		Waits  int64
	}{Traced: true, Until: int32(j.ranks()), Waits: 1}
	comm, slow, late := take(&fields, "comm")[0], make([]unit.Duration, j.ranks()), make([]unit.Duration, j.ranks())
	for _, of := range []struct {
		name string
		by   []unit.Duration
	}{{"slow", slow}, {"late", late}} {
		for _, v := range take(&fields, of.name) {
			of.by[s.number(v[0])] = unit.Duration(s.time(v[1]))
		}
	}
	came := make([]int64, j.ranks())
	for _, v := range take(&fields, "came") {
		for rank := range came {
			came[rank] = s.number(v[rank])
		}
	}
	s.set(&in, fields)
	var last exec.PathRecord
	step := s.number(words[0])
	for rank := range in.Until {
		begin := max(in.Start, s.ends[j.base+rank]).Add(late[rank])
		took := unit.Duration(s.time(comm[int(rank)%len(comm)]))
		record, path := s.walkRank(j, rank, step, begin, took, slow[rank], unit.Duration(in.Waits), came[rank])
		s.ends[j.base+rank] = record.End
		if record.End > last.End {
			last = path
		}
	}
	if in.Traced && in.Until == int32(j.ranks()) {
		s.r.Join()
		j.r.repeats.path(&last)
		j.critical.path(&last)
	}
}

// walkRank is a step of one rank; each of its compute operations is slower by so much.
func (s *stage) walkRank(j *Job, rank int32, step int64, start unit.Time, comm, slow, quarters unit.Duration, came int64) (exec.StepRecord,
	exec.PathRecord) {
	x := exec.StepRecord{Rank: rank, Step: step, Start: start}
	p := exec.PathRecord{Rank: rank, Step: step, Began: start, Start: start}
	part := func(k exec.PathKind, why cause.Cause, took unit.Duration, op, group int32) {
		from := start
		if n := len(p.Parts); n > 0 {
			from = p.Parts[n-1].Until
		}
		p.Parts = append(p.Parts, exec.PathPart{From: from, Until: from.Add(took), Cause: why, Kind: k, Rank: rank, Step: step, Op: op,
			Src: -1, Dst: -1, Group: group, Channel: -1, At: -1})
		p.Split[why] += took
		x.Split[why] += took
	}
	waited := s.waited[j.base+rank][:0] // an engine's ranks use theirs again, too
	at, o := start, j.Observer(0)
	ops := j.plan.Work.Program(rank).OpsOf(step)
	for i := range ops {
		op := &ops[i]
		took, positions := op.Duration+slow, int64(0)
		if op.Counted != nil {
			positions = came
			took = op.Counted.On(&j.plan.Work.Program(rank).Device, *op, came).Duration + slow
		}
		if op.Kind == workload.Communication {
			took = comm
			part(exec.PathMessage, cause.Dependency, comm/4*quarters, op.ID, j.plan.Work.Collectives[op.Coll].Group)
			part(exec.PathMessage, cause.Serialisation, comm-comm/4*quarters, op.ID, j.plan.Work.Collectives[op.Coll].Group)
			waited = append(waited, exec.Wait{Op: op.ID, From: at, To: at.Add(comm)})
			x.Comm += comm
		} else {
			x.Computing += took
			part(exec.PathCompute, cause.Compute, took, op.ID, -1)
		}
		o.Operation(exec.OperationRecord{Rank: rank, Step: step, Op: op.ID, Name: op.Name, Stream: op.Stream, Start: at,
			End: at.Add(took), ReleasedBy: op.ID - 1, Positions: positions})
		at = at.Add(took)
	}
	x.End, p.End, s.waited[j.base+rank] = at, at, waited
	o.Step(x, waited)
	return x, p
}
