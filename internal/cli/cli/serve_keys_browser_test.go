//go:build unix

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// press types a key as a keyboard does.
func (b *chromium) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		key := fields{"type": "keyDown", "key": k, "code": k}
		switch k {
		case "Tab":
			key["windowsVirtualKeyCode"] = 9
		case "Enter":
			key["windowsVirtualKeyCode"], key["text"] = 13, "\r"
		case "Escape":
			key["windowsVirtualKeyCode"] = 27
		case "ArrowRight":
			key["windowsVirtualKeyCode"] = 39
		case "ArrowLeft":
			key["windowsVirtualKeyCode"] = 37
		case "Home":
			key["windowsVirtualKeyCode"] = 36
		default:
			key["text"] = k
		}
		b.call("Input.dispatchKeyEvent", key, nil)
		up := fields{"type": "keyUp", "key": k, "code": k}
		b.call("Input.dispatchKeyEvent", up, nil)
	}
}

// tabTo presses Tab until what has the focus is what is wanted, and reports a page on which that is never so.
func (b *chromium) tabTo(condition string) {
	b.t.Helper()
	for range 400 {
		b.press("Tab")
		var there bool
		if b.run(`((e) => !!(`+condition+`))(document.activeElement)`, &there); there {
			return
		}
	}
	b.t.Fatalf("Tab never comes to %s", condition)
}

// Everything that the pointer does, keys do: from the list to the run, to the port that it names, through its time.
func TestBrowserServeByKeysAlone(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	run := simulated(t, withSeries(t, "incast"), filepath.Join(root, "incast"))
	address := serving(t, root)
	b.show(1440, "light")
	b.open(address)
	b.await(`document.querySelector("#runs a")`)
	b.tabTo(`e.closest("#runs") && e.tagName === "A"`)
	b.press("Enter")
	b.await(`document.getElementById("lead") && document.getElementById("when") &&
		document.getElementById("progress")?.textContent.includes("rows read")`)
	b.tabTo(`e.id === "lead"`)
	b.press("Enter")
	b.await(fmt.Sprintf(`document.getElementById("detail-title").textContent === "Port %s"`, run.Summary.Diagnosis.Main().Port))

	at := func() (ps int64) {
		b.run(`Number(document.getElementById("when").dataset.t)`, &ps)
		return ps
	}
	moved := func(key string, later bool) {
		t.Helper()
		from := at()
		b.press(key)
		op := "<"
		if later {
			op = ">"
		}
		b.await(fmt.Sprintf(`Number(document.getElementById("when").dataset.t) %s %d`, op, from))
	}
	b.press("Home")
	b.await(`document.getElementById("when").dataset.t === "0"`)
	moved("ArrowRight", true)
	first := at()
	for e, err := range run.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.LeftOut == 0 && e.Time > 0 {
			if int64(e.Time) != first {
				t.Errorf("the first event is shown at %d ps, events.parquet has it at %d", first, e.Time)
			}
			break
		}
	}
	moved(".", true)
	moved(",", false)
	moved(".", true)
	moved("ArrowLeft", false)
	var before, after float64
	zoom := `Number(document.getElementById("scrubber").ariaValueMax) - Number(document.getElementById("scrubber").ariaValueMin)`
	b.run(zoom, &before)
	b.press("+")
	b.await(fmt.Sprintf(`%s < %v`, zoom, before))
	b.press("0")
	b.await(fmt.Sprintf(`%s === %v`, zoom, before))
	if b.run(zoom, &after); after != before {
		t.Errorf("the whole run is %v ps long, then %v", before, after)
	}
	b.run(`(document.activeElement.blur(), 0)`, new(int)) // a button would take the space for itself
	b.press(" ")
	b.await(`document.getElementById("play").textContent === "Pause"`)
	b.press(" ")
	b.await(`document.getElementById("play").textContent === "Play"`)
	b.press("f")
	b.await(`document.activeElement.id === "find"`)
	b.press(strings.Split("host3", "")...)
	b.await(`[...document.querySelectorAll(".found button")].some((x) => x.textContent === "host3/rail1")`)
	b.tabTo(`e.textContent === "host3/rail1"`)
	b.press("Enter")
	b.await(`document.getElementById("detail-title").textContent === "Port host3/rail1"`)
	b.press("Escape")
	b.await(`document.getElementById("detail-title").textContent === "Look closer"`)
	b.tabTo(`e.tagName === "SUMMARY" && e.closest("#piece-traffic")`)
	b.press("Enter")
	b.await(`document.querySelector("#piece-traffic table.figure")`)
	bareTables(t, b)
	var mute []string
	b.run(`[...document.querySelectorAll("button, select, input, a, summary, [role=slider]")].filter((x) =>
		!(x.textContent.trim() || x.getAttribute("aria-label") || x.closest("label")?.textContent.trim() || x.labels?.length)
		|| x.tabIndex < 0).map((x) => x.outerHTML.slice(0, 120))`, &mute)
	for _, x := range mute {
		t.Errorf("no name, or not reached by Tab: %s", x)
	}
}

// Two look at a run that goes on, each at another time and port; both see what it writes, and its end.
func TestBrowserServeTwoViewersOfAGrowingRun(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	whole := simulated(t, withSeries(t, "incast"), filepath.Join(root, "whole"))
	dir, err := result.Create(filepath.Join(root, "growing"))
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "growing", Scenario: whole.Summary.Scenario}
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	address := serving(t, root)
	one := b.session
	var target struct{ TargetID string }
	b.session = ""
	b.call("Target.createTarget", fields{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", fields{"targetId": target.TargetID, "flatten": true}, &attached)
	two := attached.SessionID
	look := func(session, hash string) {
		t.Helper()
		b.session = session
		b.call("Page.navigate", fields{"url": address + hash}, nil)
		b.await(`document.body?.innerText.includes("what its closed parts hold is shown")`)
	}
	look(one, "#/run/growing?sel=port%7Crail1%2Fhost1&t=100000000")
	look(two, "#/run/growing?sel=port%7Chost2%2Frail1&t=300000000")
	rows := 0
	for row, err := range whole.Series() {
		if err != nil {
			t.Fatal(err)
		}
		dir.Series().Add(row)
		rows++
	}
	for row, err := range whole.Links() {
		if err != nil {
			t.Fatal(err)
		}
		dir.Links().Add(row)
	}
	s.State, s.VirtualTime = result.Complete, whole.Summary.VirtualTime
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	figures := rowsOf(t, whole)
	for session, c := range map[string]struct {
		port string
		at   unit.Time
	}{one: {"rail1/host1", 100_000_000}, two: {"host2/rail1", 300_000_000}} {
		b.session = session
		b.await(fmt.Sprintf(`document.getElementById("state")?.textContent === "complete" && document.getElementById("settled") &&
			document.getElementById("detail-title").textContent === "Port %s" && document.getElementById("grain")?.dataset.level === "0" &&
			document.querySelector('tr[data-port="%s"] [data-figure=use]')?.dataset.value !== undefined`, c.port, c.port))
		var use float64
		b.run(fmt.Sprintf(`Number(document.querySelector('tr[data-port="%s"] [data-figure=use]').dataset.value)`, c.port), &use)
		if want := figures.at(int64(c.at)/int64(figures.every), c.port+" use"); use != want {
			t.Errorf("%s at %v: a viewer sees %v used, series.parquet has %v", c.port, c.at, use, want)
		}
	}
	b.session = one
}
