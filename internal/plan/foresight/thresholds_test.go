package foresight

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan/plantest"
)

// Headroom is by the rate and the cable of each link, as its entries have them.
func TestHeadroomOfLinksThatDiffer(t *testing.T) {
	rows, _, err := Thresholds(planned(t, plantest.Links(plantest.SomeLinks, "")))
	if err != nil {
		t.Fatal(err)
	}
	headrooms := map[unit.Bytes]bool{}
	for _, r := range rows {
		headrooms[r.PFC.Headroom] = true
	}
	if len(headrooms) != 4 { // 100, 200, 400 Gb/s, and 400 over the long cable
		t.Errorf("headrooms %v", headrooms)
	}
}
