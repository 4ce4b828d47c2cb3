package run

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
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

// A matrix is played as it stands: whichever way, what ranks of one host have for those of another goes between these hosts, and by
// rails and straight each two ranks exchange what stands there, to the byte. What a rank has for none is not sent.
func TestAMatrixIsPlayed(t *testing.T) {
	const ranks, gpus = 12, 4
	blocks := make([]int64, ranks*ranks)
	for i := range blocks {
		blocks[i] = int64(i*i%17) * 404 * 4
	}
	for _, algorithm := range []string{"direct", "pairwise", "rails", "two-level"} {
		row := "op: all-to-all, bytes: 4B, protocol: none, channels: 2, iterations: 1, warmup: 0, algorithm: " + algorithm
		r := run(t, benchmark(ranks/gpus, "100Gb/s", row), Options{Blocks: blocks})
		pairs, hosts, want := map[string]int64{}, map[string]int64{}, map[string]int64{}
		for _, f := range rows(t, r.Run.Flows()) {
			if f.Bytes > 4 { // which a barrier sends
				from, _, _ := strings.Cut(f.Src, "/")
				to, _, _ := strings.Cut(f.Dst, "/")
				pairs[f.Src+" "+f.Dst] += int64(f.Bytes)
				hosts[from+" "+to] += int64(f.Bytes)
			}
		}
		for i, n := range blocks {
			a, b := i/ranks, i%ranks
			from, to := fmt.Sprintf("host%d", a/gpus+1), fmt.Sprintf("host%d", b/gpus+1)
			if from == to {
				continue
			}
			want[from+" "+to] += n
			pair := fmt.Sprintf("%s/gpu%d %s/gpu%d", from, a%gpus, to, b%gpus)
			if algorithm != "two-level" && pairs[pair] != n {
				t.Errorf("%s: %s sent %d bytes, want %d", algorithm, pair, pairs[pair], n)
			}
		}
		if len(hosts) != 6 || !maps.Equal(hosts, want) {
			t.Errorf("%s: %v, want %v", algorithm, hosts, want)
		}
	}
}

// Rows of one size have one name, and each is judged by its own time.
func TestRowsOfOneSizeAreJudgedByTheirOwnTime(t *testing.T) {
	row := "op: all-to-all, bytes: 8MiB, iterations: 1, warmup: 0, algorithm: "
	rows := benchmark(3, "100Gb/s", row+"rails", row+"pairwise")
	r := run(t, strings.Replace(rows, "job:", "job:\n  collective: {exit: own}", 1), Options{})
	found := false
	for i := range r.Diagnosis.Findings {
		f := &r.Diagnosis.Findings[i]
		if f.Noun != noun.WrongAlgorithm {
			continue
		}
		found = true
		took, said := r.Collectives[1].Time.Seconds(), f.Evidence[0].Value
		if !strings.HasPrefix(f.By, "pairwise") || said > took || said < took/2 {
			t.Errorf("%s: %+v, rows took %v and %v", f.By, f.Evidence, r.Collectives[0].Time, r.Collectives[1].Time)
		}
	}
	if !found || r.Collectives[0].Time > r.Collectives[1].Time {
		t.Errorf("%v: rows took %v and %v", found, r.Collectives[0].Time, r.Collectives[1].Time)
	}
}
