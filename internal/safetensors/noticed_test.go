package safetensors

import "testing"

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
