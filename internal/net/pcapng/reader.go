package pcapng

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Reader reads a capture, block by block, in either byte order.
type Reader struct {
	Section    Section     // the one that is being read
	Interfaces []Interface // of it, as far as they have come
	Statistics []Statistics

	r     io.Reader
	at    int64 // bytes read
	order binary.ByteOrder
	block []byte
}

// NewReader returns a reader of the capture that begins with the section header in r.
func NewReader(r io.Reader) (*Reader, error) {
	rd := &Reader{r: r, order: binary.LittleEndian}
	_, body, err := rd.next()
	switch {
	case err == io.EOF:
		return nil, errors.New("byte 0: nothing there, want a section header (0x0a0d0d0a)")
	case err != nil:
		return nil, err
	}
	return rd, rd.section(body)
}

// Next returns the next packet, io.EOF after the last one. It is good until the next call.
func (r *Reader) Next() (*Packet, error) {
	for {
		start := r.at
		typ, body, err := r.next()
		if err != nil {
			return nil, err
		}
		switch typ {
		case blockSection:
			err = r.section(body)
		case blockInterface:
			err = r.iface(body)
		case blockStatistics:
			err = r.statistics(body)
		case blockPacket:
			p, err := r.packet(body)
			if err != nil {
				return nil, fmt.Errorf("byte %d: packet: %w", start, err)
			}
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("byte %d: %w", start, err)
		}
	}
}

// next reads a block.
func (r *Reader) next() (typ uint32, body []byte, err error) {
	start := r.at
	var head [12]byte
	n, err := io.ReadFull(r.r, head[:8])
	r.at += int64(n)
	if err == io.EOF {
		return 0, nil, io.EOF
	} else if err != nil {
		return 0, nil, r.short(start, err)
	}
	if typ = r.order.Uint32(head[:]); typ == blockSection { // reads the same in both orders
		n, err := io.ReadFull(r.r, head[8:])
		r.at += int64(n)
		if err != nil {
			return 0, nil, r.short(start, err)
		}
		if r.order, err = orderOf(head[8:]); err != nil {
			return 0, nil, fmt.Errorf("byte %d: %w", start, err)
		}
	}
	if start == 0 && typ != blockSection {
		return 0, nil, fmt.Errorf("byte 0: block of type 0x%08x, want a section header (0x0a0d0d0a): is this a pcapng file?",
			typ)
	}
	length := r.order.Uint32(head[4:])
	if length < 12 || length > MaxBlock || length%4 != 0 {
		return 0, nil, fmt.Errorf("byte %d: block of %d bytes, want 12 to %d in whole words", start, length, MaxBlock)
	}
	read := int(r.at - start)
	if int(length) < read+4 {
		return 0, nil, fmt.Errorf("byte %d: section header of %d bytes, want at least 28", start, length)
	}
	if r.block, err = fill(r.r, append(r.block[:0], head[8:read]...), int(length)-read); err != nil {
		r.at = start + 8 + int64(len(r.block))
		return 0, nil, r.short(start, err)
	}
	r.at = start + int64(length)
	body = r.block[:len(r.block)-4]
	if again := r.order.Uint32(r.block[len(body):]); again != length {
		return 0, nil, fmt.Errorf("byte %d: block that begins with length %d and ends with %d, want the same", start, length,
			again)
	}
	return typ, body, nil
}

// fill reads n bytes behind b. A length that a file only claims takes no memory.
func fill(r io.Reader, b []byte, n int) ([]byte, error) {
	const step = 1 << 16
	for n > 0 {
		at := len(b)
		b = append(b, make([]byte, min(n, step))...)
		k, err := io.ReadFull(r, b[at:])
		if err != nil {
			return b[:at+k], err
		}
		n -= k
	}
	return b, nil
}

func (r *Reader) short(start int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("byte %d: the file ends within the block that begins at byte %d", r.at, start)
	}
	return err
}

func orderOf(magic []byte) (binary.ByteOrder, error) {
	switch {
	case binary.LittleEndian.Uint32(magic) == byteOrder:
		return binary.LittleEndian, nil
	case binary.BigEndian.Uint32(magic) == byteOrder:
		return binary.BigEndian, nil
	}
	return nil, fmt.Errorf("section header: byte-order magic % x, want 1a 2b 3c 4d or 4d 3c 2b 1a", magic)
}

func (r *Reader) section(body []byte) error {
	if len(body) < 16 {
		return fmt.Errorf("section header: %d bytes, want 16 and options", len(body))
	}
	if major := r.order.Uint16(body[4:]); major != 1 {
		return fmt.Errorf("section header: version %d, want 1", major)
	}
	r.Section, r.Interfaces, r.Statistics = Section{}, nil, nil
	return r.options(body[16:], func(code uint16, v []byte) error {
		switch code {
		case optComment:
			r.Section.Comments = append(r.Section.Comments, string(v))
		case optApplication:
			r.Section.Application = string(v)
		}
		return nil
	})
}

func (r *Reader) iface(body []byte) error {
	if len(body) < 8 {
		return fmt.Errorf("interface: %d bytes, want 8 and options", len(body))
	}
	i := Interface{Link: r.order.Uint16(body), Snap: r.order.Uint32(body[4:]), Digits: 6}
	err := r.options(body[8:], func(code uint16, v []byte) error {
		want := map[uint16]int{optSpeed: 8, optDigits: 1, optFCS: 1}[code]
		if want > 0 && len(v) != want {
			return fmt.Errorf("option %d of %d bytes, want %d", code, len(v), want)
		}
		switch code {
		case optComment:
			i.Comments = append(i.Comments, string(v))
		case optName:
			i.Name = string(v)
		case optText:
			i.Text = string(v)
		case optSpeed:
			i.Speed = r.order.Uint64(v)
		case optFCS:
			i.FCS = v[0]
		case optDigits:
			if i.Digits = v[0]; i.Digits > 15 {
				return fmt.Errorf("unit of timestamps 0x%02x, want 10^-0 to 10^-15 seconds", v[0])
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("interface: %w", err)
	}
	r.Interfaces = append(r.Interfaces, i)
	return nil
}

func (r *Reader) statistics(body []byte) error {
	if len(body) < 12 {
		return fmt.Errorf("statistics: %d bytes, want 12 and options", len(body))
	}
	s := Statistics{Interface: r.order.Uint32(body),
		Time: uint64(r.order.Uint32(body[4:]))<<32 | uint64(r.order.Uint32(body[8:]))}
	err := r.options(body[12:], func(code uint16, v []byte) error {
		if code != optReceived && code != optDropped {
			return nil
		}
		if len(v) != 8 {
			return fmt.Errorf("option %d of %d bytes, want 8", code, len(v))
		}
		if n := r.order.Uint64(v); code == optReceived {
			s.Received = n
		} else {
			s.Dropped = n
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("statistics: %w", err)
	}
	r.Statistics = append(r.Statistics, s)
	return nil
}

func (r *Reader) packet(body []byte) (*Packet, error) {
	if len(body) < 20 {
		return nil, fmt.Errorf("%d bytes, want 20, data and options", len(body))
	}
	p := &Packet{Interface: r.order.Uint32(body), Length: r.order.Uint32(body[16:]),
		Time: uint64(r.order.Uint32(body[4:]))<<32 | uint64(r.order.Uint32(body[8:]))}
	if p.Interface >= uint32(len(r.Interfaces)) {
		return nil, fmt.Errorf("interface %d, want one of the %d that the section has so far", p.Interface,
			len(r.Interfaces))
	}
	n := int(r.order.Uint32(body[12:]))
	if body = body[20:]; n > len(body) {
		return nil, fmt.Errorf("%d bytes of data, want %d", len(body), n)
	}
	if p.Data = body[:n:n]; p.Length < uint32(n) {
		return nil, fmt.Errorf("%d bytes of data of a packet of %d, want no more", n, p.Length)
	}
	err := r.options(body[min(len(body), (n+3)&^3):], func(code uint16, v []byte) error {
		switch {
		case code == optComment:
			p.Comments = append(p.Comments, string(v))
		case code == optFlags && len(v) != 4:
			return fmt.Errorf("flags of %d bytes, want 4", len(v))
		case code == optFlags:
			if d := Direction(r.order.Uint32(v) & 3); d <= Outbound {
				p.Direction = d
			}
		}
		return nil
	})
	return p, err
}

// options visits the options of a block.
func (r *Reader) options(b []byte, visit func(code uint16, value []byte) error) error {
	for len(b) > 0 {
		if len(b) < 4 {
			return fmt.Errorf("option: %d bytes, want 4: code and length", len(b))
		}
		code, n := r.order.Uint16(b), int(r.order.Uint16(b[2:]))
		if code == optEnd {
			return nil
		}
		if b = b[4:]; n > len(b) {
			return fmt.Errorf("option %d: %d bytes, want %d", code, len(b), n)
		}
		if err := visit(code, b[:n]); err != nil {
			return err
		}
		b = b[min(len(b), (n+3)&^3):]
	}
	return nil
}
