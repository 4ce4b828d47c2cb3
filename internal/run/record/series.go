package record

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

// series looks at all links, queues and queue pairs once in an interval: series.parquet. It does so
// between windows, when all events up to an instant are done in all islands.
//
// Where the scenario names no interval it begins with the finest. When there are as many intervals as
// are kept, each two become one, and from then on one is twice as long: so it ends with what it would
// have, had that interval been named.
//
//	every = 1  | | | | | | | |          8 are kept: join
//	every = 2  |   |   |   |   | ...
type series struct {
	plan    *plan.Plan
	network Network
	jobs    []*Job

	table *result.Table[result.SeriesRow] // nil: nobody wants it
	auto  bool
	most  int // intervals that are kept, or that have rows
	every unit.Duration
	done  int // intervals
	ended unit.Time
	kept  []interval // with auto: those that have ended

	links  []linkState // by port
	queues []int64     // by port and class: as its last row said
	flows  []flowState // by queue pair
	cnps   []int64     // by queue pair: got by its sender, in all
}

// The finest interval, and how many are written of one that the scenario names.
const (
	finest      = unit.Microsecond
	mostWritten = 100_000
)

// interval is what has rows in an interval, in order of port, of queue, of queue pair.
type interval struct {
	links  []linkCell
	queues []queueCell
	flows  []flowCell
}

type linkCell struct {
	port         int32
	busy, paused unit.Duration
	marks, drops int64
}

func (c *linkCell) idle() bool { return c.busy == 0 && c.paused == 0 && c.marks == 0 && c.drops == 0 }

type queueCell struct {
	queue int32 // port and class
	bytes int64
}

type flowCell struct {
	qp          int32
	acked, cnps int64
	state       cc.State
}

// linkState and flowState are counters as of the end of the last interval, and what the last row
// said.
type linkState struct {
	busy, paused unit.Duration
	marks, drops int64
}

type flowState struct {
	acked, cnps int64
	told        cc.State
}

// open begins to look.
func (s *series) open(r *Recorder) {
	s.plan, s.network, s.jobs = r.plan, r.network, r.jobs
	ports, every := len(s.plan.Graph.Ports), s.plan.Scenario.Output.SeriesInterval
	s.table = r.dir.Series()
	s.auto, s.every, s.most = !every.Set, every.Or(finest), mostWritten
	if s.auto {
		s.most = int(foresight.SeriesIntervals(int64(ports*(1+s.plan.Switches.Classes()) + len(s.plan.Pairs))))
	}
	s.links, s.queues = make([]linkState, ports), make([]int64, ports*s.plan.Switches.Classes())
	s.flows, s.cnps = make([]flowState, len(s.plan.Pairs)), make([]int64, len(s.plan.Pairs))
}

// Due returns when Look is to be called next: never where nobody wants a series or telemetry, or looks for deadlocks.
func (r *Recorder) Due() unit.Time { return min(r.series.due(), r.watch.due(), r.waits.next()) }

// Look looks at everything that is due. All events up to now, which is Due, are done in all islands, and none after.
func (r *Recorder) Look(now unit.Time) {
	if r.series.due() == now {
		r.series.look(now)
	}
	if r.watch.due() == now {
		r.watch.look(now)
	}
	if r.waits.next() == now {
		r.lookWaits(now)
	}
}

func (s *series) due() unit.Time {
	if s.table != nil && (s.auto || s.done < s.most) {
		return s.ended.Add(s.every)
	}
	return unit.Never
}

// look ends an interval.
func (s *series) look(now unit.Time) {
	x := s.interval(now)
	if !s.auto {
		s.write(&x, s.ended, now)
	} else {
		s.kept = append(s.kept, x)
	}
	s.done++
	s.ended = now
	if s.auto && s.done == s.most {
		s.join()
	}
}

// interval looks at everything.
func (s *series) interval(now unit.Time) (x interval) {
	classes := s.plan.Switches.Classes()
	for id := range s.links {
		st, before := s.network.Stats(now, topo.PortID(id)), &s.links[id]
		is := linkState{st.Busy, st.Paused, st.Marks, st.Drops}
		c := linkCell{int32(id), is.busy - before.busy, is.paused - before.paused, is.marks - before.marks,
			is.drops - before.drops}
		if *before = is; !c.idle() {
			x.links = append(x.links, c)
		}
		for class := range classes {
			q := id*classes + class
			if bytes := int64(s.network.Waiting(fabric.PortID(id), class)); bytes != s.queues[q] {
				s.queues[q] = bytes
				x.queues = append(x.queues, queueCell{int32(q), bytes})
			}
		}
	}
	for qp := range s.flows {
		f := &s.flows[qp]
		acked, cnps := s.network.Delivered(int32(qp)), s.cnps[qp]
		c := flowCell{int32(qp), acked - f.acked, cnps - f.cnps, s.network.ControllerState(int32(qp), now)}
		if f.acked, f.cnps = acked, cnps; f.tells(&c) {
			x.flows = append(x.flows, c)
		}
	}
	return x
}

// tells reports whether a queue pair has a row.
func (f *flowState) tells(c *flowCell) bool {
	if c.acked == 0 && c.cnps == 0 && c.state == f.told {
		return false
	}
	f.told = c.state
	return true
}

// join makes one interval of each two.
func (s *series) join() {
	queues, flows := make([]int64, len(s.queues)), make([]flowState, len(s.flows))
	half := s.kept[:0]
	for i := 0; i < len(s.kept); i += 2 {
		half = append(half, joined(&s.kept[i], &s.kept[i+1], queues, flows))
	}
	clear(s.kept[len(half):])
	s.kept = half
	s.every *= 2
	s.done /= 2
}

// joined is what has rows in two intervals that are one. queues and flows hold what the rows before
// it said.
func joined(a, b *interval, queues []int64, flows []flowState) (x interval) {
	x.links = merge(a.links, b.links, func(c *linkCell) int32 { return c.port }, func(c, d *linkCell) {
		c.busy, c.paused, c.marks, c.drops = c.busy+d.busy, c.paused+d.paused, c.marks+d.marks, c.drops+d.drops
	})
	x.queues = merge(a.queues, b.queues, func(c *queueCell) int32 { return c.queue },
		func(c, d *queueCell) { c.bytes = d.bytes })
	x.flows = merge(a.flows, b.flows, func(c *flowCell) int32 { return c.qp }, func(c, d *flowCell) {
		c.acked, c.cnps, c.state = c.acked+d.acked, c.cnps+d.cnps, d.state
	})
	x.queues = news(x.queues, func(c *queueCell) bool {
		was := queues[c.queue]
		queues[c.queue] = c.bytes
		return c.bytes != was
	})
	x.flows = news(x.flows, func(c *flowCell) bool { return flows[c.qp].tells(c) })
	return x
}

// merge is the cells of two intervals in order; of what has one in both they are added.
func merge[C any](a, b []C, id func(*C) int32, add func(c, d *C)) []C {
	out := make([]C, 0, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && id(&a[0]) < id(&b[0]):
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || id(&b[0]) < id(&a[0]):
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, a[0])
			add(&out[len(out)-1], &b[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// news drops the cells that say nothing new.
func news[C any](all []C, keep func(*C) bool) []C {
	n := 0
	for i := range all {
		if keep(&all[i]) {
			all[n] = all[i]
			n++
		}
	}
	return all[:n]
}

// finish writes what is left: with the time since the last interval as one.
func (s *series) finish(now unit.Time) {
	if s.table == nil {
		return
	}
	if now > s.ended && s.due() != unit.Never {
		s.look(now)
	}
	from := unit.Time(0)
	for i := range s.kept {
		until := min(from.Add(s.every), now)
		s.write(&s.kept[i], from, until)
		from = until
	}
	s.kept = nil
}

// write adds its rows.
func (s *series) write(x *interval, from, until unit.Time) {
	row := func(kind string, port int32) result.SeriesRow {
		return result.SeriesRow{From: from, Until: until, Kind: kind, Port: s.plan.Graph.Ports[port].Name, Class: -1}
	}
	for i := range x.links {
		c := &x.links[i]
		w := row(result.SeriesLink, c.port)
		w.Busy, w.Paused, w.Marks, w.Drops = c.busy, c.paused, c.marks, c.drops
		w.Utilisation = float64(c.busy) / float64(until.Sub(from))
		s.table.Add(w)
	}
	classes := int32(s.plan.Switches.Classes())
	for i := range x.queues {
		c := &x.queues[i]
		w := row(result.SeriesQueue, c.queue/classes)
		w.Class, w.Bytes = s.plan.Switches.Priority(topo.PortID(c.queue/classes), uint8(c.queue%classes)), unit.Bytes(c.bytes)
		s.table.Add(w)
	}
	for i := range x.flows {
		c := &x.flows[i]
		q := &s.plan.Pairs[c.qp]
		w := row(result.SeriesFlow, int32(q.Path[0]))
		if w.Name = q.Name; q.Job >= 0 {
			w.Job = s.jobs[q.Job].name()
		}
		w.Bytes, w.CNPs = unit.Bytes(c.acked), c.cnps
		w.Rate, w.Target, w.Alpha, w.Window = c.state.Rate, c.state.Target, c.state.Alpha, c.state.Window
		s.table.Add(w)
	}
}

// cutNote says that a series ends before the run.
func (s *series) cutNote() string {
	return fmt.Sprintf("series.parquet ends at %s, after %s: want a longer output.series_interval than %s",
		s.ended.Human(), unit.CountOf(mostWritten, "interval"), s.every.Human())
}
