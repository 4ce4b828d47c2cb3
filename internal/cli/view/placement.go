package view

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/job/coll"
	"railyard/internal/plan/plan"
)

// A rankJSON says where a rank runs.
type rankJSON struct {
	Rank int    `json:"rank"`
	Host string `json:"host"`
	GPU  int32  `json:"gpu"`
	Rail int32  `json:"rail"`
	NIC  string `json:"nic"`
}

// A pairJSON is a queue pair with its path.
type pairJSON struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	From string `json:"from"`
	To   string `json:"to"`
	Path string `json:"path"`
	Back string `json:"back"` // of its acknowledgements
}

type placementJSON struct {
	Ranks []rankJSON `json:"ranks"`
	Rings [][]int32  `json:"rings,omitempty"` // [channel] ranks in order
	Pairs []pairJSON `json:"queue_pairs"`
}

// PlacementData is where ranks run, and the paths of queue pairs, as data.
func PlacementData(p *plan.Plan, j *plan.Job) (any, error) { return placementOf(p, j), nil }

func placementOf(p *plan.Plan, j *plan.Job) placementJSON {
	out := placementJSON{Ranks: []rankJSON{}, Rings: j.Rings, Pairs: []pairJSON{}}
	for r, at := range j.Placement.Ranks {
		h := p.Graph.Hosts[at.Host]
		out.Ranks = append(out.Ranks, rankJSON{r, h.Name, at.GPU, at.Rail + 1, p.Graph.NICName(h.NICs[at.Rail])})
	}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if q.Job >= 0 && &p.Jobs[q.Job] != j {
			continue
		}
		pair := pairJSON{q.Name, q.Kind, p.Graph.NICName(q.From), p.Graph.NICName(q.To), p.PathText(q.Path), p.PathText(q.Back)}
		data, back := p.ChosenPath(q)
		if data {
			pair.Path = ""
		}
		if back {
			pair.Back = ""
		}
		out.Pairs = append(out.Pairs, pair)
	}
	return out
}

// PlacementText prints where ranks run and which paths queue pairs take.
func PlacementText(s *sheet.Sheet, p *plan.Plan, j *plan.Job) error {
	d := placementOf(p, j)
	if len(d.Ranks) == 0 {
		s.Wrap("", "no ranks: the job sends flows")
	} else {
		rows := [][]string{{"rank", "host", "GPU", "rail", "NIC"}}
		for _, r := range d.Ranks {
			rows = append(rows, []string{strconv.Itoa(r.Rank), r.Host, fmt.Sprintf("gpu%d", r.GPU),
				fmt.Sprintf("rail%d", r.Rail), r.NIC})
		}
		s.Wrap("", "ranks")
		s.Grid("rlllw", rows)
	}
	if len(d.Rings) > 0 {
		s.Blank()
		s.Wrap("", "rings, in order of ranks; > crosses the fabric, - stays in the host")
		for c, ring := range d.Rings {
			s.Hang(fmt.Sprintf("  channel %d, rail%d:  ", c, coll.RailOf(c, j.Placement.Rails)+1), "      ",
				ringText(ring, j.Placement))
		}
	}
	s.Blank()
	if len(d.Pairs) == 0 {
		s.Wrap("", "no queue pairs: nothing crosses the fabric")
	} else {
		rows := [][]string{{"queue pair", "from", "to", "path"}}
		for _, q := range d.Pairs {
			rows = append(rows, []string{q.Name, q.From, q.To, cmp.Or(q.Path, "(each switch chooses)")})
		}
		s.Wrap("", "queue pairs")
		s.Grid("lllw", rows)
	}
	return nil
}

// ringText writes a ring once round, ending where it began.
func ringText(ring []int32, at coll.Placement) string {
	var b strings.Builder
	for i, r := range ring {
		fmt.Fprint(&b, r)
		if at.Ranks[r].Host == at.Ranks[ring[(i+1)%len(ring)]].Host {
			b.WriteString(" - ")
		} else {
			b.WriteString(" > ")
		}
	}
	return b.String() + fmt.Sprint(ring[0])
}

// ErrNoRanks refuses what only a job with ranks has.
var ErrNoRanks = errors.New("the job sends flows: it has no training step; want a scenario with job.train")
