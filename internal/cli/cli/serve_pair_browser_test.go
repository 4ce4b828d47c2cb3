//go:build unix

package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// A queue pair's panel shows rate, target and alpha, and beside them the queues that it crosses, with what marks and holds there:
// numbers of the series, bounds of run.json.
func TestBrowserServeShowsAQueuePair(t *testing.T) {
	b := startOnline(t, "--disable-gpu")
	root := t.TempDir()
	run := simulated(t, withSeries(t, "incast"), filepath.Join(root, "incast"))
	address := serving(t, root)
	pair := ""
	rates, queue := map[float64]bool{}, 0.0
	for r, err := range run.Series() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Kind == result.SeriesFlow && r.Name == "flow1" {
			pair = strings.Join([]string{"flow", r.Job, r.Name, r.Port}, "|")
			rates[float64(r.Rate)] = true
		}
		if r.Kind == result.SeriesQueue && r.Port == "rail1/host1" {
			queue = max(queue, float64(r.Bytes))
		}
	}
	if pair == "" || len(rates) < 3 {
		t.Fatalf("flow1 is %q, with %d rates", pair, len(rates))
	}
	b.show(1440, "light")
	b.open(address)
	b.run(fmt.Sprintf(`(location.hash = "#/run/incast?t=600000000&from=0&until=200000000&sel=" + encodeURIComponent(%q), 0)`,
		pair), new(int))
	b.await(`document.getElementById("settled") && document.querySelector("table.series[data-kind=queue] td[data-value]") &&
		document.querySelector("table.series[data-kind=flow] td[data-value]")`)
	column := func(kind, name string) (values []float64) {
		t.Helper()
		b.run(fmt.Sprintf(`((table) => { const i = [...table.querySelectorAll("thead th")].findIndex((x) => x.textContent === %q);
			return [...table.querySelectorAll("tbody tr")].map((r) => Number(r.children[i].dataset.value)); })(
			document.querySelector("table.series[data-kind=%s]"))`, name, kind), &values)
		return values
	}
	known := 0
	for _, v := range column("flow", "rate") {
		for r := range rates { // bins are float32
			if math.Abs(v-r) <= 1e-6*r {
				known++
				break
			}
		}
	}
	if known < 3 {
		t.Errorf("%d of the rates that it shows are rows of series.parquet, want most: %v", known, column("flow", "rate"))
	}
	if most := slices.Max(column("queue", "queue")); most <= 0 || most > queue {
		t.Errorf("the queue that it crosses comes to %v bytes, in series.parquet to %v", most, queue)
	}
	var port string
	var drawn []string
	b.run(`document.querySelector("table.series[data-kind=queue]").dataset.port`, &port)
	b.run(`[...document.querySelectorAll("figure .u-legend .u-label")].map((x) => x.textContent)`, &drawn)
	if port != "rail1/host1" {
		t.Errorf("it crosses the queue of %s, want rail1/host1", port)
	}
	for _, want := range []string{"rate", "target", "alpha", "CNPs", "queue", "WRED min", "WRED max", "xOFF, ingress, empty buffer"} {
		if !slices.Contains(drawn, want) {
			t.Errorf("no line is called %q: %q", want, drawn)
		}
	}
	bareTables(t, b)
}
