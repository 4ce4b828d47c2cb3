package predict

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/learn/dataset"
)

// A picture has the pixels that the weights were trained on, as many channels, and may be dark on light.
func TestPicturesAreAsTheNetworkTakesThem(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"grey.pgm": "P2 2 1 255 10 200", "tall.pgm": "P2 1 2 255 1 2",
		"red.ppm": "P3 2 1 255 255 0 0 9 8 7", "notes.txt": "Dear diary"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name     string
		channels int
		invert   bool
		want     string // pixels, or what the error says
	}{
		{"grey.pgm", 0, false, "[10 200]"},
		{"grey.pgm", 0, true, "[245 55]"},
		{"grey.pgm", 1, false, "[10 200]"},
		{"grey.pgm", 3, false, "[10 200 10 200 10 200]"},
		{"red.ppm", 3, false, "[255 9 0 8 0 7]"},
		{"red.ppm", 3, true, "[0 246 255 247 255 248]"},
		{"tall.pgm", 0, false, "tall.pgm: 2x1 pixels, the weights were trained on 1x2: want that, grey"},
		{"tall.pgm", 3, false, "tall.pgm: 2x1x3 pixels, the weights were trained on 1x2x3: want that"},
		{"notes.txt", 0, false, "want a PNG, PGM or PPM file"},
		{"none.pgm", 0, false, "none.pgm: no such file"},
	} {
		n := classifier(t, "mse", 1)
		n.Rows, n.Cols, n.Channels = 1, 2, c.channels
		got := ""
		im, err := n.Picture(t.Context(), filepath.Join(dir, c.name), c.invert)
		if err != nil {
			got = err.Error()
		} else {
			numbers := make([]int, len(im.Pixels))
			for i, p := range im.Pixels {
				numbers[i] = int(p)
			}
			b, _ := json.Marshal(numbers)
			got = strings.ReplaceAll(string(b), ",", " ")
		}
		if !strings.Contains(got, c.want) || c.channels == 3 && strings.Contains(got, "grey") && err != nil {
			t.Errorf("%s in %d channels: %s, want %s", c.name, c.channels, got, c.want)
		}
	}
}

// Of equal scores the first class is taken; images keep their order and names; a score of minus infinity is none.
func TestClassesAndTheirOrder(t *testing.T) {
	all := classifier(t, "mse", 1).Predictions()
	for _, im := range []struct {
		name   string
		pixels []byte
		class  int
	}{{"b", []byte{255, 255}, 0}, {"a", []byte{0, 255}, 1}, {"c", []byte{0, 0}, 0}} {
		if err := all.Add(im.name, &dataset.Images{N: 1, Rows: 1, Cols: 2, Pixels: im.pixels}); err != nil {
			t.Fatal(err)
		}
		if last := all.Images[len(all.Images)-1]; last.Class != im.class || last.Image != im.name || len(last.Scores) != 2 {
			t.Errorf("%+v, want class %d of %s", last, im.class, im.name)
		}
	}
	b, err := json.Marshal(all)
	const want = `{"weights":"w","step":7,"scores":"output","images":[{"image":"b","class":0,"scores":[1,1]},` +
		`{"image":"a","class":1,"scores":[0,1]},{"image":"c","class":0,"scores":[0,0]}]}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant\n%s", b, err, want)
	}
	low := classifier(t, "mse", 0)
	low.Params[4] = float32(math.Inf(-1)) // the bias of class 0
	err = low.Predictions().Add("a", &dataset.Images{N: 1, Rows: 1, Cols: 2, Pixels: []byte{1, 2}})
	if err == nil || !strings.Contains(err.Error(), "image a: the score of class 0 is -Inf") {
		t.Errorf("%v", err)
	}
}

// A bar is 40 wide for all, rounded; one of nothing leaves no blanks behind.
func TestBarsAreRounded(t *testing.T) {
	all := &Predictions{Scores: "probability", Images: []Prediction{{Image: "x", Class: 2,
		Scores: []float64{0.0124, 0.0126, 0.975}}}}
	want := "x: 2\n    0    1.2 %\n    1    1.3 %  #\n    2   97.5 %  " + strings.Repeat("#", 39) + "\n"
	if got := all.Text(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
