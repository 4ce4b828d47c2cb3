package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/scenario"
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
		if entry, ok := entryOf(f, key); ok {
			f.Path, f.Value = key, entry
		}
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

// entryOf returns an entry of a value that is a list: layers[1] of [784, 128, 10].
func entryOf(f scenario.FieldValue, key string) (string, bool) {
	index, ok := strings.CutPrefix(key, f.Path+"[")
	i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	if !ok || err != nil || !strings.HasPrefix(f.Value, "[") {
		return "", false
	}
	entries := strings.Split(strings.Trim(f.Value, "[]"), ",")
	if i >= len(entries) {
		return "", false
	}
	return strings.TrimSpace(entries[i]), true
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
	return numberAt(g.run, "run", path)
}

// numberAt finds a number in data by its path: keys with dots between them, [3] for the entry of a
// list, [] for the sum over all its entries.
func numberAt(at any, walked, path string) (float64, error) {
	key, rest, _ := strings.Cut(path, ".")
	key, index, indexed := strings.Cut(key, "[")
	object, ok := at.(map[string]any)
	if !ok {
		return 0, fmt.Errorf("%s has no keys", walked)
	}
	at, there := object[key]
	if !there {
		return 0, hinted{fmt.Sprintf("%s of this run has no %s, it has %s", walked, located.Shown(key),
			list(keys(object))), hintOf(key, keys(object))}
	}
	walked += "." + key
	chosen := []any{at}
	if indexed {
		entries, ok := at.([]any)
		if !ok {
			return 0, fmt.Errorf("%s is no list", walked)
		}
		chosen, index = entries, strings.TrimSuffix(index, "]")
		if index != "" {
			i, err := strconv.Atoi(index)
			if err != nil || i >= len(entries) {
				return 0, fmt.Errorf("%s has no entry %s: it has %d, counted from 0", walked, index, len(entries))
			}
			chosen = entries[i : i+1]
		}
		walked += "[" + index + "]"
	}
	sum := 0.0
	for _, at := range chosen {
		v, ok := at.(float64)
		if rest != "" {
			var err error
			if v, err = numberAt(at, walked, rest); err != nil {
				return 0, err
			}
		} else if !ok {
			return 0, fmt.Errorf("%s is no number", walked)
		}
		sum += v
	}
	return sum, nil
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
