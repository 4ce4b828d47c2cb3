package checkpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"railyard/internal/job/train"
	"railyard/internal/learn/nn"
)

// A Mismatch is why a training cannot go on from a checkpoint.
type Mismatch struct {
	Field string // of the training, as Training names it
	Text  string
}

// Continue returns the state from which a training goes on, with its step counted as that training
// counts, or everything that keeps it from going on.
func (c *Checkpoint) Continue(to Training) (train.State, []Mismatch) {
	var all []Mismatch
	differ := func(same bool, field string, is, was any) {
		if !same {
			all = append(all, Mismatch{field, fmt.Sprintf("%v, the weights are of %v: want the same", is, was)})
		}
	}
	differ(slices.Equal(c.Layers, to.Layers), "Layers", to.Layers, c.Layers)
	switch {
	case kind(c.Model) != kind(to.Model):
		differ(false, "Model", kind(to.Model), kind(c.Model))
	case !reflect.DeepEqual(c.Model, to.Model):
		all = append(all, Mismatch{"Model", apart(to.Model, c.Model) + ": want the same"})
	}
	differ(c.Activation == to.Activation, "Activation", to.Activation, c.Activation)
	differ(c.Loss == to.Loss, "Loss", to.Loss, c.Loss)
	if !slices.Equal(c.Vectors, to.Vectors) {
		all = append(all, Mismatch{"Optimiser", fmt.Sprintf("it keeps %s for each weight, the file has %s: want the "+
			"optimiser that it is of", listed(to.Vectors), listed(c.Vectors))})
	}
	s := c.State
	done := c.Step % c.EpochSteps
	if done == 0 {
		s.Step = c.Step / c.EpochSteps * to.EpochSteps
		return s, all
	}
	where := fmt.Sprintf("the weights are those within an epoch, after step %d of its %d, and ", done, c.EpochSteps)
	if c.Seed != to.Seed {
		all = append(all, Mismatch{"Seed", fmt.Sprintf("%d: %sseed %d has the order of its images: want the same, or "+
			"weights from the end of an epoch", to.Seed, where, c.Seed)})
	}
	return s, append(all, c.otherSteps(&to, where)...)
}

// listed names vectors of an optimiser's state.
func listed(state []string) string {
	if len(state) == 0 {
		return "nothing"
	}
	return strings.Join(state, " and ")
}

// kind says what a model is, nil a multilayer perceptron.
func kind(s *nn.Spec) string {
	if s == nil {
		return "mlp"
	}
	return s.Kind
}

// mostNamed is how many differences of two models are named.
const mostNamed = 3

// apart says in words in which of their sizes and choices two models of one kind differ: "head size 4, that of the weights 8".
func apart(is, was *nn.Spec) string {
	all := differences("", plain(is), plain(was))
	text := strings.Join(all[:min(len(all), mostNamed)], "; ")
	if n := len(all) - mostNamed; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}

// plain is a model as JSON has it: names and values.
func plain(s *nn.Spec) (v any) {
	if b, err := json.Marshal(s); err == nil {
		json.Unmarshal(b, &v) //nolint:errcheck // it was just written
	}
	return v
}

// differences names what differs between two values of one shape, in order of names.
func differences(name string, is, was any) (all []string) {
	a, isMap := is.(map[string]any)
	b, wasMap := was.(map[string]any)
	if isMap && wasMap {
		names := slices.Sorted(maps.Keys(a))
		for n := range b {
			if _, there := a[n]; !there {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			all = append(all, differences(words(n), a[n], b[n])...)
		}
		return all
	}
	x, isList := is.([]any)
	y, wasList := was.([]any)
	if isList && wasList && len(x) == len(y) {
		for i := range x {
			all = append(all, differences(fmt.Sprintf("%s %d", name, i+1), x[i], y[i])...)
		}
		return all
	}
	if reflect.DeepEqual(is, was) {
		return nil
	}
	return []string{fmt.Sprintf("%s %s, that of the weights %s", name, value(is), value(was))}
}

// value prints a value of JSON, which nobody has given as none.
func value(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(v)
}

// words is a name of a field as a reader has it: HeadSize is "head size".
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
