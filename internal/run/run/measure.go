package run

import (
	"context"
	"errors"
	"time"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// Stopwatch is begun; what it returns says how many seconds ago that was, by this machine's clock.
func Stopwatch() func() float64 {
	began := time.Now()
	return func() float64 { return time.Since(began).Seconds() }
}

// Measured is how long a run takes on this machine, as its first part forecasts.
type Measured struct {
	Seconds float64 `json:"wall_seconds"` // of the whole, set-up included; without what is written
	Part    float64 `json:"part"`         // of its work that was done, 0 to 1
	Took    float64 `json:"seconds"`      // that this took, set-up included
}

// enoughMeasured is the part of a run after which its forecast is good: see TestForecastOfPacketHops.
const enoughMeasured = 0.1

// Measure runs the first part of a scenario: a tenth of its work, or for so long. It writes nothing.
// Where no part tells how much is done, the run goes on to its end.
func Measure(ctx context.Context, sc *scenario.Scenario, opt Options, most time.Duration) (Measured, error) {
	began := time.Now()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var m Measured
	var loop time.Time
	told := opt.Progress
	opt.Dir = nil
	opt.Around = func(drive func()) {
		loop = time.Now()
		drive()
	}
	opt.Progress = func(p result.Progress) {
		if told != nil {
			told(p)
		}
		if p.Part == 0 || m.Part > 0 || p.Part < enoughMeasured && time.Since(loop) < most {
			return
		}
		now := time.Now()
		m = Measured{Part: p.Part, Took: now.Sub(began).Seconds(),
			Seconds: loop.Sub(began).Seconds() + now.Sub(loop).Seconds()/p.Part}
		stop(errMeasured)
	}
	_, err := Run(ctx, sc, opt)
	if m.Part > 0 && (err == nil || errors.Is(context.Cause(ctx), errMeasured)) {
		return m, nil
	}
	took := time.Since(began).Seconds()
	return Measured{Seconds: took, Part: 1, Took: took}, err
}

// errMeasured ends a run of which enough is known.
var errMeasured = errors.New("measured")
