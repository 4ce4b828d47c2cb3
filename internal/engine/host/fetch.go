package host

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// feed is a flow of a link inside a host.
type feed struct {
	link *share
	flow int32
}

func newFeed(s *share) feed { return feed{s, s.flow()} }

// Fetch is the way of a queue pair's bytes from the memory of a GPU to a NIC: NVLink to the GPU next
// to the NIC if that is another, then PCIe. The zero value takes no time: memory of the NIC itself.
type Fetch struct {
	feeds             []feed  // NVLink, then PCIe
	places            []int32 // of those of PCIe
	nvlink, pcie, nic unit.Duration

	staged *Fetch  // by way of host memory; nil: never
	at     *faulty // whose that is
}

// Fetched is a message on that way.
type Fetched struct {
	staged bool
	way    Way
	posted unit.Time
	starts []mark // before its first byte, by feed
}

// NewFetch returns the way from a GPU to a NIC; gpu -1: from the NIC itself.
func (h *Hosts) NewFetch(id topo.NICID, gpu int32) Fetch {
	f := Fetch{nic: h.cfg.NIC}
	if gpu < 0 {
		return f
	}
	if f.feeds = h.relay(id, gpu, true); len(f.feeds) > 0 {
		f.nvlink = h.cfg.NVLink.Latency
	}
	f.pcie = h.cfg.PCIe.Latency
	c, by := &h.pcie[h.pcieOf[id]], h.beside(id, gpu)
	if way, some := h.staged(c, by); some {
		s := f
		s.feeds = slices.Clip(f.feeds)
		h.toCard(&s, c, way)
		f.staged, f.at = &s, &h.hosts[c.host].faulty
	}
	h.toCard(&f, c, h.between(c, by))
	return f
}

// toCard adds links of PCIe to a way, and the card's own.
func (h *Hosts) toCard(f *Fetch, c *nicLinks, way []int32) {
	for _, d := range way {
		f.feeds = append(f.feeds, newFeed(&h.hosts[c.host].links[d]))
		f.places = append(f.places, h.place(c.host, d))
	}
	f.feeds = append(f.feeds, newFeed(c.down))
	f.places = append(f.places, h.placeOf(c, 0))
}

// Shared reports whether others may take a share of the way, so that what Here said may change.
func (f *Fetch) Shared() bool { return len(f.feeds) > 0 }

// Begin sets a message's bytes out on the way, and writes that to m, whatever it said before.
func (f *Fetch) Begin(now unit.Time, b unit.Bytes, m *Fetched) {
	if f.staged != nil && f.at.stagedAt(now) {
		f.staged.Begin(now, b, m)
		m.staged = true
		return
	}
	m.staged, m.posted, m.starts, m.way.Slowest, m.way.At = false, now, m.starts[:0], 0, 0
	for _, l := range f.feeds {
		m.starts = append(m.starts, l.link.add(now, l.flow, b))
	}
	m.way.NVLink = now.Add(f.nvlink)
	m.way.PCIe = m.way.NVLink.Add(f.pcie)
	m.way.NIC = m.way.PCIe.Add(f.nic)
}

// Here finds out when a message's bytes before an offset are at the NIC, as far as that is known
// now: they may come later, and never before. The links carry them at the same time, and then come
// the latencies. It writes to w where they are last.
func (f *Fetch) Here(now unit.Time, m *Fetched, offset int64, w *Way) (at unit.Time) {
	if m.staged {
		f = f.staged
	}
	at = m.way.NIC
	w.NVLink, w.PCIe, w.NIC, w.Slowest, w.At = m.way.NVLink, m.way.PCIe, at, cause.NIC, -1
	latency, nvlink := at.Sub(m.posted), len(f.feeds)-len(f.places)
	for i, l := range f.feeds {
		past := l.link.past(now, m.starts[i]+mark(offset)*markByte).Add(latency)
		if l.link.rate > 0 && past >= at {
			at = past
			w.Slowest, w.At = cause.NVLink, -1
			if i >= nvlink {
				w.Slowest, w.At = cause.PCIe, f.places[i-nvlink]
			}
		}
	}
	return at
}

// Store is the way from a NIC into the memory of a GPU.
type Store struct {
	hosts *Hosts
	nic   topo.NICID
	gpu   int32  // next to the NIC, -1: there is no way, the memory is the NIC's
	relay []feed // NVLink from there, if the memory is another's
	way   inward
	other *inward // by way of host memory; nil: never
	last  unit.Time
}

// inward is links of the graph behind a NIC's own.
type inward struct {
	feeds []feed
	at    []int32 // their places
}

// NewStore returns the way from a NIC to a GPU; gpu -1: none.
func (h *Hosts) NewStore(id topo.NICID, gpu int32) Store {
	s := Store{hosts: h, nic: id, gpu: gpu}
	if gpu < 0 {
		return s
	}
	s.relay = h.relay(id, gpu, false)
	s.gpu = h.beside(id, gpu)
	c := &h.pcie[h.pcieOf[id]]
	s.way = h.inward(c, id, back(h.between(c, s.gpu)))
	if way, some := h.staged(c, s.gpu); some {
		other := h.inward(c, id, back(way))
		s.other = &other
	}
	return s
}

func (h *Hosts) inward(c *nicLinks, id topo.NICID, links []int32) (w inward) {
	for _, d := range links {
		link := &h.hosts[c.host].links[d]
		w.feeds = append(w.feeds, feed{link, link.flowOf(id)})
		w.at = append(w.at, h.place(c.host, d))
	}
	return w
}

// Put carries a packet's payload into memory. It returns when it has crossed PCIe, when it is in
// memory, and which link of PCIe it was past last: its place, -1 without a graph.
func (s *Store) Put(now unit.Time, size unit.Bytes) (crossed, placed unit.Time, last int32) {
	if s.gpu < 0 {
		return now, now, -1
	}
	h := s.hosts
	c := &h.pcie[h.pcieOf[s.nic]]
	crossed, last = c.up.take(now, size, rateAt(c.rate, c.turns, max(now, c.up.free))), h.placeOf(c, 1)
	if at := &h.hosts[c.host]; at.copying && h.cfg.Graph == nil {
		if c := at.copies[s.gpu]; c != nil {
			crossed = c.beside(now, crossed, s.nic, size)
		}
	}
	way := &s.way
	if s.other != nil && h.hosts[c.host].faulty.stagedAt(now) {
		way = s.other
	}
	for i, f := range way.feeds {
		past := f.link.ifAllStay(now, f.link.add(now, f.flow, size)+mark(size)*markByte)
		if past > crossed {
			crossed, last = past, way.at[i]
		}
	}
	s.last = max(s.last, crossed)
	crossed = s.last.Add(h.cfg.PCIe.Latency)
	if len(s.relay) == 0 {
		return crossed, crossed, last
	}
	// It takes its share of NVLink as of now, and the bytes come when they have crossed PCIe. What
	// comes later does not hold it up.
	past := now
	for _, f := range s.relay {
		past = max(past, f.link.ifAllStay(now, f.link.add(now, f.flow, size)+mark(size)*markByte))
	}
	return crossed, crossed.Add(past.Sub(now)).Add(h.cfg.NVLink.Latency), last
}

// placeOf is the place of a card's own link, towards the card or (1) from it.
func (h *Hosts) placeOf(c *nicLinks, from int32) int32 {
	if h.cfg.Graph == nil {
		return -1
	}
	return h.place(c.host, h.cfg.Graph.card(c.card)^from)
}

// beside returns the GPU by which gpu reaches a NIC: itself, or the one next to the NIC.
func (h *Hosts) beside(id topo.NICID, gpu int32) int32 {
	if by := h.through(id, gpu); by >= 0 {
		return by
	}
	return gpu
}

// through returns the GPU by which gpu reaches a NIC that is not its own; -1 if it reaches the NIC
// directly, as it does without NVLink to that GPU.
func (h *Hosts) through(id topo.NICID, gpu int32) int32 {
	by := h.graph.NICs[id].GPU
	if h.graph.Near(id, gpu) || h.cfg.Graph.peer(gpu, by) != nil {
		return -1
	}
	return by
}

// relay returns flows on NVLink from a GPU to the one by which it reaches a NIC, or back; none if
// the NIC is its own.
func (h *Hosts) relay(id topo.NICID, gpu int32, out bool) []feed {
	by := h.through(id, gpu)
	if by < 0 {
		return nil
	}
	at := &h.hosts[h.graph.NICs[id].Host]
	if !out {
		gpu, by = by, gpu
	}
	return []feed{newFeed(&at.out[gpu]), newFeed(&at.in[by])}
}

// pipe is the state of a link inside a host that carries packets one after the other.
type pipe struct{ free unit.Time }

// take occupies the pipe for b bytes, from now or from when it is free, and returns when they are
// past.
func (p *pipe) take(now unit.Time, b unit.Bytes, rate unit.Bitrate) unit.Time {
	p.free = max(now, p.free)
	if rate > 0 {
		p.free = p.free.Add(rate.TransmitTime(b))
	}
	return p.free
}
