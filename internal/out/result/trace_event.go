package result

import (
	"encoding/json"
	"iter"
	"strconv"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// eachRow calls f for each row, until something cannot be written.
func eachRow[R any](t *traceWriter, rows iter.Seq2[R, error], f func(R)) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		if f(row); t.err != nil {
			return t.err
		}
	}
	return nil
}

// rank returns the process of a rank.
func (t *traceWriter) rank(job string, rank int32) int {
	name, pid := t.whose(job, "rank "+strconv.Itoa(int(rank))), int(rank)+1
	switch {
	case len(t.run.Summary.Jobs) > 0:
		pid = t.process(name)
	case t.threads[pid] == 0:
		t.nameProcess(pid, name)
	}
	if t.threads[pid] == 0 {
		t.track(pid, "steps") // first, whatever comes first
	}
	return pid
}

// whose names a process of a job among several.
func (t *traceWriter) whose(job, name string) string {
	if len(t.run.Summary.Jobs) == 0 {
		return name
	}
	return job + ": " + name
}

// process returns the process of a name. Ranks of the only job have all been seen before.
func (t *traceWriter) process(name string) int {
	pid := t.named[name]
	if pid == 0 {
		pid = t.pids + 1
		t.named[name] = pid
		t.nameProcess(pid, name)
	}
	return pid
}

func (t *traceWriter) nameProcess(pid int, name string) {
	t.pids = max(t.pids, pid)
	t.event("M", pid)
	t.buf = append(t.buf, `,"name":"process_name","args":{"name":`...)
	t.buf = appendString(t.buf, name)
	t.buf = append(t.buf, "}}"...)
	t.event("M", pid)
	t.buf = append(t.buf, `,"name":"process_sort_index","args":{"sort_index":`...)
	t.buf = strconv.AppendInt(t.buf, int64(pid), 10)
	t.buf = append(t.buf, "}}"...)
	t.flush()
}

// track returns the threads of a name; there is at least one.
func (t *traceWriter) track(pid int, name string) *track {
	k := trackKey{pid, name}
	tr := t.tracks[k]
	if tr == nil {
		tr = &track{}
		t.tracks[k] = tr
		t.addThread(tr, pid, name)
	}
	return tr
}

func (t *traceWriter) addThread(tr *track, pid int, name string) {
	t.threads[pid]++
	tid := t.threads[pid]
	tr.tids, tr.ends = append(tr.tids, tid), append(tr.ends, 0)
	if n := len(tr.tids); n > 1 {
		name += " #" + strconv.Itoa(n)
	}
	t.event("M", pid)
	t.thread(tid)
	t.buf = append(t.buf, `,"name":"thread_name","args":{"name":`...)
	t.buf = appendString(t.buf, name)
	t.buf = append(t.buf, "}}"...)
	t.event("M", pid)
	t.thread(tid)
	t.buf = append(t.buf, `,"name":"thread_sort_index","args":{"sort_index":`...)
	t.buf = strconv.AppendInt(t.buf, int64(tid), 10)
	t.buf = append(t.buf, "}}"...)
	t.flush()
}

// lane returns the first thread of the track that is free at start, and takes it
// up to end.
func (t *traceWriter) lane(pid int, name string, start, end unit.Time) int {
	tr := t.track(pid, name)
	for i, e := range tr.ends {
		if e <= start {
			tr.ends[i] = end
			return tr.tids[i]
		}
	}
	t.addThread(tr, pid, name)
	tr.ends[len(tr.ends)-1] = end
	return tr.tids[len(tr.tids)-1]
}

// slice begins a slice and prints its end later; its arguments follow, then
// endSlice.
func (t *traceWriter) slice(pid int, thread, category, name string, start, end unit.Time) {
	t.pid, t.tid = pid, t.lane(pid, thread, start, end)
	t.event("B", pid)
	t.thread(t.tid)
	t.time(start)
	t.buf = append(t.buf, `,"cat":"`...)
	t.buf = append(t.buf, category...)
	t.buf = append(t.buf, `","name":`...)
	t.buf = appendString(t.buf, name)
	t.buf = append(t.buf, `,"args":{`...)
}

// endSlice ends the arguments, and the slice.
func (t *traceWriter) endSlice(end unit.Time) {
	t.buf = append(t.buf, "}}"...)
	t.event("E", t.pid)
	t.thread(t.tid)
	t.time(end)
	t.buf = append(t.buf, '}')
	t.flush()
}

func (t *traceWriter) counter(pid int, name string, at unit.Time, unit string, value []byte) {
	t.event("C", pid)
	t.time(at)
	t.buf = append(t.buf, `,"name":`...)
	t.buf = appendString(t.buf, name)
	t.buf = append(t.buf, `,"args":{`...)
	t.arg(unit, value)
	t.buf = append(t.buf, "}}"...)
	t.flush()
}

// event starts an event; the caller closes its brace.
func (t *traceWriter) event(phase string, pid int) {
	if t.events > 0 {
		t.buf = append(t.buf, ',')
	}
	t.events++
	t.buf = append(t.buf, "\n{\"ph\":\""...)
	t.buf = append(t.buf, phase...)
	t.buf = append(t.buf, `","pid":`...)
	t.buf = strconv.AppendInt(t.buf, int64(pid), 10)
}

func (t *traceWriter) thread(tid int) {
	t.buf = append(t.buf, `,"tid":`...)
	t.buf = strconv.AppendInt(t.buf, int64(tid), 10)
}

func (t *traceWriter) time(at unit.Time) {
	t.buf = append(t.buf, `,"ts":`...)
	t.buf = appendMicroseconds(t.buf, at)
}

// appendMicroseconds prints a time exactly: 1234567 ps is 1.234567.
func appendMicroseconds(b []byte, at unit.Time) []byte {
	const ps = int64(unit.Microsecond)
	b = strconv.AppendInt(b, int64(at)/ps, 10)
	frac := int64(at) % ps
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for digit := ps / 10; frac > 0; digit /= 10 {
		b = append(b, byte('0'+frac/digit))
		frac %= digit
	}
	return b
}

// arg adds an argument whose value is JSON already.
func (t *traceWriter) arg(name string, value []byte) {
	t.key(name)
	t.buf = append(t.buf, value...)
}

func (t *traceWriter) number(name string, v int64) {
	t.key(name)
	t.buf = strconv.AppendInt(t.buf, v, 10)
}

func (t *traceWriter) text(name, v string) {
	t.key(name)
	t.buf = appendString(t.buf, v)
}

// causes adds those that took time.
func (t *traceWriter) causes(c Causes) {
	split := c.Split()
	for i, d := range split {
		if d != 0 {
			t.number(causeArgs[i], int64(d))
		}
	}
}

var causeArgs = func() (names [cause.Count]string) {
	for i, c := range cause.All() {
		names[i] = c.Column() + "_ps"
	}
	return names
}()

func (t *traceWriter) key(name string) {
	if t.buf[len(t.buf)-1] != '{' {
		t.buf = append(t.buf, ',')
	}
	t.buf = append(t.buf, '"')
	t.buf = append(t.buf, name...)
	t.buf = append(t.buf, `":`...)
}

// appendString prints a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			q, _ := json.Marshal(s) // a string always has JSON
			return append(b, q...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// flush hands over what was printed.
func (t *traceWriter) flush() {
	if t.err == nil {
		_, t.err = t.w.Write(t.buf)
	}
	t.buf = t.buf[:0]
}
