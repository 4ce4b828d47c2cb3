package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Memory is what a server is to keep to, in bytes: budgets below are made for it, and who starts one says so to the collector of
// garbage.
const Memory = 256 << 20

// Budgets of one run, in cells of base level; the levels above come to as many again.
const (
	portCells  = 1_500_000
	flowCells  = 1_000_000
	heldValues = 300_000 // of snapshots
	nearRows   = 20_000
)

// queueName and flowName are what series.parquet knows beside links.
type queueName struct {
	Port  string `json:"port"`
	Class int32  `json:"class"`
}

type flowName struct {
	Job  string `json:"job"`
	Name string `json:"name"`
	Port string `json:"port"` // of the NIC that sends
}

// linkTracks are the tracks of a link; -1: it has none yet, because it was 0 so far.
type linkTracks struct{ use, paused, marks, drops int }

// flowTracks are the tracks of a queue pair.
type flowTracks struct{ rate, target, alpha, window, acked, cnps int }

// seriesTable is what was learnt of series.parquet, or of queues.parquet where there is no series.
type seriesTable struct {
	groups  *result.Groups[result.SeriesRow] // nil: it is of queues.parquet
	sampled *result.Groups[result.QueueRow]
	every   unit.Duration
	until   unit.Time // the end of the last interval
	spans   []span    // of row groups
	ports   *pyramid
	flows   *pyramid
	links   map[string]*linkTracks
	queues  map[queueName]int // tracks, of ports
	pairs   map[flowName]*flowTracks
	names   []flowName // in order of their first rows
	rows    int64
	refused int // queue pairs and queues that found no room

	before     snapshots[queueName, float64]
	beforeFlow snapshots[flowName, [4]float64] // rate, target, alpha, window
	near       near
}

// near is the rows of a port that were read last: a page that asks for its link's asks for its queues', too.
type near struct {
	mu          sync.Mutex
	port        string // "": none
	without     *result.Leave
	first, last int // row groups
	until       unit.Time
	rows        []result.SeriesRow
}

// What links and queues have nothing of, and what queue pairs have nothing of: to decode it takes most of the time.
var (
	ofPairs = result.LeaveOut("job", "name", "busy_ps", "cnps", "rate_bps", "target_bps", "alpha", "window_bytes")
	ofPorts = result.LeaveOut("busy_ps", "utilisation", "paused_ps", "marks", "drops")
)

// rowsAt hands on the rows of a port in some row groups, until a time.
func (s *seriesTable) rowsAt(ctx context.Context, port string, without *result.Leave, first, last int, until unit.Time,
	row func(*result.SeriesRow)) error {
	n := &s.near
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.port != port || n.without != without || n.first != first || n.last != last || n.until != until {
		n.port, n.rows = "", n.rows[:0]
		many := false
		err := s.rowsOf(ctx, without, first, last, until, func(r *result.SeriesRow) {
			if many = many || len(n.rows) == nearRows; !many && r.Port == port {
				n.rows = append(n.rows, *r)
			}
		})
		if err != nil {
			return err
		}
		if many {
			return s.rowsOf(ctx, without, first, last, until, row)
		}
		n.port, n.without, n.first, n.last, n.until = port, without, first, last, until
	}
	for i := range n.rows {
		row(&n.rows[i])
	}
	return nil
}

// span is from when until when a row group has rows.
type span struct{ From, Until unit.Time }

// snapshots are what held figures were before row groups: not before each, where that would be too many values.
type snapshots[K comparable, V any] struct {
	stride int // before each so many groups
	all    []snapshot[K, V]
	values int
}

type snapshot[K comparable, V any] struct {
	group  int
	values []held[K, V]
}

type held[K comparable, V any] struct {
	key   K
	value V
}

// of returns what a key has; nothing was held by one that is not there.
func (s *snapshot[K, V]) of(key K) (v V) {
	for i := range s.values {
		if s.values[i].key == key {
			return s.values[i].value
		}
	}
	return v
}

// take keeps what each gives, before a row group.
func (s *snapshots[K, V]) take(group int, each func(put func(K, V))) {
	s.stride = max(s.stride, 1)
	if group%s.stride != 0 {
		return
	}
	n := 0
	each(func(K, V) { n++ })
	now := snapshot[K, V]{group, make([]held[K, V], 0, n)}
	each(func(k K, v V) { now.values = append(now.values, held[K, V]{k, v}) })
	s.all, s.values = append(s.all, now), s.values+len(now.values)
	for s.values > heldValues && len(s.all) > 1 {
		s.stride *= 2
		s.all = slices.DeleteFunc(s.all, func(h snapshot[K, V]) bool { return h.group%s.stride != 0 })
		s.values = 0
		for _, h := range s.all {
			s.values += len(h.values)
		}
	}
}

// last returns the last one that is not after a group; of none it begins with nothing before the first.
func (s *snapshots[K, V]) last(group int) (found snapshot[K, V]) {
	for _, h := range s.all {
		if h.group <= group {
			found = h
		}
	}
	return found
}

func newSeriesTable() *seriesTable {
	return &seriesTable{links: map[string]*linkTracks{}, queues: map[queueName]int{}, pairs: map[flowName]*flowTracks{}}
}

// errIrregular says that a table is not made of intervals as a run makes them.
var errIrregular = errors.New("has intervals that are not of one length")

// readSeries reads series.parquet once. progress hears how many row groups are done.
func readSeries(ctx context.Context, run *result.Run, progress func(done, all int)) (*seriesTable, error) {
	groups, err := run.SeriesGroups()
	if err != nil {
		return nil, err
	}
	s := newSeriesTable()
	s.groups = groups
	for i := range groups.Len() {
		progress(i, groups.Len())
		if err := ctx.Err(); err != nil {
			s.close()
			return nil, err
		}
		s.snapshot(i)
		s.spans = append(s.spans, span{From: unit.Never})
		var bad error
		err := groups.Each(i, func(r *result.SeriesRow) bool {
			bad = s.row(r, &s.spans[i])
			return bad == nil
		})
		if err := cmp.Or(err, bad); err != nil {
			s.close()
			return nil, fmt.Errorf("series.parquet: %w", err)
		}
	}
	s.seal()
	return s, nil
}

// readQueues reads queues.parquet instead: queues alone, at the interval of their samples.
func readQueues(ctx context.Context, run *result.Run, every unit.Duration, progress func(done, all int)) (*seriesTable, error) {
	groups, err := run.QueueGroups()
	if err != nil {
		return nil, err
	}
	s := newSeriesTable()
	s.sampled = groups
	s.begin(every)
	for i := range groups.Len() {
		progress(i, groups.Len())
		if err := ctx.Err(); err != nil {
			s.close()
			return nil, err
		}
		s.snapshot(i)
		s.spans = append(s.spans, span{From: unit.Never})
		err := groups.Each(i, func(r *result.QueueRow) bool {
			s.sample(r, &s.spans[i])
			return true
		})
		if err != nil {
			s.close()
			return nil, fmt.Errorf("queues.parquet: %w", err)
		}
	}
	s.seal()
	return s, nil
}

// sample takes a row of queues.parquet: from then on samples found so much. It is told of as if an interval had ended then.
func (s *seriesTable) sample(r *result.QueueRow, in *span) {
	s.rows++
	in.From, in.Until = min(in.From, r.Time), max(in.Until, r.Time)
	s.until = max(s.until, r.Time.Add(s.every))
	s.queue(queueName{r.Port, r.Class}, int64(r.Time)/int64(s.every), float64(r.Bytes))
}

func (s *seriesTable) close() {
	if s.groups != nil {
		s.groups.Close()
	}
	if s.sampled != nil {
		s.sampled.Close()
	}
}

func (s *seriesTable) begin(every unit.Duration) {
	s.every = max(every, 1)
	s.ports, s.flows = newPyramid(s.every, portCells), newPyramid(s.every, flowCells)
}

// seal ends the pyramids.
func (s *seriesTable) seal() {
	if s.ports == nil {
		s.begin(unit.Microsecond)
	}
	n := (int64(s.until) + int64(s.every) - 1) / int64(s.every)
	s.ports.seal(n)
	s.flows.seal(n)
}

// row takes a row into the pyramids.
func (s *seriesTable) row(r *result.SeriesRow, in *span) error {
	length := r.Until.Sub(r.From)
	if s.ports == nil {
		if length < 1 {
			return errIrregular
		}
		s.begin(length)
	}
	// The last interval may be shorter. Where it is the only one, nobody can tell.
	if length > s.every || length < 1 || int64(r.From)%int64(s.every) != 0 {
		return errIrregular
	}
	s.rows++
	in.From, in.Until = min(in.From, r.From), max(in.Until, r.Until)
	s.until = max(s.until, r.Until)
	k := int64(r.From) / int64(s.every)
	switch r.Kind {
	case result.SeriesLink:
		s.link(r, k)
	case result.SeriesQueue:
		s.queue(queueName{r.Port, r.Class}, k, float64(r.Bytes))
	case result.SeriesFlow:
		s.flow(r, k)
	}
	return nil
}

func (s *seriesTable) link(r *result.SeriesRow, k int64) {
	l := s.links[r.Port]
	if l == nil {
		l = &linkTracks{-1, -1, -1, -1}
		s.links[r.Port] = l
	}
	put := func(id *int, v float64) {
		if *id < 0 && v != 0 {
			s.ports.advance(k)
			*id = s.ports.add(false)
		}
		if *id >= 0 {
			s.ports.sample(*id, k, v)
		}
	}
	put(&l.use, r.Utilisation)
	put(&l.paused, float64(r.Paused)/float64(r.Until.Sub(r.From)))
	put(&l.marks, float64(r.Marks))
	put(&l.drops, float64(r.Drops))
}

func (s *seriesTable) queue(name queueName, k int64, bytes float64) {
	id, known := s.queues[name]
	if !known {
		s.ports.advance(k)
		if id = s.ports.add(true); id < 0 {
			s.refused++
		}
		s.queues[name] = id
	}
	if id >= 0 {
		s.ports.sample(id, k, bytes)
	}
}

func (s *seriesTable) flow(r *result.SeriesRow, k int64) {
	name := flowName{r.Job, r.Name, r.Port}
	f, known := s.pairs[name]
	if !known {
		s.flows.advance(k)
		f = s.newFlow(name)
	}
	if f == nil {
		return
	}
	p := s.flows
	p.sample(f.rate, k, float64(r.Rate))
	p.sample(f.target, k, float64(r.Target))
	p.sample(f.alpha, k, r.Alpha)
	p.sample(f.window, k, float64(r.Window))
	p.sample(f.acked, k, float64(r.Bytes))
	p.sample(f.cnps, k, float64(r.CNPs))
}

// newFlow makes room for a queue pair; nil: there is none.
func (s *seriesTable) newFlow(name flowName) *flowTracks {
	p := s.flows
	if (len(p.tracks)+6)*leastBins > p.most {
		s.refused++
		if len(s.pairs) < flowCells/leastBins {
			s.pairs[name] = nil
		}
		return nil
	}
	f := &flowTracks{p.add(true), p.add(true), p.add(true), p.add(true), p.add(false), p.add(false)}
	s.pairs[name] = f
	s.names = append(s.names, name)
	return f
}

// snapshot keeps what is held before a row group.
func (s *seriesTable) snapshot(group int) {
	s.before.take(group, func(put func(queueName, float64)) {
		for name, id := range s.queues {
			if id >= 0 && s.ports.tracks[id].now != 0 {
				put(name, s.ports.tracks[id].now)
			}
		}
	})
	s.beforeFlow.take(group, func(put func(flowName, [4]float64)) {
		for name, f := range s.pairs {
			if t := s.flows.tracks; f != nil {
				put(name, [4]float64{t[f.rate].now, t[f.target].now, t[f.alpha].now, t[f.window].now})
			}
		}
	})
}

// overlapping returns the row groups that have rows between two times; where nothing happened then, the last one before.
func (s *seriesTable) overlapping(from, until unit.Time) (first, last int) {
	first, last = len(s.spans), -1
	for i, g := range s.spans {
		if g.Until > from && g.From < until {
			first, last = min(first, i), i
		}
	}
	if last < 0 {
		first = 0
		for i, g := range s.spans {
			if g.From < until {
				first, last = i, i
			}
		}
	}
	return first, last
}
