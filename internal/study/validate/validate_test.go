package validate

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// Every judged figure is within its bound. In -short form the random experiments run over fewer
// seeds, which widens nothing: the bounds are the reference's scatter.
func TestKnownResults(t *testing.T) {
	n := 100
	if testing.Short() {
		n = 20
	}
	rows, err := Run(context.Background(), Options{Seeds: n})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !r.OK() {
			t.Errorf("%s, %s: %s: known %g, Railyard %g, bound %g (%s)", r.Group, r.Name, r.Quantity,
				r.Want, r.Got, r.Bound, r.Why)
		}
	}
	var b bytes.Buffer
	if err := WriteText(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len(line) > 80 {
			t.Errorf("line of %d columns: %q", len(line), line)
		}
	}
	if !testing.Short() {
		tablesAreCurrent(t, rows)
	}
}

// updating: -update, which is scripttest's, writes the tables of docs/accuracy.md, too.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// tablesAreCurrent holds the tables of docs/accuracy.md to what validate prints.
func tablesAreCurrent(t *testing.T, rows []Row) {
	const path, begin, end = "../../../docs/accuracy.md", "<!-- validate -->\n", "<!-- /validate -->"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(doc), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks %s or %s", path, begin, end)
	}
	var b strings.Builder
	if err := WriteMarkdown(&b, rows); err != nil {
		t.Fatal(err)
	}
	if updating() {
		if err := os.WriteFile(path, []byte(head+begin+b.String()+end+tail), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != b.String() {
		t.Errorf("the tables of %s are not what validate prints now: go test ./internal/study/validate -update", path)
	}
}

// A figure out of bounds is called so.
func TestRowsAreJudged(t *testing.T) {
	for _, c := range []struct {
		row Row
		ok  bool
	}{
		{Row{Want: 100, Got: 103, Bound: 3}, true},
		{Row{Want: 100, Got: 96.9, Bound: 3}, false},
		{Row{Want: 100, Got: 500, Bound: -1}, true},
		{Row{Want: 8, Got: 7, Bound: 0}, false},
	} {
		if c.row.OK() != c.ok {
			t.Errorf("%+v: OK is %v", c.row, c.row.OK())
		}
	}
}

// The shipped series hold what the bands are computed from.
func TestSeriesAreRead(t *testing.T) {
	for _, name := range []string{"ts_ps_incast2_paper.csv", "ts_ps_incast8_hpccdef.csv", "ts_ps_incast8_paper.csv"} {
		p, err := readSeries(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(p) < 100 || p[0].at != 500_000 || p[1].at != 5_500_000 {
			t.Errorf("%s: %d points, starting %v %v", name, len(p), p[0].at, p[1].at)
		}
		for _, x := range p {
			if i := index(x.at); int64(x.at) != 500_000+int64(i)*int64(every) {
				t.Errorf("%s: a point at %v lies between ours", name, x.at)
			}
		}
	}
}

// Of three points one lies within what the seeds have, one above; a series that has ended is 0.
func TestPointsWithinABand(t *testing.T) {
	at := func(i int) unit.Time { return unit.Time(500*unit.Nanosecond) + unit.Time(i)*unit.Time(every) }
	ref := []point{{at: at(0), queue: 5}, {at: at(1), queue: 50}, {at: at(2), queue: 0}}
	ours := [][]point{{{queue: 1}, {queue: 2}}, {{queue: 9}, {queue: 3}}}
	if points, inside := band(ref, ours, func(p point) float64 { return float64(p.queue) }); points != 3 || inside != 2 {
		t.Errorf("%d of %d", inside, points)
	}
}

// Rows without a bound are not judged.
func TestRowsThatAreJudged(t *testing.T) {
	if judged, ok := count([]Row{{Got: 2, Want: 1, Bound: 1}, {Got: 3, Want: 1, Bound: 1}, {Bound: -1}}); judged != 2 || ok != 1 {
		t.Errorf("%d judged, %d of them within their bound", judged, ok)
	}
}
