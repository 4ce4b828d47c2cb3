//go:build unix

package cli

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/trial"
	"railyard/internal/study/tune"
)

// The page of a tuning: with a frontier, and where a point drops.
func TestBrowserTune(t *testing.T) {
	b := startBrowser(t)
	const text = `name: small
cluster: {hosts: 5, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch, switch: {buffer: 600kB}, qos: {pfc: {headroom: 5kB, alpha: 8}}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 10kB}]}
`
	sc, err := scenario.Parse("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found, err := trial.Run(t.Context(), sc, trial.Options{Patterns: []string{"incast", "ring"}, Points: 6,
		Seeds: []uint64{1, 2}, Verify: []uint64{9}, Bytes: 200 * unit.Kilobyte, Prefer: tune.PreferAll})
	if err != nil {
		t.Fatal(err)
	}
	checkShown(t, b, found.Page(), []string{"frontier-paused", "frontier-throughput"})
}
