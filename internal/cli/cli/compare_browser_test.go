//go:build unix

package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/report"
	"railyard/internal/study/sweep"
)

// checkShown looks at a page at the width of a telephone and of a screen, in both colour schemes.
func checkShown(t *testing.T, b *chromium, p *report.Page, figures []string) {
	t.Helper()
	defer func(before *testing.T) { b.t = before }(b.t)
	b.t = t
	b.showPage(t, p)
	for _, width := range []int{375, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.show(width, scheme)
			var a audit
			b.run(auditScript, &a)
			for _, p := range a.problems() {
				t.Errorf("%d pixels, %s: %s", width, scheme, p)
			}
			var names []string
			for _, f := range a.Figures {
				names = append(names, f.Name)
			}
			var cut []string
			if b.run(cutTables, &cut); width == 1440 && len(cut) > 0 {
				t.Errorf("%d pixels, %s: tables are wider than the page: %q", width, scheme, cut)
			}
			if a.Width != width || !slices.Equal(names, figures) {
				t.Errorf("%d pixels, %s: width %d, figures %q, want %q", width, scheme, a.Width, names, figures)
			}
		}
	}
}

// The page of two runs, of three in order, and of eight, as a browser shows it.
func TestBrowserCompare(t *testing.T) {
	b := startBrowser(t)
	var runs []*report.Data
	for n := range 8 {
		d := ran(t, fmt.Sprintf("%sseed: %d\nfabric: {design: single-switch, switch: {latency: %dns}}\n", incast,
			1, 100*(n+1)))
		d.Path = fmt.Sprint("runs/", n)
		runs = append(runs, d)
	}
	curves := []string{"causes", "curve-completion-mean", "curve-completion-slowest"}
	for _, c := range []struct {
		name    string
		runs    []*report.Data
		figures []string
	}{
		{"two", []*report.Data{runs[0], runs[7]}, []string{"causes", "completion", "queue-a", "queue-b", "ports"}},
		{"three", []*report.Data{runs[0], runs[7], runs[3]}, append(curves, "completion", "queue-a", "queue-b",
			"queue-c", "ports")},
		{"eight", runs, append(curves, "completion", "queues", "ports")},
	} {
		t.Run(c.name, func(t *testing.T) { checkShown(t, b, report.Compare(c.runs).Page(), c.figures) })
	}
	dir := filepath.Join(t.TempDir(), "two")
	other := filepath.Join(t.TempDir(), "three")
	for i, out := range []string{dir, other} {
		if err := (&runCall{quiet(t), runFlags{out: out, quiet: true,
			seed:    uint64(i + 1),
			hasSeed: true}}).runFile(t.Context(), training(t, "digits-incast"), nil); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("training", func(t *testing.T) {
		var two []*report.Data
		for _, path := range []string{dir, other} {
			d, err := call.LoadRun(path, false)
			if err != nil {
				t.Fatal(err)
			}
			two = append(two, d)
		}
		checkShown(t, b, report.Compare(two).Page(), []string{"causes", "step-time", "step-time-distribution",
			"completion",
			"queue-a", "queue-b"})
	})
}

// The page of a sweep: over quantities, over words, and over seeds alone.
func TestBrowserSweep(t *testing.T) {
	b := startBrowser(t)
	file := write(t, incast+"fabric: {design: single-switch}\n")
	for _, c := range []struct {
		name    string
		flags   runFlags
		figures []string
	}{
		{"quantities", runFlags{set: []string{"fabric.switch.latency=100ns,1us,10us",
			"congestion.algorithm=dcqcn,none"}, seeds: "1..3"},
			[]string{"completion-mean", "completion-slowest", "ecn-marks", "effects"}},
		{"words", runFlags{set: []string{"congestion.algorithm=dcqcn,none,hpcc"}}, []string{"completion-mean",
			"completion-slowest", "ecn-marks"}},
		{"seeds", runFlags{set: []string{"fabric.qos.ecn.min=20kB"}, seeds: "1..9"}, []string{"completion-mean",
			"completion-slowest", "ecn-marks"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.flags.out, c.flags.quiet = filepath.Join(t.TempDir(), "sweep"), true
			m, err := c.flags.sweep()
			if err != nil {
				t.Fatal(err)
			}
			if err := quiet(t).runSweep(t.Context(), file, c.flags, m); err != nil {
				t.Fatal(err)
			}
			table, err := sweep.Read(c.flags.out)
			if err != nil {
				t.Fatal(err)
			}
			checkShown(t, b, table.Page(), c.figures)
		})
	}
}
