package checkpoint

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"railyard/internal/nn"
	"railyard/internal/train"
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
	if !reflect.DeepEqual(c.Model, to.Model) {
		all = append(all, Mismatch{"Model", fmt.Sprintf("%s, the weights are of %s: want the same", described(to.Model),
			described(c.Model))})
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
	if c.GlobalBatch != to.GlobalBatch || c.EpochSteps != to.EpochSteps {
		all = append(all, Mismatch{"GlobalBatch", fmt.Sprintf("%d images per step and %d steps per epoch: %seach step took "+
			"%d: want the same, or weights from the end of an epoch", to.GlobalBatch, to.EpochSteps, where, c.GlobalBatch)})
	}
	return s, all
}

// listed names vectors of an optimiser's state.
func listed(state []string) string {
	if len(state) == 0 {
		return "nothing"
	}
	return strings.Join(state, " and ")
}

// described says what a model is, nil a multilayer perceptron.
func described(s *nn.Spec) string {
	if s == nil {
		return "mlp"
	}
	b, _ := json.Marshal(s)
	return string(b)
}
