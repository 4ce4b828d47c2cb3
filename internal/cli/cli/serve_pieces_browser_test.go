//go:build unix

package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A training in parts, which is looked into.
const partsToSee = `
name: parts
cluster: {hosts: 4, host: {gpus: 1}}
job:
  train: {model: mlp, layers: [784, 16, 10], lr: 0.1, data: {digits: {train: 512, test: 64}}, batch: 8, steps: 6, inside: true}
  parallel: {dp: 2, tp: 2}
output: {series: true}
`

// Loss, traffic by group and the inside of a network are drawn when they are asked for, each with a table beside it that has
// what the run's tables have; the address holds which are open.
func TestBrowserServePieces(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	run := simulated(t, write(t, strings.Replace(partsToSee, "digits: {", "digits: {dir: "+digits(t, 512, 64, 1)+", ", 1)),
		filepath.Join(root, "parts"))
	address := serving(t, root)
	for _, e := range b.open(address + "#/run/parts") {
		if e.foreign(address) {
			t.Errorf("while the page is loaded: %v", e)
		}
	}
	b.await(`document.querySelector("#piece-inside summary")`)
	for _, of := range []string{"learning", "traffic", "inside"} {
		b.run(fmt.Sprintf(`(document.querySelector("#piece-%s summary").click(), 0)`, of), new(int))
	}
	b.await(`["learning", "traffic", "inside"].every((x) => document.querySelector("#piece-" + x + " table.figure")) &&
		location.hash.includes("show=inside%2Clearning%2Ctraffic")`)
	table := func(of, name string) (rows [][]float64) {
		t.Helper()
		b.run(fmt.Sprintf(`[...document.querySelectorAll('#piece-%s table[data-figure="%s"] tbody tr')]
			.map((r) => [...r.querySelectorAll("td")].slice(1).map((c) => Number(c.dataset.value ?? -1)))`, of, name), &rows)
		return rows
	}
	loss := map[int32]float64{}
	ranks := 0.0
	for row, err := range run.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		if row.Step >= 0 && row.Loss != nil {
			loss[row.Step] += *row.Loss
		}
		ranks = max(ranks, float64(row.Rank+1))
	}
	shownLoss := table("learning", "loss")
	if len(shownLoss) != 6 {
		t.Errorf("%d steps have a loss on the page, want 6", len(shownLoss))
	}
	for _, r := range shownLoss {
		if want := loss[int32(r[0])] / ranks; math.Abs(r[1]-want) > 1e-5*want {
			t.Errorf("step %v: the page has a loss of %v, steps.parquet %v", r[0], r[1], want)
		}
	}

	sent := map[string]map[string]float64{}
	for row, err := range run.Flows() {
		if err != nil {
			t.Fatal(err)
		}
		if row.Placed == 0 {
			continue
		}
		for _, group := range []string{"all", row.Group} {
			if sent[group] == nil {
				sent[group] = map[string]float64{}
			}
			from, _, _ := strings.Cut(row.Src, "/")
			to, _, _ := strings.Cut(row.Dst, "/")
			sent[group][from+">"+to] += float64(row.Bytes)
		}
	}
	var groups []string
	b.run(`[...document.querySelectorAll("#group option")].map((x) => x.textContent)`, &groups)
	if len(groups) != len(sent) || len(groups) < 3 {
		t.Fatalf("groups %q on the page, flows.parquet has %d and all", groups, len(sent)-1)
	}
	for i, g := range groups {
		b.run(fmt.Sprintf(`((s) => { s.selectedIndex = %d; s.dispatchEvent(new Event("change", {bubbles: true})); return 0; })(
			document.getElementById("group"))`, i), new(int))
		b.await(fmt.Sprintf(`document.querySelector('#piece-traffic table[data-figure="%s"]')`,
			[]string{"traffic", fmt.Sprint("traffic-", i)}[min(i, 1)]))
		checkMatrix(t, b, g, sent[g])
	}
	var inside int
	if b.run(`document.querySelectorAll("#piece-inside figure svg").length`, &inside); inside < 3 {
		t.Errorf("%d drawings of the network's inside", inside)
	}
	b.run(`(document.querySelector("#piece-rounds summary").click(), 0)`, new(int))
	b.await(`document.querySelector("#holds td[data-value]")`)
	b.run(`((s) => { s.value = [...s.options].find((x) => /reduce/.test(x.textContent)).value;
		s.dispatchEvent(new Event("change", {bubbles: true})); return 0; })(document.getElementById("collective"))`, new(int))
	b.await(`/all-reduce/.test(document.getElementById("piece-rounds").textContent) && document.querySelector("#holds td[data-value]")`)
	for range 40 { // more rounds than it has
		b.run(`(document.getElementById("round-after").click(), 0)`, new(int))
	}
	b.await(`document.querySelectorAll("#sends td[data-value]").length > 0 && location.hash.includes("round=")`)
	var held []string
	b.run(`[...document.querySelectorAll("#holds td[data-value]")].map((x) => x.textContent)`, &held)
	for _, h := range held {
		if h != "all" {
			t.Errorf("after the last round a rank holds %q: %q", h, held)
		}
	}
	bareTables(t, b)
}

// checkMatrix compares the matrix that the page shows with what was sent, by sender and receiver.
func checkMatrix(t *testing.T, b *chromium, group string, sent map[string]float64) {
	t.Helper()
	var got map[string]float64
	b.run(`(() => {
		const table = document.querySelector("#piece-traffic table.figure"), all = {};
		const to = [...table.querySelectorAll("thead th")].slice(1).map((x) => x.textContent);
		for (const row of table.querySelectorAll("tbody tr")) {
			const from = row.firstElementChild.textContent;
			[...row.children].slice(1).forEach((c, i) => {
				if (Number(c.dataset.value) > 0) all[from + ">" + to[i]] = Number(c.dataset.value);
			});
		}
		return all;
	})()`, &got)
	if len(got) != len(sent) || len(got) == 0 {
		t.Errorf("%s: the page has %v, flows.parquet %v", group, got, sent)
	}
	for pair, want := range sent {
		if got[pair] != want {
			t.Errorf("%s: %s: the page has %v bytes, flows.parquet %v", group, pair, got[pair], want)
		}
	}
}

// bareTables complains of pictures without a table beside them.
func bareTables(t *testing.T, b *chromium) {
	t.Helper()
	var bare []string
	b.run(`[...document.querySelectorAll("canvas, figure svg, .drawn svg, svg.split")].filter((x) => {
		const near = x.closest("section, .summary, figure");
		return !near?.querySelector("table") && !near?.closest("section, .summary")?.querySelector("table");
	}).map((x) => x.outerHTML.slice(0, 120))`, &bare)
	for _, x := range bare {
		t.Errorf("no table beside %s", x)
	}
}
