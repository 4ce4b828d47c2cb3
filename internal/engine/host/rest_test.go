package host

import (
	"testing"

	"railyard/internal/base/unit"
)

// An agenda is the same when ranks have as much left to compute, in whatever order it was planned; alarms do not count.
func TestAgendasThatAreTheSame(t *testing.T) {
	at := func(now unit.Time, all ...entry) uint64 {
		h := Hosts{hosts: make([]host, 2)}
		for i, e := range all {
			e.at += now
			h.hosts[i%2].agenda.Push(e.key())
		}
		return h.Agenda(now)
	}
	one, other := entry{at: 5, what: workDone, a: 1, b: 2}, entry{at: 7, what: workDone, a: 3, b: 4}
	alarm := entry{at: 6, what: workAlarm, alarm: 3, a: 1}
	was := at(100, one, other)
	if at(900, other, one, alarm) != was {
		t.Error("the same is another, later and in another order")
	}
	for name, e := range map[string]entry{"later": {at: 8, what: workDone, a: 3, b: 4}, "another rank": {at: 7, what: workDone, a: 2, b: 4},
		"another operation": {at: 7, what: workDone, a: 3, b: 5}} {
		if at(100, one, e) == was {
			t.Errorf("%s: it is the same", name)
		}
	}
	if at(100, one) == was || at(100, one, other, other) == was {
		t.Error("one less or more is the same")
	}
}
