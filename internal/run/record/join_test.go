package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
)

// What ranks say in several islands is taken in the order of time, then rank; what one of them says at one
// instant in its order; and what was taken is not taken again.
func TestIslandsAreJoinedInOrder(t *testing.T) {
	said := []struct {
		rank int32
		at   unit.Time
		step bool
	}{{2, 5, false}, {2, 5, true}, {7, 5, false}, {2, 9, false}, {4, 3, false}, {4, 9, false}, {4, 9, true}, {0, 9, false}}
	const want = "4 op 3, 2 op 5, 2 step 5, 7 op 5, 0 op 9, 2 op 9, 4 op 9, 4 step 9"
	for _, islands := range []int32{1, 2, 3, 8} {
		r := &Recorder{}
		for i := range islands {
			r.islands = append(r.islands, &island{r: r, number: i})
		}
		j := &Job{r: r}
		for order := range 2 {
			if order == 1 { // islands run in any order
				slices.Reverse(r.islands)
				for i, isl := range r.islands {
					isl.number = int32(i)
				}
			}
			for _, s := range said {
				o := j.Observer(s.rank % islands)
				if s.step {
					o.Step(exec.StepRecord{Rank: s.rank, End: s.at}, nil)
				} else {
					o.Operation(exec.OperationRecord{Rank: s.rank, End: s.at})
				}
			}
			if got := strings.Join(heardOf(r), ", "); got != want {
				t.Errorf("%d islands: %s, want %s", islands, got, want)
			}
			if again := heardOf(r); len(again) > 0 {
				t.Errorf("%d islands: taken again: %v", islands, again)
			}
		}
	}
}

// heardOf joins the islands into text.
func heardOf(r *Recorder) (text []string) {
	r.join(func(isl *island, p *place) {
		if p.kind == aStep {
			s := isl.steps[p.row]
			text = append(text, fmt.Sprintf("%d step %d", s.Rank, int64(s.End)))
			return
		}
		o := isl.operations[p.row]
		text = append(text, fmt.Sprintf("%d op %d", o.Rank, int64(o.End)))
	})
	return text
}

// However what is heard is spread over islands, it is taken in one order.
func TestNoPartitionChangesTheOrder(t *testing.T) {
	s := sim.NewStream(1, "rows", 0)
	type said struct {
		at    unit.Time
		kind  kind
		owner int32
		row   int
	}
	var all []said
	for i := range 500 {
		all = append(all, said{unit.Time(s.Below(20)), kind(s.Below(6)), int32(s.Below(12)), i})
	}
	slices.SortStableFunc(all, func(a, b said) int { return int(a.at - b.at) }) // in each island time goes on
	var first []int32
	for _, islands := range []int32{1, 2, 5, 12} {
		r := &Recorder{}
		for i := range islands {
			r.islands = append(r.islands, &island{r: r, number: i})
		}
		for _, x := range all {
			r.islands[x.owner*7%islands].note(x.at, x.kind, x.owner, x.row)
		}
		var rows []int32
		r.join(func(_ *island, p *place) { rows = append(rows, p.row) })
		if first == nil {
			first = rows
		}
		if len(rows) != len(all) || !slices.Equal(rows, first) {
			t.Errorf("%d islands: another order than in one", islands)
		}
	}
}
