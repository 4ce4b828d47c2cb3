//go:build unix

package cli

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/cli/web"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// serving shows the runs below a folder until the test ends, and returns the address of the page.
func serving(t *testing.T, root string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	url, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		s := web.New(web.Options{Dir: root, Plan: collectivesOf})
		ended <- s.Serve(ctx, netip.MustParseAddrPort("127.0.0.1:0"), func(u string) { url <- u })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case u := <-url:
		return u
	case err := <-ended:
		t.Fatal(err)
	}
	return ""
}

// await evaluates an expression until it is true.
func (b *chromium) await(expression string) {
	b.t.Helper()
	for end := time.Now().Add(browserLimit); ; time.Sleep(20 * time.Millisecond) {
		var yes bool
		if b.run("!!("+expression+")", &yes); yes {
			return
		}
		if time.Now().After(end) { // of a page that never shows it
			var text string
			b.run("document.body.innerText.slice(0, 3000)", &text)
			b.t.Fatalf("never true: %s\nthe page:\n%s", expression, text)
		}
	}
}

// foreign reports whether an event is a request for anything but the server's, an exception, or a complaint of the content
// security policy.
func (e browserEvent) foreign(address string) bool {
	text := string(e.Params)
	switch e.Method {
	case "Network.requestWillBeSent":
		return !strings.Contains(text, `"request":{"url":"`+address) && !strings.Contains(text, `"request":{"url":"data:`)
	case "Runtime.exceptionThrown":
		return true
	case "Log.entryAdded":
		return strings.Contains(text, "Content Security Policy")
	}
	return false
}

// withSeries is an example that keeps what is to be seen over time.
func withSeries(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(example(name))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, string(b)+"\noutput: {series: true, events: true}\n")
}

// simulated runs a scenario into a folder.
func simulated(t *testing.T, file, dir string) *result.Run {
	t.Helper()
	if err := (&runCall{quiet(t), runFlags{out: dir, quiet: true}}).runFile(t.Context(), file, nil); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// shownAt is what the page's table of ports has, by port and figure, once it has the rows of a time.
const shownAt = `(() => {
  const table = document.getElementById("ports"), at = %d;
  if (!table || table.dataset.at !== String(at) || document.getElementById("grain")?.dataset.level !== "0") return {};
  const all = {};
  for (const row of table.querySelectorAll("tbody tr"))
    for (const cell of row.querySelectorAll("[data-figure]")) {
      if (cell.dataset.value === undefined) return {};
      all[row.dataset.port + " " + cell.dataset.figure] = Number(cell.dataset.value);
    }
  return all;
})()`

// What the page says of ports at drawn times is what the rows of series.parquet say, to the last bit; its headline is the one of
// report --json.
func TestBrowserServeShowsTheRows(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	run := simulated(t, withSeries(t, "incast"), filepath.Join(root, "incast"))
	address := serving(t, root)
	for _, e := range b.open(address + "#/run/incast") {
		if e.foreign(address) {
			t.Errorf("while the page is loaded: %v", e)
		}
	}
	b.await(`document.querySelectorAll("#headline dd").length > 3`)
	d, err := report.Load(run.Path)
	if err != nil {
		t.Fatal(err)
	}
	doc := report.DocumentOf(d)
	for _, f := range doc.Figures {
		var value string
		b.run(fmt.Sprintf(`document.querySelector('#headline dd[data-name="%s"]')?.dataset.value ?? ""`, f.Name), &value)
		if want := fmt.Sprint(float64(f.Value)); value == "" || fmt.Sprint(number(t, value)) != want {
			t.Errorf("headline figure %s is %q, report has %s", f.Name, value, want)
		}
	}
	var answer string
	if b.run(`document.getElementById("answer").textContent`, &answer); answer != doc.Answer {
		t.Errorf("the page says %q, report %q", answer, doc.Answer)
	}

	rows := rowsOf(t, run)
	draws := rand.New(rand.NewPCG(7, 11))
	const times, perTime = 40, 5
	for range times {
		k := draws.Int64N(rows.ends)
		at := unit.Time(k)*unit.Time(rows.every) + unit.Time(draws.Int64N(int64(rows.every)))
		at = min(at, rows.until-1)
		b.run(fmt.Sprintf(`(location.hash = "#/run/incast?t=%d", 0)`, at), new(int))
		var got map[string]float64
		for end := time.Now().Add(browserLimit); len(got) == 0; time.Sleep(10 * time.Millisecond) {
			b.run(fmt.Sprintf(shownAt, at), &got)
			if time.Now().After(end) {
				var state string
				b.run(`[location.hash, ...["when", "grain", "progress", "ports"].map((x) =>
					document.getElementById(x)?.outerHTML.slice(0, 900))].join("\n")`, &state)
				t.Fatalf("the page never shows %d ps:\n%s", at, state)
			}
		}
		for range perTime {
			port := rows.ports[draws.IntN(len(rows.ports))]
			for _, figure := range []string{"use", "queue", "paused", "marks", "drops"} {
				name := port + " " + figure
				if v, there := got[name]; !there || v != rows.at(k, name) {
					t.Errorf("%s at %v: the page has %v (%v), series.parquet %v", name, at, v, there, rows.at(k, name))
				}
			}
		}
	}
}

func number(t *testing.T, s string) (v float64) {
	t.Helper()
	if _, err := fmt.Sscan(s, &v); err != nil {
		t.Fatalf("%q is no number", s)
	}
	return v
}

// seriesRows is series.parquet by interval.
type seriesRows struct {
	ports []string
	every unit.Duration
	until unit.Time
	ends  int64
	link  map[string]float64   // by interval, port and figure
	queue map[string][]heldRow // by port and class
}

type heldRow struct {
	from  int64
	bytes float64
}

func rowsOf(t *testing.T, run *result.Run) *seriesRows {
	t.Helper()
	s := &seriesRows{link: map[string]float64{}, queue: map[string][]heldRow{}}
	for l, err := range run.Links() {
		if err != nil {
			t.Fatal(err)
		}
		s.ports = append(s.ports, l.Port)
	}
	for r, err := range run.Series() {
		if err != nil {
			t.Fatal(err)
		}
		if s.every == 0 {
			s.every = r.Until.Sub(r.From)
		}
		s.until = max(s.until, r.Until)
		k := int64(r.From) / int64(s.every)
		s.ends = max(s.ends, k+1)
		switch r.Kind {
		case result.SeriesLink:
			for figure, v := range map[string]float64{"use": r.Utilisation, "marks": float64(r.Marks), "drops": float64(r.Drops),
				"paused": float64(r.Paused) / float64(r.Until.Sub(r.From))} {
				s.link[fmt.Sprint(k, r.Port, " ", figure)] = v
			}
		case result.SeriesQueue:
			name := fmt.Sprint(r.Port, " queue ", r.Class)
			s.queue[name] = append(s.queue[name], heldRow{k, float64(r.Bytes)})
		}
	}
	return s
}

// at is what the rows say of a port's figure in an interval: of its queues the longest.
func (s *seriesRows) at(k int64, name string) float64 {
	if !strings.HasSuffix(name, " queue") {
		return s.link[fmt.Sprint(k, name)]
	}
	most := 0.0
	for class := range 8 {
		now := 0.0
		for _, h := range s.queue[fmt.Sprint(name, " ", class)] {
			if h.from <= k {
				now = h.bytes
			}
		}
		most = math.Max(most, now)
	}
	return most
}

// A reader who clicks only what the sentence leads to arrives at the port that it names, and sees its queue fill.
func TestBrowserServeLeadsToTheCause(t *testing.T) {
	b := startOnline(t, "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
	root := t.TempDir()
	run := simulated(t, withSeries(t, "incast"), filepath.Join(root, "incast"))
	address := serving(t, root)
	b.open(address)
	b.await(`document.querySelector("#runs a")`)
	b.run(`(document.querySelector("#runs a").click(), 0)`, new(int))
	b.await(`document.querySelector("#blames button")`)
	b.run(`(document.querySelector("#blames button").click(), 0)`, new(int))
	b.await(`document.querySelector("table.series[data-kind=queue] td[data-value]") && document.getElementById("log")`)
	var title string
	b.run(`document.getElementById("detail-title").textContent`, &title)
	blamed := run.Summary.Diagnosis.Main().Port
	if title != "Port "+blamed {
		t.Errorf("the sentence leads to %q, the first blame is %s", title, blamed)
	}
	var most float64
	b.run(`Math.max(...[...document.querySelectorAll("table.series[data-kind=queue] td[data-value]")]
		.map((x) => Number(x.dataset.value)))`, &most)
	if least := float64(run.Summary.Thresholds[0].ECN.Min); most < least {
		t.Errorf("the queue that it shows comes to %v bytes, and marks from %v on", most, least)
	}
	b.await(`document.querySelector(".map").dataset.scene`)
	var scene, hash string
	b.run(`document.querySelector(".map").dataset.scene`, &scene)
	if scene != "webgl" && scene != "canvas" {
		t.Errorf("the map is drawn by %q", scene)
	}
	b.await(`location.hash.includes("sel=port")`)
	b.run("location.hash", &hash)
	// The next pause, by the key for the next event of a kind.
	b.run(fmt.Sprintf(`(location.hash = %q.replace(/[?&]t=\d+/, "?t=0") + "&kind=pause", 0)`, hash), new(int))
	b.await(`document.getElementById("when").dataset.t === "0"`)
	b.run(`(document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true})), 0)`, new(int))
	b.await(`document.getElementById("said").textContent.startsWith("pause at")`)
	var at string
	b.run(`document.getElementById("when").dataset.t`, &at)
	first := int64(-1)
	for e, err := range run.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == result.EventPause {
			first = int64(e.Time)
			break
		}
	}
	if at != fmt.Sprint(first) {
		t.Errorf("the first pause is shown at %s ps, events.parquet has it at %d", at, first)
	}
}

// Runs of every state have a page that says what there is: without series, broken, killed, and very many.
func TestBrowserServeStates(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	simulated(t, write(t, oneHost(t)), filepath.Join(root, "plain"))
	broken := simulated(t, withSeries(t, "incast"), filepath.Join(root, "broken"))
	if err := os.WriteFile(filepath.Join(broken.Path, "series.parquet"), []byte("PAR1 nonsense PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(t.TempDir(), "begun")
	d, err := result.Create(begun)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(&result.Summary{Name: "</script><b id=injected>killed"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Discard() })                                             // this process holds it until then
	if err := os.CopyFS(filepath.Join(root, "killed"), os.DirFS(begun)); err != nil { // and of this one nobody holds the lock
		t.Fatal(err)
	}
	thousand(t, root)
	address := serving(t, root)
	look := func(hash, expression string) {
		t.Helper()
		b.open("about:blank")
		for _, e := range b.open(address + hash) {
			if e.foreign(address) {
				t.Errorf("%s: %v", hash, e)
			}
		}
		b.await(expression)
	}
	look("#/run/plain", `document.getElementById("want")?.textContent.includes("output.series: true")`)
	look("#/run/broken", `[...document.querySelectorAll(".note")].some((x) => x.textContent.includes("is not the one that the run wrote"))`)
	look("#/run/killed", `document.body.innerText.includes("This run was killed") && document.body.innerText.includes("</script>")`)
	var injected bool
	if b.run(`document.getElementById("injected") !== null`, &injected); injected {
		t.Error("the name of a run became an element of the page")
	}
	look("#/run/nobody", `document.querySelector(".note")?.textContent.includes("there is no run")`)
	look("#/", `document.querySelectorAll("#runs tbody tr").length === 50 && document.body.innerText.includes("1003 runs")`)
	look("#/compare?a=plain&b=many%2Frun7", `document.querySelector(".sentence")`)
}

// thousand makes as many runs below a folder that has the run plain.
func thousand(t *testing.T, root string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "plain", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		dir := filepath.Join(root, "many", fmt.Sprint("run", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "run.json"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
