package cc

import "railyard/internal/base/unit"

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
	// RateAI, if positive, makes a rate of what is controlled in place of a window, as in the HPCC
	// ns-3 model: it starts at line rate, is cut as the window is, and grows by this in a round
	// trip without a cut.
	RateAI unit.Bitrate
	// MinRate is the floor of that rate, Window what limits the bytes in flight beside it.
	MinRate unit.Bitrate
	Window  Window
}

// Algorithm returns "dctcp".
func (DCTCP) Algorithm() string { return "dctcp" }

// Validate checks every parameter.
func (p DCTCP) Validate() error {
	if err := firstOf(
		fraction("g", p.G, false),
		positive("mss", p.MSS),
		notNegative("initial_window", p.InitialWindow),
		notNegative("max_window", p.MaxWindow),
		notNegative("rate_ai", p.RateAI),
		check{p.RateAI == 0 || p.MinRate > 0, "min_rate", p.MinRate.String(), "more than 0"},
	); err != nil {
		return err
	}
	return p.Window.validate()
}

func (p DCTCP) newSet(n int) Set {
	if p.RateAI > 0 {
		return newSlab[dctcpRate, DCTCP, *dctcpRate](p, n)
	}
	return newSlab[dctcpFlow, DCTCP, *dctcpFlow](p, n)
}

// dctcpBounds are how far acknowledgements have to come.
type dctcpBounds struct {
	round bound // the estimate is renewed when more than this is acknowledged
	cut   bound // no second cut before more than this is acknowledged; nor does a rate grow
}

// Rest: nothing of what was marked is on its way.
func (b *dctcpBounds) Rest(_ unit.Time, acked int64) {
	b.round.rest(acked)
	b.cut.rest(acked)
}

// Repeat moves what was to be acknowledged.
func (b *dctcpBounds) Repeat(bytes int64, _ unit.Duration) {
	b.round.repeat(bytes)
	b.cut.repeat(bytes)
}

// dctcpFlow is one sender. Windows are in bytes.
type dctcpFlow struct {
	p                   *DCTCP
	line                unit.Bitrate
	window, max, thresh float64 // thresh: slow start below it
	alpha               float64 // estimate of the marked part
	acked, marked       unit.Bytes
	dctcpBounds
	started bool
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

func (f *dctcpFlow) Rate(unit.Time) unit.Bitrate { return f.line }
func (f *dctcpFlow) Window(unit.Time) unit.Bytes { return unit.Bytes(f.window) }
func (f *dctcpFlow) State(now unit.Time) State {
	return State{Rate: f.line, Alpha: f.alpha, Window: f.Window(now)}
}
func (f *dctcpFlow) OnSent(unit.Time, unit.Bytes)   {}
func (f *dctcpFlow) OnCNP(unit.Time, unit.Duration) {}

// OnAck renews the estimate once per round trip (equation 1), then cuts once per
// round trip with marks (equation 2), else grows.
func (f *dctcpFlow) OnAck(a *Ack) {
	f.acked += a.Bytes
	if a.Marked {
		f.marked += a.Bytes
	}
	if !f.started {
		f.started, f.round.at = true, a.NextSeq
	}
	if !f.round.holds(a) && f.acked > 0 {
		f.alpha = renewed(f.alpha, f.p.G.Float(), float64(f.marked)/float64(f.acked))
		f.acked, f.marked, f.round.at = 0, 0, a.NextSeq
	}
	switch {
	case f.cut.holds(a):
	case a.Marked:
		f.shrink(1 - float64(f.alpha/2))
		f.cut.at = a.NextSeq
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

// renewed is the estimate of the marked part after a round trip (equation 1). One that is negligible is 0.
func renewed(alpha, g, part float64) float64 {
	if alpha = float64((1-g)*alpha) + float64(g*part); alpha < negligible {
		return 0
	}
	return alpha
}

// dctcpRate is the sender that controls a rate. It counts packets: the part of marked ones is that
// of the packets in flight at the start of the round trip.
type dctcpRate struct {
	p             *DCTCP
	line, rate    unit.Bitrate
	min           unit.Bitrate
	window        unit.Bytes
	alpha         float64
	marked, batch int64
	dctcpBounds
	held, started bool // held: by a cut
}

func (f *dctcpRate) init(p *DCTCP, line unit.Bitrate, baseRTT unit.Duration) {
	*f = dctcpRate{p: p, line: line, rate: line, min: min(p.MinRate, line),
		window: p.Window.start(line, baseRTT), alpha: 1}
}

func (f *dctcpRate) Rate(unit.Time) unit.Bitrate { return f.rate }
func (f *dctcpRate) Window(unit.Time) unit.Bytes { return f.p.Window.at(f.window, f.rate, f.line) }
func (f *dctcpRate) State(now unit.Time) State {
	return State{Rate: f.rate, Alpha: f.alpha, Window: f.Window(now)}
}
func (f *dctcpRate) OnSent(unit.Time, unit.Bytes)   {}
func (f *dctcpRate) OnCNP(unit.Time, unit.Duration) {}
func (f *dctcpRate) OnLoss(unit.Time)               {}

// OnAck renews the estimate once per round trip; marks in the first one count towards the second.
func (f *dctcpRate) OnAck(a *Ack) {
	if a.Marked {
		f.marked++
	}
	round := !f.round.holds(a)
	if round {
		from := int64(0)
		if f.started {
			f.alpha = renewed(f.alpha, f.p.G.Float(), min(1, float64(f.marked)/float64(f.batch)))
			f.marked, from = 0, a.Seq
		}
		f.started, f.round.at, f.batch = true, a.NextSeq, (a.NextSeq-from)/int64(f.p.MSS)+1
	}
	f.held = f.held && f.cut.holds(a)
	switch {
	case f.held:
	case a.Marked:
		f.rate = max(f.min, unit.Bitrate(float64(f.rate)*(1-float64(f.alpha/2))))
		f.held, f.cut.at = true, a.NextSeq
	case round:
		f.rate = min(f.line, f.rate+f.p.RateAI)
	}
}
