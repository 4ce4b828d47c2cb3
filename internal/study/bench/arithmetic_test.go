package bench

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Each network that an example trains, of any kind, can be tried; what trains nothing takes nothing.
func TestArithmeticOfExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	trains := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scenario.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			continue // it wants files that are read elsewhere
		}
		wants := false
		for i := range p.Jobs {
			wants = wants || p.Jobs[i].Spec.Train != nil
		}
		got := Arithmetic(p)
		if (got > 0) != wants || math.IsNaN(got) || got > 1e-6 {
			t.Errorf("%s: %v s for an operation", file, got)
		}
		if wants {
			trains++
		}
	}
	if trains < 5 {
		t.Errorf("%d examples that train were tried", trains)
	}
}

// What is tried stands in place of the reference's cost of arithmetic, and of nothing else.
func TestEstimateWithItsArithmetic(t *testing.T) {
	e := foresight.Estimate{Work: foresight.Work{PacketHops: 1e9, FLOP: 1e12}}
	none := foresight.Estimate{Work: foresight.Work{PacketHops: 1e9}}
	if got, want := e.On(2, 3e-12).Seconds, none.On(2, 0).Seconds+3; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v s, want %v", got, want)
	}
}
