//go:build unix

package launch

import (
	"net"
	"testing"
	"time"
)

// Who holds up a rank is at the end of those that wait for each other, or gives no sign; of ranks in a circle each holds up all.
func TestWhoHoldsUp(t *testing.T) {
	chain := []standing{{Rank: 0, Waits: []int32{1}}, {Rank: 1, Waits: []int32{2, 0}}, {Rank: 2}}
	circle := []standing{{Rank: 0, Waits: []int32{1}}, {Rank: 1, Waits: []int32{2}}, {Rank: 2, Waits: []int32{1}}}
	quiet := []standing{{Rank: 0, Waits: []int32{1}}, {Rank: 1, Waits: []int32{0}, Quiet: true}}
	for _, c := range []struct {
		stands     []standing
		rank, want int32
	}{{chain, 0, 2}, {chain, 2, 2}, {circle, 0, 1}, {circle, 2, 2}, {quiet, 0, 1}, {chain[:1], 0, 1}} {
		if got := holdsUp(c.stands, c.rank); got != c.want {
			t.Errorf("%+v from rank %d: rank %d, want %d", c.stands, c.rank, got, c.want)
		}
	}
}

// A node that answers something else than its clock is no node; one whose clock is ahead is found to be so.
func TestClockOfANode(t *testing.T) {
	for _, c := range []struct {
		answer func(f frame) frame
		good   bool
	}{
		{func(frame) frame { return newFrame(kindPing, -1, ping{time.Now().Add(time.Hour).UnixNano()}) }, true},
		{func(frame) frame { return newFrame(kindStanding, -1, ping{1}) }, false},
		{func(frame) frame { return frame{kindPing, -1, []byte("{")} }, false},
	} {
		ours, theirs := net.Pipe()
		go func() {
			for {
				f, err := readFrame(theirs, smallBody)
				if err != nil {
					return
				}
				f = c.answer(f)
				if _, err := theirs.Write(appendFrame(nil, &f)); err != nil {
					return
				}
			}
		}()
		ahead, err := clockOf(ours)
		if (err == nil) != c.good || c.good && (time.Duration(ahead) < 59*time.Minute || time.Duration(ahead) > 61*time.Minute) {
			t.Errorf("ahead by %v, %v; want good: %v", time.Duration(ahead), err, c.good)
		}
		ours.Close()
		theirs.Close()
	}
}
