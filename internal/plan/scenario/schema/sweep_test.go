package schema

import (
	"testing"

	"railyard/internal/plan/scenario"
)

// The schema of a sweep takes what the decoder takes, and refuses keys, types and words that it does not know.
func TestSweepSchema(t *testing.T) {
	schema := compile(t, treeOf(t, Sweep()))
	for _, c := range []struct {
		src  string
		good bool
	}{
		{"base: a.yaml\naxes: [{key: fabric.spines, values: [2, 4]}, {key: seed, range: 1..9 step 2}]", true},
		{"scenario: {cluster: {hosts: 2}, job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}}\nseeds: 1..4", true},
		{"base: a.yaml\nseeds: 7\nsample: {points: 8, design: random}\naxes: [{key: fabric.spines, range: 2..9}]", true},
		{"base: a.yaml\nfind: {smallest: fabric.switch.buffer, range: 1MB..2MB 9, with: drops == 0}", true},
		{"base: a.yaml\naxes: [{key: fabric.balance, values: [dlb, ecmp]}]\nwhere: [fabric.spines <= 8]", true},
		{"base: a.yaml\naxes: [{values: [2, 4]}]", false},
		{"base: a.yaml\naxis: [{key: fabric.spines, values: [2, 4]}]", false},
		{"base: a.yaml\nseeds: [1]", false},
		{"base: a.yaml\nseeds: 1\nsample: {design: sobel}", false},
		{"base: a.yaml\nfind: {smallest: fabric.switch.buffer, with: drops == 0}", false},
		{"base: a.yaml\nseeds: 1\nwhere: drops == 0", false},
	} {
		_, decoded := scenario.ParseSweep("r.yaml", []byte(c.src))
		v, err := asJSON(c.src)
		if err != nil {
			t.Fatal(err)
		}
		if invalid := schema.Validate(v); (decoded == nil) != c.good || (invalid == nil) != c.good {
			t.Errorf("%s\ndecoder: %v\nschema: %v\nwant taken: %v", c.src, decoded, invalid, c.good)
		}
	}
}
