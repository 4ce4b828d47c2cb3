package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/output"
	"railyard/internal/plan/foresight"
	"railyard/internal/run/run"
)

// A Forecast is what `railyard check` would say of a case, beside what it took: processor time in seconds, set-up included, but
// not what the program takes to start.
type Forecast struct {
	Case  string             `json:"case"`
	Hosts int                `json:"hosts"`
	Said  foresight.Estimate `json:"estimate"`
	Took  float64            `json:"cpu_seconds"`
}

// Quotient is how many times what was said a run took, or the inverse, whichever is more.
func (f *Forecast) Quotient() float64 { return off(f.Said.Seconds, f.Took) }

func off(a, b float64) float64 { return math.Exp(math.Abs(math.Log(a / b))) }

// Forecast says what the case is expected to cost a machine of so much slowness.
func (c *Case) Forecast(ctx context.Context, slowness float64) (e foresight.Estimate, err error) {
	dir, remove, err := output.Temporary("bench")
	if err != nil {
		return e, err
	}
	defer remove()
	sc, err := c.Scenario(dir)
	if err != nil {
		return e, err
	}
	in, err := run.Inspect(sc)
	if err != nil {
		return e, err
	}
	return in.Estimate.On(slowness, 0), ctx.Err()
}

// Fit returns the costs whose forecasts of these runs are off by the least: the sum of squared logarithms of the quotients of
// what is said and what was taken, so that twice and half weigh alike. It starts from some costs and moves one at a time; what
// no run has stays as it was.
func Fit(from foresight.Costs, runs []Forecast) foresight.Costs {
	wrong := func(c *foresight.Costs) (sum float64) {
		for i := range runs {
			d := math.Log(c.Seconds(&runs[i].Said) * runs[i].Said.Slowness / runs[i].Took)
			sum += d * d
		}
		return sum
	}
	best := from
	least := wrong(&best)
	for step := 0.5; step > 0.005; {
		moved := false
		for _, cost := range costs(&best) {
			was := *cost
			for _, to := range []float64{was * (1 + step), was / (1 + step)} {
				*cost = to
				if w := wrong(&best); w < least*(1-1e-9) {
					least, was, moved = w, to, true
				}
				*cost = was
			}
		}
		if !moved {
			step /= 2
		}
	}
	return best
}

// costs are all of them, to be moved.
func costs(c *foresight.Costs) []*float64 {
	return []*float64{&c.Hop, &c.HopDoubled, &c.Packet, &c.Ack, &c.Queued, &c.NIC, &c.NVLink, &c.Doubled, &c.FLOP, &c.Carried,
		&c.Port, &c.Connection, &c.Always, &c.Memory}
}

// FitText says what costs fit runs, and how far these costs are off: the median and the most.
func FitText(c *foresight.Costs, runs []Forecast) string {
	var all []float64
	for i := range runs {
		all = append(all, off(c.Seconds(&runs[i].Said)*runs[i].Said.Slowness, runs[i].Took))
	}
	slices.Sort(all)
	return fmt.Sprintf("  hop %.0f, %.1f more a doubling of ports; packet %.0f, ack %.0f, queued %.0f\n"+
		"  message over a NIC %.0f, over NVLink %.0f, %.0f more a doubling of ranks\n"+
		"  FLOP %.3f; carried %.3f; port %.0f; connection %.0f\n  memory %.2f; always %.0f\n"+
		"  off by a factor of %.2f in the median, %.2f at most\n", c.Hop, c.HopDoubled, c.Packet, c.Ack, c.Queued,
		c.NIC, c.NVLink, c.Doubled, c.FLOP, c.Carried, c.Port, c.Connection, c.Memory, c.Always,
		all[len(all)/2], all[len(all)-1])
}
