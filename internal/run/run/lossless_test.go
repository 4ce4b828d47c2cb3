package run

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
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

// What arrives after a pause was asked for comes at the rate of the other end: headroom of a port's own rate dropped 252 packets.
func TestHeadroomIsOfWhatArrives(t *testing.T) {
	const yaml = `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
congestion: {algorithm: none}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  links: {named: [{link: leaf1/spine*, sender: leaf1, rate: RATE}]}
job: {flows: [{from: host1/gpu0, to: host5/gpu0, bytes: 8MB}, {from: host2/gpu0, to: host5/gpu0, bytes: 8MB},
  {from: host3/gpu0, to: host5/gpu0, bytes: 8MB}, {from: host4/gpu0, to: host5/gpu0, bytes: 8MB}]}
`
	for _, rate := range []string{"20Gb/s", "1Tb/s"} {
		if r := run(t, strings.Replace(yaml, "RATE", rate, 1), Options{}); r.Drops > 0 {
			t.Errorf("%s: %d packets were dropped under PFC", rate, r.Drops)
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
	yaml += fmt.Sprintf("fabric:\n  switch: {buffer: %dMB}\n  links: {length: %dmNAMED", megabytes(&random), between(2, 300))
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
	named := ""
	if leaves > 1 && between(0, 2) > 0 {
		named = fmt.Sprintf(", named: [{link: leaf%d/spine1, sender: %s, rate: %dGb/s}, {link: host%d/leaf1, sender: leaf1, rate: %dGb/s}]",
			leaves, of("spine1", fmt.Sprintf("leaf%d", leaves)), between(1, 80)*10, between(1, per), between(1, 80)*10)
	}
	return strings.Replace(yaml, "NAMED", named, 1)
}

// megabytes is a buffer: 16, 32 or 64 MB.
func megabytes(random *splitmix.Stream) int { return 16 << (random.Next() % 3) }
