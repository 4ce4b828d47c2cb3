//go:build linux

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/live"
	"railyard/internal/result"
)

// typed replaces what stands in the text by the keyboard's ways: all is selected, then the text is inserted.
func (b *chromium) typed(text string) {
	b.t.Helper()
	b.run(`(document.getElementById("scenario").select(), 0)`, new(int))
	b.call("Input.insertText", fields{"text": text}, nil)
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
	var example string
	if b.run(`document.getElementById("scenario").value`, &example); !strings.Contains(example, "incast") {
		t.Fatalf("%.100q", example)
	}
	b.tabTo(`e.id === "scenario"`)
	b.typed(strings.Replace(shortRun, "hosts", "hotss", 1))
	verdict("2 errors")
	b.tabTo(`e.closest("#problems") && e.textContent.includes("did you mean hosts?")`)
	b.press("Enter")
	var chosen string
	b.run(`((x) => x.value.slice(x.selectionStart, x.selectionEnd))(document.activeElement)`, &chosen)
	if !strings.HasPrefix(chosen, "hotss: 2") {
		t.Errorf("the problem leads to %q", chosen)
	}
	b.typed(shortRun)
	verdict("Nothing is wrong with it")
	ctrlEnter := fields{"type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 2}
	b.call("Input.dispatchKeyEvent", ctrlEnter, nil)
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
