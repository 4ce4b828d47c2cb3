package scenario

import (
	"fmt"
	"math"
	"strconv"

	"railyard/internal/base/unit"
	"railyard/internal/net/traffic"
)

// mostEffort bounds the ends and flows that the shorthands of a file go through, all together: a small file may name many.
const mostEffort = 8_000_000

// makeFlows makes the flows of a list of entries, and reports what is wrong with these. Where the cluster or an entry is
// wrong, nobody asks for the flows.
func (d *decoder) makeFlows(s *Scenario, entries []FlowEntry, list, noun string, names map[string]string) (flows []Flow) {
	for i := range entries {
		e, path := &entries[i], fmt.Sprintf("%s[%d]", list, i)
		e.first = len(flows)
		switch clean := d.clean(path, entryFields); {
		case !d.ok(path, path+".pattern"):
		case e.Pattern.Set:
			if d.checkMany(s, e, path) && clean {
				flows = d.makeMany(s, e, path, noun, flows, names)
			}
		default:
			f := d.makeOne(s, e, path, clean)
			if e.plain = true; e.Name == AutoName {
				e.Name = nthFlow(noun, len(flows))
			}
			f.Name = e.Name
			flows = append(flows, f)
			d.checkFlow(s, &f, path, names)
		}
		if e.made = len(flows) - e.first; len(flows) > MaxFlows {
			d.problem(path, fmt.Sprintf("more than %s flows with those of the entries before, want at most so many",
				unit.Count(MaxFlows)), "")
			return flows[:MaxFlows]
		}
	}
	return flows
}

// makeOne makes the flow of an entry that is one. Where the entry is not clean it has what can be known of it.
func (d *decoder) makeOne(s *Scenario, e *FlowEntry, path string, clean bool) Flow {
	f := e.Flow
	var alone [2]bool
	f.From, alone[0] = e.From.single()
	f.To, alone[1] = e.To.single()
	for i, key := range []string{path + ".from", path + ".to"} {
		if !alone[i] && d.ok(key) {
			d.bad[key] = true
			d.problem(key, fmt.Sprintf("%s: several ends, and pattern is none: want a pattern", [...]Ends{e.From, e.To}[i]), "")
		}
	}
	switch {
	case !clean:
	case len(e.Sizes.Bytes) > 1:
		d.problem(path+".bytes", fmt.Sprintf("%d sizes, and it is one flow: want one size", len(e.Sizes.Bytes)), "")
	default:
		f.Bytes = e.Sizes.of(0, traffic.NewStream(s.Seed, path))
	}
	return f
}

// checkMany reports what is wrong between the keys of a shorthand, and the cluster.
func (d *decoder) checkMany(s *Scenario, e *FlowEntry, path string) bool {
	before := len(d.problems)
	for i, key := range []string{path + ".from", path + ".to"} {
		if message := endMistake(s, [...]Ends{e.From, e.To}[i].last()); message != "" && d.ok(key) && (i == 0 || !e.within()) {
			d.problem(key, message, "")
		}
	}
	if _, alone := e.To.single(); e.Pattern.Value == "incast" && !alone && d.ok(path+".to") {
		d.problem(path+".to", fmt.Sprintf("%s: several ends, want one that all of from send to", e.To),
			"pattern: each is an incast to each")
	}
	if !e.Load.Set {
		for _, m := range timeMistakes(&e.Flow) {
			if d.ok(path+".count", path+".every", path+".start") {
				d.problem(path+"."+m.keys[0], m.message, m.hint)
			}
		}
	} else if e.Number.Set == e.During.Set && d.ok(path+".flows", path+".during") {
		d.problem(path+".load", "want flows: (how many arrive) or during: (for how long they arrive), one of them", "")
	}
	return len(d.problems) == before
}

// makeMany makes the flows of a shorthand in which nothing is wrong by itself.
func (d *decoder) makeMany(s *Scenario, e *FlowEntry, path, noun string, flows []Flow, names map[string]string) []Flow {
	switch e.Pattern.Value {
	case "permutation":
		d.effort += 8 * e.From.count(s) // it is drawn, mended, and changed at random
	case "all-to-all":
		d.effort += 2 * e.From.count(s)
	default:
		d.effort += e.From.count(s) + e.To.count(s)
	}
	if d.effort > mostEffort {
		d.problem(path, "with the entries before it names too many ends, want fewer entries or fewer ends", "")
		return flows
	}
	made, ok := d.made(s, e, path)
	if d.effort += len(made); !ok {
		return flows
	}
	if last := e.Off.last(); last >= len(made) {
		d.problem(path+".off", fmt.Sprintf("n%d: no such flow, want n1 to n%d", last+1, len(made)), "")
	}
	for i := range made {
		f := &made[i]
		f.Name = e.Name + strconv.Itoa(i+1)
		if e.Name == AutoName {
			f.Name = nthFlow(noun, len(flows)+i)
		}
		if f.Count = max(f.Count, 1); e.Priority == "" {
			f.Priority = FlowPriorities[0].Name
		}
		if other, ok := names[f.Name]; ok {
			d.problem(path+".name", fmt.Sprintf("%s: the name of %s too, want one of its own", f.Name, other), "")
			return flows
		}
		names[f.Name] = path
	}
	if e.Off != nil {
		for _, i := range e.Off.Of(len(made)) {
			made[i].Enabled = false
		}
	}
	return append(flows, made...)
}

// made makes the flows of a shorthand whose keys are right by themselves: their ends, sizes and times.
func (d *decoder) made(s *Scenario, e *FlowEntry, path string) (flows []Flow, ok bool) {
	from, to := e.From.in(s), e.To.in(s)
	if e.within() {
		to = from
	}
	r := traffic.NewStream(s.Seed, path)
	cross := traffic.Cross{From: hostsOf(from), To: hostsOf(to)}
	var pairs []traffic.Pair
	switch e.Pattern.Value {
	case "pairs":
		if len(from) != len(to) {
			d.problem(path+".to", fmt.Sprintf("%s ends, and from has %s: want as many", unit.Count(int64(len(to))),
				unit.Count(int64(len(from)))), "")
			return nil, false
		}
		for i := range from {
			if message := pairMistake(s, &Flow{From: from[i], To: to[i]}); message != "" {
				d.problem(path+".to", message, "")
				return nil, false
			}
			pairs = append(pairs, traffic.Pair{From: i, To: i})
		}
	case "permutation":
		if pairs = traffic.Permutation(r, cross.From); pairs == nil {
			d.problem(path+".from", "more than half of the ends are on one host, so some cannot send to another host in a permutation", "")
			return nil, false
		}
	default:
		if cross.Len() == 0 {
			d.problem(path, "makes no flow: all ends are on one host", "")
			return nil, false
		}
	}
	if e.Load.Set {
		return d.arrivals(s, e, path, from, to, pairs, cross, r)
	}
	if pairs, ok = d.chosen(e, path, pairs, cross, r); !ok {
		return nil, false
	}
	flows = make([]Flow, len(pairs))
	for i, p := range pairs {
		flows[i] = e.Flow
		flows[i].From, flows[i].To, flows[i].Bytes = from[p.From], to[p.To], e.Sizes.of(i, r)
	}
	return flows, true
}

// chosen takes the pairs of a pattern, or as many as are asked for.
func (d *decoder) chosen(e *FlowEntry, path string, pairs []traffic.Pair, cross traffic.Cross, r *traffic.Stream) ([]traffic.Pair, bool) {
	there := len(pairs)
	if pairs == nil {
		there = cross.Len()
	}
	n := e.Number.Or(there)
	switch {
	case n > there:
		d.problem(path+".flows", fmt.Sprintf("%d: the pattern has %s pairs, want at most so many", n, unit.Count(int64(there))),
			"several messages of each flow: count and every")
		return nil, false
	case n > MaxFlows:
		d.problem(path, fmt.Sprintf("makes %s flows, want at most %s", unit.Count(int64(n)), unit.Count(MaxFlows)),
			"flows: takes so many of them, drawn by the seed")
		return nil, false
	case pairs == nil && n == there:
		return cross.All(), true
	case pairs == nil:
		return cross.Some(r, n), true
	case n < there:
		return traffic.Some(r, pairs, n), true
	}
	return pairs, true
}

// arrivals makes flows that arrive as a Poisson process, each of a pair drawn from the pattern's. The load is the part of
// what the NICs of the senders, or of the receivers where these are fewer, carry at line rate that the flows' bytes take in
// the mean.
func (d *decoder) arrivals(s *Scenario, e *FlowEntry, path string, from, to []Endpoint, pairs []traffic.Pair, cross traffic.Cross,
	r *traffic.Stream) ([]Flow, bool) {
	const fine = 128 // parts of a picosecond, so that a mean of few is not rounded away
	nics := min(s.nicsOf(from), s.nicsOf(to))
	rate := e.Load.Value.Float() * float64(nics) * float64(s.Cluster.NIC.Rate())
	gap := e.Sizes.mean() * 8 * float64(unit.Second) / rate // ps; products and quotients alone round alike everywhere
	mean := unit.Duration(math.Round(gap)).Human()
	end, number := horizon, e.Number.Or(MaxFlows+1)
	if e.During.Set {
		end = min(end, e.Start+e.During.Value)
	}
	switch {
	case gap < 1:
		d.problem(path+".load", fmt.Sprintf("%s: more than a flow in a picosecond in the mean, want larger flows",
			unit.Percent(e.Load.Value.Float())), "")
		return nil, false
	case e.During.Set && float64(end-e.Start)/gap > 2*MaxFlows: // far from what could be
		d.tooMany(e, path, mean)
		return nil, false
	}
	var flows []Flow
	for at := uint64(0); len(flows) < number && len(flows) <= MaxFlows; {
		more := traffic.Gap(r, uint64(gap*fine))
		if more > uint64(end-e.Start)*fine-at {
			break
		}
		at += more
		var p traffic.Pair
		if pairs == nil {
			p = cross.One(r)
		} else {
			p = pairs[r.Below(len(pairs))]
		}
		f := e.Flow
		f.From, f.To, f.Bytes = from[p.From], to[p.To], e.Sizes.of(len(flows), r)
		f.Start = e.Start + unit.Duration(at/fine)
		flows = append(flows, f)
	}
	switch {
	case len(flows) > MaxFlows:
		d.effort += len(flows)
		d.tooMany(e, path, mean)
	case e.Number.Set && len(flows) < number:
		d.problem(path+".load", fmt.Sprintf("%s: a flow arrives every %s in the mean, so not all %d arrive in %s of virtual time",
			unit.Percent(e.Load.Value.Float()), mean, number, horizon), "")
	case len(flows) == 0:
		d.problem(path+".during", fmt.Sprintf("%s: no flow arrives in it, one comes every %s in the mean: want a longer time, or "+
			"flows: in its place", e.During.Value, mean), "")
	default:
		return flows, true
	}
	return nil, false
}

func (d *decoder) tooMany(e *FlowEntry, path, mean string) {
	d.problem(path+".during", fmt.Sprintf("%s: a flow arrives every %s in the mean, which makes more than %s, want a shorter time",
		e.During.Value, mean, unit.Count(MaxFlows)), "")
}

// hostsOf returns the host of each end.
func hostsOf(ends []Endpoint) []int {
	hosts := make([]int, len(ends))
	for i, e := range ends {
		hosts[i] = e.Host
	}
	return hosts
}

// nicsOf returns how many NICs some ends have.
func (s *Scenario) nicsOf(ends []Endpoint) int {
	type nic struct{ host, nic int }
	all := map[nic]bool{}
	for _, e := range ends {
		all[nic{e.Host, s.NICOf(e)}] = true
	}
	return len(all)
}

// mostMade is how many shorthands Made tells of.
const mostMade = 12

// Made says what the shorthands for flows made, of many the first: entries that are one flow are left out.
func (s *Scenario) Made() (all []string) {
	tell := func(list string, entries []FlowEntry, flows []Flow) {
		for i := range entries {
			e := &entries[i]
			if !e.Pattern.Set || e.made == 0 {
				continue
			}
			text := fmt.Sprintf("%s[%d] makes %s, pattern %s", list, i, unit.CountOf(int64(e.made), "flow"), e.Pattern.Value)
			if e.Load.Set {
				sum, last := unit.Bytes(0), flows[e.first+e.made-1].Start
				for _, f := range flows[e.first : e.first+e.made] {
					sum += f.Bytes
				}
				text += fmt.Sprintf(", at a load of %s, %s in all, the last at %s", unit.Percent(e.Load.Value.Float()), sum.Human(),
					last.Human())
			}
			all = append(all, text)
		}
	}
	for i := range s.Jobs {
		tell(s.Jobs[i].Path()+".flows", s.Jobs[i].Entries, s.Jobs[i].Flows)
	}
	tell("background.flows", s.Background.Entries, s.Background.Flows)
	if more := len(all) - mostMade; more > 0 {
		all = append(all[:mostMade], fmt.Sprintf("and %s more shorthands for flows", unit.Count(int64(more))))
	}
	return all
}
