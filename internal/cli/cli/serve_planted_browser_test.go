//go:build unix

package cli

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/out/diagnose"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
	"railyard/internal/study/planted"
)

// Of which families of planted causes a page is opened. By hand, all of them:
//
//	go test ./internal/cli/cli -run TestBrowserServeShowsWhatIsPlanted -planted-families all -planted-passed FILE -timeout 0 -v
//
// replay-victim has a blame that is felt as nothing; low-xoff is seen in what its port holds, for its queue is shorter.
var plantedFamilies = flag.String("planted-families", "incast,lossy,victim,slow-host,deadlock,straggler,down-uplink,replay-victim,low-xoff",
	"families of planted causes whose runs are opened in a browser; all: each")

var plantedPassed = flag.String("planted-passed", "", "a file of families that have passed: they are left out, others that pass are added")

// sign is what a port's series or log show of a cause there.
type sign string

const (
	shownFull    sign = "a queue, or a link that is used throughout"
	shownLost    sign = "drops, or losses"
	shownHeld    sign = "pauses"
	shownNothing sign = ""
)

// signs says what is to be seen of a kind of blame at its port.
var signs = map[diagnose.Kind]sign{
	diagnose.SharedPort: shownFull, diagnose.UnevenChoice: shownFull, diagnose.SlowPort: shownFull, diagnose.Pauses: shownFull,
	diagnose.LossyLink: shownLost, diagnose.FullBuffer: shownLost, diagnose.DropThreshold: shownLost, diagnose.Watchdog: shownLost,
	diagnose.Deadlock: shownHeld, diagnose.Storm: shownHeld, diagnose.Receiver: shownHeld,
}

// A run in which a cause was planted is opened as a reader does: the list, the run, the link beside the sentence. It leads to the
// planted place, whose series and log show the cause; the same port without what was planted shows less of it.
func TestBrowserServeShowsWhatIsPlanted(t *testing.T) {
	t.Chdir(t.TempDir())
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	address := serving(t, root)
	wanted := strings.Split(*plantedFamilies, ",")
	seen := map[sign]int{}
	passed, _ := os.ReadFile(*plantedPassed) // none yet: there is no such file
	done := strings.Fields(string(passed))
	for _, f := range planted.Families() {
		if *plantedFamilies != "all" && !slices.Contains(wanted, f.Name) || slices.Contains(done, f.Name) {
			continue
		}
		c, err := f.Draw(1)
		if err != nil {
			t.Fatal(err)
		}
		if t.Run(f.Name, func(t *testing.T) {
			if err := os.WriteFile(planted.TopologyFile, []byte(c.Topology), 0o666); err != nil {
				t.Fatal(err)
			}
			b.t = t
			seen[openPlanted(t, b, address, root, f.Name, &c)]++
		}) && *plantedPassed != "" {
			done = append(done, f.Name)
			if err := os.WriteFile(*plantedPassed, []byte(strings.Join(done, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range []string{f.Name, f.Name + "-without"} {
			_ = os.RemoveAll(filepath.Join(root, dir))
		}
	}
	b.t = t
	t.Logf("seen: %v", seen)
	usual := flag.Lookup("planted-families").DefValue
	if *plantedFamilies == usual && (seen[shownFull] == 0 || seen[shownLost] == 0 || seen[shownHeld] == 0) {
		t.Errorf("of these families not each kind of sign was looked for: %v", seen)
	}
}

// openPlanted returns what was looked for.
func openPlanted(t *testing.T, b *chromium, address, root, name string, c *planted.Case) sign {
	t.Helper()
	lead := runPlanted(t, c.With, filepath.Join(root, name))
	runPlanted(t, c.Without, filepath.Join(root, name+"-without"))
	b.open("about:blank")
	b.open(address)
	b.await(`document.querySelector("input[type=search]")`)
	b.run(fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); return 0; })(
		document.querySelector("input[type=search]"))`, name), new(int))
	b.await(fmt.Sprintf(`[...document.querySelectorAll("#runs a")].some((x) => x.textContent === %q)`, name))
	b.run(fmt.Sprintf(`(location.hash = "#/run/%s?t=0", 0)`, name), new(int))
	b.await(`document.getElementById("answer")`)
	var place string
	b.run(`document.getElementById("lead")?.textContent ?? ""`, &place)
	if !leads(c, place) {
		t.Errorf("the sentence leads to %q, planted was one of %+v or at %q", place, c.Wants, c.Places)
	}
	if place == "" {
		return shownNothing
	}
	b.run(`(document.getElementById("lead").click(), 0)`, new(int))
	if strings.HasPrefix(place, "rank ") {
		b.await(`document.querySelector("#rank-steps tbody tr")`)
		return shownNothing
	}
	b.await(fmt.Sprintf(`document.getElementById("detail-title")?.textContent === "Port %s"`, place))
	want := signs[lead.Kind]
	if want == shownNothing || strings.Count(place, "/") != 1 || strings.Contains(place, "PCIe") {
		return shownNothing
	}
	b.await(`document.getElementById("settled") && document.getElementById("progress")?.textContent.includes("rows read")`)
	with, held := looked(t, b, want)
	if with <= 0 {
		t.Errorf("at %s nothing is to be seen of %s: want %s", place, lead.Kind, want)
	}
	b.run(fmt.Sprintf(`(location.hash = "#/run/%s-without?t=0&sel=" + encodeURIComponent("port|%s"), 0)`, name, place), new(int))
	b.await(fmt.Sprintf(`document.querySelector("h1")?.textContent.endsWith("%s-without") && document.getElementById("settled") &&
		document.getElementById("progress")?.textContent.includes("rows read")`, name))
	if without, heldThen := looked(t, b, want); without >= with && heldThen >= held {
		t.Errorf("at %s there is as much of %s without what was planted: %v, held by it %v, and with it %v, %v", place, want,
			without, heldThen, with, held)
	}
	return want
}

// leads reports whether a place is one that was planted.
func leads(c *planted.Case, place string) bool {
	of := func(p string) bool {
		return p == place || diagnose.OnLink(place, p) || strings.HasPrefix(place, p+"/") || strings.HasSuffix(place, "/"+p)
	}
	wanted := func(w planted.Want) bool {
		return w.Port != "" && of(w.Port) || w.Rank >= 0 && of(fmt.Sprintf("rank %d", w.Rank)) || w.Port == "" && w.Rank < 0
	}
	return len(c.Places) == 0 && len(c.Wants) == 0 || slices.ContainsFunc(c.Wants, wanted) || slices.ContainsFunc(c.Places, of)
}

// runPlanted runs a scenario that keeps what is to be seen over time, and returns what its sentence is about.
func runPlanted(t *testing.T, text, dir string) *diagnose.Blame {
	t.Helper()
	text += "\noutput: {series: true, events: true}\n"
	err := (&runCall{quiet(t), runFlags{out: dir, quiet: true, workers: -1}}).runFile(t.Context(), write(t, text), nil)
	r, open := result.Open(dir)
	if open != nil {
		t.Fatal(cmp.Or(err, open))
	}
	if b := report.Lead(report.OfSummary(r.Summary)); b != nil {
		return b
	}
	return &diagnose.Blame{}
}

// looked sums what the page's tables show of a sign at the port that is chosen, over the whole run; of what fills a port, too, for
// how long its queue held others.
func looked(t *testing.T, b *chromium, s sign) (sum, held float64) {
	t.Helper()
	const column = `((kind, name) => { let sum = 0;
		const bar = document.getElementById("scrubber"), span = Number(bar.ariaValueMax) - Number(bar.ariaValueMin);
		for (const t of document.querySelectorAll('table.series[data-kind="' + kind + '"]')) {
			const i = [...t.querySelectorAll("thead th")].findIndex((x) => x.textContent === name);
			const rows = [...t.querySelectorAll("tbody tr")], width = ["queue", "utilisation"].includes(name) ? span / rows.length : 1;
			if (i > 0) for (const r of rows) sum += Number(r.children[i].dataset.value) * width;
		}
		return sum; })`
	switch s {
	case shownLost:
		b.run(column+`("link", "drops") + [...document.querySelectorAll("#log tbody tr")].filter((r) =>
			["drop", "loss"].includes(r.children[1].textContent)).length`, &sum)
	case shownHeld:
		b.run(column+`("link", "paused")`, &sum)
	default:
		b.run(column+`("queue", "queue") + `+column+`("link", "utilisation")`, &sum)
		b.run(`[...document.querySelectorAll("#holds-others td[data-value]")].reduce((sum, x) => sum + Number(x.dataset.value), 0)`, &held)
	}
	return sum, held
}
