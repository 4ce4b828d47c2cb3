package schema

import (
	"os"
	"testing"

	"railyard/internal/plan/scenario"
)

// The schema of a requirement takes what the decoder takes, and refuses keys, types and words that it does not
// know.
func TestRequirementSchema(t *testing.T) {
	schema := compile(t, treeOf(t, Requirement()))
	example, err := os.ReadFile("../../../../examples/design/pod-1024.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		src  string
		good bool
	}{
		{string(example), true},
		{"gpus: 8\nbackend: {leaf: a, pods: auto, spines: 4}\nmodels: [{name: a, ports: 4, rate: 1Gb/s, height: 2U, power: 1.5kW}]",
			true},
		{"gpus: 8\nlater: same\nbackend: {leaf: sn5600}\nracks: {power: unbounded}\nprices: [{item: a b, each: 1.50USD}]", true},
		{"gpus: 8\nbackend: {leaf: sn5600, oversubscription: 3/2}\ndesigns: [leaf-spine]\noptics: {nic: auto}", true},
		{"gpus: 8", false},
		{"backend: {leaf: sn5600}", false},
		{"gpus: 8\nbackend: {leaf: sn5600, spnes: 4}", false},
		{"gpus: 8\nbackend: {leaf: sn5600}\ndesigns: [torus]", false},
		{"gpus: 8\nbackend: {leaf: sn5600}\nhost: {height: 8}", false},
		{"gpus: 8\nbackend: {leaf: sn5600}\nprices: [{item: a, each: 4}]", false},
		{"gpus: many\nbackend: {leaf: sn5600}", false},
		{"gpus: 8\nbackend: {leaf: sn5600}\nmodels: []", false},
	} {
		_, decoded := scenario.ParseRequirement("r.yaml", []byte(c.src))
		v, err := asJSON(c.src)
		if err != nil {
			t.Fatal(err)
		}
		if invalid := schema.Validate(v); (decoded == nil) != c.good || (invalid == nil) != c.good {
			t.Errorf("%s\ndecoder: %v\nschema: %v\nwant taken: %v", c.src, decoded, invalid, c.good)
		}
	}
}
