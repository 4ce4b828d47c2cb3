package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/study/sweep"
)

// A server keeps, of each message that a worker has, when it was delivered or the worker was last heard of, by the clock of the server
// that led then, and gives it to another worker ackWait after that. Where the next leader's clock is behind that one's, what lost
// workers had lies in its future: an hour behind, it waits for an hour (nats-server, consumer.checkPending). Those that live cure that
// with their next sign of life. So a sweep in which nothing comes any more listens for signs itself, and what nobody shows one of for
// longer than a server may rightly keep it, it puts into the queue anew. So it does with jobs that no message holds.

// listenFor is how long a sweep listens for signs of life: a message that was handed back may rest for grace, and after ackWait it would
// have come again.
func listenFor() time.Duration { return grace + 3*signEach }

// tend mends the queue whenever nothing came for some time, until ctx ends. What fails, as servers are lost, is tried again.
func (e *Engine) tend(ctx context.Context, q *queue, jobs []sweep.Job, t *teller) {
	for ctx.Err() == nil {
		before := t.count()
		if pause(ctx, 3*signEach); ctx.Err() == nil && t.count() == before {
			e.mend(ctx, q, jobs, t) //nolint:errcheck // see above
		}
	}
}

// mend puts jobs into the queue anew that have neither a row nor a worker.
func (e *Engine) mend(ctx context.Context, q *queue, jobs []sweep.Job, t *teller) error {
	info, err := q.jobs.Info(ctx)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return q.consume(ctx)
	}
	if err != nil || info.NumPending > 0 { // these wait for a worker
		return err
	}
	heard, err := q.heard(ctx, e.Conn, listenFor())
	if err != nil {
		return err
	}
	held, err := q.held(ctx)
	if err != nil {
		return err
	}
	fresh := fmt.Sprintf(".%d", info.TimeStamp.UnixNano()) // makes of a key a message that no server drops
	somewhere := map[string]bool{}
	for _, h := range held {
		silent := h.place <= info.Delivered.Stream && !heard[h.place]
		for i := range h.jobs {
			j := &h.jobs[i]
			somewhere[j.Key] = true
			if j.Again = true; silent && !t.has(j.Key) {
				if err := q.publishAnew(ctx, j, fresh); err != nil {
					return err
				}
			}
		}
		if silent {
			if err := q.forget(ctx, h.place); err != nil {
				return err
			}
		}
	}
	sent := map[string]bool{}
	for i := range jobs {
		j := &jobs[i]
		if somewhere[j.Key] || t.has(j.Key) {
			continue
		}
		somewhere[j.Key] = true
		if there, err := q.has(ctx, j.Key); there || err != nil { // it is on its way here
			continue
		}
		m, err := e.travelling(ctx, q, j, sent)
		if err == nil {
			m.Again = true
			err = q.publishAnew(ctx, m, fresh)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// heard returns the places of messages of which a worker showed a sign of life within some time, or handed them back.
func (q *queue) heard(ctx context.Context, nc *nats.Conn, within time.Duration) (map[uint64]bool, error) {
	at := jobsStream + q.id + "." + consumer + ".>"
	var signs [2]*nats.Subscription
	for i, subject := range []string{"$JS.ACK." + at, "$JS.ACK.*.*." + at} { // as servers name them, old and new
		var err error
		if signs[i], err = nc.SubscribeSync(subject); err != nil {
			return nil, err
		}
		defer signs[i].Unsubscribe() //nolint:errcheck // the connection is closed
	}
	pause(ctx, within)
	if err := errors.Join(ctx.Err(), nc.FlushTimeout(answerLimit)); err != nil {
		return nil, err // it may have been away meanwhile
	}
	heard := map[uint64]bool{}
	for _, s := range signs {
		for {
			msg, err := s.NextMsg(time.Millisecond)
			if errors.Is(err, nats.ErrTimeout) {
				break
			}
			if err != nil { // one who may not listen mends nothing
				return nil, err
			}
			meta, err := (&nats.Msg{Sub: s, Reply: msg.Subject}).Metadata()
			if err == nil {
				heard[meta.Sequence.Stream] = true
			}
		}
	}
	return heard, nil
}

// heldJobs is what a message holds that the queue has.
type heldJobs struct {
	place uint64
	jobs  []job
}

// held lists the messages that the queue has.
func (q *queue) held(ctx context.Context) (all []heldJobs, err error) {
	s, err := q.js.Stream(ctx, jobsStream+q.id)
	if err != nil {
		return nil, err
	}
	for place := uint64(1); ; place++ {
		msg, err := s.GetMsg(ctx, place, jetstream.WithGetMsgSubject(jobSubject+q.id)) // or the next
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		place = msg.Sequence
		var b bundle
		if json.Unmarshal(msg.Data, &b) == nil { // a worker drops others
			all = append(all, heldJobs{place, b.Jobs})
		}
	}
}

// publishAnew puts a job into the queue by itself, as another message.
func (q *queue) publishAnew(ctx context.Context, j *job, fresh string) error {
	text, err := json.Marshal(&bundle{[]job{*j}})
	if err == nil {
		err = q.publish(ctx, j.Key+fresh, text)
	}
	return err
}

// forget removes a message.
func (q *queue) forget(ctx context.Context, place uint64) error {
	s, err := q.js.Stream(ctx, jobsStream+q.id)
	if err == nil {
		err = s.DeleteMsg(ctx, place)
	}
	return err
}
