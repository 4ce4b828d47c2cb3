package record

import (
	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// Steps whose critical path is stored in full: the first 10, every 100th, the slowest.
const (
	firstPaths = 10
	everyPath  = 100
)

// critical gathers the critical paths of steps.
type critical struct {
	table    *result.Table[result.PathRow]
	name     func(port int32) string
	evidence *evidence
	launch   func(rank, op int32) unit.Duration // of an operation: starting its kernels
	found    int64
	every    int64 // 0: no step's path is found
	sum      cause.Split
	slowest  exec.PathRecord // of those found; the first among equals
}

// PathFinder returns the finder of critical paths; nil where it would take too much memory.
func (r *Recorder) PathFinder() *exec.PathFinder {
	c := &r.critical
	c.evidence = r.evidence
	c.launch = func(rank, op int32) unit.Duration { return r.plan.Jobs[0].Work.Program(rank).Ops[op].Launch }
	c.name = func(port int32) string {
		if port < 0 {
			return ""
		}
		return r.plan.Graph.Ports[port].Name
	}
	if c.every = r.plan.Jobs[0].PathsEvery(); c.every == 0 {
		return nil
	}
	return exec.NewPathFinder(r.ranks(), c.every, c.take)
}

// take takes the path of a step that all ranks have ended.
func (c *critical) take(p *exec.PathRecord) {
	c.found++
	c.sum.Add(&p.Split)
	c.evidence.path(p, c.launch)
	if kept(p.Step) {
		c.write(p)
	}
	if c.found == 1 || p.End.Sub(p.Start) > c.slowest.End.Sub(c.slowest.Start) {
		parts := append(c.slowest.Parts[:0], p.Parts...)
		c.slowest = *p
		c.slowest.Parts = parts
	}
}

func kept(step int64) bool { return step < firstPaths || step%everyPath == 0 }

// close writes the path of the slowest step, unless it is there.
func (c *critical) close() {
	if c.found > 0 && !kept(c.slowest.Step) {
		c.write(&c.slowest)
	}
}

func (c *critical) write(p *exec.PathRecord) {
	for _, q := range p.Parts {
		c.table.Add(result.PathRow{
			Step:    int32(p.Step),
			Rank:    p.Rank,
			From:    q.From,
			Until:   q.Until,
			Cause:   q.Cause.String(),
			Kind:    q.Kind.String(),
			OnRank:  q.Rank,
			OnStep:  int32(q.Step),
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
	mean := c.sum
	for i := range mean {
		mean[i] /= unit.Duration(c.found)
	}
	causes := result.CausesOf(mean)
	return &causes
}
