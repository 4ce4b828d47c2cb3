package plan

import (
	"railyard/internal/cc"
	"railyard/internal/fabric"
	"railyard/internal/inventory"
	"railyard/internal/switches"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/wire"
)

// Frames returns the sizes of frames.
func (p *Plan) Frames() wire.Sizes {
	f, tag := p.Scenario.Transport.Frames, p.Scenario.Fabric.QoS.Tag()
	sizes := wire.Sizes{
		Data:     f.Header + tag,
		RETH:     f.RETH,
		ImmDt:    f.Immediate,
		ACK:      f.ACK + tag,
		CNP:      f.CNP,
		PFC:      f.Pause,
		Overhead: f.Overhead,
		Tag:      tag,
	}
	if f.CNP > 0 {
		sizes.CNP += tag
	}
	return sizes
}

// Telemetry reports whether data packets carry in-band telemetry.
func (p *Plan) Telemetry() bool { return p.Scenario.Congestion.Algorithm == "hpcc" }

// LargestFrame is the most bytes that any frame has.
func (p *Plan) LargestFrame(frames wire.Sizes) unit.Bytes {
	n := frames.MaxDataFrame(p.Scenario.Transport.MTU)
	if p.Scenario.Transport.Setup {
		n = max(n, wire.CMFrameBytes+frames.Tag)
	}
	return n
}

// FabricConfig returns the parameters of switches and links; the caller sets the observers.
func (p *Plan) FabricConfig() fabric.Config {
	sc := p.Scenario
	frames := p.Frames()
	cfg := fabric.Config{
		HostLatency:  sc.Cluster.NIC.Latency,
		LinkOverhead: frames.Overhead,
		Tunnel:       p.Tunnel(),
		Untagged:     p.untagged(),
		PauseFrame:   frames.PFC,
		LargestFrame: p.LargestFrame(frames),
		Seed:         sc.Seed,
		Faults:       p.Faults.Fabric,
		Routing:      p.routing(),
		HostsPause:   p.ReceiveBuffer() != nil && p.ReceiveBuffer().Pauses,
		Telemetry:    p.Telemetry(),
		Quirks:       p.quirks(),
	}
	p.Switches.Apply(&cfg)
	return cfg
}

// quirks are the habits of a simulator that the scenario asks for, nil for none.
func (p *Plan) quirks() *fabric.Quirks {
	q := fabric.Quirks{AsScheduled: p.AsScheduled(), TruncateNS: p.Scenario.Fabric.Clock == "truncate-ns"}
	if q == (fabric.Quirks{}) {
		return nil
	}
	return &q
}

// AsScheduled reports whether events of an instant happen in the order in which they were
// scheduled.
func (p *Plan) AsScheduled() bool { return p.Scenario.Fabric.Order == "scheduled" }

// Controller returns the parameters of the congestion control.
func (p *Plan) Controller() cc.Params {
	c, w := p.Scenario.Congestion, p.Scenario.Transport.Window
	window := cc.Window{Bytes: w.Value, BDP: w.Word == "bdp", Scale: p.Scenario.Transport.WindowScale}
	switch c.Algorithm {
	case "none":
		return cc.None{Window: window}
	case "hpcc":
		h := c.HPCC
		return cc.HPCC{
			Eta:        h.Eta,
			MaxStage:   int32(h.MaxStage),
			AI:         h.AI,
			RateAI:     h.RateAI.Or(0),
			BaseRTT:    h.BaseRTT.Or(0),
			MinRate:    h.MinRate,
			TxUnit:     h.TxUnit,
			QueueUnit:  h.QueueUnit,
			OncePerRTT: !h.FastReact,
		}
	case "timely":
		t := c.TIMELY
		return cc.TIMELY{
			Alpha:       t.Alpha,
			Beta:        t.Beta,
			MaxDecrease: t.MaxDecrease,
			Low:         t.Low,
			High:        t.High,
			MinRTT:      t.MinRTT.Or(0),
			AI:          t.AI,
			HAI:         t.HAI.Or(0),
			HAIAfter:    int32(t.HAIAfter),
			HAIBelowLow: t.HAIBelowLow,
			Segment:     t.Segment.Or(0),
			MinRate:     t.MinRate,
			Window:      window,
		}
	case "dctcp":
		d := c.DCTCP
		if d.RateAI.Set {
			return cc.DCTCP{G: d.G, MSS: d.MSS, RateAI: d.RateAI.Value, MinRate: d.MinRate, Window: window}
		}
		return cc.DCTCP{G: d.G, MSS: d.MSS, InitialWindow: d.InitialWindow.Or(0), MaxWindow: d.MaxWindow.Or(0)}
	case "swift":
		s := c.Swift
		return cc.Swift{
			Queueing:       s.Queueing,
			AI:             s.AI,
			Beta:           s.Beta,
			MaxDecrease:    s.MaxDecrease,
			MTU:            p.Scenario.Transport.MTU,
			MinWindow:      s.MinWindow,
			MaxWindow:      s.MaxWindow.Or(0),
			FlowScaleRange: s.FlowScaleRange,
			FlowScaleMin:   s.FlowScaleMin,
			FlowScaleMax:   s.FlowScaleMax,
		}
	}
	first := unit.Ratio{Num: 1, Den: 1}
	if c.DecreaseInterval.Set {
		first = c.FirstCNPRate
	}
	return cc.DCQCN{
		G:                c.G,
		InitialAlpha:     c.InitialAlpha,
		AlphaTimer:       c.AlphaTimer,
		CNPInterval:      c.CNPInterval,
		AckCNP:           c.Notify == "ack",
		DecreaseInterval: c.DecreaseInterval.Or(0),
		DecreaseOffset:   c.DecreaseOffset,
		FirstCNPRate:     first,
		ClampTarget:      c.ClampTarget,
		MinDecFactor:     c.MinDecFactor,
		CutOnLoss:        c.CutOnLoss,
		IncreaseTimer:    c.IncreaseTimer,
		ByteCounter:      c.ByteCounter.Or(0),
		FastRecovery:     int32(c.FastRecovery),
		AI:               c.RateAI,
		HAI:              c.RateHAI,
		MinRate:          c.MinRate,
		Window:           window,
	}
}

// BaseRTT is the round-trip time of a queue pair in an empty network.
func (p *Plan) BaseRTT(q *Pair) unit.Duration {
	sc, frames := p.Scenario, p.Frames()
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
	case algorithm == "hpcc" || algorithm == "swift" || algorithm == "dctcp":
		return -1
	case w.Word == "bdp":
		return p.BaseRTT(q)
	case w.Value > 0:
		return p.Graph.Ports[q.Path[0]].Rate.TransmitTime(w.Value)
	}
	return 0
}

// Overlay reports whether frames have the headers of an overlay between leaves.
func (p *Plan) Overlay() bool { return p.Scenario.Fabric.Encapsulation == "vxlan" }

// Tunnel is how many bytes a frame has more between leaves than on the link of a NIC: the headers of an overlay, and
// less by the tag that it has there.
func (p *Plan) Tunnel() unit.Bytes {
	extra := -p.Scenario.Fabric.QoS.Tag()
	if p.Overlay() {
		extra += wire.OverlayBytes
	}
	return extra
}

// untagged is the class of frames that have lost their tag; nil: switches do not look at tags.
func (p *Plan) untagged() *uint8 {
	if p.Scenario.Fabric.QoS.Trust != "pcp" {
		return nil
	}
	other := uint8(switches.ClassOther)
	return &other
}

// checkTunnel reports an overlay whose frames no port takes.
func (p *Plan) checkTunnel() error {
	sc, extra := p.Scenario, p.Tunnel()
	if by := &sc.Fabric.Routing; by.Speaks() && by.Protocol == string(inventory.EVPN) && !p.Overlay() &&
		inventory.Joined(p.Graph) {
		return sc.Refused("fabric.routing.protocol", "evpn: what it tells switches is for VXLAN, and frames between them have no "+
			"VXLAN, want fabric.encapsulation vxlan, or protocol ebgp")
	}
	by := sessions(&sc.Fabric.Routing)
	if err := inventory.CheckOverlay(p.Graph, &by); err != nil {
		return sc.Refused("fabric.routing.protocol", "%v", err)
	}
	largest := p.Frames().MaxDataFrame(sc.Transport.MTU)
	if extra <= 0 || largest+extra <= sc.Fabric.MTU {
		return nil
	}
	return sc.Refused("fabric.mtu", "%s: with fabric.encapsulation %s a frame of %s has %s more between leaves, want at least "+
		"%s, or a smaller transport.mtu", sc.Fabric.MTU, sc.Fabric.Encapsulation, largest, extra, largest+extra)
}

// OnLink is how many bytes of a link a frame of a NIC takes.
func (p *Plan) OnLink(port topo.PortID, frame unit.Bytes) unit.Bytes {
	return p.Frames().OnLink(frame) + p.TunnelOn(port)
}

// tunnel is how many more it has there than on the NIC's link.
func (p *Plan) TunnelOn(port topo.PortID) unit.Bytes {
	if p.Graph.Ports[port].NIC >= 0 {
		return 0
	}
	return p.Tunnel()
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
