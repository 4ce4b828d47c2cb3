package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// sprayed is four hosts that send across eight spines, one of which is in trouble.
const sprayed = `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 8, links: {spine: 100Gb/s%s}}
congestion: {algorithm: %s}
transport: {receiver: direct, timeout: 100us, retries: 100, entropy: %s}
%s
job:
  flows:
    - {from: host1/gpu0, to: host5/gpu0, bytes: 3MB}
    - {from: host2/gpu0, to: host6/gpu0, bytes: 3MB}
    - {from: host3/gpu0, to: host7/gpu0, bytes: 3MB}
    - {from: host4/gpu0, to: host8/gpu0, bytes: 3MB}
`

// wireTimes is the time of the slowest message, over what it takes at the rate of a link.
func wireTimes(t *testing.T, r ran) float64 {
	t.Helper()
	worst := unit.Duration(0)
	for _, f := range timesOf(t, r) {
		worst = max(worst, f.FCT)
	}
	return float64(worst) / float64((100 * unit.GigabitPerSec).TransmitTime(3*unit.Megabyte))
}

// REPS (arXiv 2407.21625): senders that use the entropies of unmarked packets again keep away from a slow link and from a
// dead one, while those that draw keep hitting them. The bytes do not depend on the partition.
func TestRecycledEntropiesKeepAway(t *testing.T) {
	const slow = ", named: [{link: leaf1/spine3, rate: 25Gb/s}]"
	const dead = "faults: [{link: leaf1/spine3, at: 20us, down: 50ms, convergence: never}]"
	for _, c := range []struct {
		links, control, faults string
		recycled, random       float64 // at most, at least
	}{
		{slow, "dctcp", "", 1.1, 1.3},
		{slow, "dcqcn", "", 1.1, 1.3},
		{"", "dctcp", dead, 2, 4},
	} {
		yaml := func(entropy string) string { return fmt.Sprintf(sprayed, c.links, c.control, entropy, c.faults) }
		recycled := run(t, yaml("recycled"), Options{})
		if got := wireTimes(t, recycled); got > c.recycled {
			t.Errorf("%s %s %s: recycled takes %.2f times the link's time, want at most %v", c.control, c.links, c.faults, got,
				c.recycled)
		}
		got := wireTimes(t, run(t, yaml("random"), Options{}))
		t.Logf("%s %s %s: random %.2f, recycled %.2f", c.control, c.links, c.faults, got, wireTimes(t, recycled))
		if got < c.random {
			t.Errorf("%s %s %s: random takes %.2f times the link's time, want at least %v", c.control, c.links, c.faults, got,
				c.random)
		}
		other := run(t, yaml("recycled"), Options{Islands: 5, Workers: 3})
		if digestOf(t, other.path) != digestOf(t, recycled.path) {
			t.Error(firstDifference(t, other.path, recycled.path))
		}
	}
}

// HPCC keeps telemetry by path: where each packet takes another way, by the switches' choice or the sender's, queue pairs
// that have the network for themselves keep their rate, and one that shares a slow link with others is held back. One state
// for all paths would take the counters of one port for those of another.
func TestHPCCOverSeveralPaths(t *testing.T) {
	for _, c := range []struct {
		balance, transport string
		low, high          float64 // the slowest message, in times of the link's
	}{
		{", balance: spray", "transport: {receiver: direct}", 1, 1.15},
		{"", "transport: {receiver: direct, entropy: recycled}", 1, 1.3},
	} {
		yaml := fmt.Sprintf(sprayed, "}"+c.balance+", hash: {seed: same", "hpcc", "flow", "")
		yaml = strings.Replace(yaml, "transport: {receiver: direct, timeout: 100us, retries: 100, entropy: flow}", c.transport, 1)
		r := run(t, yaml, Options{})
		if got := wireTimes(t, r); got < c.low || got > c.high {
			t.Errorf("%s %s: the slowest takes %.3f times the link's time, want %v to %v", c.balance, c.transport, got, c.low, c.high)
		}
		t.Logf("%s %s: %.3f", c.balance, c.transport, wireTimes(t, r))
		other := run(t, yaml, Options{Islands: 5, Workers: 3})
		if digestOf(t, other.path) != digestOf(t, r.path) {
			t.Error(firstDifference(t, other.path, r.path))
		}
	}
}
