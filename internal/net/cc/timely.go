package cc

import "railyard/internal/base/unit"

// TIMELY are the parameters of TIMELY (SIGCOMM 2015, algorithm 1): the rate
// follows the gradient of the round-trip time, between a low threshold under
// which it grows and a high one over which it shrinks.
type TIMELY struct {
	// Alpha is the weight of the new RTT difference. 0.875 (HPCC ns-3 model; the
	// paper gives no figure, code derived from the authors' has 0.02).
	Alpha unit.Ratio
	// Beta is the multiplicative decrease factor. 0.8 (section 6).
	Beta unit.Ratio
	// MaxDecrease bounds one decrease. 1 (algorithm 1 as printed: one steep gradient
	// can take a sender to MinRate); eRPC's TIMELY, after the authors' code, has 1/2.
	MaxDecrease unit.Ratio
	// Low and High are the RTT thresholds. 50 us and 500 us (section 6).
	Low, High unit.Duration
	// MinRTT normalises the gradient. 20 us (HPCC ns-3 model); 0: the queue pair's base RTT.
	MinRTT unit.Duration
	// AI is the additive step delta. 10 Mb/s (section 6, 10 Gb/s ports).
	AI unit.Bitrate
	// PortRate: AI is stated for this port rate and scales with the line rate. 0: absolute.
	PortRate unit.Bitrate
	// HAIAfter is the number N of completions without a rising RTT after which the
	// step is N x AI. 5 (section 4.3).
	HAIAfter int32
	// HAI is the step after HAIAfter such completions, with PortRate as AI. 0: N x AI (the HPCC
	// ns-3 model has a rate of its own).
	HAI unit.Bitrate
	// HAIBelowLow: an RTT below Low counts as such a completion and takes the larger step too (HPCC
	// ns-3 model).
	HAIBelowLow bool
	// Segment is the number of bytes acknowledged per rate decision. 16 kB (section 6). 0: a
	// decision per round trip, by the first acknowledgement of what was sent after the decision
	// before (HPCC ns-3 model).
	Segment unit.Bytes
	// MinRate is the floor of the rate. Assumed.
	MinRate unit.Bitrate
	// Window limits the bytes in flight. The paper has none.
	Window Window
}

// Algorithm returns "timely".
func (TIMELY) Algorithm() string { return "timely" }

// Validate checks every parameter.
func (p TIMELY) Validate() error {
	if err := firstOf(
		fraction("alpha", p.Alpha, false),
		fraction("beta", p.Beta, false),
		fraction("max_decrease", p.MaxDecrease, false),
		positive("low", p.Low),
		check{p.High >= p.Low, "high", p.High.String(), "at least low"},
		notNegative("min_rtt", p.MinRTT),
		notNegative("ai", p.AI),
		notNegative("port_rate", p.PortRate),
		whole("hai_after", p.HAIAfter, 1, 1000),
		notNegative("hai", p.HAI),
		notNegative("segment", p.Segment),
		positive("min_rate", p.MinRate),
	); err != nil {
		return err
	}
	return p.Window.validate()
}

func (p TIMELY) newSet(n int) Set { return newSlab[timelyFlow, TIMELY, *timelyFlow](p, n) }

type timelyFlow struct {
	p          *TIMELY
	line       unit.Bitrate
	rate       float64 // b/s
	ai, hai    float64 // b/s
	min        float64 // b/s
	minRTT     float64 // ps
	difference float64 // moving average of the RTT difference, ps
	prevRTT    unit.Duration
	acked      unit.Bytes // since the last decision
	round      bound      // with a decision per round trip: the next one is when more than this is acknowledged
	window     unit.Bytes
	calm       int32 // decisions in a row with a gradient of zero or less, at most HAIAfter
}

func (f *timelyFlow) init(p *TIMELY, line unit.Bitrate, baseRTT unit.Duration) {
	minRTT := p.MinRTT
	if minRTT == 0 {
		minRTT = baseRTT
	}
	if minRTT <= 0 {
		panic("cc: timely needs min_rtt or the base RTT of the queue pair")
	}
	hai := scaled(p.HAI, line, p.PortRate)
	if p.HAI == 0 {
		hai = scaled(p.AI, line, p.PortRate) * unit.Bitrate(p.HAIAfter)
	}
	*f = timelyFlow{
		p: p, line: line, rate: float64(line), ai: float64(scaled(p.AI, line, p.PortRate)), hai: float64(hai),
		min: float64(min(p.MinRate, line)), minRTT: float64(minRTT), window: p.Window.start(line, baseRTT),
	}
}

func (f *timelyFlow) Rate(unit.Time) unit.Bitrate { return unit.Bitrate(f.rate) }
func (f *timelyFlow) State(now unit.Time) State {
	return State{Rate: f.Rate(now), Window: f.Window(now)}
}

func (f *timelyFlow) Window(now unit.Time) unit.Bytes {
	return f.p.Window.at(f.window, f.Rate(now), f.line)
}

func (f *timelyFlow) OnSent(unit.Time, unit.Bytes)   {}
func (f *timelyFlow) OnCNP(unit.Time, unit.Duration) {}
func (f *timelyFlow) OnLoss(unit.Time)               {}
func (f *timelyFlow) Rest(_ unit.Time, acked int64)  { f.round.rest(acked) }

// Repeat moves the end of the round trip.
func (f *timelyFlow) Repeat(bytes int64, _ unit.Duration) { f.round.repeat(bytes) }

// OnAck decides once for each segment acknowledged, or once a round trip.
func (f *timelyFlow) OnAck(a *Ack) {
	if f.p.Segment == 0 {
		if f.round.holds(a) {
			return
		}
		f.round.at = a.NextSeq
	} else if f.acked += a.Bytes; f.acked < f.p.Segment {
		return
	}
	f.acked = 0
	if f.prevRTT != 0 {
		f.decide(a.RTT)
	}
	f.prevRTT = a.RTT
}

// decide is algorithm 1.
func (f *timelyFlow) decide(rtt unit.Duration) {
	p := f.p
	alpha, beta := p.Alpha.Float(), p.Beta.Float()
	f.difference = float64((1-alpha)*f.difference) + float64(alpha*float64(rtt-f.prevRTT))
	gradient := f.difference / f.minRTT
	least := 1 - p.MaxDecrease.Float()
	switch {
	case rtt < p.Low && !p.HAIBelowLow:
		f.rate += f.ai
	case rtt > p.High:
		f.rate *= max(least, 1-float64(beta*(1-float64(p.High)/float64(rtt))))
		f.calm = 0
	case gradient <= 0 || rtt < p.Low:
		f.calm = min(f.calm+1, p.HAIAfter)
		step := f.ai
		if f.calm == p.HAIAfter {
			step = f.hai
		}
		f.rate += step
	default:
		f.rate *= max(least, 1-float64(beta*gradient))
		f.calm = 0
	}
	f.rate = max(f.min, min(float64(unit.Bitrate(f.rate)), float64(f.line))) // whole bits per second
}
