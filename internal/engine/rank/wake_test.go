//go:build unix

package rank

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/job/exec/exectest"
	"railyard/internal/net/wire"
)

// Bytes pass through a ring that is smaller than what is written, in order, with a writer and a reader at once: run with -race
// it fails if a byte is read that the counters do not say is there, too.
func TestARingBetweenTwo(t *testing.T) {
	b := make([]byte, RingBytes(64))
	out, in := ringAt(b), ringAt(b)
	const all = 1 << 14
	go func() {
		for at := 0; at < all; {
			to, err := out.room()
			if err != nil {
				panic(err)
			}
			if len(to) == 0 {
				runtime.Gosched()
			}
			for i := range to[:min(len(to), 1+at%50, all-at)] {
				to[i] = byte((at + i) * 7 >> 3)
			}
			n := min(len(to), 1+at%50, all-at)
			out.wrote(n)
			at += n
		}
	}()
	for at := 0; at < all; {
		from, err := in.there()
		if err != nil {
			t.Fatal(err)
		}
		if len(from) == 0 {
			runtime.Gosched()
		}
		for i, v := range from {
			if want := byte((at + i) * 7 >> 3); v != want {
				t.Fatalf("byte %d is %#x, want %#x", at+i, v, want)
			}
		}
		in.read(len(from))
		at += len(from)
	}
}

// All that is put into a mailbox by several is taken once, that of each in its order, and the mailbox knows whether there is
// more.
func TestAMailboxLosesNothing(t *testing.T) {
	l := &Loop{board: NewBoard(), cfg: Config{Bell: NewBell()}}
	const from, each = 4, 500
	var putting sync.WaitGroup
	for who := range from {
		putting.Go(func() {
			for i := range each {
				l.box.put(l, event{what: evAcked, out: int32(who*each + i)})
			}
		})
	}
	var got []event
	for len(got) < from*each {
		if !l.box.some.Load() {
			runtime.Gosched()
			continue
		}
		got = l.box.take(got)
	}
	putting.Wait()
	if l.box.some.Load() || len(l.box.all) > 0 || len(got) != from*each {
		t.Errorf("%d taken, want %d; %d more", len(got), from*each, len(l.box.all))
	}
	next := make([]int32, from)
	for _, e := range got {
		who := e.out / each
		if e.out%each != next[who] {
			t.Fatalf("of %d came %d, want %d", who, e.out%each, next[who])
		}
		next[who]++
	}
}

// A loop that sleeps is woken by what is called from elsewhere, however close to its falling asleep: every call is done.
//
// It fails, by never ending, if a wake is lost between the look for work and the sleep.
func TestNoWakeIsLost(t *testing.T) {
	job, memory, err := exectest.TwoRanks(8)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLoop(Config{Job: job, Steps: 1, Memory: memory, Body: memory})
	l.Join(1, &sink{})
	ended := make(chan error, 1)
	go func() { ended <- l.Drive() }()
	order := []int{}
	for i := range 2000 {
		done := make(chan bool)
		l.Call(func() { order = append(order, i); close(done) })
		<-done // so that the loop is about to sleep when the next comes
	}
	why := errors.New("enough")
	l.Call(func() {
		l.fail(why)
		l.fail(errors.New("too late"))
	})
	if err := <-ended; err != why {
		t.Errorf("ended by %v, want %v", err, why)
	}
	if len(order) != 2000 || !slices.IsSorted(order) {
		t.Errorf("%d calls, in order: %v", len(order), slices.IsSorted(order))
	}
}

// restless is a link that counts how often its loop was about to sleep and how often it did, and has something happen between.
type restless struct {
	sink
	between      func()
	about, slept int
}

func (r *restless) Pending() bool { // asked as the last before the loop says that it sleeps
	r.about++
	r.between()
	return false
}

func (r *restless) Descriptor() (int, bool) { // asked as the first of a sleep
	r.slept++
	return -1, false
}

// What happens when a loop has looked, and has not said yet that it sleeps, keeps it awake: who put it there did not ring.
//
// It fails if the loop sleeps without another look: then nothing wakes it.
func TestALoopLooksOnceMoreBeforeItSleeps(t *testing.T) {
	for _, happens := range []bool{true, false} {
		job, memory, err := exectest.TwoRanks(8)
		if err != nil {
			t.Fatal(err)
		}
		l, k := NewLoop(Config{Job: job, Steps: 1, Memory: memory, Body: memory}), &restless{}
		k.between = func() {
			if happens {
				l.Call(func() {})
			}
		}
		l.Join(1, k)
		l.cfg.Bell.ring() // so that a sleep is a short one
		l.idle()
		if want := !happens; k.about != 1 || k.slept > 0 != want || l.board.asleep.Load() != 0 {
			t.Errorf("something happens: %v; asked %d times, slept: %v, want %v", happens, k.about, k.slept > 0, want)
		}
	}
}

// A bell is rung once for each sleep that something ends: a message any, a credit one of those that wait for credits.
//
// It fails if a loop that sleeps is not woken, if one that is awake is rung for, or if one is rung for twice.
func TestABellIsRungOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, bell := NewBoard(), NewBell()
		defer bell.read.Close()
		defer bell.write.Close()
		asleep, forCredits, want := false, false, 0
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			switch what := rapid.SampledFrom([]string{"sleep", "sleep on", "wake up", "message", "credit"}).Draw(t, "event"); what {
			case "sleep", "sleep on":
				asleep, forCredits = true, what == "sleep"
				b.sleep(forCredits)
			case "wake up":
				asleep = false
				b.awake()
			case "message", "credit":
				if asleep && (what == "message" || forCredits) {
					want++
					asleep = false
				}
				if what == "message" {
					b.wake(bell)
				} else {
					b.wakeForCredit(bell)
				}
			}
		}
		heard := 0
		for one := make([]byte, 1); bell.rung(); heard++ {
			if _, err := bell.read.Read(one); err != nil {
				t.Fatal(err)
			}
		}
		if heard != want {
			t.Fatalf("rung %d times, want %d", heard, want)
		}
	})
}

// One look silences what was rung up to 64 times, and what was rung more often is heard again.
func TestALookSilencesABell(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b, err := BellOf(r, w)
	if err != nil {
		t.Fatal(err)
	}
	for range 65 {
		b.ring()
	}
	for look, want := range []bool{true, true, false} {
		if files := b.poll(nil); (files[0].Revents != 0) != want {
			t.Errorf("look %d: rung %v, want %v", look, !want, want)
		}
	}
	if other, err := BellOf(nil, w); err != nil || other.from != -1 {
		t.Errorf("a bell of another process: %+v, %v", other, err)
	}
}

// A board is one wherever its memory lies, and is not larger than its room.
func TestBoardsInSharedMemory(t *testing.T) {
	mem := make([]byte, 2*BoardBytes)
	one, two := BoardAt(mem), BoardAt(mem[BoardBytes:])
	for i := range one.waits {
		one.waits[i].Store(1<<56 | uint64(i+1))
	}
	one.Beat(5)
	one.setStep(6)
	if s := two.Standing(); s.Begun || s.Beat != 0 || s.Waits != nil {
		t.Errorf("the board behind it says %+v", s)
	}
	if s := BoardAt(mem).Standing(); len(s.Waits) != boardWaits || s.Step != 6 || s.Beat != 5 {
		t.Errorf("seen again it says %+v", s)
	}
}

// Rings are powers of two: any other length is a mistake of whoever made the memory.
func TestLengthsOfRings(t *testing.T) {
	for n := range 70 {
		func() {
			defer func() {
				if failed, want := recover() != nil, n == 0 || n&(n-1) != 0; failed != want {
					t.Errorf("%d bytes: refused %v, want %v", n, failed, want)
				}
			}()
			ringAt(make([]byte, RingBytes(n)))
		}()
	}
}

// What one end of a queue pair tells the other comes back as it was, or is refused with its bounds.
func TestPairings(t *testing.T) {
	good := Pairing{netip.MustParseAddr("192.0.2.7"), 0xabcdef, 0xffffff, 0xdeadbeef, wire.MTU(5)}
	for _, c := range []struct {
		change func(p *Pairing)
		ok     bool
	}{
		{func(*Pairing) {}, true},
		{func(p *Pairing) { p.Addr = netip.MustParseAddr("2001:db8::1") }, true},
		{func(p *Pairing) { p.QPN = 2 }, true},
		{func(p *Pairing) { p.QPN = 1 }, false}, // of management
		{func(p *Pairing) { p.QPN = 1 << 24 }, false},
		{func(p *Pairing) { p.PSN = 1 << 24 }, false},
		{func(p *Pairing) { p.MTU = 1 }, true},
		{func(p *Pairing) { p.MTU = 0 }, false},
		{func(p *Pairing) { p.MTU = 6 }, false},
	} {
		p := good
		c.change(&p)
		b := p.Append(nil)
		if got, err := DecodePairing(b); (err == nil) != c.ok || c.ok && got != p {
			t.Errorf("%+v comes back as %+v, %v", p, got, err)
		}
		for _, b := range [][]byte{b[:PairingBytes-1], append(slices.Clone(b), 0)} {
			if got, err := DecodePairing(b); err == nil {
				t.Errorf("%d bytes are %s", len(b), fmt.Sprintf("%+v", got))
			}
		}
	}
}
