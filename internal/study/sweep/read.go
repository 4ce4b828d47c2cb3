package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"railyard/internal/base/input"
	"railyard/internal/base/objects"
	"railyard/internal/base/shown"
	"railyard/internal/out/result"
)

// maxTable bounds sweep.json: the 100,000 rows that there are at most take 32 to 60 MB.
const maxTable = 64 << 20

// IsDir reports whether a directory is that of a sweep.
func IsDir(path string) bool {
	_, err := os.Lstat(filepath.Join(path, tableFile))
	return err == nil
}

// Read reads the table of a sweep that came to its end, or was interrupted. Groups are found anew
// from the rows, so what a file says of them does not matter.
func Read(path string) (*Table, error) {
	b, err := input.ReadIn(context.Background(), path, tableFile, maxTable)
	if err != nil {
		return nil, fmt.Errorf("sweep directory %s: %s: %w", path, tableFile, input.Cause(err))
	}
	// A row of two bytes takes hundreds in memory; those that a sweep writes are indented, with many keys.
	if err := objects.Check(b); err != nil {
		return nil, fmt.Errorf("sweep directory %s: %s is damaged: %w", path, tableFile, err)
	}
	var kept struct {
		Table
		Rows objects.List[Row] `json:"rows"`
	}
	if err := json.Unmarshal(b, &kept); err != nil {
		return nil, fmt.Errorf("sweep directory %s: %s is damaged: %s", path, tableFile, shown.Lines(err.Error()))
	}
	kept.Table.Rows = kept.Rows
	if kept.State == result.Running {
		return nil,
			fmt.Errorf("sweep directory %s: holds no table yet: the sweep is still going, or was killed; the command "+
				"that made it goes on with --out %s where it stopped", path, path)
	}
	rows, err := kept.grid()
	if err != nil {
		return nil, fmt.Errorf("sweep directory %s: %s is damaged: %w", path, tableFile, err)
	}
	t := NewTableOf(kept.Name, kept.Axes, kept.Points, kept.Seeds, rows)
	t.Version, t.Dir, t.Left, t.Found, t.Best, t.With, t.Kept = kept.Version, path, kept.Left, kept.Found, kept.Best, kept.With,
		kept.Kept
	return t, nil
}

// grid puts the rows where their variants are; the others have no State.
func (t *Table) grid() ([]Row, error) {
	texts := []string{t.Name, t.Version}
	total := max(1, len(t.Seeds))
	for _, a := range t.Axes {
		texts = append(append(texts, a.Path), a.Values...)
		if t.Points != nil {
			continue
		}
		if total *= len(a.Values); total < 1 || total > MaxVariants {
			return nil, fmt.Errorf("axis %q of %d values: want 1 to %d variants in all", a.Path, len(a.Values),
				MaxVariants)
		}
	}
	if t.Points != nil && len(t.Points) > MaxVariants/total {
		return nil, fmt.Errorf("%d points with %d seeds: want at most %d variants in all", len(t.Points), len(t.Seeds), MaxVariants)
	} else if t.Points != nil {
		total *= len(t.Points)
	}
	texts = append(texts, t.said()...)
	rows := make([]Row, total)
	at := map[string]int{} // of a point
	for n := range rows {
		if point := n / max(1, len(t.Seeds)); t.Points == nil {
			rows[n].Set = values(t.Axes, point)
		} else {
			rows[n].Set = t.Points[point]
			at[label(rows[n].Set)] = point
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		texts = append(texts, string(r.State), r.Error)
		n, ok := t.place(r, at)
		if !ok {
			return nil, fmt.Errorf("row %d: %s, seed %d: no such variant", i, shown.Lines(label(r.Set)), r.Seed)
		}
		if r.State == "" || r.least() < 0 {
			return nil, fmt.Errorf("row %d: no state, or a figure below 0", i)
		}
		rows[n] = *r
	}
	if i := slices.IndexFunc(texts, func(s string) bool { return s != shown.Lines(s) }); i >= 0 {
		return nil, fmt.Errorf("a control character in %q", texts[i])
	}
	return rows, nil
}

// place is the number of the variant that a row is of; points has the number of each, if they are listed.
func (t *Table) place(r *Row, points map[string]int) (n int, ok bool) {
	if t.Points != nil {
		n, ok = points[label(r.Set)]
	} else {
		n, ok = t.combination(r.Set)
	}
	if !ok || len(t.Seeds) == 0 {
		return n, ok
	}
	k := slices.Index(t.Seeds, r.Seed)
	return n*len(t.Seeds) + k, k >= 0
}

// combination is the number of a combination of the axes' values.
func (t *Table) combination(set []Value) (n int, ok bool) {
	if len(set) != len(t.Axes) {
		return 0, false
	}
	for i, a := range t.Axes {
		k := slices.Index(a.Values, set[i].Text)
		if k < 0 || set[i].Path != a.Path {
			return 0, false
		}
		n = n*len(a.Values) + k
	}
	return n, true
}

// said lists the texts of a table beside its axes and rows.
func (t *Table) said() (texts []string) {
	sets := slices.Clone(t.Points)
	texts = append(append(texts, t.With), t.Kept...)
	for _, f := range t.Found {
		sets = append(sets, f.Set)
		texts = append(append(texts, f.Path, f.Value, f.Beside, f.From, f.To), f.Against...)
	}
	if t.Best != nil {
		sets = append(sets, t.Best.Set)
		texts = append(texts, t.Best.Figure, t.Best.Over)
	}
	for _, set := range sets {
		for _, v := range set {
			texts = append(texts, v.Path, v.Text)
		}
	}
	return texts
}

// least is the smallest of all figures of a row.
func (r *Row) least() int64 {
	return min(r.Steps, int64(r.StepTime), int64(r.StepP99), int64(r.MeanFCT), int64(r.SlowestFCT), int64(r.Unfinished),
		int64(r.VirtualTime), r.PacketHops, r.ECNMarks, r.Pauses, r.Drops, r.Retransmits, int64(r.Paused), int64(r.QueueDelay),
		int64(r.Exposed), int64(r.Memory), int64(r.Bytes), int64(r.Between), int64(math.Floor(min(r.MFU, r.HFU, r.Bubble))))
}
