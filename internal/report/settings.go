package report

import (
	"encoding/json"

	"railyard/internal/unit"
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
}

// SettingsOf reads the resolved scenario as data. A key that is missing or has
// another form leaves its field zero.
func SettingsOf(raw json.RawMessage) Settings {
	var root any
	_ = json.Unmarshal(raw, &root) // nothing to read: nothing set
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
		Ranks: number("job", "parallel", "dp"), Collective: text("job", "collective", "algorithm"),
		DataClass: int32(number("fabric", "qos", "data_priority")), Congestion: text("congestion", "algorithm"),
		Parallel:   number("fabric", "links", "parallel"),
		Operations: flag("output", "operations"), Flows: flag("output", "flows"), Queues: flag("output", "queues"),
	}
	s.Training = at("job", "train") != nil
	s.Sample, _ = unit.ParseDuration(text("output", "sample"))
	return s
}
