package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"railyard/internal/base/unit"
)

// ICRC returns the invariant CRC of a RoCEv2 packet, which holds from end to end (IBTA annex A17, A17.3.3; vol. 1
// section 7.8.1). packet begins with its IP header and ends with the last pad byte of its payload.
//
// It is the CRC of Ethernet over eight bytes of ones, which stand for the local route header of InfiniBand, and
// the packet, with ones in place of what may change on the way:
//
//	IPv4  DSCP and ECN, time to live, header checksum
//	IPv6  traffic class, flow label, hop limit
//	UDP   checksum
//	BTH   FECN, BECN and the six reserved bits beside them
//
// It goes out least significant byte first: see AppendICRC.
func ICRC(packet []byte) (uint32, error) {
	if err := need(packet, 1, "ICRC: packet"); err != nil {
		return 0, err
	}
	ip, masks := IPv4Bytes, maskedIPv4
	switch packet[0] >> 4 {
	case 4:
	case 6:
		ip, masks = IPv6Bytes, maskedIPv6
	default:
		return 0, fmt.Errorf("ICRC: IP version %d, want 4 or 6", packet[0]>>4)
	}
	n := ip + UDPBytes + BTHBytes
	if err := need(packet, n, "ICRC: headers up to BTH"); err != nil {
		return 0, err
	}
	var headers [8 + IPv6Bytes + UDPBytes + BTHBytes]byte
	for i := range 8 {
		headers[i] = 0xFF
	}
	h := headers[8 : 8+n]
	copy(h, packet)
	for i, m := range masks {
		h[i] |= m
	}
	h[ip+6], h[ip+7] = 0xFF, 0xFF // UDP checksum
	h[ip+UDPBytes+4] = 0xFF       // BTH: FECN, BECN, reserved
	return crc32.Update(ofHeaders(headers[:8+n]), crc32.IEEETable, packet[n:]), nil
}

// ofHeaders is crc32.ChecksumIEEE of a few bytes, which stay on the stack.
func ofHeaders(b []byte) uint32 {
	crc := ^uint32(0)
	for _, v := range b {
		crc = crc32.IEEETable[byte(crc)^v] ^ crc>>8
	}
	return ^crc
}

// What is masked of the IP headers, from their first byte.
var (
	maskedIPv4 = []byte{1: 0xFF, 8: 0xFF, 10: 0xFF, 11: 0xFF}
	maskedIPv6 = []byte{0: 0x0F, 1: 0xFF, 2: 0xFF, 3: 0xFF, 7: 0xFF}
)

// AppendICRC appends the ICRC of the packet whose IP header begins at b[start].
func AppendICRC(b []byte, start int) []byte {
	crc, err := ICRC(b[start:])
	if err != nil {
		panic("wire: " + err.Error())
	}
	return binary.LittleEndian.AppendUint32(b, crc)
}

// CheckICRC reports a packet, from its IP header to its last four bytes, that these are not the ICRC of.
func CheckICRC(packet []byte) error {
	if err := need(packet, ICRCBytes, "ICRC"); err != nil {
		return err
	}
	n := unit.Bytes(len(packet)) - ICRCBytes
	want, err := ICRC(packet[:n])
	if err != nil {
		return err
	}
	if got := binary.LittleEndian.Uint32(packet[n:]); got != want {
		return fmt.Errorf("ICRC 0x%08x, want 0x%08x", got, want)
	}
	return nil
}
