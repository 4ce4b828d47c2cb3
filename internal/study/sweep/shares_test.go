package sweep

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
)

// drawnTable is a full factorial of three axes, with a step time by a formula.
func drawnTable(a, b float64) *Table {
	axes := []Axis{{"fabric.spines", []string{"1", "2", "3"}}, {"fabric.leaves", []string{"1", "2"}},
		{"seed", []string{"1", "2", "3", "4"}}}
	var rows []Row
	for n := range 3 * 2 * 4 {
		set := values(axes, n)
		x, _ := strconv.ParseFloat(set[0].Text, 64)
		y, _ := strconv.ParseFloat(set[1].Text, 64)
		v := 1e6 + a*x + b*y
		rows = append(rows, Row{Set: set, State: "complete", Figures: map[string]float64{"step_time": v}})
	}
	return NewTable("t", axes, nil, rows)
}

// Where axes add up, each has the share of the variance that its own values make, and nothing is left for the rest.
func TestEffectsOfWhatAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		a, b := 1e4*r.Float64(), 1e4*r.Float64()
		table := drawnTable(a, b)
		m := measure{name: headline.StepTime, unit: chart.Time, values: make([][]chart.Value, len(table.Groups))}
		for i := range table.Rows {
			m.values[i] = []chart.Value{chart.Value(table.Rows[i].Figures["step_time"])}
		}
		got := map[string]float64{}
		for _, e := range table.effects([]measure{m}) {
			got[e.Axis] = e.Share
		}
		va, vb := a*a*2/3, b*b/4 // variances of 1, 2, 3 and of 1, 2
		want := map[string]float64{"fabric.spines": va / (va + vb), "fabric.leaves": vb / (va + vb), "seed": 0, "": 0}
		for axis, w := range want {
			if math.Abs(got[axis]-w) > 1e-9 {
				t.Fatalf("%s has %v, want %v", axis, got[axis], w)
			}
		}
	}
}

// The front is what a search over all pairs finds.
func TestFrontAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + r.IntN(12)
		x := &measure{name: headline.StepTime, values: make([][]chart.Value, n)}
		y := &measure{name: headline.MFU, values: make([][]chart.Value, n)} // higher is better
		for g := range n {
			x.values[g] = []chart.Value{chart.Value(r.IntN(5))}
			y.values[g] = []chart.Value{chart.Value(r.IntN(5))}
		}
		got := front(x, y)
		in := func(g int) bool { // the first of those that are alike stands for them
			for k := range n {
				noWorse := x.values[k][0] <= x.values[g][0] && y.values[k][0] >= y.values[g][0]
				same := x.values[k][0] == x.values[g][0] && y.values[k][0] == y.values[g][0]
				if noWorse && (!same || k < g) {
					return false
				}
			}
			return true
		}
		for g := range n {
			if slices.Contains(got, g) != in(g) {
				t.Fatalf("x %v, y %v: front %v, group %d belongs: %v", x.values, y.values, got, g, in(g))
			}
		}
	}
}
