package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// hybrid decodes n values of width bits in Parquet's RLE and bit-packing hybrid:
//
//	header varint   even: run of header/2 equal values, in (width+7)/8 bytes
//	                odd:  header/2 groups of 8 values, width bits each, least bit first
func hybrid(b []byte, width, n int, put func(i int, v uint32) error) error {
	if width > 32 {
		return fmt.Errorf("values of %d bits, want at most 32", width)
	}
	for i := 0; i < n; {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return errShort
		}
		b = b[size:]
		if head&1 == 0 {
			bytes := (width + 7) / 8
			if len(b) < bytes {
				return errShort
			}
			var v [4]byte
			copy(v[:], b[:bytes])
			b = b[bytes:]
			run := min(head>>1, uint64(n-i))
			if run == 0 {
				return fmt.Errorf("a run of no values")
			}
			for range run {
				if err := put(i, binary.LittleEndian.Uint32(v[:])); err != nil {
					return err
				}
				i++
			}
			continue
		}
		if head>>1 == 0 {
			return fmt.Errorf("a run of no values")
		}
		count := min(head>>1, uint64(n)) * 8 // the last group may be longer than what is due
		bytes := count / 8 * uint64(width)
		if uint64(len(b)) < bytes {
			return errShort
		}
		for k := uint64(0); k < count && i < n; k++ {
			if err := put(i, uint32(packed(b, int(k)*width, width))); err != nil {
				return err
			}
			i++
		}
		b = b[bytes:]
	}
	return nil
}

// packed returns width bits from bit at on, least bit first. The caller knows that they are there.
func packed(b []byte, at, width int) uint64 {
	i, shift := at/8, at%8
	if i+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[i:]) >> shift
		if over := shift + width - 64; over > 0 {
			v |= uint64(b[i+8]) << (width - over)
		}
		if width < 64 {
			v &= 1<<width - 1
		}
		return v
	}
	v := uint64(0)
	for got := 0; got < width; i, shift = i+1, 0 {
		v |= uint64(b[i]>>shift) << got
		got += 8 - shift
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// delta decodes n integers of DELTA_BINARY_PACKED and returns what comes after them:
//
//	header   values of a block | miniblocks of a block | values | the first value (zigzag)
//	block    least delta (zigzag) | a width per miniblock | deltas less the least one, packed
func delta(b []byte, n int, wide bool, out []int64) (rest []byte, values []int64, err error) {
	t := &thrift{b: b}
	block, minis, total, v := t.uvarint(), t.uvarint(), t.uvarint(), t.varint()
	switch {
	case t.err != nil:
		return nil, nil, t.err
	case block == 0 || block > 1<<16 || minis == 0 || minis > block || block%minis != 0 || block/minis%8 != 0:
		return nil, nil, fmt.Errorf("delta encoding in blocks of %d values and %d miniblocks", block, minis)
	case total != uint64(n):
		return nil, nil, fmt.Errorf("delta encoding of %d values, want %d", total, n)
	case n == 0:
		return t.b, out[:0], nil
	}
	most := 32
	if wide {
		most = 64
	}
	mini := int(block / minis)
	out = append(slices.Grow(out[:0], min(n, 8*len(b))), v) // eight values in a byte, or more: then it grows
	for len(out) < n {
		least := t.varint()
		widths := t.take(minis)
		for _, w := range widths {
			if len(out) == n {
				break // miniblocks without a value have no bytes
			}
			if int(w) > most {
				return nil, nil, fmt.Errorf("delta encoding with %d bits, want at most %d", w, most)
			}
			b := t.take(uint64(mini * int(w) / 8))
			if t.err != nil {
				return nil, nil, t.err
			}
			for k := 0; k < mini && len(out) < n; k++ {
				v += least
				if w > 0 {
					v += int64(packed(b, k*int(w), int(w)))
				}
				if !wide {
					v = int64(int32(v))
				}
				out = append(out, v)
			}
		}
		if t.err != nil {
			return nil, nil, t.err
		}
	}
	return t.b, out, nil
}

// texts makes strings of bytes, the same one for the same bytes as far as it remembers.
//
// Invariants: what a page makes is at most limit bytes, and so is what is remembered; raw, clean and after are of one
// length, and known and after have numbers of texts in them.
type texts struct {
	known map[string]int // numbers of texts, by their bytes in the file
	raw   []string       // those bytes
	clean []string       // what is handed on
	after []int          // which text came after it last: rows of a table repeat each other's order

	cleaned             func(string) string
	made, limit         int
	remembered, longest int
	prefixes, lengths   []int64
}

// maxKnown is how many strings are remembered.
const maxKnown = 1 << 14

func newTexts(l Limits, cleaned func(string) string) texts {
	return texts{known: map[string]int{}, limit: l.Page, longest: l.Text, cleaned: cleaned}
}

// of returns the number of a text.
func (s *texts) of(b []byte) (int, error) {
	if n, ok := s.known[string(b)]; ok {
		return n, nil
	}
	if len(b) > s.longest {
		return 0, fmt.Errorf("text of %d bytes, want at most %d", len(b), s.longest)
	}
	if s.made += len(b); s.made > s.limit {
		return 0, fmt.Errorf("a page with more than %d bytes of text", s.limit)
	}
	if s.remembered += len(b); len(s.raw) >= maxKnown || s.remembered > s.limit {
		clear(s.known)
		clear(s.raw)
		clear(s.clean)
		s.raw, s.clean, s.after, s.remembered = s.raw[:0], s.clean[:0], s.after[:0], len(b)
	}
	n, raw := len(s.raw), string(b)
	s.known[raw] = n
	s.raw, s.clean, s.after = append(s.raw, raw), append(s.clean, s.cleaned(raw)), append(s.after, n)
	return n, nil
}

// deltaTexts decodes n texts of DELTA_BYTE_ARRAY: how much of its predecessor each keeps,
// the lengths of what is added, and the added bytes.
func (s *texts) deltaTexts(b []byte, n int, out []string) ([]string, error) {
	b, prefixes, err := delta(b, n, false, s.prefixes)
	if err != nil {
		return nil, err
	}
	b, lengths, err := delta(b, n, false, s.lengths)
	if err != nil {
		return nil, err
	}
	s.prefixes, s.lengths = prefixes, lengths // room for those of the next page
	out = out[:0]
	now, last, text := -1, "", "" // the text before, its bytes, what is handed on of it
	var all []byte
	for i := range n {
		keep, add := prefixes[i], lengths[i]
		if keep < 0 || keep > int64(len(last)) || add < 0 || add > int64(len(b)) {
			return nil, fmt.Errorf("text %d keeps %d bytes of %d and adds %d of %d", i, keep, len(last), add, len(b))
		}
		if keep != int64(len(last)) || add != 0 || i == 0 {
			next := s.expected(now, last[:keep], b[:add])
			if next < 0 {
				all = append(append(all[:0], last[:keep]...), b[:add]...)
				if next, err = s.of(all); err != nil {
					return nil, err
				}
				if now >= 0 && now < len(s.after) { // else it is forgotten
					s.after[now] = next
				}
			}
			now, last, text = next, s.raw[next], s.clean[next]
			b = b[add:]
		}
		out = append(out, text)
	}
	return out, nil
}

// expected returns the text that came after a text last, if it has these bytes; else -1.
func (s *texts) expected(now int, keep string, add []byte) int {
	if now < 0 || now >= len(s.after) {
		return -1
	}
	next := s.after[now]
	if raw := s.raw[next]; len(raw) == len(keep)+len(add) && raw[:len(keep)] == keep && raw[len(keep):] == string(add) {
		return next
	}
	return -1
}

// plainTexts decodes n texts of PLAIN: length, bytes.
func (s *texts) plainTexts(b []byte, n int, out []string) ([]string, error) {
	out = out[:0]
	for range n {
		if len(b) < 4 {
			return nil, errShort
		}
		size := uint64(binary.LittleEndian.Uint32(b))
		if b = b[4:]; size > uint64(len(b)) {
			return nil, errShort
		}
		at, err := s.of(b[:size])
		if err != nil {
			return nil, err
		}
		out, b = append(out, s.clean[at]), b[size:]
	}
	return out, nil
}

// plainNumbers decodes n numbers of PLAIN; doubles as their bits.
func plainNumbers(b []byte, n int, kind Kind, out []int64) ([]int64, error) {
	size := 8
	if kind == Int32 {
		size = 4
	}
	if hi, lo := bits.Mul64(uint64(n), uint64(size)); hi > 0 || lo > uint64(len(b)) {
		return nil, errShort
	}
	out = out[:0]
	for i := range n {
		if size == 4 {
			out = append(out, int64(int32(binary.LittleEndian.Uint32(b[4*i:]))))
		} else {
			out = append(out, int64(binary.LittleEndian.Uint64(b[8*i:])))
		}
	}
	return out, nil
}
