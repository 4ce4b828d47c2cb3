package foresight

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
	"railyard/internal/plan/plan/plantest"
)

// Jobs cost what they cost alone, and last as long as the longest of them.
func TestJobsAreEstimatedTogether(t *testing.T) {
	size := func(entries ...string) (Estimate, unit.Duration) {
		p, data := planned(t, plantest.Jobs(entries...)), []dataset.Size(nil)
		steps := make([]int64, len(p.Jobs))
		for i := range p.Jobs {
			data = append(data, dataset.Size{})
			if p.Jobs[i].Model != nil {
				data[i] = plantest.Images
			}
			steps[i] = p.Jobs[i].Steps(data[i].Train)
		}
		return EstimateOf(p, data), jobTime(p, steps)
	}
	one, first := size(plantest.Training13)
	two, second := size(plantest.AllToAll24)
	both, all := size(plantest.Training13, plantest.AllToAll24)
	if both.Steps != one.Steps+two.Steps || both.PacketHops != one.PacketHops+two.PacketHops || both.FLOP != one.FLOP {
		t.Errorf("%+v\nand %+v\nare %+v", one, two, both)
	}
	if all != max(first, second) {
		t.Errorf("%v and %v last %v together", first, second, all)
	}
	// The images are the same and read once.
	if twice, _ := size(plantest.Training13, plantest.Training24); twice.Memory > 2*one.Memory-unit.Bytes(plantest.Images.Bytes()) {
		t.Errorf("two trainings on one folder take %v, one takes %v", twice.Memory, one.Memory)
	}
}
