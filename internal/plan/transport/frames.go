package transport

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
	"railyard/internal/plan/scenario"
)

// Frames returns the sizes of frames.
func Frames(sc *scenario.Scenario) wire.Sizes {
	f, tag := sc.Transport.Frames, sc.Fabric.QoS.Tag()
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
func Telemetry(sc *scenario.Scenario) bool { return sc.Congestion.Algorithm == scenario.ByHPCC }

// LargestFrame is the most bytes that any frame has.
func LargestFrame(sc *scenario.Scenario) unit.Bytes {
	frames := Frames(sc)
	n := frames.MaxDataFrame(sc.Transport.MTU)
	if sc.Transport.Setup {
		n = max(n, wire.CMFrameBytes+frames.Tag)
	}
	return n
}

// Tunnel is how many bytes a frame has more between leaves than on the link of a NIC: the headers of an overlay, and
// less by the tag that it has there.
func Tunnel(sc *scenario.Scenario) unit.Bytes {
	extra := -sc.Fabric.QoS.Tag()
	if sc.Fabric.Overlay() {
		extra += wire.OverlayBytes
	}
	return extra
}
