package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// Finding is what is behind blames, by its noun.
type Finding struct {
	noun.Finding
	Blames []int `json:"blames"` // which of the diagnosis' Blames it is; the first is the one that it is named after

	timer   unit.Duration // of Time, senders waited for it
	foreign bool          // most of what waited there is not the job's own
	broken  bool          // its place has less than its like
}

// half of a controller's blame at a port must be what the port lost otherwise for that to be the cause, and the
// mechanism part of it.
const half = 0.5

// findings names what is behind the blames.
func (c *court) findings(d *Diagnosis) []Finding {
	var all []Finding
	in := c.grouped(d)
	for _, blames := range in {
		all = append(all, c.finding(d, blames))
	}
	byTime := func(a, b Finding) int { return cmp.Compare(b.Time, a.Time) }
	slices.SortStableFunc(all, byTime)
	all = joined(d, all)
	slices.SortStableFunc(all, byTime)
	if main := first(d, all); main > 0 {
		x := all[main]
		all = slices.Insert(slices.Delete(all, main, main+1), 0, x)
	}
	return all
}

// grouped puts blames together that are one thing, the one that leads first: uneven choices that lead to the same
// switch, losses at a port with the timers that mended them, mechanisms with what filled their port.
func (c *court) grouped(d *Diagnosis) (all [][]int) {
	byVia, byPort := map[string]int{}, map[int32]int{}
	place := func(i int) (group int, ok bool) {
		b := &d.Blames[i]
		switch {
		case b.Kind == UnevenChoice:
			group, ok = byVia[c.choice(b.at).merged()]
		case b.Kind == Controller && b.Port != "":
			if group, ok = byPort[b.at]; ok {
				lost := unit.Duration(0)
				for k := range d.Blames {
					if o := &d.Blames[k]; o.at == b.at && o.Kind != Controller && o.Kind.Congestion() {
						lost += o.Time
					}
				}
				ok = float64(lost) >= half*float64(b.Time) || c.e.Ports[b.at].Degraded // what slows senders is the link
			}
		case (b.Kind == LossyLink || b.Kind == SlowPort || b.Kind == PCIe) && b.Port != "":
			group, ok = byPort[c.otherEnd(d, b)]
		}
		return group, ok
	}
	for _, mechanisms := range []bool{false, true} {
		for i := range d.Blames {
			b := &d.Blames[i]
			if (b.Kind == Controller) != mechanisms {
				continue
			}
			group, ok := place(i)
			if !ok {
				group, all = len(all), append(all, nil)
			}
			all[group] = append(all[group], i)
			if b.Port != "" && (b.Kind.Congestion() || b.Kind == PCIe) {
				if _, known := byPort[b.at]; !known {
					byPort[b.at] = group
				}
				if b.Kind == UnevenChoice {
					byVia[c.choice(b.at).merged()] = group
				}
			}
		}
	}
	return all
}

// merged is what uneven choices have in common that are one finding.
func (x *Choice) merged() string {
	if x.Alike[0] != "" {
		return "alike " + x.Alike[0] + " " + x.Alike[1]
	}
	return "among " + x.Among
}

// otherEnd is the port at the other end of a link that lost frames, or is slow, if that lost some too and comes before: a cable
// has two directions. -1: it did not.
func (c *court) otherEnd(d *Diagnosis, b *Blame) int32 {
	for i := range d.Blames {
		o := &d.Blames[i]
		if o.Kind == b.Kind && o.Port != b.Port && o.Port != "" && (OnLink(o.Port, b.Port) || sameInHost(o.Port, b.Port)) {
			return o.at
		}
	}
	return -1
}

// finding names what is behind some blames.
func (c *court) finding(d *Diagnosis, blames []int) Finding {
	lead := &d.Blames[blames[0]]
	f := Finding{Blames: blames}
	for _, i := range blames {
		f.Time += d.Blames[i].Time
	}
	f.Share = unit.Share(f.Time, d.Whole)
	f.Place = c.place(lead)
	f.timer = d.timer(blames)
	f.foreign = c.foreign(lead)
	c.name(&f, lead)
	f.faultsOf(d)
	if f.timer > 0 {
		f.fact("waited for the timer", lead.Port, f.timer.Seconds(), "s")
		f.fact("transport.timeout", "", c.e.Timeout.Seconds(), "s")
	}
	if f.Culprits == nil {
		for _, x := range lead.Culprits {
			f.Culprits = append(f.Culprits, x.Name)
		}
		f.Others = lead.Others
	}
	for _, i := range blames {
		b := &d.Blames[i]
		if i != blames[0] && b.Port != "" && f.Place.Kind == noun.Links && !slices.Contains(f.Place.Ports, b.Port) {
			f.Place.Ports = append(f.Place.Ports, b.Port)
		}
	}
	return f
}

// foreign reports whether most of what victims of a blame found at its port is not the job's.
func (c *court) foreign(b *Blame) bool {
	if b.Port == "" || b.Kind != SharedPort && b.Kind != UnevenChoice {
		return false
	}
	all, others := int64(0), int64(0)
	for _, s := range c.fill(b.at) {
		if all += s.Bytes; c.isForeign(s.Pair) {
			others += s.Bytes
		}
	}
	return 2*others > all
}

// timer is how long of some blames a retransmission timer ran.
func (d *Diagnosis) timer(blames []int) (sum unit.Duration) {
	for _, i := range blames {
		sum += d.Blames[i].Timer
	}
	return sum
}

// faultsOf takes over the faults of its blames.
func (f *Finding) faultsOf(d *Diagnosis) {
	f.Faults = nil
	for _, i := range f.Blames {
		for _, x := range d.Blames[i].Faults {
			if !slices.Contains(f.Faults, x) {
				f.Faults = append(f.Faults, x)
			}
		}
	}
}

// NameFaults gives findings the faults that have been noted in their blames.
func (d *Diagnosis) NameFaults() {
	for i := range d.Findings {
		d.Findings[i].faultsOf(d)
	}
}

func (c *court) place(b *Blame) noun.Place {
	switch {
	case b.Rank != nil:
		return noun.Place{Kind: noun.Rank, Rank: b.Rank}
	case b.Port == "":
		return noun.Place{}
	case b.Kind == Deadlock:
		p := noun.Place{Kind: noun.Circle, Name: b.Port}
		for _, id := range c.e.Circle {
			p.Ports = append(p.Ports, c.e.Ports[id].Name)
		}
		return p
	case b.Kind == UnevenChoice:
		return noun.Place{Kind: noun.Links, Name: b.Port, Ports: []string{b.Port}}
	case b.Kind == PCIe:
		return noun.Place{Kind: noun.HostLink, Name: b.Port}
	case b.Kind == NoRoute: // whatever it came by
		return noun.Place{Kind: noun.Switch, Name: receiver(b.Port), Ports: []string{b.Port}}
	}
	return noun.Place{Kind: noun.Port, Name: b.Port}
}

// fact adds one.
func (f *Finding) fact(what, at string, value float64, in string) {
	f.Evidence = append(f.Evidence, noun.Fact{What: what, At: at, Value: value, Unit: in})
}

// plain are the nouns of kinds that have one whatever the evidence.
var plain = map[Kind]noun.Noun{
	SlowPort: noun.SlowLink, LossyLink: noun.LossyLink, FullBuffer: noun.SmallBuffer, DropThreshold: noun.WrongThreshold,
	Watchdog: noun.PFCWatchdog, NoRoute: noun.BlackHole, Reordering: noun.Reordering, NoRoom: noun.Reordering,
	Timeouts: noun.Timeout, Pauses: noun.WrongThreshold, Deadlock: noun.PFCDeadlock,
	Storm: noun.PFCStorm, Receiver: noun.SlowReceiver, Controller: noun.ControllerUnderRun, Window: noun.SmallWindow,
	SlowRank: noun.Straggler, Launch: noun.LaunchBound, Compute: noun.ComputeBound, NVLink: noun.NVLinkBound,
	PCIe: noun.PCIeBound, NIC: noun.HostBound, Dependency: noun.HostBound, Answer: noun.LatencyBound,
	LinkSpeed: noun.LinkBound, Cable: noun.LatencyBound, SwitchDelay: noun.LatencyBound, SharedPort: noun.SharedLink,
	RetryExceeded: noun.Abort, JobWatchdog: noun.Hang, Broken: noun.Abort, Checkpoints: noun.Checkpoint, Steps: noun.ComputeBound,
	UnevenChoice: noun.ECMPCollision,
}

// Noun is what a blame is called where nothing but itself is known.
func (b *Blame) Noun() noun.Noun { return plain[b.Kind] }

// name gives a finding its noun, after the blame that leads it.
func (c *court) name(f *Finding, b *Blame) {
	f.Noun = plain[b.Kind]
	if b.Port == "" {
		return
	}
	p := &c.e.Ports[b.at]
	if odd, by := wrong(b, p); odd != "" {
		f.Noun, f.By = odd, by
		return
	}
	if c.crossRail(b, p) {
		f.Noun, f.By = noun.CrossRail, "the sender's own NIC in place of the receiver's rail"
		return
	}
	switch b.Kind {
	case SharedPort:
		c.contention(f, b, p)
	case UnevenChoice:
		c.unevenly(f, b)
	case LossyLink:
		if f.Noun, f.By = lossy(p); p.Cut > 0 {
			f.fact("down", b.Port, p.Cut.Seconds(), "s")
		}
	case SlowPort:
		if x := c.choice(b.at); x != nil && x.Ratio > 1 && x.Usual && !p.Degraded { // as all of its tier are
			f.Noun, f.By = noun.Oversubscription, x.Tier
			f.fact("oversubscription", x.Tier, x.Ratio, "")
			return
		}
		f.fact("rate", b.Port, float64(p.Rate), "bit/s")
	case PCIe:
		switch {
		case p.Degraded || p.Rate < c.e.Line:
			f.broken = true
			f.fact("rate", b.Port, float64(p.Rate), "bit/s")
		case c.shares(b):
			f.Noun = noun.PCIeShared
		}
	}
}

// JobPrefix begins the name of what another job's queue pairs have in common.
const JobPrefix = "job "

// contention names what fills a port with others' bytes.
func (c *court) contention(f *Finding, b *Blame, p *Port) {
	jobs := c.othersJobs(b.at)
	senders := max(2, len(b.Culprits)+b.Others) // who is held up by one other is a sender, too
	x := c.choice(b.at)
	switch {
	case x != nil && c.slower(b.at, x) || p.Degraded:
		f.Noun = noun.SlowLink
		f.fact("rate", b.Port, float64(p.Rate), "bit/s")
	case !b.Crossed && !b.Acks && p.Last:
		f.Noun, f.N = noun.HOLVictim, senders
	case !b.Crossed && !b.Acks && !p.Own:
		f.Noun = noun.HOLVictim
	case p.Own:
		f.Noun = noun.NICShared
	case jobs:
		f.Noun = noun.AnotherJob
		for _, x := range b.Culprits { // its own messages wait there, too
			if strings.HasPrefix(x.Name, JobPrefix) {
				f.Culprits = append(f.Culprits, x.Name)
			}
		}
	case p.Last:
		f.Noun, f.N = noun.Incast, senders
	case x != nil && x.Ratio > 1 && c.use(b.at).full >= filled:
		f.Noun, f.By = noun.Oversubscription, x.Tier
		f.fact("oversubscription", x.Tier, x.Ratio, "")
	}
	if f.N > 0 {
		f.fact("senders", b.Port, float64(f.N), "")
	}
}

// filled is the part of what equal ports could have sent from which on they are full.
const filled = 0.8

// othersJobs reports whether all that waited at a port but the job's own was another job's.
func (c *court) othersJobs(port int32) bool {
	others := 0
	for _, s := range c.fill(port) {
		if s.Bytes == 0 || !c.isForeign(s.Pair) {
			continue
		}
		if others++; c.e.Job == nil || c.e.Job(s.Pair) == "" {
			return false
		}
	}
	return others > 0
}

// shares reports whether a PCIe link inside a host has more than one rank's bytes.
func (c *court) shares(b *Blame) bool { return len(b.Victims) > 1 }

// shownIdle is how many of the links that carry nothing are named.
const shownIdle = 4

// unevenly names an uneven choice.
func (c *court) unevenly(f *Finding, b *Blame) {
	x := c.choice(b.at)
	f.Noun = noun.ECMPCollision
	if c.slower(b.at, x) {
		f.Noun, f.Place = noun.SlowLink, noun.Place{Kind: noun.Port, Name: b.Port}
		f.fact("rate", b.Port, float64(c.e.Ports[b.at].Rate), "bit/s")
		return
	}
	switch {
	case len(x.Cut) > 0:
		f.Noun, f.By = noun.LinkDown, "link down"
		for _, q := range x.Cut {
			f.fact("down", c.e.Ports[q].Name, c.e.Ports[q].Cut.Seconds(), "s")
		}
		f.Place = noun.Place{Kind: noun.Links, Name: c.e.Ports[x.Cut[0]].Name, Ports: []string{c.e.Ports[x.Cut[0]].Name, b.Port}}
	case x.By == Written:
		f.By = "a written path"
	case x.Alike[0] != "":
		f.Noun, f.By = noun.Polarisation, "one hash seed in tiers "+x.Alike[0]+" and "+x.Alike[1]
	case x.By == ByPacket:
		f.Noun, f.By = noun.UnevenSpraying, "the choice for each packet"
	case x.By == ByBurst:
		f.By = "the choice for each burst"
	case x.All < x.Of:
		f.By = "few queue pairs"
	default:
		f.By = strings.TrimSpace("the hash " + x.Hash)
	}
	if x.By != ByPacket && x.All > 0 {
		f.fact("flows", x.Via, float64(x.Over), "")
		f.fact("flows of all equal", "", float64(x.All), "")
		for _, idle := range x.Idle[:min(len(x.Idle), shownIdle)] {
			f.fact("flows", idle, 0, "")
		}
		f.fact("unused", "", float64(len(x.Idle)), "")
	}
	f.fact("equal links", "", float64(x.Of), "")
	if u := c.use(b.at); u != nil {
		f.fact("bytes beyond an even share", b.Port, u.uneven, "")
	}
}

// first is which finding to say first: the largest incident, or what has most of the time, where no incident has a tenth
// of it or the work outweighs it by far.
func first(d *Diagnosis, all []Finding) int {
	work, lost, incident := -1, -1, -1
	for i := range all {
		kind := d.Blames[all[i].Blames[0]].Kind
		switch {
		case kind.work():
			if work < 0 {
				work = i
			}
			continue
		case lost < 0:
			lost = i
		}
		if incident < 0 && all[i].Noun.Class() != noun.Share {
			incident = i
		}
	}
	over := func(i int) bool { // an incident, or another overhead, is said before the work
		return i >= 0 && all[i].Share >= worthSaying && (work < 0 || all[i].Time*useful >= all[work].Time)
	}
	if wrong := standing(all); wrong >= 0 {
		return wrong
	}
	if wrong := wrongOf(all); wrong >= 0 && (incident < 0 || !over(incident) || all[incident].Time*useful < all[lost].Time) {
		return wrong
	}
	switch {
	case over(incident) && all[incident].Time*useful >= all[lost].Time:
		return faultBefore(all, incident)
	case work < 0 || over(lost):
		return lost
	}
	return work
}

// standing is a deadlock that took a part worth saying, unless something took more than twice as long: what brought it about, and
// what came of it, is beside it. -1: there is none.
func standing(all []Finding) int {
	at := slices.IndexFunc(all, func(f Finding) bool { return f.Noun == noun.PFCDeadlock && f.Share >= worthSaying })
	if at >= 0 && slices.ContainsFunc(all, func(f Finding) bool { return f.wrong() && f.Time > 2*all[at].Time }) {
		return -1
	}
	return at
}

// wrongOf is the largest that is wrong and that took a part worth saying; -1: there is none.
func wrongOf(all []Finding) int {
	return slices.IndexFunc(all, func(f Finding) bool {
		return f.wrong() && f.Share >= f.least()
	})
}

// least is the part of the whole from which on it is said first.
func (f *Finding) least() float64 {
	if f.fault() {
		return worthMending
	}
	return worthSaying
}

// fault reports whether something is broken, or set otherwise than its like.
func (f *Finding) fault() bool { return f.Noun.Class() == noun.Fault || f.broken }

// wrong reports whether it is a fault, traffic that is not the job's, or a choice among equal links that is uneven.
func (f *Finding) wrong() bool {
	uneven := f.Noun == noun.ECMPCollision || f.Noun == noun.UnevenSpraying
	return f.fault() || f.Noun.Class() == noun.Contention && (f.foreign || uneven)
}

// faultBefore returns what is wrong, if that took a part worth saying beside an incident that is so by design, or the job's own
// traffic; beside links that it uses unevenly, a quarter of their time at least; else the incident. What full buffers, timers and
// overtaking took beside traffic comes of it.
func faultBefore(all []Finding, incident int) int {
	is := &all[incident]
	if is.fault() || is.foreign {
		return incident
	}
	follows := []noun.Noun{noun.SmallBuffer, noun.Timeout, noun.Reordering, noun.PFCWatchdog}
	for i := range all {
		f := &all[i]
		if is.Noun.Class() == noun.Contention && f.By == "" && slices.Contains(follows, f.Noun) {
			continue
		}
		if f.fault() && f.Share >= f.least() && (!is.wrong() || f.Time*useful >= is.Time) {
			return i
		}
	}
	return incident
}
