package run

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The same bytes in every file of the run directory, however often, on however many cores and in
// however many islands.
func TestARunIsTheSameHoweverItIsComputed(t *testing.T) {
	for _, w := range weather {
		t.Run(w.name, func(t *testing.T) {
			yaml := cluster8(5) + w.fabric + w.background + training(t, 5, 3)
			first := run(t, yaml, Options{})
			want := digestOf(t, first.path)
			for _, o := range []Options{{}, {Islands: 1}, {Islands: 2}, {Islands: 3, Workers: 1}, {Islands: 7},
				{Workers: 1}, {Workers: 2}, {Islands: 2, Workers: 2}, {Islands: 5, Workers: 4}} {
				t.Run(fmt.Sprintf("%d islands, %d workers", o.Islands, o.Workers), func(t *testing.T) {
					if r := run(t, yaml, o); digestOf(t, r.path) != want {
						t.Error(firstDifference(t, first.path, r.path))
					}
				})
			}
		})
	}
}

// The resolved scenario in run.json is the whole input.
func TestTheSavedScenarioRerunsByteForByte(t *testing.T) {
	flows := cluster8(3) + `
seed: 7
fabric: {switch: {buffer: 1MB}, links: {parallel: 2}}
job:
  flows:
    - {from: host1/gpu0, to: host3/gpu0, bytes: 3MB}
    - {name: late, from: host2/gpu3, to: host3/gpu0, bytes: 2MB, start: 10us, count: 3, every: 70us}
    - {from: host1/nic2, to: host2/gpu1, bytes: 1B, priority: other}
`
	for name, yaml := range map[string]string{"flows": flows,
		"training": cluster8(5) + weather[1].fabric + weather[1].background + training(t, 4, 2)} {
		first := run(t, yaml, Options{})
		again := run(t, first.ScenarioYAML, Options{})
		if digestOf(t, first.path) != digestOf(t, again.path) {
			t.Errorf("%s: %s\n%s", name, firstDifference(t, first.path, again.path), first.ScenarioYAML)
		}
	}
}

// Another seed is another run: the digests above compare something.
func TestTheSeedMatters(t *testing.T) {
	yaml := cluster8(2) + training(t, 2, 1)
	a, b := run(t, "seed: 1\n"+yaml, Options{}), run(t, "seed: 2\n"+yaml, Options{})
	if a.WeightsSHA256 == b.WeightsSHA256 || digestOf(t, a.path) == digestOf(t, b.path) {
		t.Error("two seeds give one run")
	}
}

// firstDifference names the first file in which two run directories differ.
func firstDifference(t *testing.T, a, b string) string {
	t.Helper()
	files, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		x, _ := os.ReadFile(filepath.Join(a, f.Name()))
		y, err := os.ReadFile(filepath.Join(b, f.Name()))
		if err != nil {
			return err.Error()
		}
		for i := range x {
			if i >= len(y) || x[i] != y[i] {
				return fmt.Sprintf("%s differs at byte %d:\n%q\n%q", f.Name(), i, part(x, i), part(y, i))
			}
		}
	}
	return "other files"
}

func part(b []byte, at int) []byte { return b[min(len(b), max(0, at-40)):min(len(b), at+40)] }
