package judge

import (
	"cmp"
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/noun"
)

// member is a rank of a job, by its communicator, where it runs, and how late it was.
type member struct {
	rank         int32
	device, gpu  string
	last         int64 // number of the last collective that it began
	open         *telemetry.Part
	late         unit.Duration // longer for itself than the median before its collectives, in all
	worst        *telemetry.Part
	behind       unit.Duration // of the worst
	first, times int           // of its collectives it took longest before
}

// byComm divides parts, which come in order of it, by their communicator.
func byComm(of *telemetry.Telemetry) map[string][]telemetry.Part {
	all := map[string][]telemetry.Part{}
	if of == nil {
		return all
	}
	for from := 0; from < len(of.Collectives); {
		until := from + 1
		for until < len(of.Collectives) && of.Collectives[until].Comm == of.Collectives[from].Comm {
			until++
		}
		all[of.Collectives[from].Comm] = of.Collectives[from:until]
		from = until
	}
	return all
}

// ranks: who never came, and who always comes last, more so than in order.
func (v *view) ranks() (all []Hypothesis) {
	comms, was := byComm(v.Now), byComm(v.Healthy)
	for _, comm := range slices.Sorted(maps.Keys(comms)) {
		if of := members(comms[comm]); len(of) > 2 {
			of = withOrder(of, members(was[comm]))
			if h := v.absent(of); len(h) > 0 {
				all = append(all, h...)
			} else {
				all = append(all, v.late(of)...)
			}
		}
	}
	return all
}

// withOrder takes from how late ranks are what they are so in order, and adds those that then take part and now never came.
func withOrder(of, was []*member) []*member {
	for _, w := range was {
		i := slices.IndexFunc(of, func(m *member) bool { return m.rank == w.rank })
		if i < 0 {
			of = append(of, &member{rank: w.rank, device: w.device, gpu: w.gpu, last: -1})
			continue
		}
		of[i].late = max(0, of[i].late-w.late)
	}
	return of
}

// members sums up the parts of a communicator, which come in order of number and rank, by rank.
func members(parts []telemetry.Part) []*member {
	of := map[int32]*member{}
	ended := map[int32]unit.Time{}
	own := make([]unit.Duration, len(parts)) // what a rank did for itself before
	for i := range parts {
		p := &parts[i]
		m := of[p.Rank]
		if m == nil {
			m = &member{rank: p.Rank, device: p.Device, gpu: p.Port, last: -1}
			of[p.Rank] = m
		}
		if m.last = max(m.last, p.Seq); p.End == telemetry.Unknown {
			m.open = p
		}
		if own[i] = unit.Duration(p.Start); ended[p.Rank] > 0 {
			own[i] = p.Start.Sub(ended[p.Rank])
		}
		ended[p.Rank] = p.End
	}
	var times []unit.Duration
	for from, until := 0, 0; from < len(parts); from = until { // of two equally late the first counts
		for until = from + 1; until < len(parts) && parts[until].Seq == parts[from].Seq; {
			until++
		}
		times = append(times[:0], own[from:until]...)
		slices.Sort(times)
		mid, most := times[len(times)/2], len(times)-1
		for i := from; i < until; i++ {
			p := &parts[i]
			m := of[p.Rank]
			d := own[i] - mid
			if m.late += max(0, d); d > m.behind {
				m.behind, m.worst = d, p
			}
			if m.times++; own[i] == times[most] && most > 0 && 20*(times[most]-times[most-1]) > mid {
				m.first++
			}
		}
	}
	return slices.SortedFunc(maps.Values(of), func(a, b *member) int { return cmp.Compare(a.rank, b.rank) })
}

// absent: others wait in a collective that some have not begun.
func (v *view) absent(of []*member) []Hypothesis {
	var waiting *member
	for _, m := range of {
		if m.open != nil && (waiting == nil || m.last > waiting.last) {
			waiting = m
		}
	}
	if waiting == nil {
		return nil
	}
	var missing []*member
	for _, m := range of {
		if m.last < waiting.last && m.open == nil {
			missing = append(missing, m)
		}
	}
	if len(missing) == 0 {
		missing = v.silent(of)
	}
	if len(missing) == 0 || 2*len(missing) > len(of) {
		return nil
	}
	v.gone = true
	first := missing[0]
	inHost, alive := 0, 0
	for _, m := range of {
		if m.device == first.device {
			alive++
		}
	}
	for _, m := range missing {
		if m.device == first.device {
			inHost++
		}
	}
	rank, host := v.rankPlace(DeadRank, first), propose(HostHang, noun.Place{Kind: noun.Host, Name: first.device})
	for _, h := range []*making{rank, host} {
		h.says(strong, waiting.device, "rank %d waits in collective %d, begun at %s", waiting.rank, waiting.open.Seq,
			v.when(waiting.device, waiting.open.Start))
		if text := v.powerless(first); text != "" {
			h.says(strong, first.device, "%s", text)
		}
		switch {
		case first.last < 0:
			h.says(strong, first.device, "rank %d has begun none", first.rank)
		case first.last < waiting.last:
			h.says(strong, first.device, "rank %d has begun none after %d", first.rank, first.last)
		}
	}
	if inHost == alive && alive > 1 {
		host.says(strong, first.device, "nor has rank %d of the same host", missing[len(missing)-1].rank)
		rank.says(-fair, first.device, "rank %d of the same host is missing too", missing[len(missing)-1].rank)
	} else {
		host.says(-strong, first.device, "other ranks of the host go on")
	}
	return []Hypothesis{rank.Hypothesis, host.Hypothesis}
}

// rankPlace proposes a mechanism of a rank.
func (v *view) rankPlace(m Mechanism, of *member) *making {
	return propose(m, noun.Place{Kind: noun.Rank, Name: of.device + "/" + of.gpu, Rank: &of.rank})
}

// late: one rank begins last, again and again: its GPU computes longer. If all ranks of a host are late together once, the
// host stood still.
func (v *view) late(of []*member) (all []Hypothesis) {
	latest := slices.MaxFunc(of, func(a, b *member) int { return cmp.Compare(a.late, b.late) })
	if latest.late <= 0 || latest.worst == nil {
		return nil
	}
	span := v.span()
	together := 0
	var mate *member
	inHost := 0
	for _, m := range of {
		if m.device != latest.device {
			continue
		}
		inHost++
		if m != latest && m.worst != nil && m.worst.Seq == latest.worst.Seq && 10*m.behind > 9*latest.behind {
			together++
			mate = m
		}
	}
	others := unit.Duration(0)
	for _, m := range of {
		if m.device != latest.device {
			others = max(others, m.late)
		}
	}
	if float64(latest.late) < 0.01*float64(span) || latest.late < 3*others {
		return nil
	}
	once := float64(latest.behind) > 0.8*float64(latest.late)
	if together > 0 && together == inHost-1 {
		h := propose(HostHang, noun.Place{Kind: noun.Host, Name: latest.device})
		h.says(strong, latest.device, "rank %d began collective %d at %s, longer after the one before than others",
			latest.rank, latest.worst.Seq, v.when(latest.device, latest.worst.Start))
		h.says(fair, mate.device, "and rank %d of the same host with it", mate.rank)
		if once {
			h.says(fair, latest.device, "in collective %d most of all", latest.worst.Seq)
		}
		all = append(all, h.Hypothesis)
		return all
	}
	h := v.rankPlace(SlowGPU, latest)
	h.says(strong, latest.device, "rank %d began collective %d at %s, longer after the one before than others",
		latest.rank, latest.worst.Seq, v.when(latest.device, latest.worst.Start))
	switch {
	case 2*latest.first > latest.times:
		h.says(strong, latest.device, "rank %d comes last again and again, of ranks on %s", latest.rank, latest.gpu)
	case v.dealt(latest):
		h.says(-fair, latest.device, "not again and again, and after an all-to-all, which may have given it more to do")
	}
	if nic := v.givenMore(latest.device); nic != nil {
		h.says(-fair, nic.Port, "%s, in order %s: the host is sent more, and may have more to do", reading(nic.Series, telemetry.RxBytes),
			reading(nic.was, telemetry.RxBytes))
	}
	return append(all, h.Hypothesis)
}

// dealt reports whether a rank had an all-to-all between its worst collective and the one before that in the same communicator.
func (v *view) dealt(m *member) bool {
	since := unit.Time(0)
	for i := range v.Now.Collectives {
		p := &v.Now.Collectives[i]
		if p.Device == m.device && p.Port == m.gpu && p.Comm == m.worst.Comm && p.Seq == m.worst.Seq-1 {
			since = p.Start
		}
	}
	return slices.ContainsFunc(v.Now.Collectives, func(p telemetry.Part) bool {
		return p.Device == m.device && p.Port == m.gpu && p.Op == telemetry.AllToAll && since <= p.Start && p.Start < m.worst.Start
	})
}

// givenMore is a NIC of a host by which that gets a tenth more than in order, as where a router of experts decides otherwise.
func (v *view) givenMore(device string) *port {
	for i := range v.ports {
		p := &v.ports[i]
		if was := rose(p.was, telemetry.RxBytes); p.Device == device && p.Kind == telemetry.NIC && was > 0 &&
			rose(p.Series, telemetry.RxBytes) > was+was/10 {
			return p
		}
	}
	return nil
}

// span is the time from the first begin of a collective to the last.
func (v *view) span() unit.Duration {
	from, until := unit.Never, unit.Time(0)
	for _, p := range v.Now.Collectives {
		from, until = min(from, p.Start), max(until, p.Start, p.End)
	}
	return until.Sub(from)
}

// silent are the ranks whose GPUs draw less at the end than those of others that wait in the same collective: a kernel that
// waits spins.
func (v *view) silent(of []*member) (all []*member) {
	for _, m := range of {
		if v.powerless(m) != "" {
			all = append(all, m)
		}
	}
	return all
}

// powerless quotes the power of a rank's GPU, if at the last read it was less than two thirds of the median's.
func (v *view) powerless(m *member) string {
	var own *telemetry.Series
	var others []int64
	for _, s := range v.Now.Find(telemetry.GPU) {
		if !s.Has(telemetry.Power) {
			continue
		}
		if others = append(others, last(s, telemetry.Power)); s.Device == m.device && s.Port == m.gpu {
			own = s
		}
	}
	if own == nil || len(others) < 3 {
		return ""
	}
	slices.Sort(others)
	if 3*last(own, telemetry.Power) >= 2*others[len(others)/2] {
		return ""
	}
	return reading(own, telemetry.Power) + " of " + own.Port
}

// fewMarks are what a port may mark more than ten times as many as in order before that tells why senders are slow.
const fewMarks = 100

// stalls: no NIC sends for longer than ever in order. Who stands still in a collective has sent least of what it sends in order: the
// others go on until they want something of it.
func (v *view) stalls() []Hypothesis {
	if v.Healthy == nil || v.gone {
		return nil
	}
	from, until, next := quiet(v.Now)
	fromWas, untilWas, _ := quiet(v.Healthy)
	// Others go on for a while after one has stopped, so all are silent for less than it stands still. Senders that are slowed down pause
	// often.
	if long := until.Sub(from); long < 2*untilWas.Sub(fromWas) || long < 2*next {
		return nil
	}
	most := int64(0) // of what a NIC sends in order: one that only acknowledges says nothing
	for i := range v.ports {
		if v.ports[i].Kind == telemetry.NIC {
			most = max(most, rose(v.ports[i].was, telemetry.TxBytes))
		}
	}
	var slow, fast *port
	var low, high float64
	for i := range v.ports {
		p := &v.ports[i]
		all := rose(p.was, telemetry.TxBytes)
		if p.Kind != telemetry.NIC || all == 0 || 10*all < most {
			continue
		}
		k := p.readAt(until)
		done, known := p.Rise(telemetry.TxBytes, 0, k)
		if !known {
			continue
		}
		if x := float64(done) / float64(all); slow == nil || x < low {
			slow, low = p, x
		}
		if x := float64(done) / float64(all); fast == nil || x > high {
			fast, high = p, x
		}
	}
	if slow == nil || slow.Device == fast.Device || high-low < 0.001 || low >= 1 { // who has sent all of it does not stand still
		return nil
	}
	h := propose(HostHang, noun.Place{Kind: noun.Host, Name: slow.Device})
	h.says(strong, slow.Port, "tx_bytes %d as no NIC sends any more, in order %d in the end: less of it than any other",
		slow.Value(telemetry.TxBytes, slow.readAt(until)), last(slow.was, telemetry.TxBytes))
	h.says(fair, fast.Port, "tx_bytes %d by then, in order %d in the end", fast.Value(telemetry.TxBytes, fast.readAt(until)),
		last(fast.was, telemetry.TxBytes))
	for _, c := range []telemetry.Counter{telemetry.AckTimeouts, telemetry.SequenceErrors, telemetry.LinkDowns, telemetry.InErrors} {
		if i := slices.IndexFunc(v.ports, func(p port) bool { return rose(p.Series, c) > rose(p.was, c) }); i >= 0 {
			h.says(-strong, v.ports[i].Port, "%s: what was lost may be waited for", reading(v.ports[i].Series, c))
			break
		}
	}
	for i := range v.ports {
		p := &v.ports[i]
		if n, was := rose(p.Series, telemetry.ECNMarked), rose(p.was, telemetry.ECNMarked); p.was != nil && n > 10*was+fewMarks {
			h.says(-strong, p.Port, "%s, in order %s: senders may have been slowed down", reading(p.Series, telemetry.ECNMarked),
				reading(p.was, telemetry.ECNMarked))
			break
		}
	}
	return []Hypothesis{h.Hypothesis}
}

// readAt is the last read of a port until a time.
func (p *port) readAt(until unit.Time) (k int) {
	for i, t := range p.At {
		if t <= until && p.Value(telemetry.TxBytes, i) != telemetry.Unknown {
			k = i
		}
	}
	return k
}

// quiet is the longest stretch, between reads, in which no NIC sends, and how long the next one is.
func quiet(of *telemetry.Telemetry) (from, until unit.Time, next unit.Duration) {
	type stretch struct{ from, until unit.Time }
	var busy []stretch
	end := unit.Time(0)
	for _, s := range of.Find(telemetry.NIC) {
		last := -1
		for i := range s.At {
			if s.Value(telemetry.TxBytes, i) == telemetry.Unknown {
				continue
			}
			if last >= 0 {
				if n, _ := s.Rise(telemetry.TxBytes, last, i); n > 0 {
					busy = append(busy, stretch{s.At[last], s.At[i]})
				}
			}
			last = i
			end = max(end, s.At[i])
		}
	}
	slices.SortFunc(busy, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	reached := unit.Time(0)
	for _, b := range append(busy, stretch{end, end}) {
		if long := b.from.Sub(reached); reached > 0 { // before the first byte a job has not begun
			if most := until.Sub(from); long > most {
				from, until, next = reached, b.from, most
			} else {
				next = max(next, long)
			}
		}
		reached = max(reached, b.until)
	}
	return from, until, next
}
