package diagnose

import (
	"cmp"
	"maps"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// Kind is what time was lost to.
type Kind string

// The kinds.
const (
	SharedPort Kind = "shared port" // others' bytes at a port
	// UnevenChoice: others' bytes at a port while an equal one had room
	UnevenChoice Kind = "uneven choice"
	SlowPort     Kind = "slow port"   // own bytes at a port that is slower than the sender's
	LossyLink    Kind = "lossy link"  // a link lost packets
	FullBuffer   Kind = "full buffer" // a switch had no room for packets
	// DropThreshold: a queue reached its drop threshold
	DropThreshold Kind = "drop threshold"
	Watchdog      Kind = "PFC watchdog"       // it emptied a queue that had been paused for too long
	NoRoute       Kind = "no route"           // a switch knew no way on
	Reordering    Kind = "reordering"         // a receiver called packets missing that were only late
	NoRoom        Kind = "reorder buffer"     // and so because it had no room for those that came before them
	Timeouts      Kind = "timeouts"           // repeats though nothing was lost
	Pauses        Kind = "pauses"             // without others' bytes, or from a place that is not known
	Deadlock      Kind = "deadlock"           // ports that wait for each other in a circle
	Storm         Kind = "pause storm"        // a host that pauses its switch, or a switch whose PFC is stuck
	Receiver      Kind = "slow receiver"      // a NIC whose PCIe is slower than its link pauses its switch
	Controller    Kind = "congestion control" // a sender was slowed though the port had room
	Window        Kind = "window"             // smaller than rate times round trip
	SlowRank      Kind = "slow rank"          // computes longer than the others
	Launch        Kind = "launch"             // of kernels and collectives
	Compute       Kind = "compute"
	NVLink        Kind = "NVLink"
	PCIe          Kind = "PCIe"
	NIC           Kind = "NIC"
	Dependency    Kind = "dependency"
	Answer        Kind = "acknowledgement"
	LinkSpeed     Kind = "link speed" // bits at the rate of the sender's link
	Cable         Kind = "cable"
	SwitchDelay   Kind = "switch latency"

	// Of the time of a whole job: see Lifetime.
	RetryExceeded Kind = "retry exceeded" // a queue pair gave up, which aborted the job
	JobWatchdog   Kind = "job watchdog"   // a rank was in a collective for too long, which aborted it
	Broken        Kind = "rank"           // a rank could not go on
	Checkpoints   Kind = "checkpoints"
	Steps         Kind = "steps" // that were not lost, without checkpoints
)

// Congestion reports whether the kind is lost to a network that is not idle and whole.
func (k Kind) Congestion() bool {
	switch k {
	case SharedPort, UnevenChoice, SlowPort, LossyLink, FullBuffer, DropThreshold, Watchdog, NoRoute, Reordering, NoRoom,
		Timeouts, Pauses, Deadlock, Storm, Receiver, Controller, Window:
		return true
	}
	return false
}

// Diagnosis is what the time of a step or message was lost to.
//
// Invariant: the times of Blames and Rest sum to Whole, less what is rounded down.
type Diagnosis struct {
	Subject string        `json:"subject"` // whose time: a step along its critical path, ...
	Whole   unit.Duration `json:"whole_ps"`
	Blames  []Blame       `json:"blames"` // largest first
	// Findings are the blames by the names of what is behind them, each blame in one: the first is to be said first,
	// the others are in order of time.
	Findings []Finding     `json:"findings,omitempty"`
	Rest     unit.Duration `json:"rest_ps,omitempty"` // of further blames, which are not listed
}

// Blame is one reason.
type Blame struct {
	Kind     Kind          `json:"kind"`
	Port     string        `json:"port,omitempty"` // where
	Rank     *int32        `json:"rank,omitempty"`
	Time     unit.Duration `json:"time_ps"`
	Timer    unit.Duration `json:"timer_ps,omitempty"`         // of it, senders stood still until the retransmission timer ran out
	Felt     []Felt        `json:"felt"`                       // as which causes, largest first
	Culprits []Culprit     `json:"culprits,omitempty"`         // whose bytes waited there, largest first
	Others   int           `json:"others,omitempty"`           // culprits that are not listed
	Victims  []Culprit     `json:"victims,omitempty"`          // queue pairs that lost the time, largest first
	Crossed  bool          `json:"crossed,omitempty"`          // a victim's own path leads over the port
	Acks     bool          `json:"acknowledgements,omitempty"` // a victim's acknowledgements lead over the port, its data do not
	Faults   []string      `json:"faults,omitempty"`           // entries of the scenario's faults that may be behind it: faults[0]
	Lost     *Loss         `json:"lost,omitempty"`             // of a queue pair that gave up

	at int32 // the port
}

// Felt is how much of a blame passed in a state.
type Felt struct {
	Cause string        `json:"cause"`
	Time  unit.Duration `json:"time_ps"`
}

// Culprit is a queue pair or flow with its share of what waited at the port or, of a victim, of
// the time.
type Culprit struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Share returns the part of the whole that a blame has.
func (d *Diagnosis) Share(b *Blame) float64 {
	if d.Whole == 0 {
		return 0
	}
	return float64(b.Time) / float64(d.Whole)
}

// mostBlames is how many blames are listed, listed how many culprits and victims each names.
const (
	mostBlames = 64
	listed     = 16
)

// key is what blames are summed by.
type key struct {
	kind Kind
	port int32
	rank int32
}

// sum is a blame in the making.
type sum struct {
	key
	felt    cause.Split
	victims map[int32]unit.Duration
	crossed bool
	timer   unit.Duration
	acks    bool // acknowledgements lead over the port
}

// court gathers blames.
type court struct {
	e    *Evidence
	sums map[key]*sum
	uses map[int32]*use
	made map[int32]*Choice

	silencing bool // see silenced
}

// Of finds what time was lost to.
func Of(e *Evidence) *Diagnosis {
	c := &court{e: e, sums: map[key]*sum{}, uses: map[int32]*use{}, made: map[int32]*Choice{}}
	var whole unit.Duration
	for i := range e.Spans {
		whole += e.Spans[i].Time
		c.judge(&e.Spans[i])
	}
	n := unit.Duration(max(e.Count, 1))
	d := &Diagnosis{Subject: e.Subject, Whole: whole / n}
	sums := slices.DeleteFunc(c.merged(), func(s *sum) bool { return s.felt.Sum() < n })
	slices.SortFunc(sums, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.felt.Sum(), a.felt.Sum()), cmp.Compare(a.kind, b.kind), cmp.Compare(a.port, b.port),
			cmp.Compare(a.rank, b.rank))
	})
	for i, s := range sums {
		if i < mostBlames {
			d.Blames = append(d.Blames, c.blame(s, n))
		} else {
			d.Rest += s.felt.Sum() / n
		}
	}
	d.Findings = c.findings(d)
	return d
}

// merged puts the links of one speed, and the cables of one length, together: what is the same
// everywhere has no place.
func (c *court) merged() []*sum {
	var out []*sum
	alike := map[[2]int64]*sum{}
	keys := slices.SortedFunc(maps.Keys(c.sums), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.port, b.port), cmp.Compare(a.rank, b.rank))
	})
	for _, k := range keys {
		s := c.sums[k]
		var same [2]int64
		switch {
		case k.kind == LinkSpeed && k.port >= 0:
			same = [2]int64{1, int64(c.e.Ports[k.port].Rate)}
		case k.kind == Cable && k.port >= 0:
			same = [2]int64{2, int64(c.e.Ports[k.port].Delay)}
		default:
			out = append(out, s)
			continue
		}
		if first := alike[same]; first != nil {
			first.felt.Add(&s.felt)
			first.port = -1
			continue
		}
		alike[same] = s
		out = append(out, s)
	}
	return out
}

func (c *court) blame(s *sum, n unit.Duration) Blame {
	b := Blame{Kind: s.kind, Time: s.felt.Sum() / n, Timer: s.timer / n, Crossed: s.crossed}
	if s.port >= 0 {
		b.Port = c.e.Ports[s.port].Name
	}
	if s.rank >= 0 {
		b.Rank = &s.rank
	}
	for _, k := range cause.All() {
		if s.felt[k] >= n {
			b.Felt = append(b.Felt, Felt{k.String(), s.felt[k] / n})
		}
	}
	slices.SortStableFunc(b.Felt, func(x, y Felt) int { return cmp.Compare(y.Time, x.Time) })
	victims := map[int32]float64{}
	for p, t := range s.victims {
		victims[p] = float64(t)
	}
	b.Victims, _ = c.names(victims)
	if (s.kind == SharedPort || s.kind == UnevenChoice) && s.port >= 0 {
		b.Culprits, b.Others = c.names(c.culprits(s))
	}
	b.at, b.Acks = s.port, s.acks && !s.crossed
	return b
}

// culprits weighs whose bytes waited at a port for its victims: for each, those of everybody else.
// With f the bytes of a flow, F those of all and t the time of a victim, a flow c has
// f(c) x sum over v != c of t(v) / (F - f(v)).
func (c *court) culprits(s *sum) map[int32]float64 {
	fill := c.fill(s.port)
	all, own := int64(0), make(map[int32]int64, len(fill))
	for _, f := range fill {
		all += f.Bytes
		own[f.Pair] += f.Bytes
	}
	part := func(victim int32) float64 {
		if own[victim] == all {
			return 0
		}
		return float64(s.victims[victim]) / float64(all-own[victim])
	}
	whole := 0.0
	for _, victim := range sorted(s.victims) {
		whole += part(victim)
	}
	out := make(map[int32]float64, len(fill))
	for _, f := range fill {
		out[f.Pair] = float64(own[f.Pair]) * (whole - part(f.Pair))
	}
	return out
}

func sorted[V any](m map[int32]V) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// names lists the largest by name, as shares of all, and how many are left out.
func (c *court) names(weight map[int32]float64) (list []Culprit, more int) {
	whole := 0.0
	by := map[string]int{}
	for _, p := range sorted(weight) {
		if weight[p] <= 0 {
			continue
		}
		whole += weight[p]
		name := c.e.Name(p)
		i, ok := by[name]
		if !ok {
			i = len(list)
			by[name] = i
			list = append(list, Culprit{Name: name})
		}
		list[i].Share += weight[p]
	}
	for i := range list {
		list[i].Share /= whole
	}
	slices.SortStableFunc(list, func(a, b Culprit) int { return cmp.Compare(b.Share, a.Share) })
	if len(list) > listed {
		list, more = list[:listed], len(list)-listed
	}
	return list, more
}
