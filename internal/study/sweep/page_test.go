package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// made is a table of made-up rows: each run takes what its combination and seed say.
func made(axes []Axis, seeds []uint64, took func(set []Value, seed uint64) unit.Duration) *Table {
	var rows []Row
	total := 1
	for _, a := range axes {
		total *= len(a.Values)
	}
	for n := range total {
		for _, seed := range append(seeds, make([]uint64, max(0, 1-len(seeds)))...) {
			r := Row{Set: values(axes, n), Seed: seed, State: result.Complete}
			r.MeanFCT = took(r.Set, seed)
			r.SlowestFCT = 2 * r.MeanFCT
			rows = append(rows, r)
		}
	}
	return NewTable("made", axes, seeds, rows)
}

func upTo(n uint64) (seeds []uint64) {
	for s := range n {
		seeds = append(seeds, s+1)
	}
	return seeds
}

const us = unit.Microsecond

// bySpines is 800 us with one spine, 400 with two, and so on, 1 us more with each seed.
func bySpines(set []Value, seed uint64) unit.Duration {
	return 800*us/unit.Duration(len(set[0].Text)*int(set[0].Text[0]-'0')) + unit.Duration(seed)*us
}

var spines = Axis{"fabric.spines", []string{"1", "2", "4", "8"}}

// The page of a sweep says which variant is best, and draws a curve of each figure that varies, with
// the band of its seeds.
func TestPage(t *testing.T) {
	tab := made([]Axis{spines}, upTo(20), bySpines)
	p := tab.Page()
	const want = "fabric.spines=8 is the best of 4 variants: its mean completion time is 110 us in the median " +
		"of 20 runs, 86.4 % less than the 810 us of fabric.spines=1, the worst."
	if p.Sentence != want {
		t.Errorf("got  %s\nwant %s", p.Sentence, want)
	}
	if len(p.Bullets) != 1 || !strings.HasSuffix(p.Bullets[0],
		"between 101 us and 119 us; with fabric.spines=4, the second, "+
			"between 201 us and 219 us: they do not overlap.") {
		t.Errorf("%q", p.Bullets)
	}
	var names []string
	for i := range p.Figures {
		names = append(names, p.Figures[i].Name)
		if err := chart.Check(&p.Figures[i]); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(names, []string{"completion-mean", "completion-slowest", "effects"}) {
		t.Errorf("figures %v, want the two that vary, and what changed them", names)
	}
	s := p.Figures[0].Lines.Series[0]
	if got := fmt.Sprint(s.X, s.Y, s.Low, s.High); got != "[1 2 4 8] [8.1e+08 4.1e+08 2.1e+08 1.1e+08] "+
		"[8.01e+08 4.01e+08 2.01e+08 1.01e+08] [8.19e+08 4.19e+08 2.19e+08 1.19e+08]" {
		t.Errorf("the curve is %s", got)
	}
	if n := len(p.Tables); n != 2 || len(p.Tables[0].Rows) != 4 || len(p.Tables[1].Rows) != 80 {
		t.Errorf("%d tables", n)
	}
	for _, table := range p.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Fatalf("table %s: %d cells in %d columns", table.Name, len(row), len(table.Columns))
			}
		}
	}
	var a, b bytes.Buffer
	if err := p.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := tab.Page().Write(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("two pages of one sweep differ: %v", err)
	}
}

// Sweeps of every shape have a page.
func TestPageShapes(t *testing.T) {
	algorithms := Axis{"congestion.algorithm", []string{"dcqcn", "hpcc"}}
	var nine Axis
	nine.Path = "fabric.qos.pfc.alpha"
	for i := range 9 {
		nine.Values = append(nine.Values, fmt.Sprintf("1/%d", i+1))
	}
	same := func([]Value, uint64) unit.Duration { return 5 * us }
	bySeed := func(_ []Value, seed uint64) unit.Duration { return unit.Duration(seed) * us }
	for _, c := range []struct {
		axes  []Axis
		seeds []uint64
		took  func([]Value, uint64) unit.Duration
		plot  string // of the first figure
		lines int
		says  string
	}{
		{[]Axis{spines}, nil, bySpines, "lines", 1, "its mean completion time is 100 us, 87.5 % less"},
		{[]Axis{algorithms, spines}, nil, func(s []Value, n uint64) unit.Duration { return bySpines(s[1:], n) },
			"lines", 2, ""},
		{[]Axis{algorithms}, upTo(3), bySeed, "bars", 2,
			"All 2 variants have the same mean completion time: 2 us in the median of 3 runs."},
		{[]Axis{nine, {"a", slices.Concat(spines.Values, []string{"3", "5", "6", "7", "9", "16"})}}, upTo(2),
			bySeed, "map", 9, ""},
		{nil, upTo(40), bySeed, "lines", 1,
			"The mean completion time is 20 us in the median of 40 runs; in 90 % of them it lies between 2 us and 38 us."},
		{nil, upTo(3), same, "", 0, "The mean completion time is 5 us in every run."},
		{[]Axis{spines}, upTo(3), bySeed, "lines", 1, "All 4 variants"},
		{[]Axis{spines}, nil, func([]Value, uint64) unit.Duration { return 0 }, "", 0,
			"No run of this sweep has a step time"},
	} {
		p := made(c.axes, c.seeds, c.took).Page()
		if !strings.Contains(p.Sentence, c.says) {
			t.Errorf("%v: %s, want %s", c.axes, p.Sentence, c.says)
		}
		plot, lines := "", 0
		for i := range p.Figures {
			f := &p.Figures[i]
			if err := chart.Check(f); err != nil {
				t.Error(err)
			}
			switch {
			case i > 0:
			case f.Lines != nil:
				plot, lines = "lines", len(f.Lines.Series)
			case f.Bars != nil:
				plot, lines = "bars", len(f.Bars.Rows)
			case f.Map != nil:
				plot, lines = "map", len(f.Map.Rows)
			}
		}
		if plot != c.plot || lines != c.lines {
			t.Errorf("%v: %s with %d lines, want %s with %d", c.axes, plot, lines, c.plot, c.lines)
		}
		if err := p.Write(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	}
	for _, f := range drawn {
		if !slices.Contains(headline.Names(), f.name) {
			t.Errorf("no headline figure has the name %q", f.name)
		}
	}
}

// A run that failed is in no figure, and the page says so.
func TestPageOfFailures(t *testing.T) {
	tab := made([]Axis{spines}, nil, bySpines)
	tab.Rows[3].State, tab.Rows[3].Error = result.Failed, "a queue pair used up its retries"
	p := NewTable("made", tab.Axes, nil, tab.Rows).Page()
	if !strings.HasPrefix(p.Sentence, "fabric.spines=4 is the best of 3 variants") ||
		!slices.Equal(p.Notes, []string{"1 run failed, or left flows unfinished: no figure counts them"}) {
		t.Errorf("%s %q", p.Sentence, p.Notes)
	}
	if err := chart.Check(&p.Figures[0]); err != nil {
		t.Error(err)
	}
}

// What a sweep wrote comes back; what it did not write is refused.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, tableFile)
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tab := made([]Axis{spines, {"a", []string{"x", "y"}}}, upTo(3), bySpines)
	whole, err := json.Marshal(tab)
	if err != nil {
		t.Fatal(err)
	}
	put(string(whole))
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got.Dir = ""
	if again, _ := json.Marshal(got); !bytes.Equal(whole, again) {
		t.Errorf("read\n%s\nwant\n%s", again, whole)
	}
	if !IsDir(dir) || IsDir(t.TempDir()) {
		t.Error("a sweep's directory is not known as one")
	}
	part := *tab
	part.Rows = part.Rows[:5]
	b, _ := json.Marshal(&part)
	put(string(b))
	if got, err := Read(dir); err != nil || got.State != result.Interrupted || len(got.Rows) != 5 {
		t.Errorf("of an interrupted sweep: %v", err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"state":"complete","version"`, `"state":"running","version"`, "holds no table yet"},
		{`{"state"`, `["state"`, "is damaged"},
		{`"value":"4"`, `"value":"5"`, "row 12: fabric.spines=5 a=x, seed 1: no such variant"},
		{`"seed":2`, `"seed":9`, "seed 9: no such variant"},
		{`"mean_fct_ps":8`, `"mean_fct_ps":-8`, "row 0: no state, or a figure below 0"},
		{`"name":"made"`, `"name":"\u001b[2J"`, "a control character"},
		{`"values":["x","y"]`, `"values":[]`, "axis \"a\" of 0 values"},
	} {
		text := string(whole)
		at := 0 // from where the text is changed: what says something of a row stands there in the groups, too
		if strings.Contains(c.old, `"value"`) || strings.Contains(c.old, "_fct_") || strings.Contains(c.old, `"seed"`) {
			at = strings.Index(text, `"rows":`)
		}
		text = text[:at] + strings.Replace(text[at:], c.old, c.new, 1)
		put(text)
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %s: %v, want %q", c.new, err, c.want)
		}
	}
}
