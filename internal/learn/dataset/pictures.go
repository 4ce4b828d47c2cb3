package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"railyard/internal/base/input"
)

// maxClasses bounds the classes of a folder of pictures: a label is a byte.
const maxClasses = 256

// Pictures names a folder of pictures: Dir/train/CLASS/FILE and Dir/test/CLASS/FILE, PNG, PGM or
// PPM. Classes are numbered in the order of their names; names that begin with a period are left out.
type Pictures struct {
	Dir        string
	Channels   int // Grey or Colour
	Rows, Cols int // to which every picture is scaled; 0: they all must have one size, and keep it
}

// list are the pictures of a folder: their files, by class.
type list struct {
	classes []string
	files   [2][]string // to train on, to test with
	labels  [2][]byte
}

// parts are the folders of training and test pictures.
var parts = [2]string{"train", "test"}

func (p Pictures) list() (l list, err error) {
	for i, part := range parts {
		dir := filepath.Join(p.Dir, part)
		classes, err := names(dir, "a folder for each class")
		if err != nil {
			return l, err
		}
		if i == 0 {
			if l.classes = classes; len(classes) > maxClasses {
				return l, fmt.Errorf("%s: %d classes, want at most %d", dir, len(classes), maxClasses)
			}
		}
		for _, class := range classes {
			label, known := slices.BinarySearch(l.classes, class)
			if !known {
				return l, fmt.Errorf("%s: class %s is not in %s, want the same classes", dir, class,
					filepath.Join(p.Dir, parts[0]))
			}
			files, err := names(filepath.Join(dir, class), "pictures")
			if err != nil {
				return l, err
			}
			for _, f := range files {
				l.files[i], l.labels[i] = append(l.files[i], filepath.Join(dir, class, f)), append(l.labels[i], byte(label))
			}
		}
		if n := len(l.files[i]); n > MaxImages {
			return l, fmt.Errorf("%s: %d pictures, want at most %d", dir, n, MaxImages)
		}
	}
	return l, nil
}

// names are the names in a folder, sorted, at least one.
func names(dir, of string) (all []string, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such folder, want DIR/train/CLASS/PICTURE and DIR/test/CLASS/PICTURE", dir)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; want a folder with %s", dir, input.Cause(err), of)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			all = append(all, e.Name())
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: is empty, want %s", dir, of)
	}
	slices.Sort(all)
	return all, nil
}

// Measure looks which pictures there are, and reads the first: the others must have its size.
func (p Pictures) Measure(ctx context.Context) (Size, error) {
	l, err := p.list()
	if err != nil {
		return Size{}, err
	}
	return p.measure(ctx, &l)
}

func (p Pictures) measure(ctx context.Context, l *list) (Size, error) {
	s := Size{Train: len(l.files[0]), Test: len(l.files[1]), Channels: p.Channels, Rows: p.Rows, Cols: p.Cols}
	if p.Rows == 0 {
		first, err := ReadPicture(ctx, l.files[0][0], p.Channels)
		if err != nil {
			return Size{}, err
		}
		s.Rows, s.Cols = first.Rows, first.Cols
	}
	if b := s.Bytes(); b > maxBytes {
		return Size{}, fmt.Errorf("%s: %d pictures of %s pixels are %d bytes, want at most %d", p.Dir, s.Train+s.Test,
			s.Pixels(), b, maxBytes)
	}
	return s, nil
}

// Load reads all pictures. Progress, if not nil, is told how many there are already.
func (p Pictures) Load(ctx context.Context, progress func(done, total int)) (*Set, error) {
	l, err := p.list()
	if err != nil {
		return nil, err
	}
	size, err := p.measure(ctx, &l)
	if err != nil {
		return nil, err
	}
	set, done := &Set{}, 0
	for i, im := range []*Images{&set.Train, &set.Test} {
		*im = size.images(len(l.files[i]))
		copy(im.Labels, l.labels[i])
		for j, file := range l.files[i] {
			if err := p.read(ctx, file, im, j); err != nil {
				return nil, err
			}
			if done++; progress != nil {
				progress(done, size.Train+size.Test)
			}
		}
	}
	return set, nil
}

// images is room for n images.
func (s Size) images(n int) Images {
	im := Images{N: n, Channels: s.Channels, Rows: s.Rows, Cols: s.Cols, Labels: make([]byte, n)}
	im.Pixels = make([]byte, n*im.Width())
	return im
}

// read puts the picture of a file in its place.
func (p Pictures) read(ctx context.Context, file string, im *Images, at int) error {
	one, err := ReadPicture(ctx, file, p.Channels)
	if err != nil {
		return err
	}
	if p.Rows > 0 {
		one = one.scaled(im.Rows, im.Cols)
	}
	if got, want := one.Shape(), im.Shape(); got != want {
		return fmt.Errorf("%s: %s pixels, the first picture has %s: want one size, or size: to scale them all", file,
			got.Pixels(), want.Pixels())
	}
	copy(im.Pixels[at*im.Width():], one.Pixels)
	return nil
}

// scaled is one picture with other numbers of rows and columns: each new pixel is the mean of the
// area that it covers of the old ones, rounded to the nearest.
func (im *Images) scaled(rows, cols int) *Images {
	if rows == im.Rows && cols == im.Cols {
		return im
	}
	to := blankPicture(im.Channels, rows, cols)
	area := int64(im.Rows) * int64(im.Cols)
	down, across := spans(rows, im.Rows), spans(cols, im.Cols)
	for ch := range im.Channels {
		from := im.Pixels[ch*im.Rows*im.Cols:]
		for y := range rows {
			for x := range cols {
				sum := int64(0)
				for _, r := range down[y] {
					for _, c := range across[x] {
						sum += r.weight * c.weight * int64(from[r.at*im.Cols+c.at])
					}
				}
				to.Pixels[(ch*rows+y)*cols+x] = byte((sum + area/2) / area)
			}
		}
	}
	return to
}

// A span is an old pixel under a new one, with how much of it is, in parts that sum to the number of
// old pixels.
type span struct {
	at     int
	weight int64
}

// spans are for each of n new pixels the old ones that lie under it.
func spans(n, old int) [][]span {
	all := make([][]span, n)
	for i := range all {
		lo, hi := i*old, (i+1)*old // in parts of which an old pixel has n
		for at := lo / n; at*n < hi; at++ {
			all[i] = append(all[i], span{at, int64(min(hi, (at+1)*n) - max(lo, at*n))})
		}
	}
	return all
}
