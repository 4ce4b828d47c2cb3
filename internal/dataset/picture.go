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

	"railyard/internal/input"
)

// maxPicture bounds a picture's file, and how many pixels one may say that it has.
const maxPicture = 16 << 20

// ReadPicture reads one grey picture of eight bits: a PNG or PGM file, or an image of an IDX file,
// counted from 0 (t10k-images-idx3-ubyte:17), which may end in .gz. Nothing is scaled or converted.
func ReadPicture(ctx context.Context, name string) (*Images, error) {
	if file, index, ok := indexed(name); ok {
		return readIndexed(ctx, file, index)
	}
	b, err := input.Read(ctx, name, maxPicture)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var im *Images
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG")):
		im, err = readPNG(b)
	case bytes.HasPrefix(b, []byte("P5")) || bytes.HasPrefix(b, []byte("P2")):
		im, err = readPGM(b)
	case bytes.HasPrefix(b, []byte{0, 0, 8, 3}) || bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		err = fmt.Errorf("is an IDX file, want %s:0 for its first image", name)
	default:
		err = errors.New("want a PNG or PGM file, or an image of an IDX file such as t10k-images-idx3-ubyte:17")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return im, nil
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
	size := all.Rows * all.Cols
	all.N, all.Pixels = 1, all.Pixels[index*size:(index+1)*size]
	return &all, nil
}

func readPNG(b []byte) (*Images, error) {
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
	im := &Images{N: 1, Rows: c.Height, Cols: c.Width}
	at := p.Bounds().Min
	for y := range im.Rows {
		for x := range im.Cols {
			r, g, b, a := p.At(at.X+x, at.Y+y).RGBA()
			wrong := ""
			switch {
			case a != 0xffff:
				wrong = "is transparent, want a grey picture"
			case r != g || g != b:
				wrong = "is coloured, want a grey picture"
			case r%0x101 != 0:
				wrong = "has 16 bits, want 8"
			}
			if wrong != "" {
				return nil, fmt.Errorf("the pixel in row %d, column %d %s", y, x, wrong)
			}
			im.Pixels = append(im.Pixels, byte(r>>8))
		}
	}
	return im, nil
}

// readPGM reads a portable grey map, binary (P5) or text (P2): https://netpbm.sourceforge.net/doc/pgm.html
func readPGM(b []byte) (*Images, error) {
	s := pgm{b, 2}
	cols, rows, white := s.number(), s.number(), s.number()
	switch {
	case rows < 1 || cols < 1 || rows > maxPicture/cols:
		return nil, fmt.Errorf("%dx%d pixels, want at least 1x1 and at most %d in all", rows, cols, maxPicture)
	case white != 255:
		return nil, fmt.Errorf("white is %d, want 255: eight bits", white)
	}
	im := &Images{N: 1, Rows: rows, Cols: cols}
	if b[1] == '5' {
		s.at++ // one space
		if left := len(b) - s.at; left != rows*cols {
			return nil, fmt.Errorf("%d bytes of pixels, want %d for %dx%d", max(left, 0), rows*cols, rows, cols)
		}
		im.Pixels = b[s.at:]
		return im, nil
	}
	for range rows * cols {
		v := s.number()
		if v < 0 || v > white {
			return nil, fmt.Errorf("offset %d: want %d numbers from 0 to 255", s.at, rows*cols)
		}
		im.Pixels = append(im.Pixels, byte(v))
	}
	if s.number() >= 0 || s.at < len(b) {
		return nil, fmt.Errorf("offset %d: something follows the last of %d pixels", s.at, rows*cols)
	}
	return im, nil
}

// pgm reads the numbers of a PGM file.
type pgm struct {
	b  []byte
	at int
}

// number reads the next number, after spaces and comments; -1: there is none.
func (s *pgm) number() int {
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
