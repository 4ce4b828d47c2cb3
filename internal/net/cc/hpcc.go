package cc

import "railyard/internal/base/unit"

// HPCC are the parameters of HPCC (SIGCOMM 2019, algorithm 1): the window follows
// the bytes in flight on the busiest link, computed from in-band telemetry, so
// that every link runs at Eta of its capacity with an almost empty queue.
type HPCC struct {
	// Eta is the utilisation aimed at. 95 % (section 5.1).
	Eta unit.Ratio
	// MaxStage is the number of additive steps before a multiplicative one. 5 (section 5.1).
	MaxStage int32
	// AI is W_AI, the additive step of the window. 80 B (section 5.1, 100 Gb/s ports);
	// the rule is W_init (1-Eta) / flows (section 3.3).
	AI unit.Bytes
	// RateAI, if positive, is that step as a rate, over T (HPCC ns-3 model).
	RateAI unit.Bitrate
	// BaseRTT is T, the largest round trip of an idle network. 0: the queue pair's own.
	BaseRTT unit.Duration
	// MinRate is the floor of the rate. The paper has none; 100 Mb/s in the HPCC
	// ns-3 model.
	MinRate unit.Bitrate
	// TxUnit and QueueUnit are what the telemetry header counts bytes sent and queued in, rounded
	// down. 1 B; in the HPCC ns-3 model 128 B and 80 B for 25 Gb/s ports, four times that for 100
	// Gb/s.
	TxUnit, QueueUnit unit.Bytes
	// OncePerRTT: only the acknowledgement that ends a round trip sets the rate (FAST_REACT 0 of
	// the HPCC ns-3 model). The paper reacts to each one.
	OncePerRTT bool
}

// Algorithm returns "hpcc".
func (HPCC) Algorithm() string { return "hpcc" }

// Validate checks every parameter.
func (p HPCC) Validate() error {
	return firstOf(
		fraction("eta", p.Eta, false),
		whole("max_stage", p.MaxStage, 0, 1000),
		notNegative("ai", p.AI),
		notNegative("rate_ai", p.RateAI),
		notNegative("base_rtt", p.BaseRTT),
		positive("min_rate", p.MinRate),
		positive("tx_unit", p.TxUnit),
		positive("queue_unit", p.QueueUnit),
	)
}

func (p HPCC) newSet(n int) Set { return newSlab[hpccFlow, HPCC, *hpccFlow](p, n) }

// hpccFlow holds Algorithm 1's state: W, Wc, incStage, lastUpdateSeq, and U and L of each path.
// Windows are held as the rates W / T that they are sent at.
type hpccFlow struct {
	p           *HPCC
	line        unit.Bitrate
	rtt         float64    // T in nanoseconds
	full        unit.Bytes // the window at line rate: line rate x T
	min, ai     unit.Bitrate
	current     unit.Bitrate // Wc: the window at the start of this round trip
	rate        unit.Bitrate // W
	t           unit.Duration
	utilisation float64 // U of the busiest path
	updateSeq   int64   // acknowledgements beyond it start a new round trip
	stage       int32
	own         hpccPath
	more        []hpccPath // where packets take several; at most MaxPaths-1
}

func (f *hpccFlow) init(p *HPCC, line unit.Bitrate, baseRTT unit.Duration) {
	if p.BaseRTT > 0 {
		baseRTT = p.BaseRTT
	}
	ai := p.RateAI
	if ai == 0 {
		ai = unit.Bitrate(float64(p.AI) * 8 * float64(unit.Second) / float64(baseRTT))
	}
	*f = hpccFlow{p: p, line: line, rtt: nanoseconds(baseRTT), full: bdp(line, baseRTT), min: min(p.MinRate, line),
		ai: ai, current: line, rate: line, t: baseRTT, utilisation: 1, own: hpccPath{utilisation: 1}}
}

// Rate is W / T (section 3.2: pacing).
func (f *hpccFlow) Rate(unit.Time) unit.Bitrate { return f.rate }

// Window is W.
func (f *hpccFlow) Window(unit.Time) unit.Bytes {
	return max(1, unit.Bytes(unit.Ratio{Num: int64(f.rate), Den: int64(f.line)}.Of(int64(f.full))))
}

func (f *hpccFlow) State(now unit.Time) State {
	return State{Rate: f.Rate(now), Alpha: f.utilisation, Window: f.Window(now)}
}
func (f *hpccFlow) OnSent(unit.Time, unit.Bytes)   {}
func (f *hpccFlow) OnCNP(unit.Time, unit.Duration) {}
func (f *hpccFlow) OnLoss(unit.Time)               {}

// OnAck is procedure NewAck. Without telemetry it learns nothing; the first
// telemetry of a path only gives the point to measure from.
func (f *hpccFlow) OnAck(a *Ack) {
	if len(a.Hops) > MaxHops {
		panic("cc: telemetry of more hops than MaxHops")
	}
	if len(a.Hops) == 0 {
		return
	}
	path := f.path(a.Path)
	path.seen = a.Now
	if int(path.hops) != len(a.Hops) {
		path.hops, path.measured = int32(copy(path.last[:], a.Hops)), false
		if len(f.more) == 0 {
			f.updateSeq = a.NextSeq
		}
		return
	}
	update := a.Seq > f.updateSeq
	if f.p.OncePerRTT && !update {
		return
	}
	f.measureInflight(path, a.Hops)
	f.utilisation = f.busiest(a.Now)
	f.computeWindow(update)
	a.Paced = true
	if update {
		f.updateSeq = a.NextSeq
	}
	copy(path.last[:], a.Hops)
}

// measureInflight is procedure MeasureInflight: a moving average over one round
// trip of queue / (B T) + txRate / B, on the link where that is largest. The order of
// operations is that of the HPCC ns-3 model: another would round differently, and a rate
// that differs in its last bit moves a packet by a nanosecond sooner or later.
func (f *hpccFlow) measureInflight(path *hpccPath, hops []Hop) {
	var u, tau float64
	for i := range hops {
		h, l := &hops[i], &path.last[i]
		dt := nanoseconds(h.Time.Sub(l.Time))
		if dt <= 0 {
			continue
		}
		sent := counted(h.TxBytes, f.p.TxUnit) - counted(l.TxBytes, f.p.TxUnit)
		rate := float64(8*sent) / float64(dt*1e-9)
		queue := counted(min(h.Queue, l.Queue), f.p.QueueUnit)
		if v := rate/float64(h.Rate) + float64(queue)*float64(f.line)/float64(h.Rate)/float64(f.full); v > u {
			u, tau = v, dt
		}
	}
	tau = min(tau, f.rtt)
	path.utilisation = (float64(path.utilisation*(f.rtt-tau)) + float64(u*tau)) / f.rtt
	path.measured = true
}

func nanoseconds(d unit.Duration) float64 { return float64(d) / float64(unit.Nanosecond) }

// counted is what a header that counts in units says of b.
func counted(b, in unit.Bytes) unit.Bytes { return b - b%in }

// computeWindow is procedure ComputeWind, within the bounds of the rate.
func (f *hpccFlow) computeWindow(update bool) {
	stage := f.stage + 1
	w := f.current + f.ai
	if k := f.utilisation / f.p.Eta.Float(); k >= 1 || f.stage >= f.p.MaxStage {
		w, stage = f.line, 0
		if k > 0 {
			w = unit.Bitrate(min(float64(f.line), float64(f.current)/k)) + f.ai
		}
	}
	f.rate = max(f.min, min(f.line, w))
	if update {
		f.current, f.stage = f.rate, stage
	}
}
