package cc

import "railyard/internal/base/unit"

// replay applies every timer tick of the reaction point due at or before now, but for a
// tick of alpha at now itself: a CNP of this instant may come before it. A cut at now
// needs it.
func (f *dcqcnFlow) replay(now unit.Time) {
	if now < f.next {
		return
	}
	due := ends{alpha: now - 1, cut: now, rise: now}
	if f.cutCNP && f.cutAt == now {
		due.alpha = now
	}
	f.replayDue(due)
}

// ends are the instants up to and including which the ticks of each timer are applied.
type ends struct{ alpha, cut, rise unit.Time }

// replayBefore applies every tick that comes before an event of now that was scheduled
// lead earlier. Of two events at one instant that one goes first that was scheduled first,
// and a tick is scheduled one period before it is due.
func (f *dcqcnFlow) replayBefore(now unit.Time, lead unit.Duration) {
	if now < f.next {
		return
	}
	due := ends{now, now, now}
	if f.c.AlphaTimer < lead {
		due.alpha--
	}
	if f.c.DecreaseInterval < lead {
		due.cut--
	}
	if f.c.IncreaseTimer < lead {
		due.rise--
	}
	f.replayDue(due)
}

// replayDue applies the ticks that are due; the three ends are one instant or just before it.
//
// No CNP comes between two calls, so of all decrease ticks passed only the first
// can cut; the rest are skipped by arithmetic. Alpha meets the rate only in a
// cut, so the three timers need not be interleaved but around that one tick:
//
//	alpha     . . . . . . . . . . . .     \  up to the cut,
//	increase  |         |         x       /  then the cut, then the rest
//	decrease     .  C  .  .  .  .  .  .
//
// Order of ticks at one instant: alpha before decrease (that is what the offset
// is for); of decrease and increase the one armed earlier, as an event queue has
// it: increase first if its timer is the longer one, else decrease.
func (f *dcqcnFlow) replayDue(due ends) {
	interval := f.c.DecreaseInterval
	if at := f.cutAt; f.cutCNP && at <= due.cut {
		before := at
		if f.c.IncreaseTimer <= interval {
			before-- // a tick at the same instant is cancelled by the cut
		}
		f.riseUntil(before)
		f.fadeUntil(min(at, due.alpha))
		f.cut(at)
		f.cutCNP = false
	}
	f.cutAt += unit.Time(ticks(f.cutAt, due.cut, interval)) * unit.Time(interval)
	f.riseUntil(due.rise)
	f.fadeUntil(due.alpha)
	f.next = min(f.alphaAt, f.cutAt, f.riseAt)
}

// ticks counts the ticks of a timer, next due at next, up to and including now.
func ticks(next, now unit.Time, period unit.Duration) int64 {
	if next > now {
		return 0
	}
	return int64(now.Sub(next)/period) + 1
}

// riseUntil applies the ticks of the increase timer up to and including end.
func (f *dcqcnFlow) riseUntil(end unit.Time) {
	period := f.c.IncreaseTimer
	for f.riseAt <= end {
		rate, target, settled := f.rate, f.target, f.timeStage > f.c.FastRecovery
		f.increase()
		f.timeStage = min(f.timeStage+1, f.c.FastRecovery+1)
		f.riseAt = f.riseAt.Add(period)
		if settled && rate == f.rate && target == f.target {
			// The same stage and no change: no later tick changes anything.
			f.riseAt += unit.Time(ticks(f.riseAt, end, period)) * unit.Time(period)
		}
	}
}

// negligible is the alpha taken for zero: 1 - alpha/2 and (1-g) alpha + g have
// the bits they have for zero, long before.
const negligible = 1.0 / (1 << 100)

// fadeUntil applies the ticks of the alpha timer up to and including end.
func (f *dcqcnFlow) fadeUntil(end unit.Time) {
	n := ticks(f.alphaAt, end, f.c.AlphaTimer)
	if n == 0 {
		return
	}
	f.alphaAt += unit.Time(n) * unit.Time(f.c.AlphaTimer)
	if f.alphaCNP {
		f.alphaCNP = false
		f.growAlpha()
		n--
	}
	for ; n > 0 && f.alpha > 0; n-- {
		f.alpha *= f.c.keep
		if f.alpha < negligible {
			f.alpha = 0
		}
	}
}

func (f *dcqcnFlow) growAlpha() {
	f.alpha = float64(f.c.keep*f.alpha) + f.c.g
}

// Rest applies the ticks due, as Rate does. At line rate and with a target as high no tick of the increase timer changes
// the rate, nor does a byte counter: once the stage is the last one, only a CNP asks for anything else that is there.
func (f *dcqcnFlow) Rest(now unit.Time, _ int64) {
	f.recall()
	f.replay(now)
	if !f.limited || f.alphaCNP || f.cutCNP || f.rate < f.line || f.target < f.line || f.timeStage <= f.c.FastRecovery {
		return
	}
	f.kept = dcqcnKept{alpha: f.alpha, alphaAt: f.alphaAt, cutAt: f.cutAt, timeStage: f.timeStage, is: true}
	f.limited, f.alpha, f.timeStage, f.byteStage, f.sent = false, f.c.InitialAlpha.Float(), 0, 0, 0
	f.next, f.alphaAt, f.cutAt, f.riseAt = unit.Never, unit.Never, unit.Never, unit.Never
}

// recall takes up again what Rest has laid down. The timer of increases starts with the next cut.
func (f *dcqcnFlow) recall() {
	if k := &f.kept; k.is {
		f.limited, f.alpha, f.alphaAt, f.cutAt, f.timeStage = true, k.alpha, k.alphaAt, k.cutAt, k.timeStage
		f.next = min(f.alphaAt, f.cutAt)
		k.is = false
	}
}

// Repeat has timers tick for so long: alpha fades meanwhile, and phases move. Of one that does not rest they are as they
// were, since it is in the state that it was in.
func (f *dcqcnFlow) Repeat(_ int64, took unit.Duration) {
	if k := &f.kept; k.is {
		k.alphaAt, k.cutAt = sooner(k.alphaAt, took), sooner(k.cutAt, took)
	}
}

// sooner is an instant by so long before; Never stays.
func sooner(t unit.Time, by unit.Duration) unit.Time {
	if t == unit.Never {
		return t
	}
	return t.Add(-by)
}
