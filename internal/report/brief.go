package report

import (
	"railyard/internal/headline"
	"railyard/internal/result"
)

// Brief is a report in short, as data: railyard report --json.
type Brief struct {
	Dir     string            `json:"directory"`
	Name    string            `json:"name"`
	State   result.State      `json:"state"`
	Notes   []string          `json:"notes,omitempty"` // what is wrong with the directory, a sentence each
	Answer  string            `json:"answer"`          // what limited the run, in one sentence
	Bullets []string          `json:"bullets,omitempty"`
	Figures []headline.Figure `json:"figures"`
}

// BriefOf sums a run up.
func BriefOf(d *Data) *Brief {
	b := &Brief{Dir: d.Path, Name: d.Summary.Name, State: d.Summary.State, Notes: d.Notes, Figures: d.Headline()}
	b.Answer, b.Bullets = Answer(d)
	return b
}
