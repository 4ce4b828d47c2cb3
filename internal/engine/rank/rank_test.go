//go:build unix

package rank_test

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/engine/rank"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// joiner links two loops.
type joiner func(a, b *rank.Loop, x, y int32)

// rings joins by memory that both see, of a size that is too little for most messages.
func rings(size int) func(*drive) joiner {
	return func(d *drive) joiner {
		return func(a, b *rank.Loop, x, y int32) {
			there, back := make([]byte, rank.RingBytes(size)), make([]byte, rank.RingBytes(size))
			a.Join(y, rank.NewShared(a, y, there, back, d.boards[y], d.bells[y]))
			b.Join(x, rank.NewShared(b, x, back, there, d.boards[x], d.bells[x]))
		}
	}
}

// sockets joins by TCP.
func sockets(*drive) joiner {
	return func(a, b *rank.Loop, x, y int32) {
		ends := pair()
		out, in := ends[0], ends[1]
		a.Join(y, stream(a, y, out))
		b.Join(x, stream(b, x, in))
	}
}

// Each loop has a processor of the runtime, as each rank of a job has: it is a process of its own. With fewer than loops those
// that sleep in poll keep theirs until the runtime takes it back, up to 10 ms later, and most of a test's time was that.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(max(16, runtime.GOMAXPROCS(0)))
	os.Exit(m.Run())
}

// drive is ranks of one process, each in its loop.
type drive struct {
	loops  []*rank.Loop
	boards []*rank.Board
	bells  []*rank.Bell
	errs   []error
}

func newDrive(job *workload.Job, steps int64, memory exec.Memory, body exec.Body, join func(*drive) joiner) *drive {
	return newMended(job, steps, memory, body, join, nil, 2)
}

// newMended has links of some ranks replaced, and says how often loops look around before they sleep.
func newMended(job *workload.Job, steps int64, memory exec.Memory, body exec.Body, join func(*drive) joiner,
	mend map[int32]func(rank.Link) rank.Link, looks int) *drive {
	d := &drive{errs: make([]error, job.Ranks())}
	for r := range int32(job.Ranks()) {
		d.boards, d.bells = append(d.boards, rank.NewBoard()), append(d.bells, rank.NewBell())
		d.loops = append(d.loops, rank.NewLoop(rank.Config{Rank: r, Job: job, Steps: steps, Memory: memory, Body: body,
			Origin: time.Now(), Board: d.boards[r], Bell: d.bells[r], Looks: looks, Mend: mend[r]}))
	}
	j := join(d)
	rank.Pairs(job, func(a, b int32) { j(d.loops[a], d.loops[b], a, b) })
	return d
}

// run runs all loops: if one ends for a reason the others are told.
func (d *drive) run() error {
	var wait sync.WaitGroup
	for i, l := range d.loops {
		wait.Go(func() {
			if d.errs[i] = l.Drive(); d.errs[i] != nil {
				for _, o := range d.loops {
					o.End(errOther)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range d.errs {
		if err != nil && !errors.Is(err, errOther) && !errors.As(err, new(*rank.Closed)) {
			return err
		}
	}
	return errors.Join(d.errs...)
}

var errOther = errors.New("another rank has ended")

// What the ideal driver leaves of any collective, this one leaves over each link.
func TestEveryCollective(t *testing.T) {
	for name, join := range map[string]func(*drive) joiner{"rings of 64 B": rings(64), "rings of 4 KiB": rings(4096),
		"sockets": sockets} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := exectest.DrawTogether(t)
				looks := rapid.IntRange(0, 2).Draw(t, "looks")
				if err := newMended(w.Job, w.Steps, &w.Memory, &w.Memory, join, nil, looks).run(); err != nil {
					t.Fatalf("%s: %v", w.Schedule.Name(), err)
				}
				if err := w.Check(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// large is a job of two ranks whose messages are larger than what sockets and rings hold.
func large(t *testing.T, elems int64, steps int64) (*workload.Job, *exectest.Floats) {
	t.Helper()
	job, memory, err := exectest.TwoRanks(elems)
	if err != nil {
		t.Fatal(err)
	}
	return job, memory
}

func TestLargeMessages(t *testing.T) {
	for name, join := range map[string]func(*drive) joiner{"rings": rings(1 << 16), "sockets": sockets} {
		t.Run(name, func(t *testing.T) {
			job, memory := large(t, 3<<20, 1)
			if err := newDrive(job, 1, memory, memory, join).run(); err != nil {
				t.Fatal(err)
			}
			for r, b := range memory.Buffers {
				for i, v := range b[0] {
					if want := []byte{0, 0, 0x40, 0x40}[i%4]; v != want { // 1 + 2, little-endian
						t.Fatalf("rank %d: byte %d is %#x, want %#x", r, i, v, want)
					}
				}
			}
		})
	}
}

// fault changes what a rank sends.
type fault struct {
	rank.Link
	frames int
	change func(n int, f *rank.Frame, b []byte) (times int, with []byte)
}

func (x *fault) Send(f *rank.Frame, b []byte, outlet int32) {
	times, with := x.change(x.frames, f, b)
	x.frames++
	for range times {
		x.Link.Send(f, with, outlet)
		outlet = -1
	}
}

// A rank that does not do what the schedule says ends the job, and both ends are named.
func TestAPeerThatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(n int, f *rank.Frame, b []byte) (int, []byte)
		want   string
	}{
		"another address": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Address += 4
			return 1, b
		}, "rank 1 got from rank 0 message 0 of collective"},
		"another buffer": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Address = verbs.Address(0, 0)
			return 1, b
		}, "rank 1 got from rank 0 message 0 of collective"},
		"another step": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Header.Step = 7
			return 1, b
		}, "says that it is of step 7, want step 0"},
		"another size": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Header.Bytes -= 4
			return 1, b[:len(b)-4]
		}, "rank 1 got from rank 0 message 0 of collective"},
		"another group": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Way.Group = 9
			return 1, b
		}, "the job has no such"},
		"another collective": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Header.Coll = 5
			return 1, b
		}, "the job has no such"},
		"another channel": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Way.Channel = 3
			return 1, b
		}, "the schedule has none from it"},
		"another sender": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Way.Src = 1
			return 1, b
		}, "a frame of rank 1 to rank 1"},
		"twice": {func(n int, f *rank.Frame, b []byte) (int, []byte) { return 2, b }, "frame 0 where frame 1 was due"},
		"never": {func(n int, f *rank.Frame, b []byte) (int, []byte) { return min(n, 1), b }, "frame 1 where frame 0 was due"},
		"a credit": {func(n int, f *rank.Frame, b []byte) (int, []byte) {
			f.Kind, f.Header.Bytes = rank.FrameCredit, 0
			f.Way = exec.Way{Src: 1, Dst: 0}
			return 1, nil
		}, "that no message waits for"},
	} {
		for kind, join := range map[string]func(*drive) joiner{"rings": rings(1 << 12), "sockets": sockets} {
			t.Run(name+" over "+kind, func(t *testing.T) {
				job, memory := large(t, 64, 1)
				d := newMended(job, 1, memory, memory, join, map[int32]func(rank.Link) rank.Link{
					0: func(k rank.Link) rank.Link { return &fault{Link: k, change: c.change} }}, 2)
				err := d.run()
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "rank 1 got from rank ") {
					t.Errorf("%v, want %q", err, c.want)
				}
			})
		}
	}
}

func stream(l *rank.Loop, peer int32, conn net.Conn) rank.Link {
	k, err := rank.NewStream(l, peer, conn)
	if err != nil {
		panic(err)
	}
	return k
}

// A byte that changes on its way is found, behind whichever checksum.
func TestAByteThatFlips(t *testing.T) {
	for at, want := range map[int]string{
		rank.FrameBytes + 5: "rank 1 got from rank 0 128 bytes of step 0 whose checksum",
		12:                  "rank 1 got from rank 0 a frame: its checksum is",
	} {
		job, memory := large(t, 64, 1)
		d := newDrive(job, 1, memory, memory, func(*drive) joiner {
			return func(a, b *rank.Loop, x, y int32) {
				near, far := pair(), pair()
				a.Join(y, stream(a, y, near[0]))
				b.Join(x, stream(b, x, far[0]))
				go flips(far[1], near[1], at)
				go flips(near[1], far[1], -1)
			}
		})
		if err := d.run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}

// pair is the two ends of a connection.
func pair() (ends [2]net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	if ends[0], err = net.Dial("tcp", l.Addr().String()); err != nil {
		panic(err)
	}
	if ends[1], err = l.Accept(); err != nil {
		panic(err)
	}
	return ends
}

// flips carries bytes on, and flips a bit of one.
func flips(to, from net.Conn, at int) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if b := buf[:n]; at >= 0 && at < n {
			b[at] ^= 4
		}
		at -= n
		if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
			to.Close()
			return
		}
	}
}

// While a rank waits its board says for whom.
func TestBoardsSayWhoWaits(t *testing.T) {
	job, memory := large(t, 64, 1)
	d := newDrive(job, 1, memory, memory, rings(1<<12))
	done := make(chan error, 1)
	go func() { done <- d.loops[0].Drive() }()
	var s rank.Standing
	for range 2000 {
		if s = d.boards[0].Standing(); len(s.Waits) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := fmt.Sprint(s.Begun, s.Step, s.Coll, s.Waits); got != "true 0 0 [{0 1 1}]" {
		t.Errorf("rank 0 stands so: %s", got)
	}
	d.loops[0].End(errOther)
	if err := <-done; !errors.Is(err, errOther) {
		t.Error(err)
	}
}

func TestFrames(t *testing.T) {
	f := rank.Frame{Kind: rank.FrameMessage, Way: exec.Way{Src: 1, Dst: 2, Group: 3, Channel: 4}, Number: 5, Address: 6 << 44,
		Header: verbs.Header{Bytes: 7, Step: 8, Coll: 9, Late: unit.Nanosecond}}
	b := f.Append([]byte("x"))[1:]
	if len(b) != rank.FrameBytes {
		t.Fatalf("%d bytes, want %d", len(b), rank.FrameBytes)
	}
	if got, err := rank.DecodeFrame(b); err != nil || got != f {
		t.Errorf("%+v comes back as %+v, %v", f, got, err)
	}
	for n := range b {
		if _, err := rank.DecodeFrame(b[:n]); err == nil {
			t.Errorf("%d bytes are a frame", n)
		}
		for bit := range 8 {
			b[n] ^= 1 << bit
			if got, err := rank.DecodeFrame(b); err == nil {
				t.Errorf("bit %d of byte %d makes %+v", bit, n, got)
			}
			b[n] ^= 1 << bit
		}
	}
}

// decodes holds bytes that may be a frame against what a frame is, as they are and with a checksum that is right.
func decodes(t *testing.T, b []byte) {
	got, err := rank.DecodeFrame(b)
	if err == nil && string(got.Append(nil)) != string(b[:rank.FrameBytes]) {
		t.Errorf("%x decodes to %+v", b, got)
	}
	if b = rank.Seal(b); b == nil {
		return
	}
	if got, err = rank.DecodeFrame(b); err == nil && string(got.Append(nil)) != string(b) {
		t.Errorf("%x decodes to %+v", b, got)
	}
}

func FuzzDecodeFrame(f *testing.F) {
	f.Add((&rank.Frame{Kind: rank.FrameCredit, Way: exec.Way{Src: 1, Dst: 2}}).Append(nil))
	f.Add(make([]byte, rank.FrameBytes))
	f.Fuzz(decodes)
}

var frames = flag.Int("frames", 100_000, "frames with bytes that are drawn")

// Frames of which some bytes are others, or are missing, are no frames or say all that they are.
//
// It fails if a byte of a frame means nothing, so that two texts are one frame, or if one makes who reads it panic.
func TestFramesWithDrawnBytes(t *testing.T) {
	g := splitmix.Stream(40)
	draw := func(n int) int { return int(g.Next() % uint64(n)) }
	read := 0
	for range *frames {
		f := rank.Frame{Kind: rank.FrameKind(1 + draw(5)), Way: exec.Way{Src: int32(draw(9)), Dst: int32(draw(9)), Group: int32(draw(4)),
			Channel: int32(draw(3))}, Number: uint32(draw(1 << 20)), Address: g.Next() >> draw(64)}
		f.Header = verbs.Header{Bytes: unit.Bytes(draw(2) * draw(1<<20)), Step: int64(draw(1000)), Coll: int32(draw(9))}
		b := f.Append(nil)
		for range draw(4) {
			b[draw(len(b))] = byte(g.Next() >> draw(57))
		}
		b = b[:len(b)-max(draw(80)-70, 0)]
		if _, err := rank.DecodeFrame(b); err == nil {
			read++
		}
		if decodes(t, b); t.Failed() {
			return
		}
	}
	if share := float64(read) / float64(*frames); share < 0.1 || share > 0.5 {
		t.Errorf("%.0f %% of what is drawn are frames: the draws show little", 100*share)
	}
}
