package result

import (
	"slices"
	"strconv"

	"railyard/internal/base/unit"
)

// arrow shows where a message arrived, and an arrow from its sender to there. The slice of its sender
// has just been printed: it is on thread from of process pid.
//
// Source: "Trace Event Format", flow events: phases s and f, bound to the slices that enclose them.
func (t *traceWriter) arrow(f *FlowRow, pid, from int) {
	if f.Placed == 0 {
		return
	}
	until := max(f.Placed, f.Acked)
	t.slice(t.process("received by "+f.Dst), "from "+f.Src, "arrival", f.Name, f.Placed, until)
	t.number("id", f.ID)
	t.number("bytes", int64(f.Bytes))
	t.endSlice(until)
	t.end("s", pid, from, f.Posted, f.ID)
	t.end("f", t.pid, t.tid, f.Placed, f.ID)
}

// end prints one end of an arrow.
func (t *traceWriter) end(phase string, pid, tid int, at unit.Time, id int64) {
	t.event(phase, pid)
	t.thread(tid)
	t.time(at)
	t.buf = append(t.buf, `,"cat":"message","name":"message","id":`...)
	t.buf = strconv.AppendInt(t.buf, id, 10)
	if phase == "f" {
		t.buf = append(t.buf, `,"bp":"e"`...)
	}
	t.buf = append(t.buf, '}')
	t.flush()
}

// logTrace shows events: pauses as slices of the port that they hold, rates as counters, everything
// else as instants.
type logTrace struct {
	t      *traceWriter
	rates  bool // no series tells of them
	paused map[Queue]paused
	order  []Queue // in order of their first pauses
}

type paused struct {
	since unit.Time
	root  string
	on    bool
}

func (l *logTrace) row(e EventRow) {
	q := Queue{e.Port, e.Class}
	switch {
	case e.LeftOut > 0:
	case e.Kind == EventPause:
		if _, known := l.paused[q]; !known {
			l.order = append(l.order, q)
		}
		l.paused[q] = paused{e.Time, e.Root, true}
	case e.Kind == EventResume:
		l.pause(q, e.Time)
	case e.Kind == EventRate:
		if l.rates && l.t.window.overlaps(e.Time, e.Time) {
			l.t.rate(e.Job, e.Name, e.Time, e.Rate, e.Target)
		}
	default:
		l.t.instant(&e)
	}
}

// pause shows one that ends.
func (l *logTrace) pause(q Queue, until unit.Time) {
	p := l.paused[q]
	if !p.on {
		return
	}
	p.on = false
	l.paused[q] = p
	if !l.t.window.overlaps(p.since, until) {
		return
	}
	l.t.slice(l.t.process("pauses"), q.Port+" priority "+strconv.Itoa(int(q.Class)), "pause", "paused", p.since, until)
	l.t.text("because_of", p.root)
	l.t.endSlice(until)
}

// close shows the pauses that the end of the run cut off.
func (l *logTrace) close() {
	for _, q := range l.order {
		l.pause(q, max(l.paused[q].since, l.t.run.Summary.VirtualTime))
	}
}

// instant shows what happened at once.
func (t *traceWriter) instant(e *EventRow) {
	if !t.window.overlaps(e.Time, e.Time) {
		return
	}
	pid := t.process("events")
	tid := t.track(pid, e.Port).tids[0]
	t.event("i", pid)
	t.thread(tid)
	t.time(e.Time)
	t.buf = append(t.buf, `,"s":"t","cat":"event","name":`...)
	t.buf = appendString(t.buf, e.Kind)
	t.buf = append(t.buf, `,"args":{`...)
	if e.Name != "" {
		t.text("flow", e.Name)
	}
	if e.PSN >= 0 {
		t.number("psn", int64(e.PSN))
	}
	if e.Bytes > 0 {
		t.number("bytes", int64(e.Bytes))
	}
	if e.Threshold > 0 {
		t.number("threshold_bytes", int64(e.Threshold))
	}
	if e.Root != "" {
		t.text("because_of", e.Root)
	}
	t.buf = append(t.buf, "}}"...)
	t.flush()
}

// rate shows a controller's rate, and its target if it has one.
func (t *traceWriter) rate(job, name string, at unit.Time, rate, target unit.Bitrate) {
	pid := t.process(t.whose(job, "rates"))
	t.counter(pid, name+" rate", at, "Gb/s", gigabits(rate))
	if target > 0 {
		t.counter(pid, name+" target", at, "Gb/s", gigabits(target))
	}
}

func gigabits(r unit.Bitrate) []byte {
	return strconv.AppendFloat(nil, float64(r)/float64(unit.GigabitPerSec), 'f', 3, 64)
}

// seriesTrace shows links, rates and, where no table has them finer, queues.
type seriesTrace struct {
	t      *traceWriter
	queues bool
	busy   map[string]unit.Time // by port: until when its last interval was
	order  []string
}

func (s *seriesTrace) row(r SeriesRow) {
	t := s.t
	if !t.window.overlaps(r.From, r.Until) {
		return
	}
	switch r.Kind {
	case SeriesLink:
		until, known := s.busy[r.Port]
		if !known {
			s.order = append(s.order, r.Port)
		}
		if until < r.From {
			s.level(r.Port, max(until, t.window.From), 0)
		}
		s.level(r.Port, r.From, r.Utilisation)
		s.busy[r.Port] = r.Until
	case SeriesQueue:
		if s.queues {
			q := queueTrace{t: t}
			q.sample(Queue{r.Port, r.Class}, r.Until, r.Bytes)
		}
	case SeriesFlow:
		t.rate(r.Job, r.Name, r.Until, r.Rate, r.Target)
	}
}

func (s *seriesTrace) level(port string, at unit.Time, utilisation float64) {
	s.t.counter(s.t.process("link utilisation"), port, at, "percent",
		strconv.AppendFloat(nil, utilisation*100, 'f', 3, 64))
}

// close ends the levels of links that were idle at the end.
func (s *seriesTrace) close() {
	for _, port := range s.order {
		s.level(port, s.busy[port], 0)
	}
}

// logged shows the tables of events and series.
func (t *traceWriter) logged(name string) error {
	tables := t.run.Tables()
	if name == "events" {
		l := logTrace{t: t, rates: !slices.Contains(tables, "series"), paused: map[Queue]paused{}}
		if err := eachRow(t, t.run.Events(), l.row); err != nil {
			return err
		}
		l.close()
		return nil
	}
	s := seriesTrace{t: t, queues: !slices.Contains(tables, "queues"), busy: map[string]unit.Time{}}
	if err := eachRow(t, t.run.Series(), s.row); err != nil {
		return err
	}
	s.close()
	return nil
}
