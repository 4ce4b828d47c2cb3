package dataset

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"railyard/internal/base/input"
)

// A Set is a training set and the test set that belongs to it.
type Set struct {
	Train, Test Images
}

// The standard names of MNIST's files, images and labels.
var (
	trainFiles = [2]string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"}
	testFiles  = [2]string{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}
)

// Size is what a run has to know of its data before it reads them: how many examples there are, and
// how large they are.
type Size struct {
	Train, Test          int
	Channels, Rows, Cols int   // of an image; no channels are one
	Text                 int64 // bytes that tokens and windows take: there are no images
}

// Bytes is what the data take in memory: for an image a byte for each value and its label.
func (s Size) Bytes() int64 {
	if s.Text > 0 {
		return s.Text
	}
	return int64(s.Train+s.Test) * (int64(max(s.Channels, Grey))*int64(s.Rows)*int64(s.Cols) + 1)
}

// Pixels says how large an image is, in words.
func (s Size) Pixels() string {
	if s.Channels == Colour {
		return fmt.Sprintf("%dx%dx%d", s.Rows, s.Cols, s.Channels)
	}
	return fmt.Sprintf("%dx%d", s.Rows, s.Cols)
}

// Shape is how large the images are.
func (im *Images) Shape() Size { return Size{Channels: im.Channels, Rows: im.Rows, Cols: im.Cols} }

// Measure reads the headers of the four files of a folder, and no image.
func Measure(dir string) (Size, error) {
	var parts [2]Images
	for i, files := range [][2]string{trainFiles, testFiles} {
		_, err := open(dir, files[0], func(r io.Reader, path string, holds int64) error {
			sizes, err := readHeader(r, path, holds, 3, 4)
			if err == nil {
				parts[i] = shaped(sizes)
			}
			return err
		})
		if err != nil {
			return Size{}, err
		}
	}
	return sizeOf(dir, &parts[0], &parts[1])
}

// sizeOf is the size of a set whose images must be alike.
func sizeOf(dir string, train, test *Images) (Size, error) {
	s := train.Shape()
	if s != test.Shape() {
		return Size{}, fmt.Errorf("%s: training images are %s and test images %s pixels, want one size", dir, s.Pixels(),
			test.Shape().Pixels())
	}
	s.Train, s.Test = train.N, test.N
	return s, nil
}

// Load reads the four files of a folder, each plain or, if there is no plain
// one, with .gz at the end of its name. Some archives unpack to a period before
// idx (train-images.idx3-ubyte): that does as well. Images in colour have four
// dimensions, and idx4 in the name if there is no such file with idx3. It ends with the context.
func Load(ctx context.Context, dir string) (*Set, error) {
	train, err := loadSplit(ctx, dir, trainFiles)
	if err != nil {
		return nil, err
	}
	test, err := loadSplit(ctx, dir, testFiles)
	if err != nil {
		return nil, err
	}
	if _, err := sizeOf(dir, &train, &test); err != nil {
		return nil, err
	}
	return &Set{Train: train, Test: test}, nil
}

func loadSplit(ctx context.Context, dir string, files [2]string) (im Images, err error) {
	path, err := open(dir, files[0], func(r io.Reader, path string, holds int64) (err error) {
		im, err = readImages(ctx, r, path, holds)
		return err
	})
	if err != nil {
		return Images{}, err
	}
	_, err = open(dir, files[1], func(r io.Reader, labelPath string, holds int64) error {
		sizes, err := readHeader(r, labelPath, holds, 1)
		if err != nil {
			return err
		}
		if sizes[0] != im.N { // before room is made for them
			return fmt.Errorf("%s: %d labels for the %d images of %s, want as many", labelPath, sizes[0], im.N, path)
		}
		im.Labels, err = readBody(ctx, r, labelPath, sizes)
		return err
	})
	if err != nil {
		return Images{}, err
	}
	return im, nil
}

// open hands a file's contents to read, decompressed, with a bound on their
// length, and closes the file.
func open(dir, name string, read func(r io.Reader, path string, holds int64) error) (path string, err error) {
	f, length, err := find(dir, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if path = f.Name(); filepath.Ext(path) != ".gz" {
		return path, read(f, path, length)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("%s: offset 0: %v, want a gzip file", path, err)
	}
	return path, read(z, path, max(packedFree, packedRatio*length))
}

// variants are the names that a file may have.
func variants(name string) (all []string) {
	for _, n := range []string{name, strings.Replace(name, "-idx3", "-idx4", 1)} {
		dotted := strings.Replace(n, "-idx", ".idx", 1)
		all = append(all, n, n+".gz", dotted, dotted+".gz")
	}
	return all
}

// find opens the file of a folder that has the name or a variant of it.
func find(dir, name string) (f *os.File, length int64, err error) {
	for _, variant := range variants(name) {
		f, length, err := input.Open(filepath.Join(dir, variant))
		if err == nil {
			return f, length, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, 0, fmt.Errorf("%s: %w", filepath.Join(dir, variant), err)
		}
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, fmt.Errorf("%s: no such folder; paths are relative to the directory in which railyard is run",
			dir)
	case err != nil:
		return nil, 0, fmt.Errorf("%s: %w", dir, input.Cause(err))
	case !info.IsDir():
		return nil, 0, fmt.Errorf("%s: is a file, want the folder with MNIST's four files", dir)
	}
	return nil, 0, fmt.Errorf("%s: has no %s, plain or .gz, want MNIST's four files: %s, %s, %s, %s; in colour idx4",
		dir, name, trainFiles[0], trainFiles[1], testFiles[0], testFiles[1])
}
