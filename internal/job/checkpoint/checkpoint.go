package checkpoint

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/job/train"
	"railyard/internal/learn/corpus"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/learn/safetensors"
)

// version is that of the metadata, raised when one changes its meaning.
const version = "1"

// A Checkpoint is a training after a step.
type Checkpoint struct {
	Training
	train.State
}

// Training is what a state belongs to.
type Training struct {
	Name        string   // of the scenario
	Seed        uint64   // of the order of images, and of the first parameters
	Model       *nn.Spec // nil: a multilayer perceptron of Layers
	Layers      []int    // units, inputs first
	Activation  string   // between them
	Loss        string
	Kernel      string             // that computed the last steps
	Rows, Cols  int                // of an image, in pixels
	Images      string             // SHA-256 of training and test images, or of a text's tokens and windows
	Channels    int                // of an image; 0 or 1: it is grey
	Text        *corpus.Vocabulary // of what reads text; nil: it takes images
	Sentences   bool               // windows of the text begin where a sentence does
	GlobalBatch int                // images per step
	Layout      Layout             // over whose replicas; zero: the file is from before it had that
	EpochSteps  int64              // steps per epoch
	Vectors     []string           // of the optimiser: the names of its vectors
}

// Pixels says how large an image is, in words.
func (t *Training) Pixels() string {
	return dataset.Size{Channels: t.Channels, Rows: t.Rows, Cols: t.Cols}.Pixels()
}

// Network returns the model.
func (t *Training) Network() (*nn.Model, error) {
	if t.Model != nil {
		return t.Model.Model()
	}
	hidden, err := nn.ParseActivation(t.Activation)
	if err != nil {
		return nil, err
	}
	loss, err := nn.ParseLoss(t.Loss)
	if err != nil {
		return nil, err
	}
	return nn.NewMLP(t.Layers, hidden, loss)
}

// tensors names the parts of a vector with the parameters' layout.
func tensors(m *nn.Model, prefix string, v []float32) (all []safetensors.Tensor) {
	for l := range m.Layers() {
		for _, t := range m.Tensors(l) {
			all = append(all, safetensors.Tensor{Name: prefix + t.Name, Shape: t.Shape, Data: v[t.Offset:][:t.Elems()]})
		}
	}
	return all
}

// statePrefix begins the names of the tensors of a vector of the optimiser's state, which nn.Optimiser names.
func statePrefix(vector string) string { return "optimizer." + vector + "." }

// Write writes the file.
func (c *Checkpoint) Write(w io.Writer) error {
	m, err := c.Network()
	if err != nil {
		return err
	}
	f := safetensors.File{Metadata: map[string]string{}, Tensors: tensors(m, "", c.Params)}
	for i, name := range c.Vectors {
		f.Tensors = append(f.Tensors, tensors(m, statePrefix(name), c.Optimiser[i])...)
	}
	for _, k := range append(c.keys(), c.modelKeys(c.Training.Model != nil)...) {
		f.Metadata[k.name] = k.put()
	}
	for _, k := range c.learnedKeys() {
		if text := k.put(); text != "" {
			f.Metadata[k.name] = text
		}
	}
	return f.Write(w)
}

// Fits reads the header of a file of some length, and says what is wrong with it for that length.
func Fits(r io.Reader, length int64) error { return safetensors.Fits(r, length) }

// Read reads a file from its bytes. The error does not name the file.
func Read(b []byte) (*Checkpoint, error) {
	f, err := safetensors.Read(b)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{}
	_, specified := f.Metadata[specKey]
	for _, k := range append(c.keys(), c.modelKeys(specified)...) {
		text, ok := f.Metadata[k.name]
		if !ok {
			return nil, fmt.Errorf("metadata: no %s: not weights that railyard wrote", k.name)
		}
		if err := k.get(text); err != nil {
			return nil, fmt.Errorf("metadata: %s %q: want %s", k.name, text, k.want)
		}
	}
	for _, k := range c.learnedKeys() {
		if text, ok := f.Metadata[k.name]; ok {
			if err := k.get(text); err != nil {
				return nil, fmt.Errorf("metadata: %s: %v, want %s", k.name, err, k.want)
			}
		}
	}
	m, err := c.Network()
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	in := m.Inputs() / max(c.Channels, 1)
	if c.Rows > in || c.Cols > in || max(c.Channels, 1)*c.Rows*c.Cols != m.Inputs() {
		return nil, fmt.Errorf("metadata: images of %s pixels for %d inputs", c.Pixels(), m.Inputs())
	}
	if c.Text != nil && c.Text.Size() > m.Classes() {
		return nil, fmt.Errorf("metadata: a vocabulary of %d tokens for %d outputs", c.Text.Size(), m.Classes())
	}
	if c.Text != nil && m.Targets() != m.Inputs() {
		return nil, fmt.Errorf("metadata: a vocabulary, and a network that has %d labels for %d inputs: want one for each token",
			m.Targets(), m.Inputs())
	}
	c.Params = make([]float32, m.Params())
	want := tensors(m, "", c.Params)
	c.Vectors = stateOf(f.Tensors)
	for _, name := range c.Vectors {
		v := make([]float32, m.Params())
		c.Optimiser = append(c.Optimiser, v)
		want = append(want, tensors(m, statePrefix(name), v)...)
	}
	return c, fill(want, f.Tensors)
}

// stateOf names the vectors of an optimiser's state of which there are tensors, in the order of those.
func stateOf(all []safetensors.Tensor) (names []string) {
	for _, o := range []nn.Optimiser{{Method: nn.RMSprop, Momentum: 1}, {Method: nn.Adam}} {
		for _, name := range o.State() {
			if slices.ContainsFunc(all, func(t safetensors.Tensor) bool { return strings.HasPrefix(t.Name, statePrefix(name)) }) {
				names = append(names, name)
			}
		}
	}
	return names
}

// fill copies tensors that are read to their places.
func fill(want, got []safetensors.Tensor) error {
	byName := map[string]*safetensors.Tensor{}
	for i := range got {
		byName[got[i].Name] = &got[i]
	}
	for _, w := range want {
		g := byName[w.Name]
		if g == nil {
			return fmt.Errorf("no tensor %q", w.Name)
		}
		if fmt.Sprint(g.Shape) != fmt.Sprint(w.Shape) {
			return fmt.Errorf("tensor %q has shape %v, want %v", w.Name, g.Shape, w.Shape)
		}
		for i, v := range g.Data {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("tensor %q: element %d is %v, want a number", w.Name, i, v)
			}
		}
		copy(w.Data, g.Data)
		delete(byName, w.Name)
	}
	for i := range got {
		if byName[got[i].Name] != nil {
			return fmt.Errorf("tensor %q belongs to no layer", got[i].Name)
		}
	}
	return nil
}

// A key is one of the metadata.
type key struct {
	name string
	want string // what get takes, in words
	put  func() string
	get  func(text string) error
}

func (c *Checkpoint) keys() []key {
	return []key{
		{"railyard_weights", version + ", the version of these metadata", func() string { return version }, func(t string) error {
			if t != version {
				return strconv.ErrSyntax
			}
			return nil
		}},
		text("name", &c.Name),
		whole("step", &c.Step, 0),
		{"epoch_loss", "a number",
			func() string { return strconv.FormatFloat(c.EpochLoss, 'g', -1, 64) },
			func(t string) (err error) {
				if c.EpochLoss, err = strconv.ParseFloat(t, 64); math.IsNaN(c.EpochLoss) || math.IsInf(c.EpochLoss, 0) {
					return strconv.ErrRange
				}
				return err
			}},
		{"seed", "a whole number of at least 0",
			func() string { return strconv.FormatUint(c.Seed, 10) },
			func(t string) (err error) { c.Seed, err = strconv.ParseUint(t, 10, 64); return err }},
		text("loss", &c.Loss),
		text("kernel", &c.Kernel),
		whole("image_rows", &c.Rows, 1),
		whole("image_columns", &c.Cols, 1),
		text("images_sha256", &c.Images),
		whole("global_batch", &c.GlobalBatch, 1),
		whole("epoch_steps", &c.EpochSteps, 1),
	}
}

// specKey is the key of the sizes of a model that is no multilayer perceptron.
const specKey = "model"

// modelKeys are those that say what the model is: of a multilayer perceptron its layers.
func (c *Checkpoint) modelKeys(specified bool) []key {
	if specified {
		return []key{{specKey, "the sizes of a model, as railyard wrote them",
			func() string { b, _ := json.Marshal(c.Training.Model); return string(b) },
			func(t string) error {
				c.Training.Model = &nn.Spec{}
				d := json.NewDecoder(strings.NewReader(t))
				d.DisallowUnknownFields()
				return d.Decode(c.Training.Model)
			}}}
	}
	return []key{
		{"layers", "a list such as [784,10]",
			func() string { b, _ := json.Marshal(c.Layers); return string(b) },
			func(t string) error { return json.Unmarshal([]byte(t), &c.Layers) }},
		text("activation", &c.Activation),
	}
}

func text(name string, v *string) key {
	return key{name, "text", func() string { return *v }, func(t string) error { *v = t; return nil }}
}

func whole[T int | int64](name string, v *T, least int64) key {
	return key{name, fmt.Sprintf("a whole number from %d to 2^53", least),
		func() string { return strconv.FormatInt(int64(*v), 10) },
		func(t string) error {
			n, err := strconv.ParseInt(t, 10, 64)
			if *v = T(n); err == nil && (n < least || n > 1<<53) {
				return strconv.ErrRange
			}
			return err
		}}
}
