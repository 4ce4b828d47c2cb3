package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// What is kept of operations, and of the rows beside them.
const (
	stripCells = 500_000
	leastStrip = 16
	mostPaths  = 50_000
)

// operationTable is what was learnt of operations.parquet.
type operationTable struct {
	groups *result.Groups[result.OperationRow]
	spans  []span
	steps  []stepSpan
	who    whoIs // of collectives
	strips strips
	rows   int64
	end    unit.Time

	collectives []collectiveName // in the order of their names
}

// stepSpan is which steps a row group has rows of, all jobs together.
type stepSpan struct{ first, last int32 }

// stripName is a rank's computing, or its communication.
type stripName struct {
	Job     string
	Rank    int32
	Compute bool
}

// strips sum for how much of a bin of time something went on. Bins get twice as long when there are too many.
type strips struct {
	width unit.Duration
	bins  int
	of    map[stripName]int
	names []stripName
	busy  [][]float32 // by strip, then bin: picoseconds
	left  int         // ranks that found no room
}

func newStrips() strips { return strips{width: 1, bins: 1 << 12, of: map[stripName]int{}} }

func (s *strips) add(name stripName, from, until unit.Time) {
	i, known := s.of[name]
	if !known {
		i = -1
		if (len(s.names)+1)*leastStrip <= stripCells {
			i = len(s.names)
			s.names = append(s.names, name)
			s.busy = append(s.busy, make([]float32, s.bins))
		} else {
			s.left++
		}
		s.of[name] = i
		for len(s.names)*s.bins > stripCells && s.bins > leastStrip {
			s.double()
			s.bins /= 2
			for k := range s.busy {
				s.busy[k] = slices.Clip(s.busy[k][:s.bins])
			}
		}
	}
	if i < 0 {
		return
	}
	for int64(until) > int64(s.width)*int64(s.bins) {
		s.double()
	}
	for from < until {
		bin := int64(from) / int64(s.width)
		to := min(until, unit.Time((bin+1)*int64(s.width)))
		s.busy[i][bin] += float32(to.Sub(from))
		from = to
	}
}

// double makes bins twice as long.
func (s *strips) double() {
	s.width *= 2
	for _, b := range s.busy {
		for i := range len(b) / 2 {
			b[i] = b[2*i] + b[2*i+1]
		}
		clear(b[len(b)/2:])
	}
}

// readOperations reads operations.parquet once.
func readOperations(ctx context.Context, run *result.Run, progress func(done, all int)) (*operationTable, error) {
	groups, err := run.OperationGroups()
	if err != nil {
		return nil, err
	}
	o := &operationTable{groups: groups, strips: newStrips()}
	names := map[collectiveName]bool{}
	for i := range groups.Len() {
		progress(i, groups.Len())
		if err := ctx.Err(); err != nil {
			groups.Close()
			return nil, err
		}
		g, steps := span{From: unit.Never}, stepSpan{math.MaxInt32, math.MinInt32}
		err := groups.Each(i, func(r *result.OperationRow) bool {
			o.rows++
			steps.first, steps.last = min(steps.first, r.Step), max(steps.last, r.Step)
			g.From, g.Until = min(g.From, r.Start), max(g.Until, r.End)
			o.end = max(o.end, r.End)
			o.strips.add(stripName{r.Job, r.Rank, r.Group == ""}, r.Start, r.End)
			if r.Group != "" {
				o.who.add(i, collectiveName{r.Job, r.Name}.key())
				if len(names) < mostCollectives {
					names[collectiveName{r.Job, strings.Clone(r.Name)}] = true
				}
			}
			return true
		})
		if err != nil {
			groups.Close()
			return nil, fmt.Errorf("operations.parquet: %w", err)
		}
		o.spans, o.steps = append(o.spans, g), append(o.steps, steps)
	}
	o.collectives = slices.SortedFunc(maps.Keys(names), func(a, b collectiveName) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), compareNames(a.Name, b.Name))
	})
	return o, nil
}

// barRow is one operation, or what a strip has in a bin.
type barRow struct {
	Job   string    `json:"job"`
	Rank  int32     `json:"rank"`
	Step  int32     `json:"step"`
	Op    int32     `json:"op"`
	Name  string    `json:"name"`
	Group string    `json:"group"` // "": it is no communication
	Start unit.Time `json:"start_ps"`
	End   unit.Time `json:"end_ps"`
}

// stripRow is a rank's computing or communication by bins.
type stripRow struct {
	Job     string    `json:"job"`
	Rank    int32     `json:"rank"`
	Compute bool      `json:"compute"`
	Shares  []float32 `json:"shares"` // of each bin, 0 to 1; of operations side by side more than 1
}

// timeline is what /api/timeline answers: bars, or strips where there are too many bars.
type timeline struct {
	From   unit.Time     `json:"from_ps"`
	Until  unit.Time     `json:"until_ps"`
	Bars   []barRow      `json:"bars"`
	Width  unit.Duration `json:"width_ps"` // of a bin of Strips; 0: these are bars
	First  unit.Time     `json:"first_ps"` // start of the first bin
	Strips []stripRow    `json:"strips"`
	Ranks  int           `json:"ranks"` // with rows in the window; of strips, in all
}

// groupsRead is how many row groups of operations one request reads.
const groupsRead = 6

// ofBars leaves out what bars do not show.
var ofBars = result.LeaveOut("stream", "released_by")

// between returns what ranks did between two times.
func (o *operationTable) between(ctx context.Context, from, until unit.Time, most int) (*timeline, error) {
	t := &timeline{From: from, Until: until, Bars: []barRow{}, Strips: []stripRow{}}
	var in []int
	for i, g := range o.spans {
		if g.From < until && g.Until > from {
			in = append(in, i)
		}
	}
	if len(in) > groupsRead {
		o.strip(t)
		return t, nil
	}
	for _, i := range in {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := o.groups.EachOf(i, ofBars, func(r *result.OperationRow) bool {
			if r.Start < until && r.End >= from {
				t.Bars = append(t.Bars, barRow{r.Job, r.Rank, r.Step, r.Op, r.Name, r.Group, r.Start, r.End})
			}
			return len(t.Bars) <= most
		})
		if err != nil {
			return nil, err
		}
		if len(t.Bars) > most {
			t.Bars = []barRow{}
			o.strip(t)
			return t, nil
		}
	}
	slices.SortStableFunc(t.Bars, func(a, b barRow) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Op, b.Op))
	})
	for i, b := range t.Bars {
		if i == 0 || b.Rank != t.Bars[i-1].Rank || b.Job != t.Bars[i-1].Job {
			t.Ranks++
		}
	}
	return t, nil
}

// mostStrips bounds what one answer holds: strips of so many ranks, the first.
const mostStrips = 256

// strip fills a timeline with strips.
func (o *operationTable) strip(t *timeline) {
	s := &o.strips
	names := slices.Clone(s.names)
	slices.SortFunc(names, func(a, b stripName) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Rank, b.Rank), compareFalse(a.Compute, b.Compute))
	})
	first := int64(t.From) / int64(s.width)
	last := min((int64(t.Until)+int64(s.width)-1)/int64(s.width), int64(s.bins))
	t.Width, t.First = s.width, unit.Time(first*int64(s.width))
	for i, n := range names {
		if i == 0 || n.Rank != names[i-1].Rank || n.Job != names[i-1].Job {
			t.Ranks++
		}
		if len(t.Strips) >= 2*mostStrips {
			continue
		}
		row := stripRow{Job: n.Job, Rank: n.Rank, Compute: n.Compute, Shares: []float32{}}
		for b := first; b < last; b++ {
			row.Shares = append(row.Shares, s.busy[s.of[n]][b]/float32(s.width))
		}
		t.Strips = append(t.Strips, row)
	}
}

// compareFalse puts true before false.
func compareFalse(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// apiSteps lists the steps of ranks that reach into a span of time, with their causes.
func (s *Server) apiSteps(w http.ResponseWriter, r *http.Request, q query) error {
	from, until, err := q.window()
	if err != nil {
		return err
	}
	type stepCauses struct {
		Job    string        `json:"job"`
		Step   int32         `json:"step"`
		Rank   int32         `json:"rank"`
		Start  unit.Time     `json:"start_ps"`
		End    unit.Time     `json:"end_ps"`
		Causes result.Causes `json:"causes_ps"`
	}
	return s.reading(r, q, func(t *tables) error {
		a := struct {
			Steps []stepCauses `json:"steps"`
			More  bool         `json:"more"`
		}{Steps: []stepCauses{}}
		if t.run == nil || t.run.Parts("steps") == 0 {
			return writeJSON(w, a)
		}
		for row, err := range t.run.Steps() {
			if err != nil {
				return err
			}
			if row.Start >= until || row.End <= from {
				continue
			}
			if len(a.Steps) == mostStepRows {
				a.More = true
				break
			}
			a.Steps = append(a.Steps, stepCauses{row.Job, row.Step, row.Rank, row.Start, row.End, row.Causes})
		}
		return writeJSON(w, a)
	})
}

// readPaths reads the critical paths that were kept, in order, mostPaths parts at most.
func readPaths(run *result.Run) (all []result.PathRow, more bool, err error) {
	all = []result.PathRow{}
	for row, err := range run.Paths() {
		if err != nil {
			return nil, false, err
		}
		if len(all) == mostPaths {
			return all, true, nil
		}
		all = append(all, row)
	}
	return all, false, nil
}

// between returns the parts of paths that reach into a span of time.
func pathsBetween(all []result.PathRow, from, until unit.Time, most int) (in []result.PathRow, more bool) {
	in = []result.PathRow{}
	for _, p := range all {
		if p.From < until && p.Until > from {
			if len(in) == most {
				return in, true
			}
			in = append(in, p)
		}
	}
	return in, false
}
