//go:build unix

package cli

import (
	"flag"
	"fmt"
	"image"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// Which states are looked at at all widths, dark and light; others at the narrowest in light and the widest in dark. By hand, after
// a change of the page; RAILYARD_UPDATE=1 keeps what it looks like:
//
//	go test ./internal/cli/cli -run TestBrowserServeLooksInEachState -serve-looks all
var serveLooks = flag.String("serve-looks", "",
	"the name of a state, or all: the page of serve is looked at in it at four widths, dark and light")

// look is a state of the page that somebody looked at: golden sheets have it at four widths, on light paper above, on dark below.
type look struct {
	name, hash string
	shown      string // true when all is there
}

var (
	looksWide = []int{1280, 1920, 2560, 3840}
	looksOn   = []string{"light", "dark"}
)

const sheetWidth = 120 // of a picture in a sheet

// What the page looks like in states beside a whole run's.
func TestBrowserServeLooksInEachState(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	const read = `document.getElementById("progress")?.textContent.includes("rows read")`
	const events = ` && [...document.querySelectorAll("summary")].some((s) =>
		s.textContent === "Events by kind" && s.parentElement.querySelector("tbody tr"))`
	const drawn = ` && document.getElementById("grain")?.dataset.level === "0" && ` + read + events
	looks := []look{
		{"killed", "#/run/killed?map=canvas&t=300000000&sel=port%7Crail1%2Fhost1",
			`document.getElementById("settled") && document.body.innerText.includes("This run was killed")` + drawn},
		{"growing", "#/run/growing?map=canvas&t=300000000", `document.body.innerText.includes("This run goes on")` + drawn},
		{"no-events", "#/run/plain?map=canvas&t=0",
			`document.getElementById("want") && document.querySelector("section[aria-label=ranks] table td") && ` + read},
		{"broken", "#/run/broken?map=canvas&t=0", `document.querySelector(".map")?.dataset.scene &&
			document.querySelector(".note")?.textContent.includes("is not the one that the run wrote") && ` + read},
		{"pair", "#/run/incast?map=canvas&t=600000000&sel=flow%7Cjob%7Cflow1%7Chost2%2Frail1",
			`document.querySelectorAll("figure canvas").length > 4 && document.getElementById("settled")` + drawn},
		{"nobody", "#/run/nobody", `document.querySelector(".note")?.textContent.includes("there is no run")`},
		{"thousand", "#/", `document.querySelectorAll("#runs tbody tr").length === 50`},
		{"compare", "#/compare?a=plain&b=incast", `document.querySelector(".sentence")`},
		{"bands", "#/run/bands?map=canvas&t=0", `document.body.innerText.includes("tiers are drawn as bands")`},
	}
	statesToSee(t, root)
	address := serving(t, root)
	for _, l := range looks {
		last := len(looksWide)*len(looksOn) - 1
		for n := range last + 1 {
			if whole := *serveLooks == "all" || *serveLooks == l.name; !whole && n > 0 && n < last {
				continue
			}
			width := looksWide[n%len(looksWide)]
			b.show(width, looksOn[n/len(looksWide)])
			b.open("about:blank")
			b.open(address + l.hash)
			b.await(l.shown)
			p := goldenSheet(t, l.name, n, b.camera(width, width*10/9))
			if to := os.Getenv("RAILYARD_SCREENS_TO"); to != "" {
				writePNG(t, filepath.Join(to, fmt.Sprintf("%s-%d-%s.png", l.name, width, looksOn[n/len(looksWide)])), p)
			}
			b.fits(t, width)
		}
	}
}

// statesToSee makes runs in the states that are looked at.
func statesToSee(t *testing.T, root string) {
	t.Helper()
	simulated(t, write(t, oneHost(t)), filepath.Join(root, "plain"))
	whole := simulated(t, withSeries(t, "incast"), filepath.Join(root, "incast"))
	broken := filepath.Join(root, "broken")
	if err := os.CopyFS(broken, os.DirFS(whole.Path)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "series.parquet"), []byte("PAR1 nonsense PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"killed", "growing"} {
		dir, err := result.Create(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Begin(&result.Summary{Name: name, Scenario: whole.Summary.Scenario}); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"series", "events", "links"} { // as its first closed part
			rows, err := os.ReadFile(filepath.Join(whole.Path, table+".parquet"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, name, table+".0001.parquet"), rows, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if name == "killed" {
			if err := os.Remove(filepath.Join(root, name, ".railyard-lock")); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _ = dir.Discard() }) // held until then
	}
	bands, err := result.Create(filepath.Join(root, "bands"))
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "bands", Scenario: whole.Summary.Scenario}
	if err := bands.Begin(s); err != nil {
		t.Fatal(err)
	}
	for i := range 2100 {
		host, leaf := fmt.Sprint("host", i+1), fmt.Sprint("leaf", i/70+1)
		bands.Links().Add(result.LinkRow{Port: host + "/" + leaf, From: host, To: leaf, Tier: result.TierHost, Rate: 100e9})
		bands.Links().Add(result.LinkRow{Port: leaf + "/" + host, From: leaf, To: host, Tier: result.TierLeaf, Rate: 100e9})
	}
	s.State = result.Complete
	if err := bands.Finish(s); err != nil {
		t.Fatal(err)
	}
	thousand(t, root)
}

// goldenSheet compares what is shown with its place in the sheet of a state; RAILYARD_UPDATE=1 puts it there instead. What is kept
// has sixteen steps of each colour, which is far finer than what tells two pictures apart. It returns the picture.
func goldenSheet(t *testing.T, name string, place int, take func() image.Image) image.Image {
	t.Helper()
	coarse := func(p image.Image) *image.RGBA {
		got := smaller(p, sheetWidth)
		for i, v := range got.Pix {
			got.Pix[i] = v / 17 * 17
		}
		return got
	}
	p := take()
	got := coarse(p)
	size := got.Bounds().Size()
	file := filepath.Join("testdata", "serve", "state-"+name+".png")
	at := image.Rect(0, 0, size.X, size.Y).Add(image.Pt(place%len(looksWide)*sheetWidth, place/len(looksWide)*size.Y))
	sheet := image.NewRGBA(image.Rect(0, 0, sheetWidth*len(looksWide), size.Y*len(looksOn)))
	kept, err := readPNG(file)
	if err == nil {
		draw.Draw(sheet, sheet.Bounds(), kept, image.Point{}, draw.Src)
	}
	if os.Getenv("RAILYARD_UPDATE") != "" {
		draw.Draw(sheet, at, got, image.Point{}, draw.Src)
		writePNG(t, file, sheet)
		return p
	}
	if err != nil {
		t.Fatal(err)
	}
	want := image.NewRGBA(got.Bounds())
	draw.Draw(want, want.Bounds(), sheet, at.Min, draw.Src)
	p, wrong := settles(take, func(p image.Image) string {
		if share := differing(coarse(p), want); share > goldenShare {
			return fmt.Sprintf("%.1f %% of picture %d differ from %s, want at most %.0f %%", 100*share, place+1, file, 100*goldenShare)
		}
		return ""
	})
	if wrong != "" {
		shot := filepath.Join(os.TempDir(), fmt.Sprintf("railyard-%s-%d.png", name, place))
		writePNG(t, shot, p)
		t.Errorf("%s: %s; it looks like %s", name, wrong, shot)
	}
	return p
}

// What is missing in a sheet's picture, or is of another state, is told.
func TestSheetsTellStatesApart(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "serve", "state-*.png"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d sheets, %v", len(files), err)
	}
	var first []*image.RGBA
	for _, f := range files {
		p, err := readPNG(f)
		if err != nil {
			t.Fatal(err)
		}
		size := p.Bounds().Size()
		for n := range len(looksWide) * len(looksOn) {
			one := image.NewRGBA(image.Rect(0, 0, sheetWidth, size.Y/len(looksOn)))
			draw.Draw(one, one.Rect, p, image.Pt(n%len(looksWide)*sheetWidth, n/len(looksWide)*one.Rect.Dy()), draw.Src)
			if one.Pix[3] == 0 {
				t.Errorf("%s has no picture %d", f, n+1)
			}
			if n > 0 {
				continue
			}
			for i, other := range first {
				if differing(one, other) <= goldenShare {
					t.Errorf("%s and %s would pass for each other", strings.TrimSuffix(f, ".png"), files[i])
				}
			}
			first = append(first, one)
		}
	}
}
