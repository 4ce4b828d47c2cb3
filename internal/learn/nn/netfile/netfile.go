package netfile

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/learn/nn"
)

// Bounds of a file.
const (
	MaxText   = 1 << 20 // bytes
	maxLayers = 4096
)

// A File is a network as its file has it, with the places of its words.
type File struct {
	net    nn.Net
	name   string
	rows   located.Problem
	layers []place
	ties   []located.Problem
	last   located.Problem // the end of the file
}

// place is where a layer's words are.
type place struct {
	kind located.Problem
	keys map[string]located.Problem
}

// Rows is what a scenario's data are, for a file that does not say it.
type Rows struct {
	Text                bool
	Vocabulary, Context int       // of text
	Image               nn.Volume // else
}

// Read reads a network from its text; name is used in errors. The error is located.Problems.
func Read(name string, src []byte) (*File, error) {
	if len(src) > MaxText {
		return nil, located.Problems{{File: name, Message: fmt.Sprintf("%d bytes, want at most %d", len(src), MaxText)}}
	}
	if err := located.LongLine(name, src); err != nil {
		return nil, err
	}
	r := &reader{File: File{name: name}, called: map[string]int{}}
	for text := range strings.SplitSeq(string(bytes.TrimPrefix(src, located.BOM)), "\n") {
		r.line++
		text, _, _ = strings.Cut(text, "#")
		if words := located.AppendWords(nil, text); len(words) > 0 && !r.none && !r.problems.Full() {
			r.statement(words)
		}
	}
	r.last = located.Problem{File: name, Line: r.line, Column: 1, Width: 1}
	if r.net.Rows == "" {
		r.problems = located.Problems{{File: name,
			Message: "no network: want image, vector or text as the first word, then a layer a line, such as dense units=10"}}
	}
	if len(r.problems) > 0 {
		return nil, r.problems.Sorted()
	}
	return &r.File, nil
}

// reader takes a file line by line.
type reader struct {
	File
	line     int
	called   map[string]int // layers by name: on which line
	loss     int            // the line that says it
	none     bool           // it is no network
	problems located.Problems
}

func (r *reader) at(w located.Word) located.Problem {
	return located.Problem{File: r.name, Line: r.line, Column: w.Column, Width: w.Width()}
}

func (r *reader) wrong(at located.Problem, format string, args ...any) {
	at.Message = fmt.Sprintf(format, args...)
	r.problems = append(r.problems, at)
}

func (r *reader) statement(w []located.Word) {
	switch word := w[0].Text; {
	case word == "image" || word == "vector" || word == "text":
		r.begin(w)
	case r.rows.Line == 0: // this may be any file of the reader's: none of its words is shown
		r.none = true
	case word == "loss":
		r.takeLoss(w)
	case word == "tie":
		r.tie(w)
	default:
		r.layer(w)
	}
}

// begin reads what a row is.
func (r *reader) begin(w []located.Word) {
	if r.rows.Line > 0 {
		r.wrong(r.at(w[0]), "%s: line %d says what a row is, want it once, first", w[0].Text, r.rows.Line)
		return
	}
	r.rows, r.net.Rows = r.at(w[0]), w[0].Text
	if len(w) == 1 {
		return
	}
	form, ok := "", false
	switch w[0].Text {
	case "image":
		form = "image CHANNELSxROWSxCOLUMNS such as image 3x96x96"
		r.net.Image, ok = volume(w[1].Text)
	case "vector":
		form = "vector ELEMENTS such as vector 784"
		n, err := strconv.Atoi(w[1].Text)
		r.net.Image, ok = nn.Volume{Channels: 1, Height: 1, Width: n}, err == nil && n > 0
	case "text":
		form = "text alone: vocabulary and window are those of the data"
	}
	if !ok || len(w) > 2 {
		r.wrong(r.at(w[1]), "%s: want %s", located.Shown(w[1].Text), form)
	}
}

// volume reads a size such as 3x96x96.
func volume(text string) (v nn.Volume, ok bool) {
	sides := strings.Split(text, "x")
	if len(sides) != 3 {
		return v, false
	}
	for i, to := range []*int{&v.Channels, &v.Height, &v.Width} {
		n, err := strconv.Atoi(sides[i])
		if err != nil || n < 1 {
			return v, false
		}
		*to = n
	}
	return v, true
}

func (r *reader) takeLoss(w []located.Word) {
	switch {
	case r.loss > 0:
		r.wrong(r.at(w[0]), "loss: line %d says it, want it once", r.loss)
		return
	case len(w) != 2:
		r.wrong(r.at(w[0]), "%d words, want loss cross-entropy, or loss mse", len(w))
		return
	}
	r.loss = r.line
	var err error
	if r.net.Loss, err = nn.ParseLoss(w[1].Text); err != nil {
		r.wrong(r.at(w[1]), "%s: want cross-entropy or mse", located.Shown(w[1].Text))
	}
}

func (r *reader) tie(w []located.Word) {
	if len(w) != 3 {
		r.wrong(r.at(w[0]), "%d words, want tie LAYER LAYER, the lower one first", len(w))
		return
	}
	r.net.Ties = append(r.net.Ties, [2]string{w[1].Text, w[2].Text})
	r.ties = append(r.ties, r.at(w[0]))
}

var layerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// layer reads [NAME:] KIND [KEY=VALUE ...].
func (r *reader) layer(w []located.Word) {
	l := nn.NetLayer{}
	if name, ok := strings.CutSuffix(w[0].Text, ":"); ok {
		l.Name = r.named(w[0], name)
		if w = w[1:]; len(w) == 0 {
			r.wrong(located.Problem{File: r.name, Line: r.line, Column: 1, Width: 1},
				"a name without a layer, want one of: %s", strings.Join(nn.NetKinds(), ", "))
			return
		}
	}
	l.Kind = w[0].Text
	at := place{r.at(w[0]), map[string]located.Problem{}}
	for _, word := range w[1:] {
		key, value, ok := strings.Cut(word.Text, "=")
		_, twice := l.Sizes[key]
		switch {
		case !ok || key == "" || value == "":
			r.wrong(r.at(word), "%s: want KEY=VALUE", located.Shown(word.Text))
		case twice:
			r.wrong(r.at(word), "%s: a second time", located.Shown(key))
		default:
			if l.Sizes == nil {
				l.Sizes = map[string]string{}
			}
			l.Sizes[key], at.keys[key] = value, r.at(word)
		}
	}
	for _, p := range nn.CheckNetLayer(&l) {
		r.problems = append(r.problems, at.locate(&l, &p))
	}
	if len(r.net.Layers) == maxLayers {
		r.wrong(at.kind, "layer %d, want at most %d", maxLayers+1, maxLayers)
	}
	r.net.Layers, r.layers = append(r.net.Layers, l), append(r.layers, at)
}

// named is a layer's name, unless it is none or another layer's.
func (r *reader) named(w located.Word, name string) string {
	switch line, twice := r.called[name]; {
	case !layerName.MatchString(name):
		r.wrong(r.at(w), "%s: want a name of at most 64 letters, digits, _, . and -, the first a letter",
			located.Shown(name))
	case twice:
		r.wrong(r.at(w), "%s: the layer of line %d has this name, want another", located.Shown(name), line)
	default:
		r.called[name] = r.line
	}
	return name
}

// locate is a problem with a layer at its place.
func (at *place) locate(l *nn.NetLayer, p *nn.NetProblem) located.Problem {
	where, there := at.keys[p.Key]
	if !there {
		where = at.kind
		where.Message = located.Shown(l.Kind) + ": " + p.Text
		return where
	}
	where.Message = fmt.Sprintf("%s: %s", located.Shown(p.Key+"="+l.Sizes[p.Key]), p.Text)
	return where
}

// Net is the network where the data are what rows says.
func (f *File) Net(rows Rows) (*nn.Net, error) {
	net, at := f.net, f.rows
	switch text := net.Rows == "text"; {
	case text && !rows.Text:
		at.Message = "text: the data are images, want image or vector, or job.train.data.text"
		return nil, located.Problems{at}
	case !text && rows.Text:
		at.Message = net.Rows + ": the data are text, want text"
		return nil, located.Problems{at}
	case text:
		net.Vocabulary, net.Context = rows.Vocabulary, rows.Context
	case net.Image == nn.Volume{}:
		net.Image = rows.Image
	}
	if _, err := net.Model(); err != nil {
		return nil, located.Problems{f.locate(err)}
	}
	return &net, nil
}

// locate finds the place of what is wrong with the network.
func (f *File) locate(err error) located.Problem {
	var p *nn.NetProblem
	switch at := f.rows; {
	case !errors.As(err, &p):
		at.Message = f.net.Rows + ": " + err.Error()
		return at
	case p.Tie > 0:
		at = f.ties[p.Tie-1]
		at.Message = p.Text
		return at
	case p.Layer < len(f.layers):
		return f.layers[p.Layer].locate(&f.net.Layers[p.Layer], p)
	default:
		at = f.last
		if n := len(f.layers); n > 0 {
			at = f.layers[n-1].kind
		}
		at.Message = p.Text
		return at
	}
}
