package endpoint

import (
	"encoding/binary"

	"railyard/internal/net/wire"
)

// identify finds the identification of a packet whose IP header is made up, from its ICRC: of all others the CRC is known,
// and it is linear in the 16 bits that are not. A packet that none fits is left as it is.
//
//	ICRC(packet with id) = ICRC(packet with 0) ^ (x[i] for each bit i of id)
func (e *Endpoint) identify(b []byte) {
	n := len(b) - int(wire.ICRCBytes)
	if n < int(wire.PacketHeaders(false)+wire.BTHBytes) {
		return
	}
	zero, err := wire.ICRC(b[:n])
	if err != nil {
		return
	}
	diff := zero ^ binary.LittleEndian.Uint32(b[n:])
	if diff == 0 {
		return
	}
	x, ok := e.basis[n]
	if !ok {
		x = basis(b[:n], zero)
		e.basis[n] = x
	}
	if id, ok := solve(x, diff); ok {
		setID(b, id)
	}
}

// basis is what each bit of the identification changes in the ICRC of a packet of this length.
func basis(packet []byte, zero uint32) (x [16]uint32) {
	p := append([]byte{}, packet...)
	for i := range x {
		binary.BigEndian.PutUint16(p[4:], 1<<i)
		crc, err := wire.ICRC(p)
		if err != nil {
			return x
		}
		x[i] = crc ^ zero
	}
	return x
}

// solve returns the bits whose vectors sum to d: Gauss's elimination over one bit.
func solve(x [16]uint32, d uint32) (id uint16, ok bool) {
	var names [16]uint16
	for i := range names {
		names[i] = 1 << i
	}
	for i := range x {
		if x[i] == 0 {
			continue
		}
		top := x[i] & -x[i]
		for j := i + 1; j < len(x); j++ {
			if x[j]&top != 0 {
				x[j] ^= x[i]
				names[j] ^= names[i]
			}
		}
		if d&top != 0 {
			d ^= x[i]
			id ^= names[i]
		}
	}
	return id, d == 0
}

// setID writes an identification and corrects the header's checksum.
func setID(b []byte, id uint16) {
	h, err := wire.DecodeIPv4(b)
	if err != nil {
		return
	}
	h.ID = id
	h.Append(b[:0])
}
