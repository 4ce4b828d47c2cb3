package host

import (
	"slices"

	"railyard/internal/base/unit"
)

// Faults are what goes wrong inside hosts, each thing for a while.
type Faults struct {
	Compute []Compute
	Hangs   []Hang
	PCIe    []Slower
}

// While is a stretch of time, from From on and before Until; Until 0: for ever.
type While struct{ From, Until unit.Time }

func (w While) until() unit.Time {
	if w.Until == 0 {
		return unit.Never
	}
	return w.Until
}

// Compute says that what a GPU computes takes times as long: kernels and launches. With Factor.Num 0 it stands still.
type Compute struct {
	Host, GPU int32
	While
	Factor unit.Ratio
}

// Hang says that a host does nothing: what is due waits. Its NICs go on to answer, which needs no processor.
type Hang struct {
	Host int32
	While
}

// Slower says that PCIe links of a host carry less, in each direction: those of its NICs, or one of Config.Graph.
type Slower struct {
	Host int32
	While
	Rate  unit.Bitrate
	Twice bool // in place of Rate: all bytes cross it twice, whatever its rate is; with Config.Graph they take the ways of Staged
	Named bool // Link is
	Link  int32
}

// faulty is what a host has of Faults.
type faulty struct {
	compute map[int32][]Compute // by GPU
	hangs   []Hang
	slower  []Slower
	pcie    []turn // of its NICs
}

// turn is a rate from a time on.
type turn struct {
	at   unit.Time
	rate unit.Bitrate
}

// addFaults gives hosts what happens to them.
func (h *Hosts) addFaults(f *Faults) {
	if f == nil {
		return
	}
	for i := range h.hosts {
		h.hosts[i].faulty.compute = map[int32][]Compute{}
	}
	for _, c := range f.Compute {
		m := h.hosts[c.Host].faulty.compute
		m[c.GPU] = append(m[c.GPU], c)
	}
	for _, x := range f.Hangs {
		h.hosts[x.Host].faulty.hangs = append(h.hosts[x.Host].faulty.hangs, x)
	}
	for _, s := range f.PCIe {
		h.hosts[s.Host].faulty.slower = append(h.hosts[s.Host].faulty.slower, s)
	}
	for i := range h.hosts {
		h.hosts[i].faulty.pcie = h.hosts[i].faulty.turns(h.cfg.PCIe.Rate, func(s *Slower) bool { return !s.Named })
	}
}

// turns are the rates of a link over time, as those of slower that are about it have them.
func (f *faulty) turns(full unit.Bitrate, about func(*Slower) bool) []turn {
	var own []Slower
	for i := range f.slower {
		if about(&f.slower[i]) {
			own = append(own, f.slower[i])
		}
	}
	return turns(full, own)
}

// turns are the rates of a link over time: of several that hold at once the last does. Where bytes cross it twice, half of
// that is left for each.
func turns(full unit.Bitrate, all []Slower) (list []turn) {
	var times []unit.Time
	for _, s := range all {
		times = append(times, s.From)
		if s.Until != 0 {
			times = append(times, s.Until)
		}
	}
	slices.Sort(times)
	for _, t := range slices.Compact(times) {
		at, twice := turn{t, full}, false
		for _, s := range all {
			switch {
			case t < s.From || t >= s.until():
			case s.Twice:
				twice = true
			default:
				at.rate = s.Rate
			}
		}
		if twice {
			at.rate /= 2
		}
		list = append(list, at)
	}
	return list
}

// rateAt is the rate at an instant of a link that has some rate before the first turn.
func rateAt(rate unit.Bitrate, all []turn, t unit.Time) unit.Bitrate {
	for _, x := range all {
		if x.at <= t {
			rate = x.rate
		}
	}
	return rate
}

// stretched returns when a GPU has done what would take it so long if nothing happened to it.
//
//	factor  1         3 (a third is done meanwhile)     1
//	   -----|---------|=================================|-----> time
//	        now       From                              Until
func (h *Hosts) stretched(r *rankState, now unit.Time, d unit.Duration) unit.Time {
	slowed := h.hosts[r.host].faulty.compute
	if len(slowed) == 0 || len(slowed[r.gpu]) == 0 {
		return now.Add(d)
	}
	all := slowed[r.gpu]
	for {
		factor, next := unit.Ratio{Num: 1, Den: 1}, unit.Never
		for _, c := range all {
			if c.From <= now && now < c.until() {
				factor = c.Factor
			}
			for _, t := range []unit.Time{c.From, c.until()} {
				if t > now {
					next = min(next, t)
				}
			}
		}
		if factor.Num > 0 {
			if end := now.Add(unit.Duration(factor.Of(int64(d)))); end <= next {
				return end
			}
			d -= unit.Duration(unit.Ratio{Num: factor.Den, Den: factor.Num}.Of(int64(next.Sub(now))))
		}
		now = next
	}
}

// hangs returns until when a host does nothing, and whether it does so at an instant.
func (f *faulty) hangsAt(now unit.Time) (until unit.Time, hangs bool) {
	for _, x := range f.hangs {
		if x.From <= now && now < x.until() {
			until, hangs = max(until, x.until()), true
		}
	}
	return until, hangs
}
