package commission

import "testing"

// What is not among the checks is said.
func TestWithoutChecks(t *testing.T) {
	if got := without(nil); got != "" {
		t.Errorf("nothing is missing, and it says %q", got)
	}
	if got, want := without([]string{"BGP", "LLDP"}), "nothing is expected here of BGP; of LLDP"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
