package judge

import (
	"maps"
	"slices"

	"railyard/internal/net/telemetry"
)

// pfc is what the ports of a switch say of its pauses.
type pfc struct {
	sent, sentWas, lost, lostWas int64
	pauser, loser                *port // that sent most pauses, that dropped most
}

// pfcOf sums up pauses and drops by switch.
func (v *view) pfcOf() map[string]*pfc {
	all := map[string]*pfc{}
	for i := range v.ports {
		p := &v.ports[i]
		if p.Kind != telemetry.Port || p.was == nil {
			continue
		}
		s := all[p.Device]
		if s == nil {
			s = &pfc{}
			all[p.Device] = s
		}
		sent, lost := rose(p.Series, telemetry.TxPFC), rose(p.Series, telemetry.OutDiscards)
		s.sent, s.sentWas = s.sent+sent, s.sentWas+rose(p.was, telemetry.TxPFC)
		s.lost, s.lostWas = s.lost+lost, s.lostWas+rose(p.was, telemetry.OutDiscards)
		if s.pauser == nil || sent > rose(s.pauser.Series, telemetry.TxPFC) {
			s.pauser = p
		}
		if s.loser == nil || lost > rose(s.loser.Series, telemetry.OutDiscards) {
			s.loser = p
		}
	}
	return all
}

// fewPauses is how many a switch may send more than in order: a queue that is a little deeper sends some.
const fewPauses = 10

// pausing: a switch that pauses others at queues that are no deeper than in order, where it did not; or that drops, and pauses
// nobody, where it did; or that drops at queues that in order held more, and dropped nothing.
func (v *view) pausing() (all []Hypothesis) {
	if v.Healthy == nil {
		return nil
	}
	of := v.pfcOf()
	for _, d := range slices.Sorted(maps.Keys(of)) {
		s := of[d]
		at, deep, was := v.deepest(d)
		switch {
		case s.sent > 2*s.sentWas+fewPauses && at != nil && 10*deep <= 12*was:
			h := propose(Drifted, switchPlace(d))
			h.says(strong, s.pauser.Port, "%s, in order %s", reading(s.pauser.Series, telemetry.TxPFC),
				reading(s.pauser.was, telemetry.TxPFC))
			h.says(fair, at.Port, "%s, in order %s: no queue of the switch is deeper", one(telemetry.Watermark, deep),
				one(telemetry.Watermark, was))
			if held := v.heldMore(d); held != nil {
				h.says(-strong, held.Port, "%s, in order %s: the switch is held itself", reading(held.Series, telemetry.RxPause),
					reading(held.was, telemetry.RxPause))
			}
			if q := v.peer(s.pauser); q != nil {
				if whole, any := held(q.Series); any > 0.02 && whole >= any/2 {
					h.says(-strong, q.Port, "%s, without a break", reading(q.Series, telemetry.RxPause))
				}
			}
			all = append(all, h.Hypothesis)
		case s.lost > s.lostWas && s.sentWas > fewPauses && 3*s.sent < s.sentWas:
			h := propose(Drifted, switchPlace(d))
			h.says(strong, s.loser.Port, "%s, in order %s", reading(s.loser.Series, telemetry.OutDiscards),
				reading(s.loser.was, telemetry.OutDiscards))
			top := v.pausedMost(d)
			h.says(strong, top.Port, "%s, in order %s: the switch drops where it paused", reading(top.Series, telemetry.TxPFC),
				reading(top.was, telemetry.TxPFC))
			all = append(all, h.Hypothesis)
		case at != nil && s.lostWas == 0 && 10*deep <= 8*was && v.dropsAsItSends(s.loser):
			h := propose(Drifted, switchPlace(d))
			h.says(strong, s.loser.Port, "%s, in order %s", reading(s.loser.Series, telemetry.OutDiscards),
				reading(s.loser.was, telemetry.OutDiscards))
			h.says(fair, at.Port, "%s, in order %s: no queue of the switch is as deep as one that lost nothing",
				one(telemetry.Watermark, deep), one(telemetry.Watermark, was))
			all = append(all, h.Hypothesis)
		}
	}
	return all
}

// dropsAsItSends reports whether a port dropped because of its queue: it sends as much as in order, and neither its link nor a
// watchdog explains it.
func (v *view) dropsAsItSends(p *port) bool {
	return rose(p.Series, telemetry.OutDiscards) > 0 && rose(p.Series, telemetry.LinkDowns) == 0 &&
		rose(p.Series, telemetry.Watchdog) == 0 && 10*rose(p.Series, telemetry.TxBytes) >= 8*rose(p.was, telemetry.TxBytes)
}

// dropsNow reports whether a port drops, and its switch pauses hardly anybody, where in order it paused and dropped nothing: more
// bytes than in order are then at least in part those that were lost, and sent again.
func (v *view) dropsNow(p *port) bool {
	s := v.pfcOf()[p.Device]
	return s != nil && rose(p.Series, telemetry.OutDiscards) > rose(p.was, telemetry.OutDiscards) && s.sentWas > fewPauses &&
		3*s.sent < s.sentWas
}

// heldMore is a port of a device that is held for longer than in order.
func (v *view) heldMore(device string) *port {
	for i := range v.ports {
		p := &v.ports[i]
		if p.Device != device || p.was == nil {
			continue
		}
		_, now := held(p.Series)
		if _, was := held(p.was); now > 0.02 && now > 2*was {
			return p
		}
	}
	return nil
}

// pausedMost is the port of a device that sent most pauses in order.
func (v *view) pausedMost(device string) (at *port) {
	for i := range v.ports {
		p := &v.ports[i]
		if p.Device == device && p.was != nil && (at == nil || rose(p.was, telemetry.TxPFC) > rose(at.was, telemetry.TxPFC)) {
			at = p
		}
	}
	return at
}
