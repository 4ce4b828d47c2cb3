package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Collective is a collective of a run's step, as its scenario plans it: who sends which chunk to whom.
type Collective struct {
	Job      string  `json:"job"` // "": the only one
	Name     string  `json:"name"`
	Group    string  `json:"group"` // of ranks
	Schedule string  `json:"schedule"`
	Ranks    []int32 `json:"ranks"` // of the job; rounds number them by their place here
	Channels int     `json:"channels"`
	Chunks   int     `json:"chunks"` // of a channel
	Once     bool    `json:"once"`   // in the start phase, step -1
	Why      string  `json:"why"`    // why there are no rounds to be shown; "": there are

	// Rounds applies a channel of the schedule round by round; the first is what ranks hold before.
	Rounds func(channel int) []Round `json:"-"`
	// Bytes is how long a chunk is. What has none is not sent.
	Bytes func(channel int, chunk int32) int64 `json:"-"`
}

// Round is what is sent at a time, and what ranks hold after it.
type Round struct {
	Sends []Send     `json:"sends"`
	Holds [][]uint32 `json:"holds"` // by rank, then chunk: a bit for each rank whose part is in it
}

// Send is a message of a round.
type Send struct {
	From   int32      `json:"from"` // index in Ranks
	To     int32      `json:"to"`
	Chunk  int32      `json:"chunk"`
	Of     uint32     `json:"of"` // whose parts it carries
	Bytes  int64      `json:"bytes"`
	Posted *unit.Time `json:"posted_ps"` // null: no row of flows.parquet tells, as of what stays inside a host
	Placed *unit.Time `json:"placed_ps"`
}

// Planner plans the collectives of a run again, in the order in which each group runs them.
type Planner func(ctx context.Context, run *result.Run) ([]Collective, error)

// mostMessages bounds the rows of flows.parquet that are looked at for one step of a group's channel.
const mostMessages = 100_000

// apiRounds shows a collective round by round: of the schedule who sends what and who holds what after it, of flows.parquet when.
func (s *Server) apiRounds(w http.ResponseWriter, r *http.Request, q query) error {
	dir, known := s.runs.dir(q.text("run"))
	if !known {
		return refuse(http.StatusNotFound, "there is no run %q: api/runs lists them", q.text("run"))
	}
	at, err := q.number("at", 0, 0, maxTime)
	if err != nil {
		return err
	}
	free, err := place(r.Context(), s.large)
	if err != nil {
		return err
	}
	defer free()
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		return err
	}
	all, err := s.planned(r.Context(), run)
	if err != nil {
		return err
	}
	a := struct {
		Collectives []Collective `json:"collectives"`
		Index       int          `json:"index"`
		Channel     int          `json:"channel"`
		Step        int32        `json:"step"`  // whose messages have the times; -1: the start phase
		Timed       string       `json:"timed"` // why no message has a time; "": those between hosts have one
		Rounds      []Round      `json:"rounds"`
	}{Collectives: all, Rounds: []Round{}}
	if len(all) == 0 {
		return writeJSON(w, a)
	}
	index, err := q.number("index", 0, 0, int64(len(all)-1))
	if err != nil {
		return err
	}
	c := &all[index]
	channel, err := q.number("channel", 0, 0, int64(c.Channels-1))
	if err != nil {
		return err
	}
	if a.Index, a.Channel = int(index), int(channel); c.Why == "" {
		a.Rounds = c.Rounds(a.Channel)
		t := timed{all: all, index: a.Index, channel: a.Channel, at: unit.Time(at)}
		if err := t.put(r.Context(), run, a.Rounds); err != nil {
			return err
		}
		a.Step, a.Timed = t.step, t.why
	}
	return writeJSON(w, a)
}

func (s *Server) planned(ctx context.Context, run *result.Run) ([]Collective, error) {
	all := []Collective{}
	if s.options.Plan == nil || len(run.Summary.PerJob()) == 0 {
		return all, nil
	}
	found, err := s.options.Plan(ctx, run)
	if err != nil {
		return nil, err
	}
	return append(all, found...), nil
}

// timed finds the messages of a collective's rounds among the rows of flows.parquet.
type timed struct {
	all            []Collective
	index, channel int
	at             unit.Time // of the steps that began before it, the last is shown

	step int32
	why  string
}

// link is who sends to whom: ranks of the job.
type link struct{ from, to int32 }

// put writes times into rounds.
func (t *timed) put(ctx context.Context, run *result.Run, rounds []Round) error {
	c := &t.all[t.index]
	for i := range rounds {
		for k := range rounds[i].Sends {
			x := &rounds[i].Sends[k]
			x.Bytes = c.Bytes(t.channel, x.Chunk)
		}
	}
	if run.Parts("flows") == 0 {
		t.why = "the run kept no messages: set output.flows"
		return nil
	}
	rows, err := t.rows(ctx, run)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		t.why = "no message of it went from host to host so far"
		return nil
	}
	before, all := t.counts()
	for l, list := range rows {
		if len(list) != all[l] {
			t.why = fmt.Sprintf("rank %d sent %s to rank %d in step %d, where the schedules of its group have %d: times are not told apart",
				l.from, unit.CountOf(int64(len(list)), "message"), l.to, t.step, all[l])
			return nil
		}
	}
	next := before
	for i := range rounds {
		for k := range rounds[i].Sends {
			x := &rounds[i].Sends[k]
			l := link{c.Ranks[x.From], c.Ranks[x.To]}
			if list := rows[l]; x.Bytes > 0 && len(list) > 0 {
				row := &list[next[l]]
				next[l]++
				x.Posted = &row.Posted
				if row.Placed > 0 {
					x.Placed = &row.Placed
				}
			}
		}
	}
	return nil
}

// counts says how many messages a step sends over each link in the channel: those of its group's collectives before this one, and
// all.
func (t *timed) counts() (before, all map[link]int) {
	before, all = map[link]int{}, map[link]int{}
	this := &t.all[t.index]
	for i := range t.all {
		c := &t.all[i]
		if c.Job != this.Job || c.Group != this.Group || c.Once != this.Once || c.Why != "" || t.channel >= c.Channels {
			continue
		}
		for _, r := range c.Rounds(t.channel) {
			for _, x := range r.Sends {
				if c.Bytes(t.channel, x.Chunk) == 0 {
					continue
				}
				l := link{c.Ranks[x.From], c.Ranks[x.To]}
				if all[l]++; i < t.index {
					before[l]++
				}
			}
		}
	}
	return before, all
}

// rows reads the messages of the step that is shown, in order of their posting.
func (t *timed) rows(ctx context.Context, run *result.Run) (map[link][]result.FlowRow, error) {
	c := &t.all[t.index]
	t.step = -1
	found, n, read := map[link][]result.FlowRow{}, 0, 0
	for row, err := range run.Flows() {
		if err != nil {
			return nil, err
		}
		if read++; read%65536 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if row.Kind != result.KindCollective || row.Group != c.Group || row.Channel != int32(t.channel) ||
			c.Job != "" && row.Job != c.Job || (row.Step < 0) != c.Once || row.Step < t.step {
			continue
		}
		if row.Step > t.step {
			if len(found) > 0 && row.Posted > t.at {
				continue
			}
			t.step, n = row.Step, 0
			clear(found)
		}
		if n++; n > mostMessages {
			return nil, fmt.Errorf("step %d of %s has more than %d messages in a channel", t.step, c.Group, mostMessages)
		}
		if l, ok := linkOf(row.Name); ok {
			row.Name, row.Path, row.Src, row.Dst = "", "", "", ""
			found[l] = append(found[l], row)
		}
	}
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b result.FlowRow) int { return cmp.Compare(a.Posted, b.Posted) })
	}
	return found, nil
}

// linkOf reads the ranks of a message's name: rank3>rank4#0, of groups of several rank3>rank4#0 data-parallel.
func linkOf(name string) (l link, ok bool) {
	name, _, _ = strings.Cut(name, "#")
	_, err := fmt.Sscanf(name, "rank%d>rank%d", &l.from, &l.to)
	return l, err == nil
}
