package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"railyard/internal/base/input"
)

const insideFile = "inside.json"

// InsideFormat is the version of inside.json.
const InsideFormat = 1

// Bounds of inside.json: rows and columns of a matrix, entries of a list, numbers.
const (
	InsideSide = 128
	InsideList = 1024
	InsideMost = 1e30
)

// Inside is inside.json: what a small network looks like inside for one example, before the training
// and after it.
type Inside struct {
	FormatVersion int           `json:"format_version"`
	Example       InsideExample `json:"example"`
	Passes        []InsidePass  `json:"passes"` // before, after
}

// InsideExample is the example: an image or a text.
type InsideExample struct {
	Number int      `json:"number"`           // among those that it is of, from 0
	Of     string   `json:"of"`               // "test images", "test windows"
	Image  *Cells   `json:"image,omitempty"`  // channels side by side
	Tokens []string `json:"tokens,omitempty"` // of a text, by position
	Labels []string `json:"labels"`           // what is right: a class, or the next token of each position; "" padding
}

// InsidePass is one forward and backward of the example.
type InsidePass struct {
	Step      int64         `json:"step"` // of the training, after which the parameters were so
	Loss      float64       `json:"loss"`
	Likeliest []string      `json:"likeliest"` // in place of each label
	Layers    []InsideLayer `json:"layers"`
	Words     []InsideWord  `json:"words,omitempty"` // of the embedding
}

// InsideLayer is what a layer made of the example. Output: of an image channels side by side, of a
// text a row for each position, else one row; absent where there is nothing to be seen. GradientNorm
// is the length of its parameters' gradient, absent where it has none. StepNorms are those of the
// gradient at a recurrent layer's state, by step. Attention, by head: a row for each query, a column
// for each key.
type InsideLayer struct {
	Name         string          `json:"name"`
	Output       *Cells          `json:"output,omitempty"`
	GradientNorm *float64        `json:"gradient_norm,omitempty"`
	StepNorms    []float64       `json:"step_norms,omitempty"`
	Weights      []InsideWeights `json:"weights,omitempty"`
	Attention    []Cells         `json:"attention,omitempty"`
	Gates        []InsideGate    `json:"gates,omitempty"`
}

// InsideWeights is a matrix of weights. Filters are one below the other, their channels side by side.
type InsideWeights struct {
	Name     string `json:"name"`
	Side     int    `json:"side,omitempty"` // of filters: rows and columns of each
	Weight   Cells  `json:"weight"`
	Gradient *Cells `json:"gradient,omitempty"` // absent: it is not trained
}

// InsideGate is a gate of an LSTM, its candidate, cell or state: a row for each cell, a column for each
// position.
type InsideGate struct {
	Name   string `json:"name"`
	Values Cells  `json:"values"`
}

// InsideWord is a token of the embedding in the plane.
type InsideWord struct {
	Name string  `json:"name"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
}

// Cells is the upper left part of a matrix.
type Cells struct {
	Of     [2]int      `json:"of"`             // rows and columns of the whole
	Mean   int         `json:"mean,omitempty"` // each value is the mean of a square of so many rows and columns
	Values [][]float32 `json:"values"`
}

// KeepInside writes inside.json of a training, whole or not at all.
func (d *Dir) KeepInside(job string, in *Inside) error {
	if d == nil {
		return nil
	}
	in.FormatVersion = InsideFormat
	return d.keepWeights(job, insideFile, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(in)
	})
}

// Inside reads inside.json of a job, "" of the only one; nil where it was not asked for.
func (r *Run) Inside(job string) (*Inside, error) {
	name := filepath.Join(job, insideFile)
	b, err := readBounded(r.Path, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var in *Inside
	if err == nil {
		in, err = ParseInside(b)
	}
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %s: %w", r.Path, name, input.Cause(err))
	}
	return in, nil
}

// ParseInside reads the text of inside.json, and checks that everything fits together.
func ParseInside(b []byte) (*Inside, error) {
	// A row of two bytes takes thirty in memory, an object hundreds.
	if n, most := bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")), 16<<10+len(b)/64; n > most {
		return nil, fmt.Errorf("holds %d lists and objects in %d bytes, want at most %d", n, len(b), most)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	in := &Inside{}
	if err := d.Decode(in); err != nil {
		return nil, err
	}
	if in.FormatVersion != InsideFormat {
		return nil, fmt.Errorf("format_version %d, this Railyard reads %d", in.FormatVersion, InsideFormat)
	}
	return in, in.check()
}

// check returns what does not fit together.
func (in *Inside) check() error {
	if len(in.Passes) != 2 {
		return fmt.Errorf("%d passes, want 2", len(in.Passes))
	}
	e := &in.Example
	if err := errors.Join(e.Image.check("example.image"), short("example.tokens", len(e.Tokens)),
		short("example.labels", len(e.Labels))); err != nil {
		return err
	}
	if n := len(e.Tokens); n > 0 && len(e.Labels) != n {
		return fmt.Errorf("%d labels for %d tokens", len(e.Labels), n)
	}
	for i := range in.Passes {
		if err := in.Passes[i].check(in); err != nil {
			return fmt.Errorf("passes[%d]: %w", i, err)
		}
	}
	return nil
}

func (p *InsidePass) check(in *Inside) error {
	if len(p.Likeliest) != len(in.Example.Labels) || len(p.Layers) != len(in.Passes[0].Layers) ||
		len(p.Words) != len(in.Passes[0].Words) {
		return errors.New("not as many labels, layers and words as in the example and the first pass")
	}
	if err := errors.Join(short("layers", len(p.Layers)), short("words", len(p.Words))); err != nil {
		return err
	}
	for _, w := range p.Words {
		if err := moderate("words", w.X, w.Y); err != nil {
			return err
		}
	}
	for i := range p.Layers {
		if err := p.Layers[i].check(&in.Passes[0].Layers[i], len(in.Example.Tokens)); err != nil {
			return fmt.Errorf("layers[%d]: %w", i, err)
		}
	}
	return nil
}

// check compares with the layer of the first pass, for an example of so many tokens.
func (l *InsideLayer) check(first *InsideLayer, tokens int) error {
	if l.Name != first.Name || len(l.Weights) != len(first.Weights) || len(l.StepNorms) != len(first.StepNorms) {
		return errors.New("not the layer of the first pass")
	}
	errs := []error{l.Output.check("output"), moderate("step_norms", l.StepNorms...),
		short("step_norms", len(l.StepNorms)), short("weights", len(l.Weights)), short("attention", len(l.Attention)),
		short("gates", len(l.Gates))}
	if l.GradientNorm != nil {
		errs = append(errs, moderate("gradient_norm", *l.GradientNorm))
	}
	for i := range l.Weights {
		w := &l.Weights[i]
		if w.Side < 0 || w.Side > InsideSide {
			errs = append(errs, fmt.Errorf("weights[%d].side is %d", i, w.Side))
		}
		errs = append(errs, w.Weight.check("weight"), w.Gradient.check("gradient"))
	}
	for i := range l.Attention {
		errs = append(errs, l.Attention[i].square(tokens))
	}
	for i := range l.Gates {
		errs = append(errs, l.Gates[i].Values.check("gates"))
		if n := l.Gates[i].Values.columns(); n != tokens {
			errs = append(errs, fmt.Errorf("gates of %d positions for %d tokens", n, tokens))
		}
	}
	return errors.Join(errs...)
}

// moderate refuses a number that no drawing has room for.
func moderate(what string, all ...float64) error {
	for _, v := range all {
		if v > InsideMost || v < -InsideMost {
			return fmt.Errorf("%s: %v, want at most %v either way", what, v, InsideMost)
		}
	}
	return nil
}

func short(what string, n int) error {
	if n > InsideList {
		return fmt.Errorf("%s has %d entries, want at most %d", what, n, InsideList)
	}
	return nil
}

func (c *Cells) columns() int {
	if c == nil || len(c.Values) == 0 {
		return 0
	}
	return len(c.Values[0])
}

// check returns what is wrong with a matrix that is there.
func (c *Cells) check(what string) error {
	if c == nil {
		return nil
	}
	rows, columns := len(c.Values), c.columns()
	if rows < 1 || rows > InsideSide || columns < 1 || columns > InsideSide || c.Of[0] < rows || c.Of[1] < columns {
		return fmt.Errorf("%s: %d rows of %d of a matrix of %dx%d, want 1 to %d of each", what, rows, columns,
			c.Of[0], c.Of[1],
			InsideSide)
	}
	for i, row := range c.Values {
		if len(row) != columns {
			return fmt.Errorf("%s: row %d has %d values, want %d", what, i, len(row), columns)
		}
		for _, v := range row {
			if err := moderate(what, float64(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// square checks a map of attention over so many tokens.
func (c *Cells) square(tokens int) error {
	if err := c.check("attention"); err != nil {
		return err
	}
	if n := len(c.Values); n != c.columns() || n != tokens {
		return fmt.Errorf("attention: %d queries and %d keys for %d tokens", n, c.columns(), tokens)
	}
	return nil
}
