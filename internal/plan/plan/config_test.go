package plan

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan/plantest"
)

// The round trip of the idle network, of two hops of 1 us at 100 Gb/s: of frames, 1,048 B there and
// 60 B back; of the payload, 1,000 B there and nothing back.
func TestBaseRTT(t *testing.T) {
	for what, want := range map[string]unit.Duration{"frames": 4*unit.Microsecond + 2*80*(1048+60),
		"payload": 4*unit.Microsecond + 2*80*1000} {
		p := planned(t, plantest.Incast(2, plantest.Star+"transport: {base_rtt: "+what+"}\n"))
		if got := p.BaseRTT(&p.Pairs[0]); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}
