package board

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// A way between parts is directed links in order: 2l is Links[l] from its A to its B, 2l+1 back.

// Way returns the way that bytes of PCIe take from a part to another: of those with the fewest links the one whose slowest
// link is fastest, then the first. It passes PCIe switches and CPUs; NVLink between GPUs is no part of it, C2C is. Nil:
// there is none.
func (b *Board) Way(from, to int) []int32 {
	type reached struct {
		by   int32 // directed link
		from int
		rate unit.Bitrate
	}
	at := map[int]reached{from: {by: -1, rate: 1 << 62}}
	for level := []int{from}; len(level) > 0 && at[to] == (reached{}); {
		next := map[int]reached{}
		var order []int
		for _, p := range level {
			for l := range b.Links {
				d, other, ok := b.onward(l, p, from)
				if _, before := at[other]; !ok || before {
					continue
				}
				r := reached{d, p, min(at[p].rate, b.Links[l].whole())}
				if was, twice := next[other]; !twice {
					order = append(order, other)
				} else if r.rate <= was.rate {
					continue
				}
				next[other] = r
			}
		}
		for _, p := range order {
			at[p] = next[p]
		}
		level = order
	}
	var way []int32
	for p := to; p != from; p = at[p].from {
		if _, ok := at[p]; !ok {
			return nil
		}
		way = append(way, at[p].by)
	}
	slices.Reverse(way)
	return way
}

// onward is where link l leads to from a part on a way from another, and in which direction.
func (b *Board) onward(l, part, from int) (directed int32, other int, ok bool) {
	link := &b.Links[l]
	switch part {
	case link.A:
		directed, other = int32(2*l), link.B
	case link.B:
		directed, other = int32(2*l+1), link.A
	default:
		return 0, 0, false
	}
	kinds := [2]Kind{b.Parts[part].Kind, b.Parts[other].Kind}
	ends := func(k Kind) bool { return k == GPU || k == NIC }
	return directed, other, kinds[1] != NVSwitch && (part == from || !ends(kinds[0])) && kinds != [2]Kind{GPU, GPU}
}

// Bridged reports which GPUs reach which others by NVLink or the like: over links between GPUs, and NVSwitches. By index into
// gpus, which are parts.
func (b *Board) Bridged(gpus []int) [][]bool {
	near := map[int][]int{}
	for _, l := range b.Links {
		onNVLink := func(part int) bool { return b.Parts[part].Kind == GPU || b.Parts[part].Kind == NVSwitch }
		if onNVLink(l.A) && onNVLink(l.B) {
			near[l.A], near[l.B] = append(near[l.A], l.B), append(near[l.B], l.A)
		}
	}
	all := make([][]bool, len(gpus))
	for i, gpu := range gpus {
		reached := map[int]bool{gpu: true}
		for next := []int{gpu}; len(next) > 0; next = next[1:] {
			for _, other := range near[next[0]] {
				if !reached[other] {
					reached[other] = true
					next = append(next, other)
				}
			}
		}
		for _, other := range gpus {
			all[i] = append(all[i], reached[other])
		}
	}
	return all
}

// whole is the rate of all links of an entry, each way; 0: unknown.
func (l *Link) whole() unit.Bitrate { return unit.Bitrate(l.Count) * l.Rate }

// LinkNames are the names of the directed links, as ways count them: from/to, and #2 behind that of the second between two
// parts.
func (b *Board) LinkNames() []string {
	names := make([]string, 0, 2*len(b.Links))
	seen := map[[2]int]int{}
	for _, l := range b.Links {
		ends := [2]int{min(l.A, l.B), max(l.A, l.B)}
		seen[ends]++
		more := ""
		if n := seen[ends]; n > 1 {
			more = fmt.Sprintf("#%d", n)
		}
		from, to := b.Parts[l.A].Name, b.Parts[l.B].Name
		names = append(names, from+"/"+to+more, to+"/"+from+more)
	}
	return names
}
