package benchcmd

import (
	"context"
	"errors"
	"fmt"

	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/plan/foresight"
	"railyard/internal/study/bench"
)

const (
	forecastHead = "%-16s %11s %10s %9s %10s %6s %6s %5s\n"
	forecastRow  = "%-16s %11s %10s %9s %10s %6.2f %6.2f %5.2f\n"
)

// benchForecast is `railyard bench --forecast`: what check says of cases beside what they take, and what costs would fit.
func (a *benchCall) benchForecast(ctx context.Context, cases []bench.Case) error {
	runs, failed := []bench.Forecast{}, []error(nil)
	if !a.f.json {
		fmt.Fprintf(a.Stdout, forecastHead, "case", "hops", "queued", "NIC", "NVLink", "said s", "taken", "off")
	}
	for i := range cases {
		c := &cases[i]
		slow := machine.Slowness()
		row, err := a.benchOne(ctx, c, fmt.Sprintf("%s, %d of %d", c.Name, i+1, len(cases)))
		r := bench.Forecast{Case: c.Name, Hosts: c.Hosts, Took: row.CPU + row.Setup - row.Start}
		if err == nil {
			r.Said, err = c.Forecast(ctx, (slow+machine.Slowness())/2)
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("bench: %s: %w", c.Name, err))
			continue
		}
		if runs = append(runs, r); !a.f.json {
			w := &r.Said.Work
			fmt.Fprintf(a.Stdout, forecastRow, r.Case, unit.Count(w.PacketHops), unit.Count(w.QueuedPackets),
				unit.Count(w.NICMessages), unit.Count(w.NVLinkMessages), r.Said.Seconds, r.Took, r.Quotient())
		}
	}
	if a.f.json {
		failed = append(failed, a.PrintJSON(runs))
	} else if len(runs) > 0 {
		best := bench.Fit(foresight.Reference, runs)
		fmt.Fprintf(a.Stdout, "\nCosts as they are, ns:\n%s\nCosts that fit these:\n%s",
			bench.FitText(&foresight.Reference, runs), bench.FitText(&best, runs))
	}
	if ctx.Err() != nil {
		return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("interrupted after %s of %d", call.Count(len(runs),
			"case"), len(cases))}
	}
	return errors.Join(failed...)
}

// Here is the estimate of a scenario for this machine, where it is worth knowing how fast that is, with the start of the program.
func Here(in *foresight.Inspection) foresight.Estimate {
	e := in.Estimate
	if e.Seconds >= foresight.Worth.Seconds() {
		e = e.On(machine.Slowness(), bench.Arithmetic(in.Plan))
	}
	return e.Started()
}
