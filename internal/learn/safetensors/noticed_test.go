package safetensors

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// Tensors are put in the order of their data, those of no bytes before the one that begins where they lie; holes are told.
func TestPlacesInAnyOrder(t *testing.T) {
	f := File{Tensors: []Tensor{{Name: "c"}, {Name: "b"}, {Name: "empty"}, {Name: "a"}}}
	if err := f.place([]span{{12, 16}, {4, 12}, {4, 4}, {0, 4}}, 16); err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range f.Tensors {
		got += f.Tensors[i].Name + " "
	}
	if got != "a empty b c " {
		t.Errorf("%s", got)
	}
	f = File{Tensors: []Tensor{{Name: "a"}, {Name: "b"}}}
	if err := f.place([]span{{0, 4}, {5, 8}}, 8); err == nil {
		t.Error("a hole is taken")
	}
}

// A file is as long as its header says: not a byte more or less.
func TestLengthOfAFile(t *testing.T) {
	const header = `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for length, good := range map[int64]bool{int64(len(head)) + 8: true, int64(len(head)) + 7: false, int64(len(head)) + 9: false} {
		if err := Fits(bytes.NewReader(head), length); (err == nil) != good {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}
