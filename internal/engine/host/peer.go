package host

import (
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
)

// peer is the way of a rank's messages to one of its host over PCIe: links of the graph, one behind the other.
type peer struct {
	feeds  []feed
	places []int32
	ends   lists.Queue[mark]  // of messages that are not delivered: behind the last byte, by feed
	slow   lists.Queue[int32] // of those of them that are past all links: the place of the one that they were past last
}

// peer is the way over PCIe from a GPU to another; nil: NVLink joins them.
func (g *Graph) peer(from, to int32) []int32 {
	if g == nil || g.Peers == nil {
		return nil
	}
	return g.Peers[from][to]
}

// newPeer makes a way over links of a host.
func (h *Hosts) newPeer(host int32, way []int32) *peer {
	p := &peer{}
	for _, d := range way {
		p.feeds = append(p.feeds, newFeed(&h.hosts[host].links[d]))
		p.places = append(p.places, h.place(host, d))
	}
	return p
}

// latencyOf is that of a way within a host.
func (h *Hosts) latencyOf(c *inside) unit.Duration {
	if c.peer != nil {
		return h.cfg.PCIe.Latency
	}
	return h.cfg.NVLink.Latency
}

// post puts a message on its way.
func (p *peer) post(now unit.Time, b unit.Bytes) {
	for _, f := range p.feeds {
		p.ends.Push(f.link.add(now, f.flow, b) + mark(b)*markByte)
	}
}

// past returns when a message, of those that are not delivered, is past all links, as far as that is known (see share.past),
// and the place of the link that it is past last.
func (p *peer) past(now unit.Time, message int) (end unit.Time, place int32) {
	place = -1
	for i, f := range p.feeds {
		if at := f.link.past(now, *p.ends.At(message*len(p.feeds) + i)); f.link.rate > 0 && at > end {
			end, place = at, p.places[i]
		}
	}
	return end, place
}

// pop forgets the oldest message, and returns the place of the link that it was past last.
func (p *peer) pop() (place int32) {
	for range p.feeds {
		p.ends.Pop()
	}
	return p.slow.Pop()
}
