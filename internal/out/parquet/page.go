package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// The kinds of page and the encodings that are read, by their numbers in parquet.thrift.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3

	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaByteArray  = 7
	encodingRLEDictionary   = 8
)

// header is struct PageHeader with the one of its parts that the kind of page has.
type header struct {
	kind              int
	plain, compressed int // bytes, without the header
	crc               uint32
	hasCRC            bool
	values, nulls     int // nulls: of version 2 alone
	encoding          int
	levels            int  // bytes of definition levels, version 2
	squeezed          bool // the values are compressed
}

func parseHeader(t *thrift, limit int) (h header, err error) {
	h.kind, h.squeezed = -1, true
	t.fields(thriftStruct, func(id int64, typ byte) {
		switch id {
		case 1:
			h.kind = t.small(typ, pageDataV2)
		case 2:
			h.plain = t.small(typ, int64(limit))
		case 3:
			h.compressed = t.small(typ, int64(limit))
		case 4:
			h.crc, h.hasCRC = uint32(t.number(typ)), true
		case 5, 7, 8:
			t.fields(typ, func(id2 int64, typ byte) { h.part(t, id, id2, typ) })
		default:
			t.skip(typ)
		}
	})
	return h, t.err
}

// part reads a field of DataPageHeader (5), DictionaryPageHeader (7) or DataPageHeaderV2 (8).
func (h *header) part(t *thrift, part, id int64, typ byte) {
	const v2 = 8
	switch {
	case id == 1:
		h.values = t.small(typ, math.MaxInt32)
	case part != v2 && id == 2, part == v2 && id == 4:
		h.encoding = t.small(typ, math.MaxInt32)
	case part == v2 && id == 2:
		h.nulls = t.small(typ, math.MaxInt32)
	case part == v2 && id == 5:
		h.levels = t.small(typ, math.MaxInt32)
	case part == v2 && id == 6:
		if t.small(typ, math.MaxInt32) != 0 {
			t.fail(errors.New("has repetition levels, want flat columns"))
		}
	case part == v2 && id == 7:
		h.squeezed = t.flag(typ)
	default:
		t.skip(typ)
	}
}

// maxHeader is more than a page's header takes, statistics included.
const maxHeader = 64 << 10

// pages reads the pages of one chunk in order.
type pages struct {
	f     *File
	chunk chunk
	at    int64 // of the next header
	raw   []byte
	out   []byte // decompressed
}

func (p *pages) reset(c chunk) { p.chunk, p.at = c, c.start }

// next reads a page and checks it. The body is valid until the next call; levels, of a data
// page of version 2, are the first bytes of it.
func (p *pages) next() (h header, body []byte, err error) {
	left := p.chunk.start + p.chunk.size - p.at
	if left <= 0 {
		return h, nil, errors.New("has fewer values than the footer says")
	}
	h, size, err := p.header(left)
	if err != nil {
		return h, nil, err
	}
	if int64(h.compressed) > left-size {
		return h, nil, fmt.Errorf("page of %d bytes, want at most %d: its chunk ends there", h.compressed, left-size)
	}
	raw := p.grow(int64(h.compressed))
	if _, err := p.f.r.ReadAt(raw, p.at+size); err != nil {
		return h, nil, err
	}
	p.at += size + int64(h.compressed)
	if h.hasCRC && crc32.ChecksumIEEE(raw) != h.crc {
		return h, nil, fmt.Errorf("page has checksum %08x, its header says %08x", crc32.ChecksumIEEE(raw), h.crc)
	}
	body, err = p.unpack(&h, raw)
	return h, body, err
}

// header reads a page's header, of which it returns the size too. Few are longer than a first look.
func (p *pages) header(left int64) (h header, size int64, err error) {
	const look = 256
	for _, n := range []int64{min(left, look), min(left, maxHeader)} {
		b := p.grow(n)
		if _, err := p.f.r.ReadAt(b, p.at); err != nil {
			return h, 0, err
		}
		t := &thrift{b: b}
		h, err = parseHeader(t, p.f.limits.Page)
		if err == nil {
			return h, n - int64(len(t.b)), nil
		}
	}
	return h, 0, fmt.Errorf("page header: %w", err)
}

func (p *pages) grow(n int64) []byte {
	if int64(cap(p.raw)) < n {
		p.raw = make([]byte, n)
	}
	return p.raw[:n]
}

// unpack decompresses a page's values. Levels of version 2 are never compressed.
func (p *pages) unpack(h *header, raw []byte) ([]byte, error) {
	if h.kind != pageDataV2 {
		h.levels = 0
	}
	if h.levels > len(raw) || h.levels > h.plain {
		return nil, fmt.Errorf("page has %d bytes of levels among %d", h.levels, min(len(raw), h.plain))
	}
	if p.chunk.codec == codecNone || h.kind == pageDataV2 && !h.squeezed {
		if len(raw) != h.plain {
			return nil, fmt.Errorf("page has %d bytes, its header says %d", len(raw), h.plain)
		}
		return raw, nil
	}
	if cap(p.out) < h.plain {
		p.out = make([]byte, 0, h.plain)
	}
	p.out = append(p.out[:0:h.plain], raw[:h.levels]...)
	if rest := raw[h.levels:]; len(rest) > 0 {
		out, err := p.f.zstd.DecodeAll(rest, p.out)
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		p.out = out
	}
	if len(p.out) != h.plain {
		return nil, fmt.Errorf("page has %d bytes, its header says %d", len(p.out), h.plain)
	}
	return p.out, nil
}

// levelsOf splits a data page into the levels of an optional column and its values.
func levelsOf(h *header, body []byte, optional bool) (levels, values []byte, err error) {
	if h.kind == pageDataV2 {
		return body[:h.levels], body[h.levels:], nil
	}
	if !optional {
		return nil, body, nil
	}
	if len(body) < 4 {
		return nil, nil, errShort
	}
	n := binary.LittleEndian.Uint32(body)
	if uint64(n) > uint64(len(body)-4) {
		return nil, nil, errShort
	}
	return body[4 : 4+n], body[4+n:], nil
}
