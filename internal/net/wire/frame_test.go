package wire_test

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/net/wire"
)

var sameAddr = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

// whole returns what a frame reads as, with the fields that follow from others filled in.
func read(t interface{ Fatalf(string, ...any) }, b []byte, fcs bool) *wire.Frame {
	f, err := wire.Dissect(b, len(b), fcs)
	if err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	return f
}

// A frame as it was captured, built from its fields: the same bytes.
func TestCNPFrameByteForByte(t *testing.T) {
	f := wire.Frame{Ethernet: wire.Ethernet{Dest: wire.MAC{0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2},
		Source: wire.MAC{0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32}}, IPv4: &wire.IPv4{DSCP: 48, ECN: 2, ID: 0x718c,
		DontFragment: true, TTL: 64, Source: netip.MustParseAddr("10.0.17.1"), Dest: netip.MustParseAddr("10.0.18.1")},
		UDP: &wire.UDP{}, RoCE: &wire.RoCE{BTH: wire.BTH{Opcode: wire.CNPOpcode, BECN: true, PKey: 0xFFFF, DestQP: 0x118}}}
	b := f.Append(nil)
	got := hex.EncodeToString(b[:len(b)-4])
	want := "e41d2dab2bc27cfe90643b32080045c2003c718c40004011" + "9161" + "0a0011010a001201" + "000012b700280000" +
		"8100ffff4000011800000000" + strings.Repeat("00", 16) + "82fd002a"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if err := wire.CheckFCS(b); err != nil {
		t.Error(err)
	}
}

func TestFramesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawWrite(t)
		if rapid.Bool().Draw(t, "tagged") {
			f.VLAN = &wire.VLAN{Priority: 3, ID: 101}
		}
		if rapid.Bool().Draw(t, "tunnel") {
			f = &wire.Frame{Ethernet: f.Ethernet, IPv4: &wire.IPv4{DSCP: 24, TTL: 9, Source: netip.MustParseAddr("1.2.3.4"),
				Dest: netip.MustParseAddr("1.2.3.5")}, UDP: &wire.UDP{Source: 5}, VXLAN: &wire.VXLAN{VNI: 0x123456}, Inner: f}
		}
		b := f.Append(nil)
		first := read(t, b, true)
		again := first.Append(nil)
		if string(again) != string(b) {
			t.Fatalf("\n%x reads and writes as\n%x", b, again)
		}
		if d := cmp.Diff(first, read(t, b[:len(b)-4], false), sameAddr); d != "" {
			t.Fatalf("without FCS: %s", d)
		}
	})
}

// A frame that is cut short where nothing says so is refused; a capture that says how long it was reads its headers.
func TestEveryStrictPrefixOfAFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawWrite(t)
		b := f.Append(nil)
		headers := read(t, b, true).HeaderBytes(len(b))
		for n := range b {
			if _, err := wire.Dissect(b[:n], n, true); err == nil {
				t.Fatalf("%d of %d bytes are a frame", n, len(b))
			}
			cut, err := wire.Dissect(b[:n], len(b), true)
			if (err == nil) != (n >= headers) {
				t.Fatalf("%d of %d bytes, %d of them headers: %v", n, len(b), headers, err)
			}
			if err == nil && (cut.Whole || cut.RoCE.RETH != f.RoCE.RETH || cut.RoCE.BTH.PSN != f.RoCE.BTH.PSN) {
				t.Fatalf("%d bytes: %+v", n, cut.RoCE)
			}
		}
	})
}

func TestEachOpcodeHasItsHeaders(t *testing.T) {
	for op := range 256 {
		o := wire.Opcode(op)
		f := wire.Frame{IPv6: &wire.IPv6{Source: netip.IPv6Loopback(), Dest: netip.IPv6Loopback()}, UDP: &wire.UDP{},
			RoCE: &wire.RoCE{BTH: wire.BTH{Opcode: o}, DETH: wire.DETH{QKey: 1, SourceQP: 2},
				RETH: wire.RETH{Address: 3, RKey: 4, Length: 5}, Atomic: wire.AtomicETH{Address: 6, RKey: 7, SwapOrAdd: 8, Compare: 9},
				AETH: wire.AETH{Kind: wire.NAK, Value: 1, MSN: 10}, AtomicAck: 11, ImmDt: 12, Payload: []byte("four")}}
		got := read(t, f.Append(nil), true).RoCE
		size := int64(0)
		if got.DETH != (wire.DETH{}) {
			size += 8
		}
		if got.RETH != (wire.RETH{}) {
			size += 16
		}
		if got.Atomic != (wire.AtomicETH{}) {
			size += 28
		}
		if got.AETH != (wire.AETH{}) {
			size += 4
		}
		if got.AtomicAck != 0 {
			size += 8
		}
		if got.ImmDt != 0 {
			size += 4
		}
		if o == wire.CNPOpcode {
			size += 16
		}
		if size != int64(o.Extended()) || string(got.Payload) != "four" || (got.RETH.RKey == 4) != o.HasRETH() ||
			(got.AETH.MSN == 10) != o.HasAETH() || (got.ImmDt == 12) != o.HasImmDt() {
			t.Errorf("%v: %+v", o, got)
		}
	}
}

func TestFrameErrorsNameTheField(t *testing.T) {
	f := &wire.Frame{IPv4: &wire.IPv4{TTL: 64, Source: netip.MustParseAddr("10.0.0.1"),
		Dest: netip.MustParseAddr("10.0.0.2")}, UDP: &wire.UDP{}, RoCE: &wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteOnly}}}
	b := f.Append(nil)
	b = b[:len(b)-4]
	edit := func(i int, v byte) []byte { c := append([]byte(nil), b...); c[i] = v; return c }
	for want, in := range map[string][]byte{
		"IPv4 header: version 5, want 4":                                                       edit(14, 0x55),
		"IPv4 header: length of 6 words, want 5: options are not read":                         edit(14, 0x46),
		"IPv4 header: total length 0, want at least 20":                                        edit(17, 0),
		"IPv4 header: fragment (0x2000), want a whole packet":                                  edit(20, 0x20),
		"IPv4 header: checksum 0x66af does not fit":                                            edit(22, 63),
		"UDP header: length 7, want at least 8":                                                edit(39, 7),
		"UDP header: length 41, want 40: what the IP header says":                              edit(39, 41),
		"BTH: transport header version 1, want 0":                                              edit(43, 1),
		"ICRC 0xe9fbe456, want 0x8c9cdf10":                                                     edit(50, 1),
		"RoCEv2 packet: 32 bytes, want at least 35: RDMA WRITE Only with 3 pad bytes and ICRC": edit(43, 0x30),
	} {
		if _, err := wire.Dissect(in, len(in), false); err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
	if _, err := wire.Dissect(f.Append(nil)[:70], 70, true); err == nil || !strings.Contains(err.Error(), "frame check") {
		t.Errorf("a wrong FCS: %v", err)
	}
}

// Whatever reads as a frame, writes to bytes that read as the same.
func FuzzDissect(f *testing.F) {
	write := wire.Frame{IPv4: &wire.IPv4{Source: netip.MustParseAddr("10.0.0.1"), Dest: netip.MustParseAddr("10.0.0.2")},
		UDP: &wire.UDP{}, RoCE: &wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteOnly}, Payload: []byte("xyz")}}
	tunnel := wire.Frame{IPv6: &wire.IPv6{Source: netip.IPv6Loopback(), Dest: netip.IPv6Loopback()}, UDP: &wire.UDP{},
		VXLAN: &wire.VXLAN{VNI: 7}, Inner: &write}
	lldp := wire.Frame{LLDP: captureElevenOne()}
	for _, s := range []*wire.Frame{&write, &tunnel, &lldp, {PFC: &wire.PFC{Enable: 8}, VLAN: &wire.VLAN{ID: 5}}} {
		b := s.Append(nil)
		f.Add(b[:len(b)-4], 0)
		f.Add(b[:40], 30)
	}
	f.Fuzz(func(t *testing.T, b []byte, more int) {
		more = max(0, min(more, 10_000))
		got, err := wire.Dissect(b, len(b)+more, false)
		if err != nil || more > 0 || got.RoCE == nil && got.LLDP == nil && got.PFC == nil && got.VXLAN == nil {
			return
		}
		again, err := wire.Dissect(got.Append(nil), len(got.Append(nil)), true)
		if err != nil {
			t.Fatalf("%x reads as %+v, which writes to what does not: %v", b, got, err)
		}
		if d := cmp.Diff(again.Append(nil), got.Append(nil)); d != "" {
			t.Fatal(d)
		}
	})
}
