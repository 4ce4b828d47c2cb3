package roce

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// dialogue is the two ends of a connection, and what connection managers have said.
type dialogue struct {
	q    Requester
	r    Responder
	p    Params
	said strings.Builder
}

func newDialogue() *dialogue {
	d := &dialogue{p: Params{MTU: 1000, AckEvery: 1}}
	d.q.Init(&d.p, nil, nil)
	d.q.Dial()
	return d
}

// carry hands a packet to the other end, unless it is lost, and whatever that answers back.
func (d *dialogue) carry(pk Packet, lost bool) (asked, replied bool) {
	d.said.WriteString(" " + pk.Manage.String())
	if lost {
		d.said.WriteString("(lost)")
		return
	}
	var answer Packet
	switch pk.Manage {
	case wire.CMReply, wire.CMDisconnectReply:
		h := d.q.Receive(7, &pk, &d.p)
		replied = h.Replied
		for d.q.Answer(&answer) {
			d.carry(answer, false)
		}
	default:
		asked = d.r.Receive(7, &pk, &d.p).Asked
		for d.r.Answer(&answer, &d.p) {
			d.carry(answer, false)
		}
	}
	return asked, replied
}

// TestConnection: REQ, REP, RTU, and at the end DREQ and DREP (IBTA vol. 1, 12.9.6). A REQ that is lost is repeated; so
// is a REP, and the RTU with it; nobody waits for an RTU.
func TestConnection(t *testing.T) {
	d := newDialogue()
	var pk Packet
	for _, lost := range []bool{true, false, false} {
		if got := d.q.Ask(&pk); got != Asked {
			t.Fatalf("a request without an answer: %v, want that it is asked", got)
		}
		if asked, _ := d.carry(pk, lost); asked == lost {
			t.Errorf("a request that is lost, %v, reaches the other end, %v", lost, asked)
		}
	}
	if d.q.Connected() {
		t.Error("it is connected before any reply")
	}
	for i := range 2 { // one for each request
		d.r.Accept(5, &pk)
		if pk.Landing.Key != 5 {
			t.Errorf("the reply has key %d, want 5", pk.Landing.Key)
		}
		if _, replied := d.carry(pk, false); replied != (i == 0) {
			t.Errorf("reply %d says that the other end is ready: %v", i, replied)
		}
	}
	if got := d.q.Ask(&pk); got != NotNeeded || d.q.Connected() {
		t.Errorf("after the reply a request is %v, connected %v", got, d.q.Connected())
	}
	d.q.Establish(&pk)
	d.carry(pk, true)
	d.r.Accept(5, &pk) // the host answers the second request late
	d.carry(pk, false)
	if !d.q.Connected() {
		t.Error("it is not connected")
	}
	if leaves, _ := d.q.Gone(); leaves || !d.q.Leave() {
		t.Error("it leaves before it is told to, or cannot")
	}
	d.q.AskToLeave(&pk)
	d.carry(pk, true)
	if leaves, at := d.q.Gone(); !leaves || at != 0 {
		t.Errorf("before the answer it leaves: %v, and is gone at %v", leaves, at)
	}
	d.q.AskToLeave(&pk)
	d.carry(pk, false)
	if leaves, at := d.q.Gone(); !leaves || at != 7 {
		t.Errorf("it leaves: %v, and is gone at %v, want 7 ps", leaves, at)
	}
	if got := d.q.AskToLeave(&pk); got != NotNeeded {
		t.Errorf("after the answer it is %v to ask again", got)
	}
	const want = " REQ(lost) REQ REQ REP REP RTU(lost) REP RTU DREQ(lost) DREQ DREP"
	if got := d.said.String(); got != want {
		t.Errorf("they said%s\nwant     %s", got, want)
	}
}

// A connection that nobody answers is given up; one that gave up, or was never there, is not closed in order.
func TestNobodyAnswers(t *testing.T) {
	d := newDialogue()
	var pk Packet
	for i := range ManagerRetries + 1 {
		if got := d.q.Ask(&pk); got != Asked || d.q.Tries() != i+1 {
			t.Fatalf("request %d: %v, %d counted", i+1, got, d.q.Tries())
		}
	}
	if got := d.q.Ask(&pk); got != GaveUp {
		t.Errorf("one more request: %v, want that it gave up", got)
	}
	if d.q.Leave() {
		t.Error("what was never connected is closed in order")
	}
	d.q.Close()
	if got := d.q.Ask(&pk); got != NotNeeded {
		t.Errorf("a closed queue pair: %v", got)
	}
	d.r.Close()
	if v := d.r.Receive(0, &Packet{Opcode: wire.DatagramSend, Manage: wire.CMRequest}, &d.p); v.Asked || !d.r.Closed() {
		t.Error("a closed end takes requests")
	}
}

// TestMessageNumbers: an acknowledgement says how many messages are complete (IBTA vol. 1, 9.7.7.1), a NAK too; a CNP
// goes before it (annex A17, A17.9.3).
func TestMessageNumbers(t *testing.T) {
	p := Params{MTU: 1000, AckEvery: 1, AckDuplicates: true}
	var q Requester
	var r Responder
	q.Init(&p, nil, nil)
	for _, b := range []unit.Bytes{1500, 0, 1000, 2500} {
		q.Post(Write{Bytes: b, Key: 3, Address: 1 << 40, Imm: 9})
	}
	var way []Packet
	for q.Ready() {
		seg := q.Sender.Next()
		pk := Packet{PSN: seg.PSN, Opcode: p.opcode(OpWriteImm, seg.First, seg.Last), Marked: seg.Seq == 4}
		pk.Landing.PSN, pk.Landing.Length = seg.PSN, q.Message(seg.Index).Bytes
		way = append(way, pk)
	}
	var got []uint32
	for _, i := range []int{0, 1, 2, 2, 3, 5, 4, 5, 6} {
		r.Receive(0, &way[i], &p)
		for _, ok := r.Take(); ok; _, ok = r.Take() {
		}
		var a Packet
		if i == 4 {
			if !r.Answer(&a, &p) || a.Opcode != wire.CNPOpcode || !a.BECN {
				t.Fatalf("the first answer to a marked packet is %+v, want a CNP", a)
			}
		}
		if !r.Answer(&a, &p) || a.Opcode != wire.Acknowledge || a.Nak() != (i == 5 && len(got) == 5) {
			t.Fatalf("packet %d is answered with %+v", i, a)
		}
		if r.Answer(&a, &p) {
			t.Fatalf("packet %d is answered once more, with %+v", i, a)
		}
		got = append(got, a.AETH.MSN)
	}
	want := []uint32{0, 1, 2, 2, 3, 3, 3, 3, 4}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("messages complete: %v, want %v", got, want)
		}
	}
}
