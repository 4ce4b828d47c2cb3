package ns3

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Bounds of a topology.
const (
	maxNodes = 1 << 17
	maxLinks = 1 << 18
	maxHosts = 4096
)

// Roles of a node.
const (
	isHost = iota // SimAI: a GPU with its network card
	isSwitch
	isNVSwitch
)

// topology is a topology file.
type topology struct {
	t     *tokens
	role  []int
	links []link
	gpus  int     // per server, SimAI; 0 in HPCC's form
	hosts []int   // node numbers, ascending
	index []int   // by node: its place in hosts, -1
	at    [][]int // by node: its links
	model string  // of GPU, SimAI
}

// link is a line of the file.
type link struct {
	a, b  int
	rate  unit.Bitrate
	delay unit.Duration
	loss  *big.Rat // error rate per packet
	src   token
}

// readTopology reads a topology: nodes, switches and links in HPCC's form; in SimAI's, nodes, GPUs
// per server, NVSwitches, switches, links and a kind of GPU. The numbers of the switches follow,
// then the links.
func readTopology(file string, src []byte) (*topology, error) {
	p := &topology{t: tokenize(file, src)}
	begin, first := p.t.ahead()
	nodes, _, ok := p.t.number("nodes", 2, maxNodes)
	if first != 3 && first != 6 && ok {
		p.t.fail(begin, "%d numbers in the first line, want 3 (nodes switches links), or 6 in SimAI's form "+
			"(nodes, GPUs per server, NVSwitches, switches, links, GPU)", first)
		ok = false
	}
	var gpus, nv, switches, links int64
	if ok && first == 6 {
		gpus, _, _ = p.t.number("GPUs per server", 1, 8)
		nv, _, _ = p.t.number("NVSwitches", 0, nodes)
	}
	if ok {
		switches, _, _ = p.t.number("switches", 1, nodes)
		links, _, ok = p.t.number("links", 1, maxLinks)
	}
	if ok && first == 6 {
		w, _ := p.t.take("the kind of GPU")
		p.model = w.text
	}
	if !ok || len(p.t.problems) > 0 {
		return p, p.t.err()
	}
	p.gpus, p.role = int(gpus), make([]int, nodes)
	p.mark("NVSwitch", isNVSwitch, nv)
	p.mark("switch", isSwitch, switches)
	for i := int64(0); i < links && len(p.t.problems) == 0; i++ {
		p.readLink()
	}
	if len(p.t.problems) == 0 {
		p.connect()
	}
	return p, p.t.err()
}

// mark reads the numbers of n nodes that have a role.
func (p *topology) mark(what string, role int, n int64) {
	for ; n > 0; n-- {
		id, w, ok := p.t.number(what, 0, int64(len(p.role)-1))
		if !ok {
			return
		}
		if p.role[id] != isHost {
			p.t.fail(w, "%s %d: listed before", what, id)
			return
		}
		p.role[id] = role
	}
}

func (p *topology) readLink() {
	last := int64(len(p.role) - 1)
	a, w, ok := p.t.number("a link's first node", 0, last)
	if !ok {
		return
	}
	b, _, ok := p.t.number("a link's second node", 0, last)
	if !ok {
		return
	}
	l := link{a: int(a), b: int(b), src: w}
	rate, ok := p.t.take("the rate of a link")
	if !ok {
		return
	}
	delay, ok := p.t.take("the delay of a link")
	if !ok {
		return
	}
	if l.loss, _, ok = p.t.decimal("the error rate of a link", true); !ok {
		return
	}
	var err error
	if l.rate, err = parseRate(rate.text); err != nil {
		p.t.fail(rate, "%v", err)
		return
	}
	if l.delay, err = unit.ParseDuration(delay.text); err != nil || l.delay <= 0 || l.delay > 10*unit.Millisecond {
		p.t.fail(delay, "%s: want a delay above 0 and at most 10ms, such as 0.001ms or 1000ns",
			located.Shown(delay.text))
		return
	}
	switch ra, rb := p.role[a], p.role[b]; {
	case a == b:
		p.t.fail(w, "link %d %d: both ends are the same node", a, b)
	case ra == isHost && rb == isHost:
		p.t.fail(w, "link %d %d: connects two hosts, want a switch between them", a, b)
	case ra != isSwitch && rb != isSwitch && (ra != isHost && rb != isHost):
		p.t.fail(w, "link %d %d: connects two NVSwitches, want GPUs on them", a, b)
	case l.loss.Cmp(big.NewRat(1, 1)) > 0:
		p.t.fail(w, "link %d %d: an error rate above 1", a, b)
	}
	p.links = append(p.links, l)
}

// connect finds hosts and what is linked to each node, and refuses what has no counterpart here.
func (p *topology) connect() {
	p.index, p.at = make([]int, len(p.role)), make([][]int, len(p.role))
	for id, role := range p.role {
		p.index[id] = -1
		if role == isHost {
			p.index[id] = len(p.hosts)
			p.hosts = append(p.hosts, id)
		}
	}
	for i, l := range p.links {
		p.at[l.a], p.at[l.b] = append(p.at[l.a], i), append(p.at[l.b], i)
	}
	switch {
	case len(p.hosts) == 0:
		p.t.fail(top, "every node is a switch, want hosts")
	case len(p.hosts) > maxHosts*max(1, p.gpus):
		p.t.fail(top, "%d hosts, want at most %d", len(p.hosts), maxHosts*max(1, p.gpus))
	case p.gpus > 0 && len(p.hosts)%p.gpus != 0:
		p.t.fail(top, "%d GPUs do not fill servers of %d", len(p.hosts), p.gpus)
	}
	for _, id := range p.hosts {
		if n := len(p.uplinks(id)); n != 1 {
			p.t.fail(top, "node %d has %d links to switches, want 1", id, n)
		}
	}
}

// uplinks returns the links of a host that leave its server.
func (p *topology) uplinks(id int) (ls []int) {
	for _, l := range p.at[id] {
		if p.role[p.other(l, id)] == isSwitch {
			ls = append(ls, l)
		}
	}
	return ls
}

// other returns the far end of a link.
func (p *topology) other(l, id int) int {
	if p.links[l].a == id {
		return p.links[l].b
	}
	return p.links[l].a
}

// servers returns the number of hosts of the scenario, and the GPUs of each.
func (p *topology) servers() (hosts, gpus int) {
	gpus = max(1, p.gpus)
	return len(p.hosts) / gpus, gpus
}

// host returns the name of the host of a node.
func (p *topology) host(id int) string {
	return "host" + strconv.Itoa(p.index[id]/max(1, p.gpus)+1)
}

// endpoint returns the network card of a node.
func (p *topology) endpoint(id int) string {
	return fmt.Sprintf("%s/nic%d", p.host(id), p.index[id]%max(1, p.gpus))
}

// name returns the name of a node in the topology.
func (p *topology) name(id int) string {
	if p.role[id] == isHost {
		return p.host(id)
	}
	return "switch" + strconv.Itoa(id)
}

// ports returns the names of all links outside servers, by number; parallel ones are numbered.
func (p *topology) ports() map[int]string {
	ends := func(i int) string {
		a, b := p.name(p.links[i].a), p.name(p.links[i].b)
		return min(a, b) + "/" + max(a, b)
	}
	count, seen, names := map[string]int{}, map[string]int{}, map[int]string{}
	order := p.order()
	for _, i := range order {
		count[ends(i)]++
	}
	for _, i := range order {
		e := ends(i)
		seen[e]++
		names[i] = p.name(p.links[i].a) + "/" + p.name(p.links[i].b)
		if count[e] > 1 {
			names[i] += "#" + strconv.Itoa(seen[e])
		}
	}
	return names
}

// order returns the links outside servers: first those of hosts, in order of their nodes, so that
// they become the hosts' cards in order.
func (p *topology) order() (ls []int) {
	for _, id := range p.hosts {
		ls = append(ls, p.uplinks(id)...)
	}
	for i, l := range p.links {
		if p.role[l.a] == isSwitch && p.role[l.b] == isSwitch {
			ls = append(ls, i)
		}
	}
	return ls
}

// rates returns the rates of the links outside servers, each once, slowest first.
func (p *topology) rates() []unit.Bitrate {
	var rs []unit.Bitrate
	for _, i := range p.order() {
		rs = append(rs, p.links[i].rate)
	}
	slices.Sort(rs)
	return slices.Compact(rs)
}

// slowestCard returns the rate of the slowest card.
func (p *topology) slowestCard() unit.Bitrate {
	slowest := unit.Bitrate(0)
	for _, id := range p.hosts {
		if r := p.links[p.uplinks(id)[0]].rate; slowest == 0 || r < slowest {
			slowest = r
		}
	}
	return slowest
}

// nvlink returns rate and delay of the links inside servers, and whether all are alike.
func (p *topology) nvlink() (rate unit.Bitrate, delay unit.Duration, alike bool) {
	alike = true
	for _, l := range p.links {
		if p.role[l.a] != isNVSwitch && p.role[l.b] != isNVSwitch {
			continue
		}
		if rate == 0 {
			rate, delay = l.rate, l.delay
		}
		alike = alike && rate == l.rate && delay == l.delay
	}
	return rate, delay, alike
}

// text prints the topology as Railyard reads it.
func (p *topology) text(from string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# From %s: hosts are numbered in order of their nodes.\n", from)
	for i, id := range p.hosts {
		switch {
		case p.gpus == 0:
			fmt.Fprintf(&b, "host %s  # node %d\n", p.host(id), id)
		case i%p.gpus == 0:
			fmt.Fprintf(&b, "host %s  # GPUs are nodes %d to %d\n", p.host(id), id, p.hosts[i+p.gpus-1])
		}
	}
	tier := p.tiers()
	for id, role := range p.role {
		if role == isSwitch {
			fmt.Fprintf(&b, "switch %s %s\n", p.name(id), [...]string{"leaf", "spine", "superspine"}[min(tier[id], 2)])
		}
	}
	for _, i := range p.order() {
		l := p.links[i]
		fmt.Fprintf(&b, "link %s %s %s %s\n", p.name(l.a), p.name(l.b), rateText(l.rate), l.delay)
	}
	return []byte(b.String())
}

// tiers returns how many switches are between a switch and the nearest host.
func (p *topology) tiers() []int {
	tier := make([]int, len(p.role))
	var queue []int
	for id := range tier {
		tier[id] = 1 << 30
		if p.role[id] == isHost {
			queue = append(queue, id)
			tier[id] = -1
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, l := range p.at[queue[i]] {
			if n := p.other(l, queue[i]); p.role[n] == isSwitch && tier[n] > tier[queue[i]]+1 {
				tier[n] = tier[queue[i]] + 1
				queue = append(queue, n)
			}
		}
	}
	return tier
}

// longestTrip returns the largest round trip between two hosts and the largest bandwidth-delay
// product as the simulator's driver counts them: twice the propagation, and the serialisation of a
// payload on each hop of the way there, in ns.
func (p *topology) longestTrip(payload int64) (rtt unit.Duration, bdp int64) {
	type way struct {
		delay, tx, rate int64
		seen            bool
	}
	ways := make([]way, len(p.role))
	for _, from := range p.hosts {
		clear(ways)
		ways[from] = way{seen: true, rate: 1 << 62}
		queue := []int{from}
		for i := 0; i < len(queue); i++ {
			at := queue[i]
			for _, l := range p.at[at] {
				next, w, k := p.other(l, at), ways[at], p.links[l]
				if ways[next].seen || p.role[next] == isNVSwitch {
					continue
				}
				ways[next] = way{w.delay + int64(k.delay/unit.Nanosecond), w.tx + payload*8_000_000_000/int64(k.rate),
					min(w.rate, int64(k.rate)), true}
				if p.role[next] == isSwitch {
					queue = append(queue, next)
					continue
				}
				ns := 2*ways[next].delay + ways[next].tx
				rtt = max(rtt, unit.Duration(ns)*unit.Nanosecond)
				product := new(big.Int).Mul(big.NewInt(ns), big.NewInt(ways[next].rate))
				bdp = max(bdp, product.Div(product, big.NewInt(8_000_000_000)).Int64())
			}
		}
	}
	return rtt, bdp
}

func rateText(r unit.Bitrate) string {
	for _, s := range []struct {
		name string
		size unit.Bitrate
	}{{"Tb/s", unit.TerabitPerSec}, {"Gb/s", unit.GigabitPerSec}, {"Mb/s", unit.MegabitPerSec}} {
		if r%s.size == 0 {
			return strconv.FormatInt(int64(r/s.size), 10) + s.name
		}
	}
	return strconv.FormatInt(int64(r), 10) + "b/s"
}
