package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/plan/scenario"
)

// planned plays scripts: a sweep of axes, seeds and the like over a small scenario.
type plannedStage struct {
	scripttest.Log
	lines []string
}

func TestPlans(t *testing.T) {
	scripttest.RunIn(t, "testdata/points", func(*testing.T) scripttest.Stage { return &plannedStage{} })
}

const pairOfLeaves = `scenario: {cluster: {hosts: 4, host: {gpus: 1}}, fabric: {design: leaf-spine, leaves: 2, spines: 2}, ` +
	`job: {flows: [{from: host1/gpu0, to: host3/gpu0, bytes: 1MB}]}}` + "\n"

// Do takes a line of a sweep file; plan lists the points of what was said since the last.
func (s *plannedStage) Do(command []string) {
	if command[0] != "plan" {
		s.lines = append(s.lines, strings.Join(command, " "))
		return
	}
	text := pairOfLeaves + strings.ReplaceAll(strings.Join(s.lines, "\n"), "~", " ")
	s.lines = nil
	f, err := scenario.ParseSweep("s.yaml", []byte(text))
	if err != nil {
		fmt.Fprintln(s, err)
		return
	}
	p, err := PlanOf(f, f.Scenario)
	if err != nil {
		fmt.Fprintln(s, err)
		return
	}
	for i, set := range p.Points {
		if i == 12 {
			fmt.Fprintf(s, "... %d points\n", len(p.Points))
			break
		}
		fmt.Fprintln(s, label(set))
	}
	fmt.Fprintf(s, "grid %v, %d left out, %d short\n", p.Grid, p.Left, p.Short)
}

// The directions are those of primitive polynomials: the recurrence that each makes has the longest period there is. Its
// first numbers are odd, and below two to their index.
func TestDirectionsArePrimitive(t *testing.T) {
	for axis, p := range joeKuo {
		poly := 1<<p.degree | p.a<<1 | 1
		x, period := 1, 0
		for {
			x <<= 1
			if x>>p.degree&1 == 1 {
				x ^= poly
			}
			if period++; x == 1 || period > 1<<p.degree {
				break
			}
		}
		if period != 1<<p.degree-1 || len(p.m) != p.degree {
			t.Errorf("axis %d: period %d of a polynomial of degree %d", axis+2, period, p.degree)
		}
		for i, m := range p.m {
			if m%2 == 0 || m >= 1<<(i+1) {
				t.Errorf("axis %d: number %d is %d", axis+2, i+1, m)
			}
		}
	}
}

// Of a Sobol sequence and of a Latin hypercube each of n equal parts of every axis has one of n points, whatever the seed;
// of the first two axes of a Sobol sequence each box of n equal ones, too.
func TestSamplesAreEven(t *testing.T) {
	const n, axes = 64, 16
	for _, design := range []scenario.SampleDesign{scenario.SampleSobol, scenario.SampleLatinHypercube} {
		for seed := range uint64(20) {
			next, err := sampler(&scenario.Sample{Design: design, Points: n, Seed: seed}, axes)
			if err != nil {
				t.Fatal(err)
			}
			var points [][]float64
			for i := range n {
				u, ok := next(i)
				if !ok {
					t.Fatalf("%s: no point %d", design, i)
				}
				points = append(points, u)
			}
			for axis := range axes {
				seen := map[int]bool{}
				for _, u := range points {
					seen[int(u[axis]*n)] = true
				}
				if len(seen) != n {
					t.Errorf("%s, seed %d, axis %d: %d of %d parts", design, seed, axis, len(seen), n)
				}
			}
			for width := 1; width <= n && design == "sobol"; width *= 2 {
				seen := map[[2]int]bool{}
				for _, u := range points {
					seen[[2]int{int(u[0] * float64(width)), int(u[1] * float64(n/width))}] = true
				}
				if len(seen) != n {
					t.Errorf("sobol, seed %d: %d of %d boxes of 1/%d x 1/%d", seed, len(seen), n, width, n/width)
				}
			}
		}
	}
}

// Another seed is another sample, and the same seed the same.
func TestSamplesFollowTheirSeed(t *testing.T) {
	for _, design := range scenario.SampleDesigns {
		draw := func(seed uint64) (all []float64) {
			next, err := sampler(&scenario.Sample{Design: scenario.SampleDesign(design.Name), Points: 8, Seed: seed}, 3)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				u, _ := next(i)
				all = append(all, u...)
			}
			return all
		}
		if !slices.Equal(draw(1), draw(1)) || slices.Equal(draw(1), draw(2)) {
			t.Errorf("%s does not follow its seed", design.Name)
		}
	}
}

// The axes of a grid have the values of the file, in its order, each once; where points are left out, what is left.
func TestAxesOfAGrid(t *testing.T) {
	const axes = "axes: [{key: cluster.nic.speed, values: [200Gb/s, 100Gb/s]}, {key: seed, values: [3, 1, 2]}]\n"
	f, err := scenario.ParseSweep("s.yaml", []byte(pairOfLeaves+axes))
	if err != nil {
		t.Fatal(err)
	}
	p, err := PlanOf(f, f.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Grid || len(p.Axes) != 2 || len(p.Axes[0].Values) != 2 || len(p.Axes[1].Values) != 3 ||
		p.Axes[1].Values[0] != f.Axes[1].Values[0] {
		t.Errorf("%+v", p.Axes)
	}
	f, err = scenario.ParseSweep("s.yaml", []byte(pairOfLeaves+axes+"where: [seed <= 2]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err = PlanOf(f, f.Scenario); err != nil {
		t.Fatal(err)
	}
	if p.Grid || len(p.Axes) != 2 || !slices.Equal(p.Axes[1].Values, []string{"1", "2"}) {
		t.Errorf("where seed is 2 at most: grid %v, %+v", p.Grid, p.Axes)
	}
}

// A folder that cannot be written is said to be so, with its name.
func TestUnwritableFolders(t *testing.T) {
	err := (&Dir{path: "rows"}).unwritable(errors.New("no space left on device"))
	if err == nil || err.Error() != "sweep directory rows: cannot write there: no space left on device" {
		t.Errorf("%v", err)
	}
}

// An axis lists the values that some point has; that of a grid all that were asked for, in their order.
func TestValuesOfAnAxis(t *testing.T) {
	for where, want := range map[string]string{"": "[8 1 2]", "where: [fabric.spines < 8]\n": "[1 2]"} {
		f, err := scenario.ParseSweep("s.yaml", []byte(pairOfLeaves+"axes: [{key: fabric.spines, values: [8, 1, 2]}]\n"+where))
		if err != nil {
			t.Fatal(err)
		}
		p, err := PlanOf(f, f.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.Axes[0].Values); got != want {
			t.Errorf("%q: %s, want %s", where, got, want)
		}
	}
}
