package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/base/input"
	"railyard/internal/base/shown"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// Engine runs the jobs of a sweep on workers: it implements sweep.Engine.
type Engine struct {
	Conn   *nats.Conn
	Name   string // of the sweep, for people
	ID     string // see Identity
	Memory bool   // the server keeps nothing on disk: it is this process's
	// Dead is told of a job that workers began three times and did not bring to an end, with its scenario, and says how it is
	// run by hand, for its row; nil: not told.
	Dead func(key, scenario string) string

	own sync.Map // string to *sweep.Job: by their keys
}

// Own returns a job that this process itself has in the queue, by its key; nil: it has none.
func (e *Engine) Own(key string) *sweep.Job {
	j, _ := e.own.Load(key)
	job, _ := j.(*sweep.Job)
	return job
}

// Run implements sweep.Engine. What the server has of the sweep stays until Close: the same sweep goes on with it.
func (e *Engine) Run(ctx context.Context, jobs []sweep.Job, sink sweep.Sink) error {
	var beside sync.WaitGroup
	defer beside.Wait() // behind cancel
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var q *queue
	if err := patiently(ctx, "make the queue of the sweep", func() (err error) {
		q, err = openQueue(ctx, e.Conn, e.ID, true, e.Memory)
		return err
	}); err != nil {
		return err
	}
	var watch jetstream.KeyWatcher
	if err := patiently(ctx, "look for rows", func() (err error) {
		watch, err = q.rows.WatchFiltered(ctx, []string{rowPrefix + ">", deadPrefix + ">", clashPrefix + ">"})
		return err
	}); err != nil {
		return err
	}
	defer watch.Stop() //nolint:errcheck // nothing is read any more
	t := &teller{jobs: jobs, sink: sink, at: map[string][]int{}, told: map[string]bool{}, dead: e.Dead}
	for i := range jobs {
		t.at[jobs[i].Key] = append(t.at[jobs[i].Key], i)
		e.own.Store(jobs[i].Key, &jobs[i])
	}
	if err := t.there(ctx, watch); err != nil {
		return err
	}
	if err := patiently(ctx, "tell workers of the sweep", func() error {
		return q.announce(ctx, announcement{cut(e.Name), result.Version, len(jobs)}, e.Memory)
	}); err != nil {
		return err
	}
	published := make(chan error, 1)
	go func() { published <- e.publish(ctx, q, jobs, t) }()
	for !t.all() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-published:
			if err != nil {
				return err
			}
			published = nil
			beside.Go(func() { e.tend(ctx, q, jobs, t) })
		case entry, open := <-watch.Updates():
			if !open {
				return errors.New("the connection to the queue ended")
			}
			if err := t.take(entry); err != nil {
				return err
			}
		}
	}
	if published != nil {
		return <-published
	}
	return nil
}

// Close removes what the server has of the sweep. Servers that are lost, or have no leader, are waited for: nobody else removes it.
func (e *Engine) Close() error {
	js, err := jetstream.New(e.Conn)
	if err != nil {
		return err
	}
	return (&queue{js: js, id: e.ID}).removeAtLast()
}

func (q *queue) removeAtLast() error {
	return patiently(context.Background(), "remove the queue of the sweep", func() error {
		ctx, stop := context.WithTimeout(context.Background(), 2*answerLimit)
		defer stop()
		return q.remove(ctx)
	})
}

// teller tells of what comes of jobs, each key once.
type teller struct {
	jobs []sweep.Job
	sink sweep.Sink
	at   map[string][]int // jobs of a key
	dead func(key, scenario string) string

	mu   sync.Mutex
	told map[string]bool
}

func (t *teller) all() bool {
	return t.count() == len(t.at)
}

// count is how many keys have been told of.
func (t *teller) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.told)
}

// has reports whether a key has been told of.
func (t *teller) has(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.told[key]
}

// there takes what the server has of the sweep already.
func (t *teller) there(ctx context.Context, watch jetstream.KeyWatcher) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case entry, open := <-watch.Updates():
			switch {
			case !open:
				return errors.New("the connection to the queue ended")
			case entry == nil: // that was all
				return nil
			}
			if err := t.take(entry); err != nil {
				return err
			}
		}
	}
}

// take takes what became known of a key.
func (t *teller) take(entry jetstream.KeyValueEntry) error {
	if entry == nil || entry.Operation() != jetstream.KeyValuePut {
		return nil
	}
	kind, key, _ := strings.Cut(entry.Key(), ".")
	numbers := t.at[key]
	if len(numbers) == 0 || t.has(key) && kind+"." != clashPrefix {
		return nil
	}
	switch kind + "." {
	case clashPrefix:
		return fmt.Errorf("the row of %s: %s", key, shown.Lines(string(entry.Value())))
	case deadPrefix:
		t.mark(key)
		return t.each(numbers, t.deadRow(numbers[0], string(entry.Value())))
	}
	e, row, err := open(entry.Value(), key)
	if err != nil {
		return err
	}
	t.mark(key)
	if row == nil {
		for _, k := range numbers {
			if err := t.sink.Refused(k, errors.New(shown.Lines(e.Refused))); err != nil {
				return err
			}
		}
		return nil
	}
	return t.each(numbers, row)
}

func (t *teller) mark(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told[key] = true
}

func (t *teller) each(numbers []int, row *sweep.Row) error {
	for _, k := range numbers {
		one := *row
		if err := t.sink.Done(k, &one, nil); err != nil {
			return err
		}
	}
	return nil
}

// deadRow is the row of a job that nobody brings to an end.
func (t *teller) deadRow(k int, why string) *sweep.Row {
	text := fmt.Sprintf("%v: %s", errDead, shown.Lines(why))
	if t.dead != nil {
		text += "; " + t.dead(t.jobs[k].Key, string(t.jobs[k].Scenario.YAML()))
	}
	return &sweep.Row{State: result.Failed, Error: text}
}

// abreast is how many jobs are on their way into the queue at a time: servers keep those that come together in one go.
const abreast = 32

// publish puts jobs into the queue that have no row there, short ones together. The server drops a message that it has seen.
func (e *Engine) publish(outer context.Context, q *queue, jobs []sweep.Job, t *teller) error {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	var under sync.WaitGroup
	room := make(chan struct{}, abreast)
	p := packer{most: togetherOf(len(jobs))}
	send := func() {
		id, text, err := p.take()
		if err != nil {
			cancel(err)
		}
		if id == "" {
			return
		}
		select {
		case <-ctx.Done():
			return
		case room <- struct{}{}:
		}
		under.Add(1)
		go func() {
			defer under.Done()
			if err := q.publish(ctx, id, text); err != nil {
				cancel(err)
			}
			<-room
		}()
	}
	seen := map[string]bool{}
	sent := map[string]bool{} // inputs
	for i := range jobs {
		j := &jobs[i]
		if seen[j.Key] || t.has(j.Key) {
			continue
		}
		seen[j.Key] = true
		text, err := e.message(ctx, q, j, sent)
		if err != nil {
			cancel(err)
		}
		if ctx.Err() != nil {
			break
		}
		if !p.fits(text, j.Seconds) {
			send()
		}
		p.add(j.Key, text, j.Seconds)
	}
	send()
	under.Wait()
	if outer.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

// message is the text of a job as it travels.
func (e *Engine) message(ctx context.Context, q *queue, j *sweep.Job, sent map[string]bool) ([]byte, error) {
	m, err := e.travelling(ctx, q, j, sent)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(m)
	if err == nil && len(text) > maxMessage {
		err = fmt.Errorf("a scenario of %d bytes: want at most %d for a queue", len(text), maxMessage)
	}
	return text, err
}

// travelling is a job as it travels; what it reads is sent first.
func (e *Engine) travelling(ctx context.Context, q *queue, j *sweep.Job, sent map[string]bool) (*job, error) {
	m := &job{Key: j.Key, Scenario: string(j.Scenario.YAML()), Memory: int64(j.Memory)}
	for _, in := range j.Inputs {
		ref := inputRef{Name: in.Name, SHA256: in.SHA256}
		if path := inputPath(j.Scenario, in.Name); path != "" {
			if err := q.send(ctx, path, in.SHA256, sent); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			ref.Sent = true
		}
		m.Inputs = append(m.Inputs, ref)
	}
	return m, nil
}

// patience is how long a server may say nothing, or have no leader, before a sweep ends; briefly, how long it may refuse for what
// does not pass by itself: of a cluster another server may have the room that one lacks.
var patience, briefly = 2 * time.Minute, 5 * time.Second

// publish puts a job into the queue.
func (q *queue) publish(ctx context.Context, key string, text []byte) error {
	return waited(ctx, "publish a job", func() error {
		_, err := q.js.PublishMsg(ctx, &nats.Msg{Subject: jobSubject + q.id, Data: text}, jetstream.WithMsgID(key))
		return err
	})
}

// waited does something again until it is done. Servers that are lost, or have no leader, are waited for: what they had already
// they drop. Those that have no room are waited for briefly.
func waited(ctx context.Context, what string, do func() error) error {
	begun := time.Now()
	lastingSince := time.Time{}
	for {
		err := do()
		if !lasting(err) {
			lastingSince = time.Time{}
		} else if lastingSince.IsZero() {
			lastingSince = time.Now()
		}
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case !lastingSince.IsZero() && time.Since(lastingSince) > briefly:
			return fmt.Errorf("cannot %s: the server refuses it, and will again: %w", what, err)
		case time.Since(begun) > patience:
			return fmt.Errorf("cannot %s for %v: %w", what, patience, err)
		}
		pause(ctx, 250*time.Millisecond)
	}
}

// patiently does something again while servers do not answer, or have no leader. Another error is told at once.
func patiently(ctx context.Context, what string, do func() error) (err error) {
	silent := waited(ctx, what, func() error {
		if err = do(); passing(err) {
			return err
		}
		return nil
	})
	return cmp.Or(silent, ctx.Err(), err)
}

// passing reports whether an error is of servers that are not there now, or of a stream of theirs that has no leader.
func passing(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.As(err, &api) && api.ErrorCode == noLeader
}

// lasting reports whether an error is one that does not pass by itself: no room, no right.
func lasting(err error) bool {
	for _, never := range []error{nats.ErrMaxPayload, nats.ErrAuthorization, nats.ErrPermissionViolation, nats.ErrConnectionClosed} {
		if errors.Is(err, never) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(noRoom, api.ErrorCode)
}

// inputPath is the file of an input that is sent along, "" for data sets: they are to be where the scenario says.
func inputPath(sc *scenario.Scenario, name string) string {
	key := run.InputKey(sc, name)
	if key == "" || strings.Contains(key, ".train.data") {
		return ""
	}
	for _, f := range sc.Fields() {
		if f.Path == key {
			if _, rest, in := strings.Cut(name, "/"); in { // of a folder
				return filepath.Join(f.Value, rest)
			}
			return f.Value
		}
	}
	return ""
}

// maxInput bounds a file that is sent along.
const maxInput = 64 << 20

// send puts a file into the store of the sweep, once.
func (q *queue) send(ctx context.Context, path, digest string, sent map[string]bool) error {
	if sent[digest] {
		return nil
	}
	text, err := input.Read(ctx, path, maxInput)
	if err != nil {
		return input.Cause(err)
	}
	if (result.Input{Text: text}).Digest().SHA256 != digest {
		return errors.New("it has changed since the sweep was planned")
	}
	err = waited(ctx, "send "+path, func() error { return q.keep(ctx, digest, text) })
	sent[digest] = err == nil
	return err
}

// keep puts a file into the store, on as many servers as have the jobs: else a server that is lost takes it along.
func (q *queue) keep(ctx context.Context, digest string, text []byte) error {
	store, err := q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: inputStore + q.id, Storage: q.storage,
		Replicas: q.replicas})
	if err == nil {
		_, err = store.PutBytes(ctx, digest, text)
	}
	return err
}

func cut(name string) string {
	if len(name) > maxNameLength {
		name = name[:maxNameLength]
	}
	return shown.Lines(name)
}
