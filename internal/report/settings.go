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
	ECN, PFC   bool
	Low, High  unit.Bytes // WRED thresholds; 0: they scale with the port, see WRED
	Mark       string     // probability at High, as written
	XOFF       unit.Bytes // fixed; 0: Alpha times the free buffer
	Alpha      unit.Ratio
	Buffer     unit.Bytes
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
	size := func(keys ...string) unit.Bytes { b, _ := unit.ParseBytes(text(keys...)); return b } // a word such as auto: 0
	s := Settings{
		Ranks: number("job", "parallel", "dp"), Collective: text("job", "collective", "algorithm"),
		ECN: flag("fabric", "qos", "ecn", "enabled"), PFC: flag("fabric", "qos", "pfc", "enabled"),
		Low: size("fabric", "qos", "ecn", "min"), High: size("fabric", "qos", "ecn", "max"), Mark: text("fabric", "qos", "ecn", "probability"),
		XOFF: size("fabric", "qos", "pfc", "threshold"), Buffer: size("fabric", "switch", "buffer"),
		DataClass: int32(number("fabric", "qos", "data_priority")), Congestion: text("congestion", "algorithm"), Parallel: number("fabric", "links", "parallel"),
		Operations: flag("output", "operations"), Flows: flag("output", "flows"), Queues: flag("output", "queues"),
	}
	s.Training = at("job", "train") != nil
	s.Alpha = ratioOf(at("fabric", "qos", "pfc", "alpha"))
	s.Sample, _ = unit.ParseDuration(text("output", "sample"))
	return s
}

// ratioOf reads a ratio, which a scenario prints as text or, when whole, as a number.
func ratioOf(v any) unit.Ratio {
	switch x := v.(type) {
	case string:
		r, _ := unit.ParseRatio(x)
		return r
	case float64:
		return unit.Ratio{Num: int64(x), Den: 1}
	}
	return unit.Ratio{}
}

// WRED returns the marking thresholds of a port of rate r: those of the scenario,
// or 100 kB and 400 kB per 25 Gb/s, as the scenario's "auto" resolves them.
func (s *Settings) WRED(r unit.Bitrate) (low, high unit.Bytes, on bool) {
	per := func(b, fixed unit.Bytes) unit.Bytes {
		if fixed > 0 {
			return fixed
		}
		return unit.Bytes(unit.Ratio{Num: int64(b), Den: int64(25 * unit.GigabitPerSec)}.Of(int64(r)))
	}
	return per(100*unit.Kilobyte, s.Low), per(400*unit.Kilobyte, s.High), s.ECN
}

// EmptyXOFF returns the xOFF threshold of an ingress port while the switch's buffer
// is empty. With alpha it is an upper bound: reserves and headroom are not taken off
// the buffer, and it falls as the buffer fills.
func (s *Settings) EmptyXOFF() (at unit.Bytes, dynamic, on bool) {
	if !s.PFC {
		return 0, false, false
	}
	if s.XOFF > 0 {
		return s.XOFF, false, true
	}
	if s.Alpha.Den <= 0 || s.Buffer <= 0 {
		return 0, true, false
	}
	return unit.Bytes(s.Alpha.Of(int64(s.Buffer))), true, true
}
