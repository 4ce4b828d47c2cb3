package plan

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// Row is one entry of job.collectives, as it runs.
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
func (p *Plan) planBenchmark() error {
	sc := p.Scenario
	p.Placement = placement(sc, &sc.Jobs[0])
	ranks := len(p.Placement.Ranks)
	cfg := workload.BenchmarkConfig{Ranks: ranks, Device: device(sc), Slow: p.slow()}
	var schedules []coll.Schedule
	known := map[string]coll.Schedule{} // rows of one algorithm share a schedule
	for i := range sc.Jobs[0].Collectives {
		c := &sc.Jobs[0].Collectives[i]
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
			if s, err = a.Over(p.Placement, row.Channels, max(a.Pipeline, 1)); err != nil {
				return &FieldError{fmt.Sprintf("job.collectives[%d].algorithm", i), err}
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
		p.Rows = append(p.Rows, row)
	}
	if ranks > 1 {
		var err error
		if cfg.Barrier, err = coll.Algorithms["dissemination-barrier"].Over(p.Placement, 1, 1); err != nil {
			return err
		}
		schedules = append(schedules, cfg.Barrier)
	}
	work, timed, err := workload.Benchmark(cfg)
	if err != nil {
		return err
	}
	p.Work = work
	for i := range timed {
		p.Rows[i].TimedRow = timed[i]
	}
	return p.connectRanks(schedules...)
}
