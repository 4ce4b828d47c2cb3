package sweep

import (
	"math"
	"slices"
	"strconv"

	"railyard/internal/base/output"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// writeColumns writes all rows as one Parquet table: point, axes, seed, state, then a column for each figure that some run
// has, and the key of the row.
func (t *Table) writeColumns(folder *output.Folder) error {
	columns := []result.WideColumn{{Name: "point"}}
	axes := t.paths()
	for _, path := range axes {
		columns = append(columns, result.WideColumn{Name: path, Text: true})
	}
	columns = append(columns, result.WideColumn{Name: "seed", Text: true}, result.WideColumn{Name: "state", Text: true},
		result.WideColumn{Name: "error", Text: true})
	figures := t.figureKeys()
	for _, key := range figures {
		columns = append(columns, result.WideColumn{Name: key})
	}
	columns = append(columns, result.WideColumn{Name: "key", Text: true})
	points := t.pointsOfRows()
	return result.WriteWide(folder, wideFile, columns, len(t.Rows), func(row, column int) result.WideCell {
		r := &t.Rows[row]
		if column == 0 {
			return result.WideCell{Number: float64(points[row])}
		}
		if column--; column < len(axes) {
			return result.WideCell{Text: r.value(axes[column])}
		}
		column -= len(axes)
		texts := []string{strconv.FormatUint(r.Seed, 10), string(r.State), r.Error}
		switch {
		case column < len(texts):
			return result.WideCell{Text: texts[column]}
		case column-len(texts) == len(figures):
			return result.WideCell{Text: r.Key}
		}
		if v, ok := r.Figures[figures[column-len(texts)]]; ok {
			return result.WideCell{Number: v}
		}
		return result.WideCell{Number: math.NaN()}
	})
}

// writeCosts writes what each row took, in the order of the rows, apart from what is compared: the same sweep again has the
// same table, and other costs.
func (t *Table) writeCosts(folder *output.Folder) error {
	columns := []result.WideColumn{{Name: "point"}, {Name: "seed", Text: true}, {Name: "key", Text: true},
		{Name: "worker", Text: true}, {Name: "seconds"}}
	points := t.pointsOfRows()
	return result.WriteWide(folder, costFile, columns, len(t.Rows), func(row, column int) result.WideCell {
		r := &t.Rows[row]
		switch columns[column].Name {
		case "point":
			return result.WideCell{Number: float64(points[row])}
		case "seed":
			return result.WideCell{Text: strconv.FormatUint(r.Seed, 10)}
		case "key":
			return result.WideCell{Text: r.Key}
		case "worker":
			return result.WideCell{Text: r.Cost.Worker}
		}
		if r.Cost == (Cost{}) { // it was not run
			return result.WideCell{Number: math.NaN()}
		}
		return result.WideCell{Number: r.Cost.Seconds}
	})
}

// value is what a row has at a key, "" if the key was not changed there.
func (r *Row) value(path string) string {
	for _, v := range r.Set {
		if v.Path == path {
			return v.Text
		}
	}
	return ""
}

// paths lists the keys that rows change: the axes, and what was looked for.
func (t *Table) paths() (all []string) {
	for _, a := range t.Axes {
		all = append(all, a.Path)
	}
	for i := range t.Rows {
		for _, v := range t.Rows[i].Set {
			if !slices.Contains(all, v.Path) {
				all = append(all, v.Path)
			}
		}
	}
	return all
}

// figureKeys lists the figures that some row has, in the order of package headline; of several jobs behind those of the
// network, by name.
func (t *Table) figureKeys() []string {
	var all []string
	seen := map[string]bool{}
	for i := range t.Rows {
		for key := range t.Rows[i].Figures {
			seen[key] = true
		}
	}
	for _, key := range headline.Keys() {
		if seen[key] {
			all = append(all, key)
			delete(seen, key)
		}
	}
	var others []string
	for key := range seen {
		others = append(others, key)
	}
	slices.Sort(others)
	return append(all, others...)
}

// pointsOfRows is the number of each row's point, from 1.
func (t *Table) pointsOfRows() []int {
	numbers := make([]int, len(t.Rows))
	at := map[string]int{}
	for i := range t.Groups {
		at[label(t.Groups[i].Set)] = i + 1
	}
	for i := range t.Rows {
		numbers[i] = at[label(t.Rows[i].Set)]
	}
	return numbers
}
