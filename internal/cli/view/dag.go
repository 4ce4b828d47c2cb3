package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
)

// A dagJSON is a step of one rank as data.
type dagJSON struct {
	Ranks       int              `json:"ranks"`
	Streams     []string         `json:"streams"`
	Start       []operationJSON  `json:"start,omitempty"` // once, before the first step
	Operations  []operationJSON  `json:"operations"`
	Collectives []collectiveJSON `json:"collectives"`
}

type operationJSON struct {
	Op         int32         `json:"op"`
	Name       string        `json:"name"`
	Stream     string        `json:"stream"`
	Deps       []int32       `json:"deps"`
	Duration   unit.Duration `json:"duration_ps"` // of a collective: its launch
	Collective string        `json:"collective,omitempty"`
	Bytes      unit.Bytes    `json:"bytes,omitempty"` // of a copy from host memory
	kind       workload.OpKind
}

type collectiveJSON struct {
	Name     string     `json:"name"`
	Schedule string     `json:"schedule"`
	Bytes    unit.Bytes `json:"bytes"`
	Channels int        `json:"channels"`
	Chunks   int        `json:"chunks"` // per channel
	Chunk    unit.Bytes `json:"largest_chunk_bytes"`
	Sent     unit.Bytes `json:"sent_bytes_per_rank"` // the most that any sends
}

// DagData is the operations of a training step as data.
func DagData(_ *plan.Plan, j *plan.Job) (any, error) {
	if j.Work == nil {
		return nil, ErrNoRanks
	}
	return dagOf(j), nil
}

func dagOf(j *plan.Job) dagJSON {
	program := &j.Work.Programs[0]
	d := dagJSON{Ranks: len(j.Placement.Ranks), Collectives: []collectiveJSON{}}
	for _, s := range program.Streams {
		d.Streams = append(d.Streams, s.Name)
	}
	operations := func(ops []workload.Op) (all []operationJSON) {
		for i := range ops {
			op := &ops[i]
			o := operationJSON{Op: op.ID, Name: op.Name, Stream: d.Streams[op.Stream],
				Deps: append([]int32{}, op.Deps...), Duration: op.Duration, Bytes: op.Bytes, kind: op.Kind}
			if op.Kind == workload.Communication {
				o.Collective = j.Work.Collectives[op.Coll].Name
			}
			all = append(all, o)
		}
		return all
	}
	d.Start, d.Operations = operations(program.Start), operations(program.Ops)
	for i := range j.Work.Collectives {
		c := &j.Work.Collectives[i]
		s := c.Schedule
		d.Collectives = append(d.Collectives,
			collectiveJSON{c.Name, s.Name(), c.Bytes(), s.Channels(), s.Chunks(),
				unit.Bytes(c.SlotBytes()), mostSent(c)})
	}
	return d
}

// mostSent returns the bytes that the rank which sends most sends in a collective.
func mostSent(c *workload.Collective) unit.Bytes {
	most := int64(0)
	for rank := range c.Schedule.Ranks() {
		sum := int64(0)
		for ch := range c.Schedule.Channels() {
			for i := range c.Schedule.Len(rank, ch) {
				if op := c.Schedule.Op(rank, ch, i); op.Kind == coll.Send {
					_, n := c.Chunk(rank, op.Buffer, ch, int(op.Chunk))
					sum += n
				}
			}
		}
		most = max(most, sum)
	}
	return unit.Bytes(most)
}

// DagText prints the operations of a training step.
func DagText(s *sheet.Sheet, p *plan.Plan, j *plan.Job) error {
	if j.Work == nil {
		return ErrNoRanks
	}
	d := dagOf(j)
	s.Wrap("", alikeText(j.Work)+slowRanks(p, j))
	s.Blank()
	compute := operationGrid(s, d.Operations)
	s.Blank()
	if len(d.Start) > 0 {
		s.Wrap("", "once, before the first step")
		s.Blank()
		operationGrid(s, d.Start)
		s.Blank()
	}
	s.Wrap("", fmt.Sprintf("compute in all: %s; a stream runs one operation at a time, in order", compute.Human()))
	if len(d.Collectives) > 0 {
		rows := [][]string{{"collective", "schedule", "size", "chunks", "largest", "a rank sends"}}
		for _, c := range d.Collectives {
			rows = append(rows, []string{c.Name, c.Schedule, c.Bytes.Human(),
				fmt.Sprintf("%d x %d", c.Channels, c.Chunks),
				c.Chunk.Human(), c.Sent.Human()})
		}
		s.Blank()
		s.Grid("llrrrr", rows)
		s.Wrap("  ", "chunks: channels x chunks of each")
	}
	return nil
}

// alikeText says whose step is printed: of ranks that do the same as rank 0, if some of them in another time.
func alikeText(work *workload.Job) string {
	first, ranks := work.Program(0), len(work.Of)
	var same []int32
	for r := range int32(ranks) {
		does := work.Program(r)
		if does == first || slices.EqualFunc(does.Ops, first.Ops, func(a, b workload.Op) bool { return a.Name == b.Name }) {
			same = append(same, r)
		}
	}
	switch others := ranks - len(same); {
	case ranks == 1:
		return "one step of the one rank"
	case others > 0:
		return fmt.Sprintf("one step of %s; what the other %d of %d do is not the same", ranksText(same), others, ranks)
	}
	return fmt.Sprintf("one step of one rank; all %d ranks are alike", ranks)
}

// operationGrid prints operations and returns how long those that compute take.
func operationGrid(s *sheet.Sheet, ops []operationJSON) (compute unit.Duration) {
	rows := [][]string{{"op", "name", "stream", "takes", "waits for"}}
	for _, o := range ops {
		takes := o.Duration.Human()
		switch o.kind {
		case workload.Compute:
			compute += o.Duration
		case workload.Communication:
			takes = "launch " + takes
		case workload.Copy:
			takes = "copies " + o.Bytes.Human()
		}
		var names []string
		for _, dep := range o.Deps {
			names = append(names, ops[dep].Name)
		}
		rows = append(rows, []string{strconv.Itoa(int(o.Op)), o.Name, o.Stream, takes, strings.Join(names, ", ")})
	}
	s.Grid("rllrw", rows)
	return compute
}

// slowRanks names the ranks that take longer than the others, or less.
func slowRanks(p *plan.Plan, j *plan.Job) (text string) {
	for _, r := range p.Scenario.Cluster.Slow {
		if p.Scenario.SlowJob(&r) != j.Spec {
			continue
		}
		text += fmt.Sprintf(", but rank %d takes %s times as long", r.Rank, r.Factor)
	}
	return text
}
