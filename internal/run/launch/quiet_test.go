//go:build unix

package launch

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// When does the silence of a process count? Each line is looks at it, one word each: when, in seconds, and then b if it has
// beaten since; it wants a processor (w), of which it has used so many seconds in all (w3).
//
// It fails if time counts in which who judges was not there, or a process that gets no processor is taken for silent, or if one
// that spins and never beats, or that is stopped, is not.
func TestWhenSilenceCounts(t *testing.T) {
	for _, c := range []struct {
		name, looks string
		want        string // when it first counts; "": never
	}{
		{"beats", "0b 0.5b 1b 1.5b 2b 9b 12b", ""},
		{"stops beating", "0b 1 2 3 4 5", "5"},
		{"never beats", "0 1 2 3 4 5", "5"},
		{"beats again in time", "0b 1 2 3 4 4.9b 5.8 6.7 7.6 8.5 9.4 9.9", "9.9"},
		{"who judges was away for a minute, and so was the process", "0b 0.5b 60 60.5b 61 62", ""},
		{"who judges was away, and the process is silent", "0b 60 61 62 63 64", "64"},
		{"who judges is always late", "0b 10 20 30 40 50", "50"},
		{"wants a processor and gets none", "0b 1w2 2w2 3w2 4w2 5w2 6w2 7w2 8w2 9w2 30w2", ""},
		{"gets a little, and then beats", "0b 1w2 2w2.1 3w2.2 4w2.3 5w2.4 6w2.5 7b 8w2.6 9w2.7", ""},
		{"beats, and gets a little again", "0b 1w2 2w2.1 3b 4w4 5w4.1 6w4.2 7w4.3 8w4.4 9w4.5", ""},
		{"has had enough for many beats", "0b 1w2 2w3 3w4 4w5 5w6", "5w6"},
		{"has had just enough, since it was first missed", "0b 1w2 2w3 3w3 4w3 5w3", "5w3"},
		{"has had enough in the end", "0b 1w2 2w2.2 3w2.4 4w2.6 5w2.8 6w3 7w3.2 8w3.4 9w3.6", "9w3.6"},
		{"wants none any more", "0b 1w2 2w2 3w2 4w2 5w2 6 7 8 9", "9"},
	} {
		s, first := sentry{}, ""
		beat, from := int64(0), time.Now()
		for _, look := range strings.Fields(c.looks) {
			at, wants, beaten := look, "", strings.HasSuffix(look, "b")
			at = strings.TrimSuffix(at, "b")
			at, wants, _ = strings.Cut(at, "w")
			if beaten {
				beat++
			}
			mute := s.look(from.Add(seconds(t, at)), beat, func() (time.Duration, bool) { return seconds(t, "0"+wants), wants != "" })
			if mute && first == "" {
				first = look
			}
		}
		if first != c.want {
			t.Errorf("%s: its silence counts at %q, want %q", c.name, first, c.want)
		}
	}
}

// What is said of a process that is silent: of one that has only begun nothing, for a while.
func TestWhatIsSaidOfASilentProcess(t *testing.T) {
	for _, c := range []struct {
		beat    int64
		length  time.Duration
		stopped bool
		want    string
	}{
		{1, silence, false, "has not answered for 5s"},
		{0, silence, false, ""},
		{0, firstSilence - 1, false, ""},
		{0, firstSilence, false, "has given no sign for 30s"},
		{0, silence, true, "is stopped (by a signal or a debugger: kill -CONT lets it go on)"},
	} {
		s := sentry{beat: c.beat, quiet: quiet{length: c.length}}
		if got := s.text(c.stopped); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// That something was handed on is a sign; a read of nothing is none.
func TestSignsOfAConnection(t *testing.T) {
	ours, theirs := net.Pipe()
	theirs.Close()
	h, at := &hearing{Conn: ours}, time.Now()
	after := func(d time.Duration) time.Duration { return h.quietFor(at.Add(d)) }
	after(0)
	if _, err := h.Read(make([]byte, 1)); err == nil || after(time.Second) != time.Second {
		t.Errorf("a read of a closed connection is a sign; %v", err)
	}
	if h.hand(func() {}); after(2*time.Second) != 0 {
		t.Error("handing on is no sign")
	}
}

func seconds(t *testing.T, s string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(s + "s")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A node is silent only while who reads its connection waits for it: not while a frame comes byte by byte, nor while what came is
// being handed on, with more behind it; and no sooner since who judges was late.
func TestANodeThatIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		h := &hearing{Conn: ours}
		go func() { // who reads
			for {
				f, err := readFrame(h, smallBody)
				if err != nil {
					return
				}
				if f.kind == kindStep {
					h.hand(func() { time.Sleep(20 * time.Second) }) // whoever takes it is busy
				}
			}
		}()
		silentAfter := func() time.Duration { // looks until it is silent, for half a minute at most
			for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(lookEvery) {
				if h.quietFor(time.Now()) >= silence {
					return time.Since(began)
				}
			}
			return 0
		}
		send := func(b []byte) {
			if _, err := theirs.Write(b); err != nil {
				t.Error(err)
			}
		}
		send(appendFrame(nil, &frame{kindBeat, -1, nil}))
		if d := silentAfter(); d < silence || d > silence+2*lookEvery {
			t.Errorf("silent after %v, want %v", d, silence)
		}
		slow := appendFrame(nil, &frame{kindReady, 1, make([]byte, 10)}) // it comes in half a minute
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for i := range slow {
				time.Sleep(30 * time.Second / time.Duration(len(slow)))
				send(slow[i : i+1])
			}
		}()
		if d := silentAfter(); d != 0 {
			t.Errorf("silent %v after a frame that comes slowly has begun", d)
		}
		<-sent
		send(appendFrame(nil, &frame{kindStep, 1, nil}))
		go send(appendFrame(nil, &frame{kindBeat, -1, nil})) // nobody reads it yet
		if d := silentAfter(); d < 20*time.Second+silence-2*lookEvery {
			t.Errorf("silent after %v, 20 s of which somebody was busy with what it said", d)
		}
		send(appendFrame(nil, &frame{kindBeat, -1, nil}))
		h.quietFor(time.Now())
		time.Sleep(time.Minute)
		if d := h.quietFor(time.Now()); d > lookMost {
			t.Errorf("who looks after a minute says that it was silent for %v", d)
		}
		ours.Close()
		theirs.Close()
	})
}

// A rank that says why it cannot go on is named, though it says nothing more.
func TestWhoCannotGoOnIsNotSilent(t *testing.T) {
	r := &root{world: 2, perNode: 2, others: []*station{nil}, local: &node{host: "here"}, pids: map[int32]int{}}
	ended := newFrame(kindEnded, 0, ended{Error: "frame 7 where frame 8 was due"})
	if err := r.handle(&heard{ended, 0}); err != nil {
		t.Fatal(err)
	}
	stalled := newFrame(kindStalled, 0, died{1, "has not answered for 5s"})
	if err := r.handle(&heard{stalled, 0}); err == nil || !strings.Contains(err.Error(), "frame 7 where frame 8 was due") {
		t.Errorf("%v", err)
	}
}

// What the system says of a process that computes, and of one that sleeps.
func TestProcessorTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("wants /proc")
	}
	before, wants := processor(os.Getpid())
	for began := time.Now(); time.Since(began) < time.Minute; {
		if now, _ := processor(os.Getpid()); now-before >= 50*time.Millisecond {
			break
		}
	}
	if after, _ := processor(os.Getpid()); after-before < 50*time.Millisecond || !wants {
		t.Errorf("%v after %v of computing, wants more: %v", after, before, wants)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	asleep := false
	for range 100 {
		if used, wants := processor(cmd.Process.Pid); !wants && used < time.Second {
			asleep = true
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !asleep {
		t.Error("a process that sleeps wants a processor")
	}
}
