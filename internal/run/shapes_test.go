package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/unit"
)

// permutation is hosts on leaves with as many spines as a leaf has hosts, all links at 100 Gb/s: host i sends to the
// one a leaf further, as flow says.
func permutation(seed, hosts, leaves int, more, flow string) string {
	yaml := fmt.Sprintf(`
seed: %d
cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: %d
  spines: %d
  links: {spine: 100Gb/s}
  hash: {seed: per-switch}
%s
output: {queues: false}
job:
  flows:
`, seed, hosts, leaves, hosts/leaves, more)
	for i := range hosts {
		yaml += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, start: %dns, %s}\n", i+1, (i+hosts/leaves)%hosts+1, 50*i,
			flow)
	}
	return yaml
}

// shares returns what the mean and the slowest flow of permutations of 64 hosts carry over some seeds, as parts of
// the wire: payload and headers over the time of the message.
func shares(t *testing.T, more string, seeds int) (mean, slowest float64) {
	const hosts, bytes, packet, onWire = 64, 5_000_000, 4096, 4178 + 20
	for seed := range seeds {
		least := 1.0
		for _, f := range rows(t, run(t, permutation(seed+1, hosts, 8, more, fmt.Sprintf("bytes: %dB", bytes)), Options{}).Run.Flows()) {
			alone := (100 * unit.GigabitPerSec).TransmitTime(bytes * onWire / packet)
			share := float64(alone) / float64(f.FCT)
			mean += share / hosts / float64(seeds)
			least = min(least, share)
		}
		slowest += least / float64(seeds)
	}
	return mean, slowest
}

// A permutation that all links together could carry at line rate. Of as many links as flows a hash leaves 1/e
// unused, so ECMP carries about two thirds; its slowest flow has a quarter to a third. Packets that are spread one by
// one keep it almost whole (Dixit et al., INFOCOM 2013). Without congestion control, PFC on, receivers in order; with
// DCQCN and receivers that place at once, by the least queue and by turns.
func TestSprayingKeepsAPermutationWhereECMPDoesNot(t *testing.T) {
	const none = "congestion: {algorithm: none}\n"
	mean, slowest := shares(t, none, 5)
	t.Logf("ECMP: mean %.3f of the wire, slowest %.3f", mean, slowest)
	if mean < 0.62 || mean > 0.68 || slowest < 0.23 || slowest > 0.38 {
		t.Errorf("ECMP: the mean flow has %.1f %% of the wire, the slowest %.1f %%, want 62 to 68 and 23 to 38", 100*mean, 100*slowest)
	}
	const dcqcn, direct = "congestion: {algorithm: dcqcn}\n", "transport: {receiver: direct}\n"
	for _, how := range []string{none, "  spray: {pick: least-queue}\n" + dcqcn + direct,
		"  spray: {pick: round-robin}\n" + dcqcn + direct} {
		mean, slowest = shares(t, "  balance: spray\n"+how, 1)
		t.Logf("spraying, %s: mean %.3f, slowest %.3f", strings.Join(strings.Fields(how), " "), mean, slowest)
		if mean < 0.95 || slowest < 0.95 {
			t.Errorf("spraying, %s: the mean flow has %.1f %% of the wire, the slowest %.1f %%, want 95", how, 100*mean, 100*slowest)
		}
	}
}

// A ring of 16 hosts, neighbours on different leaves, each sending messages of 80 us every 150 us: flowlets find
// gaps. With a gap below the pause between messages flowlets (LetFlow, NSDI'17) and DLB move queue pairs away from
// crowded links and messages take less time than with ECMP, although receivers in order answer what overtakes with NAKs;
// with the vendors' gap, 256 us, they seldom can. ConWeave (SIGCOMM'23) needs no gap, and its last switches keep
// packets in order: nothing is sent again. DCQCN, mean over 3 seeds.
func TestFlowletsAndConWeaveGainInARing(t *testing.T) {
	mean := func(more string) (us float64, repeats int64) {
		const seeds, hosts, count = 3, 16, 10
		for seed := range seeds {
			yaml := permutation(seed+1, hosts, 4, more, fmt.Sprintf("bytes: 1MB, count: %d, every: 150us", count))
			r := run(t, yaml, Options{})
			for _, f := range rows(t, r.Run.Flows()) {
				us += float64(f.FCT) / float64(unit.Microsecond) / (seeds * hosts * count)
			}
			repeats += r.Retransmits
		}
		return us, repeats
	}
	ecmp, _ := mean("")
	for _, c := range []struct {
		more        string
		least, most float64 // of ECMP's time
	}{
		{"  balance: dlb\n  dlb: {gap: 5us}\n", 0, 0.7},
		{"  balance: flowlet\n  flowlet: {gap: 5us}\n", 0, 0.95},
		{"  balance: dlb\n", 0.8, 1.1},
		{"  balance: conweave\n", 0, 0.85},
	} {
		got, repeats := mean(c.more)
		t.Logf("%s: %.0f us, ECMP %.0f us, %d packets again", strings.TrimSpace(c.more), got, ecmp, repeats)
		if got < c.least*ecmp || got > c.most*ecmp {
			t.Errorf("%sa message takes %.0f us, %.2f of ECMP's %.0f, want %.2f to %.2f", c.more, got, got/ecmp, ecmp, c.least, c.most)
		}
		if strings.Contains(c.more, "conweave") && repeats > 0 {
			t.Errorf("ConWeave: %d packets were sent again", repeats)
		}
	}
}
