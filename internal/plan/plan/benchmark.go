package plan

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// Row is one entry of a job's collectives, as it runs.
type Row struct {
	Op         coll.Collective
	Algorithm  scenario.Algorithm
	Protocol   scenario.NCCLProtocol
	Channels   int
	Bytes      unit.Bytes
	Iterations int
	workload.TimedRow
}

// Name is what tables call the row.
func (r *Row) Name() string { return fmt.Sprintf("%v of %s", r.Op, r.Bytes) }

// benchmark is a job of collectives.
type benchmark struct{}

func (benchmark) name() string { return result.JobCollectives }

func (benchmark) steps(j *Job, _ int) int64 { return int64(min(len(j.Rows), 1)) } // all rows are one step

// work has a row for each entry, one after the other.
func (benchmark) work(p *Plan, j *Job) (w ranksWork, err error) {
	cfg := workload.BenchmarkConfig{Ranks: j.Ranks(), Device: p.device(j), Slow: p.slow(j)}
	var schedules [2][]coll.Schedule    // by group
	known := map[string]coll.Schedule{} // rows of one algorithm share a schedule
	var protocols []*workload.Protocol
	for i := range j.Spec.Collectives {
		c := &j.Spec.Collectives[i]
		row, err := p.row(j, c)
		if err != nil {
			return w, j.wrong(fmt.Sprintf("collectives[%d].protocol", i), err)
		}
		a := algorithmOf(row.Algorithm, row.Op)
		protocol, by := p.messages(j, j.Placement, row.Op, row.Algorithm, row.Protocol, row.Channels, row.Bytes)
		key := fmt.Sprint(row.Algorithm, row.Op, row.Channels, by)
		s := known[key]
		if s == nil {
			var what string
			if s, what, err = p.schedule(j.Placement, a, row.Channels, by); err != nil {
				if what == "slots" {
					return w, j.wrong("collective.slots", err)
				}
				return w, j.wrong(fmt.Sprintf("collectives[%d].algorithm", i), err)
			}
			known[key] = s
		}
		takes, closed, err := row.closed(p, j, c)
		if err != nil {
			return w, j.wrong(fmt.Sprintf("collectives[%d].algorithm", i), err)
		}
		if closed {
			protocol = nil // whose launch is in what it takes
		} else {
			protocols = append(protocols, protocol)
			group := workload.BenchmarkGroup(row.Algorithm.ByRails())
			schedules[group] = append(schedules[group], s)
		}
		cfg.Rows = append(cfg.Rows, workload.BenchmarkRow{
			Name:       fmt.Sprintf("%v%d", row.Op, i+1),
			Elems:      int64(c.Bytes) / 4,
			Schedule:   s,
			Protocol:   protocol,
			Warmup:     c.Warmup,
			Iterations: c.Iterations,
			Skew:       c.Skew,
			Rails:      row.Algorithm.ByRails(),
			Blocks:     p.blocks(&row),
			Formula:    closed,
			Takes:      takes,
		})
		j.Rows = append(j.Rows, row)
	}
	if j.Ranks() > 1 {
		if cfg.Barrier, err = coll.Algorithms["dissemination-barrier"].Over(j.Placement, 1, 1); err != nil {
			return w, err
		}
		schedules[0] = append(schedules[0], cfg.Barrier)
	}
	work, timed, err := workload.Benchmark(cfg)
	if err != nil {
		return w, err
	}
	for i := range timed {
		j.Rows[i].TimedRow = timed[i]
	}
	all := func(group int32) []coll.Schedule { return schedules[group] }
	return ranksWork{Job: work, schedules: all, protocols: protocols, once: true}, nil
}

// blocks is how many elements each rank has for each in a row, nil where its size says it.
func (p *Plan) blocks(row *Row) (elems []int64) {
	if row.Op != coll.AllToAll {
		return nil
	}
	for _, b := range p.Files.Blocks {
		elems = append(elems, b/workload.Float32.Bytes())
	}
	return elems
}

// row says how an entry of job.collectives is run.
func (p *Plan) row(j *Job, c *scenario.CollectiveRow) (Row, error) {
	row := Row{Op: ops[c.Op], Algorithm: c.Chosen(), Protocol: c.Protocol,
		Channels: c.Channels.Or(p.Scenario.NICsPerHost()), Bytes: c.Bytes, Iterations: c.Iterations}
	if c.Protocol != scenario.ProtocolAuto {
		return row, nil
	}
	choice, err := NCCLChoice(p.Scenario, j.Spec, p.ncclHost, row.Op, c.Bytes, c.Algorithm, c.Protocol, c.Channels.Or(0))
	if err != nil {
		return row, err
	}
	row.Protocol = ProtocolOf(choice.Protocol)
	if c.Algorithm == scenario.AlgorithmAuto {
		row.Algorithm = AlgorithmOf(choice.Algorithm, row.Op)
	}
	if !c.Channels.Set {
		row.Channels = ChannelsFor(p.Scenario, choice, row.Algorithm, j.Spec.Collective.Exit)
	}
	return row, nil
}

// ops are the collectives by the names that rows have.
var ops = func() map[string]coll.Collective {
	all := map[string]coll.Collective{}
	for c := coll.AllReduce; c <= coll.Barrier; c++ {
		all[c.String()] = c
	}
	return all
}()
