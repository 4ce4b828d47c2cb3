package verbs

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
)

// Header is what a sending rank tells the receiving one with a message; the network carries it and does not look into
// it. Libraries write such things with the bytes, or into immediate data.
type Header struct {
	Bytes unit.Bytes    // of the message, whatever its protocol made of them
	Step  int64         // of the training; -1: the phase before its first
	Coll  int32         // which collective of the step, by number
	Late  unit.Duration // how much later than its bytes the message is there for who waits for it
}

// HeaderBytes is the length of a header on a wire.
const HeaderBytes = 28

// Append writes the header after b, big-endian.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|  bytes                                              (64 bits) |
//	+---------------------------------------------------------------+
//	|  step                                               (64 bits) |
//	+---------------------------------------------------------------+
//	|  collective                                                   |
//	+---------------------------------------------------------------+
//	|  late, in ps                                        (64 bits) |
//	+---------------------------------------------------------------+
func (h Header) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(h.Bytes))
	b = binary.BigEndian.AppendUint64(b, uint64(h.Step))
	b = binary.BigEndian.AppendUint32(b, uint32(h.Coll))
	return binary.BigEndian.AppendUint64(b, uint64(h.Late))
}

// DecodeHeader reads the header at the start of b. No count and no time is below 0.
func DecodeHeader(b []byte) (Header, error) {
	if len(b) < HeaderBytes {
		return Header{}, fmt.Errorf("message header: %d bytes, want %d", len(b), HeaderBytes)
	}
	h := Header{Bytes: unit.Bytes(binary.BigEndian.Uint64(b)), Step: int64(binary.BigEndian.Uint64(b[8:])),
		Coll: int32(binary.BigEndian.Uint32(b[16:])), Late: unit.Duration(binary.BigEndian.Uint64(b[20:]))}
	if h.Bytes < 0 || h.Step < -1 || h.Coll < 0 || h.Late < 0 {
		return Header{}, fmt.Errorf("message header: %d bytes, step %d, collective %d, %d ps late: want none below 0, and no step below -1",
			int64(h.Bytes), h.Step, h.Coll, int64(h.Late))
	}
	return h, nil
}

// Words returns the header as numbers, for a network that carries it without bytes; HeaderOf is its inverse.
func (h Header) Words() [4]int64 {
	return [4]int64{int64(h.Bytes), h.Step, int64(h.Coll), int64(h.Late)}
}

// HeaderOf returns the header that Words has made these of.
func HeaderOf(w [4]int64) Header {
	return Header{Bytes: unit.Bytes(w[0]), Step: w[1], Coll: int32(w[2]), Late: unit.Duration(w[3])}
}

// Carries returns which of the bytes of a message lie in size bytes from off of the total that its protocol makes of
// them.
func Carries(bytes int, off int64, size, total unit.Bytes) (lo, hi int64) {
	if int64(total) == int64(bytes) {
		return off, off + int64(size)
	}
	data := unit.Ratio{Num: int64(bytes), Den: int64(total)}
	return data.Of(off), data.Of(off + int64(size))
}
