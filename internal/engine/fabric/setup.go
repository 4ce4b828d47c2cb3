package fabric

import (
	"math/bits"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// setup is what New decided, once for all: parts of a fabric read it, and change nothing in it.
type setup struct {
	eng        *sim.Engine
	graph      *topo.Graph
	cfg        Config
	nc         int   // classes
	tunnel     int64 // Config.Tunnel
	islandOf   []int32
	islandBits int // in a trace's slot

	each    bool // Quirks.AsScheduled
	holds   bool // Buffer.FreeAtTxEnd
	samples bool // Config.SampleEvery > 0
	large   bool // has LargePorts
	looks   bool // at DSCPs, or whether a frame may leave by the port that it goes to: see passes
	short   bool // some queue has a drop threshold
	weaves  bool // switches hold frames back

	repeat *repeat // nil: no period is recorded
}

func newSetup(eng *sim.Engine, g *topo.Graph, cfg Config, islandOf []int32) setup {
	return setup{eng: eng, graph: g, cfg: cfg, nc: len(cfg.Classes), tunnel: int64(cfg.Tunnel),
		islandOf: islandOf, islandBits: bits.Len(uint(eng.Islands() - 1)),
		each: cfg.Quirks.scheduled(), holds: cfg.Buffer.FreeAtTxEnd, samples: cfg.SampleEvery > 0,
		large:  len(g.Ports) >= LargePorts,
		weaves: cfg.Routing != nil && cfg.Routing.Method.Weaves}
}

// tunnelled puts the headers of an overlay around a frame that leaves by a link between switches, unless it has
// them, and takes them off one that leaves for a NIC; a tag the other way round. DSCP and ECN are
// copied from the inner header to the outer one and back (RFC 6040, section 4), so a frame has one of each.
func (s *setup) tunnelled(id PortID, pk *Packet) {
	switch trunk, wrapped := s.trunk(id), pk.bits&bitTunnel != 0; {
	case trunk && !wrapped:
		pk.bits |= bitTunnel
		pk.Bytes += uint16(s.tunnel)
	case !trunk && wrapped:
		pk.bits &^= bitTunnel
		pk.Bytes -= uint16(s.tunnel)
	}
}

// trunk reports whether a port is between switches.
func (s *setup) trunk(id PortID) bool { return s.graph.Ports[id].NIC < 0 }

// timeAt is how long bytes take on a link of some rate.
func (s *setup) timeAt(r unit.Bitrate, wire int64) unit.Duration {
	if s.cfg.Quirks.truncates() {
		return truncated(wire, r)
	}
	return r.TransmitTime(unit.Bytes(wire))
}

// truncated is how long bytes take at a rate by a clock of 1 ns as ns-3 has it.
func truncated(wire int64, rate unit.Bitrate) unit.Duration {
	return unit.TruncatedSeconds(float64(8*wire) / float64(rate))
}

// Linger is how long a run goes on after its last useful event: see Config.Linger.
func (s *setup) Linger() unit.Duration { return s.cfg.Linger(s.graph) }

// Classes returns how many traffic classes there are.
func (s *setup) Classes() int { return s.nc }

// Tunnel returns how many bytes a frame of a NIC has more on the link of a port.
func (s *setup) Tunnel(id PortID) unit.Bytes {
	if s.tunnel != 0 && s.trunk(id) {
		return unit.Bytes(s.tunnel)
	}
	return 0
}

// told is an instant as the run tells it.
func (s *setup) told(now unit.Time) unit.Time {
	if s.repeat == nil {
		return now
	}
	return now.Add(s.repeat.behind)
}

// recording reports whether touches of queues are recorded.
func (s *setup) recording() bool { return s.repeat != nil && s.repeat.recording }

// portProfile is how a port of a switch is configured.
func (s *setup) portProfile(id PortID) PortProfile {
	node := s.graph.Ports[id].Node
	own := s.cfg.profile(node)
	if own.Ports == nil {
		return own.port(0)
	}
	return own.port(slices.Index(s.graph.Nodes[node].Ports, id))
}
