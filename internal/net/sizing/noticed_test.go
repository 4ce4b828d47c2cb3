package sizing

import (
	"strings"
	"testing"
)

// A spine of two pods has uplinks, one of a single pod none.
func TestSpinesOfPodsSayTheirUplinks(t *testing.T) {
	for pods, want := range map[int]bool{1: false, 2: true, 3: true} {
		w := &Network{}
		w.Design, w.Bond = "leaf-spine", 1
		w.Pods, w.PodSpines, w.Parallel, w.Segments, w.Planes, w.Groups = pods, 2, 1, 4*pods, 1, 1
		w.SpineRate, w.SuperRate, w.SpineOversubscribed.Num, w.SpineOversubscribed.Den = 1, 1, 1, 1
		if got := w.spineSum(); strings.Contains(got, "uplink") != want {
			t.Errorf("%d pods: %s", pods, got)
		}
	}
}
