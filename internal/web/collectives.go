package web

import (
	"cmp"
	"net/http"
	"slices"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// collectiveName is a collective of a job: what operations.parquet calls it, in whatever group it runs.
type collectiveName struct {
	Job  string `json:"job"`
	Name string `json:"name"`
}

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
	More bool            `json:"more"` // than are here, or than row groups of one request
}

// collective returns the runs of a collective of which a rank has some part between two times. What a rank runs several times
// in a step is told apart by its order.
func (o *operationTable) collective(r *http.Request, name collectiveName, from, until unit.Time) (*collectiveRuns, error) {
	type one struct {
		group string
		step  int32
		nth   int
	}
	type member struct {
		rank  int32
		group string
		step  int32
	}
	a := &collectiveRuns{collectiveName: name, Runs: []collectiveRun{}}
	at, nth := map[one]int{}, map[member]int{}
	read := 0
	for i, g := range o.spans {
		if g.From >= until || g.Until <= from {
			continue
		}
		if read++; read > groupsRead {
			a.More = true
			break
		}
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		err := o.groups.Each(i, func(x *result.OperationRow) bool {
			if x.Name != name.Name || x.Job != name.Job || x.Group == "" || x.Start >= until || x.End < from {
				return true
			}
			m := member{x.Rank, x.Group, x.Step}
			key := one{x.Group, x.Step, nth[m]}
			nth[m]++
			k, known := at[key]
			if !known {
				if len(a.Runs) == mostCollectiveRuns {
					a.More = true
					return true
				}
				k = len(a.Runs)
				at[key] = k
				a.Runs = append(a.Runs, collectiveRun{Group: x.Group, Step: x.Step, Start: x.Start, Last: x.Start, LastRank: x.Rank})
			}
			c := &a.Runs[k]
			c.Ranks++
			c.Start, c.End = min(c.Start, x.Start), max(c.End, x.End)
			if x.Start > c.Last || x.Start == c.Last && x.Rank < c.LastRank {
				c.Last, c.LastRank = x.Start, x.Rank
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(a.Runs, func(a, b collectiveRun) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Group, b.Group))
	})
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
