package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	lengthBytes = 8
	alignment   = 8        // of the data
	maxHeader   = 16 << 20 // the format takes 100 MB; 16 MiB name some 100,000 tensors
	elemBytes   = 4
	dtype       = "F32"
	metadataKey = "__metadata__"
	checksumKey = "sha256"
)

// noChecksum stands in for the checksum while it is made; beforeChecksum is what precedes it in a
// file that is written, with room for the length.
var (
	noChecksum     = strings.Repeat("0", hex.EncodedLen(sha256.Size))
	beforeChecksum = strings.Repeat("\x00", lengthBytes) + `{"` + metadataKey + `":{"` + checksumKey + `":"`
)

// A Tensor is a named array of float32, row by row.
type Tensor struct {
	Name  string
	Shape []int // outermost first; empty: one number
	Data  []float32
}

// A File is what a file says: tensors in the order of their data, and text about them.
type File struct {
	Metadata map[string]string // without the checksum
	Tensors  []Tensor
}

// entry is a tensor in the header.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// Write writes a file, and nothing of one that cannot be written.
func (f *File) Write(w io.Writer) error {
	head, err := f.header()
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write(head)
	f.writeData(sum) // a hash takes everything
	copy(head[len(beforeChecksum):], hexadecimal(sum))
	if _, err := w.Write(head); err != nil {
		return err
	}
	return f.writeData(w)
}

// header returns the length and the header, with zeros for the checksum.
func (f *File) header() ([]byte, error) {
	for k, v := range f.Metadata {
		if k == checksumKey {
			return nil, fmt.Errorf("safetensors: metadata has %q, which is the checksum's", k)
		}
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, fmt.Errorf("safetensors: metadata %q: %q is no UTF-8", k, v)
		}
	}
	b := bytes.NewBufferString(beforeChecksum + noChecksum + `"`)
	for _, k := range slices.Sorted(maps.Keys(f.Metadata)) {
		b.WriteByte(',')
		putJSON(b, k)
		b.WriteByte(':')
		putJSON(b, f.Metadata[k])
	}
	b.WriteByte('}')
	names, at := map[string]bool{metadataKey: true}, int64(0)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if names[t.Name] || !utf8.ValidString(t.Name) {
			return nil, fmt.Errorf("safetensors: tensor %q: the name is used already, or is no UTF-8", t.Name)
		}
		names[t.Name] = true
		n, err := elements(t.Shape)
		if err != nil || n != int64(len(t.Data)) {
			return nil, fmt.Errorf("safetensors: tensor %q has shape %v and %d elements", t.Name, t.Shape, len(t.Data))
		}
		b.WriteByte(',')
		putJSON(b, t.Name)
		b.WriteByte(':')
		putJSON(b, entry{dtype, append([]int{}, t.Shape...), [2]int64{at, at + elemBytes*n}})
		at += elemBytes * n
	}
	b.WriteByte('}')
	for b.Len()%alignment != 0 {
		b.WriteByte(' ')
	}
	head := b.Bytes()
	if len(head)-lengthBytes > maxHeader {
		return nil, fmt.Errorf("safetensors: a header of %d bytes, want at most %d", len(head)-lengthBytes, maxHeader)
	}
	binary.LittleEndian.PutUint64(head, uint64(len(head)-lengthBytes))
	return head, nil
}

// putJSON writes a value, of types that always have one.
func putJSON(b *bytes.Buffer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("safetensors: %v", err))
	}
	b.Write(text)
}

func hexadecimal(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

func (f *File) writeData(w io.Writer) error {
	const piece = 1 << 14 // elements
	b := make([]byte, 0, elemBytes*piece)
	for i := range f.Tensors {
		for data := f.Tensors[i].Data; len(data) > 0; data = data[min(piece, len(data)):] {
			b = b[:0]
			for _, v := range data[:min(piece, len(data))] {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// elements returns how many a shape has.
func elements(shape []int) (int64, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt64/elemBytes/int64(d) {
			return 0, fmt.Errorf("shape %v: want sizes of at least 0 and fewer than 2^61 elements", shape)
		}
		n *= int64(d)
	}
	return n, nil
}
