package dataset

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// Load reads the four files of a folder, each plain or, if there is no plain
// one, with .gz at the end of its name.
func Load(dir string) (*Set, error) {
	train, err := loadSplit(dir, trainFiles)
	if err != nil {
		return nil, err
	}
	test, err := loadSplit(dir, testFiles)
	if err != nil {
		return nil, err
	}
	if train.Rows != test.Rows || train.Cols != test.Cols {
		return nil, fmt.Errorf("%s: training images are %dx%d and test images %dx%d pixels, want one size",
			dir, train.Rows, train.Cols, test.Rows, test.Cols)
	}
	return &Set{Train: train, Test: test}, nil
}

func loadSplit(dir string, files [2]string) (Images, error) {
	var im Images
	var labels []byte
	path, err := open(dir, files[0], func(r io.Reader, path string, holds int64) (err error) {
		im, err = readImages(r, path, holds)
		return err
	})
	if err != nil {
		return Images{}, err
	}
	labelPath, err := open(dir, files[1], func(r io.Reader, path string, holds int64) (err error) {
		labels, err = readLabels(r, path, holds)
		return err
	})
	if err != nil {
		return Images{}, err
	}
	if len(labels) != im.N {
		return Images{}, fmt.Errorf("%s: %d labels for the %d images of %s, want as many", labelPath, len(labels), im.N, path)
	}
	im.Labels = labels
	return im, nil
}

// open hands a file's contents to read, decompressed, with a bound on their
// length, and closes the file.
func open(dir, name string, read func(r io.Reader, path string, holds int64) error) (path string, err error) {
	path = filepath.Join(dir, name)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
		f, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: has no %s, plain or .gz, want MNIST's four files: %s, %s, %s, %s", dir, name,
			trainFiles[0], trainFiles[1], testFiles[0], testFiles[1])
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if filepath.Ext(path) != ".gz" {
		return path, read(f, path, info.Size())
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("%s: offset 0: %v, want a gzip file", path, err)
	}
	const ratio = 1032 // the most that deflate can compress by
	return path, read(z, path, ratio*info.Size())
}
