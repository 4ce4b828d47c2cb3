//go:build unix

package rank

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// FrameKind says what a frame is.
type FrameKind uint8

// The kinds of frame.
const (
	FrameMessage FrameKind = 1 + iota // bytes for a slot follow, and their checksum
	FrameCredit                       // a slot of a collective is free
	FrameHello                        // the first on a connection: who it is, and of which job
	FrameEnd                          // the rank has ended its last step; nothing follows
	FrameLent                         // a message; where its bytes lie in the sender's Room follows, and a checksum of that
)

// Frame is what one rank tells another.
type Frame struct {
	Kind    FrameKind
	Way     exec.Way // of a credit that of the messages, whose source gets it
	Number  uint32   // of the frame in its direction of the link, from 0
	Address uint64   // of a message: where its bytes go; see verbs.Address
	Header  verbs.Header
}

// carries reports whether the frame is of a message.
func (k FrameKind) carries() bool { return k == FrameMessage || k == FrameLent }

// FrameBytes is the length of a frame without what follows it; SumBytes that of the checksum behind the bytes of a
// message.
const (
	FrameBytes = 64
	SumBytes   = 4
)

// frameMagic begins each frame: "RYF" and the version of the format.
const frameMagic = 'R'<<24 | 'Y'<<16 | 'F'<<8 | 1

// castagnoli is the polynomial of iSCSI (RFC 3720, 12.1), which processors have instructions for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append writes the frame after b, big-endian:
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-----------------------------------------------+---------------+
//	|  "RYF"                                        |  version      |
//	+---------------+---------------+---------------+---------------+
//	|  kind         |  0            |  channel                      |
//	+---------------+---------------+-------------------------------+
//	|  number                                                       |
//	+---------------------------------------------------------------+
//	|  source rank                                                  |
//	+---------------------------------------------------------------+
//	|  destination rank                                             |
//	+---------------------------------------------------------------+
//	|  group                                                        |
//	+---------------------------------------------------------------+
//	|  address                                            (64 bits) |
//	+---------------------------------------------------------------+
//	|  message header, see package verbs                 (28 bytes) |
//	+---------------------------------------------------------------+
//	|  CRC-32C of all this                                          |
//	+---------------------------------------------------------------+
func (f *Frame) Append(b []byte) []byte {
	start := len(b)
	b = binary.BigEndian.AppendUint32(b, frameMagic)
	b = append(b, byte(f.Kind), 0)
	b = binary.BigEndian.AppendUint16(b, uint16(f.Way.Channel))
	b = binary.BigEndian.AppendUint32(b, f.Number)
	b = binary.BigEndian.AppendUint32(b, uint32(f.Way.Src))
	b = binary.BigEndian.AppendUint32(b, uint32(f.Way.Dst))
	b = binary.BigEndian.AppendUint32(b, uint32(f.Way.Group))
	b = binary.BigEndian.AppendUint64(b, f.Address)
	b = f.Header.Append(b)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// DecodeFrame reads the frame at the start of b.
func DecodeFrame(b []byte) (f Frame, err error) {
	if len(b) < FrameBytes {
		return f, fmt.Errorf("frame: %d bytes, want %d", len(b), FrameBytes)
	}
	b = b[:FrameBytes]
	if magic := binary.BigEndian.Uint32(b); magic != frameMagic {
		return f, fmt.Errorf("frame: begins with %#08x, want %#08x", magic, uint32(frameMagic))
	}
	const sum = FrameBytes - SumBytes
	if got, want := crc32.Checksum(b[:sum], castagnoli), binary.BigEndian.Uint32(b[sum:]); got != want {
		return f, fmt.Errorf("frame: its checksum is %#08x, it says %#08x", got, want)
	}
	f.Kind = FrameKind(b[4])
	f.Way.Channel = int32(binary.BigEndian.Uint16(b[6:]))
	f.Number = binary.BigEndian.Uint32(b[8:])
	f.Way.Src, f.Way.Dst = int32(binary.BigEndian.Uint32(b[12:])), int32(binary.BigEndian.Uint32(b[16:]))
	f.Way.Group = int32(binary.BigEndian.Uint32(b[20:]))
	f.Address = binary.BigEndian.Uint64(b[24:])
	f.Header, err = verbs.DecodeHeader(b[32:])
	switch {
	case err != nil:
		return f, fmt.Errorf("frame: %w", err)
	case f.Kind < FrameMessage || f.Kind > FrameLent || b[5] != 0:
		return f, fmt.Errorf("frame: kind %d with %d behind it: want %d to %d with 0", f.Kind, b[5], FrameMessage, FrameLent)
	case f.Way.Src < 0 || f.Way.Dst < 0 || f.Way.Group < 0:
		return f, fmt.Errorf("frame: of rank %d to rank %d in group %d: want none below 0", f.Way.Src, f.Way.Dst, f.Way.Group)
	case !f.Kind.carries() && f.Header.Bytes != 0:
		return f, fmt.Errorf("frame: %d bytes behind a frame that has none", int64(f.Header.Bytes))
	}
	return f, nil
}

// messageFrame is the frame of a message.
func messageFrame(m *exec.Message) Frame {
	return Frame{Kind: FrameMessage, Way: m.Way, Address: verbs.Address(m.To.Buffer, m.To.Off),
		Header: verbs.Header{Bytes: m.Bytes, Step: m.Step, Coll: m.Coll}}
}

// arrival is what the rank is told of a message.
func (f *Frame) arrival() exec.Arrival {
	return exec.Arrival{Bytes: f.Header.Bytes, Step: f.Header.Step, Coll: f.Header.Coll}
}

// to is where the bytes of a message go.
func (f *Frame) to() exec.Ref {
	buffer, off := verbs.Place(f.Address)
	return exec.Ref{Buffer: buffer, Off: off, Len: int64(f.Header.Bytes)}
}

// wrongSum says that bytes are not those that were sent.
func wrongSum(f *Frame, got, want uint32) error {
	return fmt.Errorf("rank %d got from rank %d %d bytes of step %d whose checksum is %#08x, they were sent with %#08x",
		f.Way.Dst, f.Way.Src, int64(f.Header.Bytes), f.Header.Step, got, want)
}
