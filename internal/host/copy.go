package host

import (
	"railyard/internal/exec"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// copies is the copy engine of a GPU, and the PCIe link towards it, which the engine shares with what
// NICs bring. A GPU has one from its first copy on.
//
// The engine's own copy ends exactly when the link is past its last byte, whoever comes and leaves
// meanwhile. A packet of a NIC is in memory when it would be if the others in service stayed: by as
// much as one packet takes it may be late, or early if a copy begins meanwhile.
type copies struct {
	link   share
	flow   int32 // of the engine
	end    mark  // behind the copy in progress
	token  exec.Token
	from   map[topo.NICID]int32 // flows of NICs
	placed map[topo.NICID]unit.Time
}

// CopyIn carries bytes from host memory to a rank's GPU: exec.Transport. A rank copies one thing at a
// time.
func (j *Job) CopyIn(rank int32, tok exec.Token, bytes unit.Bytes, w exec.Work) {
	h, id := j.hosts, j.ranks[rank]
	r := &h.ranks[id]
	now, at := h.hosts[r.host].now, &h.hosts[r.host].copies[r.gpu]
	if *at == nil {
		c := &copies{link: newShare(h.cfg.PCIe.Rate, h.cfg.latency(), h.hosts[r.host].faulty.pcie...), from: map[topo.NICID]int32{},
			placed: map[topo.NICID]unit.Time{}}
		c.flow = c.link.flow()
		*at, h.hosts[r.host].copying = c, true
	}
	c := *at
	c.token, c.end = tok, c.link.add(now, c.flow, bytes)+mark(bytes)*markByte
	if t := h.cfg.Bodies.start(w); t != nil {
		r.tasks[tok] = t
	}
	h.copied(now, id)
}

// copied ends a rank's copy if it is past PCIe, and looks again when it may be.
func (h *Hosts) copied(now unit.Time, rank int32) {
	r := &h.ranks[rank]
	c := h.hosts[r.host].copies[r.gpu]
	if at := c.link.past(now, c.end); at > now {
		h.plan(r.host, entry{at: at, what: workCopied, a: rank})
		return
	}
	h.plan(r.host, entry{at: now.Add(h.cfg.PCIe.Latency), what: workDone, a: rank, b: int64(c.token)})
}

// beside returns when bytes that a NIC brings have crossed the link, which they would have at alone
// if nothing were copied.
func (c *copies) beside(now, alone unit.Time, nic topo.NICID, size unit.Bytes) unit.Time {
	flow, ok := c.from[nic]
	if !ok {
		flow = c.link.flow()
		c.from[nic] = flow
	}
	past := c.link.ifAllStay(now, c.link.add(now, flow, size)+mark(size)*markByte)
	c.placed[nic] = max(alone, past, c.placed[nic])
	return c.placed[nic]
}
