//go:build unix

package rank

import (
	"testing"

	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
)

// sink is a link whose peer never answers.
type sink struct{ outlets []int32 }

func (s *sink) Send(f *Frame, _ []byte, outlet int32) {
	if f.Kind.carries() {
		s.outlets = append(s.outlets, outlet)
	}
}
func (s *sink) Push() bool             { return false }
func (s *sink) Poll() (did, more bool) { return false, false }
func (s *sink) Ready() bool            { return false }
func (s *sink) Pending() bool          { return false }
func (s *sink) Descriptor() (int, bool) {
	return -1, false
}
func (s *sink) Close() {}

// A rank that waits until what it has sent is read is woken when it is: to overwrite it, and at the end of a collective. One that
// waits for a message is woken for that alone.
//
// It fails if a rank sleeps through what is given back: it would look half a second later.
func TestWhoWaitsForWhatItSentIsWoken(t *testing.T) {
	job, memory, err := exectest.TwoRanks(8)
	if err != nil {
		t.Fatal(err)
	}
	l, k := NewLoop(Config{Job: job, Steps: 1, Memory: memory, Body: memory}), &sink{}
	l.Join(1, k)
	l.rank.Start(0)
	woken := func(when string, want bool) {
		t.Helper()
		for l.turn() {
		}
		if l.err != nil || l.publish() != want {
			t.Fatalf("%s: woken for what is given back: %v, want %v; %v", when, !want, want, l.err)
		}
	}
	woken("it waits for its first message", false)
	from := source{coll: 0, peer: 1, channel: 0}
	for i, s := range l.reg.slots[from] {
		f := Frame{Kind: FrameMessage, Way: exec.Way{Src: 1}, Number: uint32(i),
			Address: verbs.Address(exec.Staging(job, 0, 0), s.off)}
		f.Header.Bytes = 4 * 4
		if err := l.Take(1, &f); err != nil {
			t.Fatal(err)
		}
		l.Placed(&f)
		for l.turn() {
		}
	}
	for _, outlet := range k.outlets {
		if l.rank.Finished() {
			t.Fatal("it has ended, and a message of it was not read")
		}
		woken("it has all messages, and not all of its own are read", true)
		l.Left(outlet)
		for l.turn() {
		}
	}
	if !l.rank.Finished() {
		t.Fatal("all is read, and it has not ended")
	}
	woken("it has ended", false)
}
