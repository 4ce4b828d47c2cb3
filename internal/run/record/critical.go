package record

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/foresight"
)

// Steps whose critical path is stored in full: the first 10, every 100th, the slowest.
const (
	firstPaths = 10
	everyPath  = 100
)

// critical gathers the critical paths of steps.
type critical struct {
	job      string
	table    *result.Table[result.PathRow]
	name     func(port int32) string
	evidence *evidence
	launch   func(part *exec.PathPart) unit.Duration // of its operation: starting kernels
	copied   func(part *exec.PathPart) unit.Duration // the longest reduction or copy that its collective has
	routed   func(part *exec.PathPart)               // takes what was computed
	start    *startPhase
	life     *life
	found    int64
	every    int64 // 0: no step's path is found
	from     int32 // the first of the job's collectives of which paths know
	sum      cause.Split
	groups   []cause.Split   // of sum, what passed in the communication of each group
	slowest  exec.PathRecord // of those found; the first among equals
	slowIn   life            // in which that was
	until    unit.Time       // the end of the path that was found last, and whose step that was
	last     int64
	parts    []exec.PathPart // of since, used again
}

// PathFinder returns the finder of critical paths; nil where it would take too much memory.
func (j *Job) PathFinder() *exec.PathFinder {
	c := &j.critical
	c.job, c.evidence = j.name(), j.evidence
	c.launch = func(q *exec.PathPart) unit.Duration { return j.plan.Work.Program(q.Rank).OpsOf(q.Step)[q.Op].Launch }
	c.copied = func(q *exec.PathPart) unit.Duration {
		program := j.plan.Work.Program(q.Rank)
		of := &j.plan.Work.Collectives[program.OpsOf(q.Step)[q.Op].Coll]
		return program.Device.ReduceTime(of.SlotBytes())
	}
	c.routed = func(q *exec.PathPart) { j.arrived.crossed(&j.plan.Work.Program(q.Rank).OpsOf(q.Step)[q.Op], q) }
	c.start, c.life = &j.start, &j.life
	c.name = func(port int32) string {
		if port < 0 {
			return ""
		}
		return clue.PlaceName(j.r.plan, port)
	}
	if n := len(j.plan.Work.Groups); n > 0 && c.groups == nil {
		c.groups = make([]cause.Split, n)
	}
	if c.every = foresight.PathsEvery(j.plan); c.every == 0 {
		return nil
	}
	c.from = foresight.PathsFrom(j.plan)
	j.paths = exec.NewPathFinder(j.ranks(), c.every, func(p *exec.PathRecord) {
		j.r.repeats.path(p)
		c.path(p)
	})
	j.paths.From(c.from)
	return j.paths
}

// of reports whether the path of a step is found.
func (c *critical) of(step int64) bool {
	return step == workload.StartStep || c.every > 0 && step%c.every == 0
}

// path takes the path of a step that all ranks have ended.
func (c *critical) path(p *exec.PathRecord) {
	if p.Step == workload.StartStep {
		causes := result.CausesOf(p.Split)
		c.start.path = &causes
		c.start.keeps(p.Parts)
		c.write(p, c.life)
		return
	}
	c.found++
	own := c.since(p)
	c.sum.Add(&own.Split)
	c.evidence.path(own, c.launch, c.copied)
	for i := range own.Parts {
		q := &own.Parts[i]
		if q.Group >= 0 && c.groups != nil {
			c.groups[q.Group][q.Cause] += q.Until.Sub(q.From)
		}
		if q.Kind == exec.PathCompute && q.Op >= 0 {
			c.routed(q)
		}
	}
	if c.from > 0 && p.Start > p.Began {
		c.stands(p)
	}
	if kept(p.Step) {
		c.write(p, c.life)
	}
	if c.found == 1 || p.End.Sub(p.Start) > c.slowest.End.Sub(c.slowest.Start) {
		parts := append(c.slowest.Parts[:0], p.Parts...)
		c.slowest = *p
		c.slowest.Parts, c.slowIn = parts, *c.life
	}
}

// since is a path from the end of the step before on, or of the start phase, if it begins before that: ranks that drift are in
// different steps at a time. So each moment is in one step, and paths take together what steps do.
func (c *critical) since(p *exec.PathRecord) *exec.PathRecord {
	before := c.until
	follows := c.last+1 == p.Step && c.found > 1
	if c.found == 1 && c.start != nil { // the first counts from when all ranks had begun: see life.worked
		before, follows = c.start.end, true
	}
	c.until, c.last = p.End, p.Step
	if !follows || before <= p.Start || before >= p.End {
		return p
	}
	out := *p
	out.Start, out.Split, out.Parts = before, cause.Split{}, c.parts[:0]
	for i := range p.Parts {
		q := p.Parts[i]
		if q.From = max(q.From, before); q.From >= q.Until {
			continue
		}
		out.Split[q.Cause] += q.Until.Sub(q.From)
		out.Parts = append(out.Parts, q)
	}
	c.parts = out.Parts
	return &out
}

// stands makes the path of a step's last collectives, the only one that there is, stand for the whole step: its collectives are
// alike, or the last are the largest.
func (c *critical) stands(p *exec.PathRecord) {
	whole, seen := p.End.Sub(max(p.Began, c.start.end)), p.End.Sub(p.Start)
	extend(c.sum[:], whole, seen)
	for g := range c.groups {
		extend(c.groups[g][:], whole, seen)
	}
	c.evidence.stands(whole, seen)
}

// extend makes times that are of so long be of the whole; what is of all of it then sums to the whole.
func extend(times []unit.Duration, whole, seen unit.Duration) {
	if seen <= 0 {
		return
	}
	by := unit.Ratio{Num: int64(whole), Den: int64(seen)}
	var sum, stood unit.Duration
	for i, d := range times {
		sum += d
		now := unit.Duration(by.Of(int64(sum)))
		times[i], stood = now-stood, now
	}
}

func kept(step int64) bool { return step < firstPaths || step%everyPath == 0 }

// close writes the path of the slowest step, unless it is there.
func (c *critical) close() {
	if c.found > 0 && !kept(c.slowest.Step) {
		c.write(&c.slowest, &c.slowIn)
	}
}

// write adds the rows of a path, of a step of a life.
func (c *critical) write(p *exec.PathRecord, in *life) {
	for _, q := range p.Parts {
		c.table.Add(result.PathRow{
			Job:     c.job,
			Step:    in.step(p.Step),
			Rank:    p.Rank,
			From:    q.From,
			Until:   q.Until,
			Cause:   q.Cause.String(),
			Kind:    q.Kind.String(),
			OnRank:  q.Rank,
			OnStep:  in.step(q.Step),
			Op:      q.Op,
			Src:     q.Src,
			Dst:     q.Dst,
			Channel: q.Channel,
			At:      c.name(q.At),
		})
	}
}

// mean returns the mean split over the steps whose path was found, nil if none was.
func (c *critical) mean() *result.Causes {
	if c.found == 0 {
		return nil
	}
	causes := c.over(c.sum)
	return &causes
}

// over divides a sum over the steps whose path was found by their number.
func (c *critical) over(sum cause.Split) result.Causes {
	for i := range sum {
		sum[i] /= unit.Duration(c.found)
	}
	return result.CausesOf(sum)
}

// groupFigures says which part of the critical path passed in the communication of each group; nil
// where there is one group.
func (j *Job) groupFigures() (all []result.GroupFigures) {
	if j.critical.found == 0 || len(j.critical.groups) < 2 {
		return nil
	}
	for g, sum := range j.critical.groups {
		group := &j.plan.Work.Groups[g]
		all = append(all, result.GroupFigures{Group: group.Name, Ranks: int64(len(group.Ranks)),
			CriticalPath: j.critical.over(sum)})
	}
	return all
}
