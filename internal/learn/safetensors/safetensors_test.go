package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *File {
	return &File{
		Metadata: map[string]string{"step": "20", "a": "<\u00e9>"},
		Tensors: []Tensor{
			{Name: "layers.1.weight", Shape: []int{2, 3}, Data: []float32{1, -2, 3.5, float32(math.Inf(1)), 0, 1e-40}},
			{Name: "empty", Shape: []int{0, 7}, Data: []float32{}},
			{Name: "layers.1.bias", Shape: []int{2}, Data: []float32{7, 8}},
			{Name: "scalar", Shape: []int{}, Data: []float32{9}},
		},
	}
}

func written(t testing.TB, f *File) []byte {
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	b := written(t, sample())
	got, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), got); d != "" {
		t.Error(d)
	}
	if !bytes.Equal(b, written(t, got)) {
		t.Error("written again, other bytes")
	}
	if n := binary.LittleEndian.Uint64(b); n%alignment != 0 || b[lengthBytes] != '{' {
		t.Errorf("a header of %d bytes that begins with %q, want a multiple of %d and {", n, b[lengthBytes], alignment)
	}
}

// The layout does not move: files are kept for years.
func TestBytesAreFixed(t *testing.T) {
	want, err := os.ReadFile("testdata/sample.hex")
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.Dump(written(t, sample())); got != string(want) {
		t.Errorf("got\n%s", got)
	}
}

func TestEveryPrefixFails(t *testing.T) {
	b := written(t, sample())
	for n := range b {
		if _, err := Read(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were taken for a file", n, len(b))
		}
	}
	if _, err := Read(append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte more was taken")
	}
}

// A flipped bit anywhere is found: in names, text and padding, too.
func TestEveryFlippedBitIsFound(t *testing.T) {
	b := written(t, sample())
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if _, err := Read(b); err == nil {
				t.Errorf("byte %d (%q), bit %d: not noticed", i, b[i], bit)
			}
			b[i] ^= 1 << bit
		}
	}
}

// raw is a file with a header and so much data, and its checksum in place of SUM.
func raw(head string, data int) []byte {
	head = strings.Replace(head, "SUM", `"sha256":"`+noChecksum+`"`, 1)
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	b = append(append(b, head...), make([]byte, data)...)
	if at := bytes.Index(b, []byte(noChecksum)); at >= 0 {
		copy(b[at:], checksumOf(b))
	}
	return b
}

func TestBrokenRulesAreNamed(t *testing.T) {
	const one = `"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	if _, err := Read(raw(`{"__metadata__":{SUM},`+one+`}  `, 4)); err != nil {
		t.Fatal(err) // or no case below says anything
	}
	for _, c := range []struct {
		head, want string
		data       int
	}{
		{` {"__metadata__":{SUM}}`, "does not begin with {", 0},
		{`{"__metadata__":{SUM}`, "ends within its JSON", 0},
		{`{"__metadata__":{SUM}}x`, `"x" follows it`, 0},
		{`{"__metadata__":{SUM},"__metadata__":{}}`, `"__metadata__" comes twice`, 0},
		{`{"__metadata__":{SUM,"a":"1","a":"2"}}`, `"a" comes twice`, 0},
		{`{"__metadata__":{SUM,"a":1}}`, `"a" is 1, want text`, 0},
		{`{"__metadata__":[]}`, "want an object", 0},
		{`{` + one + `}`, "no sha256 in __metadata__", 4},
		{`{"__metadata__":{"sha256":"abc"},` + one + `}`, `checksum "abc", want 64`, 4},
		{`{"__metadata__":{SUM},` + one + `,` + one + `}`, `"a" comes twice`, 4},
		{`{"__metadata__":{SUM},` + one + `}`, "5 bytes of data, want 4", 5},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, "lies at 4 of the data, want 0", 8},
		{`{"__metadata__":{SUM},` + one + `,"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, "lies at 2", 6},
		{`{"__metadata__":{SUM},` + one + `,"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`, "lies at 8", 12},
		{`{"__metadata__":{SUM},"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`, `dtype "F16", want F32`, 4},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, "want 8 bytes for shape", 4},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, "at least 0", 4},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, "2^61", 0},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, "two data_offsets", 4},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","data_offsets":[0,4]}}`, "want dtype, shape", 4},
		{`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}`, "unknown field", 4},
	} {
		if _, err := Read(raw(c.head, c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.head, err, c.want)
		}
	}
	long := binary.LittleEndian.AppendUint64(nil, maxHeader+1)
	if _, err := Read(append(long, make([]byte, maxHeader+1)...)); err == nil || !strings.Contains(err.Error(), "want at most") {
		t.Errorf("a long header: %v", err)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	for name, f := range map[string]*File{
		"the checksum's key": {Metadata: map[string]string{checksumKey: ""}},
		"a name twice":       {Tensors: []Tensor{{Name: "a", Data: []float32{1}}, {Name: "a", Data: []float32{1}}}},
		"metadata's name":    {Tensors: []Tensor{{Name: metadataKey, Data: []float32{1}}}},
		"another shape":      {Tensors: []Tensor{{Name: "a", Shape: []int{2}, Data: []float32{1}}}},
		"no UTF-8":           {Metadata: map[string]string{"a": "\xff"}},
	} {
		var b bytes.Buffer
		if err := f.Write(&b); err == nil || b.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes written", name, err, b.Len())
		}
	}
}

// Text that looks like the checksum does not move it.
func TestTheChecksumIsFoundAmongItsLikes(t *testing.T) {
	f := sample()
	f.Metadata["aaa"] = `sha256":"` + noChecksum
	f.Metadata[`"sha256`] = noChecksum
	f.Metadata["zero"] = noChecksum
	if _, err := Read(written(t, f)); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, sample()))
	f.Add(raw(`{"__metadata__":{SUM},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read(b)
		if err != nil {
			return
		}
		again, err := Read(written(t, got))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(again.Metadata, got.Metadata); d != "" || len(again.Tensors) != len(got.Tensors) {
			t.Fatal(d)
		}
	})
}

// checksumOf is the checksum of a file that has zeros in its place.
func checksumOf(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
