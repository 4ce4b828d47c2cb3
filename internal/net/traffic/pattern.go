package traffic

import (
	"math/bits"
	"slices"

	"railyard/internal/base/splitmix"
)

// A Stream is random bits for one list of flows.
type Stream struct{ splitmix.Stream }

// NewStream derives the stream of a name from a seed.
func NewStream(seed uint64, name string) *Stream {
	h := splitmix.Mix(seed + splitmix.Gamma)
	for i := range len(name) {
		h = splitmix.Mix(h ^ uint64(name[i])*splitmix.Gamma)
	}
	return &Stream{splitmix.Stream(splitmix.Mix(h ^ splitmix.Gamma))}
}

// Below returns a number in [0, n).
func (s *Stream) Below(n int) int {
	hi, _ := bits.Mul64(s.Next(), uint64(n))
	return int(hi)
}

// A Pair is a sender and a receiver, as indices of ends.
type Pair struct{ From, To int }

// A Cross is every sender with every receiver that is on another host.
type Cross struct {
	From, To []int // hosts of the ends, by end
}

// Len is how many pairs there are.
func (c Cross) Len() int {
	receivers := map[int]int{}
	for _, host := range c.To {
		receivers[host]++
	}
	n := 0
	for _, host := range c.From {
		n += len(c.To) - receivers[host]
	}
	return n
}

// All returns all pairs, by sender and then by receiver.
func (c Cross) All() []Pair {
	all := make([]Pair, 0, c.Len())
	for i, from := range c.From {
		for k, to := range c.To {
			if from != to {
				all = append(all, Pair{i, k})
			}
		}
	}
	return all
}

// One draws a pair, each alike. There must be one.
func (c Cross) One(r *Stream) Pair {
	for {
		p := Pair{r.Below(len(c.From)), r.Below(len(c.To))}
		if c.From[p.From] != c.To[p.To] {
			return p
		}
	}
}

// Some draws n of Len pairs without repetition, in the order of All.
func (c Cross) Some(r *Stream, n int) []Pair {
	length := c.Len()
	if 2*n >= length {
		return Some(r, c.All(), n)
	}
	taken := make(map[Pair]bool, n)
	for len(taken) < n {
		taken[c.One(r)] = true
	}
	some := make([]Pair, 0, n)
	for p := range taken {
		some = append(some, p)
	}
	slices.SortFunc(some, func(a, b Pair) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
	return some
}

// Some draws n entries without repetition and keeps their order: Floyd's sample.
func Some(r *Stream, all []Pair, n int) []Pair {
	n = min(n, len(all))
	taken := make([]bool, len(all))
	for k := len(all) - n; k < len(all); k++ {
		i := r.Below(k + 1)
		if taken[i] {
			i = k
		}
		taken[i] = true
	}
	some := make([]Pair, 0, n)
	for i, p := range all {
		if taken[i] {
			some = append(some, p)
		}
	}
	return some
}

// Permutation draws one in which no end sends to its own host; hosts has that of each end. nil: there is none, for more
// than half of the ends are on one host.
//
// Orders are drawn until one has no such end, each then alike. With many ends on a host that is rare: after some draws
// the last one is mended, and then changed at random as often as makes it one of many.
func Permutation(r *Stream, hosts []int) []Pair {
	count := map[int]int{}
	for _, h := range hosts {
		if count[h]++; 2*count[h] > len(hosts) {
			return nil
		}
	}
	to := make([]int, len(hosts))
	within := func(i int) bool { return hosts[to[i]] == hosts[i] }
	whole, draws := false, 20
	if len(count) < len(hosts) && len(hosts) > 64 { // one in some thousands is right
		draws = 1
	}
	for ; draws > 0 && !whole; draws-- {
		for i := range to {
			k := r.Below(i + 1)
			to[i], to[k] = to[k], i
		}
		whole = true
		for i := range to {
			whole = whole && !within(i)
		}
	}
	if !whole {
		mend(r, hosts, to)
		for range 32 * len(to) {
			i, j := r.Below(len(to)), r.Below(len(to))
			if to[i], to[j] = to[j], to[i]; within(i) || within(j) {
				to[i], to[j] = to[j], to[i]
			}
		}
	}
	all := make([]Pair, len(hosts))
	for i := range to {
		all[i] = Pair{i, to[i]}
	}
	return all
}

// mend makes an order one without an end that sends within its host. An end i that sends within host A changes its
// receiver with an end j that is not on A and does not send to A. As at most half of the ends are on A, and at most half
// send to A, and i does both, there is a j; after it i and j are right, whatever j was before.
func mend(r *Stream, hosts, to []int) {
	n := len(to)
	for i := range to {
		if hosts[to[i]] != hosts[i] {
			continue
		}
		for step, j := 0, r.Below(n); step < n; step, j = step+1, (j+1)%n {
			if hosts[j] != hosts[i] && hosts[to[j]] != hosts[i] {
				to[i], to[j] = to[j], to[i]
				break
			}
		}
	}
}

// Gap draws the time to the next arrival of a Poisson process, where mean is the mean time: an exponential variate by
// von Neumann's comparisons. Of a falling run of numbers the first is the fraction if the run is of odd length; else the
// whole part grows by one and another run is drawn.
func Gap(r *Stream, mean uint64) uint64 {
	for periods := uint64(0); ; periods++ {
		first, odd := r.Next(), true
		for last := first; ; odd = !odd {
			next := r.Next()
			if next >= last {
				break
			}
			last = next
		}
		if odd {
			part, _ := bits.Mul64(first, mean)
			return periods*mean + part
		}
	}
}
