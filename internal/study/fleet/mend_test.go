package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// Where a server never gives what a lost worker had to another one, as its clock was ahead when that was delivered, and where it has
// lost a job itself, the sweep puts them into the queue anew, and nothing else: what a worker is alive with is its own.
func TestAQueueThatStandsStillIsMended(t *testing.T) {
	b := start(t)
	ackWait = time.Hour // of the server alone
	all := variants(t, small, 4)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs := jobsOf(all)
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs { // as the sweep publishes them, which then are dropped
		text, err := json.Marshal(&bundle{jobs[i : i+1]})
		if err == nil {
			err = q.publish(t.Context(), jobs[i].Key, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	batch, err := q.jobs.Fetch(3, jetstream.FetchMaxWait(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	var taken []jetstream.Msg // by a worker that is lost, one that lives, and again one that is lost
	for msg := range batch.Messages() {
		taken = append(taken, msg)
	}
	if len(taken) != 3 {
		t.Fatalf("%d jobs", len(taken))
	}
	if err := q.forget(t.Context(), 4); err != nil { // and the server has lost one
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := make(chan error, 1)
	go func() { // its run ends when the other rows are there
		for n := 0; n < 3 && ctx.Err() == nil; pause(ctx, signEach) {
			n = 0
			for _, i := range []int{0, 2, 3} {
				if there, err := q.has(ctx, jobs[i].Key); err == nil && there {
					n++
				}
			}
			taken[1].InProgress() //nolint:errcheck // it is sent anew
		}
		s := &serving{Worker: &Worker{Name: "slow"}, sources: &run.Sources{}}
		slow <- errors.Join(s.answer(ctx, q, &jobs[1]), taken[1].Ack())
	}()
	done := b.worker(ctx, "w", b.connect("w"))
	got, err := b.away(e, all)
	if err != nil || rowsText(t, got) != rowsText(t, want) {
		t.Fatalf("%v: other rows than in this process", err)
	}
	if err := <-slow; err != nil {
		t.Error(err)
	}
	cancel()
	<-done
	if got[1].Cost.Worker != "slow" || got[0].Cost.Worker != "w" {
		t.Errorf("rows by %s and %s", got[0].Cost.Worker, got[1].Cost.Worker)
	}
	if n := queued(t, q); n != 4+3 {
		t.Errorf("%d messages were published anew, want those of two lost workers and the one that was gone", int(n)-4)
	}
	// Whom a worker was lost with has that counted: one, and the one that took it then.
	if n := lostNow(t, q, jobs[0].Key); n != 2 {
		t.Errorf("%d workers counted, want two", n)
	}
}

// Where jobs wait for a worker nothing is mended, nor where one may not listen for signs of life; a lost consumer is made again.
func TestWhatIsNotMended(t *testing.T) {
	b := start(t)
	all := variants(t, small, 2)
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []sweep.Job
	at := map[string][]int{}
	for i := range all {
		jobs = append(jobs, sweep.Job{Key: sweep.KeyOf(all[i].Scenario, nil), Scenario: all[i].Scenario})
		at[jobs[i].Key] = []int{i}
	}
	none := &teller{jobs: jobs, at: at, told: map[string]bool{}}
	give(t, q, jobsOf(all)[:1])
	for n := 0; ; n++ { // the server says so a little later
		if info, err := q.jobs.Info(t.Context()); err != nil || n > 1000 {
			t.Fatal(err)
		} else if info.NumPending == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := e.mend(t.Context(), q, jobs, none); err != nil || queued(t, q) != 1 {
		t.Errorf("%v: no worker took a job yet, and there are %d messages", err, queued(t, q))
	}
	if err := q.js.DeleteConsumer(t.Context(), jobsStream+q.id, consumer); err != nil {
		t.Fatal(err)
	}
	if err := e.mend(t.Context(), q, jobs, none); err != nil {
		t.Error(err)
	}
	if _, err := q.jobs.Fetch(1, jetstream.FetchMaxWait(time.Second)); err != nil {
		t.Errorf("no worker can take a job: %v", err)
	}
	if err := q.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.mend(t.Context(), q, jobs, none); err == nil {
		t.Error("nothing is there, and that is no error")
	}

	ns, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Users: []*server.User{{Username: "me", Password: "x", Permissions: &server.Permissions{
			Subscribe: &server.SubjectPermission{Deny: []string{"$JS.ACK.>"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	nc, err := nats.Connect("", append(connecting("sweep"), nats.InProcessServer(ns), nats.UserInfo("me", "x"))...)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	deaf, err := openQueue(t.Context(), nc, "x", true, true)
	if err != nil {
		t.Fatal(err)
	}
	if heard, err := deaf.heard(t.Context(), nc, 100*time.Millisecond); !errors.Is(err, nats.ErrPermissionViolation) {
		t.Errorf("one who may not listen hears %v, %v", heard, err)
	}
}

// Of what is in the queue only that is put there anew of which no sign of life came, and no row: not what came meanwhile, nor what a row
// is on its way of. Signs count by either name that servers have for them. What is put there anew says that a worker was lost with it.
func TestWhatIsMended(t *testing.T) {
	b := start(t)
	ackWait = time.Hour
	all := variants(t, small, 6)
	travelling := jobsOf(all)
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	told := &teller{at: map[string][]int{}, told: map[string]bool{}}
	var jobs []sweep.Job
	for i := range all {
		jobs = append(jobs, sweep.Job{Key: travelling[i].Key, Scenario: all[i].Scenario})
		told.at[jobs[i].Key] = []int{i}
	}
	for i := range 3 { // lost; told of, and its worker lost before it said so; alive
		give(t, q, travelling[i:i+1])
	}
	for range 3 {
		b.next(q)
	}
	told.mark(jobs[1].Key)
	for n := 0; ; n++ { // the server says a little later that all were taken
		if info, err := q.jobs.Info(t.Context()); err != nil || n > 1000 {
			t.Fatal(err)
		} else if info.NumPending == 0 && info.Delivered.Stream == 3 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := q.putOnce(t.Context(), "w", []sealed{{jobs[3].Key, []byte("{}")}}); err != nil { // on its way
		t.Fatal(err)
	}
	meanwhile := time.AfterFunc(listenFor()/2, func() {
		sign := "$JS.ACK.hub.hash." + jobsStream + q.id + "." + consumer + ".1.3.3.1.0.token" // as newer servers name it
		if err := e.Conn.Publish(sign, []byte("+WPI")); err != nil {
			t.Error(err)
		}
		give(t, q, travelling[4:5])
	})
	defer meanwhile.Stop()
	if err := e.mend(t.Context(), q, jobs, told); err != nil {
		t.Fatal(err)
	}
	held, err := q.held(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, h := range held {
		for _, j := range h.jobs {
			i := slices.IndexFunc(jobs, func(one sweep.Job) bool { return one.Key == j.Key })
			got += fmt.Sprintf(" %d:%d", h.place, i)
			if j.Again {
				got += " anew"
			}
		}
	}
	if want := " 3:2 4:4 5:0 anew 6:5 anew"; got != want {
		t.Errorf("the queue has%s, want%s", got, want)
	}
}

// What a worker gives back comes again, though the server would wait for it.
func TestWhatIsGivenBackComesAgain(t *testing.T) {
	b := start(t)
	ackWait = time.Hour
	nc := b.connect("w")
	q, err := openQueue(t.Context(), nc, "x", true, true)
	if err != nil {
		t.Fatal(err)
	}
	if q.pulls, err = newPulls(nc, "x"); err != nil {
		t.Fatal(err)
	}
	defer q.pulls.close()
	give(t, q, []job{{Key: "k"}})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), ended, t.Context()} { // of a worker that goes on, of one that ends
		var msg message
		for n := 0; n < 1000 && msg == nil && err == nil; n++ {
			if msg, err = q.pulls.next(t.Context()); msg == nil {
				pause(t.Context(), 20*time.Millisecond)
			}
		}
		if err != nil || msg == nil {
			t.Fatalf("it does not come again: %v", err)
		}
		giveBack(ctx, msg)
	}
}

// What is no job is dropped, once, and said; the jobs behind it run.
func TestWhatCannotBeReadIsDropped(t *testing.T) {
	b := start(t)
	ackWait = time.Hour
	e := b.engine()
	q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"{", `{"jobs":[]}`} {
		if err := q.publish(t.Context(), string(rune('a'+i)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := b.worker(ctx, "w", b.connect("w"))
	rows, err := b.away(e, variants(t, small, 2))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if _, told := b.told.Load("a job that cannot be read was dropped"); !told {
		t.Error("it was not said")
	}
	left := -1
	for n := 0; n < 500 && left != 0; n++ { // the server forgets a little later
		all, err := q.js.Stream(t.Context(), jobsStream+q.id)
		if err != nil {
			t.Fatal(err)
		}
		left = int(all.CachedInfo().State.Msgs)
		pause(t.Context(), 10*time.Millisecond)
	}
	if left != 0 {
		t.Errorf("%d messages are left in the queue", left)
	}
	cancel()
	<-done
}
