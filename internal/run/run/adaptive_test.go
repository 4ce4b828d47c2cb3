package run

import (
	"testing"

	"railyard/internal/base/unit"
)

// Fifteen hosts send to one whose switch has too little buffer and no PFC. The last packets of some are lost, and nothing asks
// for them again but the timer: 67 ms by default, and some round trips where it follows them. Where nothing is lost it
// repeats nothing.
func TestATimerThatFollowsRoundTripsRepairsALostTail(t *testing.T) {
	of := func(buffer, timer string) ran {
		return run(t, `
seed: 1
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 4, spines: 4, qos: {pfc: {enabled: false}}, switch: {buffer: `+buffer+`}}
congestion: {algorithm: hpcc}
transport: {`+timer+`}
job: {collectives: [{op: gather, algorithm: direct, bytes: 8MB, iterations: 1, warmup: 0}]}
`, Options{})
	}
	fixed, adaptive := of("1MB", ""), of("1MB", "timeout_adaptive: 100us")
	if fixed.Drops == 0 || fixed.StepTime < 67*unit.Millisecond || adaptive.StepTime > 2*unit.Millisecond {
		t.Errorf("%v with a fixed timer (%d drops), %v with one that follows", fixed.StepTime, fixed.Drops, adaptive.StepTime)
	}
	if r := of("64MB", "timeout_adaptive: 100us"); r.Drops+r.Retransmits > 0 {
		t.Errorf("%d drops, %d packets sent again, of a network that loses nothing", r.Drops, r.Retransmits)
	}
}
