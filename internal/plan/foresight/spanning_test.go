package foresight

import (
	"strings"
	"testing"

	"railyard/internal/learn/dataset"
	"railyard/internal/plan/plan/plantest"
)

// Parts of a layer on several hosts are a warning, and only they.
func TestPartsAcrossHostsAreAWarning(t *testing.T) {
	for more, want := range map[string]string{
		"": "",
		"  placement: rail-aligned\n": "job.parallel.tp: 2: tensor-parallel.stage1.replica1 is on 2 hosts, and so are 3 more: its " +
			"sums and gathers, two for each layer or pair of layers and micro-batch, cross the fabric instead of NVLink",
	} {
		p := planned(t, plantest.Layers("[784, 20, 10]", "{tp: 2, pp: 2}", more))
		got := ""
		for _, f := range Inspect(p, []dataset.Size{{Train: 640}}, nil, 0).Findings {
			if strings.Contains(f.Path, "parallel") {
				got += f.String()
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", more, got, want)
		}
	}
}
