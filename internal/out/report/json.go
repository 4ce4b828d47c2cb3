package report

import (
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// documentFormat counts up when a key of Document changes its meaning or goes.
const documentFormat = 1

// Document is the report as data, for other programs: railyard report DIR --json.
type Document struct {
	Format  int               `json:"format_version"`
	Dir     string            `json:"directory"`
	Name    string            `json:"name"`
	State   result.State      `json:"state"`
	Version string            `json:"version"`         // of the Railyard that made the run
	Notes   []string          `json:"notes,omitempty"` // what is wrong with the directory, a sentence each
	Answer  string            `json:"answer"`          // what limited the run, in one sentence
	Bullets []string          `json:"bullets,omitempty"`
	Figures []headline.Figure `json:"figures"`
	Plots   []chart.Figure    `json:"plots"`
}

// DocumentOf returns the report of a run.
func DocumentOf(d *Data) *Document {
	s := d.Summary
	doc := &Document{Format: documentFormat, Dir: d.Path, Name: s.Name, State: s.State,
		Version: s.Version, Notes: d.Notes,
		Figures: d.Headline(), Plots: append([]chart.Figure{}, Charts(d)...)} // a list, even where a run has none
	doc.Answer, doc.Bullets = Answer(d)
	return doc
}
