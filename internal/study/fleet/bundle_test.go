package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// Short jobs travel together, as many as may; long ones alone; none is left out or sent twice. A bundle of the same jobs has the same
// name, a job alone that of its key.
func TestPacking(t *testing.T) {
	for _, c := range []struct {
		name    string
		most    int
		seconds []float64
		sizes   []int
		want    string
	}{
		{"none", 4, nil, nil, ""},
		{"so many", 3, []float64{0, 0, 0, 0, 0, 0, 0}, nil, "3 3 1"},
		{"one each", 1, []float64{0, 0}, nil, "1 1"},
		{"a second", 9, []float64{0.5, 0.5, 0.1, 0.8, 0.2}, nil, "2 2 1"},
		{"long ones", 9, []float64{7, 8, 0.1, 0.1}, nil, "1 1 2"},
		{"large ones", 9, []float64{0, 0, 0, 0}, []int{maxMessage / 2, maxMessage / 3, maxMessage / 3, maxMessage}, "2 1 1"},
	} {
		p := packer{most: c.most}
		var counts, keys, ids []string
		take := func() {
			id, text, err := p.take()
			if err != nil {
				t.Fatal(err)
			}
			if id == "" {
				return
			}
			var b bundle
			if err := json.Unmarshal(text, &b); err != nil || len(text) > 1<<20 {
				t.Fatalf("%s: %d bytes, %v", c.name, len(text), err)
			}
			counts, ids = append(counts, fmt.Sprint(len(b.Jobs))), append(ids, id)
			for _, j := range b.Jobs {
				keys = append(keys, j.Key)
			}
			if len(b.Jobs) == 1 && id != b.Jobs[0].Key {
				t.Errorf("%s: %s alone is called %s", c.name, b.Jobs[0].Key, id)
			}
		}
		for i, s := range c.seconds {
			j := job{Key: fmt.Sprintf("k%d", i), Memory: int64(i)}
			if c.sizes != nil {
				j.Scenario = strings.Repeat("x", c.sizes[i]-100)
			}
			text, err := json.Marshal(&j)
			if err != nil {
				t.Fatal(err)
			}
			if !p.fits(text, s) {
				take()
			}
			p.add(j.Key, text, s)
		}
		take()
		take()
		if got := strings.Join(counts, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for i, k := range keys {
			if k != fmt.Sprintf("k%d", i) {
				t.Errorf("%s: %v", c.name, keys)
			}
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != len(counts) || len(keys) != len(c.seconds) {
			t.Errorf("%s: %v", c.name, ids)
		}
	}
	for jobs, want := range map[int]int{1: 1, 63: 1, 64: 2, 300: 9, 512: 16, 100000: 16} {
		if got := togetherOf(jobs); got != want {
			t.Errorf("of %d jobs %d together, want %d", jobs, got, want)
		}
	}
	names := map[string]bool{}
	for _, keys := range [][]string{{"a", "b"}, {"b", "a"}, {"ab"}, {"a", "b"}, {"a", "b", "c"}} {
		p := packer{most: 9}
		for _, k := range keys {
			p.add(k, []byte("{}"), 0)
		}
		id, _, err := p.take()
		if err != nil {
			t.Fatal(err)
		}
		names[id] = true
	}
	if len(names) != 4 {
		t.Errorf("%d names of four bundles, one of them twice", len(names))
	}
	b := bundle{[]job{{Memory: 3}, {Memory: 7}, {Memory: 5}}}
	if got := b.memory(); got != 7 {
		t.Errorf("one after another they take %d", got)
	}
}

// queued is how many messages a queue was given.
func queued(t *testing.T, q *queue) uint64 {
	t.Helper()
	s, err := q.js.Stream(t.Context(), jobsStream+q.id)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.LastSeq
}

// jobsOf are variants as they travel.
func jobsOf(all []sweep.Variant) (jobs []job) {
	for i := range all {
		jobs = append(jobs, job{Key: sweep.KeyOf(all[i].Scenario, nil), Scenario: string(all[i].Scenario.YAML())})
	}
	return jobs
}

// give puts a bundle into a queue.
func give(t *testing.T, q *queue, jobs []job) {
	t.Helper()
	text, err := json.Marshal(&bundle{jobs})
	if err == nil {
		err = q.publish(t.Context(), jobs[0].Key+"+", text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Many short runs take few messages, and each has its row.
func TestShortRunsTravelTogether(t *testing.T) {
	b := start(t)
	all := variants(t, small, 130)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := b.worker(ctx, "w", b.connect("w"))
	e := b.engine()
	got, err := b.away(e, all)
	if err != nil || rowsText(t, got) != rowsText(t, want) {
		t.Fatalf("%v: other rows than in this process", err)
	}
	cancel()
	<-done
	q, err := openQueue(t.Context(), e.Conn, e.ID, false, true)
	if err != nil {
		t.Fatal(err)
	}
	if n := queued(t, q); n != 33 {
		t.Errorf("%d messages for 130 runs, want 33: four in each", n)
	}
}

// A bundle that comes again is taken apart: what has a row is not run again, and who ends workers is alone when it is counted.
func TestABundleThatComesAgainIsTakenApart(t *testing.T) {
	b := start(t)
	all := variants(t, small, 4)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	jobs := jobsOf(all)
	give(t, q, jobs)
	lost := &serving{Worker: &Worker{Name: "lost"}, sources: &run.Sources{}} // it has the row of one, and is gone
	b.loses(q, 1)
	if err := lost.answer(t.Context(), q, &jobs[1]); err != nil {
		t.Fatal(err)
	}
	s := &serving{Worker: &Worker{Name: "w", Tell: func(string) {}}, sources: &run.Sources{}}
	s.ill.Store(3)
	s.free.L = &s.mu
	msg := b.next(q)
	s.active = 1
	s.handle(t.Context(), q, msg)
	if n := queued(t, q); n != 4 || s.ill.Load() != 3 {
		t.Errorf("%d messages, want that of the bundle and three of jobs; no run ended well, and it is well: %d", n, s.ill.Load())
	}
	for _, j := range jobs {
		if n := lostNow(t, q, j.Key); n != 1 {
			t.Errorf("%d workers have %s or were lost with it, want the next", n, j.Key)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := b.worker(ctx, "w", b.connect("w"))
	got, err := b.away(e, all)
	if err != nil || rowsText(t, got) != rowsText(t, want) {
		t.Errorf("%v: other rows than in this process", err)
	}
	cancel()
	<-done
	if got[1].Cost.Worker != "lost" || got[2].Cost.Worker != "w" {
		t.Errorf("the rows are by %s and %s", got[1].Cost.Worker, got[2].Cost.Worker)
	}
}

// Of a bundle that cannot be brought to an end the rows that are there are given; of one some of which has rows the rest alone is run.
func TestABundleThatStops(t *testing.T) {
	b := start(t)
	q := b.queue()
	jobs := jobsOf(variants(t, small, 4))
	s := &serving{Worker: &Worker{Name: "w"}, sources: &run.Sources{}}
	wrong := slices.Clone(jobs[:3])
	wrong[2].Key = "other"
	if err := s.together(t.Context(), q, &bundle{wrong}, once{}); err == nil || !strings.Contains(err.Error(), "its key is not that") {
		t.Errorf("a wrong job: %v", err)
	}
	has := func(want string) {
		t.Helper()
		got := ""
		for _, j := range jobs {
			there, err := q.has(t.Context(), j.Key)
			if err != nil {
				t.Fatal(err)
			}
			got += map[bool]string{true: "1", false: "0"}[there]
		}
		if got != want {
			t.Errorf("rows %s, want %s", got, want)
		}
	}
	has("1100")
	before := queued(t, q)
	if err := s.together(t.Context(), q, &bundle{jobs[:3]}, once{}); err != nil {
		t.Error(err)
	}
	if n := queued(t, q); n != before+1 {
		t.Errorf("%d messages more, want that of the third job", n-before)
	}
	has("1100")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.together(ended, q, &bundle{jobs[3:]}, once{}); err == nil {
		t.Error("the worker ends, and the job seems to be answered")
	}
	has("1100")
	if err := q.put(ended, "w", []sealed{{"k", []byte("{}")}}); err == nil {
		t.Error("the worker ends, and a row seems to be given")
	}
	if err := q.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := q.put(t.Context(), "w", []sealed{{"k", []byte("{}")}}); err != nil {
		t.Errorf("a row of a sweep that is through: %v", err)
	}
}

// once is a message that is delivered for the first time.
type once struct{ message }

func (once) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: 1}, nil
}
