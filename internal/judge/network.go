package judge

import (
	"math"
	"strings"

	"railyard/internal/noun"
	"railyard/internal/telemetry"
)

// more is what a count that a fabric in order does not have says: the more the surer, within bounds.
func more(n int64, base float64) float64 {
	return base + min(fair, faint*math.Log10(float64(max(1, n))))
}

// losses: frames that arrive with errors were damaged on the link.
func (v *view) losses() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		n := rose(p.Series, telemetry.InErrors)
		if n == 0 || n <= 2*rose(p.was, telemetry.InErrors) {
			continue
		}
		h := propose(LossyOptic, place(v.toward(p)))
		h.says(more(n, decisive), p.Port, "%s", reading(p.Series, telemetry.InErrors))
		if q := v.peer(p); q != nil && rose(q.Series, telemetry.InErrors) > 0 {
			h.says(faint, q.Port, "%s at the other end", reading(q.Series, telemetry.InErrors))
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// downs: what a link's ends say of its state.
func (v *view) downs() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		n, text := last(p.Series, telemetry.LinkDowns)-last(p.was, telemetry.LinkDowns), ""
		lines := v.downLines(p)
		if n > 0 {
			text = reading(p.Series, telemetry.LinkDowns)
		} else if n = int64(len(lines)); n > 0 {
			text = lines[0]
		}
		if n <= 0 {
			continue
		}
		m := DownNotMoved
		bgp, moved := v.line(p.Device, p.Port, "ADJCHANGE", "Down")
		switch {
		case n > 1:
			m = Flapping
		case moved:
			m = DownRerouted
		}
		h := propose(m, place(p.Port))
		h.says(decisive, p.Port, "%s", text)
		if q := v.peer(p); q != nil && last(q.Series, telemetry.LinkDowns) > 0 {
			h.says(strong, q.Port, "%s at the other end", reading(q.Series, telemetry.LinkDowns))
		}
		if moved {
			h.says(faint, p.Device, "%s", bgp.Text)
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

func (v *view) downLines(p *port) (all []string) {
	for _, l := range v.Now.Lines {
		if l.Device == p.Device && l.Port == p.Port && (strings.Contains(l.Text, "status down") ||
			strings.Contains(l.Text, "Link down")) {
			all = append(all, l.Text)
		}
	}
	return all
}

// oversize: a port that is smaller than what it is sent.
func (v *view) oversize() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		if n := rose(p.Series, telemetry.Oversize); n > 0 {
			h := propose(SmallMTU, place(p.Port))
			h.says(more(n, decisive), p.Port, "%s", reading(p.Series, telemetry.Oversize))
			all = append(all, h.Hypothesis)
		}
	}
	return all
}

// watchdogs: a watchdog counts what it did.
func (v *view) watchdogs() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		n := rose(p.Series, telemetry.Watchdog)
		l, said := v.line(p.Device, p.Port, "PFC Watchdog detected")
		if n == 0 && !said {
			continue
		}
		h := propose(WatchdogActs, place(p.Port))
		if n > 0 {
			h.says(more(n, decisive), p.Port, "%s", reading(p.Series, telemetry.Watchdog))
		}
		if said {
			h.says(strong, p.Device, "%s", l.Text)
		}
		if rose(p.Series, telemetry.OutDiscards) > 0 {
			h.says(faint, p.Port, "%s", reading(p.Series, telemetry.OutDiscards))
		}
		if _, any := held(p.Series); any > 0 {
			h.says(fair*any, p.Port, "%s", reading(p.Series, telemetry.RxPause))
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// pauses: a port that was held without a break, by a neighbour that nobody holds and that has nothing to hold it for.
func (v *view) pauses() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		whole, any := held(p.Series)
		if any < 0.02 || whole < any/2 {
			continue
		}
		q := v.peer(p)
		m := StuckSwitch
		if v.toHost(p) {
			m = StuckNIC
		}
		h := propose(m, place(p.Port))
		h.says(strong+fair*whole, p.Port, "%s", reading(p.Series, telemetry.RxPause))
		if q == nil {
			all = append(all, h.Hypothesis)
			continue
		}
		h.says(fair, q.Port, "%s", reading(q.Series, telemetry.TxPFC))
		if at, paused := v.mostHeld(q.Device); paused > 0.3*any && m == StuckSwitch {
			h.says(-decisive, at.Port, "%s: %s is held itself", reading(at.Series, telemetry.RxPause), q.Device)
		}
		if at := v.mostMarked(q.Device); at != nil && m == StuckSwitch && share(at.Series, telemetry.ECNMarked) > 0.02 {
			h.says(-fair, at.Port, "%s: its queue is full", reading(at.Series, telemetry.ECNMarked))
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// mostHeld is the port of a device that was held for the largest part of its time.
func (v *view) mostHeld(device string) (at *port, most float64) {
	for i := range v.ports {
		if p := &v.ports[i]; p.Device == device {
			if _, any := held(p.Series); any > most {
				at, most = p, any
			}
		}
	}
	return at, most
}

// mostMarked is the port of a device that marked most of what it sent.
func (v *view) mostMarked(device string) (at *port) {
	most := 0.0
	for i := range v.ports {
		if p := &v.ports[i]; p.Device == device {
			if x := share(p.Series, telemetry.ECNMarked); x > most {
				at, most = p, x
			}
		}
	}
	return at
}

// hosts: a NIC that pauses its switch now and then takes less than its link brings; one that sends less than it could with
// nobody in its way reads less.
func (v *view) hosts() (all []Hypothesis) {
	seen := map[string]bool{}
	for i := range v.ports {
		p := &v.ports[i]
		if p.Kind != telemetry.NIC || seen[p.Device] {
			continue
		}
		q := v.peer(p)
		held1, any := 0.0, 0.0
		if q != nil {
			held1, any = held(q.Series)
		}
		l, staged := v.stagedLine(p.Device)
		sent := rose(p.Series, telemetry.TxPFC)
		if sent == 0 && any == 0 && !staged {
			continue
		}
		seen[p.Device] = true
		m := SlowPCIe
		if staged {
			m = NoPeerMemory
		}
		h := propose(m, noun.Place{Kind: noun.HostLink, Name: p.Device})
		if staged {
			h.says(decisive, p.Device, "%s", l)
		}
		if sent > 0 {
			h.says(more(sent, strong), p.Port, "%s", reading(p.Series, telemetry.TxPFC))
		}
		if any > 0 && held1 < any/2 {
			h.says(fair, q.Port, "%s, with breaks", reading(q.Series, telemetry.RxPause))
		} else if any > 0 {
			h.says(-fair, q.Port, "%s, without a break", reading(q.Series, telemetry.RxPause))
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// viaNetwork stands in the lines by which NCCL says how a channel sends to another host.
const viaNetwork = "via NET/IB"

// stagedLine is a line by which NCCL says that a host sends by host memory, where others do not.
func (v *view) stagedLine(device string) (text string, is bool) {
	others := false
	for _, l := range v.Now.Lines {
		if !strings.Contains(l.Text, viaNetwork) {
			continue
		}
		direct := strings.Contains(l.Text, "/GDRDMA")
		if others = others || direct; l.Device == device && !direct {
			text, is = l.Text, true
		}
	}
	return text, is && others
}
