package cc

import "railyard/internal/base/unit"

// Swift are the parameters of Swift (SIGCOMM 2020, algorithm 1), simplified: one
// window against the delay of the whole path (the paper keeps a second one for
// the receiving host), topology scaling being the base RTT of the queue pair.
type Swift struct {
	// Queueing is the delay allowed above the base RTT: target delay = base RTT +
	// Queueing + flow scaling. 10 us (assumed; the paper's targets are absolute and
	// those of its own data centres).
	Queueing unit.Duration
	// AI is the additive step per round trip, in packets. 1 (algorithm 1; value assumed).
	AI unit.Ratio
	// Beta is the decrease factor: cwnd x (1 - Beta (delay - target) / delay). 0.8 (value assumed).
	Beta unit.Ratio
	// MaxDecrease bounds one decrease (max_mdf). 1/2 (value assumed).
	MaxDecrease unit.Ratio
	// MTU is one packet.
	MTU unit.Bytes
	// MinWindow is the least window in packets; below 1 the sender paces one packet
	// each RTT / window (section 3.1). 1/1000 (value assumed).
	MinWindow unit.Ratio
	// MaxWindow is the bound of the window. 0: 4 x line rate x base RTT (assumed).
	MaxWindow unit.Bytes
	// FlowScaleRange is fs_range, the most that flow scaling adds to the target
	// (section 3.5: small windows mean many flows, hence longer queues). 0: no flow scaling.
	FlowScaleRange unit.Duration
	// FlowScaleMin and FlowScaleMax are the windows in packets between which the
	// addition falls from FlowScaleRange to 0, as 1 / sqrt(window). 1/10 and 100 (assumed).
	FlowScaleMin, FlowScaleMax unit.Ratio
}

// Algorithm returns "swift".
func (Swift) Algorithm() string { return "swift" }

// Validate checks every parameter.
func (p Swift) Validate() error {
	if err := firstOf(
		positive("queueing", p.Queueing),
		check{p.AI.Den > 0 && p.AI.Num > 0, "ai", ratioText(p.AI), "more than 0 packets"},
		fraction("beta", p.Beta, false),
		fraction("max_decrease", p.MaxDecrease, false),
		positive("mtu", p.MTU),
		fraction("min_window", p.MinWindow, false),
		notNegative("max_window", p.MaxWindow),
		notNegative("flow_scale_range", p.FlowScaleRange),
	); err != nil || p.FlowScaleRange == 0 {
		return err
	}
	lo, hi := p.FlowScaleMin, p.FlowScaleMax
	return firstOf(
		check{lo.Den > 0 && lo.Num > 0, "flow_scale_min", ratioText(lo), "more than 0 packets"},
		check{hi.Den > 0 && hi.Cmp(lo) > 0, "flow_scale_max", ratioText(hi), "more than flow_scale_min"},
	)
}

func (p Swift) newSet(n int) Set {
	c := swiftConstants{Swift: p, ai: p.AI.Float(), beta: p.Beta.Float(), least: 1 - p.MaxDecrease.Float()}
	if p.FlowScaleRange > 0 {
		lo, hi := 1/sqrt(p.FlowScaleMin.Float()), 1/sqrt(p.FlowScaleMax.Float())
		c.fsAlpha = float64(p.FlowScaleRange) / (lo - hi)
		c.fsBeta = c.fsAlpha * hi
	}
	return newSlab[swiftFlow, swiftConstants, *swiftFlow](c, n)
}

type swiftConstants struct {
	Swift
	ai, beta, least float64
	fsAlpha, fsBeta float64 // ps: alpha / sqrt(cwnd) - beta, section 3.5
}

// swiftFlow is one sender. Windows are in packets.
type swiftFlow struct {
	c                *swiftConstants
	line             unit.Bitrate
	base             unit.Duration
	cwnd, floor, max float64
	rtt              unit.Duration // latest
	cutAt            unit.Time     // last decrease
	cutOnce          bool
}

func (f *swiftFlow) init(c *swiftConstants, line unit.Bitrate, baseRTT unit.Duration) {
	w, limit := bdp(line, baseRTT), c.MaxWindow
	if limit == 0 {
		limit = 4 * w
	}
	mtu := float64(c.MTU)
	*f = swiftFlow{
		c: c, line: line, base: baseRTT, rtt: baseRTT, floor: c.MinWindow.Float(),
		max: max(1, float64(limit)/mtu), cwnd: max(1, float64(w)/mtu),
	}
}

// Rate is the line rate while the window clocks the packets, one packet each
// RTT / cwnd below one packet.
func (f *swiftFlow) Rate(unit.Time) unit.Bitrate {
	if f.cwnd >= 1 {
		return f.line
	}
	r := f.cwnd * float64(f.c.MTU) * 8 * float64(unit.Second) / float64(f.rtt)
	return max(1, min(f.line, unit.Bitrate(r)))
}

// Window is never below one packet: below that the rate limits.
func (f *swiftFlow) Window(unit.Time) unit.Bytes {
	return unit.Bytes(max(1, f.cwnd) * float64(f.c.MTU))
}

func (f *swiftFlow) State(now unit.Time) State {
	return State{Rate: f.Rate(now), Window: f.Window(now)}
}
func (f *swiftFlow) OnSent(unit.Time, unit.Bytes)   {}
func (f *swiftFlow) OnCNP(unit.Time, unit.Duration) {}

// target is procedure TargetDelay.
func (f *swiftFlow) target() unit.Duration {
	t := f.base + f.c.Queueing
	if f.c.FlowScaleRange == 0 {
		return t
	}
	add := f.c.fsAlpha/sqrt(f.cwnd) - f.c.fsBeta
	return t + unit.Duration(max(0, min(add, float64(f.c.FlowScaleRange))))
}

// OnAck is procedure OnAck of algorithm 1.
func (f *swiftFlow) OnAck(a *Ack) {
	if a.RTT == 0 {
		return // no packet has been timed yet
	}
	f.rtt = max(1, a.RTT)
	target := f.target()
	if a.RTT < target {
		step := f.c.ai * float64(a.Bytes) / float64(f.c.MTU)
		if f.cwnd >= 1 {
			step /= f.cwnd
		}
		f.cwnd = min(f.max, f.cwnd+float64(step))
		return
	}
	over := float64(a.RTT-target) / float64(a.RTT)
	f.shrink(a.Now, max(1-float64(f.c.beta*over), f.c.least))
}

// OnLoss shrinks by the largest step.
func (f *swiftFlow) OnLoss(now unit.Time) { f.shrink(now, f.c.least) }

// shrink cuts the window at most once per round trip.
func (f *swiftFlow) shrink(now unit.Time, by float64) {
	if f.cutOnce && now.Sub(f.cutAt) < f.rtt {
		return
	}
	w := max(f.floor, f.cwnd*by)
	if w < f.cwnd {
		f.cutAt, f.cutOnce = now, true
	}
	f.cwnd = w
}

// Rest forgets a decrease that lies a round trip back. Each later one lies at least as far from it as the round trip goes
// that is timed by then: what is timed later is sent later.
func (f *swiftFlow) Rest(now unit.Time, _ int64) {
	if f.cutOnce && now.Sub(f.cutAt) >= f.rtt {
		f.cutAt, f.cutOnce = 0, false
	}
}
