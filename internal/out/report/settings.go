package report

import (
	"encoding/json"

	"railyard/internal/base/unit"
)

// Settings is what the report needs of the resolved scenario in run.json.
type Settings struct {
	Training   bool
	Ranks      int
	Collective string // its algorithm
	DataClass  int32
	Congestion string
	Parallel   int // cables between a rail switch and a spine
	Sample     unit.Duration
	Operations bool
	Flows      bool
	Queues     bool
	Events     bool
	Series     bool
	Gradients  bool
	Experts    bool
}

// SettingsOf reads the resolved scenario as data. A key that is missing or has
// another form leaves its field zero.
func SettingsOf(raw json.RawMessage) Settings { return settingsOfJob(treeOf(raw), -1) }

// treeOf decodes the resolved scenario; nil: there is nothing to read, and nothing set.
func treeOf(raw json.RawMessage) (root any) {
	_ = json.Unmarshal(raw, &root)
	return root
}

// settingsOfJob is SettingsOf of a decoded scenario for a job of several; -1: for all, or the only one.
func settingsOfJob(root any, i int) Settings {
	at := func(keys ...string) any {
		v := root
		for _, k := range keys {
			m, _ := v.(map[string]any)
			v = m[k]
		}
		return v
	}
	text := func(keys ...string) string { s, _ := at(keys...).(string); return s }
	flag := func(keys ...string) bool { b, _ := at(keys...).(bool); return b }
	number := func(keys ...string) int { f, _ := at(keys...).(float64); return int(f) }
	s := Settings{
		DataClass: int32(number("fabric", "qos", "data_priority")), Congestion: text("congestion", "algorithm"),
		Parallel:   number("fabric", "links", "parallel"),
		Operations: flag("output", "operations"), Flows: flag("output", "flows"), Queues: flag("output", "queues"),
		Events: flag("output", "events"), Series: flag("output", "series"),
		Gradients: flag("output", "gradients"), Experts: flag("output", "experts"),
	}
	jobs, _ := at("jobs").([]any)
	if len(jobs) == 0 {
		jobs = []any{at("job")}
	}
	if len(jobs) == 1 {
		i = 0
	}
	if i >= 0 && i < len(jobs) {
		s.ofJob(jobs[i])
	}
	s.Sample, _ = unit.ParseDuration(text("output", "sample"))
	return s
}

// ofJob adds what a job sets.
func (s *Settings) ofJob(data any) {
	job, _ := data.(map[string]any)
	parallel, _ := job["parallel"].(map[string]any)
	collective, _ := job["collective"].(map[string]any)
	ranks, _ := parallel["dp"].(float64)
	s.Ranks, s.Training = int(ranks), job["train"] != nil
	s.Collective, _ = collective["algorithm"].(string)
}
