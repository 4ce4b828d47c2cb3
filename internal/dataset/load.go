package dataset

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
// one, with .gz at the end of its name. Some archives unpack to a period before
// idx (train-images.idx3-ubyte): that does as well.
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
	f, err := find(dir, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	path = f.Name()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s: is a folder, want a file", path)
	case filepath.Ext(path) != ".gz":
		return path, read(f, path, info.Size())
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("%s: offset 0: %v, want a gzip file", path, err)
	}
	const ratio = 1032 // the most that deflate can compress by
	return path, read(z, path, ratio*info.Size())
}

// find opens the file of a folder that has the name or a variant of it.
func find(dir, name string) (*os.File, error) {
	dotted := strings.Replace(name, "-idx", ".idx", 1)
	for _, variant := range []string{name, name + ".gz", dotted, dotted + ".gz"} {
		f, err := os.Open(filepath.Join(dir, variant))
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, variant), bare(err))
		}
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such folder; paths are relative to the directory in which railyard is run", dir)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, bare(err))
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is a file, want the folder with MNIST's four files", dir)
	}
	return nil, fmt.Errorf("%s: has no %s, plain or .gz, want MNIST's four files: %s, %s, %s, %s", dir, name,
		trainFiles[0], trainFiles[1], testFiles[0], testFiles[1])
}

// bare drops operation and path of a file error: the message names the file.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
