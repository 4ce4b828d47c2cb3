package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxBytes bounds what one file may hold.
const maxBytes = 1 << 30

const (
	magicLabels = 0x0801 // unsigned bytes, one dimension: n
	magicImages = 0x0803 // unsigned bytes, three: n, rows, columns
)

// Images are N grey pictures of Rows x Cols bytes (0: paper, 255: ink), one
// after the other, row by row, with one label each.
type Images struct {
	N, Rows, Cols int
	Pixels        []byte // len N*Rows*Cols
	Labels        []byte // len N: 0 to 255
}

// A fileError places what is wrong in a file.
type fileError struct {
	file   string
	offset int64
	what   string
}

func (e *fileError) Error() string {
	return fmt.Sprintf("%s: offset %d: %s", e.file, e.offset, e.what)
}

// readIDX reads one file of dims dimensions: its sizes and its bytes. No more
// than holds bytes can come (as the caller knows from the length of the file).
func readIDX(r io.Reader, file string, holds int64, dims int) (sizes []int, data []byte, err error) {
	fail := func(offset int64, format string, args ...any) ([]int, []byte, error) {
		return nil, nil, &fileError{file, offset, fmt.Sprintf(format, args...)}
	}
	head := make([]byte, 4+4*dims)
	if n, err := io.ReadFull(r, head); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fail(int64(n), "the file ends inside its header, want %d bytes of it", len(head))
		}
		return fail(int64(n), "%v", err)
	}
	want := uint32(0x0800 + dims)
	if magic := binary.BigEndian.Uint32(head); magic != want {
		return fail(0, "magic number 0x%08x%s, want 0x%08x (unsigned bytes, %d dimensions)", magic, looksLike(magic), want, dims)
	}
	total := uint64(1)
	for i := range dims {
		at := 4 + 4*i
		size := binary.BigEndian.Uint32(head[at:])
		if size == 0 {
			return fail(int64(at), "size of dimension %d is 0, want at least 1", i)
		}
		if total *= uint64(size); total > maxBytes {
			return fail(int64(at), "size of dimension %d is %d: %d bytes or more, want at most %d", i, size, total, maxBytes)
		}
		sizes = append(sizes, int(size))
	}
	// Room for all at once, but a header alone reserves nothing.
	var body bytes.Buffer
	body.Grow(int(min(int64(total), holds)) + 1 + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(r, int64(total)+1))
	at := int64(len(head)) + n
	switch {
	case err != nil:
		return fail(at, "%v", err)
	case n < int64(total):
		return fail(at, "the file ends after %d of %d data bytes", n, total)
	case n > int64(total):
		return fail(at-1, "bytes follow the last of %d data bytes, want the end of the file", total)
	}
	return sizes, body.Bytes(), nil
}

// looksLike says what a file with the wrong magic number may be.
func looksLike(magic uint32) string {
	switch {
	case magic == magicLabels:
		return " (a file of labels)"
	case magic == magicImages:
		return " (a file of images)"
	case magic>>16 == 0x1f8b:
		return " (a gzip file: its name lacks .gz)"
	}
	return ""
}

func readImages(r io.Reader, file string, holds int64) (Images, error) {
	sizes, pixels, err := readIDX(r, file, holds, 3)
	if err != nil {
		return Images{}, err
	}
	return Images{N: sizes[0], Rows: sizes[1], Cols: sizes[2], Pixels: pixels}, nil
}

func readLabels(r io.Reader, file string, holds int64) ([]byte, error) {
	_, labels, err := readIDX(r, file, holds, 1)
	return labels, err
}

// imagesHeader and labelsHeader are what precedes the bytes.
func imagesHeader(im *Images) []byte {
	return header(magicImages, im.N, im.Rows, im.Cols)
}

func labelsHeader(im *Images) []byte { return header(magicLabels, im.N) }

func header(words ...int) []byte {
	var b []byte
	for _, w := range words {
		b = binary.BigEndian.AppendUint32(b, uint32(w))
	}
	return b
}
