package lab

import (
	"fmt"
	"strings"

	"railyard/internal/net/hash"
)

var elephantsBench = Bench{
	Meaning: "equal flows over equal links: what one way to lay them costs, and what a uniform hash gives on average",
	Params: []Param{
		{Name: "links", Meaning: "equal links, 2 to 64", Default: 4.0},
		{Name: "on", Meaning: "flows on each of them, as somebody drew them; the others have none", Default: []float64{6, 2}},
	},
	Run: runElephants,
}

func runElephants(a Args) (*Shown, error) {
	links, err := a.Whole("links", 2, 64)
	if err != nil {
		return nil, err
	}
	on, flows, fullest, used := a.List("on"), 0, 0, 0
	if len(on) > links {
		return nil, fmt.Errorf("on has %d links, want at most links, %d", len(on), links)
	}
	for _, v := range on {
		n := int(v)
		if v != float64(n) || n < 0 || flows+n > hash.MaxFlows {
			return nil, fmt.Errorf("on has %v flows on a link, want whole numbers that sum to at most %d", v, hash.MaxFlows)
		}
		flows, fullest = flows+n, max(fullest, n)
		if n > 0 {
			used++
		}
	}
	if flows == 0 {
		return nil, fmt.Errorf("on has no flows, want at least 1")
	}
	room, carried, parts := float64(flows)/float64(links), 0.0, []string{}
	for _, v := range on {
		carried += min(v, room)
		parts = append(parts, fmt.Sprintf("min(%v, %.3g)", v, room))
	}
	s := &Shown{}
	s.add("flows", float64(flows), "", "flows")
	s.add("room", room, fmt.Sprintf("%d / %d", flows, links), "flows that a link carries, if all links together carry all")
	s.add("idle", float64(links-used), fmt.Sprintf("%d - %d", links, used), "links without a flow")
	s.add("ratio", float64(fullest)/room, fmt.Sprintf("%d / %.3g", fullest, room), "the fullest link over the mean")
	s.addIn("%", "used", 100*carried/float64(flows), fmt.Sprintf("100 * (%s) / %d", strings.Join(parts, " + "), flows),
		"used capacity")
	s.addIn("%", "slowest", 100*min(1, room/float64(fullest)), fmt.Sprintf("100 * %.3g / %d", room, fullest),
		"what the slowest flow gets of its rate: it sets the step")
	t := Table{Name: "chances", Title: "By chance: flows on the fullest link",
		Columns: []string{"on the fullest", "chance %", "or more %", "slowest flow %"}}
	chance, rest := hash.Fullest(flows, links), 1.0
	atLeast := 0.0
	for m, p := range chance {
		if m >= fullest {
			atLeast += p
		}
		if m > 0 && rest > 1e-5 && p > 0 {
			t.Rows = append(t.Rows, []string{fmt.Sprint(m), fmt.Sprintf("%.2f", 100*p), fmt.Sprintf("%.2f", 100*rest),
				fmt.Sprintf("%.0f", 100*min(1, room/float64(m)))})
		}
		rest -= p
	}
	s.Tables = []Table{t}
	e := hash.Expect(flows, links, room)
	s.addIn("%", "rare", 100*atLeast, "", fmt.Sprintf("chance of %d flows or more on one link", fullest))
	s.add("mean_fullest", e.Fullest, "", "flows on the fullest link, mean")
	s.addIn("%", "mean_used", 100*e.Used, "", "used capacity, mean")
	s.addIn("%", "mean_slowest", 100*e.Slowest, "", "slowest flow, mean")
	return s, nil
}

var polarisationBench = Bench{
	Meaning: "four leaves, four spines, four switches above: a second choice by the hash of the first, and its cures",
	Params: []Param{
		{Name: "flows", Meaning: "of each leaf, 16 to 256", Default: 64.0},
		{Name: "seeds", Meaning: "over which means are taken, 1 to 200", Default: 50.0},
	},
	Run: runPolarisation,
}

// tierLinks is how many leaves there are, links of a leaf, and links of a spine.
const tierLinks = 4

// A cure is one thing that is changed about polarised tiers.
type cure struct {
	step, name string
	hash       hash.Config
	pairs      int  // queue pairs for each connection
	rotated    bool // leaf n names its spines from n on
}

var cures = []cure{
	{"same", "one hash, one seed", hash.Config{Function: "mix"}, 1, false},
	{"qp", "destination queue pair hashed too", hash.Config{Function: "mix", QP: true}, 1, false},
	{"pairs", "four queue pairs per connection", hash.Config{Function: "mix"}, 4, false},
	{"crc", "a seed for each switch, crc32", hash.Config{Function: "crc32", PerSwitch: true}, 1, false},
	{"seed", "a seed for each switch, mix", hash.Config{Function: "mix", PerSwitch: true}, 1, false},
	{"cabled", "each leaf cabled in another order", hash.Config{Function: "mix"}, 1, true},
	{"both", "and four queue pairs", hash.Config{Function: "mix", PerSwitch: true}, 4, false},
}

func runPolarisation(a Args) (*Shown, error) {
	flows, err := a.Whole("flows", 16, 256)
	if err != nil {
		return nil, err
	}
	seeds, err := a.Whole("seeds", 1, 200)
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	t := Table{Name: "cures", Title: fmt.Sprintf("Links from spines upwards, mean over %d seeds", seeds),
		Columns: []string{"what is changed", "used of 16", "carried %", "slowest flow %"}}
	for _, c := range cures {
		var all tierFigures
		for seed := range seeds {
			c.hash.Seed = uint64(seed + 1)
			f := c.spread(flows)
			all.used += f.used / float64(seeds)
			all.carried += f.carried / float64(seeds)
			all.slowest += f.slowest / float64(seeds)
		}
		t.Rows = append(t.Rows, []string{c.name, fmt.Sprintf("%.1f", all.used), fmt.Sprintf("%.0f", 100*all.carried),
			fmt.Sprintf("%.0f", 100*all.slowest)})
		s.add(c.step+"_used", all.used, "", c.name+": links used of 16")
		s.addIn("%", c.step+"_carried", 100*all.carried, "", c.name+": part of the demand that is carried")
	}
	s.Tables = []Table{t}
	return s, nil
}

type tierFigures struct{ used, carried, slowest float64 }

// spread lays the flows of four leaves on the links of both tiers. Links of a tier carry all flows when
// they are even.
func (c cure) spread(flows int) (f tierFigures) {
	const leaf1, spine1 = 0, tierLinks
	var up, above [tierLinks][tierLinks]float64 // by switch and link: flows
	type way struct{ leaf, link, spine, above int }
	var ways []way
	for i := range tierLinks * flows {
		for k := range c.pairs {
			n := i*c.pairs + k
			random := hash.Functions["mix"](hash.Flow{QP: uint32(n)}, true, 0)
			headers := hash.Flow{SrcIP: 0x0a000001 + uint32(i), DstIP: 0x0a010001 + uint32(i), SrcPort: 0xc000 | uint16(random&0x3fff),
				DstPort: 4791, Protocol: hash.UDP, QP: uint32(n)}
			w := way{leaf: i / flows}
			w.link = c.hash.Pick(headers, leaf1+w.leaf, tierLinks)
			w.spine = w.link
			if c.rotated {
				w.spine = (w.link + w.leaf) % tierLinks
			}
			w.above = c.hash.Pick(headers, spine1+w.spine, tierLinks)
			up[w.leaf][w.link] += 1 / float64(c.pairs)
			above[w.spine][w.above] += 1 / float64(c.pairs)
			ways = append(ways, w)
		}
	}
	room := float64(flows) / tierLinks
	f.slowest = 1
	for _, w := range ways {
		part := min(1, room/up[w.leaf][w.link], room/above[w.spine][w.above])
		f.carried += part / float64(len(ways))
		f.slowest = min(f.slowest, part)
	}
	for _, links := range above {
		for _, n := range links {
			if n > 0 {
				f.used++
			}
		}
	}
	return f
}
