package lab

import (
	"path/filepath"
	"testing"

	"railyard/internal/plan/scenario"
)

// The text of lab 8 says that the pipeline's weights are one GPU's, bit for bit.
func TestPipelineTrainsWhatOneGPUTrains(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	l := Find(all, "8")
	t.Chdir(t.TempDir())
	one, err := l.Scenario.With(scenario.Change{Path: "cluster.hosts", Text: "1"},
		scenario.Change{Path: "cluster.host.gpus", Text: "1"},
		scenario.Change{Path: "job.parallel", Text: "{micro_batches: 4}"})
	if err != nil {
		t.Fatal(err)
	}
	digest := map[string]any{}
	for name, sc := range map[string]*scenario.Scenario{"pipeline": l.Scenario, "one": one} {
		dir := filepath.Join(t.TempDir(), name)
		if err := runScenario(t.Context(), sc, dir, nil); err != nil {
			t.Fatal(err)
		}
		run, err := readRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		digest[name] = run["weights_sha256"]
	}
	if digest["pipeline"] == nil || digest["pipeline"] != digest["one"] {
		t.Errorf("weights of the pipeline are %v, of one GPU %v", digest["pipeline"], digest["one"])
	}
}
