package run

import (
	"math"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// saidPart is what a run says of itself at one instant: the work that is done, and which part of the whole that would be.
type saidPart struct {
	done int64
	part float64
}

// runSaying runs a scenario and returns what it said on the way, and the whole of what it counted. Work is counted in
// packet-hops, or steps, so that nothing depends on the machine.
func runSaying(t *testing.T, text string, bySteps bool) (r ran, all []saidPart, whole int64) {
	t.Helper()
	steps := int64(0)
	r = run(t, text, Options{Workers: -1, often: true, Progress: func(p result.Progress) {
		switch {
		case p.Part == 0:
		case bySteps:
			steps, all = p.Total, append(all, saidPart{p.Done, p.Part})
		default:
			all = append(all, saidPart{p.PacketHops, p.Part})
		}
	}})
	if bySteps {
		return r, all, steps
	}
	return r, all, r.PacketHops
}

// holdParts: once a tenth of the work is done, the part that is said to be done forecasts the whole within a factor of 1.5.
func holdParts(t *testing.T, r ran, all []saidPart, whole int64) {
	t.Helper()
	looked := 0
	for _, s := range all {
		if 10*s.done < whole {
			continue
		}
		looked++
		if factor := float64(s.done) / s.part / float64(whole); math.Max(factor, 1/factor) > 1.5 {
			t.Errorf("after %d of %d: said %.3f of the run, a factor of %.2f", s.done, whole, s.part, factor)
		}
	}
	if looked < 3 && r.PacketHops > 200_000 {
		t.Errorf("%d forecasts of %d packet-hops, want some", looked, r.PacketHops)
	}
}

// What a run says on the way, where losses that no plan knows of make it far longer.
func TestForecastOfWorkWithLosses(t *testing.T) {
	r, all, whole := runSaying(t, congested(t), false)
	holdParts(t, r, all, whole)
}

// congested is a training whose packets are lost so often that the plan's estimate, which knows of no
// losses, is far too small: only the run itself tells.
func congested(t *testing.T) string {
	return cluster8(2) + "faults: [{link: all, drop: 2%}]\ntransport: {timeout: 100us, retries: 1000, mtu: 256B}\n" +
		strings.Replace(training(t, 60, 1), "[784, 32, 10]", "[784, 256, 10]", 1)
}

// What a pace says at each point of a made-up run.
func TestPace(t *testing.T) {
	p := &pace{planned: 1000, path: 4}
	for _, c := range []struct {
		hops, again, ended int64
		want               float64
	}{{0, 0, 0, 0}, {100, 0, 0, 0.1}, {100, 25, 0, 100. / 1100}, {5000, 0, 0, mostDone}} {
		if got := p.part(c.hops, c.again, c.ended); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// Ten steps of 300, after a start of 500: the estimate, 1,000, stands until two have ended.
	p = &pace{planned: 1000, path: 4, steps: 10}
	for _, c := range []struct {
		hops, ended int64
		want        float64
	}{{600, 0, 0.6}, {800, 1, 0.8}, {1100, 2, 1100. / 3500}, {1300, 2, 1300. / 3500}, {2900, 8, 2900. / 3500}} {
		if got := p.part(c.hops, 0, c.ended); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// The same, first asked when three had ended.
	p = &pace{planned: 1000, path: 4, steps: 10}
	p.part(1400, 0, 3)
	if got := p.part(1700, 0, 4); got != 1700./3500 {
		t.Errorf("a step after the first three: %v, want %v", got, 1700./3500)
	}
	if got := (&pace{}).part(0, 0, 3); got != 0 {
		t.Errorf("a run without packets: %v, want 0: its steps tell", got)
	}
}
