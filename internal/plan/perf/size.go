package perf

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// MaxRows is the most sizes of a sweep.
const MaxRows = 1000

// maxSize is the largest size, that of job.collectives[].bytes.
const maxSize = 1 * unit.Terabyte

// ParseSize reads a size as nccl-tests does: bytes, or K, M, G, T behind a whole number, which are
// powers of 1024 (src/common.cu, parsesize).
func ParseSize(text string) (unit.Bytes, error) {
	digits, shift := text, 0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("KMGT", text[n-1]&^0x20); i >= 0 {
			digits, shift = text[:n-1], 10*(i+1)
		}
	}
	const want = "want bytes such as 8, or 32M, 1G: K, M, G, T are powers of 1024"
	n, err := strconv.ParseUint(digits, 10, 62)
	if err != nil || digits[0] == '+' {
		return 0, fmt.Errorf("%q: %s", text, want)
	}
	if n > uint64(maxSize)>>shift {
		return 0, fmt.Errorf("%q: too large, want at most %s", text, maxSize)
	}
	return unit.Bytes(n << shift), nil
}

// Sizes is the sizes of a sweep: from Min on, times Factor or, where that is 0, plus Step.
type Sizes struct {
	Min, Max, Step unit.Bytes
	Factor         int
}

// List returns the sizes.
func (s Sizes) List() ([]unit.Bytes, error) {
	switch {
	case s.Min < 1:
		return nil, fmt.Errorf("-b %s: want at least 1 byte", s.Min)
	case s.Min > s.Max:
		return nil, fmt.Errorf("-b %s is larger than -e %s: want the smallest size, then the largest", s.Min, s.Max)
	case s.Factor != 0 && s.Factor < 2:
		return nil, fmt.Errorf("-f %d: want a factor of at least 2", s.Factor)
	case s.Factor == 0 && s.Step < 1:
		return nil, fmt.Errorf("-i %s: want a step of at least 1 byte", s.Step)
	}
	var all []unit.Bytes
	for size := s.Min; size <= s.Max; {
		if len(all) == MaxRows {
			return nil, fmt.Errorf("more than %d sizes from %s to %s: want a larger step", MaxRows, s.Min, s.Max)
		}
		all = append(all, size)
		if s.Factor > 0 {
			size *= unit.Bytes(s.Factor)
		} else {
			size += s.Step
		}
	}
	return all, nil
}

// element is the size of a float32, nccl-tests' default type.
const element = 4

// aligned is the bytes to which nccl-tests rounds down each rank's part of a buffer.
const aligned = 16

// rounded is the size that nccl-tests runs for one that was asked for: whole elements and, where
// the buffer has a part for each rank, parts of whole 16 bytes (its GetCollByteCount functions).
func rounded(c coll.Collective, ranks int, size unit.Bytes) unit.Bytes {
	part := unit.Bytes(element)
	switch c {
	case coll.AllGather, coll.ReduceScatter, coll.AllToAll, coll.GatherTo, coll.ScatterFrom:
		part = aligned * unit.Bytes(ranks)
	}
	return size / part * part
}
