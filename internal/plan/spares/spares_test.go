package spares_test

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/spares"
)

// A job of two hosts starts again where and when it can: at once where what broke is not its own, on the spare where that is there
// first, and after the repair where no spare stands by that can be used.
func TestFit(t *testing.T) {
	const us = unit.Time(unit.Microsecond)
	for _, c := range []struct {
		what, faults string
		at, start    unit.Time
		moves        []plan.Move
	}{
		{"nothing broke", "", 5 * us, 5 * us, nil},
		{"a link of host 1", "{host: host1, at: 0us, down: 9us}", 5 * us, 5 * us, []plan.Move{{From: 0, To: 2}}},
		{"it is up again", "{host: host1, at: 0us, down: 9us}", 9 * us, 9 * us, nil},
		{"host 2 hangs", "{host: host2, at: 0us, hang: 9us}", 5 * us, 5 * us, []plan.Move{{From: 1, To: 2}}},
		{"a GPU of its rank", "{gpu: host2/gpu0, at: 0us, hang: 9us}", 5 * us, 5 * us, []plan.Move{{From: 1, To: 2}}},
		{"the spare", "{host: host3, at: 0us, hang: 9us}", 5 * us, 5 * us, nil},
		{"one and the spare", "{host: host1, at: 0us, hang: 8us}, {host: host3, at: 0us, hang: 7us}", 5 * us, 7 * us,
			[]plan.Move{{From: 0, To: 2}}},
		{"two, and one spare", "{host: host1, at: 0us, hang: 8us}, {host: host2, at: 0us, hang: 7us}", 5 * us, 7 * us,
			[]plan.Move{{From: 0, To: 2}}},
	} {
		faults := ""
		if c.faults != "" {
			faults = "faults: [" + c.faults + "]"
		}
		sc := plantest.Read(t, `
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
job:
  replay: {forward: 1us, update: 1us, buckets: [{compute: 1us, bytes: 1kB}]}
  restart: 100us
  spares: 1
`+faults+`
`)
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		start, moves, ok := spares.Fit(p, &p.Jobs[0], c.at)
		if start != c.start || !slices.Equal(moves, c.moves) || !ok {
			t.Errorf("%s: at %v with %v (%v), want %v with %v", c.what, start, moves, ok, c.start, c.moves)
		}
	}
}
