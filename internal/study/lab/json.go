package lab

import (
	"math"
	"strconv"

	"railyard/internal/base/output"
	"railyard/internal/out/chart"
	"railyard/internal/out/chart/svg"
	"railyard/internal/out/result"
)

// Number is a figure as JSON: 12 significant digits, which are the same on every processor.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, v+0, 'g', 12, 64), nil
}

// Document is an outcome as data.
type Document struct {
	Lab       int               `json:"lab,omitempty"` // its number
	Name      string            `json:"name"`
	Title     string            `json:"title"`
	Question  string            `json:"question"`
	Changed   map[string]string `json:"changed,omitempty"` // then nothing is judged
	OK        bool              `json:"ok"`
	Guess     []GuessJSON       `json:"guess,omitempty"`
	Given     []QuantityJSON    `json:"given,omitempty"`
	Predicted []QuantityJSON    `json:"predicted,omitempty"`
	Measured  []QuantityJSON    `json:"measured,omitempty"`
	Again     []*Again          `json:"again,omitempty"`
	Steps     []WalkJSON        `json:"steps,omitempty"`
	Expected  []RowJSON         `json:"expected,omitempty"`
	Errata    []ErratumJSON     `json:"errata,omitempty"`
	Try       []Try             `json:"try,omitempty"`
	Figures   []chart.Figure    `json:"figures,omitempty"`
	Configs   []Config          `json:"configs,omitempty"`
	Directory string            `json:"directory"`
	Run       string            `json:"run,omitempty"` // directory of the run
	Page      string            `json:"page"`
}

// GuessJSON is a question, and the name of the number that answers it.
type GuessJSON struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// QuantityJSON is a number with a name.
type QuantityJSON struct {
	Name    string `json:"name"`
	Value   Number `json:"value"`
	Unit    string `json:"unit,omitempty"`
	How     string `json:"how,omitempty"`
	Meaning string `json:"meaning"`
}

// WalkJSON is what a bench showed.
type WalkJSON struct {
	Name    string         `json:"name"`
	Meaning string         `json:"meaning"`
	Steps   []QuantityJSON `json:"steps,omitempty"`
	Tables  []Table        `json:"tables,omitempty"`
}

// RowJSON is an expectation.
type RowJSON struct {
	Name     string  `json:"name"`
	Meaning  string  `json:"meaning"`
	Value    Number  `json:"value"`
	Expected Number  `json:"expected"`
	Within   *Number `json:"within,omitempty"` // absolute; absent of an illustrative one
	Kind     Kind    `json:"kind"`
	OK       *bool   `json:"ok,omitempty"` // absent where it is not judged
}

// ErratumJSON is a sentence of the book that is wrong.
type ErratumJSON struct {
	Book    string   `json:"book"`
	Instead string   `json:"instead"`
	Right   *RowJSON `json:"right,omitempty"`
}

// Document returns the outcome as data.
func (o *Outcome) Document() *Document {
	d := &Document{Lab: o.Lab.Number, Name: o.Lab.Name, Title: o.Lab.Title, Question: o.Lab.Question,
		OK: len(o.Failed()) == 0, Given: quantities(o.Given), Predicted: quantities(o.Formula),
		Measured: quantities(o.Measure), Again: o.Again, Try: o.Tries, Figures: o.Figures, Configs: o.Configs,
		Directory: o.Dir, Run: o.RunDir,
		Page: o.Page}
	for _, c := range o.Changed {
		if d.Changed == nil {
			d.Changed = map[string]string{}
		}
		d.Changed[c.Name] = c.Text
	}
	for _, q := range o.Guesses {
		d.Guess = append(d.Guess, GuessJSON{q.Question, q.Answer.Name})
	}
	for _, w := range o.Walks {
		d.Steps = append(d.Steps, WalkJSON{w.Name, w.Meaning, quantities(w.Steps), w.Tables})
	}
	for i := range o.Rows {
		d.Expected = append(d.Expected, o.rowJSON(&o.Rows[i]))
	}
	for _, e := range o.Errata {
		j := ErratumJSON{Book: e.Says, Instead: e.Instead}
		if e.Right != nil {
			r := o.rowJSON(e.Right)
			j.Right = &r
		}
		d.Errata = append(d.Errata, j)
	}
	return d
}

func quantities(list []*Quantity) (out []QuantityJSON) {
	for _, q := range list {
		out = append(out, QuantityJSON{q.Name, Number(q.Value), q.Unit, q.How, q.Meaning})
	}
	return out
}

func (o *Outcome) rowJSON(r *Row) RowJSON {
	j := RowJSON{Name: r.Quantity.Name, Meaning: r.Meaning, Value: Number(r.Quantity.Value),
		Expected: Number(r.Expected), Kind: r.Kind}
	if r.Kind != Illustrative {
		within := Number(r.Within)
		j.Within = &within
		if len(o.Changed) == 0 {
			ok := r.OK()
			j.OK = &ok
		}
	}
	return j
}

// figureWidth is the width of a figure in a file of its own.
const figureWidth = 760

// write leaves the page, the figures and the values in the lab's folder.
func (o *Outcome) write(folder *output.Folder) error {
	for i := range o.Figures {
		f := &o.Figures[i]
		if err := folder.Write(f.Name+".svg", []byte(svg.Draw(f, figureWidth).File())); err != nil {
			return err
		}
	}
	if err := result.WriteJSON(folder, valuesFile, o.Document()); err != nil {
		return err
	}
	return o.writePage(folder)
}
