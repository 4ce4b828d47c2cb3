//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A golden picture is so wide: text is grey there, while what is missing, misplaced or of another colour is seen. Those of narrow
// windows are twice as wide and show a label, too.
const (
	goldenWidth = 160
	goldenFine  = 320
)

// How far a screenshot may be from its golden: a pixel differs if a channel does by more than so much, and so many of all may, and
// so many of the squares of so many pixels that it consists of: a label that is missing is little of a page, but much of its place.
const (
	goldenChannel = 20
	goldenShare   = 0.02
	goldenPart    = 0.05
	goldenSquare  = 16
	goldenTries   = 40
)

// goldenText is how wide a text of the page is with the goldens' font, in pixels: with another one words are elsewhere, and only the
// whole of a picture is compared.
const goldenText = 414.6

// What the page looks like on light and on dark paper: a run with events and a chosen port at four widths, a training with
// everything opened, the list of runs.
func TestBrowserServeLooks(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	simulated(t, withSeries(t, "incast"), filepath.Join(root, "incast"))
	parts := strings.Replace(partsToSee, "digits: {", "digits: {dir: "+digits(t, 512, 64, 1)+", ", 1)
	simulated(t, write(t, strings.Replace(parts, "series: true", "series: true, operations: true", 1)), filepath.Join(root, "parts"))
	address := serving(t, root)
	b.open(address)
	part := goldenPart
	if wide := b.textWidth(); math.Abs(wide-goldenText) > 0.5 {
		t.Logf("text is %.1f pixels wide, not %.1f as in the goldens: places are not compared one by one", wide, goldenText)
		part = 1
	}
	at := address + "#/run/incast?map=canvas&t=160000000&sel=port%7Crail1%2Fhost1"
	for _, width := range []int{1280, 1920, 2560, 3840} {
		for _, scheme := range []string{"light", "dark"} {
			b.show(width, scheme)
			b.open("about:blank")
			b.open(at)
			b.await(`document.getElementById("settled") && document.getElementById("grain")?.dataset.level === "0" &&
				document.getElementById("progress")?.textContent.includes("rows read") && document.querySelector("figure canvas")`)
			of, height := goldenWidth, width*10/9
			if width == 1280 {
				of, height = goldenFine, width*15/8
			}
			golden(t, fmt.Sprintf("run-%d-%s", width, scheme), b.camera(width, height), of, part)
			b.fits(t, width)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		b.show(1280, scheme)
		b.open("about:blank")
		b.open(address + "#/run/parts?map=canvas&t=20000000&sel=rank%7C%7C1&show=inside,learning,rounds,traffic&round=1.0.3")
		b.await(`document.getElementById("settled") && document.querySelector("#sends tbody tr") && document.getElementById("rank-steps") &&
			["learning", "traffic", "inside"].every((x) => document.querySelector("#piece-" + x + " table.figure")) &&
			document.querySelector("section[aria-label=ranks] table td")`)
		golden(t, "training-1280-"+scheme, b.camera(1280, 3600), goldenWidth*3/2, part)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.show(1440, scheme)
		b.open("about:blank")
		b.open(address)
		b.await(`document.querySelector("#runs a")`)
		golden(t, "runs-1440-"+scheme, b.camera(1440, 500), goldenFine, part)
	}
}

// fits complains of a page that is wider than its window, or whose text is cut off.
func (b *chromium) fits(t *testing.T, width int) {
	t.Helper()
	var wide int
	if b.run("document.documentElement.scrollWidth", &wide); wide > width {
		t.Errorf("the page is %d pixels wide in a window of %d", wide, width)
	}
}

// picture returns what the page shows, so large.
func (b *chromium) picture(width, height int) image.Image {
	b.t.Helper()
	var shot struct{ Data string }
	b.run(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))) && 0`, new(int))
	b.call("Page.captureScreenshot", fields{"format": "png", "captureBeyondViewport": true,
		"clip": fields{"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}, &shot)
	raw, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// textWidth measures a text in the page's font.
func (b *chromium) textWidth() (pixels float64) {
	b.t.Helper()
	b.run(`(() => {
		const c = document.createElement("canvas").getContext("2d");
		c.font = "16px " + getComputedStyle(document.body).fontFamily;
		return c.measureText("Railyard: 0123456789 of 1,024 queue pairs, 12.5 %").width;
	})()`, &pixels)
	return pixels
}

// camera takes pictures of what the page shows, so large.
func (b *chromium) camera(width, height int) func() image.Image {
	return func() image.Image {
		b.t.Helper()
		return b.picture(width, height)
	}
}

// settles takes pictures until one is as wanted, and returns the last with what is wrong with it: a page that has all it waits for
// may still be about to move it.
func settles(take func() image.Image, wrong func(image.Image) string) (image.Image, string) {
	for tries := 0; ; tries++ {
		p := take()
		why := wrong(p)
		if why == "" || tries == goldenTries {
			return p, why
		}
		time.Sleep(250 * time.Millisecond)
	}
}

// golden compares what is shown with the picture that somebody looked at; RAILYARD_UPDATE=1 keeps it instead. Of any square of it so
// large a part may differ.
func golden(t *testing.T, name string, take func() image.Image, width int, part float64) {
	t.Helper()
	file := filepath.Join("testdata", "serve", name+".png")
	if os.Getenv("RAILYARD_UPDATE") != "" {
		writePNG(t, file, smaller(take(), width))
		return
	}
	want, err := readPNG(file)
	if err != nil {
		t.Fatal(err)
	}
	p, wrong := settles(take, func(p image.Image) string {
		got := smaller(p, width)
		share, worst, where := differing(got, want), 0.0, image.Point{}
		if share < 1 {
			worst, where = worstSquare(got, want)
		}
		if share <= goldenShare && worst <= part {
			return ""
		}
		return fmt.Sprintf("%.2f %% of it differ from %s, want at most %.0f %%, and %.0f %% of what is at %v of %d, want at most %.0f %%",
			100*share, file, 100*goldenShare, 100*worst, where, width, 100*part)
	})
	if wrong != "" {
		shot := filepath.Join(os.TempDir(), "railyard-"+name+".png")
		writePNG(t, shot, p)
		t.Errorf("%s: %s; it looks like %s", name, wrong, shot)
	}
}

// worstSquare finds the square of which the largest part differs.
func worstSquare(a, b image.Image) (most float64, where image.Point) {
	all := a.Bounds()
	for y := all.Min.Y; y < all.Max.Y; y += goldenSquare / 2 {
		for x := all.Min.X; x < all.Max.X; x += goldenSquare / 2 {
			r := image.Rect(x, y, x+goldenSquare, y+goldenSquare).Intersect(all)
			if share := differing(cut(a, r), cut(b, r)); share > most {
				most, where = share, r.Min
			}
		}
	}
	return most, where
}

// cut is a part of a picture.
func cut(p image.Image, r image.Rectangle) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Rect, p, r.Min, draw.Src)
	return out
}

func readPNG(file string) (image.Image, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(b))
}

func writePNG(t *testing.T, file string, p image.Image) {
	t.Helper()
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// smaller is a picture of a width, each pixel the mean of those that it stands for.
func smaller(p image.Image, width int) *image.RGBA {
	in := image.NewRGBA(p.Bounds())
	draw.Draw(in, in.Bounds(), p, p.Bounds().Min, draw.Src)
	w, h := in.Rect.Dx(), in.Rect.Dy()
	height := h * width / w
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var sum [3]int
			n := 0
			for v := h * y / height; v < h*(y+1)/height; v++ {
				for u := w * x / width; u < w*(x+1)/width; u++ {
					at := in.Pix[v*in.Stride+4*u:]
					sum[0], sum[1], sum[2] = sum[0]+int(at[0]), sum[1]+int(at[1]), sum[2]+int(at[2])
					n++
				}
			}
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}

// differing is the share of pixels that are not alike.
func differing(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n, all := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			far := func(u, v uint32) bool { return max(u, v)-min(u, v) > goldenChannel<<8 }
			if all++; far(r, r2) || far(g, g2) || far(bl, b2) {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

// A golden tells another picture from its own: one whose map is gone, one on the other paper.
func TestGoldensTellPicturesApart(t *testing.T) {
	open := func(name string) image.Image {
		p, err := readPNG(filepath.Join("testdata", "serve", name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	light := open("run-1280-light")
	if share := differing(light, open("run-1280-dark")); share < 0.5 {
		t.Errorf("light and dark differ in %.1f %%", 100*share)
	}
	bare := smaller(light, goldenWidth)
	for y := bare.Bounds().Dy() / 2; y < bare.Bounds().Dy()*3/4; y++ {
		for x := range goldenWidth {
			bare.Set(x, y, color.White)
		}
	}
	if share := differing(light, bare); share <= goldenShare {
		t.Errorf("without a quarter of it, it differs in %.1f %%, which would pass", 100*share)
	}
}
