package bench

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/foresight"
)

// Runs that some costs explain exactly have others forecast as these do, and they are no costs that one starts from.
func TestFitForecastsOtherRuns(t *testing.T) {
	truth := foresight.Reference
	truth.Hop, truth.NVLink, truth.Doubled, truth.Always = 2*truth.Hop, truth.NVLink/3, 2*truth.Doubled, 3*truth.Always
	made := func(k int64) Forecast {
		w := foresight.Work{PacketHops: 1e6 * (k % 7), NICMessages: 1e5 * (k % 5), NVLinkMessages: 1e5 * (k % 3),
			Packets: 1e5 * (k % 17), Acks: 1e5 * (k % 19), QueuedPackets: 1e5 * (k % 4), Carried: 1e8 * (k % 6),
			Ports: 100 << (k % 9), Ranks: 1 << (k % 8), Connections: 50 * (k % 11), FLOP: 1e9 * (k % 2)}
		said := foresight.Estimate{Work: w, Memory: unit.Bytes(1e7 * (k % 13)), Slowness: 1.5}
		return Forecast{Said: said, Took: 1.5 * truth.Seconds(&said)}
	}
	var runs []Forecast
	for k := range int64(60) {
		runs = append(runs, made(k))
	}
	got, before := Fit(foresight.Reference, runs), 0.0
	for k := int64(100); k < 200; k++ {
		r := made(k)
		before = max(before, off(foresight.Reference.Seconds(&r.Said)*1.5, r.Took))
		if r.Said.Seconds = got.Seconds(&r.Said) * 1.5; r.Quotient() > 1.1 {
			t.Errorf("run %d: %v said, %v taken", k, r.Said.Seconds, r.Took)
		}
	}
	if before < 1.5 {
		t.Errorf("the costs that one starts from are off by %v at most", before)
	}
}
