package record

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/out/result"
)

// rowTimes is the timed runs of one row of job.collectives.
type rowTimes struct {
	began []unit.Time // by rank: the first timed run
	ended int         // ranks that have ended the last
	sum   unit.Duration
}

// timeRow takes a collective that a rank has ended.
func (j *Job) timeRow(p *exec.OperationRecord, c int32) {
	if len(j.rows) == 0 {
		return
	}
	j.ran++
	i := j.rowOf[c]
	if i < 0 {
		return
	}
	t, row := &j.rows[i], &j.plan.Rows[i]
	if c == row.First {
		t.began[p.Rank] = p.Start
	}
	if c == row.First+row.Count-1 {
		t.ended++
		t.sum += p.End.Sub(t.began[p.Rank])
	}
}

// finishRows fills in the rows that all ranks have ended. The time of a row is what nccl-tests
// reports by default (-a 1): each rank's time from its first timed run to the end of its last, over
// the number of runs, mean over ranks (src/common.cu, BenchTime).
func (j *Job) finishRows(s *result.JobFigures) {
	ranks := j.ranks()
	for i := range j.rows {
		t, row := &j.rows[i], &j.plan.Rows[i]
		if t.ended < ranks {
			continue
		}
		mean := t.sum / unit.Duration(ranks) / unit.Duration(row.Count)
		s.Collectives = append(s.Collectives, figures(row.Name(), row.Op, int64(row.Count), row.Bytes, mean, ranks))
	}
}

// figures are those of one collective whose runs took this time in the mean.
func figures(name string, op coll.Collective, count int64, size unit.Bytes, mean unit.Duration,
	ranks int) result.Collective {
	c := result.Collective{Name: name, Count: count, Bytes: size, Time: mean}
	if mean > 0 {
		c.AlgBW = float64(size) / mean.Seconds()
		c.BusBW = c.AlgBW * coll.BusFactor(op, ranks).Float()
	}
	return c
}
