package host

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// copies is the copy engine of a GPU, and the PCIe links towards it: with a graph those on the way from memory, else one
// which the engine shares with what NICs bring. A GPU has one from its first copy on.
//
// The engine's own copy ends exactly when the links are past its last byte, whoever comes and leaves
// meanwhile. A packet of a NIC is in memory when it would be if the others in service stayed: by as
// much as one packet takes it may be late, or early if a copy begins meanwhile.
type copies struct {
	feeds  []feed
	ends   []mark // behind the copy in progress, by feed
	token  exec.Token
	placed map[topo.NICID]unit.Time
}

// newCopies makes the copy engine of a GPU.
func (h *Hosts) newCopies(at *host, gpu int32) *copies {
	c := &copies{placed: map[topo.NICID]unit.Time{}}
	if g := h.cfg.Graph; g != nil {
		for _, d := range g.FromMemory[gpu] {
			c.feeds = append(c.feeds, newFeed(&at.links[d]))
		}
	} else {
		link := newShare(h.cfg.PCIe.Rate, h.cfg.latency(), at.faulty.pcie...)
		c.feeds = []feed{newFeed(&link)}
	}
	c.ends = make([]mark, len(c.feeds))
	return c
}

// CopyIn carries bytes from host memory to a rank's GPU: exec.Transport. A rank copies one thing at a
// time.
func (j *Job) CopyIn(rank int32, tok exec.Token, bytes unit.Bytes, w exec.Work) {
	h, id := j.hosts, j.ranks[rank]
	r := &h.ranks[id]
	own := &h.hosts[r.host]
	now, at := own.now, &own.copies[r.gpu]
	if *at == nil {
		*at, own.copying = h.newCopies(own, r.gpu), true
	}
	c := *at
	c.token = tok
	for i, f := range c.feeds {
		c.ends[i] = f.link.add(now, f.flow, bytes) + mark(bytes)*markByte
	}
	if t := h.cfg.Bodies.start(w); t != nil {
		r.tasks[tok] = t
	}
	h.copied(now, id)
}

// copied ends a rank's copy if it is past PCIe, and looks again when it may be.
func (h *Hosts) copied(now unit.Time, rank int32) {
	r := &h.ranks[rank]
	c := h.hosts[r.host].copies[r.gpu]
	at := now
	for i, f := range c.feeds {
		at = max(at, f.link.past(now, c.ends[i]))
	}
	if at > now {
		h.plan(r.host, entry{at: at, what: workCopied, a: rank})
		return
	}
	h.plan(r.host, entry{at: now.Add(h.cfg.PCIe.Latency), what: workDone, a: rank, b: int64(c.token)})
}

// beside returns when bytes that a NIC brings have crossed the link, which they would have at alone
// if nothing were copied.
func (c *copies) beside(now, alone unit.Time, nic topo.NICID, size unit.Bytes) unit.Time {
	link := c.feeds[0].link
	past := link.ifAllStay(now, link.add(now, link.flowOf(nic), size)+mark(size)*markByte)
	c.placed[nic] = max(alone, past, c.placed[nic])
	return c.placed[nic]
}
