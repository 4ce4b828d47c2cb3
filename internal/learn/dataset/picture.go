package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"railyard/internal/base/input"
)

// maxPicture bounds a picture's file, and how many pixels one may say that it has.
const maxPicture = 16 << 20

// ReadPicture reads one picture of eight bits: a PNG, PGM or PPM file, or an image of an IDX file,
// counted from 0 (t10k-images-idx3-ubyte:17), which may end in .gz. A grey picture is asked for with
// one channel, and must be grey; with three channels a grey one has each of them. An image of an IDX
// file has the channels that it has. Nothing is scaled or converted.
func ReadPicture(ctx context.Context, name string, channels int) (*Images, error) {
	if file, index, ok := indexed(name); ok {
		return readIndexed(ctx, file, index)
	}
	b, err := input.Read(ctx, name, maxPicture)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bytes.HasPrefix(b, []byte{0, 0, 8, 3}) || bytes.HasPrefix(b, []byte{0, 0, 8, 4}) || bytes.HasPrefix(b, gzipped) {
		return nil, fmt.Errorf("%s: is an IDX file, want %s:0 for its first image", name, name)
	}
	im, err := decodePicture(b, channels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return im, nil
}

var gzipped = []byte{0x1f, 0x8b}

// decodePicture reads a picture of so many channels from its file's bytes.
func decodePicture(b []byte, channels int) (*Images, error) {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG")):
		return readPNG(b, channels)
	case len(b) > 1 && b[0] == 'P' && strings.IndexByte("2536", b[1]) >= 0:
		return readPNM(b, channels)
	case bytes.HasPrefix(b, []byte("\xff\xd8")):
		return nil, errors.New("is a JPEG file, whose pixels depend on the program that unpacks it: want PNG, PGM or PPM")
	}
	return nil, errors.New("want a PNG, PGM or PPM file, or an image of an IDX file such as t10k-images-idx3-ubyte:17")
}

// indexed cuts the index off a name; a file that has such a name is itself.
func indexed(name string) (file string, index int, ok bool) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(name[i+1:])
	if _, there := os.Stat(name); err != nil || n < 0 || !errors.Is(there, fs.ErrNotExist) {
		return "", 0, false
	}
	return name[:i], n, true
}

func readIndexed(ctx context.Context, file string, index int) (*Images, error) {
	f, length, err := input.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(file) == ".gz" {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: offset 0: %v, want a gzip file", file, err)
		}
		r, length = z, max(packedFree, packedRatio*length)
	}
	all, err := readImages(ctx, r, file, length)
	if err != nil {
		return nil, err
	}
	if index >= all.N {
		return nil, fmt.Errorf("%s: image %d, want 0 to %d", file, index, all.N-1)
	}
	size := all.Width()
	all.N, all.Pixels = 1, all.Pixels[index*size:(index+1)*size]
	return &all, nil
}

func readPNG(b []byte, channels int) (*Images, error) {
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	if c.Width > maxPicture/c.Height {
		return nil, fmt.Errorf("%dx%d pixels, want at most %d in all", c.Height, c.Width, maxPicture)
	}
	p, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	im := blankPicture(channels, c.Height, c.Width)
	at := p.Bounds().Min
	for y := range im.Rows {
		for x := range im.Cols {
			r, g, b, a := p.At(at.X+x, at.Y+y).RGBA()
			wrong := ""
			switch {
			case a != 0xffff:
				wrong = "is transparent, want a picture that is not"
			case r%0x101 != 0 || g%0x101 != 0 || b%0x101 != 0:
				wrong = "has 16 bits, want 8"
			case !im.set(y*im.Cols+x, byte(r>>8), byte(g>>8), byte(b>>8)):
				wrong = "is coloured, want a grey picture"
			}
			if wrong != "" {
				return nil, fmt.Errorf("the pixel in row %d, column %d %s", y, x, wrong)
			}
		}
	}
	return im, nil
}

// blankPicture is room for one picture.
func blankPicture(channels, rows, cols int) *Images {
	return &Images{N: 1, Channels: channels, Rows: rows, Cols: cols, Pixels: make([]byte, channels*rows*cols)}
}

// set gives a pixel of one picture its colour, false for a colour of a grey picture.
func (im *Images) set(at int, r, g, b byte) bool {
	if im.Channels == Grey {
		im.Pixels[at] = r
		return r == g && g == b
	}
	plane := im.Rows * im.Cols
	im.Pixels[at], im.Pixels[plane+at], im.Pixels[2*plane+at] = r, g, b
	return true
}

// readPNM reads a portable grey map (P5 binary, P2 text) or pixel map (P6, P3):
// https://netpbm.sourceforge.net/doc/pgm.html and ppm.html.
func readPNM(b []byte, channels int) (*Images, error) {
	s := pnm{b, 2}
	values, binary := 1, b[1] == '5' || b[1] == '6'
	if b[1] == '3' || b[1] == '6' {
		values = 3
	}
	cols, rows, white := s.number(), s.number(), s.number()
	switch {
	case rows < 1 || cols < 1 || rows > maxPicture/cols:
		return nil, fmt.Errorf("%dx%d pixels, want at least 1x1 and at most %d in all", rows, cols, maxPicture)
	case white != 255:
		return nil, fmt.Errorf("white is %d, want 255: eight bits", white)
	}
	n := values * rows * cols
	left := b
	if binary {
		s.at++ // one space
		if left = b[min(s.at, len(b)):]; len(left) != n {
			return nil, fmt.Errorf("%d bytes of pixels, want %d for %dx%d", len(left), n, rows, cols)
		}
	} else {
		var err error
		if left, err = s.values(n); err != nil {
			return nil, err
		}
	}
	im := blankPicture(channels, rows, cols)
	for i := range rows * cols {
		v := left[i*values : (i+1)*values]
		if !im.set(i, v[0], v[values/2], v[values-1]) {
			return nil, fmt.Errorf("the pixel in row %d, column %d is coloured, want a grey picture", i/cols, i%cols)
		}
	}
	return im, nil
}

// values reads n numbers to the end of the file.
func (s *pnm) values(n int) (all []byte, err error) {
	for range n {
		v := s.number()
		if v < 0 || v > 255 {
			return nil, fmt.Errorf("offset %d: want %d numbers from 0 to 255", s.at, n)
		}
		all = append(all, byte(v))
	}
	if s.number() >= 0 || s.at < len(s.b) {
		return nil, fmt.Errorf("offset %d: something follows the last of %d pixels", s.at, n)
	}
	return all, nil
}

// pnm reads the numbers of a PGM or PPM file.
type pnm struct {
	b  []byte
	at int
}

// number reads the next number, after spaces and comments; -1: there is none.
func (s *pnm) number() int {
	for comment := false; s.at < len(s.b); s.at++ {
		c := s.b[s.at]
		comment = comment && c != '\n' || c == '#'
		if !comment && !strings.ContainsRune(" \t\r\n\v\f", rune(c)) {
			break
		}
	}
	from := s.at
	for s.at < len(s.b) && s.b[s.at] >= '0' && s.b[s.at] <= '9' {
		s.at++
	}
	n, err := strconv.Atoi(string(s.b[from:s.at]))
	if err != nil {
		return -1
	}
	return n
}
