package schema

import (
	"slices"
	"strings"

	"railyard/internal/plan/scenario"
)

// A chooser is a key of a job whose value decides which other keys of the job have a meaning.
type chooser struct {
	path   string
	values []string // that take meaning away; none: each name that the key may have
	choose func(j *scenario.Job, value string)
}

var choosers = []chooser{
	{"train.model", nil, func(j *scenario.Job, v string) { j.Train.Model = v }},
	{"train.optimiser", nil, func(j *scenario.Job, v string) { j.Train.Optimiser = v }},
	{"train.schedule.kind", nil, func(j *scenario.Job, v string) { j.Train.Schedule.Kind = v }},
	{"train.init", nil, func(j *scenario.Job, v string) { j.Train.Init = v }},
	{"train.checkpoint.every", none, func(j *scenario.Job, v string) { j.Train.Checkpoint.Every.Word = v }},
	{"train.rnn.gate_low", none, func(j *scenario.Job, _ string) { j.Train.RNN.GateLow.Set = false }},
	{"train.gpt.experts.count", none, func(j *scenario.Job, _ string) { j.Train.GPT.Experts.Count.Set = false }},
	{"parallel.schedule", nil, func(j *scenario.Job, v string) { j.Parallel.Schedule = v }},
	{"parallel.update", nil, func(j *scenario.Job, v string) { j.Parallel.Update = v }},
	{"collective.admission.slots", none, func(j *scenario.Job, _ string) { j.Collective.Admission.Slots.Set = false }},
}

var none = []string{"none"}

// chosen holds, for each value of a chooser, that the keys without a meaning beside it are not there.
// Which those are the table says.
func chosen() (rules []any) {
	for i := range choosers {
		c := &choosers[i]
		f := jobField(c.path)
		values := c.values
		for _, v := range f.Choices {
			values = append(values, v.Name)
		}
		for _, v := range values {
			lost := unfit(func(j *scenario.Job) { c.choose(j, v) })
			if len(lost) > 0 {
				rules = append(rules, object{{"if", has(c.path, v, v == f.Default)}, {"then", without(lost)}})
			}
		}
	}
	one := func(path string) object { return has(path, 1, true) }
	add := func(when object, change func(*scenario.Job)) {
		rules = append(rules, object{{"if", when}, {"then", without(unfit(change))}})
	}
	tp, pp := one("parallel.tp"), one("parallel.pp")
	add(tp, func(j *scenario.Job) { j.Parallel.TP = 1 })
	add(one("parallel.ep"), func(j *scenario.Job) { j.Parallel.EP = 1 })
	add(pp, func(j *scenario.Job) { j.Parallel.PP = 1 })
	add(object{{"allOf", []any{tp, pp}}}, func(j *scenario.Job) { j.Parallel.TP, j.Parallel.PP = 1, 1 })
	add(object{{"required", []string{"placement"}}, {"properties", object{{"placement", object{{"type", "array"}}}}}},
		func(j *scenario.Job) { j.Placement.GPUs = make([]scenario.Endpoint, 1) })
	return rules
}

// jobField finds a key of a job.
func jobField(path string) *scenario.Field {
	table := scenario.Table()
	i := slices.IndexFunc(table, func(f scenario.Field) bool { return f.Path == "job."+path })
	if i < 0 {
		panic("schema: no key job." + path)
	}
	return &table[i]
}

// unfit lists the keys of a training, below job, that have a meaning until it is changed. Before,
// every chooser is such that it takes the meaning of none: unread, as model, or one value.
func unfit(change func(*scenario.Job)) (keys []string) {
	training := func() *scenario.Job {
		j := &scenario.Job{Train: &scenario.Train{Init: "normal"}}
		j.Train.RNN.GateLow.Set, j.Train.GPT.Experts.Count.Set = true, true
		j.Parallel = scenario.Parallel{TP: 2, PP: 2, EP: 2, Schedule: "interleaved", Update: "each"}
		j.Collective.Admission.Slots.Set = true
		return j
	}
	before, after := training(), training()
	change(after)
	for _, f := range scenario.Table() {
		key, below := strings.CutPrefix(f.Path, "job.")
		if below && !strings.Contains(key, "[]") && f.Unfit(before) == "" && f.Unfit(after) != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// has is the schema of a group where the key at a path has a value or, if absent, is not there.
func has(path string, value any, absent bool) object {
	key, rest, below := strings.Cut(path, ".")
	inner := object{{"const", value}}
	if below {
		inner = has(rest, value, absent)
	}
	o := object{{"properties", object{{key, inner}}}}
	if !absent {
		o = append(o, member{"required", []string{key}})
	}
	return o
}

// without is the schema of a group that has none of the keys at these paths.
func without(paths []string) object {
	var groups []string
	under, props := map[string][]string{}, object{}
	for _, p := range paths {
		key, rest, below := strings.Cut(p, ".")
		if !below {
			props = append(props, member{key, false})
			continue
		}
		if under[key] == nil {
			groups = append(groups, key)
		}
		under[key] = append(under[key], rest)
	}
	for _, g := range groups {
		props = append(props, member{g, without(under[g])})
	}
	return object{{"properties", props}}
}
