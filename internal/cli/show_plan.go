package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/coll"
	"railyard/internal/foresight"
	"railyard/internal/plan"
	"railyard/internal/sheet"
	"railyard/internal/survey"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// topoText prints the graph, and what it is good for.
func topoText(a *app, p *plan.Plan, _ *plan.Job) error {
	if err := p.Graph.WriteText(a.stdout); err != nil {
		return err
	}
	s := a.newSheet()
	s.Blank()
	s.Wrap("", "In numbers")
	s.Grid("lrw", foresight.SurveyOf(p).Rows())
	return s.Flush(a.stdout)
}

// topoData is the graph as data.
func topoData(p *plan.Plan, _ *plan.Job) (any, error) {
	g := p.Graph
	type nic struct {
		Name string `json:"name"`
		GPU  int32  `json:"gpu"`
		Rail int32  `json:"rail"`
		Port string `json:"port"`
	}
	type node struct {
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		Tier  int    `json:"tier"`
		Pod   int    `json:"pod,omitempty"` // from 1, as plane and rail; of none: absent
		Plane int    `json:"plane,omitempty"`
		Rail  int    `json:"rail,omitempty"`
		Model string `json:"model,omitempty"`
		GPUs  int    `json:"gpus,omitempty"`
		NICs  []nic  `json:"nics,omitempty"`
	}
	type port struct {
		Name   string        `json:"name"`
		From   string        `json:"from"`
		To     string        `json:"to"`
		Rate   unit.Bitrate  `json:"rate_bps"`
		Delay  unit.Duration `json:"delay_ps"`
		Length unit.Length   `json:"length_mm"`
	}
	type tier struct {
		Tier     int          `json:"tier"`
		Switches int          `json:"switches"`
		Down     unit.Bitrate `json:"down_bps"`
		Up       unit.Bitrate `json:"up_bps"`
		Over     string       `json:"oversubscription,omitempty"`
	}
	out := struct {
		Nodes     []node         `json:"nodes"`
		Ports     []port         `json:"ports"`
		Tiers     []tier         `json:"tiers"`
		Bisection unit.Bitrate   `json:"bisection_bps"`
		Survey    *survey.Survey `json:"survey"`
	}{Bisection: g.Bisection(), Survey: foresight.SurveyOf(p)}
	host := map[topo.NodeID]topo.Host{}
	for _, h := range g.Hosts {
		host[h.Node] = h
	}
	for i, n := range g.Nodes {
		d := node{Name: n.Name, Kind: n.Kind.String(), Tier: n.Tier, Pod: n.Place.Pod + 1, Plane: n.Place.Plane + 1,
			Rail: n.Place.Rail + 1, Model: n.Model, GPUs: host[topo.NodeID(i)].GPUs}
		for _, id := range host[topo.NodeID(i)].NICs {
			c := g.NICs[id]
			d.NICs = append(d.NICs, nic{"nic" + strconv.Itoa(int(c.Index)), c.GPU, c.Rail + 1, g.Ports[c.Port].Name})
		}
		out.Nodes = append(out.Nodes, d)
	}
	for _, t := range g.Ports {
		out.Ports = append(out.Ports, port{t.Name, g.Nodes[t.Node].Name, g.Nodes[t.To].Name, t.Rate, t.Delay,
			g.Links[t.Link].Length})
	}
	for _, t := range g.Tiers() {
		d := tier{Tier: t.Tier, Switches: t.Switches, Down: t.Down, Up: t.Up}
		if over, ok := t.Oversubscription(); ok {
			d.Over = over.String()
		}
		out.Tiers = append(out.Tiers, d)
	}
	return out, nil
}

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

func placementData(p *plan.Plan, j *plan.Job) (any, error) { return placementOf(p, j), nil }

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

func placementText(a *app, p *plan.Plan, j *plan.Job) error {
	d, s := placementOf(p, j), a.newSheet()
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
	return s.Flush(a.stdout)
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

var errNoRanks = errors.New("the job sends flows: it has no training step; want a scenario with job.train")

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

func dagData(_ *plan.Plan, j *plan.Job) (any, error) {
	if j.Work == nil {
		return nil, errNoRanks
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

func dagText(a *app, p *plan.Plan, j *plan.Job) error {
	if j.Work == nil {
		return errNoRanks
	}
	d, s := dagOf(j), a.newSheet()
	s.Wrap("", fmt.Sprintf("one step of one rank; all %d ranks are alike%s", d.Ranks, slowRanks(p, j)))
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
	return s.Flush(a.stdout)
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

// scheduleOf returns the schedule of a job, or why it has none.
func scheduleOf(j *plan.Job) (coll.Schedule, error) {
	switch {
	case j.Work == nil:
		return nil, errNoRanks
	case len(j.Rows) > 0:
		s := j.Work.Collectives[j.Rows[0].First].Schedule
		for i := range j.Rows {
			if j.Work.Collectives[j.Rows[i].First].Schedule != s {
				return nil, errors.New("the rows of job.collectives have several schedules: leave in one algorithm, cut one way, " +
					"with one number of channels")
			}
		}
		return s, nil
	case j.Schedule == nil && j.Ranks() > 1:
		return nil, errors.New("ranks hold parts of the model: each group has a schedule of its own: " +
			"railyard show groups says what it sends")
	case j.Schedule == nil:
		return nil, errors.New("one rank: it sums nothing with anybody, so there is no schedule")
	}
	return j.Schedule, nil
}

// A programJSON is what one rank does in one channel.
type programJSON struct {
	Rank    int      `json:"rank"`
	Channel int      `json:"channel"`
	Ops     []opJSON `json:"ops"`
}

// An opJSON is one op; fields that an op does not have are absent.
type opJSON struct {
	Kind   string `json:"kind"`
	Buffer string `json:"buffer,omitempty"` // of a send: input, if that is what it reads
	Chunk  int32  `json:"chunk"`
	Source *int32 `json:"source,omitempty"` // of a keep: chunk of the input
	Peer   *int32 `json:"peer,omitempty"`
	Slot   *int32 `json:"slot,omitempty"`
	After  *int32 `json:"after,omitempty"`
	Acked  *int32 `json:"acked,omitempty"`
	Window int32  `json:"window,omitempty"`
	Frees  bool   `json:"frees,omitempty"`
}

func opData(op coll.Op) opJSON {
	there := func(v int32) *int32 {
		if v < 0 {
			return nil
		}
		return &v
	}
	o := opJSON{Kind: op.Kind.String(), Chunk: op.Chunk, Peer: there(op.Peer), Slot: there(op.Slot),
		After: there(op.After), Acked: there(op.Acked), Window: op.Window, Frees: op.Frees}
	if op.Buffer != coll.Out {
		o.Buffer = op.Buffer.String()
	}
	if op.Kind == coll.Keep {
		o.Source = &op.Source
	}
	return o
}

func scheduleData(_ *plan.Plan, j *plan.Job) (any, error) {
	s, err := scheduleOf(j)
	if err != nil {
		return nil, err
	}
	out := struct {
		Name       string        `json:"name"`
		Ranks      int           `json:"ranks"`
		Channels   int           `json:"channels"`
		Chunks     int           `json:"chunks"`
		Slots      int           `json:"slots"`
		Inputs     int           `json:"inputs,omitempty"`      // chunks of the input, per channel
		Slices     int           `json:"slices"`                // chunks in a row that are one part
		SwitchAdds bool          `json:"switch_adds,omitempty"` // a switch adds up and copies messages
		Programs   []programJSON `json:"programs"`
	}{s.Name(), s.Ranks(), s.Channels(), s.Chunks(), s.Slots(), coll.Inputs(s), coll.Slices(s), coll.SwitchAdds(s), nil}
	for r := range s.Ranks() {
		for c := range s.Channels() {
			prog := programJSON{r, c, []opJSON{}}
			for i := range s.Len(r, c) {
				prog.Ops = append(prog.Ops, opData(s.Op(r, c, i)))
			}
			out.Programs = append(out.Programs, prog)
		}
	}
	return out, nil
}
