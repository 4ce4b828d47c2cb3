package machine

import (
	"testing"
	"testing/fstest"

	"railyard/internal/base/unit"
)

// A controller is listed by its whole name.
func TestListedControllers(t *testing.T) {
	for list, want := range map[string]bool{"memory": true, "cpu,memory": true, "cpu,cpuacct": false, "memory2": false, "": false} {
		if listed(list, "memory") != want {
			t.Errorf("memory in %q: want %v", list, want)
		}
	}
}

// Of several keys the last line counts; a file without any says nothing.
func TestStatistics(t *testing.T) {
	root := fstest.MapFS{"memory.stat": {Data: []byte("anon 5\ninactive_file 7\ntotal_inactive_file 9\nfile x\n")}}
	for _, c := range []struct {
		name string
		keys []string
		want unit.Bytes
		ok   bool
	}{
		{"memory.stat", []string{"inactive_file"}, 7, true}, {"memory.stat", []string{"inactive_file", "total_inactive_file"}, 9, true},
		{"memory.stat", []string{"file"}, 0, false}, {"none", []string{"anon"}, 0, false},
	} {
		if got, ok := statistic(root, c.name, c.keys...); got != c.want || ok != c.ok {
			t.Errorf("%s %v: %d, %v", c.name, c.keys, got, ok)
		}
	}
}
