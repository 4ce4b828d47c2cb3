package wire

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"
)

// kernelACK is an acknowledgement made by Linux's rdma_rxe (Debian 12, kernel 6.1.192), from its IP header on, and
// acceptedSend a SEND ONLY that it took.
const (
	kernelACK    = "45000030d5ba40004011503a0a6300020a630001f1e312b7001c00001100ffff00000102001234561f000001d6191f7c"
	acceptedSend = "4500003400034000401125ee0a6300010a630002c00012b7002000000470ffff000000718012345668656c6c6f000000fbb31081"
)

func TestPacketsOfAKernel(t *testing.T) {
	for _, text := range []string{kernelACK, acceptedSend} {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		var p Packet
		if err := p.Decode(b); err != nil {
			t.Fatal(err)
		}
		if got := p.Append(nil); !bytes.Equal(got, b) {
			t.Errorf("%x is read and written as\n%x", b, got)
		}
		for i := range b {
			for bit := range 8 {
				b[i] ^= 1 << bit
				err := p.Decode(b)
				if masked := i == 26 || i == 27 || i == 32; (err == nil) != masked {
					t.Errorf("bit %d of byte %d changed: %v", bit, i, err)
				}
				b[i] ^= 1 << bit
			}
		}
		for n := range b {
			if p.Decode(b[:n]) == nil {
				t.Errorf("%d of %d bytes are a packet", n, len(b))
			}
		}
	}
}

// TestPacketsAreThoseOfFrames: both ways to write a packet give the same bytes.
func TestPacketsAreThoseOfFrames(t *testing.T) {
	for n := range 9 {
		p := Packet{IP: IPv4{DontFragment: true, TTL: 64, Source: netip.AddrFrom4([4]byte{10, 0, 0, 1}),
			Dest: netip.AddrFrom4([4]byte{10, 0, 0, 2})}, UDP: UDP{Source: 0xC000},
			RoCE: RoCE{BTH: BTH{Opcode: WriteOnlyImm, PKey: 0xFFFF, DestQP: 7, PSN: 9, AckReq: true},
				RETH: RETH{Address: 5, RKey: 6, Length: uint32(n)}, ImmDt: 8, Payload: make([]byte, n)}}
		f := Frame{IPv4: &p.IP, UDP: &p.UDP, RoCE: &p.RoCE}
		want := f.appendHeaders(nil)[EthernetBytes:]
		if got := p.Append(nil); !bytes.Equal(got, want) {
			t.Errorf("%d bytes of payload: %x, want %x", n, got, want)
		}
	}
}

func TestPacketsTakeNoMemory(t *testing.T) {
	p := Packet{IP: IPv4{Source: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Dest: netip.AddrFrom4([4]byte{10, 0, 0, 2})},
		RoCE: RoCE{BTH: BTH{Opcode: WriteFirst}, Payload: make([]byte, 1024)}}
	b := p.Append(nil)
	var q Packet
	if n := testing.AllocsPerRun(100, func() {
		b = p.Append(b[:0])
		if err := q.Decode(b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a packet, want none", n)
	}
}

// Over IPv6 a packet is what Frame writes, but for the UDP checksum, which the ICRC does not cover.
func TestPacketsOverIPv6(t *testing.T) {
	source, dest := netip.MustParseAddr("fd99::1"), netip.MustParseAddr("fd99::2")
	r := RoCE{BTH: BTH{Opcode: SendOnly, DestQP: 17, PSN: 3}, Payload: []byte("hello")}
	p := Packet{IP: IPv4{TTL: 64, ECN: 2, Source: source, Dest: dest}, UDP: UDP{Source: 0xc000}, RoCE: r}
	b := p.Append(nil)
	f := Frame{IPv6: &IPv6{TTL: 64, ECN: 2, Source: source, Dest: dest}, UDP: &UDP{Source: 0xc000}, RoCE: &r}
	want := f.Append(nil)
	want = want[EthernetBytes : len(want)-int(FCSBytes)]
	want[IPv6Bytes+6], want[IPv6Bytes+7] = 0, 0
	if !bytes.Equal(b, want) {
		t.Errorf("%x\nwant %x", b, want)
	}
	var q Packet
	if err := q.Decode(b); err != nil || q.IP.Source != source || q.IP.Dest != dest || q.IP.ECN != 2 || string(q.RoCE.Payload) != "hello" {
		t.Errorf("%+v, %v", q, err)
	}
	for n := range b {
		if q.Decode(b[:n]) == nil {
			t.Errorf("%d of %d bytes are a packet", n, len(b))
		}
	}
}

func FuzzPacket(f *testing.F) {
	for _, text := range []string{kernelACK, acceptedSend} {
		b, err := hex.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	six := Packet{IP: IPv4{Source: netip.IPv6Loopback(), Dest: netip.IPv6Loopback()}, RoCE: RoCE{BTH: BTH{Opcode: SendOnly}}}
	f.Add(six.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Packet
		if p.Decode(b) != nil {
			return
		}
		var q Packet
		if err := q.Decode(p.Append(nil)); err != nil {
			t.Errorf("%x is read, and what is written of it is not: %v", b, err)
		}
	})
}
