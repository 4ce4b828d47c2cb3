package headers

import (
	"net/netip"
	"testing"

	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// end is a queue pair whose first packet is six before the wrap of 24 bits.
var end = End{QP: 0x123456, PKey: 0x8012, First: 0xfffffa}

// bytesOf is a packet on the wire, and what is read there.
func bytesOf(t *testing.T, r *wire.RoCE) *wire.RoCE {
	t.Helper()
	f := wire.Frame{IPv4: &wire.IPv4{TTL: 64, Source: netip.MustParseAddr("10.0.0.1"), Dest: netip.MustParseAddr("10.0.0.2")},
		UDP: &wire.UDP{Source: 0xc000}, RoCE: r}
	b := f.Append(nil)
	got, err := wire.Dissect(b, len(b), true)
	if err != nil {
		t.Fatal(err)
	}
	return got.RoCE
}

// TestRoundTrip: what the core says comes back from the bytes on the wire.
func TestRoundTrip(t *testing.T) {
	land := roce.Landing{Address: 1 << 60, Key: 77, Length: 9000}
	for name, c := range map[string]struct {
		pk      roce.Packet
		payload string
	}{
		"first":         {roce.Packet{Opcode: wire.WriteFirst, PSN: 5, Landing: land}, "abcd"},
		"middle, wraps": {roce.Packet{Opcode: wire.WriteMiddle, PSN: 6, AckReq: true}, "abc"},
		"last":          {roce.Packet{Opcode: wire.WriteLastImm, PSN: 1<<24 - 1, AckReq: true, Imm: 1 << 31}, "ab"},
		"only":          {roce.Packet{Opcode: wire.WriteOnlyImm, PSN: 9, AckReq: true, Imm: 4, Landing: land}, ""},
		"without imm":   {roce.Packet{Opcode: wire.WriteOnly, PSN: 9, Landing: land}, "a"},
		"ACK":           {roce.Packet{Opcode: wire.Acknowledge, PSN: 7, AETH: wire.AETH{Value: roce.NoCredits, MSN: 3}}, ""},
		"NAK": {roce.Packet{Opcode: wire.Acknowledge, PSN: 7, BECN: true, Echo: true,
			AETH: wire.AETH{Kind: wire.NAK, Value: wire.NAKSequence, MSN: 3}}, ""},
		"CNP":           {roce.Packet{Opcode: wire.CNPOpcode, BECN: true}, ""},
		"clear-to-send": {roce.Packet{Opcode: roce.ClearToSend, Count: 1 << 31}, ""},
		"credit":        {roce.Packet{Opcode: roce.CreditGiven, Coll: 1<<24 - 1, Count: 5}, ""},
		"its answer":    {roce.Packet{Opcode: roce.CreditTaken, Coll: 3, Count: 5}, ""},
	} {
		var r wire.RoCE
		To(&r, &c.pk, end, []byte(c.payload))
		back := bytesOf(t, &r)
		var got roce.Packet
		if !From(&got, back, end) {
			t.Errorf("%s: %+v says nothing to the core", name, back)
		}
		want := c.pk
		if want.Data() {
			want.Payload.Size = got.Payload.Size
			if string(back.Payload) != c.payload || int(got.Payload.Size) != len(c.payload) {
				t.Errorf("%s: payload %q of %v, want %q", name, back.Payload, got.Payload.Size, c.payload)
			}
		}
		if want.Lands() {
			want.Landing.PSN = want.PSN
		}
		if got != want {
			t.Errorf("%s\n     came back as %+v\nwant %+v", name, got, want)
		}
		if back.BTH.DestQP != end.QP || back.BTH.PKey != end.PKey {
			t.Errorf("%s goes to %+v", name, back.BTH)
		}
	}
}

// TestManagersMessages: their kind comes back, and of a reply the key.
func TestManagersMessages(t *testing.T) {
	for _, kind := range []wire.CMKind{wire.CMRequest, wire.CMReply, wire.CMReady, wire.CMDisconnect, wire.CMDisconnectReply} {
		m := wire.CM{Kind: kind}
		if kind == wire.CMRequest {
			m.Request.MTU = wire.MTUOf(1024)
		}
		want := roce.Packet{Opcode: wire.DatagramSend, Manage: kind}
		if kind == wire.CMReply {
			PutMemory(&m.Reply, 1<<40, 99)
			want.Landing.Key = 99
		}
		var r wire.RoCE
		Manage(&r, &m)
		var got roce.Packet
		if !From(&got, bytesOf(t, &r), End{}) || got != want {
			t.Errorf("%v came back as %+v", kind, got)
		}
	}
}

// FuzzFrom: whatever a frame says, the core gets a packet that To can write again, or none; and it says the same then.
func FuzzFrom(f *testing.F) {
	for _, pk := range []roce.Packet{{Opcode: wire.WriteFirst, Landing: roce.Landing{Length: 1}}, {Opcode: wire.CNPOpcode},
		{Opcode: wire.Acknowledge}, {Opcode: roce.CreditGiven, Coll: 1}, {Opcode: wire.ReadRequest}} {
		var r wire.RoCE
		To(&r, &pk, end, nil)
		fr := wire.Frame{IPv4: &wire.IPv4{Source: netip.MustParseAddr("10.0.0.1"), Dest: netip.MustParseAddr("10.0.0.2")},
			UDP: &wire.UDP{}, RoCE: &r}
		f.Add(fr.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := wire.Dissect(b, len(b), true)
		if err != nil || fr.RoCE == nil {
			return
		}
		var pk, again roce.Packet
		if !From(&pk, fr.RoCE, end) || pk.Opcode == wire.DatagramSend {
			return
		}
		var r wire.RoCE
		To(&r, &pk, end, fr.RoCE.Payload)
		if !From(&again, &r, end) || again != pk {
			t.Errorf("%+v\nbecomes %+v", pk, again)
		}
	})
}
