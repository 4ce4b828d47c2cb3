package fabric

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// PortID names an egress direction of a link, as in topo.
type PortID = topo.PortID

// Class is a traffic class: a priority of the wire with its queue on every port.
type Class struct {
	Name     string
	Priority uint8      // 802.1p priority, 0-7
	Strict   bool       // served before all classes that are not strict; among strict classes by priority
	Weight   int        // in the deficit weighted round robin; strict classes have none
	Lossless bool       // protected by PFC
	ECN      *ECN       // nil: never marked
	Drop     qos.Length // drop threshold of its egress queues, see qos.Class
}

// Thresholds of queues and buffers, and how they follow from the configuration, are in package qos.
type (
	ECN    = qos.ECN
	PFC    = qos.PFC
	Buffer = qos.Buffer
)

// Config is everything a fabric needs beside its graph.
type Config struct {
	Classes       []Class // in dense order; packets name them by index
	DSCP          []uint8 // that NICs write into frames of each class; only for switches that look at it
	PFC           PFC
	Buffer        Buffer
	SwitchLatency unit.Duration // from a frame's last bit in to its place in the egress queue
	HostLatency   unit.Duration // of a NIC, from a frame's last bit in until the NIC acts on it
	LinkOverhead  unit.Bytes    // preamble and gap: bytes on the link beyond the frame
	PauseFrame    unit.Bytes
	Tunnel        unit.Bytes // that a frame has more on links between switches: headers of an overlay, less by a tag
	Untagged      *uint8     // switches look at tags, which frames have on links of hosts: class of others; nil: they do not
	MTU           unit.Bytes // largest frame that a port takes: headroom and schedulers allow for it
	LargestFrame  unit.Bytes // largest frame that anybody sends; 0: MTU
	Seed          uint64
	Faults        *Faults                      // nil: none
	HostsPause    bool                         // NICs send PFC frames of their own (PausePeer)
	Watchdog      *Watchdog                    // of paused ports; nil: none
	Watchdogs     []*Watchdog                  // by port, in place of Watchdog; nil: all have that
	Routing       *Routing                     // of frames whose next hop each switch chooses; nil: there are none
	Telemetry     bool                         // every data frame collects in-band telemetry at switches (HPCC)
	SampleEvery   unit.Duration                // queue sampling interval, 0: off
	OnSample      func(island int32, s Sample) // receives run-length samples
	OnLoss        func(island int32, l Loss)   // receives each lost frame, PFC frames excepted; may be nil
	OnEvent       func(island int32, e Event)  // receives what happens at ports; nil: nobody watches
	OnSent        func(island int32, s Sent)   // receives each frame that a tapped port sends; may be nil
	Tapped        []bool                       // by port: OnSent hears of it; nil: of none
	Quirks        *Quirks                      // of a simulator that is compared with; nil: none
	Profiles      []Profile                    // of switches that are not as the others
	ProfileOf     []int32                      // by node: index in Profiles, -1: none; nil: nobody has one
}

// Sample says that from time Index*SampleEvery (plus half an interval) on, the sampled length of a
// queue is Bytes.
type Sample struct {
	Port  PortID
	Class uint8
	Index int64
	Bytes unit.Bytes
	At    unit.Time // of the change before which it was taken, or of the end: of the island's event or before it
}

func (c *Config) validate() error {
	if len(c.Classes) == 0 || len(c.Classes) > 8 {
		return fmt.Errorf("fabric: %d traffic classes: want 1 to 8", len(c.Classes))
	}
	if c.MTU <= 0 || c.MTU > 65535 {
		return fmt.Errorf("fabric: MTU %v: want 1 B to 65,535 B", c.MTU)
	}
	if c.LargestFrame+c.Tunnel > 65535 {
		return fmt.Errorf("fabric: frames of %v and %v around them: want at most 65,535 B", c.LargestFrame, c.Tunnel)
	}
	if err := validatePause(&c.PFC, c.PauseFrame+c.LinkOverhead); err != nil {
		return err
	}
	for i, cl := range c.Classes {
		if !cl.Strict && cl.Weight <= 0 {
			return fmt.Errorf("fabric: class %s: weight %d: want a positive weight", cl.Name, cl.Weight)
		}
		for _, other := range c.Classes[:i] {
			if other.Priority == cl.Priority {
				return fmt.Errorf("fabric: classes %s and %s share priority %d", other.Name, cl.Name, cl.Priority)
			}
		}
	}
	return c.validateProfiles()
}

// validatePause reports a pause that must be sent again sooner than one PFC frame takes to send.
func validatePause(c *PFC, frame unit.Bytes) error {
	if c.Quanta == 0 || c.Refresh.Num == 0 {
		return nil
	}
	if every := c.Refresh.Of(512 * int64(c.Quanta)); every < 8*int64(frame) {
		return fmt.Errorf("fabric: a pause of %d quanta sent again after %v of its time is a frame each %d bit "+
			"times, and one takes %d: want more fabric.qos.pfc.quanta or a larger fabric.qos.pfc.refresh",
			c.Quanta, c.Refresh, every, 8*frame)
	}
	return nil
}

// Validate returns New's error: why no fabric over a graph can be built with the configuration.
func (c *Config) Validate(g *topo.Graph) error {
	if err := c.validate(); err != nil {
		return err
	}
	return c.eachSwitch(g, func(topo.NodeID, *qos.Switch) {})
}

// eachSwitch visits what each switch does at its ports. It reports one whose buffer does not work.
func (c *Config) eachSwitch(g *topo.Graph, visit func(topo.NodeID, *qos.Switch)) error {
	for i := range g.Nodes {
		if g.Nodes[i].Kind == topo.HostKind {
			continue
		}
		policy := c.PolicyOf(topo.NodeID(i))
		s, err := policy.Switch(Links(g, topo.NodeID(i)))
		if err == nil {
			err = c.admitsAll(topo.NodeID(i), &s)
		}
		if err != nil {
			return fmt.Errorf("fabric: switch %s: %w", g.Nodes[i].Name, err)
		}
		visit(topo.NodeID(i), &s)
	}
	return nil
}

// admitsAll reports a class whose largest frame finds no room in an empty buffer: its sender would
// repeat it for ever.
func (c *Config) admitsAll(id topo.NodeID, s *qos.Switch) error {
	size, own := c.largest(), c.profile(id)
	for i := range s.Ports {
		p, classes := &s.Ports[i], own.port(i/len(own.Classes)).Classes
		cl := &classes[i%len(classes)]
		b := new(buffer)
		b.setUp(&own, s)
		a, l, share := account{buf: b}, ledger{limit: int64(p.PFC.Headroom)}, b.lossyAlpha
		var xoff *threshold
		if cl.Lossless {
			rule := newThreshold(p.PFC.Rule())
			xoff, share = &rule, own.PFC.Alpha
		}
		if a.charge(&l, xoff, 0, int64(size)) == refused {
			return fmt.Errorf("a frame of %v of class %s finds no room in the empty buffer, of which %v are shared, "+
				"%v of that for one queue: want a larger fabric.switch.buffer or share, or a smaller transport.mtu",
				size, cl.Name, s.Shared, share)
		}
	}
	return nil
}

// delay is the time from a frame's last bit out of a port until the far end of its link acts:
// propagation, and the pipeline there.
func (c *Config) delay(g *topo.Graph, id PortID) unit.Duration {
	p := &g.Ports[id]
	if g.Nodes[p.To].Kind == topo.HostKind {
		return p.Delay + c.HostLatency
	}
	return p.Delay + c.profile(p.To).SwitchLatency
}

// reach is the shortest time and the longest in which one end of a link acts on the other: with a
// frame or with a PFC frame.
func (c *Config) reach(g *topo.Graph, id PortID) (least, most unit.Duration) {
	frame := c.delay(g, id)
	pause := g.Ports[id].Delay + c.PFC.Response.At(g.Ports[id^1].Rate)
	return min(frame, pause), max(frame, pause)
}

// Lookahead returns the shortest time in which one island acts on another, or where they run in turn
// (sim.Engine.RunInTurn) on one before it; if none does, Linger. Windows may be as long.
func (c *Config) Lookahead(g *topo.Graph, islandOf []int32, inTurn bool) unit.Duration {
	ahead := c.Linger(g)
	for id := range g.Ports {
		if early(&g.Ports[id], islandOf, inTurn) {
			least, _ := c.reach(g, PortID(id))
			ahead = min(ahead, least)
		}
	}
	return ahead
}

// FramesAhead is Lookahead where PFC frames do not count.
func (c *Config) FramesAhead(g *topo.Graph, islandOf []int32, inTurn bool) unit.Duration {
	ahead := c.Linger(g)
	for id := range g.Ports {
		if early(&g.Ports[id], islandOf, inTurn) {
			ahead = min(ahead, c.delay(g, PortID(id)))
		}
	}
	return ahead
}

// early reports whether what a port sends is for an island that may run before the port's own.
func early(p *topo.Port, islandOf []int32, inTurn bool) bool {
	from, to := islandOf[p.Node], islandOf[p.To]
	return from != to && !(inTurn && from < to)
}

// Linger returns the longest time in which one node acts on another over a link. A run that goes on
// for so long after its last useful event ends at the same instant with any partition.
func (c *Config) Linger(g *topo.Graph) (linger unit.Duration) {
	for id := range g.Ports {
		_, most := c.reach(g, PortID(id))
		linger = max(linger, most)
	}
	return linger
}
