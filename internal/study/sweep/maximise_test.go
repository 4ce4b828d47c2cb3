package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"railyard/internal/base/formula"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// figured is an engine that runs nothing: a row has the figures that a function says, of its values and its seed. nil: it cannot
// run after all.
type figured struct {
	of      func(at map[string]float64, seed uint64) map[string]float64
	reverse bool // the last job comes first
	most    int  // it ends with an error after so many; 0: never
	ran     int
}

var errStopped = errors.New("stopped")

func (e *figured) Run(_ context.Context, jobs []Job, sink Sink) error {
	order := make([]int, len(jobs))
	for i := range order {
		if order[i] = i; e.reverse {
			order[i] = len(jobs) - 1 - i
		}
	}
	for _, k := range order {
		if e.most > 0 && e.ran == e.most {
			return errStopped
		}
		e.ran++
		at := map[string]float64{}
		for _, v := range jobs[k].Set {
			if q, ok := formula.ParseQuantity(v.Text); ok {
				at[v.Path] = q.Value
			} else {
				at[v.Path+"="+v.Text] = 1
			}
		}
		figures := e.of(at, jobs[k].Scenario.Seed)
		var err error
		if figures == nil {
			err = sink.Refused(k, errors.New("too much for it"))
		} else {
			err = sink.Done(k, &Row{State: result.Complete, Figures: figures}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const best = `scenario:
  cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
  fabric: {design: leaf-spine, leaves: 2, spines: 2}
  job: {flows: [{from: host1/gpu0, to: host3/gpu0, bytes: 1kB}]}
`

func sweepFile(t *testing.T, text string) *scenario.SweepFile {
	t.Helper()
	file, err := scenario.ParseSweep("s.yaml", []byte(best+text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// optimum is what Maximise finds with an engine.
func optimum(t *testing.T, text string, opt Options) *Optimum {
	t.Helper()
	file := sweepFile(t, text)
	if err := CheckFigures(file); err != nil {
		t.Fatal(err)
	}
	o, err := Maximise(t.Context(), file, file.Scenario, opt)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const bowl = `axes:
  - {key: fabric.switch.buffer, range: 1MB..64MB log 50}
  - {key: fabric.spines, range: 1..8}
  - {key: fabric.balance, values: [ecmp, flowlet, dlb]}
  - {key: fabric.flowlet.gap, range: 10us..500us log 20, when: fabric.balance = flowlet}
where: [fabric.spines * 4MB <= 2 * fabric.switch.buffer]
`

// inBowl has its least, 1, with flowlets of 100 us, 5 spines and a buffer of 16 MB.
func inBowl(at map[string]float64) float64 {
	v := 1 + math.Abs(at["fabric.spines"]-5) + math.Pow(math.Log2(at["fabric.switch.buffer"]/16e6), 2)
	if gap, ok := at["fabric.flowlet.gap"]; ok {
		return v + math.Pow(math.Log10(gap/100e6), 2)
	}
	return v + 2
}

// The best point is found over ranges, whole numbers, values of a list and an axis that only one of them has; none that a condition
// leaves out is run, and none twice; and the rows may come in any order.
func TestMaximise(t *testing.T) {
	step := func(at map[string]float64, _ uint64) map[string]float64 {
		return map[string]float64{"step_time": inBowl(at), "mfu": 1 / inBowl(at)}
	}
	least := optimum(t, bowl+"maximise: {smallest: step_time, points: 40}\n", Options{Engine: &figured{of: step}})
	if b := least.Best; b.Value > 1.2 || b.Largest || b.Tried != 40 || b.None != 0 || len(b.Values) != 40 ||
		*b.Values[b.Point-1] != b.Value ||
		!slices.Equal(b.Set, least.Points[b.Point-1]) || !strings.Contains(label(b.Set), "fabric.balance=flowlet fabric.flowlet.gap=") {
		t.Errorf("found %+v", b)
	}
	names := map[string]bool{}
	for _, set := range least.Points {
		at := map[string]float64{}
		for _, v := range set {
			q, _ := formula.ParseQuantity(v.Text)
			at[v.Path] = q.Value
		}
		if name := label(set); names[name] || at["fabric.spines"]*4e6 > 2*at["fabric.switch.buffer"] ||
			strings.Contains(name, "gap") != strings.Contains(name, "=flowlet") {
			t.Errorf("%s was run", name)
		}
		names[label(set)] = true
	}
	again := optimum(t, bowl+"maximise: {smallest: step_time, points: 40}\n", Options{Engine: &figured{of: step, reverse: true}})
	if !same(least, again) {
		t.Error("another order of rows makes other points")
	}
	most := optimum(t, bowl+"maximise: {largest: mfu, points: 40}\n", Options{Engine: &figured{of: step}}).Best
	if most.Value < 0.8 || !most.Largest {
		t.Errorf("found %+v", most)
	}
	if other := optimum(t, bowl+"maximise: {smallest: step_time, points: 9, seed: 2}\n", Options{Engine: &figured{of: step}}); same(
		&Optimum{Points: least.Points[:9]}, &Optimum{Points: other.Points}) {
		t.Error("another seed has the same points")
	}
}

func same(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

// A sweep that stops anywhere goes on with the same points, and runs none twice.
func TestMaximiseGoesOn(t *testing.T) {
	text := bowl + "seeds: 1..2\nmaximise: {smallest: step_time, points: 22}\n"
	step := func(at map[string]float64, seed uint64) map[string]float64 {
		return map[string]float64{"step_time": inBowl(at) + float64(seed)}
	}
	want := optimum(t, text, Options{Engine: &figured{of: step}})
	if len(want.Rows) != 44 {
		t.Fatalf("%d rows", len(want.Rows))
	}
	for _, most := range []int{1, 20, 33} {
		path := filepath.Join(t.TempDir(), "s")
		file := sweepFile(t, text)
		dir, err := OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Maximise(t.Context(), file, file.Scenario, Options{Engine: &figured{of: step, most: most}, Dir: dir})
		if !errors.Is(err, errStopped) || first == nil || len(first.Points) == 0 {
			t.Fatalf("%v, %+v", err, first)
		}
		rest := &figured{of: step}
		var f Forecast
		got := optimum(t, text, Options{Engine: rest, Dir: dir, Forecast: func(x Forecast) { f = x }})
		if !same(got, want) || rest.ran != 44-most {
			t.Errorf("after %d runs: %d more, other points or rows", most, rest.ran)
		}
		if most < 20 && (f.Runs != 44-most || f.Resumed != most) {
			t.Errorf("after %d runs %d are forecast, %d are there", most, f.Runs, f.Resumed)
		}
		if err := dir.Discard(); err != nil {
			t.Fatal(err)
		}
	}
}

// What several seeds come to is their mean, or the worst; a point of which one seed has no value has none.
func TestSeedsOfAPoint(t *testing.T) {
	axis := "axes: [{key: fabric.spines, values: [1, 2, 3]}]\nseeds: 1..2\n"
	of := map[float64][2]float64{1: {10, 20}, 2: {1, 30}, 3: {0, math.NaN()}}
	step := func(at map[string]float64, seed uint64) map[string]float64 {
		v := of[at["fabric.spines"]][seed-1]
		if math.IsNaN(v) {
			return nil
		}
		return map[string]float64{"step_time": v, "drops": 1 / v}
	}
	for _, c := range []struct {
		text, set string
		value     float64
		none      int
	}{
		{"{smallest: step_time, points: 9}", "fabric.spines=1", 15, 1}, // of 15 and 15.5
		{"{largest: step_time, points: 9}", "fabric.spines=2", 15.5, 1},
		{"{smallest: step_time, points: 9, over: worst}", "fabric.spines=1", 20, 1},
		{"{largest: step_time, points: 9, over: worst}", "fabric.spines=1", 10, 1},
		{"{smallest: step_time, points: 9, with: drops < 0.06}", "", 0, 3}, // seed 1 of both has more
		{"{largest: step_time, points: 9, with: drops < 0.5}", "fabric.spines=1", 15, 2},
	} {
		o := optimum(t, axis+"maximise: "+c.text+"\n", Options{Engine: &figured{of: step}})
		if b := o.Best; label(b.Set) != c.set || b.Value != c.value || b.None != c.none || b.Tried != 3 {
			t.Errorf("%s: %+v", c.text, b)
		}
	}
}

// Where half of all points cannot run, the best of the others is found to a tenth of what is at their edge, where the range is 1 to 72,
// and they are not all that is tried; points that check refuses are rows.
func TestPointsThatCannotRun(t *testing.T) {
	text := "axes:\n  - {key: fabric.switch.buffer, range: 1MB..64MB log 50}\n  - {key: fabric.spines, range: 0..12}\n" +
		"maximise: {smallest: step_time, points: 40}\n"
	edge := func(at map[string]float64, _ uint64) map[string]float64 { // least at the edge: 8 MB
		if at["fabric.switch.buffer"] < 8e6 {
			return nil
		}
		return map[string]float64{"step_time": at["fabric.switch.buffer"] / 8e6 * (1 + math.Abs(at["fabric.spines"]-4))}
	}
	o := optimum(t, text, Options{Engine: &figured{of: edge}})
	refused := 0
	for _, r := range o.Rows {
		if r.State == Refused && r.Error != "too much for it" {
			refused++
		}
	}
	if b := o.Best; b.Value > 1.1 || b.None == 0 || b.None > 30 || refused == 0 {
		t.Errorf("%d refused, %+v", refused, b)
	}
	none := func(map[string]float64, uint64) map[string]float64 { return nil }
	o = optimum(t, text, Options{Engine: &figured{of: none}})
	if b := o.Best; b.Set != nil || b.None != 40 || b.Text("", 1) != "none of 40 points has a value of step_time" || b.chart() != nil {
		t.Errorf("none can run: %+v, %s", b, b.Text("", 1))
	}
}

// The values of an axis are in their order where they are numbers of one kind that rise or fall, and else categories.
func TestDimensionsOfAxes(t *testing.T) {
	file := sweepFile(t, `axes:
  - {key: fabric.spines, range: 1..8}
  - {key: fabric.leaves, values: [8, 4, 2]}
  - {key: cluster.hosts, values: [4, 2, 8]}
  - {key: fabric.switch.buffer, range: 1MB..64MB log 50}
  - {key: fabric.switch.latency, range: 1us..4us step 1us}
  - {key: fabric.balance, values: [ecmp, dlb]}
  - {key: fabric.qos.drop_threshold, values: [auto, 1MB]}
maximise: {smallest: step_time, points: 9}
`)
	var got []string
	for i := range file.Axes {
		d := dimOfAxis(&file.Axes[i])
		got = append(got, fmt.Sprint(d.Levels, d.Category))
	}
	if want := "8 false,3 false,3 true,0 false,4 false,2 true,2 true"; strings.Join(got, ",") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// An axis that is not changed beside the others has one coordinate, whatever was drawn: it does not tell points apart.
func TestAxesWithoutAMeaning(t *testing.T) {
	file := sweepFile(t, bowl+"maximise: {smallest: step_time, points: 9}\n")
	o := newOptimiser(file, file.Scenario, Options{})
	for _, c := range []struct{ method, gap float64 }{{0, 0}, {1, 0.7}, {2, 0}} {
		x := []float64{0.5, 0, c.method, 0.7}
		if set := o.set(x); x[3] != c.gap || len(set) != 3 && c.gap == 0 || len(set) != 4 && c.gap != 0 {
			t.Errorf("%v: %v", x, set)
		}
	}
}

// The budget is forecast before the first run, by the first points: it is what the search takes.
func TestForecastOfMaximise(t *testing.T) {
	text := "axes: [{key: fabric.spines, range: 1..50}]\nseeds: 1..3\nmaximise: {smallest: completion_mean, points: 12}\n"
	file := sweepFile(t, text)
	f, err := ForecastMaximise(t.Context(), file, file.Scenario, Options{KeepRefused: true})
	if err != nil || f.Runs != 36 {
		t.Fatalf("%v, %+v", err, f)
	}
	var said []Forecast
	var once sync.Mutex
	o := optimum(t, text, Options{Forecast: func(f Forecast) { once.Lock(); defer once.Unlock(); said = append(said, f) }})
	if len(said) != 1 || said[0].Runs != 36 || len(o.Rows) != 36 || said[0].PacketHops != f.PacketHops {
		t.Errorf("%+v, %d rows", said, len(o.Rows))
	}
}

// A figure that a run does not have, and names that nobody knows, are told where they stand.
func TestFiguresThatAreNot(t *testing.T) {
	file := sweepFile(t, "axes: [{key: fabric.spines, range: 1..9}]\nmaximise: {largest: speed, points: 9, with: dropps == 0}\n")
	if err := CheckFigures(file); err == nil || !strings.Contains(err.Error(), "maximise.largest: no figure has the name speed") ||
		!strings.Contains(err.Error(), "maximise.with: no figure has the name dropps") {
		t.Error(err)
	}
	file = sweepFile(t, "axes: [{key: fabric.spines, range: 1..9}]\nmaximise: {largest: mfu, points: 9}\n")
	_, err := Maximise(t.Context(), file, file.Scenario, Options{})
	if err == nil || !strings.Contains(err.Error(), "maximise.largest: a run with fabric.spines=") {
		t.Error(err)
	}
}
