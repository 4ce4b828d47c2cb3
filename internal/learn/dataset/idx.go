package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a file.
const (
	maxBytes    = 1 << 30  // data bytes
	packedFree  = 64 << 20 // a compressed file may always hold so many,
	packedRatio = 100      // and else so many times its own length: deflate reaches 1032 times, images 10
	firstPiece  = 1 << 20  // read before room is made for the rest
)

const (
	magicLabels = 0x0801 // unsigned bytes, one dimension: n
	magicImages = 0x0803 // unsigned bytes, three: n, rows, columns
	magicColour = 0x0804 // unsigned bytes, four: n, 3 channels, rows, columns
)

// What a pixel has.
const (
	Grey   = 1 // 0: paper, 255: ink
	Colour = 3 // red, green and blue, 0: dark
)

// Images are N pictures of Channels x Rows x Cols bytes, one after the other, channel by channel,
// row by row, with one label each.
type Images struct {
	N, Channels, Rows, Cols int    // no channels are one
	Pixels                  []byte // len N*Width()
	Labels                  []byte // len N: 0 to 255
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

func failed(file string, offset int64, format string, args ...any) error {
	return &fileError{file, offset, fmt.Sprintf(format, args...)}
}

// readHeader reads what precedes the bytes of a file of images or, with one dimension, of labels: its
// sizes. No more bytes than holds can follow (as the caller knows from the length of the file).
func readHeader(r io.Reader, file string, holds int64, wants ...int) (sizes []int, err error) {
	head := make([]byte, 4)
	n, err := io.ReadFull(r, head)
	dims := wants[0]
	if err == nil {
		magic := binary.BigEndian.Uint32(head)
		dims = int(magic) - 0x0800
		if !slices.Contains(wants, dims) {
			return nil, failed(file, 0, "magic number 0x%08x%s, want %s", magic, looksLike(magic), magics(wants))
		}
		head = append(head, make([]byte, 4*dims)...)
		n, err = io.ReadFull(r, head[4:])
		n += 4
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, failed(file, int64(n), "the file ends inside its header, want %d bytes of it", 4+4*dims)
		}
		return nil, failed(file, int64(n), "%v", err)
	}
	total := uint64(1)
	for i := range dims {
		at := 4 + 4*i
		size := binary.BigEndian.Uint32(head[at:])
		if size == 0 {
			return nil, failed(file, int64(at), "size of dimension %d is 0, want at least 1", i)
		}
		if total *= uint64(size); total > maxBytes {
			return nil, failed(file, int64(at), "size of dimension %d is %d: %d bytes or more, want at most %d",
				i, size, total, maxBytes)
		}
		sizes = append(sizes, int(size))
	}
	if plain := int64(len(head)) + int64(total); filepath.Ext(file) == ".gz" && plain > holds {
		return nil, failed(file, 0,
			"%d bytes come out of it, want at most %d times its own length (images compress less), or %d: unpack it",
			plain, packedRatio, packedFree)
	}
	if dims == 4 && sizes[1] != Colour {
		return nil, failed(file, 8, "size of dimension 1 is %d, want 3 channels: images, channels, rows, columns (grey "+
			"images have three dimensions)", sizes[1])
	}
	return sizes, nil
}

// magics are the magic numbers of files of so many dimensions.
func magics(dims []int) string {
	all := make([]string, len(dims))
	for i, d := range dims {
		all[i] = fmt.Sprintf("0x%08x (unsigned bytes, %d dimensions)", 0x0800+d, d)
	}
	return strings.Join(all, " or ")
}

// readBody reads the bytes that follow the header, to the end of the file. Room is made as they
// come: a header alone reserves little.
func readBody(ctx context.Context, r io.Reader, file string, sizes []int) ([]byte, error) {
	total, head := 1, int64(4+4*len(sizes))
	for _, n := range sizes {
		total *= n
	}
	data := make([]byte, 0, min(total, firstPiece))
	for len(data) < total {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(room(total), data...) // as many as came before show that it is no empty promise
		}
		n, err := io.ReadFull(r, data[len(data):min(cap(data), len(data)+firstPiece)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, failed(file, head+int64(len(data)), "the file ends after %d of %d data bytes", len(data), total)
		case err != nil:
			return nil, failed(file, head+int64(len(data)), "%v", err)
		}
	}
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return nil, failed(file, head+int64(total),
			"bytes follow the last of %d data bytes, want the end of the file", total)
	case !errors.Is(err, io.EOF):
		return nil, failed(file, head+int64(total), "%v", err)
	}
	return data, nil
}

// looksLike says what a file with the wrong magic number may be.
func looksLike(magic uint32) string {
	switch {
	case magic == magicLabels:
		return " (a file of labels)"
	case magic == magicImages || magic == magicColour:
		return " (a file of images)"
	case magic>>16 == 0x1f8b:
		return " (a gzip file: its name lacks .gz)"
	}
	return ""
}

func readImages(ctx context.Context, r io.Reader, file string, holds int64) (Images, error) {
	sizes, err := readHeader(r, file, holds, 3, 4)
	if err != nil {
		return Images{}, err
	}
	pixels, err := readBody(ctx, r, file, sizes)
	if err != nil {
		return Images{}, err
	}
	im := shaped(sizes)
	im.Pixels = pixels
	return im, nil
}

// shaped are images of the sizes of a header, without pixels.
func shaped(sizes []int) Images {
	if len(sizes) == 4 {
		return Images{N: sizes[0], Channels: sizes[1], Rows: sizes[2], Cols: sizes[3]}
	}
	return Images{N: sizes[0], Channels: Grey, Rows: sizes[1], Cols: sizes[2]}
}

// imagesHeader and labelsHeader are what precedes the bytes.
func imagesHeader(im *Images) []byte {
	if im.Channels == Colour {
		return header(magicColour, im.N, im.Channels, im.Rows, im.Cols)
	}
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
