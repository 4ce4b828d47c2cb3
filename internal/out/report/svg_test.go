package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/chart/svg"
)

// A decimated series keeps the extremes of every column.
func TestDecimate(t *testing.T) {
	v := []float64{1, 5, 2, 2, math.NaN(), math.NaN(), 3, 9}
	got := decimate(v, 4)
	want := []column{{1, 5, 6, 2}, {2, 2, 4, 2}, {}, {3, 9, 12, 2}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if n := len(decimate(v, 100)); n != len(v) {
		t.Errorf("%d columns of %d values, want one each", n, len(v))
	}
}

func TestHistogram(t *testing.T) {
	var few, many Histogram
	for i := range 100 {
		few.Add(unit.Duration(i+1) * us)
	}
	for i := range 2 * exactTimes {
		many.Add(unit.Duration(i+1) * us)
	}
	if got := few.Quantile(0.99); got != 99*us {
		t.Errorf("99 %% of 1..100 us: %v", got)
	}
	if got := many.Quantile(0.5); got < exactTimes*us || float64(got) > 1.016*float64(exactTimes*us) {
		t.Errorf("half of 1..%d us: %v, want at most 1/64 more than %d us", 2*exactTimes, got, exactTimes)
	}
}

// Every figure is whole, and drawn well-formed at every width of a page.
func TestFigures(t *testing.T) {
	d := load(t, small(t, true))
	var names []string
	for _, f := range Charts(d) {
		names = append(names, f.Name)
		if err := chart.Check(&f); err != nil {
			t.Error(err)
		}
		for _, w := range []float64{300, 340, 620, 760} {
			wellFormed(t, fmt.Sprintf("%s at %g", f.Name, w), svg.Draw(&f, w).File())
		}
		a, err := json.Marshal(f)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if b, _ := json.Marshal(f); !bytes.Equal(a, b) {
			t.Errorf("%s: two encodings differ", f.Name)
		}
	}
	want := "causes timeline gpu-utilisation critical-path step-time loss slowest-messages completion " +
		"fabric queue utilisation traffic marks marks-by-port held-by-port"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("figures: %s, want %s", got, want)
	}
}

func wellFormed(t *testing.T, name, xmlText string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(xmlText))
	for {
		switch _, err := dec.Token(); err {
		case nil:
		case io.EOF:
			return
		default:
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}
