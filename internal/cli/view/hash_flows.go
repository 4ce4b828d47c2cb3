package view

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/hash"
	"railyard/internal/plan/scenario"
)

// A HashedFlowsJSON is what `railyard hash` says of a file of flows.
type HashedFlowsJSON struct {
	Function string           `json:"function"`
	Fields   string           `json:"fields"`
	Seed     uint64           `json:"seed"`
	Links    []int            `json:"links"` // flows on each
	Flows    []hashedFlowJSON `json:"flows"`
	Used     float64          `json:"used"`    // part of what the links carry, if they carry all flows when even
	Slowest  float64          `json:"slowest"` // part of its demand that a flow of the fullest link gets
	Chance   *chanceJSON      `json:"chance,omitempty"`
	More     []moreJSON       `json:"more,omitempty"` // by queue pairs in the place of each flow
	Seeds    seedsJSON        `json:"seeds"`
}

type hashedFlowJSON struct {
	headersJSON
	Hash string `json:"hash"`
	Link int    `json:"link"` // hash modulo links, from 0
}

// A moreJSON is what n queue pairs for each flow would give by chance.
type moreJSON struct {
	QueuePairs int `json:"queue_pairs"`
	hash.Expected
}

// A seedsJSON is what other seeds of the same function give.
type seedsJSON struct {
	Seeds int     `json:"seeds"`
	Mean  float64 `json:"mean_fullest"`
	AsBad float64 `json:"as_bad"` // part of the seeds whose fullest link has at least as many flows
}

// HashedFlows spreads flows, and again by so many other seeds.
func HashedFlows(flows []hash.Flow, f Hashing, seeds int) *HashedFlowsJSON {
	d := &HashedFlowsJSON{Function: f.Function, Fields: f.Fields, Seed: f.Seed, Links: make([]int, f.Links)}
	of, qp := hash.Functions[f.Function], f.Fields == scenario.HashFieldsQP
	for _, flow := range flows {
		h := of(flow, qp, f.Seed)
		link := int(h % uint64(f.Links))
		d.Links[link]++
		d.Flows = append(d.Flows, hashedFlowJSON{headersOf(flow), fmt.Sprintf("%x", h), link})
	}
	room := float64(len(flows)) / float64(f.Links)
	fullest := slices.Max(d.Links)
	for _, n := range d.Links {
		d.Used += min(float64(n), room) / float64(len(flows))
	}
	d.Slowest = min(1, room/float64(fullest))
	d.Chance = chanceOf(d.Links)
	for _, n := range splits {
		if n*len(flows) <= hash.MaxFlows && f.Links <= hash.MaxFlows {
			d.More = append(d.More, moreJSON{n, hash.Expect(n*len(flows), f.Links, float64(n)*room)})
		}
	}
	d.Seeds.Seeds = max(1, min(seeds, mostPicks/len(flows)))
	bad := 0
	for seed := range d.Seeds.Seeds {
		on := make([]int, f.Links)
		for _, flow := range flows {
			on[of(flow, qp, uint64(seed+1))%uint64(f.Links)]++
		}
		most := slices.Max(on)
		d.Seeds.Mean += float64(most) / float64(d.Seeds.Seeds)
		if most >= fullest {
			bad++
		}
	}
	d.Seeds.AsBad = float64(bad) / float64(d.Seeds.Seeds)
	return d
}

// HashedFlowsText prints where a hash puts the flows of a file.
func HashedFlowsText(s *sheet.Sheet, file string, d *HashedFlowsJSON) {
	s.Wrap("", fmt.Sprintf("%s: %s over %s by %s of the %s, seed %d", file, unit.CountOf(int64(len(d.Flows)), "flow"),
		unit.CountOf(int64(len(d.Links)), "link"), d.Function, d.Fields, d.Seed))
	s.Blank()
	rows := [][]string{{"source", "destination", "ports", "protocol", "QP", "hash", "link"}}
	for _, f := range d.Flows[:min(len(d.Flows), mostLandings)] {
		rows = append(rows, []string{f.Src, f.Dst, fmt.Sprintf("%d>%d", f.SrcPort, f.DstPort), fmt.Sprint(f.Protocol),
			fmt.Sprint(f.QP), short(f.Hash), fmt.Sprint(f.Link)})
	}
	s.Grid("lllrrrr", rows)
	if n := len(d.Flows) - mostLandings; n > 0 {
		s.Wrap("  ", fmt.Sprintf("and %d more: --json has all", n))
	}
	s.Blank()
	var on []string
	for _, n := range d.Links {
		on = append(on, fmt.Sprint(n))
	}
	s.Wrap("", fmt.Sprintf("Flows on links 0 to %d: %s. If the links carry all flows when these are even, used capacity is %s, and "+
		"the slowest flow gets %s of its demand.", len(d.Links)-1, strings.Join(on, "/"), unit.Percent(d.Used),
		unit.Percent(d.Slowest)))
	if c := d.Chance; c != nil {
		s.Wrap("", fmt.Sprintf("By chance, if each flow took any link alike: %d or more on one link in %s, %.2f on average.",
			c.Fullest, unit.Percent(c.OrMore), c.Mean))
	}
	s.Wrap("", fmt.Sprintf("%s with the seeds 1 to %d: as many on one link in %s, %.2f on average.", d.Function,
		d.Seeds.Seeds, unit.Percent(d.Seeds.AsBad), d.Seeds.Mean))
	if len(d.More) > 1 {
		s.Blank()
		rows = [][]string{{"queue pairs for each flow, by chance", "fullest link", "used capacity", "slowest"}}
		for _, m := range d.More {
			rows = append(rows, []string{fmt.Sprint(m.QueuePairs), fmt.Sprintf("%.2f", m.Fullest), unit.Percent(m.Used),
				unit.Percent(m.Slowest)})
		}
		s.Grid("lrrr", rows)
	}
}
