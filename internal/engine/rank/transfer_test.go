//go:build unix

package rank

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// queued are frames of which some carry bytes, and the wire's form of all of them, made without a queue.
type queued struct {
	q       queue
	wire    []byte
	ends    []int   // of the frames, in wire
	outlets []int32 // of which the loop is told, by frame; -1: it is not
}

func drawQueued(t *rapid.T) *queued {
	x := &queued{}
	for i := range rapid.IntRange(1, 6).Draw(t, "frames") {
		f := Frame{Kind: rapid.SampledFrom([]FrameKind{FrameMessage, FrameCredit, FrameLent, FrameEnd}).Draw(t, "kind"),
			Number: uint32(i)}
		var b []byte
		if f.Kind.carries() {
			b = rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "bytes")
			f.Header.Bytes = unit.Bytes(len(b))
		}
		outlet := rapid.Int32Range(-1, 9).Draw(t, "outlet")
		x.q.add(&f, b, outlet)
		x.wire = append(f.Append(x.wire), b...)
		if f.Kind.carries() {
			x.wire = binary.BigEndian.AppendUint32(x.wire, crc32.Checksum(b, castagnoli))
		}
		x.ends, x.outlets = append(x.ends, len(x.wire)), append(x.outlets, outlet)
	}
	return x
}

// told holds what the loop was told against the frames that have left whole.
func (x *queued) told(t *rapid.T, l *Loop, left int) {
	var want, got []int32
	for i, end := range x.ends {
		if end <= left && x.outlets[i] >= 0 {
			want = append(want, x.outlets[i])
		}
	}
	for _, e := range l.todo {
		got = append(got, e.out)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d of %d bytes have left: the loop was told of %v, want %v", left, len(x.wire), got, want)
	}
}

// However frames are cut, their bytes leave in order, with the checksum behind each message, and the loop is told of each when
// its last byte has left, once.
//
// It fails if a cut falls into a head, a checksum or between two frames and something is lost, sent twice, or told early.
func TestFramesLeaveWholeHoweverTheyAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, l := drawQueued(t), &Loop{}
		var got []byte
		for !x.q.empty() {
			to := make([]byte, rapid.IntRange(1, 300).Draw(t, "room"))
			got = append(got, to[:x.q.next().copyTo(to)]...)
			x.q.moved(l)
			x.told(t, l, len(got))
		}
		if !bytes.Equal(got, x.wire) {
			t.Fatalf("%x\nleft as\n%x", x.wire, got)
		}
		if len(x.q.all) != 0 {
			t.Fatalf("%d frames stay in a queue of which all has left", len(x.q.all))
		}
	})
}

// What a socket is given at once is the next of the queue, no more of messages than there is room for, and of what it takes,
// however little, the queue goes on.
//
// It fails if a checksum is of fewer bytes than have left, or a part after one that was cut is sent before it.
func TestPartsAreTheNextOfTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, l := drawQueued(t), &Loop{}
		left := 0
		for !x.q.empty() {
			all := rapid.IntRange(1, 400).Draw(t, "room")
			var parts [][]byte
			for i, room := x.q.first, all; i < len(x.q.all) && room > 0; i++ {
				parts, room = x.q.all[i].parts(parts, room)
			}
			flat := bytes.Join(parts, nil)
			if len(flat) == 0 || !bytes.HasPrefix(x.wire[left:], flat) {
				t.Fatalf("after %d bytes come %x, want the next of\n%x", left, flat, x.wire)
			}
			n := rapid.IntRange(1, len(flat)).Draw(t, "taken")
			x.q.left(n, l)
			left += n
			x.told(t, l, left)
		}
		if left != len(x.wire) {
			t.Fatalf("%d bytes have left of %d", left, len(x.wire))
		}
	})
}

// all takes bytes that have come, all of them.
func (r *receive) all(b []byte) error {
	for len(b) > 0 {
		n, err := r.take(b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// receiver is rank 1 of two, and the wire's form of all that rank 0 sends it in a step.
func receiver(t *rapid.T, elems int64) (r *receive, memory *exectest.Floats, wire []byte, messages []Frame) {
	job, memory, err := exectest.TwoRanks(elems)
	if err != nil {
		t.Fatal(err)
	}
	return receiverWith(t, job, memory, Config{Memory: memory, Body: memory})
}

// receiverWith is receiver with another memory than the one in which its job lies.
func receiverWith(t *rapid.T, job *workload.Job, memory *exectest.Floats, cfg Config) (*receive, *exectest.Floats, []byte, []Frame) {
	cfg.Rank, cfg.Job, cfg.Steps = 1, job, 1
	l := NewLoop(cfg)
	var wire []byte
	var messages []Frame
	l.Join(0, &sink{})
	l.rank.Start(0)
	number := uint32(0)
	for _, s := range l.reg.slots[source{0, 0, 0}] {
		f := Frame{Kind: FrameMessage, Way: exec.Way{Src: 0, Dst: 1}, Number: number,
			Address: verbs.Address(exec.Staging(job, 0, 0), s.off), Header: verbs.Header{Bytes: unit.Bytes(s.bytes)}}
		number++
		b := rapid.SliceOfN(rapid.Byte(), int(s.bytes), int(s.bytes)).Draw(t, "bytes")
		wire = append(append(f.Append(wire), b...), 0, 0, 0, 0)
		binary.BigEndian.PutUint32(wire[len(wire)-SumBytes:], crc32.Checksum(b, castagnoli))
		messages = append(messages, f)
	}
	end := Frame{Kind: FrameEnd, Way: exec.Way{Src: 0, Dst: 1}, Number: number}
	return &receive{loop: l, peer: 0}, memory, end.Append(wire), messages
}

// comes has a piece come, copied or read to where it belongs, and returns how much of it has.
func comes(t *rapid.T, r *receive, piece []byte) int {
	if room := r.room(); len(room) > 0 && rapid.Bool().Draw(t, "placed") {
		n := copy(room, piece)
		r.placed(n)
		return n
	}
	if err := r.all(piece); err != nil {
		t.Fatal(err)
	}
	return len(piece)
}

// However bytes come, copied or read to where they belong, they are in the slots that their frames name, and the rest is taken
// with them.
//
// It fails if a piece that ends inside of a head, a message or a checksum is taken for more or less than it is.
func TestFramesComeWholeHoweverTheyAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, memory, wire, messages := receiver(t, rapid.Int64Range(2, 40).Draw(t, "elements"))
		for at := 0; at < len(wire); {
			n := rapid.IntRange(1, min(150, len(wire)-at)).Draw(t, "piece")
			at += comes(t, r, wire[at:at+n])
		}
		if !r.loop.links[0].saidEnd || r.done != 0 {
			t.Fatalf("the last frame: %v, %d bytes of another", r.loop.links[0].saidEnd, r.done)
		}
		at := 0
		for _, f := range messages {
			at += FrameBytes
			want := wire[at : at+int(f.Header.Bytes)]
			if got := memory.Bytes(1, f.to()); !bytes.Equal(got, want) {
				t.Fatalf("in the slot of message %d lies %x, want %x", f.Number, got, want)
			}
			at += len(want) + SumBytes
		}
	})
}

// Of all bits on the wire there is none that may change: whichever it is, whoever takes it says so.
//
// It fails if something on the wire is under no checksum.
func TestAnyBitThatFlipsIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, _, wire, _ := receiver(t, 8)
		bit := rapid.IntRange(0, 8*len(wire)-1).Draw(t, "bit")
		wire[bit/8] ^= 1 << (bit % 8)
		if err := r.all(wire); err == nil {
			t.Fatalf("bit %d of byte %d of %d", bit%8, bit/8, len(wire))
		}
	})
}

// The pairs of a job are those of which one sends to the other, each once, the lower first.
//
// It fails if two ranks of which one may write into memory of the other have no link, or have two.
func TestPairsOfAJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exectest.DrawTogether(t)
		var got []string
		Pairs(w.Job, func(a, b int32) {
			if a >= b {
				t.Fatalf("pair %d, %d", a, b)
			}
			got = append(got, fmt.Sprint(a, b))
		})
		// Another way round: whose registered memory may another write?
		var want []string
		for r := range int32(w.Job.Ranks()) {
			for from := range newRegistered(w.Job, r).slots {
				if pair := fmt.Sprint(min(r, from.peer), max(r, from.peer)); !slices.Contains(want, pair) {
					want = append(want, pair)
				}
			}
		}
		for _, pair := range want {
			if !slices.Contains(got, pair) {
				t.Fatalf("%s: %s send each other messages, and are no pair of %v", w.Schedule.Name(), pair, got)
			}
		}
		if slices.Sort(got); len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%s: a pair comes twice: %v", w.Schedule.Name(), got)
		}
	})
}
