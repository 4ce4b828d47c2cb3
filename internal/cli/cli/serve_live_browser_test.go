//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/cli/live"
	"railyard/internal/out/result"
)

// typed replaces what stands in the text by the keyboard's ways: all is selected, then the text is inserted.
func (b *chromium) typed(text string) {
	b.t.Helper()
	b.await(`document.getElementById("scenario")`)
	b.run(`(document.getElementById("scenario").focus(), 0)`, new(int))
	b.chord("a")
	b.call("Input.insertText", fields{"text": text}, nil)
}

// chord presses a key with Ctrl.
func (b *chromium) chord(key string) {
	b.t.Helper()
	code := map[string]fields{"a": {"code": "KeyA", "windowsVirtualKeyCode": 65}, "Enter": {"code": "Enter", "windowsVirtualKeyCode": 13},
		" ": {"code": "Space", "windowsVirtualKeyCode": 32}, "End": {"code": "End", "windowsVirtualKeyCode": 35}}[key]
	e := fields{"type": "keyDown", "key": key, "modifiers": 2}
	maps.Copy(e, code)
	b.call("Input.dispatchKeyEvent", e, nil)
}

// scenario is what stands in the editor, as far as it shows lines.
func (b *chromium) scenario() (text string) {
	b.t.Helper()
	b.run(`[...document.querySelectorAll("#scenario .cm-line")].map((x) => x.textContent).join("\n")`, &text)
	return text
}

// keep writes a picture of the page into the folder RAILYARD_SCREENS_TO, if there is one, for people to look at.
func (b *chromium) keep(name string, width int, scheme string) {
	b.t.Helper()
	if to := os.Getenv("RAILYARD_SCREENS_TO"); to != "" {
		if err := os.WriteFile(filepath.Join(to, name+".png"), b.screen(width, scheme), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// By keys alone: an example, a mistake in it, its problem, the place of the problem, a run, what comes of it, another that is
// watched and cancelled, and the comparison of two. A page that comes back finds what goes on.
func TestBrowserServeRun(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	dir := t.TempDir()
	s := startLive(t, dir, "--at-once", "1")
	b.show(1440, "light")
	for _, e := range b.open(s.url) {
		if e.foreign(s.url) {
			t.Errorf("while the page is loaded: %v", e)
		}
	}
	b.await(`document.getElementById("edit")`)
	b.tabTo(`e.id === "edit"`)
	b.press("Enter")
	verdict := func(text string) {
		t.Helper()
		b.await(fmt.Sprintf(`document.getElementById("verdict")?.dataset.done === "true" &&
			document.getElementById("verdict").textContent.includes(%q)`, text))
	}
	verdict("Nothing is wrong with it")
	if example := b.scenario(); !strings.Contains(example, "incast") {
		t.Fatalf("%.100q", example)
	}
	b.tabTo(`e.id === "scenario"`)
	b.typed(strings.Replace(shortRun, "hosts", "hotss", 1))
	verdict("2 errors")
	b.tabTo(`e.closest("#problems") && e.textContent.includes("did you mean hosts?")`)
	b.press("Enter")
	var chosen string
	b.run(`document.activeElement.id === "scenario" && getSelection().toString()`, &chosen)
	if !strings.HasPrefix(chosen, "hotss: 2") {
		t.Errorf("the problem leads to %q", chosen)
	}
	b.typed(shortRun)
	verdict("Nothing is wrong with it")
	b.chord("Enter")
	b.await(`document.getElementById("watched")?.dataset.state === "complete"`)
	b.await(`document.querySelector('#jobs tr[data-state="complete"]')`)
	b.tabTo(`e.id === "open"`)
	b.press("Enter")
	b.await(`document.getElementById("state")?.textContent === "complete" && document.getElementById("answer")`)

	b.tabTo(`e.id === "edit"`)
	b.press("Enter")
	verdict("Nothing is wrong with it") // the scenario of the run
	b.tabTo(`e.id === "scenario"`)
	b.typed(longRun)
	verdict("Nothing is wrong with it")
	b.tabTo(`e.id === "start"`)
	b.press("Enter")
	b.await(`document.getElementById("watched")?.dataset.state === "running" &&
		document.getElementById("watched").textContent.includes("flows") && document.querySelector("progress")`)
	jobs := s.jobs()
	b.open("about:blank") // the browser is closed in the middle, and comes back
	if v := s.until(jobs[0].ID, moves); v.State != live.Running {
		t.Errorf("%+v", v)
	}
	b.open(s.url + "#/live?run=short-1")
	b.await(`document.getElementById("watched")?.dataset.state === "running"`)
	b.tabTo(`e.id === "cancel"`)
	b.press("Enter")
	b.await(`document.getElementById("watched").dataset.state === "interrupted"`)
	if run, err := result.Open(filepath.Join(dir, "runs/long-1")); err != nil || run.Summary.State != result.Interrupted {
		t.Errorf("%v", err)
	}
	b.await(`document.getElementById("both")`)
	b.tabTo(`e.id === "both"`)
	b.press("Enter")
	b.await(`location.hash.startsWith("#/compare") && document.body.innerText.includes("What differs in their scenarios")`)
	var mute []string
	b.open("about:blank")
	b.open(s.url + "#/live")
	verdict("Nothing is wrong with it")
	b.run(`[...document.querySelectorAll("button, select, input, a, textarea")].filter((x) =>
		!(x.textContent.trim() || x.getAttribute("aria-label") || x.closest("label")?.textContent.trim() || x.labels?.length)
		|| x.tabIndex < 0).map((x) => x.outerHTML.slice(0, 120))`, &mute)
	for _, x := range mute {
		t.Errorf("no name, or not reached by Tab: %s", x)
	}
}

// Who looks inside a run that goes on sees queues, pauses it, has it go on step by step and slowly, and changes none of its
// bytes; when the page is closed it goes on by itself.
func TestBrowserLooksInside(t *testing.T) {
	const incast = "name: seen\ncluster: {hosts: 4, host: {gpus: 1}}\nfabric: {switch: {buffer: 2MB}}\njob:\n  flows:\n" +
		"    - {name: one, from: host1/gpu0, to: host4/gpu0, bytes: 12GB}\n" +
		"    - {name: two, from: host2/gpu0, to: host4/gpu0, bytes: 12GB}\n"
	b := startOnline(t, "--disable-gpu")
	dir := t.TempDir()
	s := startLive(t, dir)
	b.show(1440, "light")
	b.open(s.url + "#/live") // before the run begins, which is over in seconds
	id := s.job(incast).ID
	b.await(`document.getElementById("look")`)
	b.tabTo(`e.id === "look"`)
	b.press("Enter")
	b.await(`Number(document.getElementById("now")?.dataset.views) > 2 &&
		document.querySelector('#busy tr[data-port="rail1/host4"]')?.dataset.queue > 0 &&
		document.querySelectorAll("#pairs tbody tr").length === 2`)
	b.tabTo(`e.id === "pause"`)
	b.press("Enter")
	at := func() (ps float64) {
		t.Helper()
		b.run(`Number(document.getElementById("now").dataset.now)`, &ps)
		return ps
	}
	b.await(`document.getElementById("pause").textContent === "Go on" && document.body.innerText.includes("It stands still")`)
	b.tabTo(`e.id === "pace"`)
	b.run(`((x) => {
		x.value = "10";
		x.dispatchEvent(new Event("change", {bubbles: true}));
	})(document.getElementById("pace")) || 0`, new(int))
	b.await(`document.getElementById("pace").value === "10"`)
	b.tabTo(`e.id === "step"`)
	before := at()
	for n := range 4 { // a step is what passes between two views: half a microsecond
		b.press("Enter")
		b.await(fmt.Sprintf(`Number(document.getElementById("now").dataset.now) > %v`, before))
		now := at()
		if steps := (now - before) / 500_000; n > 0 && steps != 1 && steps != 2 { // the first may show where it was paused
			t.Errorf("a step leads from %v to %v", before, now)
		}
		before = now
	}
	var rows int
	b.tabTo(`e.id === "part"`)
	b.call("Input.insertText", fields{"text": "two"}, nil)
	b.press("Enter")
	b.await(`document.querySelectorAll("#pairs tbody tr").length === 1 && document.querySelector('#pairs tr[data-pair="two"]')`)
	if b.run(`document.querySelectorAll("#busy tbody tr").length`, &rows); rows == 0 {
		t.Error("no port is told of")
	}
	b.keep("inside", 1440, "light")
	b.open("about:blank")
	if v := s.until(id, (*live.View).Ended); v.State != live.State(result.Complete) {
		t.Errorf("%+v", v)
	}
	writeAll(t, filepath.Join(dir, "own.yaml"), []byte(incast))
	if out, state, _ := inChild(dir, "run", "own.yaml", "--out", "own", "--quiet"); !state.Success() {
		t.Fatalf("%s", out)
	}
	for _, name := range []string{"flows.parquet", "queues.parquet", "links.parquet"} {
		want, err := os.ReadFile(filepath.Join(dir, "own", name))
		got, err2 := os.ReadFile(filepath.Join(dir, "runs/seen-1", name))
		if err != nil || err2 != nil || !bytes.Equal(want, got) {
			t.Errorf("%s is not that of railyard run: %v, %v", name, err, err2)
		}
	}
}
