package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/base/unit"
)

// What a message costs servers, workers and the sweep is as much as half a short run. So short runs travel together: one worker takes a
// bundle of them, runs one after another, and answers with all their rows at once. Each row is still by its key, and the first of a key
// stays. A bundle that comes again, as its worker was lost or handed it back, is taken apart: each job that has no row goes into the
// queue by itself, so that it alone is counted against a worker that is lost with it.

// bundle is what a message holds: a job, or several short ones.
type bundle struct {
	Jobs []job `json:"jobs"`
}

// Bounds of a bundle: so many jobs, so many seconds of a core by the forecast, and not so few bundles that workers have nothing to do
// while others have much.
const (
	mostTogether    = 16
	secondsTogether = 1.0
	leastBundles    = 32
)

// togetherOf is how many of a sweep's jobs may be in a bundle.
func togetherOf(jobs int) int { return max(1, min(mostTogether, jobs/leastBundles)) }

// packer makes bundles of jobs.
type packer struct {
	most    int // jobs in one
	keys    []string
	texts   []json.RawMessage
	size    int
	seconds float64
}

// fits reports whether a job may go with those that are there.
func (p *packer) fits(text []byte, seconds float64) bool {
	return len(p.keys) == 0 || len(p.keys) < p.most && p.seconds+seconds <= secondsTogether && p.size+len(text) <= maxMessage
}

func (p *packer) add(key string, text []byte, seconds float64) {
	p.keys, p.texts = append(p.keys, key), append(p.texts, text)
	p.size += len(text) + 1
	p.seconds += seconds
}

// take returns the bundle and its identity, and begins another one. "": there is nothing in it.
func (p *packer) take() (id string, text []byte, err error) {
	if len(p.keys) == 0 {
		return "", nil, nil
	}
	if id = p.keys[0]; len(p.keys) > 1 {
		h := sha256.New()
		for _, key := range p.keys {
			fmt.Fprintln(h, key)
		}
		id = hex.EncodeToString(h.Sum(nil)[:16])
	}
	text, err = json.Marshal(map[string][]json.RawMessage{"jobs": p.texts})
	*p = packer{most: p.most}
	return id, text, err
}

// named is what people are told of a bundle.
func (b *bundle) named() string {
	if len(b.Jobs) == 1 {
		return b.Jobs[0].Key
	}
	return fmt.Sprintf("%s and %d with it", b.Jobs[0].Key, len(b.Jobs)-1)
}

// memory is what the jobs of a bundle take, one after another.
func (b *bundle) memory() (most unit.Bytes) {
	for i := range b.Jobs {
		most = max(most, unit.Bytes(b.Jobs[i].Memory))
	}
	return most
}

// together runs the jobs of a bundle, or takes it apart where it came before, or some of it has rows.
func (s *serving) together(ctx context.Context, q *queue, b *bundle, msg message) error {
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	again := meta.NumDelivered > 1
	if !again {
		if again, err = q.has(ctx, b.Jobs[0].Key); err != nil {
			return err
		}
	}
	if again {
		return q.takeApart(ctx, b)
	}
	var rows []sealed
	put := time.Now()
	for i := range b.Jobs {
		text, err := s.sealed(ctx, q, &b.Jobs[i])
		if err != nil {
			return errors.Join(err, s.putAtLast(ctx, q, rows))
		}
		rows = append(rows, sealed{b.Jobs[i].Key, text})
		if i == len(b.Jobs)-1 || time.Since(put) >= putEach {
			if err := q.put(ctx, s.Name, rows); err != nil {
				return err
			}
			rows, put = nil, time.Now()
		}
	}
	s.ill.Store(0)
	return nil
}

// putEach is after how long the rows of a bundle are put where the sweep looks, though others of it are still to be run.
const putEach = time.Second

// putAtLast puts rows of a bundle that goes no further; what it cannot put another worker runs again.
func (s *serving) putAtLast(ctx context.Context, q *queue, rows []sealed) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	_, err := q.putOnce(ctx, s.Name, rows)
	return err
}

// has reports whether a key has a row.
func (q *queue) has(ctx context.Context, key string) (bool, error) {
	_, err := q.rows.Get(ctx, rowPrefix+key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}

// takeApart puts the jobs of a bundle that have no row into the queue, each by itself.
func (q *queue) takeApart(ctx context.Context, b *bundle) error {
	for i := range b.Jobs {
		there, err := q.has(ctx, b.Jobs[i].Key)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		text, err := json.Marshal(&bundle{b.Jobs[i : i+1]})
		if err == nil {
			err = q.publish(ctx, b.Jobs[i].Key, text)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sealed is a row as it travels, of a key.
type sealed struct {
	key  string
	text []byte
}

// put puts rows where the sweep looks. Servers that are lost are waited for: what a worker has done is not done again for that.
func (q *queue) put(ctx context.Context, worker string, rows []sealed) error {
	err := waited(ctx, "give rows", func() (err error) {
		once, stop := context.WithTimeout(ctx, answerLimit)
		defer stop()
		rows, err = q.putOnce(once, worker, rows)
		if err != nil && q.through(ctx) {
			rows, err = nil, nil
		}
		return err
	})
	if err == nil && len(rows) > 0 {
		return ctx.Err()
	}
	return err
}

// through reports whether the server has nothing of the sweep any more: all its rows are told.
func (q *queue) through(ctx context.Context) bool {
	_, err := q.js.Stream(ctx, jobsStream+q.id)
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// putOnce tries to put rows, together, since a server keeps what comes together in one go. The first row of a key stays, and another
// one is a clash. It returns those of which it is not known whether they are there.
func (q *queue) putOnce(ctx context.Context, worker string, rows []sealed) (left []sealed, err error) {
	acks := make([]jetstream.PubAckFuture, len(rows))
	for i, r := range rows {
		m := &nats.Msg{Subject: "$KV." + rowsBucket + q.id + "." + rowPrefix + r.key, Data: r.text}
		if acks[i], err = q.js.PublishMsgAsync(m, jetstream.WithExpectLastSequencePerSubject(0)); err != nil {
			return rows, err
		}
	}
	var all []error
	for i, r := range rows {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-acks[i].Ok():
			err = nil
		case err = <-acks[i].Err():
			if isThere(err) {
				err = q.compare(ctx, worker, r)
			}
		}
		if err != nil {
			left, all = append(left, r), append(all, err)
		}
	}
	return left, errors.Join(all...)
}

// isThere reports whether a server refused what has a place already; of one with others the error has another number.
func isThere(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// compare compares a row with the one that is there: one that says something else is a clash.
func (q *queue) compare(ctx context.Context, worker string, r sealed) error {
	first, err := q.rows.Get(ctx, rowPrefix+r.key)
	if err != nil || same(first.Value(), r.text) {
		return err
	}
	var e envelope
	if json.Unmarshal(first.Value(), &e) != nil {
		e.Worker = "another worker"
	}
	_, err = q.rows.Put(ctx, clashPrefix+r.key, []byte(fmt.Sprintf("workers %s and %s disagree on it", e.Worker, worker)))
	return err
}
