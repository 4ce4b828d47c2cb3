package pcapng

import (
	"encoding/binary"
	"fmt"
)

// LinkEthernet is the link type of frames that begin with an Ethernet header.
const LinkEthernet = 1

// Section is what a section header says: who wrote what follows.
type Section struct {
	Application string
	Comments    []string
}

// Interface is where packets were captured.
type Interface struct {
	Name     string
	Text     string // description
	Link     uint16
	Snap     uint32 // most bytes of a packet that are kept; 0: all
	Speed    uint64 // bits per second; 0: not said
	Digits   uint8  // timestamps count 10^-Digits seconds: 6, 9 and 12 are micro-, nano- and picoseconds
	FCS      uint8  // bytes of a frame check sequence at the end of each packet
	Comments []string
}

// Direction is which way a packet went through the interface.
type Direction uint8

// The directions.
const (
	Unknown Direction = iota
	Inbound
	Outbound
)

// Packet is one frame.
type Packet struct {
	Interface uint32 // index among those of the section
	Time      uint64 // in the interface's unit, since 1970
	Length    uint32 // bytes on the link, of which Data is here
	Data      []byte
	Direction Direction
	Comments  []string
}

// Statistics is what an interface saw in all.
type Statistics struct {
	Interface uint32
	Time      uint64 // when it was counted
	Received  uint64 // packets
	Dropped   uint64 // of them, those that are not in the file
}

// Types of blocks.
const (
	blockSection    = 0x0A0D0D0A
	blockInterface  = 0x00000001
	blockStatistics = 0x00000005
	blockPacket     = 0x00000006

	byteOrder = 0x1A2B3C4D
)

// Codes of options.
const (
	optEnd         = 0
	optComment     = 1
	optApplication = 4 // of a section
	optName        = 2 // of an interface, as those below
	optText        = 3
	optSpeed       = 8
	optDigits      = 9
	optFCS         = 13
	optFlags       = 2 // of a packet
	optReceived    = 4 // of statistics
	optDropped     = 5
)

// MaxBlock is the most bytes that a block may have.
const MaxBlock = 1 << 24

// AppendSection writes a section header after b. The section ends where the file does, or the next one begins.
func AppendSection(b []byte, s Section) []byte {
	b, start := begin(b, blockSection)
	b = binary.LittleEndian.AppendUint32(b, byteOrder)
	b = binary.LittleEndian.AppendUint16(b, 1) // version 1.0
	b = binary.LittleEndian.AppendUint16(b, 0)
	b = binary.LittleEndian.AppendUint64(b, ^uint64(0)) // length not said
	b = comments(b, s.Comments)
	b = option(b, optApplication, s.Application)
	return end(b, start)
}

// AppendInterface writes an interface description after b.
func AppendInterface(b []byte, i Interface) []byte {
	b, start := begin(b, blockInterface)
	b = binary.LittleEndian.AppendUint16(b, i.Link)
	b = binary.LittleEndian.AppendUint16(b, 0)
	b = binary.LittleEndian.AppendUint32(b, i.Snap)
	b = comments(b, i.Comments)
	b = option(b, optName, i.Name)
	b = option(b, optText, i.Text)
	if i.Speed > 0 {
		b = option(b, optSpeed, string(binary.LittleEndian.AppendUint64(nil, i.Speed)))
	}
	b = option(b, optDigits, string([]byte{i.Digits}))
	if i.FCS > 0 {
		b = option(b, optFCS, string([]byte{i.FCS}))
	}
	return end(b, start)
}

// AppendPacket writes an enhanced packet block after b.
func AppendPacket(b []byte, p *Packet) []byte {
	b, start := begin(b, blockPacket)
	b = binary.LittleEndian.AppendUint32(b, p.Interface)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Time>>32))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Time))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Data)))
	b = binary.LittleEndian.AppendUint32(b, p.Length)
	b = padded(append(b, p.Data...), len(p.Data))
	b = comments(b, p.Comments)
	if p.Direction != Unknown {
		b = option(b, optFlags, string([]byte{byte(p.Direction), 0, 0, 0}))
	}
	return end(b, start)
}

// AppendStatistics writes an interface statistics block after b.
func AppendStatistics(b []byte, s Statistics) []byte {
	b, start := begin(b, blockStatistics)
	b = binary.LittleEndian.AppendUint32(b, s.Interface)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Time>>32))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Time))
	b = option(b, optReceived, string(binary.LittleEndian.AppendUint64(nil, s.Received)))
	b = option(b, optDropped, string(binary.LittleEndian.AppendUint64(nil, s.Dropped)))
	return end(b, start)
}

// begin writes a block's type, and leaves room for its length.
func begin(b []byte, typ uint32) (_ []byte, start int) {
	start = len(b)
	b = binary.LittleEndian.AppendUint32(b, typ)
	return append(b, 0, 0, 0, 0), start
}

// end ends a block's options and writes its length at both ends.
func end(b []byte, start int) []byte {
	b = append(b, optEnd, 0, 0, 0)
	n := uint32(len(b) - start + 4)
	if n > MaxBlock {
		panic(fmt.Sprintf("pcapng: a block of %d bytes", n))
	}
	binary.LittleEndian.PutUint32(b[start+4:], n)
	return binary.LittleEndian.AppendUint32(b, n)
}

func comments(b []byte, list []string) []byte {
	for _, c := range list {
		b = option(b, optComment, c)
	}
	return b
}

// option writes an option, of at most 65,535 bytes; none if it says nothing.
func option(b []byte, code uint16, value string) []byte {
	if value == "" {
		return b
	}
	if len(value) > 1<<16-1 {
		panic(fmt.Sprintf("pcapng: an option of %d bytes", len(value)))
	}
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return padded(append(b, value...), len(value))
}

// padded fills up n bytes at the end of b to whole words.
func padded(b []byte, n int) []byte { return append(b, make([]byte, -n&3)...) }
