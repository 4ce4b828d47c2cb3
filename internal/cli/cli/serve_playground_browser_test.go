//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// playground is what the page says of a way to choose.
type playground struct {
	Run, Text, Name string
	Fullest         float64
	Used, Slowest   *float64
	Spines          []float64
	Rates           map[string]float64
}

// played reads the page's columns once all have run.
func (b *chromium) played() (all map[string]playground) {
	b.t.Helper()
	b.await(`document.getElementById("playing")?.dataset.done === "true" && document.querySelector("[data-method]") &&
		[...document.querySelectorAll("[data-method]")].every((x) => x.dataset.state === "done")`)
	b.run(`Object.fromEntries([...document.querySelectorAll("[data-method]")].map((x) => {
		const of = (name) => x.querySelector('[data-figure="' + name + '"]').dataset;
		const number = (v) => v === undefined || v === "" ? null : Number(v);
		return [x.dataset.method, {Run: x.dataset.run, Text: x.querySelector("pre").textContent, Fullest: number(of("fullest").value),
			Used: number(of("used").value), Slowest: number(of("slowest").value), Name: of("slowest").name,
			Spines: [...x.querySelectorAll("[data-spine]")].map((s) => Number(s.textContent)),
			Rates: Object.fromEntries([...x.querySelectorAll("[data-flow]")].map((f) => [f.dataset.flow, Number(f.dataset.rate)]))}];
	}))`, &all)
	return all
}

var moreSettings = os.Getenv("RAILYARD_PLAYGROUNDS") // which of those that are drawn, such as 0-500, "": a few

// What the playground says is what railyard run --json says of the same file: slowest flow, used capacity and flows per spine, of
// drawn settings.
func TestBrowserPlaygroundSaysWhatRunsSay(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	dir := t.TempDir()
	s := startLive(t, dir, "--max-runs", "100000")
	b.show(1440, "light")
	from, until := 0, 3
	if moreSettings != "" {
		if _, err := fmt.Sscanf(moreSettings, "%d-%d", &from, &until); err != nil {
			t.Fatal(err)
		}
	}
	draws := rand.New(rand.NewPCG(44, 4))
	ways := []string{"ecmp", "resilient", "pinned", "flowlet", "dlb", "glb", "conweave", "spray", "spray-direct"}
	flows := 0
	for n := range until {
		spines, hosts, each := 2+draws.IntN(7), 2+draws.IntN(7), 1+draws.IntN(3)
		query := fmt.Sprintf("spines=%d&hosts=%d&each=%d&seed=%d&by=%s,%s", spines, hosts, each, 1+draws.IntN(200),
			ways[draws.IntN(len(ways))], ways[draws.IntN(len(ways))])
		if draws.IntN(3) == 0 {
			query += fmt.Sprintf("&fail=%d&at=%d", 1+draws.IntN(spines), 1+draws.IntN(40))
		}
		if draws.IntN(4) == 0 {
			query += "&web=1"
		}
		if n < from {
			continue
		}
		b.open("about:blank")
		b.open(s.url + "#/playground?" + query)
		for way, got := range b.played() {
			writeAll(t, filepath.Join(dir, "own.yaml"), []byte(got.Text))
			own := filepath.Join(dir, "own-"+got.Run)
			out, _, _ := inChild(dir, "run", "own.yaml", "--out", own, "--quiet", "--json") // flows that fail are told, too
			run, err := result.OpenIncomplete(own)
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			flows += len(run.Summary.Flows)
			if wrong := got.differs(run, hosts, each, strings.Contains(query, "web"),
				!strings.Contains(query, "fail") && slices.Contains(ways[:3], way)); wrong != "" {
				t.Errorf("%s, %s: %s", query, way, wrong)
			}
			os.RemoveAll(own)
		}
	}
	t.Logf("%d settings, %d flows", until-from, flows)
}

// differs says what the page has otherwise than a run.
func (p *playground) differs(run *result.Run, hosts, each int, web, oneWay bool) string {
	slowest, sum, name := math.Inf(1), 0.0, ""
	spines, whole := make([]float64, len(p.Spines)), oneWay
	for i, f := range run.Summary.Flows {
		rate := 0.0
		if f.Done == f.Posted && f.FCT != nil {
			rate = float64(f.Bytes) * 8e12 / float64(*f.FCT)
		}
		sum += rate
		if rate < slowest {
			slowest, name = rate, f.Name
		}
		if i < 64 && math.Abs(p.Rates[f.Name]-rate) > 1 {
			return fmt.Sprintf("%s gets %v, the page has %v", f.Name, rate, p.Rates[f.Name])
		}
		_, after, found := strings.Cut(f.Path, ">spine")
		spine, _, _ := strings.Cut(after, ">")
		if k, err := strconv.Atoi(spine); found && err == nil {
			spines[k-1]++
		} else {
			whole = false
		}
	}
	share := 400e9
	if !web {
		share /= float64(each)
	}
	used := sum / (float64(hosts) * 400e9)
	switch {
	case p.Name != name || math.Abs(*p.Slowest-slowest/share) > 1e-9:
		return fmt.Sprintf("%s is the slowest with %v, the page has %s with %v", name, slowest/share, p.Name, *p.Slowest)
	case web != (p.Used == nil), !web && math.Abs(*p.Used-used) > 1e-9:
		return fmt.Sprintf("%v is used, the page has %+v", used, p)
	case whole && fmt.Sprint(spines) != fmt.Sprint(p.Spines):
		return fmt.Sprintf("flows by spine are %v, the page has %v", spines, p.Spines)
	}
	return ""
}

// By keys: the setting that is drawn elsewhere, with its figures as they should be; a spine that fails, and is mended; another
// seed; the file of a column.
func TestBrowserPlayground(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	dir := t.TempDir()
	s := startLive(t, dir)
	b.show(1440, "light")
	b.open(s.url)
	b.await(`document.getElementById("to-playground")`)
	b.tabTo(`e.id === "to-playground"`)
	b.press("Enter")
	all := b.played()
	drawn := all["drawn"]
	if fmt.Sprint(drawn.Spines) != "[6 2 0 0]" || drawn.Fullest != 3 || *drawn.Used < 0.40 || *drawn.Used > 0.5 || *drawn.Slowest < 0.28 ||
		*drawn.Slowest > 0.34 { // a third, less headers and the way
		b, _ := json.Marshal(drawn)
		t.Errorf("as drawn: %s", b)
	}
	var words string
	b.run(`document.getElementById("luck").innerText + document.getElementById("printed").innerText`, &words)
	for _, want := range []string{"3.54 on average", "76.6 % of the capacity", "chance of 1.69 %", "Two are idle", "2 / 6 = 33 %"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q lacks %q", words, want)
		}
	}
	b.keep("playground", 1440, "light")
	b.keep("playground-dark", 1440, "dark")
	b.show(1440, "light")
	b.tabTo(`e.dataset.spine === "2" && e.closest('[data-method="ecmp"]')`)
	b.press("Enter")
	b.await(`document.querySelector('[data-spine="2"]').getAttribute("aria-pressed") === "true" && document.getElementById("at")`)
	failed := b.played()
	if _, still := failed["drawn"]; still || !strings.Contains(failed["ecmp"].Text, "{switch: spine2, at: 10us, down: 1s}") {
		t.Errorf("%+v", failed)
	}
	b.keep("playground-failed", 1440, "light")
	b.press("Enter")
	b.await(`!document.getElementById("at")`)
	if again := b.played(); again["ecmp"].Run != all["ecmp"].Run {
		t.Errorf("%s ran again as %s", all["ecmp"].Run, again["ecmp"].Run)
	}
	b.tabTo(`e.id === "seed"`)
	b.press("ArrowRight")
	b.await(`location.hash.includes("seed=2")`)
	if next := b.played(); next["ecmp"].Run == all["ecmp"].Run || !strings.Contains(next["ecmp"].Text, "seed: 2\n") {
		t.Errorf("%+v", next["ecmp"])
	}
	b.tabTo(`e.id === "spread"`)
	b.press("Enter")
	const seeds = `Number(document.querySelector('[data-method="ecmp"] .spread')?.dataset.seeds)`
	b.await(seeds + ` >= 4`)
	b.press("Enter")
	b.await(`document.getElementById("spread").textContent.startsWith("Spread over 200")`)
	var slowest []float64
	b.run(`document.querySelector('[data-method="ecmp"] .spread').dataset.values.split(",").map(Number)`, &slowest)
	if now := b.played()["ecmp"]; !slices.Contains(slowest, *now.Slowest) || slices.Max(slowest) == slices.Min(slowest) {
		t.Errorf("over seeds the slowest flow gets %v, with seed 2 %v", slowest, *now.Slowest)
	}
	b.keep("playground-spread", 1440, "light")
	var mute []string
	b.run(`[...document.querySelectorAll("button, select, input, a")].filter((x) =>
		!(x.textContent.trim() || x.getAttribute("aria-label") || x.closest("label")?.textContent.trim()))
		.map((x) => x.outerHTML.slice(0, 120))`, &mute)
	for _, x := range mute {
		t.Errorf("no name: %s", x)
	}
	for _, width := range []int{400, 1440} {
		b.show(width, "light")
		b.fits(t, width)
	}
}
