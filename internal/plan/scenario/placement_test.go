package scenario

import (
	"strings"
	"testing"

	"railyard/internal/base/located"
)

const placed = `cluster: {hosts: 2, host: {gpus: 4}}
job:
  train: {layers: [784, 10], data: d, batch: 1, lr: 0.1}
`

// A placement that cannot be is refused at its place, with what would be accepted.
func TestPlacementMistakes(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"scatterd", "scatterd: unknown, want packed, rail-aligned or scattered"},
		{"host1/gpu0", "a list stands in brackets: [host1/gpu0]"},
		{"[]", "0 entries, want 1 to 32768: a GPU for each rank"},
		{"[host1/gpu0, host1]", "entry 2: host1: want hostN/gpuM or hostN/nicM"},
		{"[host1/gpu0, host1/nic0]", "entry 2: host1/nic0: a rank runs on a GPU"},
		{"[host1/gpu0, {a: b}]", "entry 2: keys and values, want a GPU such as host1/gpu0"},
		{"[host1/gpu0]", "1 GPUs for 2 ranks, want one for each"},
		{"[host1/gpu0, host3/gpu0]", "entry 2: host3/gpu0: no such host, want host1 to host2"},
		{"[host1/gpu0, host1/gpu4]", "entry 2: host1/gpu4: no such GPU, want gpu0 to gpu3"},
		{"[host2/gpu1, host2/gpu1]", "entry 2: host2/gpu1: rank 0 runs there already"},
	} {
		job := "  parallel: {dp: 2}\n  placement: " + c.value + "\n"
		_, err := Parse("a.yaml", []byte(placed+job))
		if err == nil || !strings.Contains(err.(located.Problems).Error()+hints(err), c.want) {
			t.Errorf("%s: %v, want %s", c.value, err, c.want)
		}
	}
	s := parse(t, placed+"  parallel: {dp: 2}\n  placement: [host2/gpu1, host1/gpu3]\n")
	if got := s.Jobs[0].Placement.String(); got != "[host2/gpu1, host1/gpu3]" {
		t.Errorf("placement %s", got)
	}
}

func hints(err error) (all string) {
	for _, p := range err.(located.Problems) {
		all += p.Hint
	}
	return all
}
