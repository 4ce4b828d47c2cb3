//go:build unix

package rank

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
)

// slotless is memory of rank 1 whose slots may lie elsewhere: exec.Memory, exec.Body, exec.Stager, Borrower.
type slotless struct {
	*exectest.Floats
	lies  map[exec.Ref][]byte // by slot, without its length
	times int
}

func slotOf(ref exec.Ref) exec.Ref { return exec.Ref{Buffer: ref.Buffer, Off: ref.Off} }

func (m *slotless) Borrow(_ int32, slot exec.Ref, b []byte) bool {
	m.lies[slotOf(slot)] = b
	m.times++
	return true
}
func (m *slotless) Return(_ int32, slot exec.Ref) { delete(m.lies, slotOf(slot)) }
func (m *slotless) Read(int32, exec.Ref)          {}

func (m *slotless) Bytes(r int32, ref exec.Ref) []byte {
	if b, ok := m.lies[slotOf(ref)]; ok {
		return b[:ref.Len]
	}
	return m.Floats.Bytes(r, ref)
}

// Reduce does it in memory where a slot lies elsewhere.
func (m *slotless) Reduce(r, _ int32, dst, src exec.Ref) {
	two := &exectest.Floats{Buffers: [][][]byte{{m.Bytes(r, dst), m.Bytes(r, src)}}}
	two.Reduce(0, 0, exec.Ref{Len: dst.Len}, exec.Ref{Buffer: 1, Len: src.Len})
}

func drawSlotless(t *rapid.T) (*receive, *slotless, []byte, []Frame) {
	job, memory, err := exectest.TwoRanks(rapid.Int64Range(2, 40).Draw(t, "elements"))
	if err != nil {
		t.Fatal(err)
	}
	m := &slotless{Floats: memory, lies: map[exec.Ref][]byte{}}
	r, _, wire, messages := receiverWith(t, job, memory, Config{Memory: m, Body: m})
	return r, m, wire, messages
}

// However bytes come that are added or copied as they do, the rank has in the end what it would have had of its slots, and
// nothing came into these.
//
// It fails if an element that is cut is added in part, twice or not at all, if what has been added is added again by the
// operation that would have read it, or if a message comes to a place that is still to be read.
func TestWhatLandsIsAddedOnceHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, m, wire, messages := drawSlotless(t)
		whole := bytes.Clone(m.Buffers[1][0])
		k := r.loop.links[0].Link.(*sink)
		copied, acked := rapid.Bool().Draw(t, "acknowledged"), false
		first := FrameBytes + int(messages[0].Header.Bytes) + SumBytes
		for at := 0; at < len(wire); {
			if at >= first && copied && !acked {
				acked = true
				r.loop.rank.Acked(0, k.outlets[0], nil)
			}
			n := rapid.IntRange(1, min(150, len(wire)-at)).Draw(t, "piece")
			if at < first {
				n = min(n, first-at)
			}
			at += comes(t, r, wire[at:at+n])
		}
		if !acked {
			r.loop.rank.Acked(0, k.outlets[0], nil)
		}
		m.wants(t, whole, wire, messages)
		if want := 1; copied && m.times != want+1 || !copied && m.times != want {
			t.Fatalf("%d messages came elsewhere than into their slots; the second may: %v", m.times, copied)
		}
		if len(m.lies) > 0 || len(r.loop.landed) > 0 || r.adds.on() || r.loop.known.at != nil {
			t.Fatalf("%d slots still lie elsewhere, %v, %v, %v", len(m.lies), r.loop.landed, r.adds.on(), r.loop.known)
		}
	})
}

// wants holds what the rank has against what it began with: the first message is added to the first part, the second is the
// other part.
func (m *slotless) wants(t *rapid.T, whole, wire []byte, messages []Frame) {
	a, b := int(messages[0].Header.Bytes), int(messages[1].Header.Bytes)
	sum := &exectest.Floats{Buffers: [][][]byte{{whole[:a], wire[FrameBytes:][:a]}}}
	sum.Reduce(0, 0, exec.Ref{Len: int64(a)}, exec.Ref{Buffer: 1, Len: int64(a)})
	want := append(whole[:a:a], wire[2*FrameBytes+a+SumBytes:][:b]...)
	if !bytes.Equal(m.Buffers[1][0], want) {
		t.Fatalf("the rank has\n%x, want\n%x", m.Buffers[1][0], want)
	}
}

// Of a message that is added as it comes no bit may change either.
//
// It fails if what lands is under no checksum.
func TestAnyBitThatFlipsIsFoundInWhatLands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, m, wire, _ := drawSlotless(t)
		bit := rapid.IntRange(0, 8*len(wire)-1).Draw(t, "bit")
		wire[bit/8] ^= 1 << (bit % 8)
		if err := r.all(wire); err == nil {
			t.Fatalf("bit %d of byte %d of %d", bit%8, bit/8, len(wire))
		}
		if m.times == 0 && bit/8 >= FrameBytes {
			t.Fatal("nothing was added as it came")
		}
	})
}

// Whatever may write to memory ends what is known of it: another operation of the rank, and the end of one, of which others are told.
//
// It fails if a message has the checksum of what lay in its memory before.
func TestWhatIsKnownEnds(t *testing.T) {
	job, memory, err := exectest.TwoRanks(8)
	if err != nil {
		t.Fatal(err)
	}
	m := &slotless{Floats: memory, lies: map[exec.Ref][]byte{}}
	l := NewLoop(Config{Rank: 1, Job: job, Steps: 1, Memory: m, Body: m})
	part, slot := exec.Ref{Len: 4}, exec.Ref{Buffer: exec.Staging(job, 0, 0), Len: 4}
	for name, writes := range map[string]func(){
		"addition":  func() { bodyOf(l).Reduce(1, 0, part, slot) },
		"copy":      func() { bodyOf(l).Copy(1, 0, part, slot) },
		"operation": func() { observer{nil, l}.Operation(exec.OperationRecord{}) },
		"event": func() {
			l.todo = append(l.todo, event{what: evCall, do: func() {}})
			l.turn()
		},
	} {
		l.known = landedAt{at: memory.Bytes(1, part)}
		if writes(); l.known.at != nil {
			t.Errorf("%s: what was known of memory still is", name)
		}
	}
	b := memory.Bytes(1, exec.Ref{Len: 8})
	for name, c := range map[string]struct{ sent, known []byte }{"less": {b[:4], b}, "another": {b[4:], b[:4]}, "none": {b[:0], nil}} {
		var q queue
		q.add(&Frame{Kind: FrameMessage}, c.sent, -1)
		if q.knows(&landedAt{at: c.known, sum: 1}); q.next().sum != 0 {
			t.Errorf("%s: it has the checksum of what is known", name)
		}
	}
}
