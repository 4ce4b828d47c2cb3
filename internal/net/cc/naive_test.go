package cc

import (
	"container/heap"

	"railyard/internal/base/unit"
)

// eventDriven is DCQCN written the obvious way: every tick is an event in a queue
// ordered by time, then by the order of scheduling. It shares no code with the
// lazy state machine but the parameters.
type eventDriven struct {
	p            DCQCN
	line         unit.Bitrate
	rate, target unit.Bitrate
	alpha        float64
	seen         bool
	alphaCNP     bool
	cutCNP       bool
	timeStage    int
	byteStage    int
	sent         unit.Bytes
	queue        events
	serial       int
	alphaEvent   int // serial of the pending alpha or increase event; others are stale
	riseEvent    int
}

type event struct {
	at     unit.Time
	serial int
	run    func(now unit.Time, serial int)
}

type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any     { old := *e; x := old[len(old)-1]; *e = old[:len(old)-1]; return x }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].serial < e[j].serial
}

func newEventDriven(p DCQCN, line unit.Bitrate) *eventDriven {
	return &eventDriven{p: p, line: line, rate: line, target: line, alpha: p.InitialAlpha.Float()}
}

func (d *eventDriven) after(now unit.Time, delay unit.Duration, run func(unit.Time, int)) int {
	d.serial++
	heap.Push(&d.queue, event{now.Add(delay), d.serial, run})
	return d.serial
}

func (d *eventDriven) runUntil(now unit.Time) {
	for len(d.queue) > 0 && d.queue[0].at <= now {
		e := heap.Pop(&d.queue).(event)
		e.run(e.at, e.serial)
	}
}

func (d *eventDriven) alphaTick(now unit.Time, serial int) {
	if serial != d.alphaEvent {
		return
	}
	g := d.p.G.Float()
	d.alpha = float64((1 - g) * d.alpha)
	if d.alphaCNP {
		d.alpha += g
	}
	d.alphaCNP = false
	d.alphaEvent = d.after(now, d.p.AlphaTimer, d.alphaTick)
}

func (d *eventDriven) decreaseTick(now unit.Time, _ int) {
	d.after(now, d.p.DecreaseInterval, d.decreaseTick)
	if d.cutCNP {
		d.cutCNP = false
		d.cut(now)
	}
}

func (d *eventDriven) cut(now unit.Time) {
	if d.p.ClampTarget || d.timeStage > 0 {
		d.target = d.rate
	}
	d.rate = max(min(d.p.MinRate, d.line), unit.Bitrate(float64(d.rate)*max(d.kept(), 1-d.alpha/2)))
	d.timeStage, d.byteStage, d.sent = 0, 0, 0
	d.riseEvent = d.after(now, d.p.IncreaseTimer, d.increaseTick)
}

func (d *eventDriven) increaseTick(now unit.Time, serial int) {
	if serial != d.riseEvent {
		return
	}
	d.riseEvent = d.after(now, d.p.IncreaseTimer, d.increaseTick)
	d.increase()
	d.timeStage++
}

func (d *eventDriven) increase() {
	f, t, b := int(d.p.FastRecovery), d.timeStage, d.byteStage
	if d.p.ByteCounter == 0 {
		b = t
	}
	if max(t, b) >= f {
		if min(t, b) > f {
			d.target += d.p.HAI
		} else {
			d.target += d.p.AI
		}
		d.target = min(d.target, d.line)
	}
	d.rate = (d.rate + d.target + 1) / 2
}

func (d *eventDriven) onCNP(now unit.Time) {
	d.runUntil(now)
	d.cnp(now)
}

func (d *eventDriven) cnp(now unit.Time) {
	first := !d.seen
	d.seen = true
	if d.p.DecreaseInterval == 0 {
		d.cut(now)
		g := d.p.G.Float()
		d.alpha = float64((1-g)*d.alpha) + g
		d.alphaEvent = d.after(now, d.p.AlphaTimer, d.alphaTick)
		return
	}
	d.cutCNP = true
	if !first {
		d.alphaCNP = true
		return
	}
	d.alphaEvent = d.after(now, d.p.AlphaTimer, d.alphaTick)
	d.after(now, d.p.DecreaseInterval+d.p.DecreaseOffset, d.decreaseTick)
}

func (d *eventDriven) onSent(now unit.Time, bytes unit.Bytes) {
	d.runUntil(now)
	if d.p.ByteCounter == 0 || !d.seen {
		return
	}
	d.sent += bytes
	for d.sent >= d.p.ByteCounter {
		d.sent -= d.p.ByteCounter
		d.increase()
		d.byteStage++
	}
}

// kept is the part of the rate that a cut leaves at least.
func (d *eventDriven) kept() float64 {
	if d.p.MinDecFactor.Den == 0 {
		return 0
	}
	return d.p.MinDecFactor.Float()
}
