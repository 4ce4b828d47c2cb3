package plan

import (
	"errors"
	"railyard/internal/plan/plan/plantest"
	"strings"
	"testing"
)

// Nesterov's step looks ahead along a velocity: without momentum there is none.
func TestNesterovWantsMomentum(t *testing.T) {
	of := func(more string) error {
		_, err := New(plantest.Read(t, "cluster: {hosts: 2, host: {gpus: 1}}\njob:\n  train: {layers: [784, 10], batch: 2, lr: 0.1, "+
			"data: {digits: {dir: d}}, nesterov: true"+more+"}\n"), Files{}, nil)
		return err
	}
	var at *FieldError
	if err := of(""); !errors.As(err, &at) || at.Path != "job.train.nesterov" || !strings.Contains(err.Error(), "momentum above 0") {
		t.Errorf("%v, want job.train.nesterov refused", err)
	}
	if err := of(", momentum: 0.9"); err != nil {
		t.Error(err)
	}
}
