package pcie

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Graph is the PCIe inside each host: the links that some way takes, each full duplex. Ways are directed links in order:
// 2l is link l in the direction of its name, 2l+1 back.
type Graph struct {
	Rates      []unit.Bitrate // by link, each direction; 0: no limit
	Names      []string       // by directed link: CPU0/PCIe1
	ToCard     [][][]int32    // by GPU and card: from the GPU
	FromMemory [][]int32      // by GPU: from the memory of the CPU that is nearest to it
	// Peers is by GPU and GPU the way from one to the other where no NVLink joins them, else nil; nil: it joins all.
	Peers [][][]int32
	// Order is where each GPU is in the order in which rings pass those of a host: that of the board's tree, GPUs that NVLink
	// joins beside each other. nil, where it joins all: that of their numbers.
	Order []int32
	// Staged is ToCard by way of that memory: what a host without peer memory takes. nil: no fault makes one.
	Staged [][][]int32
}

// OfCard reports whether a link leads into a NIC.
func (g *Graph) OfCard(link int32) bool {
	return slices.ContainsFunc(g.ToCard[0], func(way []int32) bool { return way[len(way)-1]/2 == link })
}

// New finds the PCIe of a scenario's hosts, which are in a network; text is the file of cluster.host.graph. With an error
// about a rate there is the graph too.
func New(sc *scenario.Scenario, net *topo.Graph, text []byte) (h Hosts, err error) {
	h = Hosts{Rate: sc.Cluster.Host.PCIe, net: net}
	if !sc.Cluster.Host.Graph.Set {
		return h, nil
	}
	b, err := Board(sc, text)
	if err != nil {
		return h, err
	}
	on := onBoard{sc, b}
	gpus, err := on.gpus()
	if err != nil {
		return h, err
	}
	cards, err := on.cards(net, gpus)
	if err != nil {
		return h, err
	}
	m := linkMap{b: b, names: b.LinkNames(), of: map[int32]int32{}}
	g, err := on.ways(&m, gpus, cards)
	if err != nil {
		return h, err
	}
	h.Graph, h.AMD = g, nccltopo.AMD(b)
	return h, setRates(sc, g, &m)
}

// onBoard finds what a scenario has of a host on the board that it names.
type onBoard struct {
	sc *scenario.Scenario
	*board.Board
}

// ways finds those from GPUs to cards, and from memory.
func (b onBoard) ways(m *linkMap, gpus, cards []int) (g *Graph, err error) {
	byMemory := func(gpu, card int) (way []int32) {
		if way = byMemory(b.Board, gpu, card); way == nil {
			err = b.sc.Refused("cluster.host.graph", "%s: no path from the memory of %s's CPU to %s", b.sc.Cluster.Host.Graph.Value,
				b.Parts[gpu].Name, b.Parts[card].Name)
		}
		return way
	}
	g = &Graph{}
	for _, gpu := range gpus {
		var ways [][]int32
		for _, card := range cards {
			way := b.Way(gpu, card)
			if b.Parts[gpu].NoGPUDirect || b.Parts[card].NoGPUDirect {
				way = byMemory(gpu, card)
			}
			ways = append(ways, m.take(g, way))
		}
		g.ToCard = append(g.ToCard, ways)
		g.FromMemory = append(g.FromMemory, m.take(g, b.Way(nearest(b.Board, gpu, b.Of(board.CPU)), gpu)))
	}
	if err == nil {
		err = b.peers(m, g, gpus)
	}
	if slices.ContainsFunc(b.sc.Faults, func(f scenario.Fault) bool { return f.Staged }) {
		for _, gpu := range gpus {
			var ways [][]int32
			for _, card := range cards {
				ways = append(ways, m.take(g, byMemory(gpu, card)))
			}
			g.Staged = append(g.Staged, ways)
		}
	}
	return g, err
}

// byMemory is a way from a GPU to a NIC by way of the memory of the CPU that is nearest to the GPU: as NCCL goes where a NIC
// cannot reach the GPU's (NCCL 2.30.7, transport/net.cc: buffers of a proxy, whose thread stays near its GPU).
func byMemory(b *board.Board, gpu, card int) []int32 {
	cpu := nearest(b, gpu, b.Of(board.CPU))
	to := b.Way(cpu, card)
	if to == nil {
		return nil
	}
	return slices.Concat(b.Way(gpu, cpu), to)
}

// Board is the inside of a host where cluster.host.graph says it: the preset's, or that of a file, whose text it is.
func Board(sc *scenario.Scenario, text []byte) (*board.Board, error) {
	at := &sc.Cluster.Host
	if at.Graph.Value != scenario.GraphOfPreset {
		return nccltopo.Read(at.Graph.Value, text)
	}
	of := board.Presets[at.Preset]
	if of == nil {
		return nil, sc.Refused("cluster.host.graph", "preset: no board %q is known, want a file of NCCL", at.Preset)
	}
	return of(), nil
}

// gpus are the parts that stand for a host's GPUs: the board's first ones by their numbers.
func (b onBoard) gpus() ([]int, error) {
	all, want := b.Of(board.GPU), b.sc.Cluster.Host.GPUs
	slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(numberOf(b.Board, x), numberOf(b.Board, y)) })
	if len(all) < want {
		return nil, b.sc.Refused("cluster.host.graph", "%s: has %s, and cluster.host.gpus is %d",
			b.sc.Cluster.Host.Graph.Value, unit.CountOf(int64(len(all)), "GPU"), want)
	}
	for _, gpu := range all[:want] {
		if nearest(b.Board, gpu, b.Of(board.CPU)) < 0 {
			return nil, b.sc.Refused("cluster.host.graph", "%s: %s reaches no CPU, want one whose memory it copies from",
				b.sc.Cluster.Host.Graph.Value, b.Parts[gpu].Name)
		}
	}
	return all[:want], nil
}

func numberOf(b *board.Board, gpu int) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(b.Parts[gpu].Name, "GPU"))
	return n
}

// cards are the parts that stand for a host's cards: for one after another the NIC nearest to its GPU that no card
// before it has.
func (b onBoard) cards(net *topo.Graph, gpus []int) (cards []int, err error) {
	free := b.Of(board.NIC)
	nics, name := net.Hosts[0].NICs, b.sc.Cluster.Host.Graph.Value
	want := int(net.NICs[nics[len(nics)-1]].Card) + 1
	if len(free) < want {
		return nil, b.sc.Refused("cluster.host.graph", "%s: has %s, and cluster.nic makes %d of a host", name,
			unit.CountOf(int64(len(free)), "NIC"), want)
	}
	for _, id := range nics {
		n := &net.NICs[id]
		if int(n.Card) < len(cards) {
			continue
		}
		best := nearest(b.Board, gpus[n.GPU], free)
		if best < 0 {
			return nil, b.sc.Refused("cluster.host.graph", "%s: no path from %s to a NIC that is free", name,
				b.Parts[gpus[n.GPU]].Name)
		}
		for _, gpu := range gpus {
			if b.Way(gpu, best) == nil {
				return nil, b.sc.Refused("cluster.host.graph", "%s: no path from %s to %s", name, b.Parts[gpu].Name,
					b.Parts[best].Name)
			}
		}
		cards = append(cards, best)
		free = slices.DeleteFunc(free, func(x int) bool { return x == best })
	}
	return cards, nil
}

// nearest is the part with the fewest links on its way from another, the first of several; -1: none is reached.
func nearest(b *board.Board, from int, parts []int) int {
	best, links := -1, 0
	for _, x := range parts {
		if w := b.Way(from, x); w != nil && (best < 0 || len(w) < links) {
			best, links = x, len(w)
		}
	}
	return best
}

// linkMap numbers the links of a board that some way takes.
type linkMap struct {
	b     *board.Board
	names []string
	of    map[int32]int32 // by the board's link
	used  []int32         // the board's, by link
}

// take gives a way the numbers of the graph.
func (m *linkMap) take(g *Graph, way []int32) []int32 {
	out := make([]int32, len(way))
	for i, d := range way {
		l, ok := m.of[d/2]
		if !ok {
			l = int32(len(m.used))
			m.of[d/2], m.used = l, append(m.used, d/2)
			g.Names = append(g.Names, m.names[d&^1], m.names[d|1])
		}
		out[i] = 2*l + d&1
	}
	return out
}

// setRates gives the links their rates.
func setRates(sc *scenario.Scenario, g *Graph, m *linkMap) error {
	at := &sc.Cluster.Host
	for _, of := range m.used {
		l := &m.b.Links[of]
		rate := l.Rate * unit.Bitrate(l.Count)
		switch cpu := &m.b.Parts[l.A]; {
		case rate > 0:
		case strings.HasPrefix(l.Kind, "PCIe"):
			rate = at.PCIe
		case cpu.Kind == board.CPU && m.b.Parts[l.B].Kind == board.CPU:
			rate = nccltopo.Between(cpu)
		}
		g.Rates = append(g.Rates, rate)
	}
	for i, l := range at.Links {
		k, err := g.Link(l.Link)
		if err != nil {
			return sc.Refused(fmt.Sprintf("cluster.host.links[%d].link", i), "%v", err)
		}
		g.Rates[k] = l.Rate
	}
	return nil
}

// Link finds a link by its name in either direction.
func (g *Graph) Link(name string) (int32, error) {
	if i := slices.Index(g.Names, name); i >= 0 {
		return int32(i / 2), nil
	}
	var names []string
	for i := 0; i < len(g.Names); i += 2 {
		names = append(names, g.Names[i])
	}
	return 0, fmt.Errorf("%s: no path inside a host takes such a link, want one of: %s", name, strings.Join(names, ", "))
}

// FastestCard is the rate of the fastest link of a card; 0: one has no limit.
func (g *Graph) FastestCard() (rate unit.Bitrate) {
	for _, way := range g.ToCard[0] {
		r := g.Rates[way[len(way)-1]/2]
		if r == 0 {
			return 0
		}
		rate = max(rate, r)
	}
	return rate
}
