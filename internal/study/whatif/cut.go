package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Kinds of change.
const (
	OneFlow    = result.ChangeFlow
	Flows      = result.ChangeFlows
	Neighbour  = result.ChangeJob
	PFC        = result.ChangePFC
	Congestion = result.ChangeCongestion
	Fault      = result.ChangeFault
	Buffer     = result.ChangeBuffer
	Window     = result.ChangeWindow
	Port       = result.ChangePort
	Link       = result.ChangeLink
	Rank       = result.ChangeRank
	Launch     = result.ChangeLaunch
	PCIe       = result.ChangePCIe
	Ideal      = result.ChangeIdeal
	Cure       = result.ChangeCure
	Survival   = result.ChangeSurvival
	Tried      = result.ChangeTried
	Set        = result.ChangeSet
)

// A Cut is one thing that is taken away from a scenario, or changed in it.
type Cut struct {
	Kind    string
	Name    string   // in words
	Subject []string // flows, a port, ...
	Reason  string   // of a cure: the mistake
	Changes []scenario.Change

	Of     []noun.Noun     // of a cure that is tried by itself: the findings that it may help against
	Part   float64         // of those' time that it takes away; 0: all
	At     []string        // of those, the places; none: any
	Only   []diagnose.Kind // of those, the kinds of blames; none: any
	Timers bool            // it takes of losses what senders waited for the retransmission timer
	Chance bool            // what it saves depends on the seed
	Late   bool            // others are tried before it
}

// Bounds of the list.
const (
	mostFlows = 16 // single background flows that are taken away: those that most is attributed to, then those that send most
	mostOwn   = 4  // single flows of the job
	mostLinks = 2  // links inside hosts that are made faster: those with most time
	faster    = 10 // times as fast: the bottleneck port
	fastest   = 10 * unit.TerabitPerSec
	huge      = "1TB" // a buffer that nothing fills
)

// infinitelyFast names the ideal network.
const infinitelyFast = "with infinitely fast links"

// cuts lists the changes that apply to a run, of which s tells as the compared job has it. omitted
// says how many single flows the list leaves out.
func cuts(p *plan.Plan, s *result.Summary, job int, bottleneck string) (all []Cut, omitted int) {
	sc := p.Scenario
	flows, omitted := flowCuts(p, s)
	all = append(jobCuts(sc, job), flows...)
	one := func(kind, name string, subject string, changes ...scenario.Change) {
		c := Cut{Kind: kind, Name: name, Changes: changes}
		if subject != "" {
			c.Subject = []string{subject}
		}
		all = append(all, c)
	}
	if p.Switches.Pauses() && s.Pauses > 0 {
		one(PFC, "without PFC", "", withoutPFC(sc)...)
	}
	if sc.Congestion.Algorithm.Reacts() {
		one(Congestion, "without congestion control", string(sc.Congestion.Algorithm), uncontrolled)
	}
	all = append(all, lossCuts(sc, s)...)
	if w := sc.Transport.Window; w.Word != "none" {
		one(Window, "with an infinite window", "", set("transport.window", "none"),
			set("transport.window_scale", "false"))
	}
	all = append(all, portCuts(p, s, bottleneck)...)
	for i, l := range sc.Fabric.Links.Named {
		kind, subject, says := Link, l.Link, "both directions"
		if l.Sender.Set {
			says = "what " + l.Sender.Value + " sends"
			if !topo.IsPattern(l.Link) {
				kind, subject = Port, sentBy(p.Graph, l.Link, l.Sender.Value)
			}
		}
		one(kind, "with "+l.Link+" as the other links, "+says, subject, remove(fmt.Sprintf("fabric.links.named[%d]", i)))
	}
	for i, r := range sc.Cluster.Slow {
		one(Rank, fmt.Sprintf("with rank %d as the other ranks", r.Rank), fmt.Sprintf("rank %d", r.Rank),
			remove(fmt.Sprintf("cluster.slow[%d]", i)))
	}
	if sc.Jobs[job].Train != nil && sc.Cluster.Host.Launch > 0 { // of the job that is compared
		one(Launch, "with launches that take no time", "", set("cluster.host.launch", "0ns"))
	}
	all = append(all, survivalCuts(sc, &sc.Jobs[job], &s.JobFigures)...)
	all = append(all, insideCuts(p, s)...)
	all = append(all, cures(s)...)
	one(Ideal, infinitelyFast, "", idealChanges(p)...)
	return all, omitted
}

// jobCuts takes away each job but the one that is compared. What the others do stays the same:
// paths and random streams of a job are its own.
func jobCuts(sc *scenario.Scenario, compared int) (all []Cut) {
	for i := range sc.Jobs {
		if i == compared {
			continue
		}
		j, changes := &sc.Jobs[i], []scenario.Change(nil)
		for k := i + 1; k < len(sc.Jobs); k++ { // a name that is not given is made of the place in the list
			changes = append(changes, set(sc.Jobs[k].Path()+".name", sc.Jobs[k].Name))
		}
		all = append(all, Cut{Kind: Neighbour, Name: "without job " + j.Name, Subject: []string{"job " + j.Name},
			Changes: append(changes, remove(j.Path()))})
	}
	return all
}

// Setting is a change of one key that a user asks for.
func Setting(path, value string) Cut {
	return Cut{Kind: Set, Name: "with " + path + "=" + value, Subject: []string{path},
		Changes: []scenario.Change{set(path, value)}}
}

// cures lists what check knows against the mistakes in the scenario's thresholds.
func cures(s *result.Summary) (all []Cut) {
	for _, m := range s.Mistakes {
		c := Cut{Kind: Cure, Name: "cured of: " + m.Name, Subject: []string{m.Path}, Reason: m.Reason}
		for _, cure := range m.Cures {
			c.Name += fmt.Sprintf(", by %s=%s", cure.Path, cure.Value)
			c.Changes = append(c.Changes, set(cure.Path, cure.Value))
		}
		if len(c.Changes) > 0 {
			all = append(all, c)
		}
	}
	return all
}

func set(path, text string) scenario.Change { return scenario.Change{Path: path, Text: text} }
func remove(path string) scenario.Change    { return scenario.Change{Path: path, Remove: true} }

// everywhere sets a key of all switches, and where entries of fabric.switches give it, theirs.
func everywhere(sc *scenario.Scenario, path, text, key string, gives func(*scenario.SwitchProfile) bool) []scenario.Change {
	changes := []scenario.Change{set(path, text)}
	for i := range sc.Fabric.Switches {
		if gives(&sc.Fabric.Switches[i]) {
			changes = append(changes, set(fmt.Sprintf("fabric.switches[%d].%s", i, key), text))
		}
	}
	return changes
}

// uncontrolled replaces the whole group: keys of an algorithm have no meaning without it.
var uncontrolled = set("congestion", "{algorithm: none, notify: none}")

// withoutPFC switches PFC off at all switches, and what has no meaning without it.
func withoutPFC(sc *scenario.Scenario) []scenario.Change {
	changes := everywhere(sc, "fabric.qos.pfc.enabled", "false", "pfc.enabled",
		func(x *scenario.SwitchProfile) bool { return x.PFC.Enabled.Set })
	if sc.Given("fabric.qos.pfc.watchdog") {
		changes = append(changes, remove("fabric.qos.pfc.watchdog"))
	}
	return append(changes, withoutStorms(sc)...)
}

// withoutStorms removes pause storms, which nobody listens to without PFC.
func withoutStorms(sc *scenario.Scenario) (changes []scenario.Change) {
	for i := len(sc.Faults) - 1; i >= 0; i-- {
		if sc.Faults[i].Storm.Set {
			changes = append(changes, remove(fmt.Sprintf("faults[%d]", i)))
		}
	}
	return changes
}

// lossCuts takes away each fault, all of them, and full buffers.
func lossCuts(sc *scenario.Scenario, s *result.Summary) (all []Cut) {
	for i, f := range sc.Faults {
		_, name := f.Thing()
		all = append(all, Cut{Kind: Fault, Name: fmt.Sprintf("without faults[%d], of %s", i, name),
			Subject: []string{name, fmt.Sprintf("faults[%d]", i)},
			Changes: []scenario.Change{remove(fmt.Sprintf("faults[%d]", i))}})
	}
	if len(sc.Faults) > 1 {
		all = append(all, Cut{Kind: Fault, Name: "without any fault", Changes: []scenario.Change{remove("faults")}})
	}
	if s.Drops > 0 {
		all = append(all, Cut{Kind: Buffer, Name: "with buffers that are never full",
			Changes: everywhere(sc, "fabric.switch.buffer", huge, "buffer",
				func(x *scenario.SwitchProfile) bool { return x.Buffer.Set })})
	}
	return all
}

// mostPorts is how many ports are made faster one by one: the busiest of the job's data, and those where what was found first is.
const mostPorts = 3

// portCuts makes links ten times faster in one direction: that of a port.
func portCuts(p *plan.Plan, s *result.Summary, busiest string) (all []Cut) {
	names := []string{busiest}
	if s.Diagnosis != nil {
		for i := range s.Diagnosis.Findings {
			f := &s.Diagnosis.Findings[i]
			if f.Place.Kind == noun.Port && f.Share >= worthTrying && !slices.Contains(names, f.Place.Name) {
				names = append(names, f.Place.Name)
			}
		}
	}
	for _, name := range names[:min(len(names), mostPorts)] {
		if c, ok := portCut(p, name); ok {
			all = append(all, c)
		}
	}
	return all
}

// worthTrying is the part of the time that a finding must have for its port to be made faster.
const worthTrying = 0.05

// portCut makes what a port sends ten times faster, and leaves the other direction of its cable.
func portCut(p *plan.Plan, name string) (Cut, bool) {
	if name == "" {
		return Cut{}, false
	}
	g := p.Graph
	at := slices.IndexFunc(g.Ports, func(x port) bool { return x.Name == name })
	if at < 0 {
		return Cut{}, false
	}
	rate := min(faster*g.Ports[at].Rate, fastest)
	if rate <= g.Ports[at].Rate {
		return Cut{}, false
	}
	named := p.Scenario.Fabric.Links.Named
	changes := []scenario.Change{set(fmt.Sprintf("fabric.links.named[%d]", len(named)),
		fmt.Sprintf("{link: %q, rate: %s, sender: %s}", name, rate, g.Nodes[g.Ports[at].Node].Name))}
	says := fmt.Sprintf("with %s at %s", name, rate)
	if clue.Degraded(p, portID(at)) { // it sends at the rate of a fault, whatever its own is
		without, names, ok := withoutSpeeds(p, g.Ports[at].Link)
		if !ok {
			return Cut{}, false
		}
		changes, says = append(changes, without...), says+", without "+names
	}
	return Cut{Kind: Port, Name: says, Subject: []string{name}, Changes: changes}, true
}

// withoutSpeeds takes the entries of faults away that make a link slow, from the last to the first; false: one of them is about others,
// too.
func withoutSpeeds(p *plan.Plan, link topo.LinkID) (changes []scenario.Change, names string, ok bool) {
	for i := len(p.Scenario.Faults) - 1; i >= 0; i-- {
		f, on := &p.Scenario.Faults[i], p.Faults.Entries[i].Links
		if !f.Speed.Set || !slices.Contains(on, link) {
			continue
		}
		if len(on) > 1 {
			return nil, "", false
		}
		entry := fmt.Sprintf("faults[%d]", i)
		if len(f.Kinds()) > 1 {
			entry += ".speed"
		}
		changes, names = append(changes, remove(entry)), strings.Join(nonempty(entry, names), " and ")
	}
	return changes, names, true
}

func nonempty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// insideCuts makes links of the hosts' graph twice as fast, in all hosts: those that most time is attributed to.
func insideCuts(p *plan.Plan, s *result.Summary) (all []Cut) {
	if s.Diagnosis == nil {
		return nil
	}
	given, seen := p.Scenario.Cluster.Host.Links, map[int32]bool{}
	for i := range s.Diagnosis.Blames {
		_, link, ok := clue.Inside(p, s.Diagnosis.Blames[i].Port)
		if !ok || seen[link] || len(all) == mostLinks || p.PCIe.Graph.Rates[link] == 0 {
			continue
		}
		seen[link] = true
		name, rate := p.PCIe.Graph.Names[2*link], (2 * p.PCIe.Graph.Rates[link]).String()
		change := set(fmt.Sprintf("cluster.host.links[%d]", len(given)), fmt.Sprintf("{link: %q, rate: %s}", name, rate))
		for k, l := range given {
			if of, err := p.PCIe.Graph.Link(l.Link); err == nil && of == link {
				change = set(fmt.Sprintf("cluster.host.links[%d].rate", k), rate)
			}
		}
		all = append(all, Cut{Kind: PCIe, Name: "with " + name + " twice as fast", Subject: []string{name},
			Changes: []scenario.Change{change}})
	}
	return all
}

// flowCuts takes away each flow that may hold up the job, each group of them, and all.
func flowCuts(p *plan.Plan, s *result.Summary) (all []Cut, omitted int) {
	suspects := suspects(p, s)
	groups := grouped(suspects, p)
	slices.SortStableFunc(suspects, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(b.blamed, a.blamed), cmp.Compare(b.bytes, a.bytes))
	})
	left := map[bool]int{true: mostFlows, false: mostOwn}
	for _, f := range suspects {
		if left[f.background]--; left[f.background] < 0 {
			omitted++
			continue
		}
		all = append(all, without(OneFlow, "without "+f.flow.Name, []suspect{f}))
	}
	return append(all, groups...), omitted
}

// grouped makes a cut of each group of flows with one receiver, or with one name but for its
// number, and of all.
func grouped(flows []suspect, p *plan.Plan) (all []Cut) {
	var background []suspect
	for _, f := range flows {
		if f.background {
			background = append(background, f)
		}
	}
	made := map[string]bool{}
	add := func(name string, members []suspect) {
		c := without(Flows, name, members)
		if id := strings.Join(c.Subject, " "); len(members) > 1 && !made[id] {
			made[id] = true
			all = append(all, c)
		}
	}
	everyone := 0
	for _, f := range p.Scenario.Background.Flows {
		if f.Enabled {
			everyone++
		}
	}
	name := "without all background flows"
	if len(background) < everyone {
		name = fmt.Sprintf("without the %d background flows on the job's ports", len(background))
	}
	add(name, background)
	by := func(name func(suspect) string, words string) {
		groups, order := map[string][]suspect{}, []string{}
		for _, f := range background {
			key := name(f)
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], f)
		}
		for _, key := range order {
			add(fmt.Sprintf("without the %d flows %s %s", len(groups[key]), words, key), groups[key])
		}
	}
	by(func(f suspect) string { return f.flow.To.String() }, "to")
	by(func(f suspect) string { return strings.TrimRight(f.flow.Name, "0123456789-") }, "named")
	return all
}

// without switches flows off. They keep their numbers, from which the paths of the others follow.
func without(kind, name string, flows []suspect) Cut {
	c := Cut{Kind: kind, Name: name}
	of, order := map[flowList][]int{}, []flowList{}
	for _, f := range flows {
		c.Subject = append(c.Subject, f.flow.Name)
		if of[f.list] == nil {
			order = append(order, f.list)
		}
		of[f.list] = append(of[f.list], f.index)
	}
	for _, list := range order {
		c.Changes = append(c.Changes, list.Without(of[list]...)...)
	}
	return c
}

// A flowList is the flows of a job, or of the background.
type flowList interface {
	Without(flows ...int) []scenario.Change
}

// A suspect is a flow that may hold up the job.
type suspect struct {
	flow       *scenario.Flow
	list       flowList
	index      int // in it
	background bool
	bytes      float64
	blamed     unit.Duration // attributed to it
}

// blamedOn is what a diagnosis attributes to a flow.
func blamedOn(d *diagnose.Diagnosis, flow string) (sum unit.Duration) {
	if d == nil {
		return 0
	}
	for i := range d.Blames {
		b := &d.Blames[i]
		sum += culpable(filledBy(d, b), b.Time, []string{flow})
	}
	return sum
}

// suspects lists the background flows that share a port with the job or, where pauses spread, any;
// and the job's own flows that share a port with another of them.
func suspects(p *plan.Plan, s *result.Summary) (all []suspect) {
	users := map[portID]int{} // how many pairs of the job use a port
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Kind != result.KindBackground && q.Enabled() {
			for _, id := range portsOf(q) {
				users[id]++
			}
		}
	}
	type place struct {
		list  flowList
		index int
	}
	at := map[*scenario.Flow]place{}
	for i := range p.Scenario.Background.Flows {
		at[&p.Scenario.Background.Flows[i]] = place{&p.Scenario.Background, i}
	}
	for k := range p.Scenario.Jobs {
		j := &p.Scenario.Jobs[k]
		for i := range j.Flows {
			at[&j.Flows[i]] = place{j, i}
		}
	}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		at, listed := at[q.Flow] // those of a CSV file are not
		if q.Flow == nil || !listed || !q.Enabled() {
			continue
		}
		background, least := q.Kind == result.KindBackground, 1
		if !background {
			least = 2 // itself and another
		}
		shares := slices.ContainsFunc(portsOf(q), func(id portID) bool { return users[id] >= least })
		if shares || background && s.Pauses > 0 {
			all = append(all, suspect{q.Flow, at.list, at.index, background, float64(q.Flow.Bytes) * float64(q.Flow.Count),
				blamedOn(s.Diagnosis, q.Flow.Name)})
		}
	}
	return all
}
