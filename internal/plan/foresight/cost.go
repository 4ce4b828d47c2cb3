package foresight

import (
	"math"

	"railyard/internal/base/unit"
)

// Work is what a run does, counted by kinds. Each costs so much processor time: see Costs.
type Work struct {
	PacketHops     int64 `json:"packet_hops"`     // packets and frames that leave a link
	QueuedPackets  int64 `json:"queued_packets"`  // of data, that pass a port whose senders are together faster than it
	NICMessages    int64 `json:"nic_messages"`    // between hosts: of ranks, or posted by flows
	NVLinkMessages int64 `json:"nvlink_messages"` // inside hosts, simulated one by one
	FLOP           int64 `json:"flop"`            // of real arithmetic
	Carried        int64 `json:"carried_bytes"`   // of messages of what is really trained, over NICs and NVLink
	Ports          int64 `json:"ports"`           // of NICs and switches
	Ranks          int64 `json:"ranks"`
	Connections    int64 `json:"connections"` // queue pairs, and ways over NVLink
}

// Costs is the processor time of one of each kind on the reference machine, in nanoseconds: one core of a 2 GHz server
// processor (AMD EPYC) with nothing beside it. What a hop touches depends on its port, and what a message touches on its ranks:
// once these are more than a cache holds, each doubling of them costs as much again.
//
//	hop      = Hop + HopDoubled x log2(ports / cachedPorts), at least Hop
//	message  = NIC or NVLink, each + Doubled x log2(ranks / cachedRanks), at least that
//
// A message over a NIC has a row in a table of its own. That the program starts is not in it: runs of a sweep share that. They
// are rounded from those that fit the cases of `railyard bench --forecast` and the files of tools/forecast, together.
type Costs struct {
	Hop, HopDoubled          float64
	Queued                   float64 // a packet that waits is marked, answered and told of
	NIC, NVLink              float64
	Doubled                  float64
	FLOP, Carried            float64
	Port, Connection, Always float64 // what is built and written whatever goes on
}

// Reference is the costs of the machine that they were measured on.
var Reference = Costs{
	Hop: 133, HopDoubled: 11, Queued: 400,
	NIC: 8000, NVLink: 900, Doubled: 110,
	FLOP: 1.0 / 20, Carried: 0.15,
	Port: 32_000, Connection: 28_000, Always: 5e6,
}

// Up to so many ports and ranks lie in a core's caches.
const (
	cachedPorts = 512
	cachedRanks = 8
)

// Seconds is the processor time that work takes at these costs.
func (c *Costs) Seconds(w *Work) float64 {
	hop := c.Hop + c.HopDoubled*doublings(w.Ports, cachedPorts)
	more := c.Doubled * doublings(w.Ranks, cachedRanks)
	ns := float64(w.PacketHops)*hop + float64(w.QueuedPackets)*c.Queued +
		float64(w.NICMessages)*(c.NIC+more) + float64(w.NVLinkMessages)*(c.NVLink+more) +
		float64(w.FLOP)*c.FLOP + float64(w.Carried)*c.Carried + float64(w.Ports)*c.Port + float64(w.Connections)*c.Connection + c.Always
	return ns / 1e9
}

// doublings is how often n is twice as many as fit, at least 0.
func doublings(n, fit int64) float64 {
	if n <= fit {
		return 0
	}
	return math.Log2(float64(n) / float64(fit))
}

// On is the estimate of a machine that takes so many times as long as the reference for the same, and so many seconds for a
// floating-point operation of what is really trained; 0: so many times as long for that, too.
func (e Estimate) On(slowness, flop float64) Estimate {
	e.Slowness = slowness
	c := Reference
	if flop > 0 && slowness > 0 {
		c.FLOP = 1e9 * flop / slowness
	}
	e.Seconds = c.Seconds(&e.Work) * slowness
	if u := e.Reuse; u != nil {
		e.Reuse = &Reuse{u.Steps, u.PacketHops, e.Seconds * float64(u.Steps) / float64(e.Steps)}
	}
	return e
}

// Worth is from how many seconds on it is worth a tenth of one to know how fast this machine is.
const Worth = 1 * unit.Second
