package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

const small = `name: small
cluster: {hosts: 3, host: {gpus: 1}}
job: {flows: [{from: host1/gpu0, to: host3/gpu0, bytes: 20kB}, {from: host2/gpu0, to: host3/gpu0, bytes: 20kB}]}
`

// variants are so many seeds of a scenario.
func variants(t *testing.T, text string, n int) []sweep.Variant {
	t.Helper()
	sc, err := scenario.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	all, err := sweep.Variants(sc, nil, seeds)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rowsText is what a sweep found, as it is compared.
func rowsText(t *testing.T, rows []sweep.Row) string {
	t.Helper()
	text, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// bench is a server with what tests hang on it.
type bench struct {
	*testing.T
	server *Server
	told   sync.Map // lines that workers told
}

func start(t *testing.T) *bench {
	t.Helper()
	before, often, longer := ackWait, signEach, grace
	ackWait, signEach, grace = 400*time.Millisecond, 130*time.Millisecond, 500*time.Millisecond
	s, err := Start("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(); ackWait, signEach, grace = before, often, longer })
	return &bench{T: t, server: s}
}

func (b *bench) connect(name string) *nats.Conn {
	b.Helper()
	nc, err := b.server.Connect(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	return nc
}

// queue opens the queue of sweep x, which it makes in memory.
func (b *bench) queue() *queue {
	b.Helper()
	q, err := openQueue(b.Context(), b.connect("w"), "x", true, true)
	if err != nil {
		b.Fatal(err)
	}
	return q
}

// worker serves until ctx ends.
func (b *bench) worker(ctx context.Context, name string, nc *nats.Conn) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		w := Worker{Name: name, Limits: sweep.Limits{Workers: 2}, Tell: func(line string) { b.told.Store(line, true) }}
		w.Serve(ctx, nc) //nolint:errcheck // a connection that is cut
	}()
	return done
}

// next takes a message from a queue, which comes at once, or again.
func (b *bench) next(q *queue) jetstream.Msg {
	b.Helper()
	for range 100 {
		batch, err := q.jobs.Fetch(1, jetstream.FetchMaxWait(200*time.Millisecond))
		if err != nil {
			b.Fatal(err)
		}
		for msg := range batch.Messages() {
			return msg
		}
	}
	b.Fatal("no message comes")
	return nil
}

func (b *bench) engine() *Engine {
	return &Engine{Conn: b.connect("sweep"), Name: "small", ID: Identity([]byte(b.Name())), Memory: true}
}

// away runs variants over an engine.
func (b *bench) away(e *Engine, all []sweep.Variant) ([]sweep.Row, error) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	return sweep.Run(ctx, all, sweep.Options{Engine: e, Limits: sweep.Limits{Workers: 1}})
}

// However workers come and go, are cut off or hand back what they have, each row is there once, and is that of this process.
func TestRowsWhateverWorkersDo(t *testing.T) {
	all := variants(t, small, 60)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Here a worker lives a tenth of a second, and on a busy machine three may be cut off with one job: that is no dead one.
	defer func(before int) { mostTries = before }(mostTries)
	mostTries = 1000
	for seed := range uint64(3) {
		b := start(t)
		stop := make(chan struct{})
		var chaos sync.WaitGroup
		for k := range 4 {
			chaos.Add(1)
			go func() {
				defer chaos.Done()
				r := rand.New(rand.NewPCG(seed, uint64(k)))
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					nc, err := b.server.Connect("w")
					if err != nil {
						t.Error(err)
						return
					}
					ctx, cancel := context.WithCancel(t.Context())
					done := b.worker(ctx, fmt.Sprintf("w%d.%d", k, n), nc)
					time.Sleep(time.Duration(50+r.IntN(100)) * time.Millisecond)
					if r.IntN(3) == 0 {
						nc.Close() // as if it were killed: nothing is handed back
					}
					cancel()
					<-done
					nc.Close()
				}
			}()
		}
		got, err := b.away(b.engine(), all)
		close(stop)
		chaos.Wait()
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if g, w := rowsText(t, got[i:i+1]), rowsText(t, want[i:i+1]); g != w {
				t.Fatalf("seed %d: row %d is %s\nwant %s", seed, i, g, w)
			}
		}
	}
}

// A worker of a batch job ends by itself when nothing is left to do, not before, and one whose server is gone ends, too.
func TestUntilIdle(t *testing.T) {
	all := variants(t, small, 12)
	b := start(t)
	nc := b.connect("batch")
	ended := make(chan error, 1)
	go func() {
		w := Worker{Name: "batch", Limits: sweep.Limits{Workers: 2}, UntilIdle: 2 * time.Second}
		ended <- w.Serve(b.Context(), nc)
	}()
	rows, err := b.away(b.engine(), all)
	if err != nil || len(rows) != len(all) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for ever")
	}
	lost := b.connect("lost")
	go func() {
		w := Worker{Name: "lost", Limits: sweep.Limits{Workers: 1}, UntilIdle: time.Second}
		ended <- w.Serve(b.Context(), lost)
	}()
	lost.Close()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("its server is gone, and nothing is said")
		}
	case <-time.After(time.Minute):
		t.Fatal("it asks for ever")
	}
}

// A sweep that was left behind hides none that comes later, from a worker that has it; and several take turns.
func TestASweepLeftBehindHidesNone(t *testing.T) {
	b := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := b.worker(ctx, "w", b.connect("w"))
	left, cut := context.WithCancel(t.Context())
	first := b.engine()
	_, err := sweep.Run(left, variants(t, small, 30), sweep.Options{Engine: first, Progress: func(p sweep.Progress) {
		if p.Phase == "runs" && p.Done == 5 {
			cut()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	second := &Engine{Conn: b.connect("second"), Name: "second", ID: Identity([]byte("second")), Memory: true}
	rows, err := b.away(second, variants(t, small, 40)[30:])
	if err != nil || len(rows) != 10 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	cancel()
	<-done
	for _, c := range []struct{ last, want string }{{"", "a b c"}, {"a", "b c a"}, {"b", "c a b"}, {"c", "a b c"}, {"bb", "c a b"}} {
		if got := strings.Join(after([]string{"a", "b", "c"}, c.last), " "); got != c.want {
			t.Errorf("after %q: %s, want %s", c.last, got, c.want)
		}
	}
}

// A sweep that is interrupted finds its rows on the server, and runs none of them again.
func TestResumes(t *testing.T) {
	b := start(t)
	all := variants(t, small, 30)
	e := b.engine()
	ctx, cancel := context.WithCancel(t.Context())
	done := b.worker(ctx, "w", b.connect("w"))
	half, cut := context.WithCancel(t.Context())
	n := 0
	_, err := sweep.Run(half, all, sweep.Options{Engine: e, Progress: func(p sweep.Progress) {
		if p.Phase == "runs" && p.Done == 10 {
			cut()
		}
		n = max(n, p.Done)
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%d rows, %v", n, err)
	}
	q, err := openQueue(t.Context(), e.Conn, e.ID, false, true)
	if err != nil {
		t.Fatal(err)
	}
	for pending := uint64(1); pending > 0; { // workers go on without it
		info, err := q.jobs.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pending = info.NumPending + uint64(info.NumAckPending)
	}
	cancel()
	<-done
	keys, err := q.rows.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, rowPrefix) })
	if len(rows) != len(all) {
		t.Fatalf("%d of %d rows", len(rows), len(all))
	}
	got, err := b.away(e, all) // no worker is there
	if err != nil || len(got) != 30 || got[29].State != result.Complete {
		t.Errorf("%d rows, %v", len(got), err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := openQueue(t.Context(), e.Conn, e.ID, false, true); err == nil {
		t.Error("something is left on the server")
	}
}

// What is not the row that was asked for is found, and named with its worker; it is never in the table.
func TestWrongRowsAreNamed(t *testing.T) {
	all := variants(t, small, 2)
	rows, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(worker, key string, row sweep.Row) []byte {
		text, err := seal(worker, key, "", &row)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	bare := func(r sweep.Row) sweep.Row { r.Set, r.Digest = nil, ""; return r }
	first, second := bare(rows[0]), bare(rows[1])
	flipped := sealed("mallory", first.Key, first)
	at := strings.Index(string(flipped), `"packet_hops":`) + len(`"packet_hops":`)
	flipped[at] ^= 1
	refusal, err := seal("mallory", second.Key, "too large", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		text       []byte
	}{
		{"a flipped byte", "by worker mallory is damaged", flipped},
		{"another variant's row", "worker mallory answered with the row of " + second.Key, sealed("mallory", second.Key, second)},
		{"another variant's row under this key", "worker mallory answered with the row of " + second.Key,
			sealed("mallory", first.Key, second)},
		{"another variant's refusal", "worker mallory answered with the row of " + second.Key, refusal},
		{"no row", "is damaged", []byte("{")},
		{"a row of no state", "has the state", sealed("mallory", first.Key, sweep.Row{Key: first.Key})},
	} {
		b := start(t)
		e := b.engine()
		q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.rows.Put(t.Context(), rowPrefix+first.Key, c.text); err != nil {
			t.Fatal(err)
		}
		if _, err := b.away(e, all); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	// A second row for a key that says something else: both workers are named.
	b := start(t)
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	other := second
	other.Drops++
	if _, err := q.rows.Put(t.Context(), rowPrefix+second.Key, sealed("mallory", second.Key, other)); err != nil {
		t.Fatal(err)
	}
	honest := &serving{Worker: &Worker{Name: "honest"}, sources: &run.Sources{}} // began it before that row was there
	if err := honest.answer(t.Context(), q, &job{Key: second.Key, Scenario: string(all[1].Scenario.YAML())}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.away(e, all); err == nil || !strings.Contains(err.Error(), "workers mallory and honest disagree") {
		t.Errorf("two rows: %v", err)
	}
}

// A job that is delivered five times has one row; one of another version is not taken; one that three workers began is dead.
func TestDeliveries(t *testing.T) {
	b := start(t)
	all := variants(t, small, 3)
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	keys := make([]string, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		keys[i] = sweep.KeyOf(all[i].Scenario, nil)
		j := &job{Key: keys[i], Scenario: string(all[i].Scenario.YAML())}
		text, err := json.Marshal(&bundle{[]job{*j}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 { // as the sweep publishes it, which then is dropped
			if _, err := q.js.Publish(t.Context(), jobSubject+q.id, text, jetstream.WithMsgID(keys[i])); err != nil {
				t.Fatal(err)
			}
			b.loses(q, mostTries, j)
			continue
		}
		for range 5 {
			if _, err := q.js.Publish(t.Context(), jobSubject+q.id, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.worker(ctx, "a", b.connect("a"))
	b.worker(ctx, "b", b.connect("b"))
	asked := ""
	e.Dead = func(key, scenario string) string { asked = key; return "railyard run x.yaml" }
	rows, err := b.away(e, all)
	if err != nil || rows[0].State != result.Complete || rows[1].State != result.Complete {
		t.Fatalf("%v, %+v", err, rows)
	}
	if r := rows[2]; r.State != result.Failed || asked != keys[2] || !strings.HasSuffix(r.Error,
		"3 workers began it, and none brought it to an end; railyard run x.yaml") {
		t.Errorf("the dead one: %+v", r)
	}
	if err := q.announce(t.Context(), announcement{"old", "0.0.1", 1}, true); err != nil {
		t.Fatal(err)
	}
	alone, stop := context.WithCancel(t.Context())
	done := b.worker(alone, "c", b.connect("c"))
	refused := false
	for n := 0; n < 1000 && !refused; n++ { // at once, on a machine with time
		_, refused = b.told.Load("refused: sweep old is of Railyard 0.0.1, this worker is " + result.Version)
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if <-done; !refused {
		t.Error("the other version was not refused by name")
	}
}

// refusing is a bucket that refuses some writes.
type refusing struct {
	jetstream.KeyValue
	left int
}

func (r *refusing) Create(ctx context.Context, key string, value []byte, opt ...jetstream.KVCreateOpt) (uint64, error) {
	if r.left > 0 {
		r.left--
		return 0, errors.New("refused")
	}
	return r.KeyValue.Create(ctx, key, value, opt...)
}

// What workers hand back in order is counted, also when the server does not take that at once: it is no lost worker's, however
// often, and no dead letter. One that does not count is.
func TestWhatIsHandedBackIsNotLost(t *testing.T) {
	b := start(t)
	all := variants(t, small, 1)
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err == nil {
		q, err = openQueue(t.Context(), e.Conn, e.ID, false, true) // as a worker does
	}
	if err != nil {
		t.Fatal(err)
	}
	j := &job{Key: sweep.KeyOf(all[0].Scenario, nil), Scenario: string(all[0].Scenario.YAML())}
	text, err := json.Marshal(&bundle{[]job{*j}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.js.Publish(t.Context(), jobSubject+q.id, text, jetstream.WithMsgID(j.Key)); err != nil {
		t.Fatal(err)
	}
	s := &serving{Worker: &Worker{Name: "w"}, sources: &run.Sources{}}
	times := mostTries + 1
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	begins := func(lost int) jetstream.Msg { // a worker does, after so many were lost with it
		t.Helper()
		msg := b.next(q)
		if done, err := s.settled(t.Context(), q, j, msg); done || err != nil {
			t.Fatalf("a job that was handed back %d times, and that %d workers were lost with, is settled: %v", times, lost, err)
		}
		if got := lostNow(t, q, j.Key); got != lost+1 {
			t.Fatalf("counted %d workers that have it or were lost with it, want %d", got, lost+1)
		}
		return msg
	}
	for n := range times {
		msg := begins(0)
		if n == 0 { // the server refuses it once
			refuses := *q
			refuses.rows = &refusing{q.rows, 1}
			s.handBack(t.Context(), &refuses, j, msg)
		} else { // a worker that ends
			s.handBack(ended, q, j, msg)
		}
		if got := lostNow(t, q, j.Key); got != 0 {
			t.Fatalf("handed back %d times, and %d are lost", n+1, got)
		}
	}
	b.loses(q, 2) // what nobody began does not count
	for lost := range mostTries {
		begins(lost)
	}
	suspected := func() {
		t.Helper()
		if done, err := s.settled(t.Context(), q, j, b.next(q)); done || !errors.Is(err, errSuspect) {
			t.Errorf("%d workers seem to be lost with a job: %v, %v", mostTries, done, err)
		}
	}
	suspected()
	s.handBack(t.Context(), q, j, b.next(q)) // one of them was not
	begins(mostTries - 1)
	suspected()
	if done, err := s.settled(t.Context(), q, j, b.next(q)); !done || err != nil {
		t.Errorf("%d workers were lost with a job, and it goes on: %v", mostTries, err)
	}
}

// lostNow is how many workers have a job, or were lost with it.
func lostNow(t *testing.T, q *queue, key string) (n int) {
	t.Helper()
	if err := q.lost(t.Context(), key, func(l losses) losses { n = l.Lost; return l }); err != nil {
		t.Fatal(err)
	}
	return n
}

// A worker whose disk is full hands back what it cannot write, and is no reason for a dead letter: another has the row.
func TestAFullDiskHandsBack(t *testing.T) {
	b := start(t)
	topology := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(topology, []byte("host host1\nhost host2\nswitch s1\nlink host1 s1 100Gb/s 2m\n"+
		"link host2 s1 100Gb/s 2m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := variants(t, "cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}\nfabric: {design: custom, topology: "+topology+"}\n"+
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 20kB}]}\n", 2)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	good := os.TempDir()
	full := filepath.Join(t.TempDir(), "full")
	if err := os.WriteFile(full, nil, 0o644); err != nil { // no folder can be made below it, whoever asks
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", full)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, stop := context.WithCancel(ctx)
	done := b.worker(first, "full", b.connect("full"))
	go func() { // it hands back what it has some times, and then another one comes
		for n := 0; n < 2 && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			n = 0
			b.told.Range(func(line, _ any) bool {
				if strings.HasPrefix(line.(string), "handed back ") {
					n++
				}
				return true
			})
		}
		stop()
		<-done
		os.Setenv("TMPDIR", good) //nolint:errcheck // the rows say so
		b.worker(ctx, "good", b.connect("good"))
	}()
	got, err := b.away(b.engine(), all)
	if err != nil {
		t.Fatal(err)
	}
	if rowsText(t, got) != rowsText(t, want) {
		t.Error("other rows than in this process")
	}
	for _, r := range got {
		if r.Cost.Worker != "good" || r.Cost.Seconds <= 0 {
			t.Errorf("the row is by %+v", r.Cost)
		}
	}
}

// loses takes the job that is in the queue so many times, and is silent; with a job, as workers are that begin it and die of it.
func (b *bench) loses(q *queue, times int, began ...*job) {
	b.Helper()
	c, err := q.js.Consumer(b.Context(), jobsStream+q.id, consumer)
	if err != nil {
		b.Fatal(err)
	}
	s := &serving{Worker: &Worker{Name: "lost"}}
	for n := 0; n < times; {
		batch, err := c.Fetch(1, jetstream.FetchMaxWait(200*time.Millisecond))
		if err != nil {
			b.Fatal(err)
		}
		for msg := range batch.Messages() {
			n++
			for _, j := range began {
				if done, err := s.settled(b.Context(), q, j, msg); done || err != nil {
					b.Fatalf("after %d: settled %v, %v", n, done, err)
				}
			}
		}
	}
}

// What is sent along is kept as the jobs are: on as many servers, and on disks where they are. Else a server that is lost takes it
// along, and every worker hands back every job.
func TestInputsAreKeptAsJobsAre(t *testing.T) {
	for _, memory := range []bool{true, false} {
		b := start(t)
		q, err := openQueue(t.Context(), b.connect("sweep"), "x", true, memory)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.keep(t.Context(), "digest", []byte("text")); err != nil {
			t.Fatal(err)
		}
		var of [2]jetstream.StreamConfig
		for i, name := range []string{jobsStream + "x", "OBJ_" + inputStore + "x"} {
			s, err := q.js.Stream(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			of[i] = s.CachedInfo().Config
		}
		if of[0].Storage != of[1].Storage || of[0].Replicas != of[1].Replicas || (of[0].Storage == jetstream.MemoryStorage) != memory {
			t.Errorf("in memory %v: jobs are kept by %v, %d times, what is sent along by %v, %d times", memory, of[0].Storage,
				of[0].Replicas, of[1].Storage, of[1].Replicas)
		}
	}
}

// Files that a scenario names go along; a job whose scenario is not that of its key is handed back.
func TestInputsGoAlong(t *testing.T) {
	b := start(t)
	dir := t.TempDir()
	topology := filepath.Join(dir, "t.txt")
	if err := os.WriteFile(topology, []byte("host host1\nhost host2\nswitch s1\nlink host1 s1 100Gb/s 2m\n"+
		"link host2 s1 100Gb/s 2m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := variants(t, "cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}\nfabric: {design: custom, topology: "+topology+"}\n"+
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 20kB}]}\n", 3)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := b.engine()
	go func() { // when all is published, the file goes: workers have what was sent
		defer b.worker(ctx, "w", b.connect("w"))
		for ctx.Err() == nil {
			if q, err := openQueue(ctx, e.Conn, e.ID, false, true); err == nil {
				if info, err := q.jobs.Info(ctx); err == nil && info.NumPending == uint64(len(all)) {
					os.Remove(topology)
					return
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	got, err := b.away(e, all)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(topology); err == nil {
		t.Error("the file is still there")
	}
	if rowsText(t, got) != rowsText(t, want) {
		t.Error("other rows than in this process")
	}
}

// refuser is a server that does not take some jobs.
type refuser struct {
	jetstream.JetStream
	left int
}

func (r *refuser) PublishMsg(ctx context.Context, m *nats.Msg, opt ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if r.left > 0 {
		r.left--
		return nil, nats.ErrTimeout
	}
	return r.JetStream.PublishMsg(ctx, m, opt...)
}

// A server that does not take a job for a while is waited for, not for ever. One of a cluster that is busy is no reason to keep a
// sweep on one server alone.
func TestServersAreWaitedFor(t *testing.T) {
	b := start(t)
	q, err := openQueue(t.Context(), b.connect("sweep"), "x", true, true)
	if err != nil {
		t.Fatal(err)
	}
	q.js = &refuser{q.js, 2}
	if err := q.publish(t.Context(), "k", []byte("{}")); err != nil {
		t.Error(err)
	}
	if s, err := q.js.Stream(t.Context(), jobsStream+"x"); err != nil || s.CachedInfo().State.Msgs != 1 {
		t.Errorf("%v: want a job", err)
	}
	defer func(before time.Duration) { patience = before }(patience)
	patience = time.Millisecond
	q.js = &refuser{q.js, 1000}
	if err := q.publish(t.Context(), "l", []byte("{}")); !errors.Is(err, nats.ErrTimeout) {
		t.Errorf("%v: want an error at last", err)
	}
	for err, want := range map[error]bool{
		nil: false, nats.ErrTimeout: false, context.DeadlineExceeded: false,
		&jetstream.APIError{ErrorCode: 10008, Description: "JetStream system temporarily unavailable"}:         false,
		&jetstream.APIError{ErrorCode: 10074, Description: "replicas > 1 not supported in non-clustered mode"}: true,
		&jetstream.APIError{ErrorCode: 10005, Description: "no suitable peers for placement"}:                  true,
	} {
		if got := fewer(err); got != want {
			t.Errorf("%v: fewer servers %v, want %v", err, got, want)
		}
	}
}

// What servers are asked for is asked again while they are silent or have no leader; another error, or the end, is told at once.
func TestSilentServersAreAskedAgain(t *testing.T) {
	other := errors.New("other")
	for _, c := range []struct {
		errs []error
		want error
	}{
		{[]error{nil}, nil}, {[]error{other, nil}, other}, {[]error{nats.ErrTimeout, nil}, nil},
		{[]error{fmt.Errorf("x: %w", context.DeadlineExceeded), &jetstream.APIError{ErrorCode: 10008}, other, nil}, other},
		{[]error{jetstream.ErrNoStreamResponse, nil}, nil},
		{[]error{&jetstream.APIError{ErrorCode: 10039}, nil}, &jetstream.APIError{ErrorCode: 10039}},
	} {
		n := 0
		err := patiently(t.Context(), "x", func() error { n++; return c.errs[n-1] })
		if fmt.Sprint(err) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, want %v", c.errs, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := patiently(ended, "x", func() error { return nats.ErrTimeout }); !errors.Is(err, context.Canceled) {
		t.Errorf("who has ended is told %v", err)
	}
	defer func(before time.Duration) { patience = before }(patience)
	patience = time.Millisecond
	if err := patiently(t.Context(), "ask", func() error { return nats.ErrTimeout }); !errors.Is(err, nats.ErrTimeout) {
		t.Errorf("servers are silent for ever, and %v", err)
	}
}

// deaf is a server that does not answer some times when a stream is to be deleted.
type deaf struct {
	jetstream.JetStream
	left  int
	asked int
}

func (d *deaf) DeleteStream(ctx context.Context, name string) error {
	if d.asked++; d.left > 0 {
		d.left--
		return &jetstream.APIError{ErrorCode: noLeader}
	}
	return d.JetStream.DeleteStream(ctx, name)
}

// What a sweep has on servers is removed once they have a leader again; also where some of it is gone; and it is told where they have none.
func TestRemovedAtLast(t *testing.T) {
	b := start(t)
	q := b.queue()
	if err := q.announce(t.Context(), announcement{"x", result.Version, 1}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := q.rows.PutString(t.Context(), rowPrefix+"k", "x"); err != nil {
		t.Fatal(err)
	}
	away := &deaf{JetStream: q.js, left: 2}
	if err := (&queue{js: away, id: q.id}).removeAtLast(); err != nil || away.asked != 3 {
		t.Errorf("asked %d times: %v", away.asked, err)
	}
	for name := range q.js.StreamNames(t.Context()).Name() {
		if name != "KV_"+registry {
			t.Errorf("%s is left", name)
		}
	}
	if err := (&Engine{Conn: b.connect("again"), ID: q.id}).Close(); err != nil {
		t.Errorf("nothing is left, and %v", err)
	}
	defer func(before time.Duration) { patience = before }(patience)
	patience = time.Millisecond
	if err := (&queue{js: &deaf{JetStream: q.js, left: 1000}, id: q.id}).removeAtLast(); err == nil {
		t.Error("no server has removed it")
	}
}

// A server without room is not waited for as one that is lost is: it says so again, and the sweep can go on when there is room.
func TestAFullServerIsNotWaitedFor(t *testing.T) {
	ns, err := server.NewServer(&server.Options{ServerName: "full", DontListen: true, JetStream: true, StoreDir: t.TempDir(),
		NoSigs: true, NoLog: true, JetStreamMaxMemory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	s := &Server{ns: ns}
	nc, err := s.Connect("sweep")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	q, err := openQueue(t.Context(), nc, "x", true, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func(long, short time.Duration) { patience, briefly = long, short }(patience, briefly)
	patience, briefly = time.Hour, 300*time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for i := range 20 {
		if err = q.publish(ctx, fmt.Sprint(i), make([]byte, 100<<10)); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "the server refuses it, and will again") {
		t.Errorf("2 MB in 1 MiB: %v", err)
	}
	// One that has no room once, as of a cluster another takes its place, takes it then.
	briefly = time.Hour
	tries := 0
	if err := waited(ctx, "x", func() error {
		if tries++; tries < 3 {
			return &jetstream.APIError{ErrorCode: 10023}
		}
		return nil
	}); err != nil || tries != 3 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// A worker that hands back what it takes rests ever longer; one that does not, never.
func TestWhoHandsBackRests(t *testing.T) {
	if d := restFor(0); d != 0 {
		t.Errorf("well, and rests %v", d)
	}
	before := time.Duration(0)
	for n := int32(1); n < 9; n++ {
		d := restFor(n)
		if d < 2*before || d == 0 {
			t.Errorf("after %d rests %v, after one less %v", n, d, before)
		}
		before = d
	}
	for _, n := range []int32{10, 20, 40, 1 << 30} {
		if d := restFor(n); d != mostRest {
			t.Errorf("after %d rests %v", n, d)
		}
	}
	for ill, rests := range map[int32]bool{0: false, 40: true} {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if !rests {
			ctx, stop = context.WithCancel(t.Context())
		}
		var s serving
		s.ill.Store(ill)
		if s.rest(ctx); (ctx.Err() != nil) != rests {
			t.Errorf("after %d handed back it rests %v, want %v", ill, !rests, rests)
		}
		stop()
	}
}

// Hostile bytes in place of a row are an error that says what it is of.
func FuzzOpen(f *testing.F) {
	row := sweep.Row{Key: "k", State: result.Complete}
	text, err := seal("w", "k", "", &row)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"key":"k","refused":"no","sha256":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, row, err := open(text, "k")
		if err == nil && (e == nil || row == nil && e.Refused == "" || row != nil && row.Key != "k") {
			t.Errorf("%q is taken: %+v", text, row)
		}
	})
}

// What is told of a server opens no doors.
func TestServersAreShownWithoutSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"nats://me:secret@queue:4222":   "nats://queue:4222",
		"tls://queue:4222/path?token=x": "tls://queue:4222",
		"secret@queue:4222":             "the server",
		"nats://me:sec%ret@queue:4222":  "the server",
		"":                              "the server",
	} {
		if got := Shown(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
