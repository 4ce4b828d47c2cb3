package nn

import (
	"fmt"
	"slices"
	"strings"
)

// Net is a network layer by layer, each in the words of a table (Words), as a file has it (package
// netfile). Where Rows is text, Vocabulary and Context say how many tokens there are and how long a
// row is; else Image says what its pixels are.
type Net struct {
	Rows                string // image, vector or text
	Image               Volume
	Vocabulary, Context int
	Layers              []NetLayer
	Loss                Loss
	Ties                [][2]string // layers whose weights are one, the lower first
}

// NetLayer is a layer of a Net.
type NetLayer struct {
	Name string `json:",omitempty"` // "": its kind and which of those it is: conv2d.1
	Kind string
	// Sizes are what a file has behind the kind; those that it leaves out are not there.
	Sizes map[string]string `json:",omitempty"`
}

// NetProblem is what is wrong with one layer of a Net.
type NetProblem struct {
	Layer int    // from 0; that behind the last where it is of the network as a whole
	Tie   int    // from 1: of a tie; 0: of a layer
	Key   string // of its sizes; "": of the layer as a whole
	Text  string
}

// Error returns what is wrong.
func (p *NetProblem) Error() string { return p.Text }

// form is how the values between two layers are to be read.
type form uint8

const (
	image    form = iota // channels, rows, columns
	vector               // so many elements
	sequence             // positions of so many elements each
	tokens               // positions of a number each
)

// shape is what one layer gives and the next one takes, of a row.
type shape struct {
	form      form
	image     Volume
	positions int // of a sequence, of tokens
	size      int // of a vector, of a position
}

func (s shape) elems() int {
	switch s.form {
	case image:
		return s.image.Elems()
	case vector:
		return s.size
	case sequence:
		return s.positions * s.size
	}
	return s.positions
}

func (s shape) String() string {
	switch s.form {
	case image:
		return fmt.Sprintf("an image of %v", s.image)
	case vector:
		return fmt.Sprintf("a vector of %d", s.size)
	case sequence:
		return fmt.Sprintf("%d positions of %d elements", s.positions, s.size)
	}
	return fmt.Sprintf("%d tokens", s.positions)
}

// begin is what the rows are.
func (n *Net) begin() (shape, error) {
	switch n.Rows {
	case "text":
		if err := firstOf(within("vocabulary", n.Vocabulary), within("window", n.Context)); err != nil {
			return shape{}, err
		}
		return shape{form: tokens, positions: n.Context}, nil
	case "image", "vector":
		v := n.Image
		if err := firstOf(within("channels", v.Channels), within("rows", v.Height), within("columns", v.Width),
			wholeRow(v.Channels*v.Height), wholeRow(v.Elems())); err != nil {
			return shape{}, err
		}
		if n.Rows == "vector" {
			return shape{form: vector, size: v.Elems()}, nil
		}
		return shape{form: image, image: v}, nil
	}
	return shape{}, fmt.Errorf("rows of %q, want image, vector or text", n.Rows)
}

// Model makes the model. An error in a layer is a *NetProblem; those behind it are not looked at.
func (n *Net) Model() (*Model, error) {
	at, err := n.begin()
	if err != nil {
		return nil, err
	}
	b := &netBuilder{net: n, at: at, from: "the input", count: map[string]int{}}
	for i := range n.Layers {
		if p := b.add(&n.Layers[i]); p != nil {
			p.Layer = i
			return nil, p
		}
	}
	return b.finish()
}

// netBuilder puts layers on what those before give.
type netBuilder struct {
	net   *Net
	at    shape
	from  string // the name of the layer that gives it
	name  string // of the layer that is being added
	count map[string]int
	open  *openResidual // nil: none is
	list
}

// add adds a layer, or more than one: an activation that needs its input is one of its own.
func (b *netBuilder) add(l *NetLayer) *NetProblem {
	k := netKindNamed(l.Kind)
	if k == nil {
		return &CheckNetLayer(l)[0]
	}
	v, p := k.read(l.Sizes)
	if p != nil {
		return p
	}
	b.count[k.name]++
	if b.name = l.Name; b.name == "" {
		b.name = fmt.Sprintf("%s.%d", k.name, b.count[k.name])
	}
	if !slices.Contains(k.takes, b.at.form) {
		return &NetProblem{Text: fmt.Sprintf("%s gives %v, %s takes %s%s", b.from, b.at, k.name, takesWords(k.takes),
			k.hint(b.at.form))}
	}
	if err := k.build(b, v); err != nil {
		return k.blamed(err)
	}
	if b.err != nil {
		return &NetProblem{Text: b.err.Error()}
	}
	b.from = b.name
	return nil
}

// give adds the layer that was made, and an activation behind it where that is a layer of its own.
func (b *netBuilder) give(to shape, l Layer, after Activation) {
	b.list.add(b.name, l)
	if after != Identity && b.err == nil {
		b.list.add(b.name+"."+after.String(), Elementwise(to.elems(), after))
	}
	b.at = to
}

// finish compares what the last layer gives with labels: one of a vector, one for each position.
func (b *netBuilder) finish() (*Model, error) {
	end := func(format string, args ...any) error {
		return &NetProblem{Layer: len(b.net.Layers), Text: fmt.Sprintf(format, args...)}
	}
	targets := 1
	switch {
	case b.open != nil:
		return nil, end("%s has no add: want one behind its layers", b.open.name)
	case len(b.layers) == 0:
		return nil, end("no layer, want at least one")
	case b.net.Rows == "text" && (b.at.form != sequence || b.at.size != b.net.Vocabulary):
		return nil, end("%s, the last layer, gives %v, a network of text ends with one of the %d tokens at each "+
			"position: want head, or dense units=%[3]d", b.from, b.at, b.net.Vocabulary)
	case b.net.Rows != "text" && b.at.form != vector:
		return nil, end("%s, the last layer, gives %v, want a vector with an element for each class: flatten, and dense",
			b.from, b.at)
	case b.at.form == sequence:
		targets = b.at.positions
	}
	m, err := NewModel(b.layers, b.net.Loss, targets)
	if err != nil {
		return nil, end("%v", err)
	}
	for i, t := range b.net.Ties {
		with, err := m.Tied(t[0]+".weight", t[1]+".weight")
		if err != nil {
			return nil, &NetProblem{Tie: i + 1, Text: err.Error()}
		}
		m = with
	}
	return m, nil
}

func takesWords(forms []form) string {
	var all []string
	for _, f := range forms {
		all = append(all, [...]string{"an image", "a vector", "positions of elements each", "tokens"}[f])
	}
	return strings.Join(all, " or ")
}

// hint says what would help where the form is not what a layer takes.
func (k *netKind) hint(have form) string {
	switch {
	case have == image && slices.Contains(k.takes, vector):
		return ": flatten it"
	case have == tokens && slices.Contains(k.takes, sequence):
		return ": want embedding or one-hot before it"
	}
	return ""
}
