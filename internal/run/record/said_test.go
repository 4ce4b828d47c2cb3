package record

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/result"
)

// The alpha of ports is one, or from the least to the largest, in whatever order they are listed.
func TestAlphasOfAllPorts(t *testing.T) {
	half, quarter, eighth := unit.Ratio{Num: 1, Den: 2}, unit.Ratio{Num: 1, Den: 4}, unit.Ratio{Num: 1, Den: 8}
	for _, c := range []struct {
		alphas []unit.Ratio
		want   string
	}{{[]unit.Ratio{eighth}, "1/8"}, {[]unit.Ratio{quarter, quarter}, "1/4"}, {[]unit.Ratio{eighth, half, quarter}, "1/8 to 1/2"},
		{[]unit.Ratio{half, quarter, eighth}, "1/8 to 1/2"}, {[]unit.Ratio{quarter, half, eighth, quarter}, "1/8 to 1/2"}} {
		rows := make([]qos.Row, len(c.alphas))
		for i, a := range c.alphas {
			rows[i].PFC.Alpha = a
		}
		if got := alphas(rows); got != c.want {
			t.Errorf("%v: %s, want %s", c.alphas, got, c.want)
		}
	}
}

// The usual line is the middle one, of two in the middle the faster.
func TestUsualLine(t *testing.T) {
	r := training(t)
	g := r.plan.Graph
	for _, c := range []struct{ slow, want unit.Bitrate }{{0, 100}, {3, 100}, {4, 100}, {5, 40}, {8, 40}} { // of eight NICs
		for i := range g.NICs {
			rate := unit.Bitrate(100)
			if i*3%8 < int(c.slow) { // in any order
				rate = 40
			}
			g.Ports[g.NICs[i].Port].Rate = rate * unit.GigabitPerSec
		}
		if got := r.usualLine() / unit.GigabitPerSec; got != c.want {
			t.Errorf("%d NICs of 8 are slow: %d Gb/s, want %d", c.slow, got, c.want)
		}
	}
}

// What gave up comes first, then what was posted first; of two alike the one that was told first.
func TestOrderOfOpenMessages(t *testing.T) {
	r := &Recorder{stuck: []result.OpenMessage{{Name: "late", Posted: 9}, {Name: "early", Posted: 2}, {Name: "again", Posted: 9},
		{Name: "gave up late", Posted: 20, Waits: result.WaitsNone}, {Name: "gave up", Posted: 5, Waits: result.WaitsNone},
		{Name: "paused", Posted: 1, Waits: result.WaitsPause}}}
	r.sortStuck()
	for i, want := range []string{"gave up", "gave up late", "paused", "early", "late", "again"} {
		if r.stuck[i].Name != want {
			t.Errorf("place %d: %s, want %s", i, r.stuck[i].Name, want)
		}
	}
}

// A series, and a collector, stop after as many intervals as they write.
func TestIntervalsEnd(t *testing.T) {
	r := training(t)
	w := &watch{plan: r.plan, network: newTold(), table: &result.Table[telemetry.Row]{}, every: unit.Second, from: 5}
	for done, want := range map[int]unit.Time{0: 5, mostWritten - 1: 5, mostWritten: unit.Never, mostWritten + 1: unit.Never} {
		if w.done = done; w.due() != want {
			t.Errorf("after %d intervals devices are read at %d, want %d", done, w.due(), want)
		}
	}
	s := &series{table: &result.Table[result.SeriesRow]{}, every: unit.Second, most: 7, ended: 5}
	for done, want := range map[int]unit.Time{6: 5 + unit.Time(unit.Second), 7: unit.Never} {
		if s.done = done; s.due() != want {
			t.Errorf("after %d intervals of 7 the next ends at %d, want %d", done, s.due(), want)
		}
	}
	if s.auto = true; s.due() == unit.Never {
		t.Error("a series that names no interval ends")
	}
}
