package dataset

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// three is a picture of 2x3 pixels in every form.
var three = []byte{0, 1, 2, 128, 254, 255}

func encoded(t *testing.T, p image.Image) string {
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPicturesOfEveryForm(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(grey.Pix, three)
	rgba := image.NewRGBA(image.Rect(5, 6, 8, 8))
	for i, v := range three {
		rgba.Set(5+i%3, 6+i/3, color.RGBA{v, v, v, 255})
	}
	two := Images{N: 2, Channels: Grey, Rows: 2, Cols: 3}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"grey.png":  encoded(t, grey),
		"rgba.png":  encoded(t, rgba),
		"five.pgm":  "P5\n# a comment 7\n3 2 255\n" + string(three),
		"two.pgm":   "P2 3 2\n255\n0 1 2\n# x\n128 254 255\n",
		"idx:1":     "",
		"named:123": "P5 3 2 255\n" + string(three),
	} {
		file := filepath.Join(dir, name)
		if name == "idx:1" {
			text = string(imagesHeader(&two)) + "abcdef" + string(three)
			if err := os.WriteFile(filepath.Join(dir, "idx"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		im, err := ReadPicture(t.Context(), file, Grey)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if im.N != 1 || im.Rows != 2 || im.Cols != 3 || !bytes.Equal(im.Pixels, three) {
			t.Errorf("%s: %+v", name, im)
		}
	}
}

func TestPicturesThatAreRefused(t *testing.T) {
	colour := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range 6 {
		colour.Set(i%3, i/3, color.RGBA{9, 9, 9, 255})
	}
	colour.Set(1, 1, color.RGBA{9, 8, 9, 255})
	deep := image.NewGray16(image.Rect(0, 0, 1, 1))
	deep.SetGray16(0, 0, color.Gray16{0x1234})
	dir := t.TempDir()
	for want, text := range map[string]string{
		"want a PNG, PGM or PPM file, or an image of an IDX file":    "GIF89a",
		"is an IDX file, want ":                                      string(imagesHeader(&Images{N: 1, Rows: 1, Cols: 1})) + "x",
		"the pixel in row 1, column 1 is coloured":                   encoded(t, colour),
		"row 0, column 0 is transparent":                             encoded(t, image.NewNRGBA(image.Rect(0, 0, 1, 1))),
		"row 0, column 0 has 16 bits, want 8":                        encoded(t, deep),
		"unexpected EOF":                                             encoded(t, deep)[:40],
		"5 bytes of pixels, want 6 for 2x3":                          "P5 3 2 255 12345",
		"the pixel in row 0, column 1 is coloured, want a grey":      "P6 2 1 255 aaabab",
		"5 bytes of pixels, want 6 for 1x2":                          "P6 2 1 255 12345",
		"is a JPEG file, whose pixels depend on":                     "\xff\xd8\xff\xe0",
		"white is 65535, want 255":                                   "P5 3 2 65535 12345",
		"-1x3 pixels, want at least 1x1":                             "P5 3",
		"9999999x9999999 pixels":                                     "P5 9999999 9999999 255 ",
		"offset 15: want 6 numbers from 0 to 255":                    "P2 3 2 255 1 2 ",
		"offset 14: want 2 numbers from 0 to 255":                    "P2 1 2 255 256",
		"offset 15: something follows the last of 2 pixels":          "P2 1 2 255 1 2 3"[:15] + "x",
		"offset 16: something follows the last of 2 pixels":          "P2 1 2 255 1 2 3",
		"image 1, want 0 to 0":                                       "",
		"the file ends after 1 of 4 data bytes":                      "",
		"magic number 0x50352031, want 0x00000803 (unsigned bytes, ": "P5 1 1 255 x     ",
	} {
		file := filepath.Join(dir, "file")
		switch {
		case strings.HasPrefix(want, "image 1"):
			text = string(imagesHeader(&Images{N: 1, Rows: 1, Cols: 1})) + "x"
		case strings.HasPrefix(want, "the file ends"):
			text = string(imagesHeader(&Images{N: 1, Rows: 2, Cols: 2})) + "x"
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(want, "IDX") && (strings.HasPrefix(want, "image 1") || strings.Contains(want, "data bytes") ||
			strings.HasPrefix(want, "magic")) {
			file += ":1"
		}
		if _, err := ReadPicture(t.Context(), file, Grey); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzPicture(f *testing.F) {
	f.Add([]byte("P2 1 2 255 1 2"))
	f.Add([]byte("P5 1 2 255 ab"))
	f.Add([]byte("P6 1 2 255 abcdef"))
	f.Add([]byte("P3 1 1 255 7 8 9"))
	f.Fuzz(func(t *testing.T, b []byte) {
		grey, err := decodePicture(b, Grey)
		if err == nil && len(grey.Pixels) != grey.Rows*grey.Cols {
			t.Errorf("%d pixels for %dx%d", len(grey.Pixels), grey.Rows, grey.Cols)
		}
		colour, wrong := decodePicture(b, Colour)
		if wrong != nil {
			if err == nil {
				t.Error("only without colour: ", wrong)
			}
			return
		}
		plane := colour.Rows * colour.Cols
		r, g, blue := colour.Pixels[:plane], colour.Pixels[plane:2*plane], colour.Pixels[2*plane:]
		if alike := bytes.Equal(r, g) && bytes.Equal(g, blue); alike != (err == nil) || err == nil && !bytes.Equal(r, grey.Pixels) {
			t.Errorf("%v in grey, and in colour %v %v %v", err, r, g, blue)
		}
	})
}
