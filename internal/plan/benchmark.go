package plan

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// Row is one entry of a job's collectives, as it runs.
type Row struct {
	Op         coll.Collective
	Algorithm  string // of the schedule, without the collective
	Protocol   string
	Channels   int
	Bytes      unit.Bytes
	Iterations int
	workload.TimedRow
}

// Name is what tables call the row.
func (r *Row) Name() string { return fmt.Sprintf("%v of %s", r.Op, r.Bytes) }

// planBenchmark plans a job of collectives: a row for each entry, one after the other.
func (p *Plan) planBenchmark(j *Job) error {
	sc := p.Scenario
	cfg := workload.BenchmarkConfig{Ranks: j.Ranks(), Device: p.device(j), Slow: p.slow(j)}
	var schedules []coll.Schedule
	known := map[string]coll.Schedule{} // rows of one algorithm share a schedule
	for i := range j.Spec.Collectives {
		c := &j.Spec.Collectives[i]
		row := Row{Algorithm: c.Chosen(), Protocol: c.Protocol, Channels: c.Channels.Or(sc.NICsPerHost()), Bytes: c.Bytes,
			Iterations: c.Iterations}
		name := row.Algorithm + "-" + c.Op
		a, ok := coll.Algorithms[name]
		if !ok {
			panic("plan: the scenario has an algorithm that coll has not: " + name)
		}
		row.Op = a.Collective
		key := fmt.Sprintf("%s %d", name, row.Channels)
		s := known[key]
		if s == nil {
			var err error
			if s, err = a.Over(j.Placement, row.Channels, max(a.Pipeline, 1)); err != nil {
				return j.wrong(fmt.Sprintf("collectives[%d].algorithm", i), err)
			}
			known[key] = s
			schedules = append(schedules, s)
		}
		cfg.Rows = append(cfg.Rows, workload.BenchmarkRow{
			Name:       fmt.Sprintf("%v%d", row.Op, i+1),
			Elems:      int64(c.Bytes) / 4,
			Schedule:   s,
			Warmup:     c.Warmup,
			Iterations: c.Iterations,
		})
		j.Rows = append(j.Rows, row)
	}
	if j.Ranks() > 1 {
		var err error
		if cfg.Barrier, err = coll.Algorithms["dissemination-barrier"].Over(j.Placement, 1, 1); err != nil {
			return err
		}
		schedules = append(schedules, cfg.Barrier)
	}
	work, timed, err := workload.Benchmark(cfg)
	if err != nil {
		return err
	}
	j.Work = work
	for i := range timed {
		j.Rows[i].TimedRow = timed[i]
	}
	return p.connectRanks(j, schedules...)
}
