package run

import (
	"strings"
	"testing"

	"railyard/internal/unit"
)

// By rails, and in two levels, nothing of an all-to-all crosses a spine; straight and by each rank's own NIC all does that is for
// another rail. Whichever way, a host sends what its ranks have for the others, to the byte; whatever the sizes.
func TestWaysOfAnAllToAll(t *testing.T) {
	const hosts, gpus, iterations, bytes = 3, 4, 2, 12 << 15
	for _, c := range []struct {
		algorithm, more string
		spines          bool
	}{{"direct", "", true}, {"pairwise", "", true}, {"rails", "", false}, {"two-level", "", false},
		{"rails", ", skew: 4", false}, {"two-level", ", skew: 4", false}} {
		row := "op: all-to-all, bytes: 384KiB, protocol: none, channels: 1, iterations: 2, warmup: 0, algorithm: " + c.algorithm + c.more
		r := run(t, strings.Replace(benchmark(hosts, "100Gb/s", row), "job:", "job:\n  collective: {exit: own}", 1), Options{})
		sent, spines := map[string]unit.Bytes{}, unit.Bytes(0)
		for _, f := range rows(t, r.Run.Flows()) {
			if f.Bytes > 4 { // which a barrier sends
				host, _, _ := strings.Cut(f.Src, "/")
				sent[host] += f.Bytes
			}
		}
		for _, l := range rows(t, r.Links()) {
			if l.Tier == "spine" {
				spines += l.DataBytes
			}
		}
		if (spines > 1000) != c.spines { // tokens of a barrier cross them
			t.Errorf("%s: %s of data left spines", c.algorithm, spines)
		}
		// Of what a rank sends, rank 0 gets skew parts and each other one.
		parts, hot := int64(hosts*gpus), int64(1)
		if c.more != "" {
			parts, hot = parts+3, 4
		}
		for host, got := range sent {
			others := int64((hosts - 1) * gpus)
			if host != "host1" {
				others += hot - 1
			}
			want := bytes * iterations * gpus * others / parts
			near := (hot - 1) * 4 * iterations * gpus * others // a block of a skew is rounded to whole numbers
			if away := int64(got) - want; away < -near || away > near {
				t.Errorf("%s%s: %s sent %d bytes, want %d", c.algorithm, c.more, host, got, want)
			}
		}
		if len(sent) != hosts {
			t.Errorf("%s: %d hosts sent", c.algorithm, len(sent))
		}
	}
}
