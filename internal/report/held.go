package report

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// PortLoad is how long messages were held up at a port, in all.
type PortLoad struct {
	Hop
	Messages int64
}

// readHops sums the hops by port, and keeps those of the slowest messages.
func (d *Data) readHops(run *result.Run) error {
	f := d.Flows
	f.SlowHops = map[int64][]Hop{}
	for i := range f.Slowest {
		f.SlowHops[f.Slowest[i].ID] = nil
	}
	ports := map[string]*PortLoad{}
	for row, err := range run.Hops() {
		if err != nil {
			return err
		}
		h := hopOf(&row)
		if hops, ok := f.SlowHops[row.Flow]; ok {
			f.SlowHops[row.Flow] = append(hops, h)
		}
		p := ports[row.Port]
		if p == nil {
			p = &PortLoad{Hop: Hop{Port: row.Port}}
			ports[row.Port] = p
		}
		p.Split.Add(&h.Split)
		p.Messages++
	}
	for _, p := range ports {
		f.Held = append(f.Held, *p)
	}
	slices.SortFunc(f.Held, func(a, b PortLoad) int {
		return cmp.Or(cmp.Compare(b.Split.Sum(), a.Split.Sum()), byName(a.Port, b.Port))
	})
	return nil
}

func hopOf(row *result.HopRow) Hop {
	h := Hop{Port: row.Port}
	h.Split[cause.Queueing], h.Split[cause.Pause] = row.Queueing, row.Pause
	return h
}

// heldFigure shows at which ports messages were held up, where that was at least a
// hundredth of their time.
func heldFigure(d *Data) []Figure {
	if d.Flows == nil || len(d.Flows.Held) == 0 {
		return nil
	}
	var lost, whole unit.Duration
	for _, p := range d.Flows.Held {
		lost += p.Split.Sum()
	}
	for _, m := range d.Flows.ByKind {
		whole += m.Time
	}
	if result.Share(lost, whole) < 0.01 {
		return nil
	}
	all := d.Flows.Held
	rows := make([]splitRow, 0, shownPorts)
	for _, p := range all[:min(len(all), shownPorts)] {
		r := splitRow{name: p.Port, split: p.Split}
		for c := range r.tip {
			r.tip[c] = ", of " + count(p.Messages, "message")
		}
		rows = append(rows, r)
	}
	title := "Queueing and pauses by port"
	caption := "How long messages were held up at a port, summed over all messages: at a NIC's own port while their packets waited to be sent, at a switch as far as the packet that completed a message waited there."
	if len(all) > len(rows) {
		caption += fmt.Sprintf(" The first %d of %d ports.", len(rows), len(all))
	}
	return one(Figure{Name: "held-up", Title: title, Caption: caption,
		Draw: func(w float64) *Drawing { return drawSplits(w, title, "time of messages", rows) }})
}
