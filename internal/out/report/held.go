package report

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// readHops keeps the hops of the slowest messages.
func (d *Data) readHops(run *result.Run) error {
	f := d.Flows
	f.SlowHops = map[int64][]Hop{}
	for i := range f.Slowest {
		f.SlowHops[f.Slowest[i].ID] = nil
	}
	for row, err := range run.Hops() {
		if err != nil {
			return err
		}
		if hops, ok := f.SlowHops[row.Flow]; ok && len(hops) < maxHeld {
			f.SlowHops[row.Flow] = append(hops, hopOf(&row))
		}
	}
	return nil
}

func hopOf(row *result.HopRow) Hop {
	h := Hop{Port: row.Port, Root: row.Root}
	h.Split[cause.OwnQueueing], h.Split[cause.Queueing], h.Split[cause.Pause] = row.OwnQueueing, row.Queueing, row.Pause
	return h
}

// Hop is how long a port of its path held a message up.
type Hop struct {
	Port  string
	Root  string      // of a pause: the port from whose queue it spread
	Split cause.Split // own queueing, queueing and pause
}

func (h *Hop) queueing() unit.Duration { return h.Split[cause.Queueing] }
