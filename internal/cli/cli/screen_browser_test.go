//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
)

// screen takes a picture of the whole page, as PNG, in a window of some width.
func (b *chromium) screen(width int, scheme string) []byte {
	b.t.Helper()
	b.show(width, scheme)
	var height int
	b.run("document.documentElement.scrollHeight", &height)
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", fields{"captureBeyondViewport": true,
		"clip": fields{"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}, &shot)
	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return picture
}

// Pictures of the page in both colour schemes. With RAILYARD_SCREENS, a list of run
// directories separated by colons, the pictures and the printed page of each are written
// into the folder RAILYARD_SCREENS_TO, for people to look at.
func TestBrowserScreens(t *testing.T) {
	b := startBrowser(t)
	showPage(t, b, ports())
	for scheme, light := range map[string]bool{"light": true, "dark": false} {
		picture, err := png.Decode(bytes.NewReader(b.screen(800, scheme)))
		if err != nil {
			t.Fatal(err)
		}
		size := picture.Bounds().Size()
		r, _, _, _ := picture.At(2, size.Y-2).RGBA()
		if size.X != 800 || size.Y < 900 || light != (r > 0x8000) {
			t.Errorf("%s: a picture of %v, its paper %#04x", scheme, size, r)
		}
	}
	to := os.Getenv("RAILYARD_SCREENS_TO")
	for _, dir := range strings.FieldsFunc(os.Getenv("RAILYARD_SCREENS"), func(r rune) bool { return r == ':' }) {
		d, err := call.LoadRun(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		showPage(t, b, d)
		write := func(name string, content []byte) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(to, filepath.Base(dir)+"-"+name), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, width := range []int{375, 800, 1440, 2560} {
			for _, scheme := range []string{"light", "dark"} {
				write(fmt.Sprintf("%d-%s.png", width, scheme), b.screen(width, scheme))
			}
		}
		b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
		var printed struct{ Data string }
		b.call("Page.printToPDF", fields{"paperWidth": 8.27, "paperHeight": 11.69}, &printed)
		paper, err := base64.StdEncoding.DecodeString(printed.Data)
		if err != nil {
			t.Fatal(err)
		}
		write("print.pdf", paper)
	}
}
