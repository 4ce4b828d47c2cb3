package nic

import (
	"slices"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// What a lead met at its ports a twin met at its own; what is no port, or a link inside the host, is the same for both.
func TestATwinsPortsAreItsOwn(t *testing.T) {
	x := twin{id: 7, ports: []topo.PortID{-1, 11, 12}}
	got := x.segments(nil, []exec.Segment{{Until: 1, Cause: cause.Queueing, At: 1},
		{Until: 2, Cause: cause.PCIe, At: 2}, {Until: 3, Cause: cause.Pause, At: 2},
		{Until: 4, Cause: cause.NVLink, At: -1}, {Until: 5, Cause: cause.Queueing, At: 0}})
	if want := []exec.Segment{{Until: 1, Cause: cause.Queueing, At: 11},
		{Until: 2, Cause: cause.PCIe, At: 2}, {Until: 3, Cause: cause.Pause, At: 12},
		{Until: 4, Cause: cause.NVLink, At: -1}, {Until: 5, Cause: cause.Queueing, At: 0}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := x.hops(nil, []HopWait{{Port: 2, Root: 1, Pause: 3}}); got[0] != (HopWait{Port: 12, Root: 11, Pause: 3}) {
		t.Errorf("%+v", got)
	}
	var f Flow
	x.flow(&f, &Flow{QP: 3, Tag: 4, Placed: 5, Message: &exec.Message{}}, &host.Message{Tag: 6})
	if f.QP != 7 || f.Tag != 6 || f.Placed != 5 || f.Message != nil {
		t.Errorf("%+v", f)
	}
}

// Lead and twin are held against each other, whichever is given something first: another size, another queue pair, another instant
// and something that never comes part them, and those that were first are told.
func TestWhatIsGivenIsHeldAgainstTheLeads(t *testing.T) {
	type step struct {
		at   unit.Time
		twin bool
		of   given
	}
	for name, c := range map[string]struct {
		steps []step
		want  []int32
	}{
		"the same": {[]step{{1, false, given{1, 3, 8}}, {1, true, given{1, 3, 8}}, {2, true, given{2, 4, -1}},
			{2, false, given{2, 4, -1}}}, nil},
		"two at an instant": {[]step{{1, true, given{1, 3, 8}}, {1, true, given{1, 4, 8}}, {1, false, given{1, 3, 8}},
			{1, false, given{1, 4, 8}}}, nil},
		"another order":      {[]step{{1, true, given{1, 3, 8}}, {1, true, given{1, 4, 8}}, {1, false, given{1, 4, 8}}}, []int32{0}},
		"another size":       {[]step{{1, false, given{1, 3, 8}}, {1, true, given{1, 3, 9}}}, []int32{0}},
		"a credit":           {[]step{{1, false, given{1, 3, 8}}, {1, true, given{1, 3, -1}}}, []int32{0}},
		"later":              {[]step{{1, false, given{1, 3, 8}}, {2, true, given{2, 3, 8}}}, []int32{0}},
		"one more, and late": {[]step{{1, false, given{1, 3, 8}}, {2, false, given{2, 3, 8}}}, []int32{0}},
		"never":              {[]step{{1, true, given{1, 3, 8}}}, []int32{0}},
	} {
		n := &Net{senders: make([]sender, 8), receivers: make([]receiver, 8)}
		for i := range n.senders {
			n.senders[i].card, n.receivers[i].card = &card{id: int32(i)}, &card{id: int32(i)}
		}
		n.Twin(0, []int32{3, 4}, []int32{5, 6}, nil)
		for _, s := range c.steps {
			n.pace(s.at, 3, 0, s.of, s.twin)
		}
		if got := n.Unlike(); !slices.Equal(got, c.want) || (n.Parted() == "") != (len(c.want) == 0) {
			t.Errorf("%s: %v, want %v; parted: %q", name, got, c.want, n.Parted())
		}
	}
}

// Of several images that were given something else those are told with which it was so first.
func TestTheFirstThatIsUnlikeIsTold(t *testing.T) {
	n := &Net{senders: make([]sender, 8), receivers: make([]receiver, 8)}
	for i := range n.senders {
		n.senders[i].card, n.receivers[i].card = &card{}, &card{}
	}
	for k := range int32(3) {
		n.Twin(k, []int32{0}, []int32{k + 1}, nil)
	}
	for _, x := range []struct {
		at    unit.Time
		image int32
	}{{9, 0}, {7, 1}, {7, 2}, {8, 1}} {
		n.unlike(x.at, x.image)
	}
	if got := n.Unlike(); !slices.Equal(got, []int32{1, 2}) || n.LeadOf(2) != 0 || n.LeadOf(0) != 0 {
		t.Errorf("%v", got)
	}
}
