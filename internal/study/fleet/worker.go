package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/base/machine"
	"railyard/internal/base/output"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// A Worker takes jobs from a server, as many at once as it has cores and memory for.
type Worker struct {
	Name   string
	Limits sweep.Limits      // 0: what the machine has
	Tell   func(line string) // what people should know; nil: nothing
	// Apart is a process that answers as Alone does, for jobs that workers were lost with; nil: they run here.
	Apart func(ctx context.Context) *exec.Cmd
	// Own is a job that the sweep in this process has, by its key: it need not be read again. nil: there is no sweep here.
	Own func(key string) *sweep.Job
	// UntilIdle ends the worker when there has been nothing to do for so long; 0: it waits.
	UntilIdle time.Duration
}

// Serve takes jobs until ctx ends; what runs then is handed back. It ends by itself after UntilIdle.
func (w *Worker) Serve(ctx context.Context, nc *nats.Conn) error {
	output.ClearTemporary() // workers that were killed left what they had in theirs
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	s := &serving{Worker: w, nc: nc, js: js, sources: &run.Sources{}, queues: map[string]*queue{}, refused: map[string]bool{}}
	if s.Tell == nil {
		s.Tell = func(string) {}
	}
	if s.Limits.Workers < 1 {
		s.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	if s.Limits.Memory == 0 {
		s.Limits.Memory = machine.Memory()
	}
	s.free.L = &s.mu
	s.garbage = sweep.LeaveGarbage(s.Limits.Memory)
	defer s.garbage.End()
	defer s.inputs.remove()
	defer func() {
		for _, q := range s.queues {
			q.pulls.close()
		}
	}()
	defer s.running.Wait()
	defer context.AfterFunc(ctx, s.wake)()
	busy := time.Now() // when there was something to do last
	silent := false    // the queue does not answer
	for s.slot(ctx) {
		s.rest(ctx)
		taken, err := s.next(ctx)
		if err != nil && ctx.Err() == nil {
			s.release(0)
			if s.UntilIdle > 0 && s.idle() && time.Since(busy) >= s.UntilIdle {
				return fmt.Errorf("the queue does not answer: %w", err)
			}
			if !silent { // said once
				s.Tell(fmt.Sprintf("the queue does not answer: %s; trying again", shown.Lines(err.Error())))
			}
			silent = true
			pause(ctx, time.Second)
			continue
		}
		silent = false
		if taken {
			busy = time.Now()
			continue
		}
		s.release(0)
		if !s.idle() {
			busy = time.Now()
		} else if s.UntilIdle > 0 && time.Since(busy) >= s.UntilIdle {
			return nil
		}
		pause(ctx, 50*time.Millisecond)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// serving is a worker at work.
type serving struct {
	*Worker
	nc         *nats.Conn
	js         jetstream.JetStream
	sources    *run.Sources
	queues     map[string]*queue
	looked     time.Time       // when sweeps were looked for last
	registered registered      // as the list of sweeps was then; none: it is to be read again
	ill        atomic.Int32    // how many jobs in a row were handed back: something is wrong here
	last       string          // the sweep that a job was taken from last
	refused    map[string]bool // sweeps of another version, told of
	inputs     inputs

	mu      sync.Mutex
	free    sync.Cond
	active  int
	used    unit.Bytes
	running sync.WaitGroup
	garbage *sweep.Garbage
}

// rest waits where jobs had to be handed back, longer each time: a worker that brings none to an end, as its disk is full,
// would take them from those that can.
func (s *serving) rest(ctx context.Context) {
	if d := restFor(s.ill.Load()); d > 0 {
		pause(ctx, d)
	}
}

// restFor is how long a worker rests that handed back so many jobs in a row.
func restFor(n int32) time.Duration {
	if n < 1 {
		return 0
	}
	return min(mostRest, leastRest<<min(n-1, 16))
}

// A worker rests so long after jobs that it had to hand back.
const (
	leastRest = 100 * time.Millisecond
	mostRest  = 30 * time.Second
)

func (s *serving) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free.Broadcast()
}

// slot waits for a core. It reports false when ctx has ended.
func (s *serving) slot(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil && s.active >= s.Limits.Workers {
		s.free.Wait()
	}
	if ctx.Err() != nil {
		return false
	}
	s.active++
	return true
}

// room waits for memory; one job may take more than there is, alone.
func (s *serving) room(ctx context.Context, bytes unit.Bytes) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil && s.Limits.Memory > 0 && s.used > 0 && s.used+bytes > s.Limits.Memory {
		s.free.Wait()
	}
	if ctx.Err() != nil {
		return false
	}
	s.used += bytes
	s.garbage.Use(bytes)
	return true
}

func (s *serving) release(bytes unit.Bytes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.used -= bytes
	s.garbage.Use(-bytes)
	s.free.Broadcast()
}

func (s *serving) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active == 0
}

// next takes a job from one of the sweeps that the server has, and begins it.
func (s *serving) next(ctx context.Context) (taken bool, err error) {
	if err := s.sweeps(ctx); err != nil {
		return false, err
	}
	for _, id := range after(slices.Sorted(maps.Keys(s.queues)), s.last) {
		q := s.queues[id]
		msg, err := q.pulls.next(ctx)
		if err != nil {
			q.pulls.close()
			delete(s.queues, id) // it may be through
			s.registered = registered{}
			return false, err
		}
		if msg != nil {
			s.last = id
			s.running.Add(1)
			go func() {
				defer s.running.Done()
				s.handle(ctx, q, msg)
			}()
			return true, nil
		}
	}
	return false, nil
}

// handle runs what a message holds, and answers with its rows.
func (s *serving) handle(ctx context.Context, q *queue, msg message) {
	var b bundle
	alive, stop := context.WithCancel(ctx)
	defer stop()
	each := signEach
	go func() { // a sign of life, until the job is answered or handed back
		for alive.Err() == nil {
			if pause(alive, each); alive.Err() == nil {
				msg.InProgress() //nolint:errcheck // the server takes it for lost, and another worker runs it
			}
		}
	}()
	taken := unit.Bytes(0)
	defer func() { s.release(taken) }()
	if err := json.Unmarshal(msg.Data(), &b); err != nil || len(b.Jobs) == 0 {
		s.Tell("a job that cannot be read was dropped")
		msg.Term() //nolint:errcheck // it comes again
		return
	}
	need := b.memory()
	if !s.room(ctx, need) {
		msg.Nak() //nolint:errcheck // it comes again when it is taken for lost
		return
	}
	taken = need
	j := &b.Jobs[0]
	var err error
	if len(b.Jobs) > 1 {
		err = s.together(ctx, q, &b, msg)
	} else {
		err = s.one(ctx, q, j, msg)
	}
	switch {
	case err == nil:
		msg.Ack() //nolint:errcheck // it comes again, and its row is there
	case errors.Is(err, errSuspect):
		msg.NakWithDelay(grace) //nolint:errcheck // it comes sooner
	default:
		if ctx.Err() == nil {
			s.ill.Add(1)
			s.Tell(fmt.Sprintf("handed back %s: %s", b.named(), shown.Lines(err.Error())))
		}
		if len(b.Jobs) > 1 { // it is taken apart: nobody is counted
			giveBack(ctx, msg)
		} else {
			s.handBack(ctx, q, j, msg)
		}
	}
}

// one runs a job that came by itself, unless nothing is to be done for it.
func (s *serving) one(ctx context.Context, q *queue, j *job, msg message) error {
	done, err := s.settled(ctx, q, j, msg)
	if err != nil || done {
		return err
	}
	if err = s.answer(ctx, q, j); err == nil {
		s.ill.Store(0)
	}
	return err
}

// settled reports whether nothing is to be done for a job: its row is there, or it is dead, as too many workers were lost
// with it.
func (s *serving) settled(ctx context.Context, q *queue, j *job, msg message) (bool, error) {
	if there, err := q.has(ctx, j.Key); there || err != nil {
		return there, err
	}
	meta, err := msg.Metadata()
	if err != nil || meta.NumDelivered < 2 && !j.Again {
		return false, err
	}
	now, err := q.tally(ctx)
	if err != nil {
		return false, err
	}
	var was losses
	var dead bool
	var suspect error
	err = q.lost(ctx, j.Key, func(l losses) (next losses) {
		was = l
		next, dead, suspect = l.begin(s.most(), now)
		return next
	})
	if err == nil && was.Lost == 1 {
		err = q.countLost(ctx)
	}
	j.apart = s.Apart != nil && was.Lost >= mostTries
	switch {
	case err != nil:
		return false, err
	case dead:
		return true, q.dead(ctx, j.Key, fmt.Sprintf("%d workers began it, and none brought it to an end", was.Lost))
	}
	return false, suspect
}

// most is how many lost workers make a job dead where others fare better.
func (s *serving) most() int {
	if s.Apart != nil {
		return mostLost
	}
	return mostTries
}

// errSuspect is of a job that is dead, if none of the workers that seem to be lost with it is heard of for a while: where a network
// was parted they are not lost, and answer or hand back when it is whole again.
var errSuspect = errors.New("too many workers were lost with it")

// handBack gives a job to another worker: at once where this one ends, else after a while. It is counted first: one that is not
// would be taken for a lost worker's. While the server does not answer, the job is kept.
func (s *serving) handBack(ctx context.Context, q *queue, j *job, msg message) {
	for !s.count(q, j) && ctx.Err() == nil {
		pause(ctx, 500*time.Millisecond)
	}
	giveBack(ctx, msg)
}

// giveBack has the server give a message to another worker: at once where this one ends, else after a while.
func giveBack(ctx context.Context, msg message) {
	if ctx.Err() != nil {
		msg.Nak() //nolint:errcheck // it comes again when it is taken for lost
		return
	}
	msg.NakWithDelay(time.Second) //nolint:errcheck // likewise
}

// count counts that a job is handed back. False: the server did not take it.
func (s *serving) count(q *queue, j *job) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := q.lost(ctx, j.Key, losses.handedBack)
	return err == nil || errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) // it is through
}

// answer runs a job and puts its row where the sweep looks, or says that it is dead.
func (s *serving) answer(ctx context.Context, q *queue, j *job) error {
	text, err := s.sealed(ctx, q, j)
	var ended *errEnded
	if errors.As(err, &ended) {
		return q.dead(ctx, j.Key, fmt.Sprintf("%d workers began it, and none brought it to an end; %v", mostTries, ended))
	}
	if err != nil {
		return err
	}
	return q.put(ctx, s.Name, []sealed{{j.Key, text}})
}

// sealed runs a job, and returns its row as it travels.
func (s *serving) sealed(ctx context.Context, q *queue, j *job) ([]byte, error) {
	row, refused, err := s.run(ctx, q, j)
	if err != nil {
		return nil, err
	}
	return seal(s.Name, j.Key, refused, row)
}

// run runs a job. An error is of this worker: another may run it.
func (s *serving) run(ctx context.Context, q *queue, j *job) (row *sweep.Row, refused string, err error) {
	var inputs []result.InputDigest
	for _, in := range j.Inputs {
		inputs = append(inputs, result.InputDigest{Name: in.Name, SHA256: in.SHA256})
	}
	if sweep.KeyOfText([]byte(j.Scenario), inputs) != j.Key {
		return nil, "", errors.New("its key is not that of its scenario")
	}
	one := &lone{Worker: s.Name, Key: j.Key, Inputs: inputs}
	if s.Own != nil && !j.apart {
		if own := s.Own(j.Key); own != nil {
			return ran(ctx, one, own.Scenario, s.sources)
		}
	}
	sc, err := scenario.Parse("job.yaml", []byte(j.Scenario))
	if err != nil {
		return nil, "", fmt.Errorf("its scenario cannot be read: %w", err)
	}
	files, err := s.inputs.of(ctx, q, j)
	if err != nil {
		return nil, "", err
	}
	defer files.free()
	there, err := files.in(sc)
	if err != nil {
		return nil, "", err
	}
	if j.apart {
		one.Scenario = string(there.YAML())
		row, refused, err = s.apart(ctx, one)
	} else {
		row, refused, err = ran(ctx, one, there, s.sources)
	}
	if refused != "" && !files.whole() {
		return nil, "", errors.New("its inputs are gone from this machine's folder of temporary files, or are others")
	}
	return row, refused, err
}
