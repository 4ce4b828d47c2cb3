package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/judge"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	causes "railyard/internal/study/planted"
)

// What telemetry cannot tell, by the noun that explain has for it: no counter, line or time of telemetry differs between it and a
// fabric in order, or the job would have to be known.
var untold = map[noun.Noun]string{
	noun.Bubble: "which rank has which work is the job's own", noun.UnevenStages: "which rank has which work is the job's own",
	noun.UnevenRouting: "what a router chose is inside the model", noun.ComputeBound: "how long compute should take is not in telemetry",
	noun.LaunchBound: "starts of kernels are not in telemetry", noun.HostBound: "a NIC's own time is not in telemetry",
	noun.LinkBound: "it is so in order too", noun.LatencyBound: "single messages are not in telemetry",
	noun.NVLinkBound: "NVLink has no counters here", noun.PCIeShared: "PCIe inside a host has no counters here",
	noun.NICShared: "it is so in order too", noun.WrongAlgorithm: "what would be faster is not in telemetry",
	noun.WrongProtocol: "what would be faster is not in telemetry", noun.Oversubscription: "it is so in order too",
	noun.SharedLink: "it is so in order too", noun.SmallWindow: "windows of senders are not in telemetry",
	noun.ControllerUnderRun: "rates of senders are not in telemetry", noun.Checkpoint: "storage is not in telemetry",
	noun.BlackHole: "a drop for want of a route is a discard like others", noun.Reordering: "who overtook whom is not in telemetry",
	noun.UnevenSpraying: "which packet went where is not in telemetry", noun.SmallBuffer: "sizes of buffers are not in telemetry",
	noun.PFCDeadlock: "who waits for whom in a circle is not judged",
	noun.HOLVictim:   "whose messages wait behind whose is not in telemetry",
	noun.AnotherJob:  "whose bytes they are is not in telemetry", noun.Timeout: "it is what comes of a loss",
	noun.CrossRail: "it is so in order too", noun.DroppedTokens: "what a router chose is inside the model",
	noun.Abort: "it is what comes of a fault", noun.WrongOrder: "which ranks are neighbours is the job's own, but for bytes across tiers",
}

// agreement is what both said of a family.
type agreement struct {
	family        string
	explain, told noun.Noun
	at            []string // of explain
	place         string   // of judge
	failed        error
}

// families holds what judge says of a drawn case of each family of planted causes to what explain says of the same run, which knows
// all: noun and place, the faults' nouns only where telemetry can know them.
func families(seed uint64, only string) {
	dir, err := os.MkdirTemp("", "families")
	exitOn(err)
	defer os.RemoveAll(dir)
	exitOn(os.Chdir(dir))
	cases, err := causes.Cases()
	exitOn(err)
	for _, f := range causes.Families() {
		c, err := f.Draw(seed)
		exitOn(err)
		c.Name = f.Name
		cases = append(cases, c)
	}
	var all []agreement
	for i := range cases {
		if only != "" && !slices.Contains(strings.Split(only, ","), cases[i].Name) {
			continue
		}
		a := agreed(&cases[i], only != "")
		all = append(all, a)
		fmt.Printf("%s: explain %s at %s, judge %s at %s%s\n", a.family, a.explain, strings.Join(a.at, ", "), a.told, a.place,
			failure(a.failed))
	}
	if only != "" {
		agreementTable(all)
		return
	}
	n := accused(seed)
	agreementTable(all)
	fmt.Printf("Of %d runs in which nothing is wrong, %d were accused.\n", mostHealthy, n)
}

func failure(err error) string {
	if err == nil {
		return ""
	}
	return ", not run: " + err.Error()
}

// mostHealthy is how many runs are drawn in which nothing is wrong.
const mostHealthy = 50

// accused counts those of them in which something is named, held against the same of another seed.
func accused(seed uint64) (n int) {
	for i := range uint64(mostHealthy) {
		text := causes.Healthy(seed + i)
		_, rest, _ := strings.Cut(text, "\n") // its seed
		var now, order kept
		s, err := playAt(text, &now)
		exitOn(err)
		_, err = playAt("seed: 100001\n"+rest, &order)
		exitOn(err)
		if v := judge.Judge(judge.Case{Now: now.Of, Healthy: order.Of, Graph: s.graph}); v.Wrong {
			n++
			h := &v.Hypotheses[0]
			fmt.Printf("healthy %d: %s at %s; for it %+v, against it %+v\n%s", i, h.Mechanism, h.Where(), h.For, h.Against, text)
		}
	}
	return n
}

// agreed plays a case; show: and prints what speaks for each hypothesis.
func agreed(c *causes.Case, show bool) (a agreement) {
	a.family = c.Name
	err := os.WriteFile(causes.TopologyFile, []byte(c.Topology), 0o666)
	var now, order kept
	var plan [2]*seen
	for i, text := range []string{c.With, c.Without} {
		if err != nil {
			break
		}
		of := []*kept{&now, &order}[i]
		plan[i], err = playAt(text, of)
	}
	if err != nil {
		a.failed = err
		return a
	}
	if now.First != nil {
		a.explain, a.at = now.First.Noun, append([]string{now.First.Place.Name}, now.First.Place.Ports...)
		if now.First.Place.Rank != nil {
			a.at = append(a.at, fmt.Sprintf("rank %d", *now.First.Place.Rank))
		}
	}
	v := judge.Judge(judge.Case{Now: now.Of, Healthy: order.Of, Graph: plan[0].graph})
	for _, h := range v.Hypotheses {
		if show {
			fmt.Printf("   %s at %s; for it %+v, against it %+v\n", h.Mechanism, h.Where(), h.For, h.Against)
		}
	}
	if len(v.Hypotheses) > 0 {
		h := &v.Hypotheses[0]
		if a.told, a.place = h.Noun, h.Place.Name; h.Place.Rank != nil {
			a.place = fmt.Sprintf("rank %d", *h.Place.Rank)
		}
		if h.Place.Kind == noun.Links && len(h.Culprits) > 0 {
			a.place = h.Culprits[0]
		}
		for _, p := range a.at { // a port of a switch of that tier
			if device, _, _ := strings.Cut(p, "/"); h.Place.Kind == noun.Tier && kindOf(plan[0].graph, device) == h.Place.Name {
				a.place = p
			}
		}
	}
	return a
}

// playAt plays a scenario with telemetry each 10 us.
func playAt(text string, of *kept) (*seen, error) {
	sc, err := scenario.Parse("case", []byte(text))
	if err != nil {
		return nil, err
	}
	sc.Output.Telemetry = scenario.Some(10 * unit.Microsecond)
	g, err := graphOf(sc)
	if err != nil {
		return nil, err
	}
	return &seen{graph: g}, show(sc, of)
}

// kindOf is of which tier a device is.
func kindOf(g *topo.Graph, device string) string {
	for i := range g.Nodes {
		if g.Nodes[i].Name == device {
			return g.Nodes[i].Kind.String()
		}
	}
	return ""
}

// firstOf is what explain says first of a run.
func firstOf(s *result.Summary) *diagnose.Finding {
	for _, j := range s.PerJob() {
		if j.Diagnosis != nil && len(j.Diagnosis.Findings) > 0 {
			return &j.Diagnosis.Findings[0]
		}
	}
	return nil
}

// same reports whether a place is one of explain's: a port is also the other end of its link, one of its switch, and that to its host.
func (a *agreement) same() bool {
	return slices.ContainsFunc(a.at, func(p string) bool {
		return p == a.place || p != "" && a.place != "" && (strings.HasPrefix(p, a.place+"/") || strings.HasPrefix(a.place, p+"/") ||
			strings.HasSuffix(p, "/"+a.place) || strings.Contains(a.place, "/") && strings.Contains(p, "/") && back(p) == a.place)
	})
}

func agreementTable(all []agreement) {
	type row struct{ n, noun, place, nothing, failed int }
	rows := map[noun.Noun]*row{}
	var order []noun.Noun
	known := map[noun.Noun]bool{}
	for _, m := range judge.Mechanisms() {
		known[m.Noun()] = true
	}
	var sum row
	for _, a := range all {
		r := rows[a.explain]
		if r == nil {
			r = &row{}
			rows[a.explain] = r
			order = append(order, a.explain)
		}
		r.n++
		r.failed += one(a.failed != nil)
		r.nothing += one(a.told == "")
		agree := a.told == a.explain && a.explain != ""
		r.noun += one(agree)
		r.place += one(agree && a.same())
		if known[a.explain] && a.failed == nil {
			sum.n++
			sum.noun += one(agree)
			sum.place += one(agree && a.same())
		}
	}
	slices.Sort(order)
	fmt.Println("\n| explain says | cases | judge: the same noun | and place | judge: nothing | why telemetry cannot tell |\n" +
		"|---|---|---|---|---|---|")
	for _, n := range order {
		r := rows[n]
		why := untold[n]
		if known[n] {
			why = ""
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %s |\n", cmp.Or(string(n), "nothing, or not run"), r.n, r.noun, r.place, r.nothing, why)
	}
	fmt.Printf("\nOf %d cases whose noun telemetry can know, %d have it, %d of these at the same place.\n", sum.n, sum.noun, sum.place)
}
