package scenario

import "testing"

// Without a drop threshold nothing is dropped by it.
func TestNoDropThreshold(t *testing.T) {
	var q QoS
	if got := q.Drops(); got.Bytes != 0 {
		t.Errorf("%v", got)
	}
}
