//go:build unix

package cli

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"railyard/internal/base/unit"
	values "railyard/internal/out/chart"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// ports is a run of which only its ports are known, with figures that are hard to print.
func ports() *report.Data {
	d := &report.Data{Summary: &result.Summary{Name: "ports", State: result.Complete}}
	for i := range 300 {
		bytes := unit.Bytes(math.Pow(10, float64(i)/23))
		switch i % 5 {
		case 0:
			bytes = unit.Bytes(1_000_500 * (i + 1)) // a tie where four digits are left
		case 1:
			bytes = bytes/1000*1000 + 999
		}
		d.Links = append(d.Links, result.LinkRow{Port: fmt.Sprintf("leaf%d/host%d", i/16+1, i+1), Tier: result.TierLeaf,
			Rate: unit.Bitrate(i+1) * 999_950_000, Utilisation: float64(i) / 299, TxBytes: bytes,
			MaxQueue: unit.Bytes(i * i * 37),
			ECNMarks: int64(i * i * i * 13), Paused: unit.Duration(i) * 10_002_500})
	}
	return d
}

// showPage opens the page of a run in a window of 1,440 pixels.
func showPage(t *testing.T, b *chromium, d *report.Data) {
	t.Helper()
	b.showPage(t, report.PageOf(d))
}

// showPage opens a page in a window of 1,440 pixels, and finds that it asks for nothing else.
func (b *chromium) showPage(t *testing.T, p *report.Page) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := p.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	page := (&url.URL{Scheme: "file", Path: file}).String()
	for _, e := range b.open(page) {
		if e.alarming(page) {
			t.Errorf("while the page is loaded: %v", e)
		}
	}
	b.show(1440, "light")
}

// cells reads a table of the page.
func (b *chromium) cells(table string) (rows [][]string) {
	b.t.Helper()
	b.run(`[...document.querySelectorAll('#table-`+table+` tbody tr')].map(r => [...r.cells].map(c => c.textContent))`,
		&rows)
	return rows
}

func texts(t *report.Table) (rows [][]string) {
	for _, r := range t.Rows {
		var row []string
		for c, cell := range r {
			row = append(row, t.Text(c, cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// The script prints values as package chart does, sorts by what they are and not by how
// they read, and finds rows by their words.
func TestBrowserTables(t *testing.T) {
	b := startBrowser(t)
	d := ports()
	showPage(t, b, d)
	all := report.Tables(d)
	table := &all[slices.IndexFunc(all, func(t report.Table) bool { return t.Name == "ports" })]
	want := texts(table)
	if diff := gocmp.Diff(want[:20], b.cells("ports")); diff != "" {
		t.Errorf("the first 20 rows (-want +got):\n%s", diff)
	}
	click := func(selector string) {
		t.Helper()
		b.run(fmt.Sprintf("document.querySelector(%q).click(), 0", selector), new(int))
	}
	click("#table-ports .more")
	if diff := gocmp.Diff(want, b.cells("ports")); diff != "" {
		t.Errorf("all rows (-want +got):\n%s", diff)
	}

	sorted := func(column int) []string {
		t.Helper()
		click(fmt.Sprintf("#table-ports thead th:nth-child(%d) button", column+1))
		var order []string
		for _, r := range b.cells("ports") {
			order = append(order, r[0])
		}
		var marked []string
		b.run(`[...document.querySelectorAll('#table-ports thead th')].map(h => h.getAttribute('aria-sort') ?? '')`,
			&marked)
		return append(order, strings.Join(marked, " "))
	}
	const sent = 4
	rows := slices.Clone(table.Rows)
	slices.SortStableFunc(rows, func(a, b []report.Cell) int {
		return cmp.Compare(b[sent].(values.Value), a[sent].(values.Value))
	})
	var fall, rise []string
	for _, r := range rows {
		fall = append(fall, r[0].(string))
	}
	slices.SortStableFunc(rows, func(a, b []report.Cell) int {
		return cmp.Compare(a[sent].(values.Value), b[sent].(values.Value))
	})
	for _, r := range rows {
		rise = append(rise, r[0].(string))
	}
	if diff := gocmp.Diff(append(fall, "    descending     "), sorted(sent)); diff != "" {
		t.Errorf("by bytes (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(append(rise, "    ascending     "), sorted(sent)); diff != "" {
		t.Errorf("by bytes, the other way (-want +got):\n%s", diff)
	}
	if got := sorted(sent); got[0] != want[0][0] || got[len(got)-1] != "         " {
		t.Errorf("a third time: %q, want the order of the page", got)
	}
	const used = 3 // a fraction: the rows come in this order
	rise = nil
	for _, r := range want {
		rise = append([]string{r[0]}, rise...)
	}
	sorted(used)
	if diff := gocmp.Diff(append(rise, "   ascending      "), sorted(used)); diff != "" {
		t.Errorf("by use (-want +got):\n%s", diff)
	}
	if got := sorted(0); !slices.Equal(got[:3], []string{"leaf1/host1", "leaf1/host2", "leaf1/host3"}) ||
		got[12] != "leaf1/host13" {
		t.Errorf("by name: %q", got[:13])
	}

	b.run(`(() => {
		const field = document.querySelector('#table-ports input');
		field.value = 'LEAF3/ host4';
		field.dispatchEvent(new Event('input'));
		return 0;
	})()`, new(int))
	var found []string
	for _, r := range b.cells("ports") {
		found = append(found, r[0])
	}
	var nine []string
	for i := range 9 {
		nine = append(nine, fmt.Sprintf("leaf3/host%d", 40+i))
	}
	if !slices.Equal(found, nine) {
		t.Errorf("rows with leaf3/ and host4: %q, want %q", found, nine)
	}
	var told string
	b.run(`document.querySelector('#table-ports output').textContent`, &told)
	if told != "9 of 300" {
		t.Errorf("the filter says %q", told)
	}
}

// Without script the page has its first rows, says where the others are, and offers nothing
// that does not work.
func TestBrowserWithoutScript(t *testing.T) {
	b := startBrowser(t)
	b.call("Emulation.setScriptExecutionDisabled", fields{"value": true}, nil)
	d := ports()
	showPage(t, b, d)
	if n := len(b.cells("ports")); n != 20 {
		t.Errorf("%d rows, want 20", n)
	}
	var folded string
	b.run(`document.querySelector('#table-ports .folded').textContent`, &folded)
	if !strings.HasPrefix(folded, "The first 20 of 300 rows. All are in links.parquet") {
		t.Errorf("below the table: %q", folded)
	}
	var controls int
	if b.run(`document.querySelectorAll('button, input').length`, &controls); controls != 0 {
		t.Errorf("%d controls", controls)
	}
	var a audit
	b.run(auditScript, &a)
	if p := a.problems(); len(p) > 0 {
		t.Errorf("%q", p)
	}
}

// shown is a plot as a reader sees it.
type shownState struct {
	X, Y, W, H float64 // of its area, in the window
	Ticks      []string
	View       string
	Tip        string
}

const shownScript = `(() => {
  const svg = [...document.querySelectorAll('#queue svg.chart')].find(s => s.getBoundingClientRect().width > 0);
  svg.scrollIntoView({ block: 'center', behavior: 'instant' });
  const area = svg.querySelector('.area'), r = svg.getBoundingClientRect(), k = r.width / svg.viewBox.baseVal.width;
  const [x, y, w, h] = ['x', 'y', 'width', 'height'].map(n => k * area.getAttribute(n));
  const tip = document.querySelector('.tip');
  return { X: r.x + x, Y: r.y + y, W: w, H: h,
    Ticks: [...svg.querySelectorAll('.ticks-x text')].map(t => t.textContent),
    View: area.getAttribute('viewBox'), Tip: tip.hidden ? '' : tip.textContent };
})()`

// A range drawn over a plot is zoomed into, a double click shows all; the values under the
// pointer are those of the figure; keys do the same.
func TestBrowserZoom(t *testing.T) {
	b := startBrowser(t)
	showPage(t, b, ran(t, incast+"fabric: {design: single-switch}"))
	look := func() (s shownState) {
		t.Helper()
		b.run(shownScript, &s)
		return s
	}
	mouse := func(kind string, x, y float64, clicks int) {
		t.Helper()
		b.call("Input.dispatchMouseEvent",
			fields{"type": kind, "x": x, "y": y, "button": "left", "clickCount": clicks}, nil)
	}
	key := func(name string) {
		t.Helper()
		b.call("Input.dispatchKeyEvent", fields{"type": "keyDown", "key": name}, nil)
	}
	whole := look()
	b.call("Runtime.evaluate", fields{"awaitPromise": true, // until it has scrolled there
		"expression": "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"}, nil)
	at := func(x, y float64) (float64, float64) { return whole.X + x*whole.W, whole.Y + y*whole.H }

	x, y := at(0.5, 0.5)
	mouse("mouseMoved", x, y, 0)
	if s := look(); !strings.Contains(s.Tip, ": ") || !strings.Contains(s.Tip, "\n") {
		t.Errorf("in the middle of the plot: %q, want values", s.Tip)
	}
	value := func() (v float64) { // of X, at the pointer
		t.Helper()
		first, _, _ := strings.Cut(look().Tip, "\n")
		_, text, _ := strings.Cut(first, ": ")
		if _, err := fmt.Sscan(text, &v); err != nil {
			t.Errorf("no value in %q", first)
		}
		return v
	}
	x, y = at(0.625, 0.5)
	mouse("mouseMoved", x, y, 0)
	far := value()
	x, y = at(0.5, 0.5)
	mouse("mousePressed", x, y, 1)
	x, y = at(0.75, 0.6)
	mouse("mouseMoved", x, y, 1)
	mouse("mouseReleased", x, y, 1)
	near := look()
	var v, w [4]float64
	fmt.Sscan(whole.View, &v[0], &v[1], &v[2], &v[3])
	fmt.Sscan(near.View, &w[0], &w[1], &w[2], &w[3])
	if math.Abs(w[0]-v[2]/2) > 1 || math.Abs(w[2]-v[2]/4) > 1 || w[3] != v[3] {
		t.Errorf("after a range from 1/2 to 3/4 was drawn the view is %v, want that part of %v", w, v)
	}
	if slices.Equal(near.Ticks, whole.Ticks) || len(near.Ticks) < 2 || len(near.Ticks) > 12 {
		t.Errorf("the ticks are %q, before %q", near.Ticks, whole.Ticks)
	}
	x, y = at(0.5, 0.5)
	mouse("mouseMoved", x, y, 0)
	if v := value(); math.Abs(v-far) > far/100 {
		t.Errorf("at the middle of the range is %g, before it was zoomed into %g", v, far)
	}
	key("Escape")
	if s := look(); s.View != whole.View && !slices.Equal(s.Ticks, whole.Ticks) {
		t.Errorf("Escape leaves %+v, want %+v", s, whole)
	}
	key("ArrowLeft")
	if s := look(); s.Tip == "" {
		t.Error("an arrow key reads no value out")
	}
	key("+")
	if s := look(); s.View == whole.View {
		t.Error("+ does not zoom")
	}
	x, y = at(0.3, 0.5)
	for clicks := range 2 {
		mouse("mousePressed", x, y, clicks+1)
		mouse("mouseReleased", x, y, clicks+1)
	}
	if s := look(); !slices.Equal(s.Ticks, whole.Ticks) {
		t.Errorf("after a double click the ticks are %q, want %q", s.Ticks, whole.Ticks)
	}
}
