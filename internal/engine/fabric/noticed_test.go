package fabric

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/balance"
	"railyard/internal/net/qos"
)

// A queue is marked from above min on, and with certainty only above max: at exactly max the
// probability is p.
func TestMarkingAtItsEnds(t *testing.T) {
	m := newMark(qos.Marking{Min: 100, Max: 200, Probability: unit.Ratio{Num: 1, Den: 2}})
	least, most := func() uint32 { return 0 }, func() uint32 { return 1<<32 - 1 }
	for _, c := range []struct {
		queue        int64
		draw         func() uint32
		want         bool
		probably, at string
	}{
		{99, least, false, "never", "below min"}, {100, least, false, "never", "min"},
		{101, least, true, "with p/100", "just above min"},
		{101, most, false, "with p/100", "just above min"}, {200, least, true, "with p", "max"},
		{200, most, false, "with p", "max"},
		{201, most, true, "always", "just above max"},
	} {
		if got := m.hit(c.queue, c.draw); got != c.want {
			t.Errorf("%s: marked %v with a draw of %d, want it %s", c.at, got, c.draw(), c.probably)
		}
	}
	step := newMark(qos.Marking{Min: 100, Max: 100, Probability: unit.Ratio{Num: 1, Den: 1}})
	if step.hit(100, least) || !step.hit(101, most) {
		t.Error("a step marks what is above it, and nothing else")
	}
}

// The differentiated services code point is beside the two bits of ECN, and neither moves the other.
func TestDSCPBesideECN(t *testing.T) {
	var p Packet
	p.SetDSCP(46)
	if p.DSCP() != 46 || p.Marked() {
		t.Errorf("DSCP %d, marked %v", p.DSCP(), p.Marked())
	}
	p.tos |= ecnMarked
	p.SetDSCP(9)
	if p.DSCP() != 9 || !p.Marked() {
		t.Errorf("DSCP %d, marked %v, want 9 of a marked frame", p.DSCP(), p.Marked())
	}
}

// A port's frames are counted beyond 32 bits.
func TestFramesBeyond32Bits(t *testing.T) {
	if n := (&port{wraps: 3, frames: 5}).txFrames(); n != 3<<32+5 {
		t.Errorf("%d frames, want %d", n, int64(3<<32+5))
	}
}

// pickLast chooses the last of two ports, and writes a header.
type pickLast struct{}

func (pickLast) Pick(f *balance.Frame, _ balance.Links) int {
	f.Header = 9
	return 1
}

// A flow's data are sent as its weaver says where it begins, and by the hash behind; all else goes by the hash.
func TestWhatAWeaverChooses(t *testing.T) {
	f, g := &Fabric{}, &hops{ports: []PortID{10, 11}, chooser: pickLast{}}
	for _, c := range []struct {
		op    Opcode
		first bool
		want  PortID
	}{{WriteMiddle, true, 11}, {WriteMiddle, false, 10}, {OpAck, true, 10}, {OpAck, false, 10}} {
		pk := Packet{psn: uint32(c.op) << 24}
		frame := balance.Frame{Hash: 4}
		if got := f.router.weave(&forwarder{}, g, &pk, &frame, c.first); got != c.want || pk.sack != 9*uint16(got-10) {
			t.Errorf("%v, first %v: port %d, header %d", c.op, c.first, got, pk.sack)
		}
	}
}
