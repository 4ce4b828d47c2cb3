package run

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/learn/dataset"
)

// A network's file that says image, and no more, takes images as large as a folder has them: idx files, and pictures.
func TestAnImageIsAsLargeAsTheFolders(t *testing.T) {
	dir := t.TempDir()
	network := filepath.Join(dir, "net.txt")
	if err := os.WriteFile(network, []byte("image\nflatten\ndense units=10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	drawn := dataset.Drawn{Kind: dataset.Shapes, Dir: filepath.Join(dir, "shapes"), Train: 20, Test: 10, Seed: 1, Side: 20}
	if err := drawn.Ensure(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	pictures := filepath.Join(dir, "pictures")
	for _, part := range []string{"train", "test"} {
		for class := range 2 {
			of := filepath.Join(pictures, part, fmt.Sprint(class))
			if err := os.MkdirAll(of, 0o700); err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(filepath.Join(of, "a.png"))
			if err != nil {
				t.Fatal(err)
			}
			if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 13, 9))); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for data, want := range map[string]int{
		fmt.Sprintf("%q", drawn.Dir):                                      3 * 20 * 20,
		fmt.Sprintf("{images: {dir: %q, colour: false}}", pictures):       9 * 13,
		fmt.Sprintf("{images: {dir: %q}}", pictures):                      3 * 9 * 13,
		fmt.Sprintf("{images: {dir: %q, side: 7}}", pictures):             3 * 7 * 7,
		fmt.Sprintf("%q", filepath.Join(dir, "that folder is not there")): 28 * 28, // whoever reads it says so
	} {
		p, err := NewPlan(read(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 1}}
job:
  train: {model: file, network: %q, data: %s, batch: 1, lr: 0.1}
`, network, data)))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Jobs[0].Model.Inputs(); got != want {
			t.Errorf("%s: %d inputs, want %d", data, got, want)
		}
	}
}
