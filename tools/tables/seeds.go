package main

import (
	"context"
	"fmt"

	"railyard/internal/base/splitmix"
	"railyard/internal/net/hash"
)

// seeds is what a seed of its own cures in the second of two tiers, function by function.
var seeds = table{
	name: "seeds", doc: "docs/balancing.md",
	head: []string{"function", "one seed, of 4", "own seed, of 4", "own seed, of 16", "own seed, of 6"},
	rows: len(seeded),
	row: func(_ context.Context, i int) ([]string, error) {
		s := seeded[i]
		row := []string{s.name, fmt.Sprint(s.reached(0, 4))}
		for _, links := range []int{4, 16, 6} {
			row = append(row, fmt.Sprint(s.reached(1, links)))
		}
		return row, nil
	},
}

// A seeding is a function and what the seed of a switch does to it.
type seeding struct{ name, function string }

// xored is a function whose seed does nothing but XOR a constant to what it computes with seed 0.
const xored = "toeplitz, seed hashed as a field"

var seeded = []seeding{
	{"`crc16`", "crc16"}, {"`crc32`", "crc32"}, {"`xor`", "xor"}, {xored, "toeplitz"}, {"`toeplitz`", "toeplitz"}, {"`mix`", "mix"},
}

// pick is the link that a flow takes at a switch with that seed.
func (s seeding) pick(f hash.Flow, seed uint64, links int) int {
	seed = splitmix.Mix(seed)
	if s.name == xored {
		return int((hash.Functions[s.function](f, false, 0) ^ seed&0xffff_ffff) % uint64(links))
	}
	return int(hash.Functions[s.function](f, false, seed) % uint64(links))
}

// reached counts the links of a second tier with that seed that get flows of the first link of the first
// tier, which has seed 0 and as many links.
func (s seeding) reached(seed uint64, links int) (n int) {
	const flows = 4096
	took := make([]bool, links)
	for i := range flows {
		f := hash.Flow{SrcIP: 0x0a000001, DstIP: 0x0a000002, SrcPort: 0xc000 | uint16(splitmix.Mix(uint64(i))&0x3fff),
			DstPort: 4791, Protocol: hash.UDP}
		if s.pick(f, 0, links) == 0 {
			took[s.pick(f, seed, links)] = true
		}
	}
	for _, t := range took {
		if t {
			n++
		}
	}
	return n
}
