package traffic

import "testing"

// Flows that are drawn stay the same from one version to the next: a stream is a function of seed and name, each letter of which
// counts.
func TestStreamsStayTheSame(t *testing.T) {
	seen := map[uint64]string{}
	for _, name := range []string{"", "a", "b", "ab", "ba", "aa", "flows[0]", "flows[1]"} {
		v := NewStream(7, name).Next()
		if was, there := seen[v]; there {
			t.Errorf("%q and %q begin with the same number", name, was)
		}
		seen[v] = name
	}
	if got := NewStream(7, "flows[0]").Next(); got != 0x9cd6f0a00d72013d {
		t.Errorf("%#x", got)
	}
}
