package judge

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/noun"
)

// classes: a queue of another priority that held more than when all was in order.
func (v *view) classes() (all []Hypothesis) {
	was := map[string]int64{}
	if v.Healthy != nil {
		for _, s := range v.Healthy.Find(telemetry.Queue) {
			was[s.Device] = max(was[s.Device], last(s, telemetry.Watermark))
		}
	}
	most := map[string]*telemetry.Series{}
	for _, s := range v.queues {
		if most[s.Device] == nil || last(s, telemetry.Watermark) > last(most[s.Device], telemetry.Watermark) {
			most[s.Device] = s
		}
	}
	for _, device := range slices.Sorted(maps.Keys(most)) {
		s := most[device]
		deep := last(s, telemetry.Watermark)
		i, beside := v.byName[s.Port]
		if v.Healthy == nil || deep <= 2*was[device] || beside && deep < v.ports[i].meanFrame() { // acknowledgements are short
			continue
		}
		h := propose(OtherClass, switchPlace(device))
		weight := strong
		if was[device] == 0 {
			weight = decisive
		}
		h.says(weight, s.Port, "%s of priority %d", reading(s, telemetry.Watermark), s.Priority)
		switch at, data, before := v.deepest(device); {
		case at == nil || before == 0:
		case 4*data <= before:
			h.says(strong, at.Port, "%s, in order %s: its queue of RoCE data has less", one(telemetry.Watermark, data),
				one(telemetry.Watermark, before))
		default:
			h.says(-decisive, at.Port, "%s, in order %s: RoCE data are in their queue", one(telemetry.Watermark, data),
				one(telemetry.Watermark, before))
		}
		if beside {
			if p := &v.ports[i]; rose(p.Series, telemetry.OutDiscards) > rose(p.was, telemetry.OutDiscards) {
				h.says(fair, p.Port, "%s", reading(p.Series, telemetry.OutDiscards))
			}
		}
		all = append(all, h.Hypothesis)
	}
	return all
}

// deepest is the port of a device whose queue of RoCE data was the deepest in order, how deep it is now and was then.
func (v *view) deepest(device string) (at *port, now, was int64) {
	for i := range v.ports {
		if p := &v.ports[i]; p.Device == device && last(p.was, telemetry.Watermark) > was {
			at, was = p, last(p.was, telemetry.Watermark)
		}
	}
	for i := range v.ports {
		if p := &v.ports[i]; p.Device == device {
			now = max(now, last(p.Series, telemetry.Watermark))
		}
	}
	return at, now, was
}

// meanFrame is how long a frame is that the port sends, on average.
func (p *port) meanFrame() int64 {
	if n := rose(p.Series, telemetry.TxPackets); n > 0 {
		return rose(p.Series, telemetry.TxBytes) / n
	}
	return 0
}

// marks is what the ports of a switch marked of what they sent, and their deepest queue.
type marks struct {
	share float64
	n     int64
	deep  int64
	at    *telemetry.Series // that marked most, or whose queue is deepest
}

func marksOf(ports []port, was bool) map[string]*marks {
	all := map[string]*marks{}
	sent := map[string]int64{}
	for i := range ports {
		s := ports[i].Series
		if was {
			s = ports[i].was
		}
		if s == nil || s.Kind != telemetry.Port || !s.Has(telemetry.ECNMarked) {
			continue
		}
		m := all[s.Device]
		if m == nil {
			m = &marks{at: s}
			all[s.Device] = m
		}
		m.n += rose(s, telemetry.ECNMarked)
		sent[s.Device] += rose(s, telemetry.TxPackets)
		if deep := last(s, telemetry.Watermark); deep > m.deep {
			m.deep, m.at = deep, s
		}
	}
	for d, m := range all {
		if sent[d] > 0 {
			m.share = float64(m.n) / float64(sent[d])
		}
	}
	return all
}

// marking: a switch that marks otherwise than it did at queues as deep, while the others mark as they did.
func (v *view) marking() (all []Hypothesis) {
	if v.Healthy == nil {
		return nil
	}
	now, was := marksOf(v.ports, false), marksOf(v.ports, true)
	for _, d := range slices.Sorted(maps.Keys(now)) {
		a, b := now[d], was[d]
		if b == nil {
			continue
		}
		switch {
		case b.n >= 10 && a.n == 0 && a.deep >= b.deep/2:
			h := propose(NoMarking, switchPlace(d))
			h.says(strong, a.at.Port, "%s", reading(a.at, telemetry.ECNMarked))
			h.says(faint, b.at.Port, "in order: %s", reading(b.at, telemetry.ECNMarked))
			if a.deep > b.deep+b.deep/4 {
				h.says(strong, a.at.Port, "%s, in order %s", reading(a.at, telemetry.Watermark), reading(b.at, telemetry.Watermark))
			}
			all = append(all, h.Hypothesis)
		case a.n >= 10 && a.share > 3*b.share && float64(a.deep) < 1.2*float64(b.deep),
			b.n >= 10 && a.share < b.share/3 && float64(a.deep) > 0.8*float64(b.deep):
			h := propose(Drifted, switchPlace(d))
			times := max(a.share, b.share) / max(min(a.share, b.share), 1e-9)
			h.says(strong+min(fair, math.Log(times/3)), a.at.Port, "%s, in order %s", reading(a.at, telemetry.ECNMarked),
				reading(b.at, telemetry.ECNMarked))
			if more := a.share > b.share; more && float64(a.deep) < 0.8*float64(b.deep) || !more && float64(a.deep) > 1.2*float64(b.deep) {
				h.says(fair, a.at.Port, "%s, in order %s", reading(a.at, telemetry.Watermark), reading(b.at, telemetry.Watermark))
			}
			if o := asBefore(d, now, was); o != "" {
				h.says(strong, now[o].at.Port, "%s, in order %s: about as many", reading(now[o].at, telemetry.ECNMarked),
					reading(was[o].at, telemetry.ECNMarked))
			}
			all = append(all, h.Hypothesis)
		}
	}
	return all
}

// asBefore is another switch that marks about as much as it did; "": there is none.
func asBefore(device string, now, was map[string]*marks) string {
	for _, d := range slices.Sorted(maps.Keys(now)) {
		if a, b := now[d], was[d]; d != device && b != nil && b.n >= 10 && a.share < 1.5*b.share && b.share < 1.5*a.share {
			return d
		}
	}
	return ""
}

// congestion: a port to a host that has a long queue and sends more than in order, and who sends to it.
func (v *view) congestion() (all []Hypothesis) {
	for i := range v.ports {
		p := &v.ports[i]
		if p.Kind != telemetry.Port || p.was == nil {
			continue
		}
		if _, any := held(p.Series); any > 0.02 || !v.long(p) {
			continue
		}
		if sent, before := rose(p.Series, telemetry.TxBytes), rose(p.was, telemetry.TxBytes); v.toHost(p) && sent > before+before/10 {
			h := propose(ForeignIncast, place(p.Port))
			h.says(strong, p.Port, "%s, in order %s", reading(p.Series, telemetry.TxBytes), reading(p.was, telemetry.TxBytes))
			h.says(fair, p.Port, "%s, in order %s", reading(p.Series, telemetry.Watermark), reading(p.was, telemetry.Watermark))
			h.Culprits = v.newSenders(p)
			if len(h.Culprits) > 1 {
				h.says(fair, h.Culprits[0], "it sends more than in order, as do others")
			}
			if q := v.peer(p); q != nil && slices.Contains(v.newcomers(), q.Device) {
				h.says(-strong, q.Port, "%s, in order %s: its host is of those that take part now", reading(q.Series, telemetry.TxBytes),
					reading(q.was, telemetry.TxBytes))
			}
			if v.dropsNow(p) {
				h.says(-fair, p.Port, "%s, in order %s: what is lost is sent again", reading(p.Series, telemetry.OutDiscards),
					reading(p.was, telemetry.OutDiscards))
			}
			if at := v.elsewhere(sent - before); at != nil {
				h.says(-decisive, at.Port, "%s, in order %s: NICs together send hardly more, so bytes of the job go elsewhere",
					reading(at.Series, telemetry.TxBytes), reading(at.was, telemetry.TxBytes))
			}
			all = append(all, h.Hypothesis)
		}
	}
	return all
}

// group is the equal links of a switch to a tier, or those from there to it, among which those below have chosen.
type group struct {
	device string
	tier   topo.Kind
	down   bool
	ports  []*port
}

func (v *view) groups() (all []group) {
	if v.Graph == nil {
		return nil
	}
	at := map[string]int{}
	for i := range v.ports {
		p := &v.ports[i]
		if p.id < 0 || p.Kind != telemetry.Port {
			continue
		}
		from, to := &v.Graph.Nodes[v.Graph.Ports[p.id].Node], &v.Graph.Nodes[v.Graph.Ports[p.id].To]
		if to.Kind <= from.Kind { // down
			continue
		}
		key := p.Device + " " + to.Kind.String()
		k, there := at[key]
		if !there {
			k = len(all)
			at[key] = k
			all = append(all, group{device: p.Device, tier: to.Kind})
		}
		all[k].ports = append(all[k].ports, p)
	}
	for _, g := range all[:len(all):len(all)] {
		back := group{device: g.device, tier: g.tier, down: true}
		for _, p := range g.ports {
			if q := v.peer(p); q != nil {
				back.ports = append(back.ports, q)
			}
		}
		all = append(all, back)
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.ports) < 2 })
}

// uneven is how much more the fullest of equal links sent than their mean, how many sent next to nothing, and the fullest.
func (g *group) uneven(was bool) (over float64, idle int, top *port, sum int64) {
	most := int64(-1)
	var sent []int64
	for _, p := range g.ports {
		s := p.Series
		if was {
			s = p.was
		}
		n := rose(s, telemetry.TxBytes)
		sent = append(sent, n)
		if sum += n; n > most {
			most, top = n, p
		}
	}
	if sum == 0 {
		return 1, 0, top, 0
	}
	for _, n := range sent {
		if n*int64(len(sent))*10 < sum { // acknowledgements go everywhere
			idle++
		}
	}
	return float64(most) * float64(len(sent)) / float64(sum), idle, top, sum
}

// choices: equal links that are not equally used. Where switches of a tier that sit below others that choose too send by one of
// their links each, and by more in order, the two tiers choose alike; else flows met by chance.
func (v *view) choices() (all []Hypothesis) {
	groups := v.groups()
	if h := v.polarised(groups); h != nil {
		all = append(all, h.Hypothesis)
	}
	met, more := []meeting(nil), 0.25
	if by, _, _, known := v.slower(); known && by >= 0.01 { // then less is enough
		more = 0.05
	}
	for i := range groups {
		g := &groups[i]
		over, _, top, sum := g.uneven(false)
		before, _, _, sumWas := g.uneven(true)
		if sum == 0 || over < before+more || last(top.Series, telemetry.Watermark) < frames*top.meanFrame() {
			continue
		}
		h := propose(Collision, noun.Place{Kind: noun.Links, Name: g.device, Ports: portNames(g.ports)})
		h.says(strong+fair*min(1.5, over-1), top.Port, "%s: more than its equals", reading(top.Series, telemetry.TxBytes))
		least := slices.MinFunc(g.ports, func(a, b *port) int {
			return cmp.Compare(rose(a.Series, telemetry.TxBytes), rose(b.Series, telemetry.TxBytes))
		})
		h.says(faint, least.Port, "%s: less than its equals", reading(least.Series, telemetry.TxBytes))
		h.says(fair, top.Port, "%s", reading(top.Series, telemetry.Watermark))
		if len(all) > 0 {
			h.says(-strong, all[0].Place.Name, "equal links are idle all over the tier")
		}
		if _, any := held(top.Series); any > 0.02 { // what waits there waits for another reason
			h.says(-strong, top.Port, "%s: it is held", reading(top.Series, telemetry.RxPause))
		}
		if why := v.crippled(g); why != nil {
			h.says(-strong, why.Port, "%s: traffic avoids it", one(telemetry.Speed, last(why.Series, telemetry.Speed)))
		}
		if sumWas > 0 && sum > sumWas+sumWas/10 {
			h.says(-strong, top.Port, "%s, in order %s: all of the equal links send more", reading(top.Series, telemetry.TxBytes),
				reading(top.was, telemetry.TxBytes))
		}
		if at, most := v.dealtOtherwise(); at != nil && 2*most > rose(top.Series, telemetry.TxBytes)-rose(top.was, telemetry.TxBytes) {
			h.says(-decisive, at.Port, "%s, in order %s: hosts are sent otherwise, and so more goes one way",
				reading(at.Series, telemetry.TxBytes), reading(at.was, telemetry.TxBytes))
		}
		v.costs(h)
		h.Culprits = []string{top.Port}
		met = append(met, meeting{h, v.draining(top), last(top.Series, telemetry.Watermark)})
	}
	if len(met) > 0 {
		all = append(all, worst(met).Hypothesis)
	}
	return all
}

// meeting is a port at which flows meet, how long it takes for what it sent, and how deep its queue was.
type meeting struct {
	*making
	drain float64
	deep  int64
}

// worst is where all wait: the port that takes longest; of those that take about as long the one with the deepest queue, since flows
// that have met wait no more at the next port.
func worst(met []meeting) *making {
	longest := slices.MaxFunc(met, func(a, b meeting) int { return cmp.Compare(a.drain, b.drain) }).drain
	best := meeting{}
	for _, m := range met {
		if 20*m.drain >= 19*longest && (best.making == nil || m.deep > best.deep) {
			best = m
		}
	}
	return best.making
}

// draining is how long a port takes for what it sent, by its speed, or in bytes where that is not known.
func (v *view) draining(p *port) float64 {
	sent := float64(rose(p.Series, telemetry.TxBytes))
	if speed, _ := least(p.Series, telemetry.Speed); speed > 0 {
		return sent / float64(speed)
	}
	return sent
}

// crippled is one of equal links that came up slower than in order.
func (v *view) crippled(g *group) *port {
	for _, p := range g.ports {
		now, _ := least(p.Series, telemetry.Speed)
		if was, _ := least(p.was, telemetry.Speed); now > 0 && now < was {
			return p
		}
	}
	return nil
}

// polarised looks at the switches of the uppermost tier but one, if there are tiers below it.
func (v *view) polarised(groups []group) *making {
	upper, lower := topo.Kind(0), false
	groups = slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return g.down })
	for i := range groups {
		upper = max(upper, groups[i].tier)
	}
	used, alike := 0, 0
	var first *group
	for i := range groups {
		g := &groups[i]
		if g.tier != upper {
			lower = true
			continue
		}
		_, idle, _, sum := g.uneven(false)
		_, idleWas, _, sumWas := g.uneven(true)
		if sum == 0 || sumWas == 0 {
			continue
		}
		if used++; 2*idle >= len(g.ports) && idle > idleWas {
			if alike++; first == nil {
				first = g
			}
		}
	}
	if !lower || used < 2 || 4*alike < 3*used {
		return nil
	}
	_, _, top, _ := first.uneven(false)
	h := propose(Polarised, noun.Place{Kind: noun.Tier, Name: v.Graph.Nodes[v.Graph.Ports[first.ports[0].id].Node].Kind.String()})
	h.says(min(decisive, fair*float64(alike)), top.Port,
		"%s, while equal links of %s and of the others of its tier are idle, which are used in order",
		reading(top.Series, telemetry.TxBytes), first.device)
	return v.costs(h)
}

func portNames(ports []*port) (all []string) {
	for _, p := range ports {
		all = append(all, p.Port)
	}
	return all
}

// placement: hosts send as much as in order, and more of it crosses the tiers.
func (v *view) placement() (all []Hypothesis) {
	if v.Graph == nil || v.Healthy == nil {
		return nil
	}
	var up, upWas, edge, edgeWas int64
	var top *port
	for i := range v.ports {
		p := &v.ports[i]
		if p.id < 0 || p.was == nil {
			continue
		}
		n, was := rose(p.Series, telemetry.TxBytes), rose(p.was, telemetry.TxBytes)
		switch {
		case p.Kind == telemetry.NIC:
			edge, edgeWas = edge+n, edgeWas+was
		case !v.toHost(p):
			if up, upWas = up+n, upWas+was; top == nil || n-was > rose(top.Series, telemetry.TxBytes)-rose(top.was, telemetry.TxBytes) {
				top = p
			}
		}
	}
	if top == nil || up == 0 || edge == 0 || edgeWas == 0 || float64(up)/float64(edge) < 1.25*float64(upWas)/float64(edgeWas) ||
		float64(edge) > 1.5*float64(edgeWas) {
		return nil
	}
	h := propose(Fragmented, noun.Place{Kind: noun.Job})
	h.says(strong+fair, top.Port, "%s, in order %s", reading(top.Series, telemetry.TxBytes), reading(top.was, telemetry.TxBytes))
	h.Culprits = v.newcomers()
	v.costs(h)
	nic := &v.ports[slices.IndexFunc(v.ports, func(p port) bool { return p.Kind == telemetry.NIC && p.was != nil })]
	h.says(faint, nic.Port, "%s, in order %s", reading(nic.Series, telemetry.TxBytes), reading(nic.was, telemetry.TxBytes))
	return append(all, h.Hypothesis)
}

// newcomers are the hosts whose NICs send, and hardly did in order, as long as they are not all.
func (v *view) newcomers() (hosts []string) {
	var now, was = map[string]int64{}, map[string]int64{}
	for i := range v.ports {
		if p := &v.ports[i]; p.Kind == telemetry.NIC && p.was != nil {
			now[p.Device] += rose(p.Series, telemetry.TxBytes)
			was[p.Device] += rose(p.was, telemetry.TxBytes)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(now)) {
		if now[d] > 0 && was[d] < now[d]/20 {
			hosts = append(hosts, d)
		}
	}
	return hosts
}
