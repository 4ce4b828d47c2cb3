package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
)

// Bounds of what a viewer tells at once.
const (
	mostViewed = 20_000 // ports of a network
	mostPairs  = 64     // queue pairs
)

// A Viewer looks at a run that goes on: what ports and some queue pairs did since it looked last. It only reads, and is asked
// where a recorder looks: between windows, when all events up to an instant are done in all islands.
type Viewer struct {
	r     *Recorder
	since unit.Time
	all   Counts
	links []linkState // by port, as it was last
	acked []ackedBy   // by queue pair

	last *View // nil: nothing was seen

	part  string // of names of queue pairs that are told
	among int    // so many were looked through for it
	pairs []int32
	more  int
}

// ackedBy is what was acknowledged by a view, and by the one before.
type ackedBy struct {
	now, before int64
	at          unit.Time // of the view
}

// Counts are events of the whole network.
type Counts struct {
	Marks       int64 `json:"marks"`
	Drops       int64 `json:"drops"`
	Pauses      int64 `json:"pauses"` // PFC frames that stopped a port
	CNPs        int64 `json:"cnps"`
	Retransmits int64 `json:"retransmits"`
	Hops        int64 `json:"packet_hops"`
}

func (c Counts) minus(b Counts) Counts {
	return Counts{c.Marks - b.Marks, c.Drops - b.Drops, c.Pauses - b.Pauses, c.CNPs - b.CNPs, c.Retransmits - b.Retransmits,
		c.Hops - b.Hops}
}

// A View is a run at an instant, and what happened since the view before.
type View struct {
	Now    unit.Time    `json:"now_ps"`
	Since  unit.Time    `json:"since_ps"`
	Events Counts       `json:"events"` // since then
	Ports  PortsViewed  `json:"ports"`  // that hold something, or did something since then
	Pairs  []PairViewed `json:"pairs"`
	More   int          `json:"more_pairs"` // that are meant, too, and are not told
}

// PortsViewed has a column for each figure. Shares are of the time since the view before, in parts of 10,000.
type PortsViewed struct {
	Port   []int32      `json:"port"` // as Viewer.Ports numbers them
	Queue  []unit.Bytes `json:"queue_bytes"`
	Use    []int32      `json:"use_10000"`
	Paused []int32      `json:"paused_10000"`
	Held   []bool       `json:"held"` // by PFC, now
	Marks  []int64      `json:"marks"`
	Drops  []int64      `json:"drops"`
}

// PairViewed is a queue pair.
type PairViewed struct {
	Name  string     `json:"name"`
	Job   string     `json:"job"`      // "": no job's
	Acked unit.Bytes `json:"bytes"`    // acknowledged since the view before
	Rate  float64    `json:"rate_bps"` // of these
	May   float64    `json:"may_bps"`  // by its controller; 0: it has no rate
}

// A PortName says what a port joins.
type PortName struct {
	Port string       `json:"port"`
	From string       `json:"from"`
	To   string       `json:"to"`
	Tier string       `json:"tier"` // of From
	Rate unit.Bitrate `json:"rate_bps"`
}

// Viewer returns a viewer that has seen nothing: its first view tells of the whole run so far.
func (r *Recorder) Viewer() *Viewer {
	return &Viewer{r: r, links: make([]linkState, len(r.plan.Graph.Ports)), part: "\x00"}
}

// Ports lists the ports as views number them.
func (v *Viewer) Ports() (all []PortName, err error) {
	g := v.r.plan.Graph
	if len(g.Ports) > mostViewed {
		return nil, fmt.Errorf("a view has %d ports at most, this network has %d", mostViewed, len(g.Ports))
	}
	for i := range g.Ports {
		p := &g.Ports[i]
		from, to := &g.Nodes[p.Node], &g.Nodes[p.To]
		all = append(all, PortName{p.Name, from.Name, to.Name, from.Kind.String(), p.Rate})
	}
	return all, nil
}

// Look returns what happened since it was called last; at one instant again, what it has told. Of queue pairs it tells those
// whose names have the part, the first of them. now is as the run tells it, at or after the last.
func (v *Viewer) Look(now unit.Time, part string) *View {
	w := &View{Now: now, Since: v.since}
	if v.last != nil && now == v.since {
		*w = *v.last
	} else {
		v.lookAtPorts(w)
	}
	v.choose(part)
	w.Pairs, w.More = make([]PairViewed, 0, len(v.pairs)), v.more
	for _, id := range v.pairs {
		w.Pairs = append(w.Pairs, v.pair(id, w))
	}
	v.since, v.last = now, w
	return w
}

// pair returns what a queue pair did since the view before.
func (v *Viewer) pair(id int32, w *View) PairViewed {
	n, q := v.r.network, &v.r.plan.Pairs[id]
	seen := PairViewed{Name: q.Name, May: float64(n.ControllerState(id, w.Now).Rate)}
	if q.Job >= 0 {
		seen.Job = v.r.jobs[q.Job].name()
	}
	a := &v.acked[id]
	if a.at != w.Now {
		*a = ackedBy{n.Delivered(id), a.now, w.Now}
	}
	seen.Acked = unit.Bytes(a.now - a.before)
	seen.Rate = float64(seen.Acked) * 8e12 / max(1, float64(w.Now.Sub(w.Since)))
	return seen
}

// lookAtPorts fills in what ports and the whole network did.
func (v *Viewer) lookAtPorts(w *View) {
	n := v.r.network
	took := max(1, float64(w.Now.Sub(w.Since)))
	all := Counts{CNPs: n.CNPs(), Retransmits: n.Retransmits(), Hops: n.Hops()}
	p := &w.Ports
	*p = PortsViewed{[]int32{}, []unit.Bytes{}, []int32{}, []int32{}, []bool{}, []int64{}, []int64{}}
	for id := range v.links {
		st, before := n.Stats(w.Now, topo.PortID(id)), &v.links[id]
		all.Marks, all.Drops, all.Pauses = all.Marks+st.Marks, all.Drops+st.Drops, all.Pauses+st.PausesReceived
		is := linkState{st.Busy, st.Paused, st.Marks, st.Drops}
		c := linkCell{int32(id), is.busy - before.busy, is.paused - before.paused, is.marks - before.marks, is.drops - before.drops}
		*before = is
		var queue unit.Bytes
		for class := range v.r.plan.Switches.Classes() {
			queue += n.Waiting(fabric.PortID(id), class)
		}
		if queue == 0 && c.idle() && !st.Held {
			continue
		}
		p.Port, p.Queue, p.Held = append(p.Port, c.port), append(p.Queue, queue), append(p.Held, st.Held)
		p.Use, p.Paused = append(p.Use, parts(c.busy, took)), append(p.Paused, parts(c.paused, took))
		p.Marks, p.Drops = append(p.Marks, c.marks), append(p.Drops, c.drops)
	}
	w.Events = all.minus(v.all)
	v.all = all
}

func parts(part unit.Duration, of float64) int32 { return int32(float64(part)/of*10_000 + 0.5) }

// choose finds the queue pairs that are told of, anew where others are meant or there are more. One that was not told of
// before begins with what it has by now.
func (v *Viewer) choose(part string) {
	all := v.r.plan.Pairs
	if part == v.part && len(all) == v.among {
		return
	}
	before := v.pairs
	v.part, v.among, v.pairs, v.more = part, len(all), nil, 0
	v.acked = append(v.acked, make([]ackedBy, len(all)-len(v.acked))...)
	for id := range all {
		switch {
		case !strings.Contains(all[id].Name, part):
		case len(v.pairs) == mostPairs:
			v.more++
		default:
			v.pairs = append(v.pairs, int32(id))
			if _, known := slices.BinarySearchFunc(before, int32(id), cmp.Compare); !known && v.since > 0 {
				v.acked[id].now = v.r.network.Delivered(int32(id))
			}
		}
	}
}
