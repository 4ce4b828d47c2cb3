//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"railyard/internal/cli/live"
	"railyard/internal/out/result"
)

// The editor lists what may be written, says what it means and where that is from, underlines what is wrong, draws the network and
// the thresholds that a scenario makes, saves it with the command of the same run, and runs it beside what it was.
func TestBrowserEditor(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	dir := t.TempDir()
	s := startLive(t, dir, "--at-once", "1")
	b.show(1440, "light")
	for _, e := range b.open(s.url + "#/live?example=lab-12-load-balancing") {
		if e.foreign(s.url) {
			t.Errorf("while the page is loaded: %v", e)
		}
	}
	sound := func() {
		t.Helper()
		b.await(`((v) => v?.dataset.done === "true" && v.textContent.includes("Nothing is wrong"))(document.getElementById("verdict"))`)
	}
	text := func(id string) (said string) {
		t.Helper()
		b.run(fmt.Sprintf("document.getElementById(%q)?.textContent ?? ''", id), &said)
		return said
	}
	sound()
	if !strings.Contains(b.scenario(), "Figure 12-4") {
		t.Errorf("the lab's scenario is not there: %.200s", b.scenario())
	}
	b.open("about:blank")
	b.open(s.url + "#/live?example=incast")
	sound()
	b.run(`(document.getElementById("scenario").focus(), 0)`, new(int))
	b.chord("End")
	b.call("Input.insertText", fields{"text": "\nouput: {series: true}\n"}, nil)
	b.await(`document.getElementById("problems")?.textContent.includes("did you mean output?")`)
	b.keep("live-problems", 1440, "light")
	b.typed(shortRun)
	sound()
	b.await(`document.getElementById("network")?.textContent.includes("2 hosts") && document.querySelectorAll("#topology rect").length > 2`)
	b.await(`document.querySelector('[data-threshold="0"] polyline') && document.querySelector('[data-threshold="0"] .headroom')`)
	if got := text("save-command"); got != "railyard run short.yaml" {
		t.Errorf("the command of the same run is %q", got)
	}
	b.run(`(document.querySelector("#save summary").click(), 0)`, new(int))
	var saved string
	if b.run(`document.getElementById("save-link").download`, &saved); saved != "short.yaml" {
		t.Errorf("it is saved as %q", saved)
	}
	b.keep("live-editor", 1440, "light")
	b.keep("live-editor-dark", 1440, "dark")

	// accept takes what is chosen of a list, a moment after it has come: what comes under somebody's fingers is not taken.
	accept := func(what string) {
		t.Helper()
		b.await(fmt.Sprintf(`document.querySelector(".cm-tooltip-autocomplete li[aria-selected]")?.textContent.includes(%q)`, what))
		time.Sleep(200 * time.Millisecond)
		b.press("Enter")
	}

	// What may be written: keys of a mapping but those that it has, values with names.
	b.run(`(document.getElementById("scenario").focus(), 0)`, new(int))
	b.chord("End")
	b.call("Input.insertText", fields{"text": "\ntransport:\n  rec"}, nil)
	b.await(`[...document.querySelectorAll(".cm-tooltip-autocomplete li")].some((x) => x.textContent.includes("recovery"))`)
	b.call("Input.insertText", fields{"text": "ov"}, nil)
	accept("recovery")
	b.await(`((said) => said.startsWith("transport.recovery") && said.includes("default go-back-n"))(
		document.getElementById("means").textContent)`)
	b.chord(" ")
	b.await(`[...document.querySelectorAll(".cm-tooltip-autocomplete li")].some((x) => x.textContent.includes("selective-repeat"))`)
	b.call("Input.insertText", fields{"text": "sel"}, nil)
	accept("selective-repeat")
	sound()
	if got := b.scenario(); !strings.HasSuffix(strings.TrimSpace(got), "transport:\n  recovery: selective-repeat") {
		t.Errorf("%q", got)
	}
	b.run(`((l) => { const word = [...l.childNodes].find((x) => x.textContent.includes("recovery"));
		const r = word.getBoundingClientRect?.() ?? l.getBoundingClientRect();
		window.at = [r.x + 30, r.y + r.height / 2]; return 0; })([...document.querySelectorAll("#scenario .cm-line")].at(-1))`, new(int))
	var at []float64
	b.run(`window.at`, &at)
	b.call("Input.dispatchMouseEvent", fields{"type": "mouseMoved", "x": at[0], "y": at[1]}, nil)
	b.await(`document.querySelector(".cm-tooltip-hover")?.textContent.includes("Default: go-back-n")`)

	// What is wrong is underlined where it is.
	b.call("Input.insertText", fields{"text": "\n  reciever: direct"}, nil)
	b.await(`document.querySelector(".cm-lintRange-error")?.textContent.includes("reciever")`)
	b.await(`document.querySelector(".cm-gutter-lint .cm-lint-marker-error")`)
	b.typed(shortRun + "seed: 2\n")
	sound()

	// As it was, and as it is.
	b.run(`(document.getElementById("start-both").click(), 0)`, new(int))
	b.await(`document.getElementById("pair")`)
	b.run(`(document.getElementById("pair").click(), 0)`, new(int))
	b.await(`location.hash.startsWith("#/compare") && document.body.innerText.includes("What differs in their scenarios")`)
	jobs := s.jobs()
	if len(jobs) != 2 || jobs[0].State != live.State(result.Complete) || jobs[1].State != live.State(result.Complete) {
		t.Errorf("%+v", jobs)
	}
	if runs, err := os.ReadDir(filepath.Join(dir, "runs")); err != nil || len(runs) != 2 {
		t.Errorf("%v %v", runs, err)
	}
}
