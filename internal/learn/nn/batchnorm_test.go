package nn

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Replicas that sum between the phases of a layer make together, of some rows each, what one makes of all rows.
func TestReplicasMeetInBatchNorm(t *testing.T) {
	of := mustLayer(t)
	for name, l := range map[string]Splitter{"elements": of(BatchNorm(5, 1, 0.1, Identity)).(Splitter),
		"channels": of(BatchNorm(3, 4, 0.1, ReLU)).(Splitter), "residual": normedBlock(t, ReLU).(Splitter)} {
		for parts := 1; parts <= 4; parts *= 2 {
			t.Run(fmt.Sprintf("%s/%d", name, parts), func(t *testing.T) { meet(t, l, parts) })
		}
	}
}

func meet(t *testing.T, l Splitter, parts int) {
	const rows = 8
	whole := newTrial(l, rows, 5)
	gains(l.Tensors(), whole.p)
	g, dx := whole.gradients()

	n, to := rows/parts, &together{rows: rows / parts}
	d := slices.Clone(whole.c)
	l.Through(d, whole.y)
	part := func(v []float32, r int) []float32 { return slices.Clone(v[r*len(v)/parts:][:len(v)/parts]) }
	for r := range parts {
		p, pieces := l.Split(Together).Of(r, parts)
		if !slices.Equal(pieces, []Piece{{Elems: l.Params()}}) {
			t.Fatalf("a part has %v, want all parameters", pieces)
		}
		if _, block := Layer(l).(residual); !block {
			got := (kept(reflect.ValueOf(p.NewSaved(7))) - kept(reflect.ValueOf(p.NewSaved(2)))) / 5
			if want := 4*p.Saved + p.Notes; got != want {
				t.Errorf("it keeps %d bytes of a row, says %d", got, want)
			}
		}
		to.parts = append(to.parts, p)
		h := Hand{Rows: n, X: part(whole.x, r), P: whole.p, Y: make([]float32, n*l.Out()), Saved: p.NewSaved(n), Pass: whole.pass,
			D: part(d, r), DX: make([]float32, n*l.In()), G: make([]float32, l.Params())}
		for _, v := range [][]float32{h.Y, h.DX, h.G} {
			for i := range v {
				v[i] = float32(math.NaN()) // all of it is written
			}
		}
		to.hands = append(to.hands, h)
	}
	run := func(phases func(*Part) []Phase) {
		for i := range phases(to.parts[0]) {
			for r, p := range to.parts {
				ph, h := &phases(p)[i], &to.hands[r]
				h.Give = make([]float32, ph.Fixed)
				ph.Run(h)
			}
			to.sum(func(r int) []float32 { return to.hands[r].Give })
			for r := range to.hands {
				to.hands[r].Got = to.hands[r].Give
			}
		}
	}
	run(func(p *Part) []Phase { return p.Forward })
	run(func(p *Part) []Phase { return p.Backward })
	for r := range to.hands {
		nearly(t, "outputs", to.hands[r].Y, part(whole.y, r))
		nearly(t, "gradient of the inputs", to.hands[r].DX, part(dx, r))
	}
	for _, tensor := range l.Tensors() {
		sum := make([]float32, tensor.Elems())
		for r := range to.hands {
			own := to.hands[r].G[tensor.Offset:][:len(sum)]
			if tensor.Role == Running {
				if !slices.Equal(own, to.hands[0].G[tensor.Offset:][:len(sum)]) {
					t.Errorf("%s: replicas have %v and %v", tensor.Name, own, to.hands[0].G[tensor.Offset:][:len(sum)])
				}
				copy(sum, own)
				continue
			}
			Add(sum, own)
		}
		nearly(t, "gradient of "+tensor.Name, sum, g[tensor.Offset:][:len(sum)])
	}
}

// The mean of values far from 0 costs the variance nothing once the running mean is near it.
func TestStatisticsFarFromZero(t *testing.T) {
	l := mustLayer(t)(BatchNorm(1, 4, 0.1, Identity))
	x := []float32{4000.25, 4000.75, 4000.5, 3999.5, 4001.5, 4000, 4000.25, 4000.75}
	p := []float32{1, 0, 4000, 1}
	y, saved := make([]float32, 8), l.NewSaved(2)
	l.Forward(y, x, p, 2, saved, &Pass{Train: true})
	mean, square := 0.0, 0.0
	for _, v := range y {
		mean, square = mean+float64(v)/8, square+float64(v)*float64(v)/8
	}
	if math.Abs(mean) > 1e-3 || math.Abs(square-1) > 1e-4 {
		t.Errorf("mean %v and mean square %v, want 0 and 1", mean, square)
	}
}

// Running statistics are means over updates, whatever the optimiser: it neither moves them, decays them nor counts them in the
// norm of the gradients.
func TestRunningStatisticsAreNoParameters(t *testing.T) {
	l := mustLayer(t)(BatchNorm(2, 3, 0.25, Identity))
	m, err := NewModel([]Named{{"dense.1", Dense(3, 6, Identity)}, {"norm", l}, {"dense.2", Dense(6, 2, Identity)}}, CrossEntropy, 1)
	if err != nil {
		t.Fatal(err)
	}
	running := m.Running()
	if len(running) != 2 || running[0] != (Mean{Span{28, 2}, 0.25}) || running[1].Span != (Span{30, 2}) || m.Free() != m.Params()-4 {
		t.Fatalf("%+v, %d of %d parameters are free", running, m.Free(), m.Params())
	}
	for _, o := range []Optimiser{{LR: 0.5}, {LR: 0.5, Momentum: 0.9, WeightDecay: 0.1, Clip: 0.1},
		{Method: AdamW, LR: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, WeightDecay: 0.5}} {
		p, g := drawn(1, 1, m.Params(), 1), drawn(1, 2, m.Params(), 1)
		var state [][]float32
		for range o.State() {
			state = append(state, make([]float32, len(p)))
		}
		want := slices.Clone(p)
		for _, r := range running {
			for i := r.At; i < r.At+r.Elems; i++ {
				want[i] = float32(0.75*want[i]) + float32(0.25*float32(0.5*g[i]))
			}
		}
		loud := slices.Clone(g)
		for i := 28; i < 32; i++ {
			loud[i] = 1000
		}
		at := o.ClippedAll(Move{Scale: 0.5}, g, m.Uncounted())
		if other := o.ClippedAll(Move{Scale: 0.5}, loud, m.Uncounted()); other != at {
			t.Errorf("%+v: running statistics count in the norm: %v, %v", o, at, other)
		}
		whole := slices.Clone(p)
		o.StepAll(whole, g, state, at, running, 0)
		for i := 28; i < 32; i++ {
			if whole[i] != want[i] {
				t.Errorf("%+v: element %d became %v, want %v", o, i, whole[i], want[i])
			}
		}
		for i := range whole {
			if (i < 28 || i >= 32) && whole[i] == p[i] {
				t.Errorf("%+v: parameter %d did not move", o, i)
			}
		}
		for cut := range m.Params() { // wherever a vector is cut
			parts := slices.Clone(p)
			var low, high [][]float32
			for range o.State() {
				low, high = append(low, make([]float32, cut)), append(high, make([]float32, len(p)-cut))
			}
			o.StepAll(parts[:cut], g[:cut], low, at, running, 0)
			o.StepAll(parts[cut:], g[cut:], high, at, running, cut)
			if !slices.Equal(parts, whole) {
				t.Fatalf("%+v: in two parts, cut at %d, other values", o, cut)
			}
		}
	}
}

func TestBatchNormSaysWhatItWants(t *testing.T) {
	for want, f := range map[string]func() (Layer, error){
		"0 channels of 3 places, want at least 1 of 1":  func() (Layer, error) { return BatchNorm(0, 3, 0.1, Identity) },
		"momentum 0, want more than 0 and at most 1":    func() (Layer, error) { return BatchNorm(1, 3, 0, Identity) },
		"momentum 1.5, want more than 0 and at most 1":  func() (Layer, error) { return BatchNorm(1, 3, 1.5, Identity) },
		"activation gelu inside a layer, want identity": func() (Layer, error) { return BatchNorm(1, 3, 1, GELU) },
	} {
		if _, err := f(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
