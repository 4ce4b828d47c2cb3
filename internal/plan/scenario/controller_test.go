package scenario

import "testing"

// What is said of each controller, by what its paper has senders look at: each that scenarios may name stands here.
func TestWhatControllersLookAt(t *testing.T) {
	type looks struct{ reacts, marks, otherwise, window, acks bool }
	want := map[Controller]looks{
		Uncontrolled: {},
		ByDCQCN:      {reacts: true, marks: true},
		ByHPCC:       {reacts: true, otherwise: true, window: true, acks: true},
		ByTIMELY:     {reacts: true, otherwise: true, acks: true},
		ByDCTCP:      {reacts: true, marks: true, window: true, acks: true},
		BySwift:      {reacts: true, otherwise: true, window: true, acks: true},
	}
	for _, choice := range CongestionAlgorithms {
		c := Controller(choice.Name)
		is, there := want[c]
		if got := (looks{c.Reacts(), c.NeedsMarks(), c.worksWithoutMarks(), c.Windowed(), c.perAck()}); got != is || !there {
			t.Errorf("%s: %+v, want %+v (%t)", c, got, is, there)
		}
		delete(want, c)
	}
	if len(want) > 0 {
		t.Errorf("no scenario may name %v", want)
	}
}
