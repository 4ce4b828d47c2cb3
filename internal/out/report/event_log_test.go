package report

import (
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// loggedRun is a run with an event of each kind, 1 us after each other.
func loggedRun(t *testing.T) *result.Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	at := unit.Time(0)
	for _, k := range result.EventKindList() {
		at = at.Add(unit.Microsecond)
		e := result.EventRow{Time: at, Kind: k.Name, Port: "rail1/host1", Class: 3, Name: "flow1", Job: "job", Frame: "data",
			PSN: 7, Bytes: 500 * unit.Kilobyte, Threshold: 400 * unit.Kilobyte, Root: "rail1/host2"}
		if k.Pair {
			e.Port, e.Class = "host2/rail1", -1
		}
		if k.Name == result.EventRate {
			e.Before, e.Rate, e.Target = 100*unit.GigabitPerSec, 50*unit.GigabitPerSec, 100*unit.GigabitPerSec
			e.Alpha, e.Window, e.Why = 0.5, 64*unit.Kilobyte, "CNP"
		}
		dir.Events().Add(e)
	}
	dir.Events().Add(result.EventRow{Time: at, Kind: result.EventCNPSent, Port: "host1/rail1", Class: -1, Name: "flow1",
		PSN: -1, LeftOut: 12})
	if err := dir.Finish(&result.Summary{State: result.Complete, Name: "small", VirtualTime: at}); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func logText(t *testing.T, f EventFilter) (*EventLog, string) {
	t.Helper()
	log, err := ReadEvents(loggedRun(t), f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := log.WriteText(&b, 80); err != nil {
		t.Fatal(err)
	}
	return log, b.String()
}

// Every kind of event has words, with units.
func TestEventLog(t *testing.T) {
	_, text := logText(t, EventFilter{Most: 100})
	scripttest.Golden(t, "events.txt", text)
	for line := range strings.Lines(text) {
		if len(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("longer than 80 columns: %s", line)
		}
	}
}

// Why a packet was lost is said.
func TestLostWords(t *testing.T) {
	for why, want := range map[string]string{
		result.LostOnLink:       "lost on the link: data 7 of flow1",
		result.LostWithoutRoute: "lost: data 7 of flow1, the switch has no route",
		result.LostOversize:     "dropped: data 7 of flow1, longer than the port takes",
		result.LostInReboot:     "lost: data 7 of flow1, the switch went down",
		result.LostByWatchdog:   "dropped: data 7 of flow1, the watchdog emptied the queue",
	} {
		e := result.EventRow{Kind: result.EventLoss, Name: "flow1", Frame: "data", PSN: 7, Why: why}
		if got := lostWords(&e); got != want {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
}

// A filter takes what it names, and counts what the table leaves out.
func TestEventFilter(t *testing.T) {
	us := func(n int) unit.Time { return unit.Time(n) * unit.Time(unit.Microsecond) }
	for _, c := range []struct {
		filter         EventFilter
		rows           int
		match, leftOut int64
	}{
		{EventFilter{}, 25, 36, 12},
		{EventFilter{Port: "rail1/host1"}, 17, 17, 0},
		{EventFilter{Port: "host*/rail1"}, 8, 19, 12},
		{EventFilter{Kinds: []string{result.EventMark, result.EventCNPSent}}, 3, 14, 12},
		{EventFilter{From: us(2), To: us(4)}, 3, 3, 0},
		{EventFilter{Flow: "flow2"}, 0, 0, 0},
		{EventFilter{Job: "job"}, 24, 24, 0},
	} {
		c.filter.Most = 100
		log, _ := logText(t, c.filter)
		if len(log.Events) != c.rows || log.Matching != c.match || log.LeftOut != c.leftOut || log.All != 25 {
			t.Errorf("%+v: %d rows, %d match, %d left out", c.filter, len(log.Events), log.Matching, log.LeftOut)
		}
	}
}
