//go:build unix

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// A collective is found by its name, with keys alone, or chosen among what ranks do: its runs are those of operations.parquet, and
// the address holds it.
func TestBrowserServeShowsACollective(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	run := simulated(t, write(t, "name: c\ncluster: {hosts: 2, host: {gpus: 2}}\njob:\n  collectives:\n"+
		"    - {op: all-reduce, bytes: 1MiB, iterations: 3}\noutput: {operations: true}\n"), filepath.Join(root, "c"))
	name, want := "", map[string]bool{}
	first := result.OperationRow{}
	runs := map[string][2]int64{}
	for r, err := range run.Operations() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Group == "" || name != "" && r.Name != name {
			continue
		}
		if name == "" {
			name, first = r.Name, r
		}
		key := fmt.Sprint(r.Step, r.Group)
		at, known := runs[key]
		if !known {
			at = [2]int64{int64(r.Start), int64(r.End)}
		}
		runs[key] = [2]int64{min(at[0], int64(r.Start)), max(at[1], int64(r.End))}
	}
	for _, at := range runs {
		want[fmt.Sprint(at[0], " ", at[1])] = true
	}
	if name == "" {
		t.Fatal("no collective in operations.parquet")
	}
	b.show(1440, "light")
	b.open(serving(t, root))
	b.run(`(location.hash = "#/run/c?t=0", 0)`, new(int))
	b.await(`document.getElementById("find") && document.getElementById("progress")?.textContent.includes("rows read")`)
	b.press("f")
	b.await(`document.activeElement.id === "find"`)
	b.press(strings.Split(name[strings.LastIndex(name, ".")+1:], "")...)
	b.await(fmt.Sprintf(`[...document.querySelectorAll(".found button")].some((x) => x.textContent === %q)`, name))
	b.tabTo(fmt.Sprintf(`e.closest(".found") && e.textContent === %q`, name))
	b.press("Enter")
	b.await(fmt.Sprintf(`document.getElementById("detail-title")?.textContent === "Collective " + %q`, name))
	b.await(`document.getElementById("settled") && document.querySelector("#collective-runs tbody tr") &&
		document.querySelector("figure .u-legend")`)
	var rows, lines []string
	b.run(`[...document.querySelectorAll("#collective-runs tbody tr")].map((r) => r.dataset.start + " " + r.dataset.end)`, &rows)
	if len(rows) != len(want) {
		t.Errorf("%d runs are shown, operations.parquet has %d", len(rows), len(want))
	}
	for _, r := range rows {
		if !want[r] {
			t.Errorf("operations.parquet has no run %q: %v", r, want)
		}
	}
	b.run(`[...document.querySelectorAll("figure .u-legend .u-label")].map((x) => x.textContent)`, &lines)
	for _, want := range []string{"took", "until the last rank began"} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("no line is called %q: %q", want, lines)
		}
	}
	bareTables(t, b)
	b.press("Escape")
	b.await(`document.getElementById("detail-title")?.textContent === "Look closer" && !document.querySelector("#collective-runs")`)

	b.run(fmt.Sprintf(`(location.hash = "#/run/c?t=%d", 0)`, int64(first.Start)+1), new(int))
	b.await(fmt.Sprintf(`[...document.querySelectorAll("#bars button")].some((x) => x.textContent === %q)`, name))
	b.run(fmt.Sprintf(`([...document.querySelectorAll("#bars button")].find((x) => x.textContent === %q).click(), 0)`, name), new(int))
	b.await(`location.hash.includes("sel=collective%7C")`)
	var at string
	b.run(`location.href`, &at)
	b.open("about:blank")
	b.open(at)
	b.await(`document.querySelector("#collective-runs tbody tr")`)
}
