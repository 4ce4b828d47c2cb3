package lab

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/job/workload"
	"railyard/internal/out/chart"
)

var pipelineBench = Bench{
	Meaning: "a pipeline's timetable: which stage does what in which step, if all take equally long",
	Params: []Param{
		{Name: "stages", Meaning: "GPUs, one stage each, 1 to 8", Default: 4.0},
		{Name: "batches", Meaning: "mini-batches of a round, 1 to 16", Default: 4.0},
		{Name: "order", Meaning: "gpipe, 1f1b, or book: a forward and a backward may share a step", Default: "book"},
		{Name: "gpus", Meaning: "names of the first GPUs; those of more stages are numbered", Default: "", Needed: true},
		{Name: "stage", Meaning: "of one GPU, counted from 1, one batch is followed", Default: 1.0},
		{Name: "batch", Meaning: "the batch that is followed, counted from 1", Default: 1.0},
	},
	Run: runPipeline,
}

// pipeline is a timetable that was walked, step by step.
type pipeline struct {
	stages, batches int
	order           workload.PipelineSchedule
	gpus            []string
	steps           [][][]workload.Pass // [step][stage] what it does
}

func runPipeline(a Args) (*Shown, error) {
	p := &pipeline{gpus: strings.Fields(a.Text("gpus"))}
	stage, batch := 0, 0
	for _, n := range []struct {
		name string
		most int
		to   *int
	}{{"stages", 8, &p.stages}, {"batches", 16, &p.batches}, {"stage", 8, &stage}, {"batch", 16, &batch}} {
		v, err := a.Whole(n.name, 1, n.most)
		if err != nil {
			return nil, err
		}
		*n.to = v
	}
	orders := map[string]workload.PipelineSchedule{}
	for o := range orderTitles {
		orders[o.String()] = o
	}
	order, known := orders[a.Text("order")]
	switch {
	case !known:
		return nil, fmt.Errorf("order is %q, want %s", a.Text("order"), located.OneOf(keys(orders)))
	case stage > p.stages || batch > p.batches:
		return nil, fmt.Errorf("batch %d of stage %d is followed, and there are %d stages and %d batches", batch, stage,
			p.stages, p.batches)
	}
	for len(p.gpus) < p.stages {
		p.gpus = append(p.gpus, fmt.Sprint("gpu", len(p.gpus)+1))
	}
	p.gpus = p.gpus[:p.stages]
	p.order = order
	p.walk()
	s := &Shown{Tables: []Table{p.table()}, Figures: []chart.Figure{p.figure()}}
	p.counts(s)
	p.follow(s, stage-1, batch-1)
	return s, nil
}

// walk lets each stage go on in its order, a pass as soon as what it needs was there in the step
// before. A stage does one pass in a step, in the book's order one forward and one backward.
func (p *pipeline) walk() {
	todo := make([][]workload.Pass, p.stages)
	for s := range todo {
		todo[s] = p.order.Timetable(p.stages, 1, p.batches, s)
	}
	done := map[[2]int]map[bool]bool{} // [stage, batch][backward]
	for range 4 * p.stages * p.batches {
		step := make([][]workload.Pass, p.stages)
		left := false
		for s := range todo {
			for len(todo[s]) > 0 && p.fits(step[s], todo[s][0]) && p.ready(done, step[s], s, todo[s][0]) {
				step[s], todo[s] = append(step[s], todo[s][0]), todo[s][1:]
			}
			left = left || len(todo[s]) > 0
		}
		p.steps = append(p.steps, step)
		for s, passes := range step {
			for _, pass := range passes {
				at := [2]int{s, pass.Micro}
				if done[at] == nil {
					done[at] = map[bool]bool{}
				}
				done[at][pass.Backward] = true
			}
		}
		if !left {
			return
		}
	}
	panic("lab: a pipeline that never ends")
}

// fits reports whether a step of a stage has room for a pass.
func (p *pipeline) fits(now []workload.Pass, next workload.Pass) bool {
	if p.order != workload.BookOrder {
		return len(now) == 0
	}
	return !slices.ContainsFunc(now, func(d workload.Pass) bool { return d.Backward == next.Backward })
}

// ready reports whether what a pass of a stage needs has been done: in a step before, or before it in
// the same step on the same GPU.
func (p *pipeline) ready(done map[[2]int]map[bool]bool, now []workload.Pass, stage int, next workload.Pass) bool {
	switch {
	case !next.Backward:
		return stage == 0 || done[[2]int{stage - 1, next.Micro}][false]
	case stage < p.stages-1:
		return done[[2]int{stage + 1, next.Micro}][true]
	}
	return done[[2]int{stage, next.Micro}][false] || slices.Contains(now, workload.Pass{Micro: next.Micro})
}

// busy is how many GPUs do something in a step.
func busy(step [][]workload.Pass) (n int) {
	for _, passes := range step {
		n += btoi(len(passes) > 0)
	}
	return n
}

// counts adds how long it takes and how busy the GPUs are.
func (p *pipeline) counts(s *Shown) {
	steps, all, sum := len(p.steps), 0, 0
	s.add("steps", float64(steps), "counted in the table", "steps until all batches are through")
	for i, step := range p.steps {
		n := busy(step)
		all += n
		s.addIn("%", fmt.Sprintf("busy[%d]", i), 100*float64(n)/float64(p.stages), fmt.Sprintf("%d / %d", n, p.stages),
			fmt.Sprintf("GPUs busy in step %d", i+1))
	}
	s.addIn("%", "mean", 100*float64(all)/float64(steps*p.stages), fmt.Sprintf("%d / (%d * %d)", all, steps, p.stages),
		"mean of the steps")
	for _, step := range p.steps {
		sum += len(step[0])
	}
	s.add("passes", float64(sum), fmt.Sprintf("2 * %d", p.batches), "forwards and backwards of a GPU")
	for i, gpu := range p.gpus {
		held := float64(workload.InFlight(p.order.Timetable(p.stages, 1, p.batches, i), 0))
		meaning := "batches whose activations " + gpu + " holds at once"
		s.add(fmt.Sprintf("held[%d]", i), held, "from the table", meaning)
		if i == 0 {
			s.add("held_first", held, "the same", meaning)
		}
		if i == p.stages-1 {
			s.add("held_last", held, "the same", meaning)
		}
	}
}

// follow adds when a batch goes forward and backward through a stage, and what its stage does between.
func (p *pipeline) follow(s *Shown, stage, batch int) {
	forward, backward, first, between := 0, 0, 0, 0
	for i, step := range p.steps {
		for _, pass := range step[stage] {
			switch {
			case pass.Micro == batch && !pass.Backward:
				forward = i + 1
			case pass.Micro == batch:
				backward = i + 1
			case pass.Backward && forward > 0 && backward == 0:
				between = i + 1
			}
		}
		if first == 0 && slices.ContainsFunc(step[p.stages-1], func(d workload.Pass) bool { return d.Backward }) {
			first = i + 1
		}
	}
	what := fmt.Sprintf("of batch %d on %s", batch+1, p.gpus[stage])
	s.add("first_backward", float64(first), "from the table", "step of the first backward")
	s.add("forward", float64(forward), "from the table", "step of the forward "+what)
	s.add("backward", float64(backward), "from the table", "step of the backward "+what)
	s.add("between", float64(between), "from the table", "the last step between in which that GPU does another "+
		"batch's backward (0: none)")
}

func passName(pass workload.Pass) string {
	if pass.Backward {
		return fmt.Sprintf("B%d", pass.Micro+1)
	}
	return fmt.Sprintf("F%d", pass.Micro+1)
}

func (p *pipeline) table() Table {
	t := Table{Name: "timetable", Title: "What each GPU does, step by step: F forward, B backward",
		Columns: append(append([]string{"step"}, p.gpus...), "busy %")}
	for i, step := range p.steps {
		row := []string{fmt.Sprint(i + 1)}
		for _, passes := range step {
			var names []string
			for _, pass := range passes {
				names = append(names, passName(pass))
			}
			row = append(row, strings.Join(names, " "))
		}
		t.Rows = append(t.Rows, append(row, auto.text(100*float64(busy(step))/float64(p.stages))))
	}
	return t
}

var orderTitles = map[workload.PipelineSchedule]string{
	workload.BookOrder: "The book's timetable", workload.GPipe: "GPipe", workload.OneFOneB: "1F1B",
}

// figure draws a row for each GPU. Passes that share a step have half of it each.
func (p *pipeline) figure() chart.Figure {
	f := chart.Figure{Name: "timetable", Title: orderTitles[p.order],
		Caption: "What is empty is a GPU that waits. F1 is the forward of batch 1, B1 its backward.",
		Keys: []chart.Key{{ID: "forward", Name: "forward", Ink: chart.Forward},
			{ID: "backward", Name: "backward", Ink: chart.Backward}}}
	l := &chart.Lanes{X: chart.Axis{Label: "steps", High: chart.Value(len(p.steps)), Whole: true}}
	for stage, gpu := range p.gpus {
		lane := chart.Lane{Label: gpu}
		for i, step := range p.steps {
			part := 1 / chart.Value(max(1, len(step[stage])))
			for k, pass := range step[stage] {
				from := chart.Value(i) + chart.Value(k)*part
				lane.Spans = append(lane.Spans, chart.Span{From: from, To: from + part, Name: passName(pass),
					Key: map[bool]string{false: "forward", true: "backward"}[pass.Backward]})
			}
		}
		l.Lanes = append(l.Lanes, lane)
	}
	f.Lanes = l
	return f
}
