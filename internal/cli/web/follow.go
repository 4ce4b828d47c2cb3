package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"railyard/internal/base/shown"
)

// beat is how often a connection without news is written to, so that one that nobody holds any more is found.
const beat = 15 * time.Second

// follow tells how far the reading of a run is, until the connection or the server ends.
func follow(w http.ResponseWriter, r *http.Request, x *show) error {
	x.mu.Lock()
	x.followers++
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		x.followers--
		x.used = time.Now()
		x.mu.Unlock()
	}()
	return told(w, r, func() (any, <-chan struct{}, bool) {
		p, changed := x.watch()
		return p, changed, false
	})
}

// told tells values as there are news of them, until the last, or the connection or the server ends: server-sent events, each
// with a value as JSON.
func told(w http.ResponseWriter, r *http.Request, next func() (v any, changed <-chan struct{}, last bool)) error {
	return toldEvery(w, r, together, next)
}

// together is how often news are told that come at once.
const together = 100 * time.Millisecond

// toldEvery is told, with news that come within a time together.
func toldEvery(w http.ResponseWriter, r *http.Request, together time.Duration,
	next func() (v any, changed <-chan struct{}, last bool)) error {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for {
		v, changed, last := next()
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_ = out.SetWriteDeadline(time.Now().Add(slowest))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", shown.VisibleJSON(b)); err != nil {
			return nil
		}
		if err := out.Flush(); err != nil {
			return nil
		}
		if last || !await(r, changed, together) {
			return nil
		}
	}
}

// await waits for news, or for the time of a beat; false: nobody listens any more. News that come at once are told
// together.
func await(r *http.Request, changed <-chan struct{}, together time.Duration) bool {
	t := time.NewTimer(beat)
	defer t.Stop()
	select {
	case <-changed:
		return wait(r.Context(), together)
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
