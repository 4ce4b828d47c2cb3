package judge

import (
	"math"
	"slices"
	"strings"

	"railyard/internal/net/telemetry"
	"railyard/internal/out/noun"
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
		n, text := rose(p.Series, telemetry.LinkDowns)-rose(p.was, telemetry.LinkDowns), ""
		if !p.Has(telemetry.LinkDowns) {
			if lines := v.downLines(p); len(lines) > 0 {
				n, text = int64(len(lines)), lines[0]
			}
		} else if n > 0 {
			text = reading(p.Series, telemetry.LinkDowns)
		}
		if now, _ := least(p.Series, telemetry.Up); n <= 0 && now == 0 {
			if was, _ := least(p.was, telemetry.Up); was == 1 { // it went down before the first read
				n, text = 1, one(telemetry.Up, now)+", in order "+one(telemetry.Up, was)
			}
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
		if q := v.peer(p); q != nil && rose(q.Series, telemetry.LinkDowns) > rose(q.was, telemetry.LinkDowns) {
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

// speeds: a link that came up slower than in order, than it was built, or than its other end.
func (v *view) speeds() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		now, at := least(p.Series, telemetry.Speed)
		if now <= 0 {
			continue
		}
		was, _ := least(p.was, telemetry.Speed)
		built := int64(v.rate(p) / 1e6)
		if now >= was && now >= built {
			continue
		}
		h := propose(Degraded, place(p.Port))
		switch {
		case was > now:
			h.says(decisive, p.Port, "%s, in order %s", one(telemetry.Speed, now), one(telemetry.Speed, was))
		default:
			h.says(strong, p.Port, "%s: less than the link was built for", one(telemetry.Speed, now))
		}
		if q := v.peer(p); q != nil {
			if far := q.Value(telemetry.Speed, min(at, len(q.At)-1)); far == now {
				h.says(fair, q.Port, "%s at the other end", one(telemetry.Speed, far))
			}
		}
		if deep := last(p.Series, telemetry.Watermark); v.long(p) {
			h.says(fair, p.Port, "%s", one(telemetry.Watermark, deep))
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// oversize: a port that is smaller than what it is sent.
func (v *view) oversize() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		n := rose(p.Series, telemetry.Oversize)
		if n == 0 || n <= 2*rose(p.was, telemetry.Oversize) {
			continue
		}
		h := propose(SmallMTU, place(p.Port))
		h.says(more(n, decisive), p.Port, "%s", reading(p.Series, telemetry.Oversize))
		all = append(all, h.Hypothesis)
	}
	return all
}

// watchdogs: a watchdog counts what it did.
func (v *view) watchdogs() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		n := rose(p.Series, telemetry.Watchdog)
		l, said := v.line(p.Device, p.Port, "PFC Watchdog detected")
		if was := rose(p.was, telemetry.Watchdog); n == 0 && !said || was > 0 && n <= 2*was {
			continue
		}
		h := propose(WatchdogActs, place(p.Port))
		if n > 0 {
			h.says(more(n, decisive), p.Port, "%s", reading(p.Series, telemetry.Watchdog))
		}
		if said {
			h.says(strong, p.Device, "%s", l.Text)
		}
		if rose(p.Series, telemetry.OutDiscards) > rose(p.was, telemetry.OutDiscards) {
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
		_, before := held(p.was)
		if any < 0.02 || whole < any/2 || any < 2*before {
			continue
		}
		m := StuckSwitch
		if v.toHost(p) {
			m = StuckNIC
		}
		h := propose(m, place(p.Port))
		h.says(strong+fair*whole, p.Port, "%s", reading(p.Series, telemetry.RxPause))
		q := v.peer(p)
		if q == nil {
			all = append(all, h.Hypothesis)
			continue
		}
		if rose(q.Series, telemetry.TxPFC) > 0 {
			h.says(fair, q.Port, "%s", reading(q.Series, telemetry.TxPFC))
		}
		if at, paused := v.mostHeld(q.Device); paused > 0.3*any && m == StuckSwitch {
			h.says(-decisive, at.Port, "%s: %s is held itself", reading(at.Series, telemetry.RxPause), q.Device)
		}
		if at := v.mostMarked(q.Device); at != nil && m == StuckSwitch && share(at.Series, telemetry.ECNMarked) > 0.02 {
			h.says(-fair, at.Port, "%s: its queue is full", reading(at.Series, telemetry.ECNMarked))
		}
		if at := v.longest(q.Device); at != nil && m == StuckSwitch {
			h.says(-strong, at.Port, "%s: %s has reason to hold others", reading(at.Series, telemetry.Watermark), q.Device)
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

// longest is the port of a device with the longest queue, if that is long.
func (v *view) longest(device string) (at *port) {
	for i := range v.ports {
		p := &v.ports[i]
		if p.Device == device && v.long(p) && (at == nil || last(p.Series, telemetry.Watermark) > last(at.Series, telemetry.Watermark)) {
			at = p
		}
	}
	return at
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

// hosts: a NIC whose PCIe link carries less than in order, or than most; one that pauses its switch now and then takes less than
// its link brings; a host whose NCCL sends by host memory where others do not.
func (v *view) hosts() (all []Hypothesis) {
	usual := v.usualPCIe()
	seen := map[string]bool{}
	for i := range v.ports {
		p := &v.ports[i]
		if p.Kind != telemetry.NIC || seen[p.Device] {
			continue
		}
		q := v.peer(p)
		whole, any, before := 0.0, 0.0, 0.0
		if q != nil {
			whole, any = held(q.Series)
			_, before = held(q.was)
		}
		pcie, _ := least(p.Series, telemetry.PCIe)
		was, _ := least(p.was, telemetry.PCIe)
		text, staged := v.stagedLine(p.Device)
		sent := rose(p.Series, telemetry.TxPFC) - rose(p.was, telemetry.TxPFC)
		narrow := pcie > 0 && (pcie < was || was <= 0 && 10*pcie < 9*usual)
		if any < 2*before {
			any = 0
		}
		if sent <= 0 && any == 0 && !staged && !narrow {
			continue
		}
		seen[p.Device] = true
		m := SlowPCIe
		if staged && !narrow {
			m = NoPeerMemory
		}
		h := propose(m, noun.Place{Kind: noun.Host, Name: p.Device})
		if narrow && sent <= 0 && any == 0 { // nobody waits for what it takes, but for what it sends
			h.Noun = noun.PCIeBound
		}
		if staged && !narrow {
			h.says(decisive, p.Device, "%s", text)
		}
		switch {
		case narrow && was > pcie:
			h.says(decisive, p.Port, "%s, in order %s", one(telemetry.PCIe, pcie), one(telemetry.PCIe, was))
		case narrow:
			h.says(strong, p.Port, "%s, of most NICs %s", one(telemetry.PCIe, pcie), one(telemetry.PCIe, usual))
		case m == SlowPCIe && pcie > 0:
			h.says(-fair, p.Port, "%s, as ever", one(telemetry.PCIe, pcie))
		}
		if sent > 0 {
			h.says(more(sent, fair), p.Port, "%s", reading(p.Series, telemetry.TxPFC))
		}
		if any > 0 && whole < any/2 {
			h.says(fair, q.Port, "%s, with breaks", reading(q.Series, telemetry.RxPause))
		} else if any > 0 {
			h.says(-fair, q.Port, "%s, without a break", reading(q.Series, telemetry.RxPause))
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// usualPCIe is what the PCIe link of the middle one of all NICs carries, 0 if none was read.
func (v *view) usualPCIe() int64 {
	var all []int64
	for i := range v.ports {
		if n, _ := least(v.ports[i].Series, telemetry.PCIe); n > 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
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
