package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// ofScenario returns a key of the resolved scenario as a number in base units: bits per second,
// bytes, seconds, metres; true is 1, and KEY.is.WORD is 1 where that is its value.
func (g *ledger) ofScenario(key string) (float64, error) {
	if g.scenario == nil {
		return 0, fmt.Errorf("scenario.%s: there is no %s", key, scenarioFile)
	}
	if of, ok := strings.CutPrefix(key, "model."); ok {
		return g.ofModel(of)
	}
	key, word, is := strings.Cut(key, ".is.")
	var names []string
	for _, f := range g.scenario.Fields() {
		if entry, ok := entryOf(f, key); ok {
			f.Path, f.Value = key, entry
		}
		if f.Path == key && is {
			return isWord(&f, word)
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
	if is && len(g.changed) > 0 {
		return 0, nil // what was changed has left the key without a meaning
	}
	return 0, hinted{"the scenario has no key " + located.Shown(key), hintOf(key, names)}
}

// isWord is 1 where a key has a word as its value. A word that the key never has is a slip.
func isWord(f *scenario.FieldValue, word string) (float64, error) {
	for _, row := range scenario.Table() {
		if row.Path != scenario.TablePath(f.Path) || row.Kind != scenario.Name {
			continue
		}
		words := row.Words()
		for _, c := range row.Choices {
			words = append(words, c.Name)
		}
		if !slices.Contains(words, word) {
			return 0, hinted{fmt.Sprintf("scenario.%s is never %s, want %s", f.Path, located.Shown(word),
				located.OneOf(words)), hintOf(word, words)}
		}
	}
	return float64(btoi(f.Value == word)), nil
}

// ofModel returns a number of the network that the scenario trains, as railyard show model counts it.
func (g *ledger) ofModel(key string) (float64, error) {
	if g.modelOf != g.scenario {
		p, err := plan.New(g.scenario, plan.Files{}, nil)
		if err != nil {
			return 0, err
		}
		g.model, g.modelOf = p.Jobs[0].Model, g.scenario
	}
	m := g.model
	switch {
	case m == nil || m.TakesText(): // how many words a network knows is known when it has read them
		return 0, fmt.Errorf("scenario.model.%s: the scenario trains no network whose size is known before it runs", key)
	case key == "parameters": // trained ones; what is tied counts once
		return float64(m.Free()), nil
	case key == "convolutions":
		n := 0
		for i := range m.Layers() {
			if strings.HasPrefix(m.LayerName(i), "conv") {
				n += m.Layer(i, nn.Portable).Params()
			}
		}
		return float64(n), nil
	}
	return 0, fmt.Errorf("scenario.model has no %s, want convolutions or parameters", located.Shown(key))
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
	if v, err := formula.ParseNumber(text); err == nil {
		return v, true
	}
	switch text {
	case "true":
		return 1, true
	case "false":
		return 0, true
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
// list, [] for the sum over all its entries, [allreduce] over those whose name begins so: of none it is 0.
func numberAt(at any, walked, path string) (float64, error) {
	key, index, rest, indexed := cutPath(path)
	object, ok := at.(map[string]any)
	if !ok {
		return 0, fmt.Errorf("%s has no keys", walked)
	}
	at, there := object[key]
	if !there && slices.Contains(absent, key) {
		return 0, nil
	}
	if !there {
		return 0, hinted{fmt.Sprintf("%s of this run has no %s, it has %s", walked, located.Shown(key),
			located.OneOf(keys(object))), hintOf(key, keys(object))}
	}
	walked += "." + key
	chosen := []any{at}
	if indexed {
		entries, ok := at.([]any)
		if !ok {
			return 0, fmt.Errorf("%s is no list", walked)
		}
		chosen = entries
		if i, err := strconv.Atoi(index); err == nil {
			if i >= len(entries) {
				return 0, fmt.Errorf("%s has no entry %s: it has %d, counted from 0", walked, index, len(entries))
			}
			chosen = entries[i : i+1]
		} else if index != "" {
			chosen = namedSo(entries, index)
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

// absent are what run.json leaves out where there is none of it: it counts as 0.
var absent = []string{"collectives", "groups", "busiest_links", "lost", "overlap", "start"}

// cutPath takes the first key off a path, and what stands in its brackets.
func cutPath(path string) (key, index, rest string, indexed bool) {
	if key, rest, indexed = strings.Cut(path, "["); indexed && !strings.Contains(key, ".") {
		index, rest, _ = strings.Cut(rest, "]")
		return key, index, strings.TrimPrefix(rest, "."), true
	}
	key, rest, _ = strings.Cut(path, ".")
	return key, "", rest, false
}

// namedSo lists the entries of whose name a word begins so: collectives have a name, groups, ports.
func namedSo(entries []any, so string) (out []any) {
	for _, e := range entries {
		object, _ := e.(map[string]any)
		for _, key := range []string{"name", "group", "port"} {
			if name, ok := object[key].(string); ok && (strings.HasPrefix(name, so) || strings.Contains(name, " "+so)) {
				out = append(out, e)
				break
			}
		}
	}
	return out
}

// inputNames lists the inputs of a lab.
// unitOf says in which unit an input is, " in B": nothing where it has none.
func (l *Lab) unitOf(input string) string {
	for _, s := range l.statements {
		if s.verb == "input" && s.name.Text == input && s.unit != "" {
			return ", in " + s.unit
		}
	}
	return ""
}

func (l *Lab) inputNames() (names []string) {
	for _, s := range l.statements {
		if s.verb == "input" {
			names = append(names, s.name.Text)
		}
	}
	slices.Sort(names)
	return names
}
