//go:build unix

package launch

import (
	"encoding/json"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A node whose clock is ahead by 7 ms, and that is 10 ms away, is found to be 7 ms ahead; of five questions the quickest counts.
func TestClockOfANodeFarAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		go func() {
			defer theirs.Close()
			for k := range pings {
				if _, err := readFrame(theirs, smallBody); err != nil {
					t.Error(err)
					return
				}
				there := 10 * time.Millisecond
				if k != 2 {
					there = 90 * time.Millisecond // slower on the way there: its answer would say 47 ms
				}
				time.Sleep(there)
				body, _ := json.Marshal(ping{time.Now().Add(7 * time.Millisecond).UnixNano()})
				time.Sleep(10 * time.Millisecond)
				if _, err := theirs.Write(appendFrame(nil, &frame{kindPing, -1, body})); err != nil {
					t.Error(err)
					return
				}
			}
		}()
		ahead, err := clockOf(ours)
		if err != nil || ahead != int64(7*time.Millisecond) {
			t.Errorf("ahead by %v, %v", time.Duration(ahead), err)
		}
	})
}

// Node 0 tells another that it lives.
func TestBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		r := &root{over: make(chan struct{}), others: []*station{nil, {node: 1, conn: &hearing{Conn: ours}}}}
		go r.beats(r.others[1])
		for range 3 {
			began := time.Now()
			f, err := readFrame(theirs, smallBody)
			if took := time.Since(began); err != nil || f.kind != kindBeat || took != beatEvery {
				t.Errorf("%+v, %v, after %v", f, err, took)
			}
		}
		close(r.over)
	})
}
