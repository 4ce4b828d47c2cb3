package run

import (
	"strings"
	"testing"

	"railyard/internal/net/cc"
)

// Receivers send CNPs where the senders' algorithm looks at them, or where the file says so.
func TestCNPsFollowTheAlgorithm(t *testing.T) {
	marking := "fabric: {design: single-switch, qos: {ecn: {min: 5kB, max: 50kB}}}\ncongestion: {algorithm: "
	for name := range cc.Algorithms {
		for _, notify := range []string{"", ", notify: cnp"} {
			yaml := strings.ReplaceAll(strings.Replace(incast(4, marking+name+notify+"}\n"), "preset: hpcc-ns3\n", "",
				1), "10MB", "1MB")
			s := run(t, yaml, Options{}).Summary
			if want := name == "dcqcn" || notify != ""; s.ECNMarks == 0 || (s.CNPs > 0) != want {
				t.Errorf("%s%s: %d marks, %d CNPs, want CNPs: %v", name, notify, s.ECNMarks, s.CNPs, want)
			}
			if noteWith(s, "no CNPs: congestion.notify is ") != (s.CNPs == 0) {
				t.Errorf("%s%s: %d CNPs, notes %q", name, notify, s.CNPs, s.Notes)
			}
		}
	}
}
