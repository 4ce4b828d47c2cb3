package report

import (
	"fmt"

	"railyard/internal/cause"
	"railyard/internal/diagnose"
	"railyard/internal/result"
	"railyard/internal/unit"
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

// lostFigure shows at which ports time was lost, whatever the state in which it passed.
func lostFigure(d *Data) []Figure {
	g := d.Summary.Diagnosis
	if g == nil {
		return nil
	}
	rows, more := lostRows(g)
	if len(rows) == 0 {
		return nil
	}
	title := "What was lost at which port"
	caption := "Time attributed to ports, of " + g.Subject + ": rate limits, windows and pauses stand at the port " +
		"that brought them about."
	if more > 0 {
		caption += fmt.Sprintf(" The first %d of %d ports.", len(rows), len(rows)+more)
	}
	return one(Figure{Name: "lost", Title: title, Caption: caption,
		Draw: func(w float64) *Drawing { return drawSplits(w, title, "time attributed", rows) }})
}

// lostRows sums what is attributed to each port, the largest first, of at least a hundredth of the whole.
func lostRows(g *diagnose.Diagnosis) (rows []splitRow, more int) {
	at := map[string]int{}
	for i := range g.Blames {
		b := &g.Blames[i]
		if b.Port == "" || !b.Kind.Congestion() {
			continue
		}
		k, known := at[b.Port]
		if !known {
			if unit.Share(g.Attributed(b), g.Whole) < 0.01 {
				continue
			}
			if len(rows) == shownPorts {
				at[b.Port] = -1
				more++
				continue
			}
			k = len(rows)
			at[b.Port] = k
			rows = append(rows, splitRow{name: b.Port})
		}
		if k < 0 {
			continue
		}
		for _, f := range b.Felt {
			c := causeOf(f.Cause)
			rows[k].split[c] += f.Time
			rows[k].tip[c] += fmt.Sprintf("; %s, %s", b.Kind, f.Time.Human())
		}
	}
	sortRows(rows)
	return rows, more
}

// Hop is how long a port of its path held a message up.
type Hop struct {
	Port  string
	Root  string      // of a pause: the port from whose queue it spread
	Split cause.Split // own queueing, queueing and pause
}

func (h *Hop) queueing() unit.Duration { return h.Split[cause.Queueing] }
