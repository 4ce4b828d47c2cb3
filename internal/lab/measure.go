package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/unit"
)

// ofScenario returns a key of the resolved scenario as a number in base units: bits per second,
// bytes, seconds, metres.
func (g *ledger) ofScenario(key string) (float64, error) {
	if g.scenario == nil {
		return 0, fmt.Errorf("scenario.%s: there is no %s", key, scenarioFile)
	}
	var names []string
	for _, f := range g.scenario.Fields() {
		if f.Path == key {
			v, ok := baseUnits(f.Value)
			if !ok {
				return 0, fmt.Errorf("scenario.%s is %s, which is no number", key, located.Shown(f.Value))
			}
			return v, nil
		}
		names = append(names, f.Path)
	}
	return 0, hinted{"the scenario has no key " + located.Shown(key), hintOf(key, names)}
}

// baseUnits reads a value as a scenario writes it.
func baseUnits(text string) (float64, bool) {
	if v, err := parseNumber(text); err == nil {
		return v, true
	}
	if v, err := unit.ParseBitrate(text); err == nil {
		return float64(v), true
	}
	if v, err := unit.ParseBytes(text); err == nil {
		return float64(v), true
	}
	if v, err := unit.ParseDuration(text); err == nil {
		return v.Seconds(), true
	}
	if v, err := unit.ParseLength(text); err == nil {
		return float64(v) / float64(unit.Metre), true
	}
	if v, err := unit.ParseRatio(text); err == nil {
		return v.Float(), true
	}
	return 0, false
}

// ofRun returns a number of run.json.
func (g *ledger) ofRun(path string) (float64, error) {
	if g.lab.Scenario == nil {
		return 0, fmt.Errorf("run.%s: there is no %s, so nothing is run", path, scenarioFile)
	}
	if g.run == nil {
		return 0, errNotRun
	}
	var at any = g.run
	walked := "run"
	for part := range strings.SplitSeq(path, ".") {
		key, index, indexed := strings.Cut(part, "[")
		object, ok := at.(map[string]any)
		if !ok {
			return 0, fmt.Errorf("%s has no keys", walked)
		}
		next, there := object[key]
		if !there {
			return 0, hinted{fmt.Sprintf("%s of this run has no %s, it has %s", walked, located.Shown(key),
				list(keys(object))), hintOf(key, keys(object))}
		}
		at, walked = next, walked+"."+key
		for indexed {
			var n string
			n, index, indexed = strings.Cut(index, "[")
			i, err := strconv.Atoi(strings.TrimSuffix(n, "]"))
			entries, ok := at.([]any)
			if err != nil || !ok || i >= len(entries) {
				return 0, fmt.Errorf("%s has %d entries, want one of them and not %s", walked, len(entries), n)
			}
			at, walked = entries[i], walked+"["+n
		}
	}
	v, ok := at.(float64)
	if !ok {
		return 0, fmt.Errorf("%s is no number", walked)
	}
	return v, nil
}

// inputNames lists the inputs of a lab.
func (l *Lab) inputNames() (names []string) {
	for _, s := range l.statements {
		if s.verb == "input" {
			names = append(names, s.name.text)
		}
	}
	slices.Sort(names)
	return names
}
