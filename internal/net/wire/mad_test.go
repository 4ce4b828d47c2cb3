package wire_test

import (
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/net/wire"
)

// The places of fields that the standard gives in its tables (IBTA vol. 1 sections 12.6.5 and 12.6.8), counted from the
// first byte of the datagram, whose header takes 24.
func TestConnectionManagerFieldsLieWhereTheStandardSays(t *testing.T) {
	req := wire.CM{Kind: wire.CMRequest, Transaction: 0x1122334455667788, LocalID: 0xaabbccdd, Request: wire.Request{
		ServiceID: 0x0000000001064853, QP: 0x123456, Responder: 16, Initiator: 4, RemoteTimeout: 20, LocalTimeout: 21,
		PSN: 0x000abc, Retries: 7, RNRRetries: 6, PKey: 0x8012, MTU: wire.MTUOf(1024), CMRetries: 15, AckTimeout: 14,
		HopLimit: 64, TrafficClass: 96}}
	b := req.Append(nil)
	rep := wire.CM{Kind: wire.CMReply, RemoteID: 7, Reply: wire.Reply{QP: 0x654321, PSN: 0xdef, AckDelay: 15, RNRRetries: 7}}
	c := rep.Append(nil)
	rej := (&wire.CM{Kind: wire.CMReject, Reject: wire.Reject{Of: wire.RejectsReply, Reason: wire.RejectStale}}).Append(nil)
	mra := (&wire.CM{Kind: wire.CMDelay, Delay: wire.Delay{Timeout: 19}}).Append(nil)
	for _, f := range []struct {
		name  string
		bytes []byte
		at    int
		want  string
	}{
		{"MAD header", b, 0, "01070203" + "00000000" + "1122334455667788" + "0010"},
		{"local communication id", b, 24, "aabbccdd"},
		{"service id", b, 24 + 8, "0000000001064853"},
		{"queue pair, responder resources", b, 24 + 32, "12345610"},
		{"initiator depth", b, 24 + 36, "00000004"},
		{"timeout, reliable connection", b, 24 + 40, "000000a0"},
		{"PSN, timeout, retries", b, 24 + 44, "000abcaf"},
		{"P_Key, MTU 1024, RNR retries, CM retries", b, 24 + 48, "8012" + "36" + "f0"},
		{"traffic class, hop limit", b, 24 + 92, "6040"},
		{"acknowledgement timeout", b, 24 + 95, "70"},
		{"what is rejected, reason", rej, 24 + 8, "4000000a"},
		{"what came, service timeout", mra, 24 + 8, "0098"},
		{"remote communication id", c, 24 + 4, "00000007"},
		{"queue pair", c, 24 + 12, "65432100"},
		{"PSN", c, 24 + 20, "000def00"},
		{"acknowledgement delay, RNR retries", c, 24 + 26, "78e0"},
	} {
		if got := hex.EncodeToString(f.bytes[f.at : f.at+len(f.want)/2]); got != f.want {
			t.Errorf("%s at byte %d: %s, want %s", f.name, f.at, got, f.want)
		}
	}
}

func TestPathMTUCodes(t *testing.T) {
	for payload, want := range map[int]wire.MTU{64: 0, 256: 1, 1000: 2, 1024: 3, 4096: 5, 9000: 5} {
		if got := wire.MTUOf(bytesOf(payload)); got != want {
			t.Errorf("%d bytes: code %d, want %d", payload, got, want)
		}
	}
}

func TestConnectionManagerRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := func(n uint) uint32 { return uint32(rapid.Uint64Range(0, 1<<n-1).Draw(t, "bits")) }
		flag := func() bool { return rapid.Bool().Draw(t, "flag") }
		c := wire.CM{Transaction: rapid.Uint64().Draw(t, "transaction"), LocalID: u(32)}
		c.Kind = rapid.SampledFrom([]wire.CMKind{wire.CMRequest, wire.CMReply, wire.CMReady, wire.CMDisconnect,
			wire.CMDisconnectReply, wire.CMReject, wire.CMDelay}).Draw(t, "kind")
		switch c.Kind {
		case wire.CMRequest:
			c.Request = wire.Request{ServiceID: uint64(u(32)), GUID: uint64(u(32)), QP: u(24), Responder: uint8(u(8)),
				Initiator: uint8(u(8)), RemoteTimeout: uint8(u(5)), LocalTimeout: uint8(u(5)), FlowControl: flag(),
				PSN: wire.PSN(u(24)), Retries: uint8(u(3)), RNRRetries: uint8(u(3)), PKey: uint16(u(16)),
				MTU: wire.MTU(u(2) + 1), CMRetries: uint8(u(4)), SRQ: flag(), LocalLID: uint16(u(16)), RemoteLID: uint16(u(16)),
				LocalGID: wire.GID{3: uint8(u(8))}, RemoteGID: wire.GID{15: uint8(u(8))}, FlowLabel: u(20),
				PacketRate: uint8(u(6)), TrafficClass: uint8(u(8)), HopLimit: uint8(u(8)), ServiceLevel: uint8(u(4)),
				SubnetLocal: flag(), AckTimeout: uint8(u(5)), Private: wire.RequestPrivate{91: uint8(u(8))}, RemoteEECN: u(24),
				TransportClass: uint8(u(2))}
		case wire.CMReply:
			c.Reply = wire.Reply{QP: u(24), PSN: wire.PSN(u(24)), Responder: uint8(u(8)), Initiator: uint8(u(8)),
				AckDelay: uint8(u(5)), Failover: uint8(u(2)), FlowControl: flag(), RNRRetries: uint8(u(3)), SRQ: flag(),
				GUID: uint64(u(32)), Private: wire.ReplyPrivate{195: uint8(u(8))}}
		case wire.CMReject:
			c.Reject = wire.Reject{Of: wire.Rejected(u(2)), Reason: wire.Reason(u(16))}
		case wire.CMDelay:
			c.Delay = wire.Delay{Of: wire.Rejected(u(2)), Timeout: uint8(u(5))}
		case wire.CMDisconnect:
			c.RemoteQP = u(24)
		}
		if c.Kind != wire.CMRequest {
			c.RemoteID = u(32)
		}
		b := c.Append(nil)
		got, err := wire.DecodeCM(b)
		if err != nil || *got != c {
			t.Fatalf("%+v reads as %+v, %v", c, got, err)
		}
		for n := range b {
			if _, err := wire.DecodeCM(b[:n]); err == nil {
				t.Fatalf("%d of %d bytes are a message", n, len(b))
			}
		}
	})
}

// cmAgain holds that a message which reads writes to one that reads as the same.
func cmAgain(t *testing.T, b []byte) {
	c, err := wire.DecodeCM(b)
	if err != nil {
		return
	}
	if again, err := wire.DecodeCM(c.Append(nil)); err != nil || *again != *c {
		t.Fatalf("%+v reads again as %+v, %v", c, again, err)
	}
}
