package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/out/result"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// working is a worker of which tests call what it does, with the jobs of variants as its own: look is told of each that it begins.
func working(all []sweep.Variant, look func(n int)) *serving {
	own := map[string]*sweep.Job{}
	for i := range all {
		key := sweep.KeyOf(all[i].Scenario, nil)
		own[key] = &sweep.Job{Key: key, Scenario: all[i].Scenario}
	}
	n := 0
	s := &serving{sources: &run.Sources{}, queues: map[string]*queue{}, refused: map[string]bool{}}
	s.Worker = &Worker{Name: "w", Tell: func(string) {}, Own: func(key string) *sweep.Job {
		n++
		look(n)
		return own[key]
	}}
	s.free.L = &s.mu
	return s
}

// While a bundle is under way its rows are given each second; what a worker that ends has of it, at its end.
func TestRowsOfABundleDoNotWaitForTheLast(t *testing.T) {
	b := start(t)
	q := b.queue()
	all := variants(t, small, 6)
	jobs := jobsOf(all)
	has := func(j *job) bool {
		there, err := q.has(t.Context(), j.Key)
		if err != nil {
			t.Error(err)
		}
		return there
	}
	s := working(all, func(n int) {
		switch n {
		case 1:
			time.Sleep(putEach)
		case 2:
			if !has(&jobs[0]) {
				t.Error("a second has gone, and the row that is there is not given")
			}
		case 3:
			if has(&jobs[1]) {
				t.Error("each row is given by itself")
			}
		}
	})
	if err := s.together(t.Context(), q, &bundle{jobs[:3]}, once{}); err != nil || !has(&jobs[1]) || !has(&jobs[2]) {
		t.Errorf("%v: a row is not there", err)
	}
	ctx, end := context.WithCancel(t.Context())
	s = working(all, func(n int) {
		if n == 3 {
			end()
		}
	})
	if err := s.together(ctx, q, &bundle{jobs[3:]}, once{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the worker ends: %v", err)
	}
	if !has(&jobs[3]) || !has(&jobs[4]) || has(&jobs[5]) {
		t.Error("a worker that ends gives the two rows that it has")
	}
}

// A job that takes longer than a server waits for a sign of life is run once, though another worker has nothing to do.
func TestASlowJobIsAlive(t *testing.T) {
	b := start(t)
	all := variants(t, small, 1)
	e := b.engine()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var begun atomic.Int32
	var both sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		nc := b.connect(name)
		both.Go(func() {
			w := Worker{Name: name, Limits: sweep.Limits{Workers: 1}, Own: func(key string) *sweep.Job {
				begun.Add(1)
				time.Sleep(4 * ackWait)
				return e.Own(key)
			}}
			w.Serve(ctx, nc) //nolint:errcheck // the rows say so
		})
	}
	rows, err := b.away(e, all)
	if err != nil || rows[0].State != result.Complete {
		t.Errorf("%+v, %v", rows, err)
	}
	q, err := openQueue(t.Context(), e.Conn, e.ID, false, true)
	if err != nil {
		t.Fatal(err)
	}
	info, err := q.jobs.Info(t.Context())
	if err != nil || info.Delivered.Consumer != 1 || begun.Load() != 1 {
		t.Errorf("%v: it was delivered %d times, and begun %d times", err, info.Delivered.Consumer, begun.Load())
	}
	cancel()
	both.Wait()
}

// noted is a message that keeps what becomes of it.
type noted struct {
	data      []byte
	delivered uint64
	said      []string
}

func (m *noted) Data() []byte { return m.data }

func (m *noted) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: m.delivered}, nil
}

func (m *noted) note(what string) error { m.said = append(m.said, what); return nil }

func (m *noted) Ack() error { return m.note("done") }

func (m *noted) Nak() error { return m.note("back") }

func (m *noted) NakWithDelay(d time.Duration) error { return m.note("back in " + d.String()) }

func (m *noted) InProgress() error { return nil } // at any time

func (m *noted) Term() error { return m.note("dropped") }

// What becomes of a message, and who is counted: a bundle that is handed back counts nobody, a job that too many workers seem to be
// lost with rests for the grace of those.
func TestWhatBecomesOfAMessage(t *testing.T) {
	b := start(t)
	q := b.queue()
	all := variants(t, small, 6)
	jobs := jobsOf(all)
	wrong := []job{{Key: "wrong1", Scenario: "x"}, {Key: "wrong2", Scenario: "x"}}
	if err := q.lost(t.Context(), jobs[3].Key, func(losses) losses { return losses{Lost: mostTries} }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		jobs      []job
		delivered uint64
		said      string
		lost      int // of the first
		ill       int32
	}{
		{"a job", jobs[:1], 1, "done", 1, 0},
		{"a bundle", jobs[1:3], 1, "done", 1, 0},
		{"a job that comes again", jobs[4:5], 2, "done", 2, 0},
		{"one that too many seem to be lost with", jobs[3:4], 2, "back in " + grace.String(), mostTries, 7},
		{"a wrong job", wrong[:1], 1, "back in 1s", 0, 8},
		{"a bundle with a wrong job", []job{jobs[5], wrong[1]}, 1, "back in 1s", 1, 8},
		{"no job", nil, 1, "dropped", 1, 7},
	} {
		text, err := json.Marshal(&bundle{c.jobs})
		if err != nil {
			t.Fatal(err)
		}
		m := &noted{data: text, delivered: c.delivered}
		s := working(all, func(int) {})
		s.active = 1
		s.ill.Store(7)
		s.handle(t.Context(), q, m)
		if got := strings.Join(m.said, ", "); got != c.said || s.active != 0 || s.used != 0 {
			t.Errorf("%s: %s, want %s; %d at work, %d bytes", c.name, got, c.said, s.active, s.used)
		}
		if got := s.ill.Load(); got != c.ill {
			t.Errorf("%s: %d in a row were handed back, want %d", c.name, got, c.ill)
		}
		if len(c.jobs) == 0 {
			continue
		}
		if n := lostNow(t, q, c.jobs[0].Key); n != c.lost {
			t.Errorf("%s: %d workers have it or were lost with it, want %d", c.name, n, c.lost)
		}
	}
	most := bundle{[]job{{Memory: 2}, {Memory: 3}, {Memory: 1}}}
	if got := most.memory(); got != 3 {
		t.Errorf("jobs of 2, 3 and 1 bytes one after another take %d", got)
	}
}

// A sweep of which a worker knows, but whose queue is not there yet, is looked for again; one of another version is refused once.
func TestASweepThatIsNotThereYet(t *testing.T) {
	b := start(t)
	nc := b.connect("w")
	said := 0
	s := working(nil, func(int) {})
	s.Tell = func(string) { said++ }
	s.nc = nc
	var err error
	if s.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	look := func() {
		t.Helper()
		s.looked = time.Time{}
		if err := s.sweeps(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	q := &queue{js: s.js, id: "x"}
	if err := q.announce(t.Context(), announcement{"x", result.Version, 1}, true); err != nil {
		t.Fatal(err)
	}
	if look(); len(s.queues) > 0 {
		t.Fatal("it has no queue")
	}
	if _, err := openQueue(t.Context(), nc, "x", true, true); err != nil {
		t.Fatal(err)
	}
	if look(); s.queues["x"] == nil {
		t.Fatal("its queue is there, and it is not found")
	}
	defer s.queues["x"].pulls.close()
	for n := range 3 { // each time the list changes
		q.id = fmt.Sprintf("old%d", n/2)
		if err := q.announce(t.Context(), announcement{"old", "0.0.1", n}, true); err != nil {
			t.Fatal(err)
		}
		look()
	}
	if said != 2 || len(s.queues) != 1 {
		t.Errorf("two sweeps of another version are refused %d times, %d are served", said, len(s.queues))
	}
}

// Jobs of one key have one row, that is told of all of them: a row, why it cannot run, why it is dead and with which scenario.
func TestAllJobsOfAKeyAreTold(t *testing.T) {
	b := start(t)
	q := b.queue()
	all := variants(t, small, 3)
	for i := range all {
		j := jobsOf(all[i : i+1])[0]
		row := &sweep.Row{Key: j.Key, State: result.Complete}
		refused := ""
		if i == 1 {
			refused, row = "too large", nil
		}
		text, err := seal("w", j.Key, refused, row)
		if i < 2 && err == nil {
			_, err = q.rows.Put(t.Context(), rowPrefix+j.Key, text)
		} else if err == nil {
			err = q.dead(t.Context(), j.Key, "it ends workers")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e := b.engine()
	e.ID = "x"
	e.Dead = func(_, scenario string) string {
		if scenario != string(all[2].Scenario.YAML()) {
			t.Errorf("the dead job is %s", scenario)
		}
		return "by hand"
	}
	var jobs []sweep.Job
	for _, v := range append(all, all...) {
		jobs = append(jobs, sweep.Job{Key: sweep.KeyOf(v.Scenario, nil), Scenario: v.Scenario})
	}
	told := &tellings{said: make([]string, len(jobs))}
	if err := e.Run(t.Context(), jobs, told); err != nil {
		t.Fatal(err)
	}
	dead := "failed dead letter: it ends workers; by hand"
	if got, want := strings.Join(told.said, "|"), strings.Join([]string{"complete ", "refused too large", dead, "complete ",
		"refused too large", dead}, "|"); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}

// tellings keeps what is told of each job.
type tellings struct{ said []string }

func (s *tellings) Done(k int, row *sweep.Row, _ *result.Summary) error {
	s.said[k] += fmt.Sprintf("%s %s", row.State, row.Error)
	return nil
}

func (s *tellings) Refused(k int, err error) error { s.said[k] += "refused " + err.Error(); return nil }

func (s *tellings) Progress(int, result.Progress) {}

// A server that has no room, then is away for longer than it may have none, and then has no room once more has not had none for long.
func TestNoRoomIsCountedFromTheLastTime(t *testing.T) {
	defer func(before time.Duration) { briefly = before }(briefly)
	briefly = 400 * time.Millisecond
	full := &jetstream.APIError{ErrorCode: 10023}
	errs := []error{full, nats.ErrTimeout, nats.ErrTimeout, full, nil}
	n := 0
	if err := waited(t.Context(), "x", func() error { n++; return errs[n-1] }); err != nil || n != len(errs) {
		t.Errorf("%d tries, %v", n, err)
	}
}

// A file that has changed since the sweep was planned is not sent.
func TestAChangedFileIsNotSent(t *testing.T) {
	b := start(t)
	q := b.queue()
	path := holding(t, "t.txt", "host host1\n")
	sent := map[string]bool{}
	err := q.send(t.Context(), path, (result.Input{Text: []byte("host host2\n")}).Digest().SHA256, sent)
	if err == nil || !strings.Contains(err.Error(), "it has changed since the sweep was planned") || len(sent) > 0 {
		t.Errorf("%v", err)
	}
}
