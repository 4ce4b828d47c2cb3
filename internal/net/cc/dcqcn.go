package cc

import "railyard/internal/base/unit"

// DCQCN are the parameters of the DCQCN reaction point. One state machine covers
// the paper (SIGCOMM 2015, section 3.1, figure 7) and the timers-only version of
// the HPCC authors' ns-3 model: they differ only in these values, see Presets.
//
//	             CNP                        timer T or byte counter BC
//	              |                         (stages since the last cut)
//	              v
//	cut: target := rate                max(T,BC) < F   fast recovery
//	     rate   := rate (1-alpha/2)    min(T,BC) > F   hyper increase: target += HAI
//	     alpha  := (1-g) alpha + g     else            additive increase: target += AI
//	     T, BC, timer restart                          rate := (rate + target) / 2
type DCQCN struct {
	// G is the gain g of alpha. 1/256 (section 5.2).
	G unit.Ratio
	// InitialAlpha is alpha at the first CNP. 1 (section 3.1).
	InitialAlpha unit.Ratio
	// AlphaTimer: without a CNP for so long, alpha := (1-g) alpha (the paper's K,
	// 55 us; equation 2). With DecreaseInterval it runs freely.
	AlphaTimer unit.Duration

	// CNPInterval is the least time between two CNPs of a flow at the notification
	// point (the paper's N, 50 us). The reaction point does not use it; it stands
	// here because it belongs to the parameter set. 0: every marked packet.
	CNPInterval unit.Duration
	// AckCNP: an acknowledgement with the mark counts as a CNP (no CNP packets).
	AckCNP bool

	// DecreaseInterval 0: each CNP cuts the rate and updates alpha, as in the
	// paper. Positive: from the first CNP on, alpha and cut have free-running
	// timers, each tick asks whether a CNP came since the tick before.
	DecreaseInterval unit.Duration
	// DecreaseOffset delays the first tick of the decrease timer, so that alpha is
	// updated before it is used (1 ns in the ns-3 model).
	DecreaseOffset unit.Duration
	// FirstCNPRate: with DecreaseInterval, the first CNP sets rate and target to
	// this part of the rate. 1: it does not cut (RateOnFirstCNP).
	FirstCNPRate unit.Ratio
	// ClampTarget: each cut sets target := rate. Otherwise only a cut after at
	// least one timer increase since the cut before.
	ClampTarget bool

	// MinDecFactor is the part of its rate that a sender keeps at least in one cut (rpg_min_dec_fac). 0: 1-alpha/2
	// alone says it.
	MinDecFactor unit.Ratio

	// IncreaseTimer is the time between two increases, restarted by a cut (the
	// paper's T, 55 us).
	IncreaseTimer unit.Duration
	// ByteCounter is the number of bytes sent between two increases (the paper's
	// B, 10 MB). 0: no byte counter, both stages are the timer's.
	ByteCounter unit.Bytes
	// FastRecovery is the number F of fast-recovery steps. 5 (section 3.1).
	FastRecovery int32
	// AI and HAI are the steps of the target rate in additive and hyper increase.
	AI, HAI unit.Bitrate
	// PortRate: AI and HAI are stated for this port rate and scale with the line
	// rate. 0: they are absolute.
	PortRate unit.Bitrate
	// MinRate is the floor of the rate (not of line rates below it).
	MinRate unit.Bitrate

	// CutOnLoss: a NAK or timeout counts as a CNP. The paper has no such rule.
	CutOnLoss bool
	// Window limits the bytes in flight. The paper has none.
	Window Window
}

// Algorithm returns "dcqcn".
func (DCQCN) Algorithm() string { return "dcqcn" }

// minGain bounds how long alpha takes to fade, hence the longest replay.
const minGain = 1.0 / 65536

// Validate checks every parameter.
func (p DCQCN) Validate() error {
	if err := firstOf(
		fraction("g", p.G, false),
		fraction("initial_alpha", p.InitialAlpha, true),
		positive("alpha_timer", p.AlphaTimer),
		notNegative("cnp_interval", p.CNPInterval),
		notNegative("decrease_interval", p.DecreaseInterval),
		notNegative("decrease_offset", p.DecreaseOffset),
		fraction("first_cnp_rate", p.FirstCNPRate, false),
		fraction("min_dec_fac", p.MinDecFactor, true).unless(p.MinDecFactor == unit.Ratio{}),
		positive("increase_timer", p.IncreaseTimer),
		notNegative("byte_counter", p.ByteCounter),
		whole("fast_recovery", p.FastRecovery, 0, 1000),
		notNegative("ai", p.AI),
		notNegative("hai", p.HAI),
		notNegative("port_rate", p.PortRate),
		positive("min_rate", p.MinRate),
	); err != nil {
		return err
	}
	if p.G.Float() < minGain {
		return outOfRange("g", p.G.String(), "1/65536 to 1")
	}
	if p.DecreaseInterval == 0 && p.FirstCNPRate.Num != p.FirstCNPRate.Den {
		return outOfRange("first_cnp_rate", p.FirstCNPRate.String(), "1 unless decrease_interval is set")
	}
	return p.Window.validate()
}

func (p DCQCN) newSet(n int) Set {
	g := p.G.Float()
	kept := 0.0
	if p.MinDecFactor.Den > 0 {
		kept = p.MinDecFactor.Float()
	}
	return newSlab[dcqcnFlow, dcqcnConstants, *dcqcnFlow](dcqcnConstants{DCQCN: p, g: g, keep: 1 - g, kept: kept}, n)
}

type dcqcnConstants struct {
	DCQCN
	g, keep float64 // g and 1-g
	kept    float64 // of the rate at least in one cut
}

// dcqcnFlow is the reaction point of one queue pair.
//
// Invariant: next is the earliest of alphaAt, cutAt and riseAt; all are later
// than the latest call, but for a tick that a CNP of that instant may precede.
// Before the first CNP no timer runs.
type dcqcnFlow struct {
	c                  *dcqcnConstants
	next               unit.Time
	rate, target, line unit.Bitrate
	alpha              float64
	alphaAt            unit.Time // next tick of the alpha timer
	cutAt              unit.Time // next tick of the decrease timer; Never in the paper's version
	riseAt             unit.Time // next tick of the increase timer; Never before the first cut
	ai, hai, min       unit.Bitrate
	window, sent       unit.Bytes // sent: since the byte counter's last increase
	timeStage          int32      // increases by timer since the last cut, at most F+1
	byteStage          int32      // increases by bytes since the last cut, at most F+1
	limited            bool       // a CNP has come, the timers run
	alphaCNP, cutCNP   bool       // a CNP came since the last tick of the timer
	kept               dcqcnKept
}

// dcqcnKept is what a reaction point that rests at line rate remembers for its next CNP, in place of what it would have if
// none had come yet: until then nothing asks for it.
type dcqcnKept struct {
	alpha          float64
	alphaAt, cutAt unit.Time
	timeStage      int32
	is             bool
}

func (f *dcqcnFlow) init(c *dcqcnConstants, line unit.Bitrate, baseRTT unit.Duration) {
	*f = dcqcnFlow{
		c: c, line: line, rate: line, target: line,
		ai: scaled(c.AI, line, c.PortRate), hai: scaled(c.HAI, line, c.PortRate),
		min: min(c.MinRate, line), alpha: c.InitialAlpha.Float(),
		next: unit.Never, alphaAt: unit.Never, cutAt: unit.Never, riseAt: unit.Never,
		window: c.Window.start(line, baseRTT),
	}
}

// scaled is a rate stated for ports of rate at, on a port of rate line.
func scaled(r, line, at unit.Bitrate) unit.Bitrate {
	if at == 0 {
		return r
	}
	return unit.Bitrate(unit.Ratio{Num: int64(line), Den: int64(at)}.Of(int64(r)))
}

func (f *dcqcnFlow) Rate(now unit.Time) unit.Bitrate {
	f.replay(now)
	return f.rate
}

func (f *dcqcnFlow) Window(now unit.Time) unit.Bytes {
	f.replay(now)
	return f.c.Window.at(f.window, f.rate, f.line)
}

// State shows rate, target and alpha after the ticks due at now. It works on a copy: who looks must
// not change which of a tick and a CNP of one instant comes first.
func (f *dcqcnFlow) State(now unit.Time) State {
	g := *f
	g.recall()
	g.replayBefore(now, 0)
	return State{Rate: g.rate, Target: g.target, Alpha: g.alpha, Window: g.c.Window.at(g.window, g.rate, g.line)}
}

func (f *dcqcnFlow) OnAck(a *Ack) {
	if a.Marked && f.c.AckCNP {
		f.OnCNP(a.Now, a.Lead)
	}
}

func (f *dcqcnFlow) OnLoss(now unit.Time) {
	if f.c.CutOnLoss {
		f.OnCNP(now, 0)
	}
}

// OnSent advances the byte counter.
func (f *dcqcnFlow) OnSent(now unit.Time, bytes unit.Bytes) {
	f.replay(now)
	b := f.c.ByteCounter
	if b == 0 || !f.limited {
		return
	}
	for f.sent += bytes; f.sent >= b; f.sent -= b {
		f.increase()
		f.byteStage = min(f.byteStage+1, f.c.FastRecovery+1)
	}
}

// OnCNP cuts the rate at once, or tells the free-running timers.
func (f *dcqcnFlow) OnCNP(now unit.Time, lead unit.Duration) {
	f.recall()
	f.replayBefore(now, lead)
	c := f.c
	first := !f.limited
	if first {
		f.limited = true
		f.alpha = c.InitialAlpha.Float()
		f.alphaAt = now.Add(c.AlphaTimer)
	}
	switch {
	case c.DecreaseInterval == 0:
		f.cut(now) // by the alpha before this CNP: equation 1 and figure 7
		f.growAlpha()
		f.alphaAt = now.Add(c.AlphaTimer)
	case first:
		f.cutAt = now.Add(c.DecreaseInterval + c.DecreaseOffset)
		f.cutCNP = true // the first decrease tick cuts; the first alpha tick fades
		f.rate = max(f.min, unit.Bitrate(c.FirstCNPRate.Of(int64(f.rate))))
		f.target = f.rate
	default:
		f.alphaCNP, f.cutCNP = true, true
	}
	f.next = min(f.alphaAt, f.cutAt, f.riseAt)
}

// cut reduces the rate and restarts recovery.
func (f *dcqcnFlow) cut(now unit.Time) {
	if f.c.ClampTarget || f.timeStage > 0 {
		f.target = f.rate
	}
	f.rate = max(f.min, unit.Bitrate(float64(f.rate)*max(f.c.kept, 1-float64(f.alpha/2))))
	f.timeStage, f.byteStage, f.sent = 0, 0, 0
	f.riseAt = now.Add(f.c.IncreaseTimer)
}

// increase raises the rate as the stages before this increase say. The mean of
// rate and target is rounded up, so that the rate does reach the target.
func (f *dcqcnFlow) increase() {
	hi, lo := f.timeStage, f.timeStage
	if f.c.ByteCounter > 0 {
		hi, lo = max(hi, f.byteStage), min(lo, f.byteStage)
	}
	switch {
	case hi < f.c.FastRecovery:
	case lo > f.c.FastRecovery:
		f.target = min(f.target+f.hai, f.line)
	default:
		f.target = min(f.target+f.ai, f.line)
	}
	f.rate = (f.rate + f.target + 1) / 2
}
