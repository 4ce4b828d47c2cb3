package cc

import "railyard/internal/unit"

// DCTCP are the parameters of DCTCP (SIGCOMM 2010, section 3; RFC 8257): a window
// cut once per round trip in proportion to the part of bytes that were marked.
type DCTCP struct {
	// G is the gain of the estimate of the marked part. 1/16 (section 3.4).
	G unit.Ratio
	// MSS is the step of the window in a round trip without marks: one packet.
	// 4,096 B, the payload MTU.
	MSS unit.Bytes
	// InitialWindow starts slow start. 0: start at line rate x base RTT without slow
	// start, as RDMA senders do (assumed; RFC 8257 keeps TCP's).
	InitialWindow unit.Bytes
	// MaxWindow is the bound of the window. 0: 4 x line rate x base RTT (assumed;
	// stands for the receive window).
	MaxWindow unit.Bytes
}

// Algorithm returns "dctcp".
func (DCTCP) Algorithm() string { return "dctcp" }

// Validate checks every parameter.
func (p DCTCP) Validate() error {
	return firstOf(
		fraction("g", p.G, false),
		positive("mss", p.MSS),
		notNegative("initial_window", p.InitialWindow),
		notNegative("max_window", p.MaxWindow),
	)
}

func (p DCTCP) newSet(n int) Set { return newSlab[dctcpFlow, DCTCP, *dctcpFlow](p, n) }

// dctcpFlow is one sender. Windows are in bytes.
type dctcpFlow struct {
	p                   *DCTCP
	line                unit.Bitrate
	window, max, thresh float64 // thresh: slow start below it
	alpha               float64 // estimate of the marked part
	acked, marked       unit.Bytes
	roundEnd            int64 // the estimate is renewed when this is acknowledged
	cutEnd              int64 // no second cut before this is acknowledged
	started             bool
}

func (f *dctcpFlow) init(p *DCTCP, line unit.Bitrate, baseRTT unit.Duration) {
	w, limit := p.InitialWindow, p.MaxWindow
	if limit == 0 {
		limit = max(p.MSS, 4*bdp(line, baseRTT))
	}
	*f = dctcpFlow{p: p, line: line, max: float64(limit), thresh: float64(limit), alpha: 1}
	if w == 0 {
		w = bdp(line, baseRTT)
		f.thresh = 0
	}
	f.window = max(float64(p.MSS), min(float64(w), f.max))
}

func (f *dctcpFlow) Rate(unit.Time) unit.Bitrate  { return f.line }
func (f *dctcpFlow) Window(unit.Time) unit.Bytes  { return unit.Bytes(f.window) }
func (f *dctcpFlow) State(unit.Time) State        { return State{Rate: f.line, Alpha: f.alpha} }
func (f *dctcpFlow) OnSent(unit.Time, unit.Bytes) {}
func (f *dctcpFlow) OnCNP(unit.Time)              {}

// OnAck renews the estimate once per round trip (equation 1), then cuts once per
// round trip with marks (equation 2), else grows.
func (f *dctcpFlow) OnAck(a *Ack) {
	f.acked += a.Bytes
	if a.Marked {
		f.marked += a.Bytes
	}
	if !f.started {
		f.started, f.roundEnd = true, a.NextSeq
	}
	if a.Seq > f.roundEnd && f.acked > 0 {
		g := f.p.G.Float()
		part := float64(f.marked) / float64(f.acked)
		f.alpha = float64((1-g)*f.alpha) + float64(g*part)
		f.acked, f.marked, f.roundEnd = 0, 0, a.NextSeq
	}
	switch {
	case a.Seq <= f.cutEnd:
	case a.Marked:
		f.shrink(1 - float64(f.alpha/2))
		f.cutEnd = a.NextSeq
	case f.window < f.thresh:
		f.window = min(f.max, f.window+float64(a.Bytes))
	default:
		f.window = min(f.max, f.window+float64(f.p.MSS)*float64(a.Bytes)/f.window)
	}
}

// OnLoss halves the window, as TCP does (RFC 8257, section 3.5).
func (f *dctcpFlow) OnLoss(unit.Time) { f.shrink(0.5) }

func (f *dctcpFlow) shrink(by float64) {
	f.window = max(float64(f.p.MSS), f.window*by)
	f.thresh = f.window
}
