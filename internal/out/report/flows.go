package report

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// shownFlows is how many flows a chart or list of the slowest ones shows.
const shownFlows = 20

// eventBins is in how many parts the run is cut to show marks over time.
const eventBins = 120

// maxPaths bounds for how many paths the messages' causes are kept apart.
const maxPaths = 4096

// Messages is a group of messages. Split and Time are sums over those completed.
type Messages struct {
	Count, Done, Failed      int64
	Bytes                    unit.Bytes
	Marks, CNPs, Retransmits int64
	Time                     unit.Duration
	Split                    cause.Split
	Longest                  unit.Duration
	Times                    Histogram
}

// Mean returns the mean completion time and its causes, each rounded down.
func (m *Messages) Mean() (unit.Duration, cause.Split) {
	if m.Done == 0 {
		return 0, cause.Split{}
	}
	s := m.Split
	divide(&s, m.Done)
	return m.Time / unit.Duration(m.Done), s
}

// Quantile returns a time that the fraction q of the completed messages did not exceed,
// at most 1/64 too long.
func (m *Messages) Quantile(q float64) unit.Duration { return min(m.Times.Quantile(q), m.Longest) }

func (m *Messages) add(row *result.FlowRow) {
	m.Count++
	m.Bytes += row.Bytes
	m.Marks, m.CNPs, m.Retransmits = m.Marks+row.Marks, m.CNPs+row.CNPs, m.Retransmits+row.Retransmits
	if row.Status == result.StatusFailed {
		m.Failed++
	}
	if row.FCT == 0 {
		return
	}
	split := row.Split()
	m.Done++
	m.Time += row.FCT
	m.Split.Add(&split)
	m.Longest = max(m.Longest, row.FCT)
	m.Times.Add(row.FCT)
}

// Event is what messages that ended in a part of the run had met.
type Event struct{ Marks, CNPs, Retransmits int64 }

// PathLoad is the time that messages of a path lost to other traffic.
type PathLoad struct {
	Path  string
	Count int64
	Lost  cause.Split // queueing, pause, rate limit, window, retransmission only
}

// FlowStats is the messages of a run.
type FlowStats struct {
	Kinds      []string // those there are: job, background, collective
	ByKind     map[string]*Messages
	Tail, Rest Messages // messages of collectives in the slowest tenth of the steps, and in the others
	Slowest    []result.FlowRow
	Fastest    *result.FlowRow // of the main kind; nil: none completed
	Events     []Event         // by part of the run
	Paths      []PathLoad
	SlowHops   map[int64][]Hop // of Slowest, by id; nil without a table of hops
	Pairs      pairs           // messages of collectives by queue pair
	Traffic    *Traffic        // nil: unknown
}

var kindOrder = []string{result.KindJob, result.KindBackground, result.KindCollective}

// Of returns the messages of a kind, none if there are none.
func (f *FlowStats) Of(kind string) *Messages {
	if f == nil || f.ByKind[kind] == nil {
		return &Messages{}
	}
	return f.ByKind[kind]
}

// Main is the kind that the charts show message by message.
func (f *FlowStats) Main() string {
	if f == nil || len(f.Kinds) == 0 {
		return ""
	}
	if f.Kinds[0] == result.KindBackground && len(f.Kinds) > 1 {
		return f.Kinds[1] // a training beside background flows: its own messages
	}
	return f.Kinds[0]
}

func (d *Data) readFlows(run *result.Run) error {
	f := &FlowStats{ByKind: map[string]*Messages{}, Events: make([]Event, eventBins)}
	slow := map[string]map[string]result.FlowRow{}
	fast := map[string]*result.FlowRow{}
	paths := map[string]*PathLoad{}
	traffic := newTrafficMeter(d.Links)
	for row, err := range run.Flows() {
		if err != nil {
			return err
		}
		if !d.of(row.Job) {
			continue
		}
		m := f.ByKind[row.Kind]
		if m == nil {
			m = &Messages{}
			f.ByKind[row.Kind] = m
		}
		m.add(&row)
		keepSlowest(slow, row)
		if row.Kind == result.KindCollective {
			f.Pairs.add(&row)
		}
		if old := fast[row.Kind]; row.FCT > 0 && (old == nil || row.FCT < old.FCT) {
			faster := row // a copy: row itself stays off the heap
			fast[row.Kind] = &faster
		}
		if row.Kind == result.KindCollective && d.Steps != nil {
			if d.Steps.InTail(row.Step) {
				f.Tail.add(&row)
			} else {
				f.Rest.add(&row)
			}
		}
		if row.Kind != result.KindBackground {
			addPath(paths, &row)
		}
		d.addEvent(f, &row)
		traffic.add(&row)
	}
	f.Traffic = traffic.known()
	for _, k := range kindOrder {
		if f.ByKind[k] != nil {
			f.Kinds = append(f.Kinds, k)
		}
	}
	f.Slowest = slices.SortedFunc(maps.Values(slow[f.Main()]), slowerFirst)
	f.Slowest = f.Slowest[:min(len(f.Slowest), shownFlows)]
	f.Fastest = fast[f.Main()]
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		f.Paths = append(f.Paths, *paths[p])
	}
	slices.SortStableFunc(f.Paths, func(a, b PathLoad) int { return cmp.Compare(b.Lost.Sum(), a.Lost.Sum()) })
	d.Flows = f
	return nil
}

func slowerFirst(a, b result.FlowRow) int {
	return cmp.Or(cmp.Compare(b.FCT, a.FCT), cmp.Compare(a.ID, b.ID))
}

// keepSlowest keeps the slowest completed message of each kind and name.
func keepSlowest(slow map[string]map[string]result.FlowRow, row result.FlowRow) {
	if row.FCT == 0 {
		return
	}
	names := slow[row.Kind]
	if names == nil {
		names = map[string]result.FlowRow{}
		slow[row.Kind] = names
	}
	old, known := names[row.Name]
	if known && slowerFirst(old, row) <= 0 {
		return
	}
	if !known && len(names) >= maxPaths { // make room: the fastest half goes
		all := slices.SortedFunc(maps.Values(names), slowerFirst)
		for _, r := range all[maxPaths/2:] {
			delete(names, r.Name)
		}
	}
	names[row.Name] = row
}

func addPath(paths map[string]*PathLoad, row *result.FlowRow) {
	p := paths[row.Path]
	if p == nil {
		if len(paths) >= maxPaths {
			return
		}
		p = &PathLoad{Path: strings.Clone(row.Path)}
		paths[p.Path] = p
	}
	p.Count++
	for _, c := range []cause.Cause{cause.Queueing, cause.Pause, cause.RateLimit, cause.Window, cause.Retransmission} {
		p.Lost[c] += row.Split()[c]
	}
}

// addEvent puts what a message met at the time at which it ended: the tables have no finer time.
func (d *Data) addEvent(f *FlowStats, row *result.FlowRow) {
	at := min(max(row.Placed, row.Acked), d.End) // a host may place bytes after the end
	if at == 0 {                                 // it never ended
		at = d.End
	}
	if d.End <= 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(at), eventBins)
	part, _ := bits.Div64(hi, lo, uint64(d.End)+1)
	e := &f.Events[min(int(part), eventBins-1)]
	e.Marks, e.CNPs, e.Retransmits = e.Marks+row.Marks, e.CNPs+row.CNPs, e.Retransmits+row.Retransmits
}

// nodesOf lists the nodes of a path in order.
func nodesOf(path string) []string { return strings.Split(path, ">") }

// portsOf lists the egress ports of a path in order. Parallel cables are not told apart.
func portsOf(path string) []string {
	nodes := nodesOf(path)
	var ports []string
	for i := 1; i < len(nodes); i++ {
		ports = append(ports, nodes[i-1]+"/"+nodes[i])
	}
	return ports
}

// exactTimes is how many durations a histogram keeps as they are.
const exactTimes = 4096

// Histogram holds durations: a few as they are, many in buckets of at most 1/64 of
// their value.
type Histogram struct {
	exact  []unit.Duration // in order of arrival; nil once there are too many
	counts []int64
	n      int64
}

const histogramBits = 6

// Add counts a duration, at least 0.
func (h *Histogram) Add(v unit.Duration) {
	octave := max(0, bits.Len64(uint64(v))-histogramBits-1)
	b := octave<<histogramBits + int(int64(v)>>octave)
	for b >= len(h.counts) {
		h.counts = append(h.counts, 0)
	}
	h.counts[b]++
	if h.n++; h.n <= exactTimes {
		h.exact = append(h.exact, v)
	} else {
		h.exact = nil
	}
}

// Step is a place where a cumulative distribution rises.
type Step struct {
	At unit.Duration
	N  int64 // that took this time
}

// Steps returns the distribution in ascending order.
func (h *Histogram) Steps() []Step {
	var out []Step
	if h.exact != nil {
		sorted := slices.Sorted(slices.Values(h.exact))
		for i, v := range sorted {
			if i > 0 && v == sorted[i-1] {
				out[len(out)-1].N++
			} else {
				out = append(out, Step{v, 1})
			}
		}
		return out
	}
	for b, n := range h.counts {
		if n > 0 {
			out = append(out, Step{bucketTop(b), n})
		}
	}
	return out
}

// bucketTop returns the largest value of bucket b.
func bucketTop(b int) unit.Duration {
	if b < 2<<histogramBits {
		return unit.Duration(b)
	}
	octave := b>>histogramBits - 1
	return unit.Duration(int64(b-octave<<histogramBits+1)<<octave - 1)
}

// Quantile returns a duration that the fraction q of those counted did not exceed, at
// most 1/64 too long.
func (h *Histogram) Quantile(q float64) unit.Duration {
	var seen int64
	for _, s := range h.Steps() {
		if seen += s.N; float64(seen) >= q*float64(h.n) {
			return s.At
		}
	}
	return 0
}
