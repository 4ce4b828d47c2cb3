package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// Ignored is the label of what is not counted.
const Ignored = -1

// Windows are the windows of one part of a corpus: examples of Width tokens. They are only read.
type Windows struct {
	width  int
	tokens []int32
	from   []int32 // where each begins in tokens,
	end    []int32 // and where the text that it lies in ends
}

// Len is how many windows there are.
func (w *Windows) Len() int { return len(w.from) }

// Width is how many tokens go in.
func (w *Windows) Width() int { return w.width }

// Targets is how many labels a window has.
func (w *Windows) Targets() int { return w.width }

// counted is how many labels of a window are not Ignored.
func (w *Windows) counted(row int) int { return min(w.width, int(w.end[row]-w.from[row])-1) }

// Classes is one more than the largest label.
func (w *Windows) Classes() int {
	most := int32(0)
	for row := range w.from {
		most = max(most, slices.Max(w.labels(row))+1)
	}
	return int(most)
}

// Tokens are how many the part has.
func (w *Windows) Tokens() int { return len(w.tokens) }

// Unknown is how many of the tokens are not in the vocabulary.
func (w *Windows) Unknown() (n int) {
	for _, t := range w.tokens {
		if t == Unknown {
			n++
		}
	}
	return n
}

// inputs and labels are the tokens of a window, as many as are counted.
func (w *Windows) inputs(row int) []int32 {
	at := int(w.from[row])
	return w.tokens[at : at+w.counted(row)]
}

func (w *Windows) labels(row int) []int32 {
	at := int(w.from[row]) + 1
	return w.tokens[at : at+w.counted(row)]
}

// ReadInputs fills x with the inputs of windows, Width for each: tokens as numbers.
func (w *Windows) ReadInputs(x []float32, rows []int) {
	for i, row := range rows {
		to := x[i*w.width : (i+1)*w.width]
		tokens := w.inputs(row)
		for j, t := range tokens {
			to[j] = float32(t)
		}
		clear(to[len(tokens):]) // Padding is 0
	}
}

// ReadLabels fills to with the labels of windows, Targets for each.
func (w *Windows) ReadLabels(to []int32, rows []int) {
	for i, row := range rows {
		to := to[i*w.width : (i+1)*w.width]
		for j := copy(to, w.labels(row)); j < w.width; j++ {
			to[j] = Ignored
		}
	}
}

// cut makes windows of one text: the tokens from the first of it on, and where sentences begin in it.
// A window begins every stride tokens, or with starts at the first sentence from there; none begins
// at a text's last token.
func (w *Windows) cut(begin int, starts []int32, stride int) {
	first, end := int32(begin), int32(len(w.tokens))
	next := 0 // of starts
	for at := int32(0); ; at += int32(stride) {
		if starts != nil {
			for next < len(starts) && starts[next] < at {
				next++
			}
			if next == len(starts) {
				return
			}
			at = starts[next]
		}
		if first+at+1 >= end {
			return
		}
		w.from, w.end = append(w.from, first+at), append(w.end, end)
	}
}

// digest adds what the windows hold.
func (w *Windows) digest(h hash.Hash) {
	const some = 1024
	b := make([]byte, 0, 4*some)
	for _, list := range [][]int32{{int32(w.width), int32(len(w.tokens)), int32(len(w.from))}, w.tokens, w.from, w.end} {
		for values := range slices.Chunk(list, some) {
			b = b[:0]
			for _, v := range values {
				b = binary.LittleEndian.AppendUint32(b, uint32(v))
			}
			h.Write(b)
		}
	}
}

func newDigest() hash.Hash { return sha256.New() }

func (w *Windows) bytes() int64 { return 4 * int64(len(w.tokens)+len(w.from)+len(w.end)) }
