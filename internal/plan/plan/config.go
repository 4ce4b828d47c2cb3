package plan

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/plan/transport"
)

// FabricConfig returns the parameters of switches and links; the caller sets the observers.
func (p *Plan) FabricConfig() fabric.Config {
	sc := p.Scenario
	frames := transport.Frames(sc)
	cfg := fabric.Config{
		HostLatency:  sc.Cluster.NIC.Latency,
		LinkOverhead: frames.Overhead,
		Tunnel:       transport.Tunnel(p.Scenario),
		Untagged:     untagged(sc),
		PauseFrame:   frames.PFC,
		LargestFrame: transport.LargestFrame(sc),
		Seed:         sc.Seed,
		Faults:       p.Faults.Fabric,
		Routing:      p.routing(),
		HostsPause:   p.ReceiveBuffer() != nil && p.ReceiveBuffer().Pauses,
		Telemetry:    transport.Telemetry(sc),
		Quirks:       quirks(sc),
	}
	p.Switches.Apply(&cfg)
	return cfg
}

// quirks are the habits of a simulator that the scenario asks for, nil for none.
func quirks(sc *scenario.Scenario) *fabric.Quirks {
	q := fabric.Quirks{AsScheduled: sc.Fabric.AsScheduled(), TruncateNS: sc.Fabric.Clock == "truncate-ns"}
	if q == (fabric.Quirks{}) {
		return nil
	}
	return &q
}

// BaseRTT is the round-trip time of a queue pair in an empty network.
func (p *Plan) BaseRTT(q *Pair) unit.Duration {
	sc, frames := p.Scenario, transport.Frames(p.Scenario)
	if sc.Transport.BaseRTT == "payload" {
		return p.OneWay(q.Path, sc.Transport.MTU) + p.OneWay(q.Back, 0)
	}
	return p.OneWay(q.Path, frames.MaxDataFrame(sc.Transport.MTU)) + p.OneWay(q.Back, frames.ACK)
}

// WindowTime returns how long the sender's link takes to send a window: 0 without a window, -1
// where congestion control sets it.
func (p *Plan) WindowTime(q *Pair) unit.Duration {
	w, algorithm := p.Scenario.Transport.Window, p.Scenario.Congestion.Algorithm
	switch {
	case algorithm.Windowed():
		return -1
	case w.Word == "bdp":
		return p.BaseRTT(q)
	case w.Value > 0:
		return p.Graph.Ports[q.Path[0]].Rate.TransmitTime(w.Value)
	}
	return 0
}

// OnLink is how many bytes of a link a frame of a NIC takes.
func (p *Plan) OnLink(port topo.PortID, frame unit.Bytes) unit.Bytes {
	return transport.Frames(p.Scenario).OnLink(frame) + p.TunnelOn(port)
}

// TunnelOn is how many more it has there than on the NIC's link.
func (p *Plan) TunnelOn(port topo.PortID) unit.Bytes {
	if p.Graph.Ports[port].NIC >= 0 {
		return 0
	}
	return transport.Tunnel(p.Scenario)
}

// OneWay is how long a frame takes along a path of an empty network, until the far NIC acts on it.
func (p *Plan) OneWay(path []topo.PortID, frame unit.Bytes) unit.Duration {
	d := p.Scenario.Cluster.NIC.Latency
	for i, port := range path {
		pt := p.Graph.Ports[port]
		d += pt.Delay + pt.Rate.TransmitTime(p.OnLink(port, frame))
		if i > 0 {
			d += p.Switches.FabricAt(pt.Node).Switch.Latency
		}
	}
	return d
}

// untagged is the class of frames that have lost their tag; nil: switches do not look at tags.
func untagged(sc *scenario.Scenario) *uint8 {
	if sc.Fabric.QoS.Trust != "pcp" {
		return nil
	}
	other := uint8(switches.ClassOther)
	return &other
}
