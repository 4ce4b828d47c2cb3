package run

import (
	"flag"
	"fmt"
	"testing"

	"railyard/internal/splitmix"
)

// lossless is how many networks without a loss are drawn; by hand, a thousand.
var lossless = flag.Int("lossless", 8, "networks that are drawn in TestNoTimerFiresWithoutALoss")

// Where nothing is lost, nothing is sent again: the default timer outlasts every queue, pause and pace. Receivers take any
// order, so that only a timer could repeat a packet.
func TestNoTimerFiresWithoutALoss(t *testing.T) {
	for i := range *lossless {
		yaml := drawnLossless(uint64(i + 1))
		if r := run(t, yaml, Options{}); r.Retransmits > 0 || r.Drops > 0 {
			t.Errorf("network %d: %d packets sent again, %d dropped\n%s", i+1, r.Retransmits, r.Drops, yaml)
		}
	}
}

// drawnLossless is a network with PFC and flows that have nothing in common but that they are many: incasts, permutations
// and any to any, slow ports and fast ones, every controller and every way to choose a link.
func drawnLossless(seed uint64) string {
	random := splitmix.Stream(seed)
	of := func(s ...string) string { return s[random.Next()%uint64(len(s))] }
	between := func(a, b int) int { return a + int(random.Next()%uint64(b-a+1)) }
	leaves, per := between(1, 3), between(2, 5)
	hosts, speed := leaves*per, between(1, 16)*25
	yaml := fmt.Sprintf("name: lossless\nseed: %d\ncluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %dGb/s}}\n", seed, hosts, speed)
	yaml += fmt.Sprintf("fabric:\n  switch: {buffer: %dMB}\n  links: {length: %dm", megabytes(&random), between(2, 300))
	if leaves == 1 {
		yaml += "}\n  design: single-switch\n"
	} else {
		yaml += fmt.Sprintf(", spine: %dGb/s}\n  design: leaf-spine\n  leaves: %d\n  spines: %d\n", between(1, 16)*25, leaves,
			between(1, 4))
		yaml += "  balance: " + of("ecmp", "wcmp", "resilient", "pinned", "flowlet", "dlb", "glb", "conweave", "spray") + "\n"
	}
	yaml += "congestion: " + of("{algorithm: none}", "{algorithm: dcqcn}", "{preset: barre}",
		"{preset: connectx-default, min_rate: 1Gb/s}", "{preset: dcqcn-sigcomm15}", "{preset: connectx-default}", "{algorithm: hpcc}",
		"{algorithm: dctcp}", "{algorithm: swift}", "{algorithm: timely}") + "\n"
	yaml += "transport: {receiver: direct}\njob:\n  flows:\n"
	pattern := of("incast", "permutation", "any")
	for from := range hosts {
		to := (from + between(1, hosts-1)) % hosts
		switch pattern {
		case "incast":
			if to = 0; from == 0 {
				continue
			}
		case "permutation":
			to = (from + per) % hosts
		}
		if to != from {
			yaml += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, bytes: %dkB}\n", from+1, to+1, between(16, 2000))
		}
	}
	if pattern == "permutation" && per%hosts == 0 {
		yaml += "    - {from: host1/gpu0, to: host2/gpu0, bytes: 1MB}\n"
	}
	return yaml
}

// megabytes is a buffer: 16, 32 or 64 MB.
func megabytes(random *splitmix.Stream) int { return 16 << (random.Next() % 3) }
