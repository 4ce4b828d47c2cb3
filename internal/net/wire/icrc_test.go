package wire_test

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/net/wire"
)

// Frames that others published, with the ICRC that they had: the project scapy has them in its tests of RoCE
// (test/contrib/roce.uts). The first is a UC SEND Only on one host, the second a CNP that was captured on a
// ConnectX-4 Lx; it has no FCS.
func TestICRCOfPublishedFrames(t *testing.T) {
	for _, c := range []struct{ name, frame, icrc string }{
		{"UC SEND Only", "248a07a8fa22 248a07a8fa22 0800" +
			"45010040 04784000 4011b4d5 c0a80007 c0a80007" + "c00012b7 002caca2" +
			"2460ffff 000000d3 00cf1710" + "4630818be28935d90e9a95505401be885e500000", "78f353f3"},
		{"CNP", "e41d2dab2bc2 7cfe90643b32 0800" +
			"45c2003c 718c4000 40119161 0a001101 0a001201" + "000012b7 00280000" +
			"8100ffff 40000118 00000000" + strings.Repeat("00", 16), "82fd002a"},
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(c.frame, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		whole := wire.AppendICRC(b, 14)
		if got := hex.EncodeToString(whole[len(b):]); got != c.icrc {
			t.Errorf("%s: ICRC %s, want %s", c.name, got, c.icrc)
		}
		f, err := wire.Dissect(whole, len(whole), false)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if f.RoCE == nil || len(f.Append(nil)) != len(whole)+4 {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// bitwise is the ICRC from the words of the standard: a shift register that takes bit by bit what the packet, as
// the fields say it, would be with ones in variant fields. It shares nothing with the package but the field values.
func bitwise(f *wire.Frame) uint32 {
	var stream []byte
	u8 := func(v ...uint8) { stream = append(stream, v...) }
	u16 := func(v uint16) { u8(uint8(v>>8), uint8(v)) }
	u32 := func(v uint32) { u16(uint16(v >> 16)); u16(uint16(v)) }
	u32(0xFFFFFFFF)
	u32(0xFFFFFFFF)
	r := f.RoCE
	pad := (4 - len(r.Payload)%4) % 4
	length := uint16(8 + 12 + 16 + len(r.Payload) + pad + 4)
	if h := f.IPv4; h != nil {
		u8(0x45, 0xFF)
		u16(20 + length)
		u16(h.ID)
		u16(0x4000)
		u8(0xFF, 17)
		u16(0xFFFF)
		u8(h.Source.AsSlice()...)
		u8(h.Dest.AsSlice()...)
	} else {
		u32(0x6FFFFFFF)
		u16(length)
		u8(17, 0xFF)
		u8(f.IPv6.Source.AsSlice()...)
		u8(f.IPv6.Dest.AsSlice()...)
	}
	u16(f.UDP.Source)
	u16(4791)
	u16(length)
	u16(0xFFFF)
	u8(uint8(r.BTH.Opcode), uint8(pad)<<4)
	u16(r.BTH.PKey)
	u32(0xFF<<24 | r.BTH.DestQP)
	u32(uint32(r.BTH.PSN))
	u32(uint32(r.RETH.Address >> 32))
	u32(uint32(r.RETH.Address))
	u32(r.RETH.RKey)
	u32(r.RETH.Length)
	u8(r.Payload...)
	u8(make([]byte, pad)...)
	register := uint32(0xFFFFFFFF)
	for _, b := range stream {
		for i := range 8 { // the least significant bit is sent first
			top := register>>31 ^ uint32(b>>i&1)
			if register <<= 1; top == 1 {
				register ^= 0x04C11DB7
			}
		}
	}
	return bits.Reverse32(^register)
}

func TestICRCAgainstABitwiseOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawWrite(t)
		b := f.Append(nil)
		at := len(b) - 8
		if got, want := binary.LittleEndian.Uint32(b[at:]), bitwise(f); got != want {
			t.Fatalf("ICRC 0x%08x, bit by bit 0x%08x", got, want)
		}
	})
}

// drawWrite draws a frame with an RDMA WRITE Only, over IPv4 or IPv6.
func drawWrite(t *rapid.T) *wire.Frame {
	u := func(n uint) uint32 { return uint32(rapid.Uint64Range(0, 1<<n-1).Draw(t, "bits")) }
	f := &wire.Frame{Ethernet: wire.Ethernet{Dest: wire.MAC{2, 5: 1}, Source: wire.MAC{2, 5: 2}}, UDP: &wire.UDP{
		Source: uint16(u(16))}, RoCE: &wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteOnly, PKey: uint16(u(16)),
		DestQP: u(24), PSN: wire.PSN(u(24)), FECN: rapid.Bool().Draw(t, "FECN")},
		RETH:    wire.RETH{Address: rapid.Uint64().Draw(t, "VA"), RKey: u(32), Length: u(32)},
		Payload: rapid.SliceOfN(rapid.Byte(), 0, 70).Draw(t, "payload")}}
	if rapid.Bool().Draw(t, "IPv6") {
		f.IPv6 = &wire.IPv6{DSCP: uint8(u(6)), ECN: uint8(u(2)), FlowLabel: u(20), TTL: uint8(u(8)),
			Source: addr6(t), Dest: addr6(t)}
		return f
	}
	f.IPv4 = &wire.IPv4{DSCP: uint8(u(6)), ECN: uint8(u(2)), ID: uint16(u(16)), DontFragment: true, TTL: uint8(u(8)),
		Source: netip.AddrFrom4([4]byte{10, 0, 0, uint8(u(8))}), Dest: netip.AddrFrom4([4]byte{10, 1, 2, uint8(u(8))})}
	return f
}

func addr6(t *rapid.T) netip.Addr {
	return netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "address")))
}

// What switches change on the way leaves the ICRC as it is, what they may not change does not.
func TestICRCHoldsFromEndToEnd(t *testing.T) {
	f := &wire.Frame{IPv4: &wire.IPv4{DSCP: 24, ECN: 2, TTL: 64, Source: netip.MustParseAddr("10.0.0.1"),
		Dest: netip.MustParseAddr("10.0.0.2")}, UDP: &wire.UDP{Source: 49152},
		RoCE: &wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteMiddle, PSN: 7}, Payload: []byte("abc")}}
	icrc := func() string { b := f.Append(nil); return hex.EncodeToString(b[len(b)-8 : len(b)-4]) }
	sent := icrc()
	f.IPv4.TTL, f.IPv4.ECN, f.IPv4.DSCP, f.RoCE.BTH.FECN = 62, 3, 0, true
	if got := icrc(); got != sent {
		t.Errorf("after two hops and a mark: %s, want %s", got, sent)
	}
	f.RoCE.BTH.PSN++
	if icrc() == sent {
		t.Error("another PSN has the same ICRC")
	}
}
