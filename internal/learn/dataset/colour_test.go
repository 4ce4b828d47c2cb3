package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Images in colour are a file of four dimensions, channel by channel.
func TestColourIDX(t *testing.T) {
	red := idx(4, []int{2, 3, 1, 2}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	test := idx(4, []int{1, 3, 1, 2}, 1, 2, 3, 4, 5, 6)
	change := map[string][]byte{trainFiles[0]: nil, testFiles[0]: nil,
		"train-images-idx4-ubyte": red, "t10k-images.idx4-ubyte.gz": packed(t, test)}
	dir := folder(t, change)
	set, err := Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if a := set.Train; a.N != 2 || a.Channels != Colour || a.Rows != 1 || a.Cols != 2 || !bytes.Equal(a.Pixels, red[20:]) {
		t.Errorf("%+v", a)
	}
	size, err := Measure(dir)
	if want := (Size{Train: 2, Test: 1, Channels: 3, Rows: 1, Cols: 2}); err != nil || size != want || size.Bytes() != 3*7 {
		t.Errorf("%+v of %d bytes, %v; want %+v of 21", size, size.Bytes(), err, want)
	}
	if one, err := ReadPicture(t.Context(), filepath.Join(dir, "train-images-idx4-ubyte:1"), Grey); err != nil ||
		one.Channels != Colour || !bytes.Equal(one.Pixels, red[26:]) {
		t.Errorf("the second image: %+v, %v", one, err)
	}
	for want, wrong := range map[string][]byte{
		"offset 8: size of dimension 1 is 1, want 3 channels: images, channels, rows, columns": idx(4, []int{2, 1, 1, 2}, 1, 2),
		"training images are 1x2 and test images 1x2x3 pixels, want one size":                  idx(3, []int{2, 1, 2}, 1, 2, 3, 4),
	} {
		change["train-images-idx4-ubyte"] = wrong
		if _, err := Load(t.Context(), folder(t, change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	grey := &Set{Train: Images{N: 1, Channels: Grey, Rows: 3, Cols: 2, Pixels: red[20:26]}}
	coloured := &Set{Train: Images{N: 1, Channels: Colour, Rows: 1, Cols: 2, Pixels: red[20:26]}}
	if grey.Digest() == coloured.Digest() {
		t.Error("the same bytes in grey and in colour have one digest")
	}
}

// pictures writes a folder of pictures: by path below it, their text.
func pictures(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFolderOfPictures(t *testing.T) {
	rgb := image.NewRGBA(image.Rect(0, 0, 2, 1))
	rgb.Set(0, 0, color.RGBA{1, 2, 3, 255})
	rgb.Set(1, 0, color.RGBA{4, 5, 6, 255})
	dir := pictures(t, map[string]string{
		"train/dog/b.png": encoded(t, rgb), "train/dog/a.pgm": "P5 2 1 255 xy", "train/cat/z.ppm": "P6 2 1 255 ABCDEF",
		"test/dog/1.png": encoded(t, rgb), "train/dog/.hidden": "no picture", "test/.DS_Store": "",
	})
	p := Pictures{Dir: dir, Channels: Colour}
	set, err := p.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "ADBECF" + "xyxyxy" + "\x01\x04\x02\x05\x03\x06" // cat, then dog: a, b
	if string(set.Train.Pixels) != want || !slices.Equal(set.Train.Labels, []byte{0, 1, 1}) ||
		!slices.Equal(set.Test.Labels, []byte{1}) {
		t.Errorf("%q %v %v", set.Train.Pixels, set.Train.Labels, set.Test.Labels)
	}
	if size, err := p.Measure(t.Context()); err != nil || size != (Size{3, 1, 3, 1, 2, 0}) {
		t.Errorf("%+v, %v", size, err)
	}
	p.Rows, p.Cols = 2, 1
	if set, err = p.Load(t.Context(), nil); err != nil || string(set.Train.Pixels[:6]) != "CCDDEE" {
		t.Errorf("scaled: %q, %v", set.Train.Pixels[:6], err)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	const grey = "P5 2 1 255 xy"
	for want, files := range map[string]map[string]string{
		"train: no such folder, want DIR/train/CLASS/PICTURE and DIR/test/": {"x": ""},
		"test: no such folder":     {"train/a/1.pgm": grey},
		"test: class b is not in ": {"train/a/1.pgm": grey, "test/b/1.pgm": grey},
		"a/2.pgm: 1x1 pixels, the first picture has 1x2: want one size": {"train/a/1.pgm": grey,
			"train/a/2.pgm": "P5 1 1 255 x", "test/a/1.pgm": grey},
		"a/1.txt: want a PNG, PGM or PPM file":                      {"train/a/1.txt": "text", "test/a/1.pgm": grey},
		"a/1.ppm: the pixel in row 0, column 0 is coloured":         {"train/a/1.ppm": "P6 1 1 255 abc", "test/a/1.pgm": grey},
		"train/a: is empty, want pictures":                          {"train/a/.x": "", "test/a/1.pgm": grey},
		"train/1.pgm: not a directory; want a folder with pictures": {"train/1.pgm": grey, "test/a/1.pgm": grey},
	} {
		_, err := Pictures{Dir: pictures(t, files), Channels: Grey}.Load(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	many := map[string]string{"test/c000/1.pgm": grey}
	for i := range maxClasses + 1 {
		many[fmt.Sprintf("train/c%03d/1.pgm", i)] = grey
	}
	if _, err := (Pictures{Dir: pictures(t, many), Channels: Grey}).Measure(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "257 classes, want at most 256") {
		t.Errorf("257 classes: %v", err)
	}
}

// A new pixel is the mean of what it covers.
func TestScaling(t *testing.T) {
	one := &Images{N: 1, Channels: Grey, Rows: 2, Cols: 3, Pixels: []byte{0, 30, 60, 90, 120, 151}}
	for _, c := range []struct {
		rows, cols int
		want       []byte
	}{
		{1, 1, []byte{75}},               // 451 / 6 = 75.2
		{1, 3, []byte{45, 75, 106}},      // 105.5 rounds up
		{2, 2, []byte{10, 50, 100, 141}}, // (0 + 30/2) / 1.5; (120/2 + 151) / 1.5 = 140.7
		{4, 3, []byte{0, 30, 60, 0, 30, 60, 90, 120, 151, 90, 120, 151}},
		{2, 3, one.Pixels},
	} {
		if got := one.scaled(c.rows, c.cols); got.Rows != c.rows || got.Cols != c.cols || !slices.Equal(got.Pixels, c.want) {
			t.Errorf("%dx%d: %v, want %v", c.rows, c.cols, got.Pixels, c.want)
		}
	}
}

// The same bytes on every processor: these are constants.
func TestGoldenShapes(t *testing.T) {
	d := Drawn{Kind: Shapes, Train: 30, Test: 10, Seed: 1, Side: 48}
	set, err := d.Make(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "1d6e6d8c82a6045e"
	if got := fmt.Sprintf("%x", sha256.Sum256(append(set.Train.Pixels, set.Test.Labels...)))[:16]; got != want {
		t.Errorf("the set is %s, want %s; if the drawing was changed on purpose, raise generation", got, want)
	}
}

// Every class is drawn about as often, and the test part is another.
func TestShapes(t *testing.T) {
	set, err := Drawn{Kind: Shapes, Train: 1000, Test: 1, Seed: 2, Side: 32}.Make(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var count [10]int
	for _, l := range set.Train.Labels {
		count[l]++
	}
	for label, n := range count {
		if n < 65 || n > 135 { // 100, standard deviation 9.5
			t.Errorf("label %d: %d of 1000", label, n)
		}
	}
	if bytes.Equal(set.Train.Pixels[:3072], set.Test.Pixels) {
		t.Error("the test image is the first training image")
	}
}

// Signed distances grow by at most 1 a unit, so that edges are a pixel wide, and each shape covers
// what its class says, in squares of its radius.
func TestOutlines(t *testing.T) {
	const step = 1. / 128
	for class, want := range []float64{3.14, 2.01, 2.89, 2.04, 1.478, 1.2, 2.04, 1.2, 1.87, 1.005} {
		outline, area := outlines[class], 0.0
		for v := -1.5; v < 1.5; v += step {
			for u := -1.5; u < 1.5; u += step {
				d := outline(u, v)
				if d < 0 {
					area += step * step
				}
				if right, down := outline(u+step, v), outline(u, v+step); max(right-d, d-right, down-d, d-down) > 1.01*step {
					t.Fatalf("class %d: from %v to %v and %v beside (%v, %v)", class, d, right, down, u, v)
				}
			}
		}
		if area < want-0.03 || area > want+0.03 {
			t.Errorf("class %d covers %.3f, want %.3f", class, area, want)
		}
	}
}

func TestShapesAreKeptInColour(t *testing.T) {
	d := Drawn{Kind: Shapes, Dir: filepath.Join(t.TempDir(), "s"), Train: 3, Test: 2, Seed: 1, Side: 16}
	if err := d.Ensure(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	set, err := Load(t.Context(), d.Dir)
	if err != nil || set.Train.Channels != Colour || set.Train.N != 3 {
		t.Errorf("%v", err)
	}
	if err := d.Ensure(context.Background(), func(int, int) { t.Error("made again") }); err != nil {
		t.Error(err)
	}
	d.Kind, d.Side = Digits, 28
	if err := d.Ensure(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "digits: "+d.Dir+" exists, is not") {
		t.Errorf("as digits: %v", err)
	}
	d.Kind, d.Train, d.Side = Shapes, 1_000_000, 256
	if err := d.Ensure(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "want 1 to 5461 of 256x256") {
		t.Errorf("too large: %v", err)
	}
}
