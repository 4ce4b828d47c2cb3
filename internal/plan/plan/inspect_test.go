package plan

import (
	"strings"
	"testing"

	"railyard/internal/job/coll"
	"railyard/internal/plan/scenario"
)

// scheduled is a job whose schedule is in the file s.txt.
func scheduled(ranks, channels int) *Job {
	c := scenario.Collective{Channels: channels, Schedule: scenario.Some("s.txt")}
	return &Job{Spec: &scenario.Job{Collective: c}, Placement: coll.Placement{Ranks: make([]coll.Place, ranks)}}
}

// A schedule from a file is used as it is, after it is proved.
func TestScheduleFromFile(t *testing.T) {
	ring, err := coll.RingAllReduce([][]int32{{1, 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := coll.WriteText(&b, ring); err != nil {
		t.Fatal(err)
	}
	src := []byte(b.String())
	if s, err := parseSchedule(scheduled(3, 1), 3, src); err != nil || s.Op(1, 0, 0) != ring.Op(1, 0, 0) {
		t.Errorf("%v %v", s, err)
	}
	for _, c := range []struct {
		ranks, channels int
		want            string
	}{{4, 1, "ranks are 3, want 4"}, {3, 2, "channels are 1, want 2"}} {
		if _, err := parseSchedule(scheduled(c.ranks, c.channels), c.ranks, src); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%d ranks, %d channels: %v", c.ranks, c.channels, err)
		}
	}
}

// A schedule that waits for credits is as good as one that does not.
func TestScheduleWithCredit(t *testing.T) {
	ring, err := coll.RingAllReduce([][]int32{{0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	few, err := ring.Credited(2)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := coll.WriteText(&b, few); err != nil {
		t.Fatal(err)
	}
	s, err := parseSchedule(scheduled(3, 1), 3, []byte(b.String()))
	if err != nil || !s.NeedsCredit() {
		t.Errorf("%v %v", s, err)
	}
}
