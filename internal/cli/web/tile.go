package web

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// tileBins is how many bins of time a tile of the map has.
const tileBins = 16

// tileFigures are the figures of a tile, in order. use and paused are shares of the time, 0 to 1; marks and drops are
// counted; a queue is in bytes, of the port's longest class. Of several intervals in a bin use, paused are means, use_high
// and queue the greatest, marks and drops sums.
var tileFigures = []string{"use", "use_high", "paused", "marks", "drops", "queue"}

// tileHeader begins a tile: its length (uint32, little-endian), itself as JSON, padded with spaces to a multiple of eight,
// then float64 in little-endian order: by figure, then bin, then port as /api/topology numbers them.
type tileHeader struct {
	Version int           `json:"version"` // of the ports
	Level   int           `json:"level"`   // a bin has 1 << level intervals; 0: it is one, and its figures are the row's
	Index   int64         `json:"index"`
	From    unit.Time     `json:"from_ps"`
	Width   unit.Duration `json:"width_ps"` // of a bin
	Bins    int           `json:"bins"`     // fewer at the end of the run
	Ports   int           `json:"ports"`
	Figures []string      `json:"figures"`
}

// tile is what the ports of a run had in some bins.
type tile struct {
	tileHeader
	values []float64
}

func (t *tables) newTile(level int, index int64) *tile {
	s := t.series
	h := tileHeader{Level: level, Index: index, Width: s.every << level, Ports: len(t.ports), Figures: tileFigures}
	h.From = unit.Time(index * tileBins * int64(h.Width))
	all := (s.ports.ends + int64(1)<<level - 1) >> level
	h.Bins = int(min(tileBins, max(all-index*tileBins, 0)))
	return &tile{h, make([]float64, len(tileFigures)*h.Bins*h.Ports)}
}

// put says what a figure of a port was in a bin; of several the greatest counts.
func (t *tile) put(figure, bin, port int, v float64) {
	at := &t.values[(figure*t.Bins+bin)*t.Ports+port]
	*at = max(*at, v)
}

// checkTile says that there is no such tile.
func (t *tables) checkTile(level int, index int64) error {
	s := t.series
	if level != 0 && (level < s.ports.base || level > s.ports.top()) {
		return fmt.Errorf("level %d: want 0, or %d to %d", level, s.ports.base, s.ports.top())
	}
	if last := (s.ports.ends - 1) >> level / tileBins; index < 0 || index > max(last, 0) {
		return fmt.Errorf("tile %d of level %d: want 0 to %d", index, level, max(last, 0))
	}
	return nil
}

// tile returns a tile: from the pyramid, or, of level 0, from the rows.
func (t *tables) tile(ctx context.Context, level int, index int64) (*tile, error) {
	if err := t.checkTile(level, index); err != nil {
		return nil, err
	}
	if level == 0 {
		return t.exactTile(ctx, index)
	}
	s := t.series
	out := t.newTile(level, index)
	put := func(track int, each func(bin int, c cell, intervals float64)) {
		if track < 0 {
			return
		}
		cells := s.ports.at(level, track)
		for b := range out.Bins {
			k := index*tileBins + int64(b)
			n := min(int64(1)<<level, s.ports.ends-k<<level)
			each(b, cells[k], float64(n))
		}
	}
	for i := range t.ports {
		l := s.links[t.ports[i].Port]
		if l == nil {
			continue
		}
		put(l.use, func(b int, c cell, _ float64) {
			out.put(0, b, i, float64(c.Mean))
			out.put(1, b, i, float64(c.High))
		})
		put(l.paused, func(b int, c cell, _ float64) { out.put(2, b, i, float64(c.Mean)) })
		put(l.marks, func(b int, c cell, n float64) { out.put(3, b, i, math.Round(float64(c.Mean)*n)) })
		put(l.drops, func(b int, c cell, n float64) { out.put(4, b, i, math.Round(float64(c.Mean)*n)) })
	}
	for q, track := range s.queues {
		if i, known := t.at[q.Port]; known {
			put(track, func(b int, c cell, _ float64) { out.put(5, b, i, float64(c.High)) })
		}
	}
	return out, nil
}

// exactTile reads the rows of a tile of level 0.
func (t *tables) exactTile(ctx context.Context, index int64) (*tile, error) {
	s := t.series
	out := t.newTile(0, index)
	if out.Bins == 0 {
		return out, nil
	}
	until := out.From.Add(unit.Duration(out.Bins) * s.every)
	queues := map[queueName]*heldBins{}
	first, last := s.overlapping(out.From, until)
	before := s.before.last(first)
	for _, h := range before.values {
		queues[h.key] = &heldBins{now: h.value}
	}
	err := s.rowsOf(ctx, ofPairs, before.group, last, until, func(r *result.SeriesRow) {
		b := int((int64(r.From) - int64(out.From)) / int64(s.every))
		i, known := t.at[r.Port]
		switch {
		case r.Kind == result.SeriesQueue:
			h := queues[queueName{r.Port, r.Class}]
			if h == nil {
				h = &heldBins{}
				queues[queueName{r.Port, r.Class}] = h
			}
			h.set(b, float64(r.Bytes))
		case r.Kind == result.SeriesLink && known && r.From >= out.From:
			out.put(0, b, i, r.Utilisation)
			out.put(1, b, i, r.Utilisation)
			out.put(2, b, i, float64(r.Paused)/float64(r.Until.Sub(r.From)))
			out.put(3, b, i, float64(r.Marks))
			out.put(4, b, i, float64(r.Drops))
		}
	})
	if err != nil {
		return nil, err
	}
	for q, h := range queues {
		if i, known := t.at[q.Port]; known {
			h.set(out.Bins, 0)
			for b, v := range h.bins[:out.Bins] {
				out.put(5, b, i, v)
			}
		}
	}
	return out, nil
}

// heldBins is what a queue held in each bin of a tile.
type heldBins struct {
	now  float64
	bins []float64 // those before the last sample
}

// set says what it held in a bin; before the first bin it only counts for later.
func (h *heldBins) set(bin int, v float64) {
	for len(h.bins) < bin {
		h.bins = append(h.bins, h.now)
	}
	h.now = v
}

// rowsOf hands on the rows of some row groups until a time, without some columns. Of queues.parquet they are told as if of a series.
func (s *seriesTable) rowsOf(ctx context.Context, without *result.Leave, first, last int, until unit.Time,
	row func(*result.SeriesRow)) error {
	for i := first; i <= last; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if s.groups != nil {
			err = s.groups.EachOf(i, without, func(r *result.SeriesRow) bool {
				if r.From < until {
					row(r)
				}
				return r.From < until
			})
		} else {
			err = s.sampled.EachOf(i, nil, func(r *result.QueueRow) bool {
				at := unit.Time(int64(r.Time) / int64(s.every) * int64(s.every))
				if at < until {
					row(&result.SeriesRow{From: at, Until: at.Add(s.every), Kind: result.SeriesQueue, Port: r.Port, Class: r.Class,
						Bytes: r.Bytes})
				}
				return true
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// encode writes a tile as tileHeader says.
func (t *tile) encode() ([]byte, error) {
	head, err := json.Marshal(t.tileHeader)
	if err != nil {
		return nil, err
	}
	for (len(head)+4)%8 != 0 {
		head = append(head, ' ')
	}
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+8*len(t.values)), uint32(len(head)))
	out = append(out, head...)
	for _, v := range t.values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}
