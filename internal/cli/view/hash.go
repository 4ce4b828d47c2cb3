package view

import (
	"fmt"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

// Hashing is how flows of a file are spread over equal links.
type Hashing struct {
	Links    int
	Function string
	Fields   string
	Seed     uint64
}

// mostPicks bounds the choices that other seeds take: some seconds.
const mostPicks = 20_000_000

// splits are the queue pairs per connection that are compared.
var splits = []int{1, 2, 4, 8}

// A HashJSON is what `railyard hash` says of a scenario.
type HashJSON struct {
	Function string          `json:"function"`
	Fields   string          `json:"fields"`
	Seed     string          `json:"seed"`
	RunSeed  uint64          `json:"run_seed"`
	QPs      int             `json:"qps_per_connection"`
	Pairs    []landingJSON   `json:"queue_pairs"`
	Groups   []linkGroupJSON `json:"groups"`
	foresight.Outcome
	Seeds []foresight.OverSeeds `json:"seeds"` // by queue pairs of a connection
}

type landingJSON struct {
	Name string `json:"name"`
	headersJSON
	Choices []choiceJSON `json:"choices"`
}

// A headersJSON is what switches hash.
type headersJSON struct {
	Src      string `json:"src"`
	Dst      string `json:"dst"`
	SrcPort  uint16 `json:"src_port"`
	DstPort  uint16 `json:"dst_port"`
	Protocol uint8  `json:"protocol"`
	QP       uint32 `json:"qp"`
}

func headersOf(f hash.Flow) headersJSON {
	return headersJSON{hash.Address(f.SrcIP), hash.Address(f.DstIP), f.SrcPort, f.DstPort, f.Protocol, f.QP}
}

type choiceJSON struct {
	Switch string `json:"switch"`
	Hash   string `json:"hash"` // hexadecimal
	Links  int    `json:"links"`
	Pick   int    `json:"pick"` // hash modulo links
	Link   string `json:"link"`
}

type linkGroupJSON struct {
	Switch string         `json:"switch"`
	Links  []linkLoadJSON `json:"links"`
	Chance *chanceJSON    `json:"chance,omitempty"` // absent: too many for it
}

type linkLoadJSON struct {
	Link  string  `json:"link"`
	Pairs int     `json:"queue_pairs"`
	Load  float64 `json:"load"`
}

// A chanceJSON is how likely a fullest link is, if each queue pair took any link alike.
type chanceJSON struct {
	Fullest int     `json:"fullest"`  // queue pairs on it
	OrMore  float64 `json:"or_more"`  // the chance of so many or more
	Mean    float64 `json:"mean"`     // how many it has on average
	Links   int     `json:"-"`        // of how many
	Pairs   int     `json:"of_pairs"` // of how many
}

// chanceOf compares counts with chance.
func chanceOf(counts []int) *chanceJSON {
	c := &chanceJSON{Links: len(counts)}
	for _, n := range counts {
		c.Fullest, c.Pairs = max(c.Fullest, n), c.Pairs+n
	}
	if c.Pairs > hash.MaxFlows || len(counts) > hash.MaxFlows {
		return nil
	}
	for m, p := range hash.Fullest(c.Pairs, len(counts)) {
		c.Mean += p * float64(m)
		if m >= c.Fullest {
			c.OrMore += p
		}
	}
	return c
}

// HashOf spreads a plan's queue pairs.
func HashOf(p *plan.Plan, seeds int) *HashJSON {
	sp, h := foresight.SpreadOf(p), &p.Scenario.Fabric.Hash
	d := &HashJSON{Function: h.Function, Fields: h.Fields, Seed: h.Seed, RunSeed: p.Scenario.Seed,
		QPs: p.Scenario.Transport.QPs, Pairs: []landingJSON{},
		Groups: []linkGroupJSON{}, Outcome: sp.Outcome, Seeds: []foresight.OverSeeds{}}
	name := func(port topo.PortID) string { return p.Graph.Ports[port].Name }
	for _, l := range sp.Pairs {
		q := &p.Pairs[l.Pair]
		one := landingJSON{q.Name, headersOf(q.Key), []choiceJSON{}}
		for _, c := range l.Choices {
			one.Choices = append(one.Choices, choiceJSON{p.Graph.Nodes[c.Switch].Name, fmt.Sprintf("%x", c.Hash), len(c.Ports),
				c.Pick, name(c.Ports[c.Pick])})
		}
		d.Pairs = append(d.Pairs, one)
	}
	for _, g := range sp.Groups {
		one := linkGroupJSON{Switch: p.Graph.Nodes[g.Switch].Name, Chance: chanceOf(g.Pairs)}
		for i, port := range g.Ports {
			one.Links = append(one.Links, linkLoadJSON{name(port), g.Pairs[i], g.Load[i]})
		}
		d.Groups = append(d.Groups, one)
	}
	if len(sp.Groups) == 0 {
		return d
	}
	picks := 0
	for _, n := range splits {
		picks += n * len(sp.Pairs)
	}
	for _, n := range splits {
		d.Seeds = append(d.Seeds, foresight.SpreadOverSeeds(p, n, max(1, min(seeds, mostPicks/picks))))
	}
	return d
}

// mostLandings and mostLinkGroups bound the text; --json has all.
const (
	mostLandings   = 40
	mostLinkGroups = 20
)

// HashText prints where hashes put the queue pairs of a plan.
func HashText(s *sheet.Sheet, d *HashJSON) {
	s.Wrap("", fmt.Sprintf("%s of the %s, seed: %s, run's seed %d", d.Function, d.Fields, d.Seed, d.RunSeed))
	if len(d.Groups) == 0 {
		s.Wrap("", fmt.Sprintf("%s: no switch has a choice between equal links.", unit.CountOf(int64(len(d.Pairs)), "queue pair")))
		return
	}
	s.Title("Queue pairs, and the link that their headers gave")
	rows := [][]string{{"queue pair", "addresses", "port", "QP", "hash", "mod", "link"}}
	for _, l := range d.Pairs[:min(len(d.Pairs), mostLandings)] {
		for i, c := range l.Choices {
			row := []string{"", "", "", "", short(c.Hash), fmt.Sprintf("%d = %d", c.Links, c.Pick), c.Link}
			if i == 0 {
				row[0], row[1] = l.Name, l.Src+">"+l.Dst
				row[2], row[3] = fmt.Sprint(l.SrcPort), fmt.Sprint(l.QP)
			}
			rows = append(rows, row)
		}
		if len(l.Choices) == 0 {
			rows = append(rows, []string{l.Name, l.Src + ">" + l.Dst, fmt.Sprint(l.SrcPort), fmt.Sprint(l.QP), "", "", "no choice"})
		}
	}
	s.Grid("llrrrrw", rows)
	if n := len(d.Pairs) - mostLandings; n > 0 {
		s.Wrap("  ", fmt.Sprintf("and %d more: --json has all", n))
	}
	linkGroupsText(s, d)
	outcomeText(s, d)
}

// short leaves of a hash's digits those that a remainder by a power of two sees.
func short(hex string) string {
	if n := len(hex) - 8; n > 0 {
		return ".." + hex[n:]
	}
	return hex
}

func linkGroupsText(s *sheet.Sheet, d *HashJSON) {
	s.Title("Equal links of a switch")
	rows := [][]string{{"switch", "links", "queue pairs on each", "fullest", "even", "by chance"}}
	for _, g := range d.Groups[:min(len(d.Groups), mostLinkGroups)] {
		on, all, load, fullest := []string{}, 0, 0.0, 0
		for _, l := range g.Links {
			on, all = append(on, fmt.Sprint(l.Pairs)), all+l.Pairs
			fullest, load = max(fullest, l.Pairs), max(load, l.Load)
		}
		row := []string{g.Switch, fmt.Sprint(len(g.Links)), strings.Join(on, "/"),
			fmt.Sprintf("%d, %s", fullest, unit.Percent(load)), fmt.Sprintf("%.3g", float64(all)/float64(len(g.Links))), "-"}
		if c := g.Chance; c != nil {
			row[5] = fmt.Sprintf("%s, mean %.2f", unit.Percent(c.OrMore), c.Mean)
		}
		rows = append(rows, row)
	}
	s.Grid("lrwrrr", rows)
	if n := len(d.Groups) - mostLinkGroups; n > 0 {
		s.Wrap("  ", fmt.Sprintf("and %d more: --json has all", n))
	}
	s.Wrap("  ", "fullest: queue pairs of the fullest link, and its demand over its rate. by chance: how often it would have "+
		"so many or more if each queue pair took any link alike, and how many on average.")
}

// asItIs heads the line of the scenario's own queue pairs.
func asItIs(qps int) string {
	if qps == 1 {
		return "as it is"
	}
	return fmt.Sprintf("as it is: %d", qps)
}

func outcomeText(s *sheet.Sheet, d *HashJSON) {
	s.Title("What that costs, and what other seeds and more queue pairs would give")
	rows := [][]string{{"queue pairs per connection", "seeds", "carried", "slowest", "worst", "as bad"},
		{asItIs(d.QPs), fmt.Sprint(d.RunSeed), unit.Percent(d.Carried), unit.Percent(d.Slowest), "", ""}}
	one := false
	for _, o := range d.Seeds {
		rows = append(rows, []string{fmt.Sprint(o.QueuePairs), "1.." + fmt.Sprint(o.Seeds), unit.Percent(o.Mean.Carried),
			unit.Percent(o.Mean.Slowest), unit.Percent(o.Worst.Slowest), unit.Percent(o.AsBad)})
		one = one || o.OneLoad && o.Seeds > 1
	}
	s.Grid("lrrrrr", rows)
	s.Wrap("  ", "carried: part of all demand that gets through, mean. slowest: what the slowest queue pair gets of its "+
		"demand, mean and at worst; it sets the step. as bad: seeds whose fullest link is at least as full as it is here.")
	if one && hash.Linear[d.Function] {
		s.Wrap("  ", d.Function+" is linear: a seed only XORs its hashes. So it renames links, and loads them as before.")
	}
}
