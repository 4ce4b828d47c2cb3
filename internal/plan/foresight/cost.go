package foresight

import (
	"math"

	"railyard/internal/base/unit"
)

// Work is what a run does, counted by kinds. Each costs so much processor time: see Costs.
type Work struct {
	PacketHops     int64 `json:"packet_hops"` // packets and frames that leave a link
	Packets        int64 `json:"packets"`     // of data that NICs send
	Acks           int64 `json:"acknowledgements"`
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
//	packet   = Packet at its NICs, and Ack for each acknowledgement; Queued where it waits
//	message  = NIC or NVLink, each + Doubled x log2(ranks / cachedRanks), at least that
//
// A message over a NIC has a row in a table of its own. Memory is what a byte costs that a run holds: the kernel clears its page,
// and gives it. That the program starts is not in it: runs of a sweep share that. They
// are rounded from those that fit scenarios that tools/forecast draws.
type Costs struct {
	Hop, HopDoubled          float64
	Packet, Ack              float64
	Queued                   float64 // a packet that waits is marked, answered and told of
	NIC, NVLink              float64
	Doubled                  float64
	FLOP, Carried            float64
	Port, Connection, Always float64 // what is built and written whatever goes on
	Memory                   float64
}

// Reference is the costs of the machine that they were measured on.
var Reference = Costs{
	Hop: 130, HopDoubled: 11, Packet: 70, Ack: 65, Queued: 650,
	NIC: 9000, NVLink: 900, Doubled: 250,
	FLOP: 1.0 / 20, Carried: 0.15,
	Port: 57_000, Connection: 31_000, Always: 200_000, Memory: 1.1,
}

// Start is the seconds that the program itself takes the reference machine to start and to end.
const Start = 0.1

// Up to so many ports and ranks lie in a core's caches.
const (
	cachedPorts = 512
	cachedRanks = 8
)

// Seconds is the processor time that a run takes at these costs.
func (c *Costs) Seconds(e *Estimate) float64 {
	w := &e.Work
	hop := c.Hop + c.HopDoubled*doublings(w.Ports, cachedPorts)
	more := c.Doubled * doublings(w.Ranks, cachedRanks)
	ns := float64(w.PacketHops)*hop + float64(w.Packets)*c.Packet + float64(w.Acks)*c.Ack + float64(w.QueuedPackets)*c.Queued +
		float64(w.NICMessages)*(c.NIC+more) + float64(w.NVLinkMessages)*(c.NVLink+more) +
		float64(w.FLOP)*c.FLOP + float64(w.Carried)*c.Carried + float64(w.Ports)*c.Port + float64(w.Connections)*c.Connection +
		float64(e.Memory)*c.Memory + c.Always
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
	e.Seconds = c.Seconds(&e) * slowness
	if u := e.Reuse; u != nil {
		again := *u
		again.Seconds = e.Seconds * float64(u.Steps) / float64(e.Steps)
		if e.PacketHops > 0 {
			once, left := e, 1-u.Imaged // of images no packet is simulated, but what ranks do is
			for _, n := range []*int64{&once.PacketHops, &once.Packets, &once.Acks, &once.QueuedPackets} {
				*n = int64(float64(*n) * left)
			}
			again.Seconds = c.Seconds(&once) * slowness * float64(u.PacketHops) / float64(max(1, once.PacketHops))
		}
		e.Reuse = &again
	}
	return e
}

// Started is the estimate with what the program takes to start.
func (e Estimate) Started() Estimate {
	e.Seconds += Start * e.Slowness
	if u := e.Reuse; u != nil {
		started := *u
		started.Seconds += Start * e.Slowness
		e.Reuse = &started
	}
	return e
}

// Worth is from how many seconds on it is worth a tenth of one to know how fast this machine is.
const Worth = 1 * unit.Second
