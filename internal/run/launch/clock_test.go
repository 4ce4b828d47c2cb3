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

// Node 0 tells another that it lives: also when all ranks have ended, and its own processes take their time to. Then it says
// that it is over, and no more.
//
// It fails if beats end with those who take what ranks say.
func TestBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		s := &station{node: 1, conn: &hearing{Conn: ours}, over: make(chan struct{})}
		r := &root{over: make(chan struct{}), others: []*station{nil, s}}
		go s.beats()
		for i := range 20 {
			began := time.Now()
			f, err := readFrame(theirs, smallBody)
			if took := time.Since(began); err != nil || f.kind != kindBeat || took != beatEvery {
				t.Errorf("%+v, %v, after %v", f, err, took)
			}
			if i == 3 {
				close(r.over)
			}
		}
		go r.dismiss(nil)
		if f, err := readFrame(theirs, smallBody); err != nil || f.kind != kindQuit {
			t.Errorf("%+v, %v", f, err)
		}
		if f, err := readFrame(theirs, smallBody); err == nil {
			t.Errorf("after that it says %+v", f)
		}
	})
}
