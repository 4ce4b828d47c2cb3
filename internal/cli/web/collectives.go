package web

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// collectiveName is a collective of a job: what operations.parquet calls it, in whatever group it runs.
type collectiveName struct {
	Job  string `json:"job"`
	Name string `json:"name"`
}

// key is what whoIs knows it by.
func (c collectiveName) key() string { return c.Job + "\x00" + c.Name }

// mostCollectives is how many names of collectives are known of a run, mostCollectiveRuns how many runs of one an answer has.
const (
	mostCollectives    = 4096
	mostCollectiveRuns = 5000
)

// collectiveRun is one run of a collective in a group: from the first rank that began it to the last that ended it.
type collectiveRun struct {
	Group    string    `json:"group"`
	Step     int32     `json:"step"`
	Ranks    int       `json:"ranks"`
	Start    unit.Time `json:"start_ps"`
	Last     unit.Time `json:"last_ps"` // when the last of its ranks began
	LastRank int32     `json:"last_rank"`
	End      unit.Time `json:"end_ps"`
}

// collectiveRuns is what /api/collective answers.
type collectiveRuns struct {
	collectiveName
	Runs []collectiveRun `json:"runs"`
	More bool            `json:"more"` // than are here
}

// ofRuns leaves out what the runs of a collective have nothing of.
var ofRuns = result.LeaveOut("op", "stream", "released_by")

// groupsWith lists the row groups that are read for the runs of a collective between two times: those that have the collective, in
// any step that has a part there. Of a step all is needed, for what a rank runs several times in it is told apart by its order.
func (o *operationTable) groupsWith(name collectiveName, from, until unit.Time) (groups []int) {
	steps := stepSpan{math.MaxInt32, math.MinInt32}
	for i, g := range o.spans {
		if g.From < until && g.Until >= from && o.who.may(i, name.key()) {
			steps.first, steps.last = min(steps.first, o.steps[i].first), max(steps.last, o.steps[i].last)
		}
	}
	for i, s := range o.steps {
		if s.first <= steps.last && s.last >= steps.first && o.who.may(i, name.key()) {
			groups = append(groups, i)
		}
	}
	return groups
}

// gathered is runs of a collective, as rows tell of them.
type gathered struct {
	runs []collectiveRun
	in   []bool // of a run: a rank has some part of it between the two times
	at   map[runName]int
	nth  map[member]int
}

// runName names a run of a collective, member a rank that takes part in the runs of a step.
type (
	runName struct {
		group string
		step  int32
		nth   int
	}
	member struct {
		rank  int32
		group string
		step  int32
	}
)

// add takes a row, and reports whether there was room for it.
func (g *gathered) add(x *result.OperationRow, in bool) bool {
	m := member{x.Rank, x.Group, x.Step}
	key := runName{x.Group, x.Step, g.nth[m]}
	k, known := g.at[key]
	if !known {
		if len(g.runs) == 2*mostCollectiveRuns {
			return false
		}
		k = len(g.runs)
		g.at[key] = k
		g.runs = append(g.runs, collectiveRun{Group: x.Group, Step: x.Step, Start: x.Start, Last: x.Start, LastRank: x.Rank})
		g.in = append(g.in, false)
	}
	g.nth[m]++
	c := &g.runs[k]
	c.Ranks++
	c.Start, c.End = min(c.Start, x.Start), max(c.End, x.End)
	if x.Start > c.Last || x.Start == c.Last && x.Rank < c.LastRank {
		c.Last, c.LastRank = x.Start, x.Rank
	}
	g.in[k] = g.in[k] || in
	return true
}

// collective returns the runs of a collective of which a rank has some part between two times, each with all its ranks.
func (o *operationTable) collective(r *http.Request, name collectiveName, from, until unit.Time) (*collectiveRuns, error) {
	a := &collectiveRuns{collectiveName: name, Runs: []collectiveRun{}}
	all := &gathered{at: map[runName]int{}, nth: map[member]int{}}
	for _, i := range o.groupsWith(name, from, until) {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		err := o.groups.EachOf(i, ofRuns, func(x *result.OperationRow) bool {
			if x.Name == name.Name && x.Job == name.Job && x.Group != "" {
				a.More = !all.add(x, x.Start < until && x.End >= from) || a.More
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		if a.More {
			break
		}
	}
	for k, run := range all.runs {
		if all.in[k] {
			a.Runs = append(a.Runs, run)
		}
	}
	slices.SortStableFunc(a.Runs, func(a, b collectiveRun) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Group, b.Group))
	})
	if len(a.Runs) > mostCollectiveRuns {
		a.Runs, a.More = a.Runs[:mostCollectiveRuns], true
	}
	return a, nil
}

// apiCollective lists when a collective ran, and which rank began last.
func (s *Server) apiCollective(w http.ResponseWriter, r *http.Request, q query) error {
	from, until, err := q.window()
	if err != nil {
		return err
	}
	name := collectiveName{q.text("job"), q.text("name")}
	return s.reading(r, q, func(t *tables) error {
		if t.operations == nil || !slices.Contains(t.operations.collectives, name) {
			return refuse(http.StatusNotFound, "there is no collective %q of job %q in operations.parquet: api/names lists them",
				name.Name, name.Job)
		}
		a, err := t.operations.collective(r, name, from, until)
		if err != nil {
			return err
		}
		return writeJSON(w, a)
	})
}
