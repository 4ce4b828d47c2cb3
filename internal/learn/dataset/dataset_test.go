package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func idx(dims int, words []int, data ...byte) []byte {
	return append(header(append([]int{0x0800 + dims}, words...)...), data...)
}

// folder writes the four files of a tiny set: two 1x2 training images, one test image.
func folder(t *testing.T, change map[string][]byte) string {
	t.Helper()
	files := map[string][]byte{
		trainFiles[0]: idx(3, []int{2, 1, 2}, 1, 2, 3, 4),
		trainFiles[1]: idx(1, []int{2}, 9, 0),
		testFiles[0]:  idx(3, []int{1, 1, 2}, 5, 6),
		testFiles[1]:  idx(1, []int{1}, 7),
	}
	dir := t.TempDir()
	for name, data := range change {
		delete(files, strings.TrimSuffix(name, ".gz"))
		if data != nil {
			files[name] = data
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func packed(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLoadReadsPlainAndPackedFiles(t *testing.T) {
	for _, change := range []map[string][]byte{
		nil,
		{trainFiles[0] + ".gz": packed(t, idx(3, []int{2, 1, 2}, 1, 2, 3, 4)),
			testFiles[1] + ".gz": packed(t, idx(1, []int{1}, 7))},
	} {
		set, err := Load(context.Background(), folder(t, change))
		if err != nil {
			t.Fatal(err)
		}
		if a := set.Train; a.N != 2 || a.Rows != 1 || a.Cols != 2 || !slices.Equal(a.Pixels, []byte{1, 2, 3, 4}) ||
			!slices.Equal(a.Labels, []byte{9, 0}) {
			t.Errorf("train %+v", a)
		}
		if a := set.Test; a.N != 1 || !slices.Equal(a.Pixels, []byte{5, 6}) || !slices.Equal(a.Labels, []byte{7}) {
			t.Errorf("test %+v", a)
		}
	}
}

func TestLoadErrorsNameFileOffsetValueAndWant(t *testing.T) {
	images, labels := trainFiles[0], trainFiles[1]
	good := idx(3, []int{2, 1, 2}, 1, 2, 3, 4)
	for _, c := range []struct {
		file string
		data []byte
		want string
	}{
		{images, nil, "has no train-images-idx3-ubyte, plain or .gz, want MNIST's four files"},
		{images, good[:10], "images-idx3-ubyte: offset 10: the file ends inside its header, want 16 bytes"},
		{images, idx(1, []int{2, 1, 2}, 1, 2, 3, 4),
			"offset 0: magic number 0x00000801 (a file of labels), want 0x00000803"},
		{images, idx(3, []int{0, 1, 2}), "offset 4: size of dimension 0 is 0, want at least 1"},
		{images, idx(3, []int{1 << 20, 1 << 9, 3}),
			"offset 12: size of dimension 2 is 3: 1610612736 bytes or more, want at most 1073741824"},
		{images, idx(3, []int{-1, -1, -1}), "offset 4: size of dimension 0 is 4294967295"},
		{images, good[:19], "offset 19: the file ends after 3 of 4 data bytes"},
		{images, append(slices.Clone(good), 0),
			"offset 20: bytes follow the last of 4 data bytes, want the end of the file"},
		{images, idx(3, []int{2, 2, 1}, 1, 2, 3, 4),
			"training images are 2x1 and test images 1x2 pixels, want one size"},
		{images, idx(3, []int{1, 1, 2}, 1, 2), "labels-idx1-ubyte: 2 labels for the 1 images of"},
		{labels, idx(3, []int{2, 1, 2}, 1, 2, 3, 4), "magic number 0x00000803 (a file of images), want 0x00000801"},
		{images, packed(t, good), "(a gzip file: its name lacks .gz)"},
		{labels, idx(1, []int{3}, 0, 1, 2), "3 labels for the 2 images"},
		{images + ".gz", good, "train-images-idx3-ubyte.gz: offset 0: gzip: invalid header, want a gzip file"},
		{images + ".gz", packed(t, good)[:30], "ubyte.gz: offset"},
		{images + ".gz", packed(t, append(slices.Clone(good), 1)), "bytes follow"},
		{images + ".gz", append(packed(t, good), 'x'), "ubyte.gz: offset"},
	} {
		_, err := Load(context.Background(), folder(t, map[string][]byte{c.file: c.data}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %x:\n got %v\nwant %s", c.file, c.data, err, c.want)
		}
	}
}

// What is no folder of files says what it is; labels are any byte, and a period does for a hyphen.
func TestLoadLooksForTheFiles(t *testing.T) {
	dir := folder(t, nil)
	fails := func(dir, want string) {
		t.Helper()
		if _, err := Load(context.Background(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", dir, err, want)
		}
	}
	fails(filepath.Join(dir, "none"), "none: no such folder; paths are relative to the directory")
	fails(filepath.Join(dir, testFiles[0]), testFiles[0]+": is a file, want the folder")
	dotted := strings.Replace(trainFiles[1], "-idx", ".idx", 1)
	if err := os.WriteFile(filepath.Join(dir, dotted+".gz"), packed(t, idx(1, []int{2}, 25, 255)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, trainFiles[1])); err != nil {
		t.Fatal(err)
	}
	set, err := Load(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Train.Labels, []byte{25, 255}) {
		t.Errorf("labels %v, want 25 and 255", set.Train.Labels)
	}
	if err := os.Mkdir(filepath.Join(dir, trainFiles[1]), 0o755); err != nil {
		t.Fatal(err)
	}
	fails(dir, trainFiles[1]+": is a folder, want a regular file")
}

// Every strict prefix of a file is an error.
func TestPrefixesAreErrors(t *testing.T) {
	good := idx(3, []int{2, 1, 2}, 1, 2, 3, 4)
	for n := range good {
		if _, err := readImages(context.Background(), bytes.NewReader(good[:n]), "f", int64(n)); err == nil {
			t.Errorf("%d of %d bytes were accepted", n, len(good))
		}
	}
}

// What is accepted is written back to the same bytes; and a short file with a
// large header costs no memory.
func FuzzIDX(f *testing.F) {
	f.Add(idx(3, []int{2, 1, 2}, 1, 2, 3, 4))
	f.Add(idx(1, []int{2}, 1, 9))
	f.Add(idx(3, []int{1 << 10, 1 << 10, 1 << 10}, 1))
	f.Add(idx(1, []int{1}, 200))
	f.Add(idx(4, []int{1, 3, 1, 2}, 1, 2, 3, 4, 5, 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		if im, err := readImages(context.Background(), bytes.NewReader(data), "f", int64(len(data))); err == nil {
			if back := append(imagesHeader(&im), im.Pixels...); !bytes.Equal(back, data) {
				t.Errorf("images: %x read and written is %x", data, back)
			}
		}
		r := bytes.NewReader(data)
		sizes, err := readHeader(r, "f", int64(len(data)), 1)
		if err != nil {
			return
		}
		if labels, err := readBody(context.Background(), r, "f", sizes); err == nil {
			im := Images{N: len(labels)}
			if back := append(labelsHeader(&im), labels...); !bytes.Equal(back, data) {
				t.Errorf("labels: %x read and written is %x", data, back)
			}
		}
	})
}

// A small compressed file that holds very much is refused by its header; one that holds what images
// come to is not.
func TestPackedFilesAreBounded(t *testing.T) {
	const images = packedFree/784 + 1
	bomb := packed(t, append(idx(3, []int{images, 28, 28}), make([]byte, images*784)...))
	dir := folder(t, map[string][]byte{trainFiles[0]: nil, trainFiles[0] + ".gz": bomb})
	want := fmt.Sprintf("ubyte.gz: offset 0: %d bytes come out of it, want at most 100 times its own length (images "+
		"compress less), or 67108864: unpack it", images*784+16)
	if _, err := Load(context.Background(), dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if _, err := Measure(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("measured: %v", err)
	}
	blank := packed(t, append(idx(3, []int{60000, 28, 28}), make([]byte, 60000*784)...))
	dir = folder(t, map[string][]byte{trainFiles[0]: nil, trainFiles[0] + ".gz": blank,
		testFiles[0]:  idx(3, []int{1, 28, 28}, make([]byte, 784)...),
		trainFiles[1]: idx(1, []int{60000}, make([]byte, 60000)...)})
	if set, err := Load(context.Background(), dir); err != nil || set.Train.N != 60000 {
		t.Errorf("60,000 blank images: %v", err)
	}
}

// Headers alone say how many images there are, and what they take.
func TestMeasure(t *testing.T) {
	got, err := Measure(folder(t, nil))
	if want := (Size{Train: 2, Test: 1, Channels: 1, Rows: 1, Cols: 2}); err != nil || got != want || got.Bytes() != 3*3 {
		t.Errorf("%+v of %d bytes, %v; want %+v of 9", got, got.Bytes(), err, want)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Load(ctx, folder(t, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("loading after the end of the context: %v", err)
	}
}

// The same bytes on every processor and any number of cores: these are constants.
func TestGoldenDigits(t *testing.T) {
	d := Drawn{Train: 700, Test: 300, Seed: 1}
	const want = "1511110b0e0f0e34"
	for _, cores := range []int{1, 3} {
		before := runtime.GOMAXPROCS(cores)
		set, err := d.Make(context.Background(), nil)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		for _, b := range [][]byte{set.Train.Pixels, set.Train.Labels, set.Test.Pixels, set.Test.Labels} {
			h.Write(b)
		}
		if got := fmt.Sprintf("%x", h.Sum(nil))[:16]; got != want {
			t.Errorf("with %d cores the set is %s, want %s; if the drawing was changed on purpose, raise generation",
				cores, got, want)
		}
	}
}

func TestImageDependsOnSeedSplitAndIndexOnly(t *testing.T) {
	small, err1 := Drawn{Train: 200, Test: 200, Seed: 1}.Make(context.Background(), nil)
	large, err2 := Drawn{Train: 500, Test: 300, Seed: 1}.Make(context.Background(), nil)
	other, err3 := Drawn{Train: 200, Test: 200, Seed: 2}.Make(context.Background(), nil)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(large.Train.Pixels, small.Train.Pixels) ||
		!bytes.HasPrefix(large.Test.Labels, small.Test.Labels) {
		t.Error("more images changed the first ones")
	}
	if bytes.Equal(small.Train.Pixels, small.Test.Pixels) || bytes.Equal(small.Train.Pixels, other.Train.Pixels) {
		t.Error("two splits or seeds have the same images")
	}
}

// A larger image is the same drawing in the middle of a black frame.
func TestLargerImagesHaveAFrame(t *testing.T) {
	d := Drawn{Train: 5, Test: 3, Seed: 4}
	plain, err := d.Make(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Side = 32
	framed, err := d.Make(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if framed.Test.Rows != 32 || framed.Test.Cols != 32 || !bytes.Equal(framed.Test.Labels, plain.Test.Labels) {
		t.Fatalf("%d x %d, labels %v", framed.Test.Rows, framed.Test.Cols, framed.Test.Labels)
	}
	for i, p := range framed.Test.Pixels {
		image, row, col := i/1024, i%1024/32-2, i%32-2
		want := byte(0)
		if row >= 0 && row < Side && col >= 0 && col < Side {
			want = plain.Test.Pixels[image*Side*Side+row*Side+col]
		}
		if p != want {
			t.Fatalf("image %d, row %d, column %d is %d, want %d", image, row, col, p, want)
		}
	}
}

func TestDrawnDigitsAreBalancedAndInked(t *testing.T) {
	set, err := Drawn{Train: 5000, Test: 1, Seed: 3}.Make(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var count [10]int
	for i, label := range set.Train.Labels {
		count[label]++
		ink, edge := 0, 0
		for at, v := range set.Train.Pixels[i*Side*Side : (i+1)*Side*Side] {
			if v > 64 {
				ink++
				if y, x := at/Side, at%Side; y == 0 || x == 0 || y == Side-1 || x == Side-1 {
					edge++
				}
			}
		}
		if ink < 10 || ink > 350 || edge > 10 {
			t.Errorf("image %d (a %d) has %d dark pixels, %d of them on the edge", i, label, ink, edge)
		}
	}
	for label, n := range count {
		if n < 400 || n > 600 { // 500, standard deviation 21
			t.Errorf("label %d: %d of 5000", label, n)
		}
	}
}

func TestEnsureMakesOnceAndLoads(t *testing.T) {
	d := Drawn{Dir: filepath.Join(t.TempDir(), "data", "digits"), Train: 300, Test: 40, Seed: 7}
	var calls []int
	if err := d.Ensure(context.Background(), func(done, total int) {
		if total != 340 {
			t.Errorf("total %d, want 340", total)
		}
		calls = append(calls, done)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(calls) || calls[0] != 0 || calls[len(calls)-1] != 340 {
		t.Errorf("progress %v, want 0 rising to 340", calls)
	}
	want, err := d.Make(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(context.Background(), d.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Train.Pixels, want.Train.Pixels) ||
		!bytes.Equal(got.Test.Labels, want.Test.Labels) || got.Train.Rows != Side {
		t.Error("the folder holds something else than Make gives")
	}
	if err := d.Ensure(context.Background(), func(int, int) { t.Error("made again") }); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(d.Dir)); len(entries) != 1 {
		t.Errorf("beside the folder: %v", entries)
	}
}

func TestEnsureRefusesWhatItDidNotMake(t *testing.T) {
	made := Drawn{Dir: filepath.Join(t.TempDir(), "d"), Train: 20, Test: 10, Seed: 1}
	if err := made.Ensure(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, d Drawn, want ...string) {
		t.Helper()
		err := d.Ensure(context.Background(), nil)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v, want %q", what, err, w)
			}
		}
	}
	other := made
	other.Seed = 2
	refused("other parameters", other, "was made with train 20, test 10, seed 1", "asks for train 20, test 10, seed 2")
	other = made
	other.Side = 32
	refused("another size", other, "was made with train 20, test 10, seed 1, generation",
		"asks for train 20, test 10, seed 1, side 32, generation")
	other.Side = 65
	refused("too large", other, "side is 65 pixels, want 28 to 64")
	refused("own data", Drawn{Dir: folder(t, nil), Train: 1, Test: 1},
		"holds image data that digits did not make", "want `data: ")
	refused("own packed data",
		Drawn{Dir: folder(t, map[string][]byte{trainFiles[0] + ".gz": {1}}), Train: 1, Test: 1}, "did not make")
	refused("other files", Drawn{Dir: folder(t, map[string][]byte{trainFiles[0]: nil}), Train: 1, Test: 1},
		"not empty and has no digits.json")
	refused("a file", Drawn{Dir: filepath.Join(made.Dir, "digits.json"), Train: 1, Test: 1}, "want a folder")
	refused("no images", Drawn{Dir: "x", Train: 0, Test: 1}, "train is 0 images, want 1 to 1000000")
	refused("no dir", Drawn{Train: 1, Test: 1}, "dir is empty")

	labels := filepath.Join(made.Dir, trainFiles[1])
	data, _ := os.ReadFile(labels)
	data[8] = (data[8] + 1) % 10
	os.WriteFile(labels, data, 0o644)
	refused("changed file", made, trainFiles[1], "was changed")
	os.Remove(labels)
	refused("missing file", made, "is incomplete")
	os.WriteFile(filepath.Join(made.Dir, "digits.json"), []byte("{"), 0o644)
	refused("broken record", made, "digits.json: unexpected EOF")
}

func TestCancelledEnsureLeavesNothingBehind(t *testing.T) {
	for _, stop := range []int{0, 1, 5000} { // before, while drawing, after the last image
		parent := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		err := Drawn{Dir: filepath.Join(parent, "a", "b"), Train: 4000, Test: 1000,
			Seed: 1}.Ensure(ctx, func(done, _ int) {
			if done >= stop {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %d: error %v, want context.Canceled", stop, err)
		}
		if entries, _ := os.ReadDir(parent); len(entries) != 0 {
			t.Errorf("stopped at %d: left %v", stop, entries)
		}
	}
	// A folder that was there, empty, stays; one in a folder that cannot be made is an error.
	empty := t.TempDir()
	if err := (Drawn{Dir: empty, Train: 2, Test: 1}).Ensure(context.Background(), nil); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	below := filepath.Join(empty, "digits.json", "x", "y")
	err := Drawn{Dir: below, Train: 2, Test: 1}.Ensure(context.Background(), nil)
	if want := "digits: dir " + below + ": not a directory; want a folder"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("below a file: %v, want %s", err, want)
	}
}

func TestSinCosOfSmallAngles(t *testing.T) {
	for a := -0.6; a <= 0.6; a += 0.001 {
		if sin, cos := sinCos(a); math.Abs(sin-math.Sin(a)) > 1e-8 || math.Abs(cos-math.Cos(a)) > 1e-8 {
			t.Fatalf("sinCos(%v) = %v, %v", a, sin, cos)
		}
	}
}

func TestNormalHasUnitDeviation(t *testing.T) {
	s := newStream(1, 2, 3, 4)
	sum, square := 0.0, 0.0
	const n = 40000
	for range n {
		v := s.normal(2)
		sum, square = sum+v, square+v*v
	}
	if math.Abs(sum/n) > 0.05 || math.Abs(square/n-4) > 0.15 {
		t.Errorf("mean %v, mean square %v, want 0 and 4", sum/n, square/n)
	}
}
