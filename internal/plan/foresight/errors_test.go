package foresight

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// stepRow is a row of docs/accuracy.md that sets a step beside a published one.
var stepRow = regexp.MustCompile(`^\| (SC'21|2205\.05198) ([^|]+) \| \d+ \| ([0-9.]+) s \| ([0-9.]+) s \| ([-+][0-9.]+) % \| ([^|]*) \|$`)

// Every error and mean that docs/accuracy.md prints of published steps, by formula and by packets, is that of its rows.
func TestPrintedErrorsAreThoseOfTheRows(t *testing.T) {
	page, err := os.ReadFile("../../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	formula, packets, ok := strings.Cut(string(page), "\nBy packets,")
	if !ok {
		t.Fatal("docs/accuracy.md has no table by packets")
	}
	counted := map[float64]string{3: "three", 7: "seven", 9: "nine"}
	for _, c := range []struct{ rows, says string }{
		{packets, "Mean absolute error: %.1f %% of SC'21's %s, %.1f %% of arXiv 2205.05198's %s."},
		{formula, "Mean absolute error of the rows that count: %.1f %% of SC'21's %s, %.1f %% of arXiv 2205.05198's %s "},
	} {
		sum, n := map[string]float64{}, map[string]float64{}
		for line := range strings.Lines(c.rows) {
			m := stepRow.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil {
				continue
			}
			published, step, printed := number(t, m[3]), number(t, m[4]), number(t, m[5])
			// The step is printed to 5 ms: that much of the error is open.
			if e := 100 * (step/published - 1); math.Abs(e-printed) > 0.05+0.5/published {
				t.Errorf("%s %s: prints %s %%, its steps give %+.2f %%", m[1], m[2], m[5], e)
			}
			if !strings.HasPrefix(m[6], "no: calibration") {
				sum[m[1]], n[m[1]] = sum[m[1]]+math.Abs(printed), n[m[1]]+1
			}
		}
		if n[sc21] == 0 || n[arxiv5] == 0 {
			t.Fatalf("rows that count: %v", n)
		}
		if want := fmt.Sprintf(c.says, sum[sc21]/n[sc21], counted[n[sc21]], sum[arxiv5]/n[arxiv5],
			counted[n[arxiv5]]); !strings.Contains(string(page), want) {
			t.Errorf("docs/accuracy.md does not say, of %v rows,\n%s", n, want)
		}
	}
}

func number(t *testing.T, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
