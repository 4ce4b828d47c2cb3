//go:build unix

package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

//go:embed testdata/browser/audit.js
var auditScript string

// audit is what audit.js finds on a page.
type audit struct {
	Width, ScrollWidth int
	Title              string
	Headings           []string
	Figures            []struct {
		Name     string
		Drawings int // that are shown
		Marks    int
	}
	Texts         int
	Faint         []string // texts with a contrast under 4.5, what the guidelines ask of small text
	Overlaps, Cut []string // texts in drawings
}

// problems lists what a reader would stumble over.
func (a *audit) problems() (all []string) {
	if a.ScrollWidth > a.Width {
		all = append(all, fmt.Sprintf("the page is %d pixels wide in a window of %d", a.ScrollWidth, a.Width))
	}
	for _, f := range a.Figures {
		if f.Drawings != 1 || f.Marks == 0 {
			all = append(all, fmt.Sprintf("figure %s: %d drawings with %d marks", f.Name, f.Drawings, f.Marks))
		}
	}
	for what, list := range map[string][]string{"faint": a.Faint, "overlapping": a.Overlaps, "cut": a.Cut} {
		for _, s := range list {
			all = append(all, what+": "+s)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The page of runs of every kind, as a browser shows it: at the width of a phone, of
// half a screen and of a whole one, in both colour schemes, without a network.
func TestBrowserReport(t *testing.T) {
	b := startBrowser(t)
	steps := []string{"causes", "timeline", "critical-path", "step-time", "loss", "slowest-messages", "completion",
		"fabric", "utilisation", "traffic"}
	flows := []string{"causes", "slowest-messages", "completion", "fabric", "utilisation", "queue"}
	for _, r := range []struct {
		name    string
		file    string
		figures []string
	}{
		{"training", training(t, "digits-8gpu"), steps},
		{"training beside bursts", training(t, "digits-incast"), append(steps, "queue", "marks", "held-by-port")},
		{"training with losses", training(t, "lossy"), append(steps, "retransmissions")},
		{"incast", example("incast"), append(flows, "marks", "held-by-port")},
		{"pauses only", example("pfc-only"), append(flows, "held-by-port")},
		{"marks only", example("ecn-only"), append(flows, "marks")},
		{"one host", write(t, oneHost(t)), []string{"causes", "critical-path", "step-time", "loss"}},
		{"three tiers", write(t, rails), flows},
		{"inside a transformer", write(t, seen("gpt", "gpt: {size: 16, blocks: 1, heads: 2}")), []string{"inside-words-before",
			"inside-words-after", "inside-attention-blocks1-attention-head2", "inside-gradients", "inside-weights-tokens-weight"}},
		{"inside an LSTM", write(t, seen("lstm", "rnn: {embedding: 0, cells: [12]}")), []string{"inside-gates-lstm1",
			"inside-cells-lstm1", "inside-steps-lstm1", "inside-activations-lstm1", "inside-gradient-head-weight"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := (&runCall{quiet(t), runFlags{out: dir, quiet: true}}).runFile(t.Context(), r.file, nil); err != nil {
				t.Fatal(err)
			}
			checkPage(t, b, dir, r.figures)
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		checkPage(t, b, interrupted(t), []string{"causes", "critical-path", "loss"})
	})
}

// seen is a training of a small network of text that is looked into.
func seen(model, sizes string) string {
	return "name: seen\ncluster: {hosts: 2, host: {gpus: 1}}\njob: {train: {model: " + model + ", inside: true, " + sizes +
		", data: {text: {window: 12, grammar: {train: 100, test: 20}}}, batch: 4, steps: 5, lr: 0.1}}\n"
}

// checkPage writes the report of a run and looks at it.
func checkPage(t *testing.T, b *chromium, dir string, figures []string) {
	t.Helper()
	if code := quiet(t).execute([]string{"report", dir}); code != call.OK {
		t.Fatalf("report %s: exit %d", dir, code)
	}
	defer func(before *testing.T) { b.t = before }(b.t)
	b.t = t
	page := &url.URL{Scheme: "file", Path: filepath.Join(dir, "report.html")}
	for _, e := range b.open(page.String()) {
		if e.alarming(page.String()) {
			t.Errorf("while the page is loaded: %v", e)
		}
	}
	for _, width := range []int{375, 800, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.show(width, scheme)
			var a audit
			b.run(auditScript, &a)
			for _, p := range a.problems() {
				t.Errorf("%d pixels, %s: %s", width, scheme, p)
			}
			if a.Width != width || a.Texts < 50 || !strings.HasSuffix(a.Title, " - Railyard report") ||
				len(a.Headings) < 2+len(a.Figures) {
				t.Errorf("%d pixels, %s: this is no report: width %d, %d texts, title %q, headings %q", width, scheme,
					a.Width, a.Texts, a.Title, a.Headings)
			}
			for _, want := range figures {
				if !slices.ContainsFunc(a.Figures, func(f struct {
					Name            string
					Drawings, Marks int
				}) bool {
					return f.Name == want
				}) {
					t.Errorf("%d pixels, %s: no figure %s among %v", width, scheme, want, a.Figures)
				}
			}
		}
	}
}

// alarming reports whether an event is a request other than for the page, or a
// complaint, such as of the content security policy.
func (e browserEvent) alarming(page string) bool {
	switch e.Method {
	case "Network.requestWillBeSent":
		return !strings.Contains(string(e.Params), `"documentURL":"`+page+`","request":{"url":"`+page+`"`)
	case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		return true
	}
	return false
}

// What the test looks for it also finds: a page with one of everything.
func TestBrowserFindsProblems(t *testing.T) {
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "bad.html")
	const bad = `<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<body style="margin: 0"><h1>Bad</h1><p style="color: #aaaaaa">grey on white</p><p style="width: 900px">wide</p>
<img src="http://192.0.2.1/x.png">
<figure id="f"><svg width="300" height="100"><rect width="100" height="60" fill="#0072b2"/>
<text x="5" y="20" fill="#101010">dark on blue</text>
<text x="120" y="20">over</text><text x="135" y="22">lap</text><text x="290" y="50">outside</text></svg></figure>
<figure id="g"><svg width="300" height="10"></svg></figure>`
	if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	page := (&url.URL{Scheme: "file", Path: file}).String()
	complaints := ""
	for _, e := range b.open(page) {
		if e.alarming(page) {
			complaints += e.String()
		}
	}
	if !strings.Contains(complaints, "Content Security Policy") {
		t.Errorf("an image from elsewhere: the browser says %q", complaints)
	}
	b.show(800, "light")
	var a audit
	b.run(auditScript, &a)
	if got, want := strings.Join(a.problems(), "\n"), `cut: f: outside
faint: 2.32: grey on white
faint: 3.67: dark on blue
figure g: 1 drawings with 0 marks
overlapping: f: over | lap
the page is 900 pixels wide in a window of 800`; got != want {
		t.Errorf("problems:\n%s\nwant\n%s", got, want)
	}
}

func example(name string) string { return filepath.Join("..", "..", "..", "examples", name+".yaml") }

// training is an example's training cut to 60 steps on few images.
func training(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(example(name))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), "dir: data/digits, train: 60000, test: 10000",
		"dir: "+digits(t, 640, 100, 1)+", train: 640, test: 100", 1)
	text = strings.Replace(text, "epochs: 3", "epochs: 6", 1)
	if strings.Contains(text, "data/digits") || !strings.Contains(text, "epochs: 6") {
		t.Fatalf("%s: no data or epochs as expected:\n%s", name, text)
	}
	return write(t, text)
}

// oneHost has no network at all between its ranks.
func oneHost(t *testing.T) string {
	return `name: one-host
cluster: {hosts: 1, host: {gpus: 4}}
job: {train: {layers: [784, 10], data: {digits: {dir: ` + digits(t, 64, 20, 3) +
		`, train: 64, test: 20, seed: 3}}, batch: 4, epochs: 3, lr: 0.1}}
`
}

// rails has messages that cross a spine, and many nodes.
const rails = `name: across-rails-with-a-name-that-is-too-long-for-a-phone
cluster: {hosts: 24, host: {gpus: 4}, nic: {speed: 100Gb/s}}
fabric: {design: rail-optimized, spines: 2, links: {spine: 400Gb/s}}
job:
  flows:
    - {from: host1/nic0, to: host20/nic3, bytes: 4MB}
    - {from: host2/nic1, to: host20/nic3, bytes: 4MB}
    - {name: a-flow-with-a-long-name-0123456789, from: host3/nic2, to: host20/nic3, bytes: 40kB}
    - {from: host20/nic3, to: host4/nic0, bytes: 1MB, start: 100us}
`

// interrupted is the directory of a training that was interrupted after some steps.
func interrupted(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := quiet(t)
	a.engine.Run = func(ctx context.Context, sc *scenario.Scenario, opt call.RunOptions) (*result.Summary, error) {
		opt.Progress = func(p result.Progress) {
			if p.Done >= 5 && p.HasLoss {
				cancel()
			}
		}
		return wired().Run(ctx, sc, opt)
	}
	dir := filepath.Join(t.TempDir(), "run")
	err := (&runCall{a, runFlags{out: dir, quiet: true}}).runFile(ctx, training(t, "digits-8gpu"), nil)
	var e *call.Exit
	if !errors.As(err, &e) || e.Code != call.Interrupted {
		t.Fatalf("the run ends with %v, want an interruption", err)
	}
	return dir
}
