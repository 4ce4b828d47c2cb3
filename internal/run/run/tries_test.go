package run

import (
	"slices"
	"testing"

	"railyard/internal/plan/images"
)

// A run begins anew without what has shown to be unlike, for so many times; where that was not all, or goes on, each part is simulated.
func TestTriesEnd(t *testing.T) {
	var o Options
	for tries := 1; tries < mostAnew; tries++ {
		if o.apart([]images.Unlike{{Lead: 0, Image: int32(tries)}}, tries); o.each || len(o.unlike) != tries {
			t.Errorf("try %d: %+v", tries, o.unlike)
		}
	}
	if o.apart([]images.Unlike{{Lead: 0, Image: 9}}, mostAnew); !o.each {
		t.Errorf("after %d tries there are still images", mostAnew)
	}
	var other Options
	if other.apart(nil, 1); !other.each || !slices.Equal(other.unlike, nil) {
		t.Error("chance had a say, and there are still images")
	}
}
