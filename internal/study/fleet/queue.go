package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ackWait is after how long without a sign of life a job goes to another worker. A worker shows one each signEach.
var ackWait, signEach = 6 * time.Second, 2 * time.Second

// grace is how long workers that seem to be lost are waited for before a job is dead.
var grace = time.Minute

// duplicates is how long a second publishing of a job is dropped by the server. One that comes later finds its row.
const duplicates = 2 * time.Minute

// queue is what the server has of one sweep.
type queue struct {
	js   jetstream.JetStream
	id   string
	rows jetstream.KeyValue
	jobs jetstream.Consumer

	pulls *pulls // by which a worker takes them

	storage  jetstream.StorageType // of who made it: of all that the server has of the sweep
	replicas int
}

// open finds what the server has of a sweep, or with make makes it.
func openQueue(ctx context.Context, nc *nats.Conn, id string, make, memory bool) (*queue, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	q := &queue{js: js, id: id}
	if !make {
		if q.rows, err = js.KeyValue(ctx, rowsBucket+id); err == nil {
			q.jobs, err = js.Consumer(ctx, jobsStream+id, consumer)
		}
		return q, err
	}
	storage := jetstream.FileStorage
	if memory {
		storage = jetstream.MemoryStorage
	}
	for _, replicas := range []int{3, 1} { // of a cluster three, of a server alone one
		if memory && replicas > 1 {
			continue
		}
		_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: jobsStream + id, Subjects: []string{jobSubject + id},
			Retention: jetstream.WorkQueuePolicy, Storage: storage, Replicas: replicas, Duplicates: duplicates})
		if err == nil {
			q.rows, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: rowsBucket + id, Storage: storage,
				Replicas: replicas})
		}
		q.storage, q.replicas = storage, replicas
		if !fewer(err) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make the queue of the sweep: %w; is JetStream enabled?", err)
	}
	return q, q.consume(ctx)
}

// consume has workers take jobs.
func (q *queue) consume(ctx context.Context) (err error) {
	q.jobs, err = q.js.CreateOrUpdateConsumer(ctx, jobsStream+q.id, jetstream.ConsumerConfig{Durable: consumer,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1})
	return err
}

// announce tells workers of a sweep.
func (q *queue) announce(ctx context.Context, a announcement, memory bool) error {
	text, err := json.Marshal(&a)
	if err != nil {
		return err
	}
	storage := jetstream.FileStorage
	if memory {
		storage = jetstream.MemoryStorage
	}
	kv, err := registryOf(ctx, q.js, storage)
	if err != nil {
		return err
	}
	_, err = kv.Put(ctx, q.id, text)
	return err
}

// registryOf is the list of sweeps that a server has.
func registryOf(ctx context.Context, js jetstream.JetStream, storage jetstream.StorageType) (kv jetstream.KeyValue, err error) {
	for _, replicas := range []int{3, 1} {
		if kv, err = js.KeyValue(ctx, registry); err == nil {
			return kv, nil
		}
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: registry, Storage: storage, Replicas: replicas})
		if !fewer(err) {
			break
		}
	}
	return kv, err
}

// fewer reports whether there are fewer servers than were asked for: one that does not answer for a while is no reason to keep
// a sweep on one alone.
func fewer(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == notClustered || api.ErrorCode == noPeers)
}

// Errors of a server that has no others, or too few (nats-server, errors.json: JSStreamReplicasNotSupportedErr,
// JSClusterNoPeersErrF).
const (
	notClustered jetstream.ErrorCode = 10074
	noPeers      jetstream.ErrorCode = 10005
)

// noLeader is the error of servers that have no leader now (likewise: JSClusterNotAvailErr).
const noLeader jetstream.ErrorCode = 10008

// noRoom are errors of a server, or an account, whose limits are reached (likewise: JSAccountResourcesExceededErr,
// JSInsufficientResourcesErr, JSMaximumStreamsLimitErr, JSMemoryResourcesExceededErr, JSNotEnabledForAccountErr,
// JSStorageResourcesExceededErr, JSStreamMessageExceedsMaximumErr, JSStreamStoreFailedF: a disk, too).
var noRoom = []jetstream.ErrorCode{10002, 10023, 10027, 10028, 10039, 10047, 10054, 10077}

// remove takes away all that the server has of the sweep, less what was taken away before.
func (q *queue) remove(ctx context.Context) error {
	kv, err := q.js.KeyValue(ctx, registry)
	if err == nil {
		err = kv.Purge(ctx, q.id)
	}
	for _, gone := range []func() error{
		func() error { return err },
		func() error { return q.js.DeleteStream(ctx, jobsStream+q.id) },
		func() error { return q.js.DeleteKeyValue(ctx, rowsBucket+q.id) },
		func() error { return q.js.DeleteObjectStore(ctx, inputStore+q.id) },
	} {
		if err := gone(); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
			return err
		}
	}
	return nil
}

// dead makes a job one that no worker brings to an end.
func (q *queue) dead(ctx context.Context, key, why string) error {
	_, err := q.rows.Create(ctx, deadPrefix+key, []byte(why))
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	return err
}
