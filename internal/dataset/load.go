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

	"railyard/internal/input"
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

// Size is how many images a set has, and how large they are, as the headers of its files say.
type Size struct{ Train, Test, Rows, Cols int }

// Bytes is what the set takes in memory: a byte for each pixel and each label.
func (s Size) Bytes() int64 { return int64(s.Train+s.Test) * (int64(s.Rows)*int64(s.Cols) + 1) }

// Measure reads the headers of the four files of a folder, and no image.
func Measure(dir string) (Size, error) {
	var n [2]int
	var rows, cols [2]int
	for i, files := range [][2]string{trainFiles, testFiles} {
		_, err := open(dir, files[0], func(r io.Reader, path string, holds int64) error {
			sizes, err := readHeader(r, path, holds, 3)
			if err == nil {
				n[i], rows[i], cols[i] = sizes[0], sizes[1], sizes[2]
			}
			return err
		})
		if err != nil {
			return Size{}, err
		}
	}
	if rows[0] != rows[1] || cols[0] != cols[1] {
		return Size{}, differentSizes(dir, rows, cols)
	}
	return Size{n[0], n[1], rows[0], cols[0]}, nil
}

func differentSizes(dir string, rows, cols [2]int) error {
	return fmt.Errorf("%s: training images are %dx%d and test images %dx%d pixels, want one size", dir, rows[0],
		cols[0], rows[1], cols[1])
}

// Load reads the four files of a folder, each plain or, if there is no plain
// one, with .gz at the end of its name. Some archives unpack to a period before
// idx (train-images.idx3-ubyte): that does as well. It ends with the context.
func Load(ctx context.Context, dir string) (*Set, error) {
	train, err := loadSplit(ctx, dir, trainFiles)
	if err != nil {
		return nil, err
	}
	test, err := loadSplit(ctx, dir, testFiles)
	if err != nil {
		return nil, err
	}
	if train.Rows != test.Rows || train.Cols != test.Cols {
		return nil, differentSizes(dir, [2]int{train.Rows, test.Rows}, [2]int{train.Cols, test.Cols})
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

// find opens the file of a folder that has the name or a variant of it.
func find(dir, name string) (f *os.File, length int64, err error) {
	dotted := strings.Replace(name, "-idx", ".idx", 1)
	for _, variant := range []string{name, name + ".gz", dotted, dotted + ".gz"} {
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
	return nil, 0, fmt.Errorf("%s: has no %s, plain or .gz, want MNIST's four files: %s, %s, %s, %s", dir, name,
		trainFiles[0], trainFiles[1], testFiles[0], testFiles[1])
}
