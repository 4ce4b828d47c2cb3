package traffic

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

// What is drawn from a distribution has its mean and its points; the mean in its text is the mean.
func TestDistributions(t *testing.T) {
	const n = 2_000_000
	for _, d := range Distributions {
		r, sum, below := NewStream(7, d.Name), 0.0, make([]int, len(d.points))
		for range n {
			v := d.Draw(r.Next())
			sum += float64(v)
			for k, p := range d.points {
				if v < p.bytes {
					below[k]++
				}
			}
		}
		if mean := float64(d.Mean()); math.Abs(sum/n/mean-1) > 0.01 {
			t.Errorf("%s: drawn mean %.0f, want %.0f", d.Name, sum/n, mean)
		}
		if human := fmt.Sprintf("mean %s", rounded(d.Mean())); !strings.Contains(d.Meaning, human) {
			t.Errorf("%s: %q does not say %q", d.Name, d.Meaning, human)
		}
		for k, p := range d.points {
			if got, want := float64(below[k])/n, float64(p.part)/whole; math.Abs(got-want) > 0.002 {
				t.Errorf("%s: %.4f below %d bytes, want %.4f", d.Name, got, p.bytes, want)
			}
		}
		if last := d.points[len(d.points)-1]; d.Draw(0) != 1 || d.Draw(math.MaxUint64) > last.bytes {
			t.Errorf("%s: from %d to %d bytes, want 1 to %d", d.Name, d.Draw(0), d.Draw(math.MaxUint64), last.bytes)
		}
	}
}

// rounded is a mean in two digits, as a sentence has it.
func rounded(bytes uint64) string {
	step := uint64(1000)
	if bytes >= 1_000_000 {
		step = 100_000
	}
	return unit.Bytes((bytes + step/2) / step * step).Human()[:3]
}

// Times between arrivals are exponential: mean, variance, and the part that is longer than some times the mean.
func TestGap(t *testing.T) {
	const n, mean = 1_000_000, 1_000_000
	r, sum, squares, longer := NewStream(3, "gap"), 0.0, 0.0, [6]int{}
	for range n {
		g := float64(Gap(r, mean)) / mean
		sum, squares = sum+g, squares+g*g
		for k := range longer {
			if g > float64(k)/2 {
				longer[k]++
			}
		}
	}
	if m, v := sum/n, squares/n-sum/n*sum/n; math.Abs(m-1) > 0.005 || math.Abs(v-1) > 0.02 {
		t.Errorf("mean %.4f, variance %.4f, want 1 and 1", m, v)
	}
	for k, c := range longer {
		if got, want := float64(c)/n, math.Exp(-float64(k)/2); math.Abs(got-want) > 0.002 {
			t.Errorf("%.4f are longer than %.1f, want %.4f", got, float64(k)/2, want)
		}
	}
}

// A permutation has each end once on each side and no pair within a host, wherever there is one.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 30).Draw(t, "hosts")
		most := 0
		for _, h := range hosts {
			n := 0
			for _, o := range hosts {
				if o == h {
					n++
				}
			}
			most = max(most, n)
		}
		got := Permutation(NewStream(rapid.Uint64().Draw(t, "seed"), "p"), hosts)
		if 2*most > len(hosts) {
			if got != nil {
				t.Fatalf("%v of %v, which has none", got, hosts)
			}
			return
		}
		to := make([]bool, len(hosts))
		for i, p := range got {
			if p.From != i || to[p.To] || hosts[p.From] == hosts[p.To] {
				t.Fatalf("%v of hosts %v", got, hosts)
			}
			to[p.To] = true
		}
		if len(got) != len(hosts) {
			t.Fatalf("%d of %d", len(got), len(hosts))
		}
	})
}

// Every permutation without a fixed point is drawn, each about alike.
func TestPermutationsAreDrawnAlike(t *testing.T) {
	seen := map[string]int{}
	const n = 90_000
	for i := range n {
		seen[fmt.Sprint(Permutation(NewStream(uint64(i), "p"), []int{0, 1, 2, 3}))]++
	}
	if len(seen) != 9 {
		t.Fatalf("%d kinds, want the 9 without a fixed point: %v", len(seen), seen)
	}
	for k, c := range seen {
		if c < n/9*7/10 || c > n/9*13/10 {
			t.Errorf("%s: %d of %d, want about a ninth", k, c, n)
		}
	}
}

// Pairs that are drawn are among all, each once, in their order; a draw by rejection has the same property as one from the
// list, and each pair comes as often.
func TestSome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ends := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 12)
		c := Cross{ends.Draw(t, "from"), ends.Draw(t, "to")}
		all := c.All()
		if len(all) != c.Len() {
			t.Fatalf("%d pairs, Len says %d", len(all), c.Len())
		}
		n := rapid.IntRange(0, len(all)).Draw(t, "n")
		some := c.Some(NewStream(rapid.Uint64().Draw(t, "seed"), "s"), n)
		if len(some) != n {
			t.Fatalf("%d, want %d", len(some), n)
		}
		last := -1
		for _, p := range some {
			i := slices.Index(all, p)
			if i <= last {
				t.Fatalf("%v of %v: not in order, or not among them", some, all)
			}
			last = i
		}
	})
	c, count := Cross{[]int{0, 1, 2, 3}, []int{0, 1, 2, 3}}, map[Pair]int{}
	for seed := range uint64(12_000) {
		for _, p := range c.Some(NewStream(seed, "s"), 2) {
			count[p]++
		}
	}
	for p, n := range count {
		if len(count) != 12 || n < 1800 || n > 2200 {
			t.Errorf("%v comes %d times of 12,000, want about 2,000", p, n)
		}
	}
}

// Ends that send within their host get another receiver, and all keep one of their own.
func TestMendSendsToOtherHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "hosts")
		var hosts, to []int
		for h := range n {
			hosts = append(hosts, h, h)
			to = append(to, 2*h+1, 2*h) // each to its neighbour on the host
		}
		mend(NewStream(rapid.Uint64().Draw(t, "seed"), "mend"), hosts, to)
		for i, j := range to {
			if hosts[i] == hosts[j] {
				t.Fatalf("end %d sends to %d, of the same host: %v", i, j, to)
			}
		}
		all := slices.Clone(to)
		slices.Sort(all)
		for i, j := range all {
			if i != j {
				t.Fatalf("not each end receives once: %v", to)
			}
		}
	})
}
