package whatif

import (
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// choice tries other ways to choose among equal links, where the job's packets have a choice.
func (t *trying) choice() {
	choices, written, free := choicesOf(t.p)
	uneven := []noun.Noun{noun.ECMPCollision, noun.Polarisation, noun.SharedLink, noun.Oversubscription, noun.UnevenSpraying}
	if choices == 0 {
		return
	}
	f := &t.sc.Fabric
	if written > 0 {
		t.byChance("without the paths that are written for flows", uneven, t.freed()...)
		t.try("with spraying in place of the paths that are written", uneven, append(t.balanced(scenario.BalanceSpray), t.freed()...)...)
		if t.sc.Transport.Receiver == "in-order" {
			t.try("with spraying in place of the paths that are written, receivers that take any order", uneven,
				slices.Concat(t.balanced(scenario.BalanceSpray), []scenario.Change{set("transport.receiver", "direct")}, t.freed())...)
		}
	}
	if free == 0 { // nothing follows fabric.balance
		return
	}
	if f.Balance != scenario.BalanceSpray {
		t.try("with spraying", uneven, t.balanced(scenario.BalanceSpray)...)
		if t.sc.Transport.Receiver == "in-order" {
			t.try("with spraying, receivers that take any order", uneven,
				append(t.balanced(scenario.BalanceSpray), set("transport.receiver", "direct"))...)
		}
	} else {
		t.try("with ECMP", []noun.Noun{noun.Reordering, noun.UnevenSpraying}, t.balanced(scenario.BalanceECMP)...)
	}
	if f.Balance.Hashes() {
		t.hashing(choices, uneven)
	}
	if f.Balance != scenario.BalancePinned {
		t.try("with paths that a controller pins", uneven, t.balanced(scenario.BalancePinned)...)
	}
	if ranks := t.at.Ranks() > 1; ranks && t.sc.Transport.QPs < moreQPs {
		t.byChance(fmt.Sprintf("with %d queue pairs per connection", moreQPs), uneven,
			set("transport.qps_per_connection", fmt.Sprint(moreQPs)), set("transport.split_data_on_qps", "true"))
	}
	if !slices.Contains([]scenario.Balancer{scenario.BalanceFlowlet, scenario.BalanceSpray}, f.Balance) {
		t.try("with flowlets", uneven, t.balanced(scenario.BalanceFlowlet)...).Late = true
	}
}

// moreQPs is how many queue pairs a connection gets: as many as NCCL's users give them.
const moreQPs = 4

// hashing tries other chances and other hashes.
func (t *trying) hashing(choices int, uneven []noun.Noun) {
	h := &t.sc.Fabric.Hash
	if choices > 1 && h.Seed == "same" && h.Number == 0 {
		polarised := append([]noun.Noun{noun.Polarisation}, uneven...)
		t.byChance("with a hash seed for each switch", polarised, set("fabric.hash.seed", "per-switch"))
	}
	t.byChance("with another seed", uneven, seedChange(otherSeeds(t.sc.Seed, 1)[0]))
	for _, other := range []string{mixing, "crc16", "xor"} {
		if h.Function != other {
			t.byChance("with the hash "+other, uneven, set("fabric.hash.function", other))
			t.all[len(t.all)-1].Late = other != mixing
		}
	}
}

// mixing is the hash that has no structure: with it loads are a matter of chance, as with any other seed.
const mixing = "mix"

// otherSeeds are the n smallest seeds, from 1 on, but for one.
func otherSeeds(but uint64, n int) (all []uint64) {
	for s := uint64(1); len(all) < n; s++ {
		if s != but {
			all = append(all, s)
		}
	}
	return all
}

// ofBalance are the groups of keys that belong to balancers.
var ofBalance = []struct {
	key     string
	balance scenario.Balancer
}{
	{"flowlet", scenario.BalanceFlowlet}, {"dlb", scenario.BalanceDLB}, {"glb", scenario.BalanceGLB},
	{"conweave", scenario.BalanceConWeave}, {"spray", scenario.BalanceSpray}, {"resilient", scenario.BalanceResilient},
}

// balanced gives all switches a balancer, without the keys of others.
func (t *trying) balanced(method scenario.Balancer) []scenario.Change {
	changes := []scenario.Change{set("fabric.balance", string(method))}
	for _, x := range ofBalance {
		if key := "fabric." + x.key; x.balance != method && t.sc.Given(key) {
			changes = append(changes, remove(key))
		}
	}
	return changes
}

// freed leaves the ways of the job's flows to fabric.balance.
func (t *trying) freed() (changes []scenario.Change) {
	for i := range t.sc.Jobs {
		j := &t.sc.Jobs[i]
		for k := range j.Entries {
			changes = append(changes, t.freedOne(fmt.Sprintf("%s.flows[%d]", j.Path(), k))...)
		}
	}
	for k := range t.sc.Background.Entries {
		changes = append(changes, t.freedOne(fmt.Sprintf("background.flows[%d]", k))...)
	}
	return changes
}

func (t *trying) freedOne(flow string) (changes []scenario.Change) {
	for _, key := range []string{".path", ".back"} {
		if t.sc.Given(flow + key) {
			changes = append(changes, remove(flow+key))
		}
	}
	return changes
}

// choicesOf returns how often, at most, a queue pair of a job meets a switch with equal links, how many have a path that
// is written down, and how many of those that meet one have none.
func choicesOf(p *plan.Plan) (choices, written, free int) {
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if q.Kind == result.KindBackground || !q.Enabled() {
			continue
		}
		fixed := q.Flow != nil && q.Flow.Path != nil
		written += b2i(fixed)
		n := 0
		for _, id := range q.Path {
			if at := p.Graph.Ports[id].Node; len(p.Routes.NextHops(at, q.To)) > 1 {
				n++
			}
		}
		choices = max(choices, n)
		free += b2i(n > 0 && !fixed)
	}
	return choices, written, free
}

// slower is a link that is slower than most of its equals: ports that lead from one kind of node to another.
type slower struct {
	port  topo.PortID // that is slower; the first of both
	both  bool        // directions are
	usual unit.Bitrate
}

// mostSlower is how many of them are tried.
const mostSlower = 4

// slowerThanEquals finds them, in order of the network.
func slowerThanEquals(g *topo.Graph) (all []slower) {
	of := func(id int) [2]topo.Kind {
		return [2]topo.Kind{g.Nodes[g.Ports[id].Node].Kind, g.Nodes[g.Ports[id].To].Kind}
	}
	rates := map[[2]topo.Kind][]unit.Bitrate{}
	for i := range g.Ports {
		rates[of(i)] = append(rates[of(i)], g.Ports[i].Rate)
	}
	usual := map[[2]topo.Kind]unit.Bitrate{}
	for k, r := range rates {
		slices.Sort(r)
		usual[k] = r[len(r)/2]
	}
	slow := func(id int) bool { return g.Ports[id].Rate < usual[of(id)] }
	for i := 0; i < len(g.Ports) && len(all) < mostSlower; i += 2 { // the two directions of a cable
		switch there, back := slow(i), slow(i+1); {
		case there && back && usual[of(i)] == usual[of(i+1)]:
			all = append(all, slower{topo.PortID(i), true, usual[of(i)]})
		case there:
			all = append(all, slower{topo.PortID(i), false, usual[of(i)]})
		case back:
			all = append(all, slower{topo.PortID(i + 1), false, usual[of(i+1)]})
		}
	}
	return all
}

// oversubscribed returns what is below the worst switch of a tier over what its links upwards carry, and the links upwards of all
// switches of that tier, of the lowest tier that is so: hosts are below edge switches, those are below the next. 1 or less: no
// switch has less above than below.
func oversubscribed(g *topo.Graph) (ratio float64, up []topo.LinkID) {
	type tier struct {
		ratio float64
		up    []topo.LinkID
	}
	tiers := map[topo.Kind]*tier{}
	for n := range g.Nodes {
		node := &g.Nodes[n]
		if node.Kind == topo.HostKind {
			continue
		}
		var below, above unit.Bitrate
		var links []topo.LinkID
		for _, id := range node.Ports {
			port := &g.Ports[id]
			switch to := &g.Nodes[port.To]; {
			case to.Kind == topo.HostKind || to.Tier < node.Tier:
				below += port.Rate
			case to.Tier > node.Tier:
				above, links = above+port.Rate, append(links, port.Link)
			}
		}
		if below > 0 && above > 0 {
			if tiers[node.Kind] == nil {
				tiers[node.Kind] = &tier{}
			}
			x := tiers[node.Kind]
			x.ratio, x.up = max(x.ratio, float64(below)/float64(above)), append(x.up, links...)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(tiers)) {
		if x := tiers[k]; ratio <= 1 && x.ratio > ratio {
			ratio, up = x.ratio, x.up
		}
	}
	return ratio, up
}

// back is the name of the other direction of a port's link.
func back(g *topo.Graph, name string) string {
	if at := slices.IndexFunc(g.Ports, func(x port) bool { return x.Name == name }); at >= 0 {
		return g.Ports[at^1].Name
	}
	return ""
}

// sentBy is the port of a link by which a node sends: the link may be named by either.
func sentBy(g *topo.Graph, link, node string) string {
	if at := slices.IndexFunc(g.Ports, func(x port) bool { return x.Name == link }); at >= 0 && g.Nodes[g.Ports[at].Node].Name != node {
		return g.Ports[at^1].Name
	}
	return link
}

// seedChange sets the seed.
func seedChange(s uint64) scenario.Change { return set("seed", fmt.Sprint(s)) }
