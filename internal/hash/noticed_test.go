package hash

import (
	"strings"
	"testing"
)

// A file of flows that holds none is refused with what is wanted, and where.
func TestFlowsThatAreNone(t *testing.T) {
	flows, err := ReadFlows("f.csv", []byte("\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "f.csv: no flows, want a line of ") || len(flows) > 0 {
		t.Errorf("%v, %v", flows, err)
	}
}
