package capture

import (
	"cmp"
	"io"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/net/inventory"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
)

// Capture writes the frames of some ports.
type Capture struct {
	plan      *plan.Plan
	addresses *inventory.Inventory
	out       io.Writer
	err       error // of out
	limit     int64

	remaps     bool    // packets carry their DSCP
	tapped     []bool  // by port
	interfaces []int32 // by port; -1: it is not captured
	ports      []port  // by interface
	islands    []island
	all        []entry // kept for its memory

	ups    []up   // those still to come
	pairs  []pair // by queue pair
	marks  marks
	kept   int64
	frame  []byte // kept for its memory
	block  []byte
	packet pcapng.Packet
}

// port counts what an interface has seen.
type port struct {
	id         topo.PortID
	seen, kept int64
}

// island is what was heard from one island since the last join.
type island struct {
	entries []entry
	sent    []fabric.Sent
	marks   []fabric.Event
	posts   []post
	_       [64]byte
}

// kind is what was heard; at one instant in this order.
type kind uint8

const (
	aPost kind = iota
	aMark
	aFrame
)

// entry says when something was heard, and where it lies.
type entry struct {
	at     unit.Time
	owner  int32 // queue pair of a post, port of others
	island int32
	number int32 // among what the island heard since the last join
	row    int32 // among what it heard of its kind
	kind   kind
}

func (a entry) compare(b entry) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.owner, b.owner),
		cmp.Compare(a.island, b.island), cmp.Compare(a.number, b.number))
}

// New returns a capture of the ports that the plan names, and writes what comes before the first frame. Errors of out
// are kept for Finish.
func New(p *plan.Plan, out io.Writer, islands int) (*Capture, error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	c := &Capture{plan: p, addresses: in, out: out, limit: int64(p.Scenario.Capture.Limit), tapped: p.Captured(),
		interfaces: make([]int32, len(p.Graph.Ports)), islands: make([]island, islands), pairs: make([]pair, len(p.Pairs)),
		marks: marks{at: map[packetID]topo.PortID{}}}
	cfg := p.FabricConfig()
	c.remaps = cfg.Remaps()
	b := pcapng.AppendSection(nil, pcapng.Section{Application: "railyard", Comments: []string{
		"scenario " + p.Scenario.Name + ": simulated frames. Times are virtual and count from the start of the run."}})
	for id := range p.Graph.Ports {
		if c.interfaces[id] = -1; !c.tapped[id] {
			continue
		}
		c.interfaces[id] = int32(len(c.ports))
		c.ports = append(c.ports, port{id: topo.PortID(id)})
		b = pcapng.AppendInterface(b, c.describe(topo.PortID(id)))
	}
	c.write(b)
	c.ups = c.linkUps()
	return c, nil
}

// describe is the interface of a port.
func (c *Capture) describe(id topo.PortID) pcapng.Interface {
	g := c.plan.Graph
	p := &g.Ports[id]
	from := g.Nodes[p.Node].Name
	if p.NIC >= 0 && g.Nodes[p.Node].Kind == topo.HostKind {
		from = g.NICName(p.NIC)
	}
	return pcapng.Interface{Name: p.Name, Text: "frames that " + from + " sends to " + g.Nodes[p.To].Name,
		Link: pcapng.LinkEthernet, Speed: uint64(p.Rate), Digits: 12, FCS: 4}
}

// Extend makes room for queue pairs that are new in the plan.
func (c *Capture) Extend() {
	c.pairs = append(c.pairs, make([]pair, len(c.plan.Pairs)-len(c.pairs))...)
}

// Tapped says of which ports Sent wants to hear, by port.
func (c *Capture) Tapped() []bool { return c.tapped }

// Sent takes a frame that a captured port sends: fabric.Config.OnSent.
func (c *Capture) Sent(isl int32, s fabric.Sent) {
	i := &c.islands[isl]
	i.note(isl, s.At, aFrame, int32(s.Port), len(i.sent))
	i.sent = append(i.sent, s)
}

// Marked takes an event at a port; of these it wants marks: fabric.Config.OnEvent.
func (c *Capture) Marked(isl int32, e fabric.Event) {
	if i := &c.islands[isl]; e.Kind == fabric.EventMark && c.kept < c.limit { // kept changes between windows only
		i.note(isl, e.At, aMark, int32(e.Port), len(i.marks))
		i.marks = append(i.marks, e)
	}
}

// Posted takes a message: nic.Config.OnPost.
func (c *Capture) Posted(isl int32, m nic.Posted) {
	if c.kept >= c.limit {
		return
	}
	p := post{Posted: m}
	if p.From = nil; c.plan.Scenario.Capture.Payload {
		p.payload = slices.Clone(m.From)
	}
	i := &c.islands[isl]
	i.note(isl, m.At, aPost, m.QP, len(i.posts))
	i.posts = append(i.posts, p)
}

func (i *island) note(isl int32, at unit.Time, k kind, owner int32, row int) {
	i.entries = append(i.entries, entry{at, owner, isl, int32(len(i.entries)), int32(row), k})
}

// Join writes what was heard since the last join. It is called on one goroutine, when no island's events are being
// handled.
func (c *Capture) Join() {
	c.all = c.all[:0]
	for i := range c.islands {
		c.all = append(c.all, c.islands[i].entries...)
	}
	if len(c.all) == 0 {
		return
	}
	slices.SortFunc(c.all, entry.compare)
	c.block = c.block[:0]
	for _, e := range c.all {
		switch i := &c.islands[e.island]; e.kind {
		case aPost:
			c.pairs[e.owner].post(&i.posts[e.row])
		case aMark:
			c.marks.note(&i.marks[e.row])
		case aFrame:
			c.take(&i.sent[e.row])
		}
	}
	c.write(c.block)
	for i := range c.islands {
		isl := &c.islands[i]
		clear(isl.posts)
		isl.entries, isl.sent, isl.marks, isl.posts = isl.entries[:0], isl.sent[:0], isl.marks[:0], isl.posts[:0]
	}
}

// take counts a frame, and writes it if there is room for it.
func (c *Capture) take(s *fabric.Sent) {
	c.announce(s.At)
	if c.ports[c.interfaces[s.Port]].seen++; c.kept >= c.limit {
		return
	}
	f, comments := c.build(s)
	c.put(s.Port, s.At, f, comments)
}

// put writes a frame that a port sends.
func (c *Capture) put(id topo.PortID, at unit.Time, f *wire.Frame, comments []string) {
	number := c.interfaces[id]
	c.ports[number].kept++
	c.kept++
	c.frame = f.Append(c.frame[:0])
	here := len(c.frame)
	if !c.plan.Scenario.Capture.Payload {
		here = f.HeaderBytes(here)
	}
	c.packet = pcapng.Packet{Interface: uint32(number), Time: uint64(at), Length: uint32(len(c.frame)),
		Data: c.frame[:here], Direction: pcapng.Outbound, Comments: comments}
	c.block = pcapng.AppendPacket(c.block, &c.packet)
}

func (c *Capture) write(b []byte) {
	if c.err == nil && len(b) > 0 {
		_, c.err = c.out.Write(b)
	}
}

// Finish writes how many frames each port sent by now, and returns how many are not in the file.
func (c *Capture) Finish(now unit.Time) (leftOut int64, err error) {
	c.Join()
	c.block = c.block[:0]
	c.announce(now)
	for i, p := range c.ports {
		leftOut += p.seen - p.kept
		c.block = pcapng.AppendStatistics(c.block, pcapng.Statistics{Interface: uint32(i), Time: uint64(now),
			Received: uint64(p.seen), Dropped: uint64(p.seen - p.kept)})
	}
	c.write(c.block)
	return leftOut, c.err
}
