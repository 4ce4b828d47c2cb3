package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"railyard/internal/base/shown"
	"railyard/internal/out/result"
)

// after turns a list so that what follows a name comes first: sweeps take turns.
func after(all []string, name string) []string {
	i, found := slices.BinarySearch(all, name)
	if found {
		i++
	}
	return slices.Concat(all[i:], all[:i])
}

// lookAgain is how long a sweep may be there before a worker that has others knows of it; lookSoon, before one that has none.
const (
	lookAgain = time.Second
	lookSoon  = 200 * time.Millisecond
)

// registered is a state of the list of sweeps.
type registered struct {
	created time.Time
	changes uint64
}

// sweeps finds what sweeps there are, and refuses those of another version. One that was left behind hides no other.
func (s *serving) sweeps(ctx context.Context) error {
	if since := time.Since(s.looked); since < lookSoon || len(s.queues) > 0 && since < lookAgain {
		return nil
	}
	s.looked = time.Now()
	// To list the keys makes the servers of a cluster agree on a consumer, so it is done where something has changed.
	stream, err := s.js.Stream(ctx, "KV_"+registry)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	info := stream.CachedInfo()
	now := registered{info.Created, info.State.LastSeq}
	if now == s.registered {
		return nil
	}
	kv, err := s.js.KeyValue(ctx, registry)
	if err != nil {
		return err
	}
	ids, err := kv.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		err = nil
	}
	if err != nil {
		return err
	}
	s.registered = now
	for _, id := range ids {
		if s.queues[id] != nil {
			continue
		}
		entry, err := kv.Get(ctx, id)
		var a announcement
		if err != nil {
			s.registered = registered{}
			continue
		}
		if json.Unmarshal(entry.Value(), &a) != nil {
			continue
		}
		if a.Version != result.Version {
			if !s.refused[id] {
				s.refused[id] = true
				s.Tell(fmt.Sprintf("refused: sweep %s is of Railyard %s, this worker is %s", shown.Lines(a.Name), shown.Lines(a.Version),
					result.Version))
			}
			continue
		}
		q, err := openQueue(ctx, s.nc, id, false, false)
		if err == nil {
			q.pulls, err = newPulls(s.nc, id)
		}
		if err != nil {
			s.registered = registered{}
			continue
		}
		s.queues[id] = q
	}
	return nil
}
