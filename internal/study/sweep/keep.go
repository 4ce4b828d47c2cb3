package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// Keep says of which rows whole run directories are left.
type Keep struct {
	Best   bool // else the worst
	Rows   int
	Figure string // by headline.Key; "": the first by which variants are compared
}

// maxKept bounds how many run directories a sweep leaves.
const maxKept = 1000

// ParseKeep reads worst:3, best:1 or worst:3:FIGURE; nil for "".
func ParseKeep(text string) (*Keep, error) {
	if text == "" {
		return nil, nil
	}
	which, rest, _ := strings.Cut(text, ":")
	number, figure, named := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	if which != "best" && which != "worst" || err != nil || n < 1 || n > maxKept {
		return nil, fmt.Errorf("%s: want worst:N or best:N, with N of 1 to %d, and a figure behind it or none: worst:3:drops",
			located.Shown(text), maxKept)
	}
	if _, ok := headline.UnitOf(figure); named && !ok {
		return nil, fmt.Errorf("%s: no figure has the name %s; railyard list figures shows them", located.Shown(text),
			located.Shown(figure))
	}
	return &Keep{which == "best", n, figure}, nil
}

// keepBy are the figures by which rows are the worst, the first that rows have.
var keepBy = []string{headline.Key(headline.StepTime), headline.Key(headline.MeanFCT), "virtual_time"}

// Chosen returns the rows that are kept, the most extreme first; of equal ones the first.
func (t *Table) Chosen(k *Keep) ([]Row, error) {
	var rows []Row
	figure := k.Figure
	for _, by := range append([]string{figure}, keepBy...) {
		for i := range t.Rows {
			if _, ok := t.Rows[i].Figures[by]; ok && t.Rows[i].State == result.Complete {
				rows = append(rows, t.Rows[i])
			}
		}
		if figure = by; len(rows) > 0 || k.Figure != "" {
			break
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no run has a figure %s", cmp.Or(k.Figure, "by which runs are compared"))
	}
	falls := k.Best == (wayOf(figure) == headline.Higher)
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := a.Figures[figure], b.Figures[figure]
		if falls {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
	return rows[:min(k.Rows, len(rows))], nil
}

// wayOf is which way the figure with a key is better: lower, where neither is known.
func wayOf(key string) headline.Way {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		key = key[i+1:]
	}
	for _, name := range headline.Names() {
		if headline.Key(name) == key && headline.BetterWay(name) != headline.Neither {
			return headline.BetterWay(name)
		}
	}
	return headline.Lower
}

// PointOf is the number of a row's point, from 1.
func (t *Table) PointOf(r *Row) int {
	return 1 + slices.IndexFunc(t.Groups, func(g Group) bool { return slices.Equal(g.Set, r.Set) })
}

// keptFolder holds the run directories that a sweep leaves.
const keptFolder = "runs"

// KeepRun runs a scenario into a run directory below that of a sweep. One that is there is left as it is.
func KeepRun(ctx context.Context, sc *scenario.Scenario, dir *Dir, name string) error {
	folder, err := dir.Below(path.Join(keptFolder, name))
	if err != nil {
		return err
	}
	at := folder.Path()
	if r, err := result.Open(at); err == nil && r.Summary.State == result.Complete {
		return folder.Close()
	}
	d, err := result.CreateIn(folder)
	if err != nil {
		return err
	}
	sum, err := run.Run(ctx, sc, run.Options{Dir: d, Force: true})
	if sum == nil {
		return errors.Join(err, d.Discard())
	}
	switch {
	case ctx.Err() != nil && sum.State != result.Complete:
		sum.State = result.Interrupted
	case err != nil && sum.State != result.Unfinished:
		sum.State, sum.Error = result.Failed, err.Error()
	case sum.State == "" || sum.State == result.Running:
		sum.State = result.Complete
	}
	sum.Dir = at
	return errors.Join(ctx.Err(), d.Finish(sum))
}
