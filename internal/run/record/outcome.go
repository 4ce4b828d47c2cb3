package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/engine/nic"
	"railyard/internal/out/result"
)

// outcome says how the run ended, and with what error.
func (r *Recorder) outcome(s *result.Summary, e Ending) (result.State, error) {
	switch {
	case r.aborted() != nil:
		return result.Failed, r.aborted()
	case r.dir.Err() != nil:
		return result.Failed, r.dir.Err()
	case e.Diverged != nil:
		return result.Failed, e.Diverged
	case !e.Whole || e.Stopped && r.behind(s):
		return result.Interrupted, e.Interrupted
	case r.behind(s):
		return result.Unfinished, r.unfinished(s)
	}
	return result.Complete, nil
}

// behind reports whether a job has not done all that it was to do.
func (r *Recorder) behind(s *result.Summary) bool {
	for i, f := range s.PerJob() {
		if r.jobs[i].behind(f) {
			return true
		}
	}
	return false
}

func (j *Job) behind(f *result.JobFigures) bool { return f.Steps < f.StepsPlanned || j.left > 0 }

// unfinished is the error of a run in which no event is left and a job is not done.
func (r *Recorder) unfinished(s *result.Summary) error {
	var all []string
	for i, f := range s.PerJob() {
		j := r.jobs[i]
		if !j.behind(f) {
			continue
		}
		whole, _ := j.messages()
		t := fmt.Sprintf("%s of %s messages of the job were never acknowledged", unit.Count(j.left), unit.Count(whole))
		if j.ranks() > 0 {
			t = fmt.Sprintf("not all ranks ended step %d (of %d, counted from 0)", f.Steps, f.StepsPlanned)
		}
		if r.several() {
			t = "job " + j.name() + ": " + t
		}
		all = append(all, t)
	}
	t := strings.Join(all, "; ") + ", and nothing is left to happen"
	if len(r.stuck) > 0 {
		t += ": " + someOf(r.stuck)
	}
	if !r.plan.Scenario.Transport.Timeout.Set {
		t += "; transport.timeout is none, so what is lost is never sent again: want a time such as 1ms"
	}
	return fmt.Errorf("the run is unfinished: %s", t)
}

// messages is how many messages the job's own flows have, and their bytes.
func (j *Job) messages() (n int64, bytes unit.Bytes) {
	for i := range j.r.plan.Pairs {
		if q := &j.r.plan.Pairs[i]; j.sends(q) {
			n += int64(q.Flow.Count)
			bytes += unit.Bytes(q.Flow.Count) * q.Flow.Bytes
		}
	}
	return n, bytes
}

// shownOpen is how many messages a summary lists that were not acknowledged.
const shownOpen = 20

// someOf names the queue pairs of open messages, a few at most.
func someOf(open []result.OpenMessage) string {
	const most = 4
	var names []string
	for _, m := range open {
		if name := fmt.Sprintf("%s (%s to %s)", m.Name, m.Src, m.Dst); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if n := len(names) - most; n > 0 {
		names = append(names[:most], "and others")
	}
	return strings.Join(names, ", ")
}

// left takes a message that the run left unfinished. Those of a queue pair come oldest first. Of
// background flows, which go on until the run ends, only messages that gave up count.
func (r *Recorder) left(f *nic.Flow) {
	r.Flow(0, f)
	q := &r.plan.Pairs[f.QP]
	if q.Kind == result.KindBackground && !f.Failed {
		return
	}
	ends := r.endsOf(f.QP)
	m := result.OpenMessage{
		Job:    r.keyOf(q),
		Name:   q.Name,
		Kind:   q.Kind,
		Src:    ends.from,
		Dst:    ends.to,
		Step:   -1,
		Bytes:  f.Bytes,
		Posted: f.Posted,
		Path:   r.pathOf(f),
	}
	if f.Message != nil {
		m.Step = r.pairs[f.QP].life.step(f.Message.Step)
	}
	if f.Placed >= 0 {
		m.Placed = new(f.Placed)
	}
	st := r.network.Standing(f.QP)
	if st.Left >= 0 {
		m.Left = new(st.Left)
	}
	m.Waits = waits[st.Waits]
	if n := len(r.stuck); n == 0 || r.stuck[n-1].Name != q.Name {
		m.Acked = st.Acked
	}
	r.stuck = append(r.stuck, m)
}

var waits = [...]string{
	nic.ForAck:    result.WaitsAck,
	nic.ForWindow: result.WaitsWindow,
	nic.ForPause:  result.WaitsPause,
	nic.ForTurn:   result.WaitsTurn,
	nic.ForNone:   result.WaitsNone,
}

// sortStuck puts what gave up first, then what was posted first.
func (r *Recorder) sortStuck() {
	gaveUp := func(m result.OpenMessage) int {
		if m.Waits == result.WaitsNone {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.stuck, func(a, b result.OpenMessage) int {
		return cmp.Or(cmp.Compare(gaveUp(a), gaveUp(b)), cmp.Compare(a.Posted, b.Posted))
	})
}

// finishOpen lists the open messages of a run that failed or is unfinished.
func (r *Recorder) finishOpen(s *result.Summary) {
	if s.State != result.Failed && s.State != result.Unfinished {
		return
	}
	stuck := r.stuck
	s.UnfinishedAll = int64(len(stuck))
	s.Unfinished = stuck[:min(len(stuck), shownOpen)]
}
