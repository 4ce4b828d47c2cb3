package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"railyard/internal/job/coll"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// learning is a network that is really trained.
type learning struct{}

func (learning) name() string { return result.JobTrain }

// work lowers the network. Each group has its schedule by what it is for.
func (learning) work(p *Plan, j *Job) (w ranksWork, err error) {
	t := j.Spec.Train
	files := p.Files.of(j)
	spec, err := specOf(t, &files)
	if err != nil {
		return w, err
	}
	m, err := model(t, &spec)
	if err != nil {
		return w, j.misshapen(err)
	}
	j.Model, j.Network = m, &spec
	if j.Optimiser, err = optimiser(t); err != nil {
		return w, err
	}
	if t.Nesterov && t.Momentum == 0 {
		return w, j.wrong("train.nesterov", errors.New("true: looks ahead along a velocity, want train.momentum above 0"))
	}
	protocols, schedules := map[coll.Schedule]*workload.Protocol{}, map[string][]coll.Schedule{} // the latter by group
	cfg := workload.Config{
		Layers:    train.Layers(m),
		Ties:      train.Ties(m, j.Spec.Parallel.TP),
		Batch:     t.Batch,
		State:     j.Optimiser.State(),
		Clip:      train.Clip(&j.Optimiser),
		Bucket:    t.Bucket.Or(workload.BucketPerLayer),
		Precision: precision(j.Spec),
		Layout:    layout(&j.Spec.Parallel),
		LossPart:  train.LossPart(m),
		Device:    p.device(j),
		Slow:      p.slow(j),
		Schedules: func(g *workload.Group, op coll.Collective) (coll.Schedule, error) {
			s, err := p.groupSchedule(j, g, op)
			if err != nil {
				return nil, err
			}
			protocols[s.Schedule] = s.protocol
			schedules[g.Name] = append(schedules[g.Name], s.Schedule)
			if !j.split() && op == coll.AllReduce {
				j.Schedule = s.Schedule
			}
			if c := &j.Spec.Collective; !j.split() && !c.Schedule.Set {
				j.Rings = coll.Rings(j.Placement, c.Channels)
			}
			return s.Schedule, nil
		},
	}
	if w.Job, err = workload.Lower(cfg); err != nil {
		return w, p.misfits(j, err)
	}
	w.SetProtocols(func(c *workload.Collective) *workload.Protocol { return protocols[c.Schedule] })
	w.schedules = func(g int32) []coll.Schedule { return append(schedules[w.Groups[g].Name], told(w.Job, g)...) }
	w.protocols = slices.Collect(maps.Values(protocols))
	w.once = j.Spec.Collective.Schedule.Set // a file's has been looked at
	return w, nil
}

// told is how the ranks of a group tell each other how much each has for each: not as they send that, where it passes through
// others.
func told(work *workload.Job, group int32) []coll.Schedule {
	for i := range work.Collectives {
		if c := &work.Collectives[i]; c.Group == group && c.Counts != nil {
			return []coll.Schedule{work.Collectives[c.Counts.Exchange].Schedule}
		}
	}
	return nil
}

// misshapen is what is wrong with the network that a job trains, at the keys of its sizes; a file of layers has places of its
// own.
func (j *Job) misshapen(err error) error {
	key := map[string]string{"mlp": "layers", "cnn": "cnn", "rnn": "rnn", "lstm": "rnn", "gru": "rnn", "gpt": "gpt"}[j.Spec.Train.Model]
	if errors.Is(err, nn.ErrTooLarge) {
		err = fmt.Errorf("%w: of a network this large only the shape is known: want %s.model, see docs/models.md", err, j.Spec.Path())
	}
	if key == "" {
		return err
	}
	return j.wrong("train."+key, err)
}

func (learning) steps(j *Job, examples int) int64 {
	t := j.Spec.Train
	steps := int64(examples/t.Batch/j.Replicas()) * int64(t.Epochs)
	if t.Steps.Set {
		steps = min(steps, int64(t.Steps.Value))
	}
	return steps - j.Done
}

// optimiser is what moves its weights.
func optimiser(t *scenario.Train) (o nn.Optimiser, err error) {
	if o.Method, err = nn.ParseMethod(t.Optimiser); err != nil {
		return o, err
	}
	o.LR, o.Momentum, o.Beta1, o.Beta2, o.Epsilon, o.WeightDecay = t.LR, t.Momentum, t.Beta1, t.Beta2, t.Epsilon, t.Decay
	o.Clip, o.Nesterov, o.Alpha = t.Clip, t.Nesterov, t.Alpha
	s := t.Schedule
	o.Schedule = nn.Schedule{Warmup: int64(s.Warmup), Every: int64(s.Every), Factor: s.Factor, End: s.End}
	o.Schedule.Course, err = nn.ParseCourse(s.Kind)
	return o, err
}
