package cc

import "railyard/internal/base/unit"

// None is no congestion control: line rate always, within a window if one is
// set. With PFC this is the pause-only network (row pfconly of the HPCC ns-3
// model).
type None struct{ Window Window }

// Algorithm returns "none".
func (None) Algorithm() string { return "none" }

// Validate checks the window.
func (p None) Validate() error { return p.Window.validate() }

func (p None) newSet(n int) Set { return newSlab[noneFlow, None, *noneFlow](p, n) }

type noneFlow struct {
	line   unit.Bitrate
	window unit.Bytes
}

func (f *noneFlow) init(p *None, line unit.Bitrate, baseRTT unit.Duration) {
	*f = noneFlow{line: line, window: p.Window.start(line, baseRTT)}
}

func (f *noneFlow) Rate(unit.Time) unit.Bitrate { return f.line }
func (f *noneFlow) Window(unit.Time) unit.Bytes { return f.window }
func (f *noneFlow) State(unit.Time) State {
	return State{Rate: f.line, Target: f.line, Window: f.window}
}
func (*noneFlow) OnSent(unit.Time, unit.Bytes)   {}
func (*noneFlow) OnAck(*Ack)                     {}
func (*noneFlow) OnCNP(unit.Time, unit.Duration) {}
func (*noneFlow) OnLoss(unit.Time)               {}
