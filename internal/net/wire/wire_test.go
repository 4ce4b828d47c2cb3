package wire_test

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

func ExampleSizes() {
	for _, s := range []wire.Sizes{wire.RoCEv2, wire.HPCCNS3} {
		fmt.Println("first", int64(s.DataFrame(1000, true, false)), "middle", int64(s.DataFrame(1000, false, false)),
			"last with immediate", int64(s.DataFrame(1000, false, true)), "largest", int64(s.MaxDataFrame(1000)))
		fmt.Println("ACK", int64(s.ACK), "CNP", int64(s.CNP), "PFC", int64(s.PFC),
			"ACK on the link", int64(s.OnLink(s.ACK)))
	}
	// Output:
	// first 1078 middle 1062 last with immediate 1066 largest 1082
	// ACK 66 CNP 78 PFC 64 ACK on the link 86
	// first 1048 middle 1048 last with immediate 1048 largest 1048
	// ACK 60 CNP 0 PFC 43 ACK on the link 60
}

// The sizes of the RoCEv2 preset are those of the headers as they are encoded.
func TestSizesAreThoseOfTheEncodedHeaders(t *testing.T) {
	around := wire.EthernetBytes + wire.IPv4Bytes + wire.UDPBytes + wire.ICRCBytes + wire.FCSBytes
	length := func(b []byte) unit.Bytes { return unit.Bytes(len(b)) }
	bth := length(wire.BTH{}.Append(nil))
	for name, c := range map[string]struct{ got, want unit.Bytes }{
		"data":  {wire.RoCEv2.Data, around + bth},
		"RETH":  {wire.RoCEv2.RETH, length(wire.RETH{}.Append(nil))},
		"ACK":   {wire.RoCEv2.ACK, around + bth + length(wire.AETH{}.Append(nil))},
		"CNP":   {wire.RoCEv2.CNP, around + length(wire.CNP{}.Append(nil))},
		"pause": {wire.RoCEv2.PFC, length(wire.PFC{}.Append(nil))},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, c.got, c.want)
		}
	}
}

// Book, chapter 11: MAC control frame, ethertype 0x8808, opcode 0x0101, class-enable
// 0000 1000 for priority 3, eight quanta.
func TestBookChapter11PauseFrame(t *testing.T) {
	f := wire.PFC{Source: [6]byte{2, 0, 0, 0, 0, 7}, Enable: 1 << 3}
	f.Quanta[3] = 0xFFFF
	got := hex.EncodeToString(f.Append(nil)[:60])
	want := "0180c2000001" + "020000000007" + "8808" + "0101" + "0008" +
		"000000000000ffff0000000000000000" + strings.Repeat("00", 26)
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if bits := fmt.Sprintf("%08b", f.Enable); bits != "00001000" {
		t.Errorf("class-enable vector %s", bits)
	}
}

// Book, chapter 11: at 400 Gb/s one quantum of 512 bit times is 1.28 ns and 0xFFFF
// quanta are 83.9 us.
func TestBookChapter11Quanta(t *testing.T) {
	const rate = 400 * unit.GigabitPerSec
	if d := wire.PauseTime(1, rate); d != 1280*unit.Picosecond {
		t.Errorf("one quantum is %v, want 1.28ns", d)
	}
	if d := wire.PauseTime(0xFFFF, rate); d != 65535*1280*unit.Picosecond ||
		fmt.Sprintf("%.1f", d.Seconds()*1e6) != "83.9" {
		t.Errorf("0xFFFF quanta are %v, want 83.9 us", d)
	}
	if d := wire.PauseTime(0, rate); d != 0 {
		t.Errorf("0 quanta are %v, want 0: resume", d)
	}
}

// The frame check sequence against a known CRC: "123456789" has CRC-32 0xCBF43926.
func TestFCSIsSentLeastSignificantByteFirst(t *testing.T) {
	if got := hex.EncodeToString(wire.AppendFCS([]byte("xx123456789"), 2)[11:]); got != "2639f4cb" {
		t.Errorf("got %s, want 2639f4cb", got)
	}
}

// A CNP that a vendor's documentation shows as captured: P_Key 0xFFFF, BECN set
// (0x40), queue pair 0xD2, PSN 0, 16 reserved bytes.
func TestAnnexA17CapturedCNP(t *testing.T) {
	captured := "8100ffff400000d200000000" + strings.Repeat("00", 16)
	c := wire.CNP{PKey: 0xFFFF, DestQP: 0xD2}
	if got := hex.EncodeToString(c.Append(nil)); got != captured {
		t.Errorf("\n got %s\nwant %s", got, captured)
	}
}

// Book, chapter 9: a WRITE First with PSN 0x000abc and P_Key 0x8012 to queue pair
// 0x12345678's low 24 bits, its RETH, and the ACK that answers it, bit for bit.
func TestHeadersBitForBit(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"BTH", hexOf(wire.BTH{Opcode: wire.WriteFirst, PKey: 0x8012, DestQP: 0x345678, AckReq: true, PSN: 0xabc}),
			"06008012" + "00345678" + "80000abc"},
		{"BTH flags", hexOf(wire.BTH{Opcode: wire.WriteLastImm, Solicited: true, Pad: 3, FECN: true}),
			"09b00000" + "80000000" + "00000000"},
		{"RETH", hexOf(wire.RETH{Address: 0x0123456789abcdef, RKey: 0xcafe, Length: 4096}),
			"0123456789abcdef" + "0000cafe" + "00001000"},
		{"ACK", hexOf(wire.AETH{Kind: wire.ACK, Value: 31, MSN: 5}), "1f000005"},
		{"NAK", hexOf(wire.AETH{Kind: wire.NAK, Value: wire.NAKSequence, MSN: 0xFFFFFF}), "60ffffff"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

func bytesOf(n int) unit.Bytes { return unit.Bytes(n) }

func hexOf(h interface{ Append([]byte) []byte }) string { return hex.EncodeToString(h.Append(nil)) }

func TestOpcodesByPlaceInTheMessage(t *testing.T) {
	for _, c := range []struct {
		first, last, imm bool
		want             string
		reth, immDt      bool
	}{
		{true, false, false, "RDMA WRITE First", true, false},
		{true, false, true, "RDMA WRITE First", true, false}, // immediate data waits for the last packet
		{false, false, true, "RDMA WRITE Middle", false, false},
		{false, true, false, "RDMA WRITE Last", false, false},
		{false, true, true, "RDMA WRITE Last with Immediate", false, true},
		{true, true, false, "RDMA WRITE Only", true, false},
		{true, true, true, "RDMA WRITE Only with Immediate", true, true},
	} {
		o := wire.WriteOpcode(c.first, c.last, c.imm)
		if o.String() != c.want || o.HasRETH() != c.reth || o.HasImmDt() != c.immDt {
			t.Errorf("%+v: %v, RETH %v, ImmDt %v", c, o, o.HasRETH(), o.HasImmDt())
		}
	}
	if s := wire.Opcode(0x7F).String(); s != "opcode 0x7f" {
		t.Error(s)
	}
}

func TestDecodeErrorsNameTheField(t *testing.T) {
	pfc := wire.PFC{Enable: 8}.Append(nil)
	edit := func(b []byte, i int, v byte) []byte { b = append([]byte(nil), b...); b[i] = v; return b }
	refcs := func(b []byte) []byte { return wire.AppendFCS(b[:60:60], 0) }
	decodePFC := func(b []byte) error { _, err := wire.DecodePFC(b); return err }
	decodeCNP := func(b []byte) error { _, err := wire.DecodeCNP(b); return err }
	_, version := wire.DecodeBTH(edit(wire.BTH{}.Append(nil), 1, 3))
	_, syndrome := wire.DecodeAETH([]byte{0x45, 0, 0, 0})
	_, short := wire.DecodeRETH(make([]byte, 15))
	cnp := wire.CNP{}.Append(nil)
	for want, err := range map[string]error{
		"BTH: transport header version 3, want 0":                                                       version,
		"AETH: syndrome 0x45 is reserved, want an ACK (000xxxxx), RNR NAK (001xxxxx) or NAK (011xxxxx)": syndrome,
		"RETH: 15 bytes, want 16":                                                                       short,

		"CNP: RDMA WRITE First (0x06), want opcode 0x81":                   decodeCNP(edit(cnp, 0, 6)),
		"CNP: BECN is 0, want 1":                                           decodeCNP(edit(cnp, 4, 0)),
		"PFC frame: opcode 0x0001, want 0x0101":                            decodePFC(refcs(edit(pfc, 14, 0))),
		"PFC frame: ethertype 0x0008, want 0x8808":                         decodePFC(refcs(edit(pfc, 12, 0))),
		"PFC frame: destination ff 80 c2 00 00 01, want 01 80 c2 00 00 01": decodePFC(refcs(edit(pfc, 0, 0xff))),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
	if err := decodePFC(edit(pfc, 20, 1)); err == nil || !strings.Contains(err.Error(), "frame check sequence") {
		t.Errorf("a flipped bit: %v", err)
	}
}

func TestRoundTripAndEveryStrictPrefixFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flag := rapid.Bool()
		bits := func(n uint) uint32 { return uint32(rapid.Uint64Range(0, 1<<n-1).Draw(t, "bits")) }
		trip(t, wire.DecodeBTH, wire.BTH{Opcode: wire.Opcode(bits(8)), Solicited: flag.Draw(t, "S"),
			Migrated: flag.Draw(t, "M"),
			Pad:      uint8(bits(2)), PKey: uint16(bits(16)), FECN: flag.Draw(t, "F"),
			BECN: flag.Draw(t, "B"), DestQP: bits(24),
			AckReq: flag.Draw(t, "A"), PSN: wire.PSN(bits(24))})
		trip(t, wire.DecodeRETH, wire.RETH{Address: rapid.Uint64().Draw(t, "VA"), RKey: bits(32), Length: bits(32)})
		kind := rapid.SampledFrom([]wire.AckKind{wire.ACK, wire.RNRNAK, wire.NAK}).Draw(t, "kind")
		trip(t, wire.DecodeAETH, wire.AETH{Kind: kind, Value: uint8(bits(5)), MSN: bits(24)})
		trip(t, wire.DecodeCNP, wire.CNP{PKey: uint16(bits(16)), DestQP: bits(24)})
		p := wire.PFC{Enable: uint8(bits(8))}
		for i := range p.Quanta {
			p.Quanta[i] = uint16(bits(16))
		}
		p.Source[5] = uint8(bits(8))
		trip(t, wire.DecodePFC, p)
		trip(t, wire.DecodeImmDt, wire.ImmDt(bits(32)))
		trip(t, wire.DecodeAtomicETH, wire.AtomicETH{Address: rapid.Uint64().Draw(t, "VA"), RKey: bits(32),
			SwapOrAdd: rapid.Uint64().Draw(t, "swap"), Compare: rapid.Uint64().Draw(t, "compare")})
		trip(t, wire.DecodeAtomicAckETH, wire.AtomicAckETH(rapid.Uint64().Draw(t, "before")))
		trip(t, wire.DecodeDETH, wire.DETH{QKey: bits(32), SourceQP: bits(24)})
		trip(t, wire.DecodeEthernet, wire.Ethernet{Dest: wire.MAC{5: uint8(bits(8))}, Source: wire.MAC{uint8(bits(8))},
			Type: wire.EtherType(bits(16))})
		trip(t, wire.DecodeVLAN, wire.VLAN{Priority: uint8(bits(3)), DropEligible: flag.Draw(t, "D"), ID: uint16(bits(12)),
			Type: wire.EtherType(bits(16))})
		trip(t, wire.DecodeVXLAN, wire.VXLAN{VNI: bits(24)})
		trip(t, wire.DecodeUDP, wire.UDP{Source: uint16(bits(16)), Dest: uint16(bits(16)),
			Length: uint16(8 + bits(15)), Checksum: uint16(bits(16))})
		trip(t, wire.DecodeIPv4, wire.IPv4{DSCP: uint8(bits(6)), ECN: uint8(bits(2)), Length: uint16(20 + bits(15)),
			ID: uint16(bits(16)), DontFragment: flag.Draw(t, "DF"), TTL: uint8(bits(8)), Protocol: uint8(bits(8)),
			Source: netip.AddrFrom4([4]byte{uint8(bits(8)), 3: uint8(bits(8))}), Dest: netip.AddrFrom4([4]byte{1})})
		trip(t, wire.DecodeIPv6, wire.IPv6{DSCP: uint8(bits(6)), ECN: uint8(bits(2)), FlowLabel: bits(20),
			Length: uint16(bits(16)), Protocol: uint8(bits(8)), TTL: uint8(bits(8)), Source: addr6(t), Dest: addr6(t)})
	})
}

type header interface {
	comparable
	Append([]byte) []byte
}

// trip encodes and decodes h, alone and followed by more bytes, then cuts it short everywhere.
func trip[H header](t *rapid.T, decode func([]byte) (H, error), h H) {
	b := h.Append([]byte{0xEE})[1:]
	for _, in := range [][]byte{b, append(b[:len(b):len(b)], 1, 2, 3)} {
		if got, err := decode(in); err != nil || got != h {
			t.Fatalf("%+v decodes as %+v, %v", h, got, err)
		}
	}
	for n := range b {
		if got, err := decode(b[:n:n]); err == nil {
			t.Fatalf("%d of %d bytes of %+v decode as %+v", n, len(b), h, got)
		}
	}
}

// Whatever decodes, encodes to bytes that decode to the same.
func FuzzDecode(f *testing.F) {
	f.Add(wire.BTH{Opcode: wire.WriteOnly, PSN: 7}.Append(nil))
	f.Add(wire.RETH{Address: 1, RKey: 2, Length: 3}.Append(nil))
	f.Add(wire.AETH{Kind: wire.NAK}.Append(nil))
	f.Add(wire.CNP{DestQP: 9}.Append(nil))
	f.Add(wire.PFC{Enable: 8}.Append(nil))
	f.Add(captureElevenOne().Append(nil))
	f.Add(everything().Append(nil))
	for _, k := range []wire.CMKind{wire.CMRequest, wire.CMReply, wire.CMReady, wire.CMDisconnect, wire.CMDisconnectReply} {
		c := wire.CM{Kind: k, Request: wire.Request{MTU: 5}}
		f.Add(c.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		again(t, wire.DecodeBTH, b)
		again(t, wire.DecodeRETH, b)
		again(t, wire.DecodeAETH, b)
		again(t, wire.DecodeCNP, b)
		again(t, wire.DecodePFC, b)
		again(t, wire.DecodeIPv4, b)
		again(t, wire.DecodeIPv6, b)
		again(t, wire.DecodeUDP, b)
		again(t, wire.DecodeVLAN, b)
		again(t, wire.DecodeVXLAN, b)
		cmAgain(t, b)
		lldpAgain(t, b)
	})
}

func again[H header](t *testing.T, decode func([]byte) (H, error), b []byte) {
	h, err := decode(b)
	if err != nil {
		return
	}
	if got, err := decode(h.Append(nil)); err != nil || got != h {
		t.Fatalf("% x decodes as %+v, which encodes to %+v, %v", b, h, got, err)
	}
}

func TestPSNWrapsAtTwentyFourBits(t *testing.T) {
	if n := wire.PSN(0xFFFFFF).Next(); n != 0 {
		t.Errorf("after 0xFFFFFF comes %#x", n)
	}
	if d := wire.PSN(1).Sub(0xFFFFFF); d != 2 {
		t.Errorf("1 is %d after 0xFFFFFF, want 2", d)
	}
	if d := wire.PSN(0x800000).Sub(0); d != -1<<23 {
		t.Errorf("half way round is %d, want %d", d, -1<<23)
	}
	if !wire.PSN(0xFFFFFF).Before(0) || wire.PSN(0).Before(0xFFFFFF) || wire.PSN(5).Before(5) {
		t.Error("0xFFFFFF comes before 0, not the other way round")
	}
	rapid.Check(t, func(t *rapid.T) {
		p := wire.PSN(rapid.Uint32Range(0, 1<<24-1).Draw(t, "p"))
		n := rapid.IntRange(-1<<23, 1<<23-1).Draw(t, "n")
		q := p.Add(n)
		if q > wire.PSNMask || q.Sub(p) != n || q.Add(-n) != p || q.Before(p) != (n < 0) {
			t.Fatalf("%#x + %d = %#x, which is %d after it", p, n, q, q.Sub(p))
		}
	})
}
