package sim

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
)

// putOff does nothing at its times until somebody looks.
type putOff struct {
	isl  *Island
	at   []unit.Time
	done []unit.Time
}

func (p *putOff) CatchUp(isl *Island, until unit.Time) (next unit.Time) {
	if isl != p.isl {
		return unit.Never
	}
	for len(p.at) > 0 && p.at[0] <= until {
		isl.Did(p.at[0])
		p.done, p.at = append(p.done, p.at[0]), p.at[1:]
	}
	if len(p.at) == 0 {
		return unit.Never
	}
	return p.at[0]
}

// What was put off happens in the window that it belongs to, counts as events, and keeps a run going; not what lies
// behind its end.
func TestWhatIsPutOff(t *testing.T) {
	for _, workers := range []int{1, 2} {
		e := New([]int{1, 1, 1}, 10)
		e.SetWorkers(workers)
		p := &putOff{isl: e.Island(1), at: []unit.Time{3, 9, 12, 40, 41, 60, 61}}
		e.SetLate(p)
		e.Register(0, &diary{})
		e.At(1, 3, MakeKey(Timer, 0, 1))
		type window struct{ end, now, done int }
		var got []window
		e.OnWindow(func(end unit.Time) { got = append(got, window{int(end), int(e.Now()), len(p.done)}) })
		e.StopAt(60)
		if !e.Run() {
			t.Error("it was interrupted")
		}
		if want := []window{{13, 12, 3}, {50, 41, 5}, {70, 60, 6}}; !slices.Equal(got, want) {
			t.Errorf("%d workers: windows %v, want %v", workers, got, want)
		}
		if e.Events() != 7 {
			t.Errorf("%d workers: %d events, want 7: one of its own, and six that were put off", workers, e.Events())
		}
	}
}
