package rank_test

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"railyard/internal/engine/rank"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// lending is memory of ranks in rooms, whose slots may be borrowed: exec.Memory, exec.Body, exec.Stager, rank.Borrower.
type lending struct {
	*exectest.Floats
	rooms    []*rank.Room
	files    []*os.File
	borrowed []map[exec.Ref][]byte // by rank
	times    []int
}

// inRooms moves the buffers of a job's ranks into rooms.
func inRooms(job *workload.Job, f *exectest.Floats) *lending {
	l := &lending{Floats: f, times: make([]int, job.Ranks())}
	for r := range job.Ranks() {
		fd := must(unix.MemfdCreate("room", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING))
		file := os.NewFile(uintptr(fd), "room")
		room := rank.NewRoom(file)
		for i := range job.Buffers {
			if b := f.Buffers[r][i]; len(b) > 0 {
				m := rank.SmallRoom(room, int64(len(b)+3)/4)
				bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), len(b))
				copy(bytes, b)
				f.Buffers[r][i] = bytes
			}
		}
		l.rooms, l.files, l.borrowed = append(l.rooms, room), append(l.files, file), append(l.borrowed, map[exec.Ref][]byte{})
	}
	return l
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func key(slot exec.Ref) exec.Ref { return exec.Ref{Buffer: slot.Buffer, Off: slot.Off} }

func (l *lending) Borrow(r int32, slot exec.Ref, b []byte) bool {
	l.borrowed[r][key(slot)] = b
	l.times[r]++
	return true
}

func (l *lending) Return(r int32, slot exec.Ref) { delete(l.borrowed[r], key(slot)) }
func (l *lending) Read(int32, exec.Ref)          {}

func (l *lending) Bytes(r int32, ref exec.Ref) []byte {
	if b, ok := l.borrowed[r][key(ref)]; ok {
		return b[:ref.Len]
	}
	return l.Floats.Bytes(r, ref)
}

func (l *lending) Copy(r, _ int32, dst, src exec.Ref) { copy(l.Bytes(r, dst), l.Bytes(r, src)) }

func (l *lending) Reduce(r, _ int32, dst, src exec.Ref) {
	two := &exectest.Floats{Buffers: [][][]byte{{l.Bytes(r, dst), l.Bytes(r, src)}}}
	two.Reduce(0, 0, exec.Ref{Len: dst.Len}, exec.Ref{Buffer: 1, Len: src.Len})
}

// joins links by rings, and lends.
func (l *lending) joins(d *drive) joiner {
	for _, r := range l.rooms {
		r.Seal()
	}
	return func(a, b *rank.Loop, x, y int32) {
		there, back := make([]byte, rank.RingBytes(4096)), make([]byte, rank.RingBytes(4096))
		j := rank.NewShared(a, y, there, back, d.boards[y], d.bells[y])
		k := rank.NewShared(b, x, back, there, d.boards[x], d.bells[x])
		j.Lend(l.rooms[x], must(rank.View(l.files[y])))
		k.Lend(l.rooms[y], must(rank.View(l.files[x])))
		a.Join(y, j)
		b.Join(x, k)
	}
}

func (l *lending) close() {
	for _, f := range l.files {
		f.Close()
	}
}

// What the ideal driver leaves of any collective is left where every message is read in its sender's memory, and so where
// ranks, whose looks differ, take some of them into their own first.
func TestEveryCollectiveLent(t *testing.T) {
	elsewhere(t, func(l *lending) func(*drive) joiner { return l.joins })
}

// elsewhere holds that what the ideal driver leaves of any collective is left over some kind of links, over which messages come
// elsewhere than into their slots, and that no slot lies elsewhere in the end.
func elsewhere(t *testing.T, over func(l *lending) func(*drive) joiner) {
	times := 0
	rapid.Check(t, func(t *rapid.T) {
		w := exectest.DrawTogether(t)
		l := inRooms(w.Job, &w.Memory)
		defer l.close()
		looks := rapid.IntRange(0, 2).Draw(t, "looks")
		if err := newMended(w.Job, w.Steps, l, l, over(l), nil, looks).run(); err != nil {
			t.Fatalf("%s: %v", w.Schedule.Name(), err)
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		for r, b := range l.borrowed {
			times += l.times[r]
			if len(b) > 0 {
				t.Fatalf("of rank %d %d slots still lie elsewhere", r, len(b))
			}
		}
	})
	if times == 0 {
		t.Error("nothing came elsewhere than into its slot")
	}
}

// A message that is said to lie outside of its sender's room ends the job, and so does one that is lent where nothing is, and
// both ends are named.
func TestAMessageThatLiesNowhere(t *testing.T) {
	for want, view := range map[string]bool{"rank 1 got from rank 0 128 bytes of step 0 that lie at ": true,
		"rank 1 got from rank 0 a message that lies where it cannot see it": false} {
		job, memory := large(t, 64, 1)
		l := inRooms(job, memory)
		join := l.joins
		if !view {
			join = sockets
		}
		d := newMended(job, 1, l, l, join, map[int32]func(rank.Link) rank.Link{0: func(k rank.Link) rank.Link {
			return &fault{Link: k, change: func(_ int, f *rank.Frame, b []byte) (int, []byte) {
				if f.Kind == rank.FrameMessage {
					f.Kind = rank.FrameLent
					b = []byte{0, 0, 0, 0, 0, 2, 0, 0}
				}
				return 1, b
			}}
		}}, 2)
		if err := d.run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		l.close()
	}
}

// exchange is an all-reduce of two ranks that send each other all that they have, and add what came to it when the peer has
// what was sent: each waits for the other while it has been lent what the other waits for.
type exchange struct{}

func (exchange) Name() string     { return "exchange" }
func (exchange) Ranks() int       { return 2 }
func (exchange) Channels() int    { return 1 }
func (exchange) Chunks() int      { return 1 }
func (exchange) Slots() int       { return 1 }
func (exchange) Len(int, int) int { return 3 }
func (exchange) Op(rank, _, i int) coll.Op {
	peer := int32(1 - rank)
	return []coll.Op{
		{Kind: coll.Send, Buffer: coll.Out, Peer: peer, Slot: -1, After: -1, Acked: -1},
		{Kind: coll.Recv, Peer: peer, After: 0, Acked: -1},
		{Kind: coll.Reduce, Peer: -1, After: 1, Acked: 0},
	}[i]
}

// Ranks that wait for each other give back what they were lent.
func TestWhoWaitsGivesBack(t *testing.T) {
	job, memory := large(t, 64, 1)
	c := &job.Collectives[0]
	c.Name, c.Schedule = "exchange", exchange{}
	for r := range memory.Buffers {
		for i := range memory.Buffers[r][1:] {
			memory.Buffers[r][1+i] = make([]byte, c.StagingBytes())
		}
	}
	l := inRooms(job, memory)
	defer l.close()
	if err := newDrive(job, 3, l, l, l.joins).run(); err != nil {
		t.Fatal(err)
	}
	for r, b := range memory.Buffers {
		if b[0][2] != 0x40 || b[0][3] != 0x41 || l.times[r] == 0 { // (1 + 2) * 2 * 2
			t.Errorf("rank %d, lent %d times: %x", r, l.times[r], b[0][:4])
		}
	}
}
