package headline

import "testing"

// Each figure has a key of its own, by which its unit is found.
func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for i, key := range Keys() {
		name := Names()[i]
		u, ok := UnitOf(key)
		if !ok || seen[key] {
			t.Errorf("%s has the key %s, of which a unit is %v", name, key, ok)
		}
		seen[key] = true
		if of, ok := UnitOf(Key(Named("a", name))); !ok || of != u {
			t.Errorf("%s of a job: %v", name, ok)
		}
	}
	for name, want := range map[string]string{"step time": "step_time", "samples/s": "samples_per_s", "step, p99": "step_p99",
		"GPU utilisation": "gpu_utilisation", "packet-hops": "packet_hops", "b: step time": "b.step_time"} {
		if got := Key(name); got != want {
			t.Errorf("%s has the key %s, want %s", name, got, want)
		}
	}
}
