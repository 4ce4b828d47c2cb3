package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
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

// shuffled is a permutation that is drawn: each host sends 4 MB to a host of another leaf and receives as much, all at
// once, over a fabric of leaves with so many hosts each and so many spines, all links at 100 Gb/s.
func shuffled(seed, leaves, hosts, spines int, more string) string {
	yaml := fmt.Sprintf(`
seed: %d
cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: %d
  spines: %d
%s
output: {queues: false}
job:
  flows:
`, seed, leaves*hosts, leaves, spines, more)
	to, random := make([]int, leaves*hosts), splitmix.Stream(uint64(seed))
	for i := range to {
		to[i] = i
	}
	within := func() bool {
		for i := range to {
			if to[i]/hosts == i/hosts {
				return true
			}
		}
		return false
	}
	for within() {
		for i := range to { // those that are left within their leaf, and at first all, change places with one that is drawn
			if j := int(random.Next() % uint64(len(to))); to[i]/hosts == i/hosts {
				to[i], to[j] = to[j], to[i]
			}
		}
	}
	for i, j := range to {
		yaml += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, bytes: %dB}\n", i+1, j+1, shuffledBytes)
	}
	return yaml
}

const shuffledBytes = 4_000_000

// shares returns what the mean and the slowest flow of drawn permutations carry, in the mean over ten seeds, as parts
// of the wire: payload and headers over the time of the message.
func shares(t *testing.T, leaves, hosts, spines int, more string) (mean, slowest float64) {
	const seeds, packet, onWire = 10, 4096, 4178 + 20
	alone := (100 * unit.GigabitPerSec).TransmitTime(shuffledBytes * onWire / packet)
	for seed := range seeds {
		least := 1.0
		flows := rows(t, run(t, shuffled(seed+1, leaves, hosts, spines, more), Options{}).Run.Flows())
		for _, f := range flows {
			share := float64(alone) / float64(f.FCT)
			mean += share / float64(len(flows)) / seeds
			least = min(least, share)
		}
		slowest += least / seeds
	}
	return mean, slowest
}

const perPacket = "  balance: spray\n  spray: {%s}\ntransport: {receiver: direct}\n"

// Permutations that all links together could carry at line rate. Of as many links as flows a hash leaves 1/e unused, and
// the slowest flow shares its link with two or three others. Packets that are spread one by one keep it almost whole
// (Dixit et al., INFOCOM 2013), by the least queue more than by chance. With one grade of queues nothing is seen of
// them, and least-queue is random to the last bit. With a spine less than hosts a leaf nobody can have more than the
// links carry, and spraying leaves less than a tenth of that (to senders that are cut a little at a time: a first cut to 60 %
// costs flows of 4 MB a fifth). (A draw that always takes the first of equals gives a
// leaf's flows to the same links: a quarter.) GLB, which hears of the links behind, is no worse than DLB: if it took what
// was told last as it is, all senders would go where it was best 50 us ago, and it had 80 %.
func TestSprayingKeepsDrawnPermutationsWhereECMPDoesNot(t *testing.T) {
	mean, slowest := shares(t, 4, 4, 4, "")
	t.Logf("ECMP: mean %.3f of the wire, slowest %.3f", mean, slowest)
	if mean > 0.66 || slowest > 0.4 {
		t.Errorf("ECMP: the mean flow has %.1f %% of the wire, the slowest %.1f %%, want at most 66 and 40", 100*mean, 100*slowest)
	}
	const byPacket = "  dlb: {mode: packet}\ntransport: {receiver: direct}\n"
	dlb, _ := shares(t, 4, 4, 4, "  balance: dlb\n"+byPacket)
	glb, slowest := shares(t, 4, 4, 4, "  balance: glb\n"+byPacket)
	t.Logf("per packet: dlb mean %.3f; glb mean %.3f, slowest %.3f", dlb, glb, slowest)
	if glb < dlb || slowest < 0.9 {
		t.Errorf("GLB per packet: the mean flow has %.1f %% of the wire, the slowest %.1f %%; want DLB's %.1f and 90", 100*glb,
			100*slowest, 100*dlb)
	}
	random, randomSlowest := shares(t, 4, 4, 4, fmt.Sprintf(perPacket, "pick: random"))
	for _, c := range []struct {
		pick          string
		mean, slowest float64 // at least
	}{{"pick: least-queue", 0.94, 0.92}, {"pick: drill", 0.93, 0.91}, {"pick: random", 0.92, 0.9}} {
		mean, slowest = shares(t, 4, 4, 4, fmt.Sprintf(perPacket, c.pick))
		t.Logf("spraying, %s: mean %.3f, slowest %.3f", c.pick, mean, slowest)
		if mean < c.mean || slowest < c.slowest {
			t.Errorf("spraying, %s: the mean flow has %.1f %% of the wire, the slowest %.1f %%, want %.0f and %.0f", c.pick, 100*mean,
				100*slowest, 100*c.mean, 100*c.slowest)
		}
	}
	if mean, slowest := shares(t, 4, 4, 4, fmt.Sprintf(perPacket, "grades: 1")); mean != random || slowest != randomSlowest {
		t.Errorf("with one grade the mean flow has %v of the wire, the slowest %v; by chance %v and %v", mean, slowest, random,
			randomSlowest)
	}
	const most = 3.0 / 4
	mean, slowest = shares(t, 4, 4, 3, fmt.Sprintf(perPacket, "pick: least-queue")+"congestion: {preset: barre}\n")
	t.Logf("a spine less: mean %.3f, slowest %.3f", mean, slowest)
	if mean > most*1.02 || mean < 0.9*most {
		t.Errorf("with a spine less: the mean flow has %.1f %% of the wire, want %.1f to %.1f", 100*mean, 90*most, 100*most)
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
		{"  balance: dlb\n  dlb: {gap: 5us}\n", 0, 0.85},
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
