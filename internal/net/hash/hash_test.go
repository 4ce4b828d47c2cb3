package hash

import (
	"encoding/binary"
	"math"
	"testing"

	"railyard/internal/base/splitmix"
)

// Check values of the catalogue of CRC algorithms (CRC-16/XMODEM, CRC-16/IBM-3740, CRC-32/ISO-HDLC).
func TestCheckValuesOfCRCs(t *testing.T) {
	check := []byte("123456789")
	if got := CRC16(0, check); got != 0x31c3 {
		t.Errorf("CRC-16 from 0: %#x", got)
	}
	if got := CRC16(0xffff, check); got != 0x29b1 {
		t.Errorf("CRC-16 from 0xffff: %#x", got)
	}
	if got := CRC32(0, check); got != 0xcbf43926 {
		t.Errorf("CRC-32: %#x", got)
	}
	if got := XOR([]byte{0x12, 0x34, 0x56, 0x78, 0x9a}); got != 0x1234^0x5678^0x009a {
		t.Errorf("xor: %#x", got)
	}
}

// Microsoft, "Verifying the RSS hash calculation": IPv4, alone and with TCP.
func TestMicrosoftsToeplitzHashes(t *testing.T) {
	ip := func(a, b, c, d byte) uint32 { return binary.BigEndian.Uint32([]byte{a, b, c, d}) }
	for _, c := range []struct {
		f            Flow
		alone, ports uint32
	}{
		{Flow{SrcIP: ip(66, 9, 149, 187), DstIP: ip(161, 142, 100, 80), SrcPort: 2794, DstPort: 1766}, 0x323e8fc2, 0x51ccc178},
		{Flow{SrcIP: ip(199, 92, 111, 2), DstIP: ip(65, 69, 140, 83), SrcPort: 14230, DstPort: 4739}, 0xd718262a, 0xc626b0ea},
		{Flow{SrcIP: ip(24, 19, 198, 95), DstIP: ip(12, 22, 207, 184), SrcPort: 12898, DstPort: 38024}, 0xd2d0a5de, 0x5c2b394a},
	} {
		b := c.f.bytes(false)
		if got := Toeplitz(RSSKey[:], b[:8]); got != c.alone {
			t.Errorf("%v, addresses: %#x, want %#x", c.f, got, c.alone)
		}
		if got := Functions["toeplitz"](c.f, false, 0); got != uint64(c.ports) {
			t.Errorf("%v, with ports: %#x, want %#x", c.f, got, c.ports)
		}
	}
}

// flows are n flows between two NICs that differ in the source port, or with ports equal in the
// queue pair.
func flows(n int, ports bool) []Flow {
	all := make([]Flow, n)
	for i := range all {
		all[i] = Flow{SrcIP: 0x0a000001, DstIP: 0x0a000002, SrcPort: 0xc000, DstPort: 4791, Protocol: UDP, QP: 17}
		if ports {
			all[i].SrcPort |= uint16(splitmix.Mix(uint64(i)) & 0x3fff)
		} else {
			all[i].QP = uint32(i)
		}
	}
	return all
}

// Every function uses every field that it is told to, and no other.
func TestFieldsThatCount(t *testing.T) {
	base := Flow{SrcIP: 0x0a000001, DstIP: 0x0a000102, SrcPort: 0xc123, DstPort: 4791, Protocol: UDP, QP: 5}
	fields := []struct {
		name   string
		change func(*Flow)
	}{
		{"source address", func(f *Flow) { f.SrcIP++ }},
		{"destination address", func(f *Flow) { f.DstIP += 256 }},
		{"source port", func(f *Flow) { f.SrcPort ^= 64 }},
		{"destination port", func(f *Flow) { f.DstPort++ }},
		{"protocol", func(f *Flow) { f.Protocol = 6 }},
		{"queue pair", func(f *Flow) { f.QP ^= 1 << 20 }},
	}
	for name := range Functions {
		for _, qp := range []bool{false, true} {
			c := Config{Function: name, QP: qp, Seed: 1}
			for _, field := range fields {
				f := base
				field.change(&f)
				want := true
				switch field.name {
				case "queue pair":
					want = qp
				case "protocol":
					want = name != "toeplitz"
				}
				if got := c.Hash(f, 0) != c.Hash(base, 0); got != want {
					t.Errorf("%s, queue pair %v: %s has a say: %v, want %v", name, qp, field.name, got, want)
				}
			}
		}
	}
}

// Each function spreads many flows over links, whatever tells them apart.
func TestFunctionsSpread(t *testing.T) {
	for name := range Functions {
		for _, ports := range []bool{true, false} {
			for _, links := range []int{2, 3, 4, 8} {
				c := Config{Function: name, QP: true, Seed: 3}
				on := make([]int, links)
				for _, f := range flows(4096, ports) {
					on[c.Pick(f, 7, links)]++
				}
				for i, n := range on {
					if mean := 4096 / links; n < mean*3/4 || n > mean*5/4 {
						t.Errorf("%s over %d links: %d on link %d, want about %d", name, links, n, i, mean)
					}
				}
			}
		}
	}
}

// reached counts the links of a second tier that get flows of one link of the first, both with as
// many links.
func reached(c Config, links int) int {
	used := map[int]bool{}
	for _, f := range flows(4096, true) {
		if c.Pick(f, 0, links) == 0 {
			used[c.Pick(f, 1, links)] = true
		}
	}
	return len(used)
}

// Polarisation: with one seed in both tiers the second sends all that one link of the first brings to one
// link. Another seed cures that, but not of a linear hash: there it is still one link of 2^k, only
// another.
func TestSeedOfALinearHashCuresNothing(t *testing.T) {
	for name := range Functions {
		for _, links := range []int{2, 4, 8, 16} {
			same := Config{Function: name, Seed: 5}
			if got := reached(same, links); got != 1 {
				t.Errorf("%s, one seed: a second tier of %d links uses %d, want 1", name, links, got)
			}
			own := Config{Function: name, PerSwitch: true, Seed: 5}
			want := links
			if Linear[name] {
				want = 1
			}
			if got := reached(own, links); got != want {
				t.Errorf("%s, a seed for each switch: a second tier of %d links uses %d, want %d", name, links, got, want)
			}
		}
	}
	// Of six links it helps: what is XORed carries into the remainder.
	if got := reached(Config{Function: "crc16", PerSwitch: true, Seed: 5}, 6); got == 1 {
		t.Error("crc16 over 6 links: 1 used, want more")
	}
	if same, own := (Config{Seed: 5}).SeedOf(1), (Config{PerSwitch: true, Seed: 5}).SeedOf(1); same == own {
		t.Errorf("seed of switch 1: %#x in both ways", same)
	}
}

// Toeplitz is linear too. It is another key that makes another hash of it: a seed that is hashed as one
// more field only XORs, as with the others, and cures nothing.
func TestSeedAsAFieldCuresNothing(t *testing.T) {
	for name, of := range map[string]func(b []byte) uint64{
		"crc16":    func(b []byte) uint64 { return uint64(CRC16(0xffff, b)) },
		"crc32":    func(b []byte) uint64 { return uint64(CRC32(0, b)) },
		"xor":      func(b []byte) uint64 { return uint64(XOR(b)) },
		"toeplitz": func(b []byte) uint64 { return uint64(Toeplitz(RSSKey[:], b)) },
	} {
		pick := func(f Flow, seed uint32, links int) int {
			return int(of(binary.BigEndian.AppendUint32(f.bytes(false), seed)) % uint64(links))
		}
		for _, links := range []int{2, 4, 8, 16} {
			for seed := range uint32(20) {
				used := map[int]bool{}
				for _, f := range flows(4096, true) {
					if pick(f, 0, links) == 0 {
						used[pick(f, 0x9e3779b9*seed, links)] = true
					}
				}
				if len(used) != 1 {
					t.Errorf("%s, seed %d as a field: a second tier of %d links uses %d, want 1", name, seed, links, len(used))
				}
			}
		}
	}
}

// The order of fields and the rounds are as they were when paths were first published.
func TestMixStays(t *testing.T) {
	f := Flow{SrcIP: 0x0a000001, DstIP: 0x0a000005, SrcPort: 0xc003, DstPort: 4791, Protocol: UDP, QP: 3}
	seed, at := uint64(42), 6
	h := splitmix.Mix(seed ^ uint64(at+1)*splitmix.Gamma)
	h = splitmix.Mix(h ^ (uint64(f.SrcIP)<<32 | uint64(f.DstIP)))
	h = splitmix.Mix(h ^ (uint64(f.SrcPort)<<16 | uint64(f.DstPort)))
	if got := (Config{Function: "mix", PerSwitch: true, Seed: seed}).Hash(f, at); got != h {
		t.Errorf("%#x, want %#x", got, h)
	}
}

// Chances of the fullest link against all ways to lay flows on links, one by one.
func TestChancesAgainstEveryWay(t *testing.T) {
	for _, c := range []struct{ flows, links int }{{1, 1}, {3, 1}, {1, 4}, {4, 2}, {5, 3}, {8, 4}, {6, 5}} {
		count, ways := make([]float64, c.flows+1), 1
		for range c.flows {
			ways *= c.links
		}
		used, room := 0.0, float64(c.flows)/float64(c.links)
		for way := range ways {
			on, fullest := make([]int, c.links), 0
			for w, i := way, 0; i < c.flows; i++ {
				on[w%c.links]++
				w /= c.links
			}
			for _, n := range on {
				fullest = max(fullest, n)
				used += min(float64(n), room) / float64(c.flows) / float64(ways)
			}
			count[fullest]++
		}
		for m, p := range Fullest(c.flows, c.links) {
			if want := count[m] / float64(ways); math.Abs(p-want) > 1e-12 {
				t.Errorf("%d flows, %d links, fullest %d: %v, want %v", c.flows, c.links, m, p, want)
			}
		}
		if got := Expect(c.flows, c.links, room).Used; math.Abs(got-used) > 1e-12 {
			t.Errorf("%d flows, %d links: %v used, want %v", c.flows, c.links, got, used)
		}
	}
}

// Eight elephants over four spines that carry two each: 6 or more on one spine are rare.
func TestEightElephants(t *testing.T) {
	e, six := Expect(8, 4, 2), 0.0
	for _, p := range Fullest(8, 4)[6:] {
		six += p
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"six or more on one", six, 0.017}, {"fullest", e.Fullest, 3.54}, {"used", e.Used, 0.77}, {"slowest", e.Slowest, 0.59},
	} {
		if math.Abs(c.got-c.want) > 0.005 {
			t.Errorf("%s: %.4f, want %v", c.what, c.got, c.want)
		}
	}
}

func TestLargestChancesAreFinite(t *testing.T) {
	for _, links := range []int{1, 2, 64, MaxFlows} {
		sum := 0.0
		for _, p := range Fullest(MaxFlows, links) {
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%d flows over %d links: chances sum to %v", MaxFlows, links, sum)
		}
	}
}
