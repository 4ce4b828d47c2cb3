package view

import (
	"fmt"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/plan/scenario"
)

// ScenarioText prints a field as its value and default, and below them what it
// means and who says so.
func ScenarioText(s *sheet.Sheet, sc *scenario.Scenario) {
	s.Wrap("", fmt.Sprintf("scenario %s: * set by the file, + by a preset, the rest are defaults", sc.Name))
	var rows [][]string
	group := ""
	for _, f := range sc.Fields() {
		if g, _, _ := strings.Cut(f.Path, "."); g != group {
			group = g
			rows = append(rows, nil)
		}
		mark := ""
		switch {
		case f.Origin == "file":
			mark = "*"
		case strings.HasPrefix(f.Origin, "preset "):
			mark = "+"
		}
		rows = append(rows, []string{mark, f.Path, f.Value}, []string{"   " + f.Meaning + "; " + origin(f)})
	}
	s.Grid("llw", rows)
}

// origin says where a value comes from, and what it would be by default.
func origin(f scenario.FieldValue) string {
	switch name, preset := strings.CutPrefix(f.Origin, "preset "); {
	case preset:
		return "preset " + name + ": " + f.Source
	case f.Origin == "file" && f.Default == "required":
		return "required"
	case f.Origin == "file":
		return "default " + f.Default
	case f.Source == f.Default:
		return "default: " + f.Source
	}
	return "source: " + f.Source
}

// A fieldJSON is one field as data.
type fieldJSON struct {
	Path    string `json:"path"`
	Value   string `json:"value"`
	Unit    string `json:"unit,omitempty"`
	Kind    string `json:"kind"`
	Default string `json:"default"`
	Accepts string `json:"accepts"`
	Meaning string `json:"meaning"`
	Source  string `json:"source"`
	Origin  string `json:"origin"`
}

// ScenarioData is every value of a scenario as data.
func ScenarioData(sc *scenario.Scenario) any {
	all := []fieldJSON{}
	for _, f := range sc.Fields() {
		all = append(all, fieldJSON{f.Path, f.Value, f.Unit, string(f.Kind), f.Default, f.Bounds, f.Meaning,
			f.Source, f.Origin})
	}
	return struct {
		Name   string      `json:"name"`
		Fields []fieldJSON `json:"fields"`
	}{sc.Name, all}
}
