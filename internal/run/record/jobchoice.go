package record

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// choices are how a job that has ended is laid out, beside where its time went.
type choices struct {
	*Job
	d *diagnose.Diagnosis
	s *result.JobFigures
}

// find finds how the job is laid out that costs it time, and could be otherwise. The times are estimates: those of a
// rerun are for package whatif.
func (j choices) find() {
	if j.ranks() < 2 {
		return
	}
	j.d.Add(j.bubble()...)
	j.d.Add(j.unevenStages()...)
	j.d.Add(j.unevenReceivers()...)
	j.d.Add(j.swamped()...)
	j.d.Add(j.groupsApart()...)
	j.d.Add(j.ringsApart()...)
	j.d.Add(j.otherAlgorithms()...)
	j.d.Add(j.otherGradients()...)
	j.d.Tell(j.experts.overflowing(j.plan)...)
}

// bubble is what ranks of a pipeline wait for the first and the last micro-batches: (p-1)/(v*m+p-1) of a step, with p
// stages of v parts and m micro-batches (Narayanan et al., SC'21, section 2.2). Of that as much as ranks really waited.
func (j choices) bubble() []noun.Finding {
	x := &j.plan.Spec.Parallel
	if x.PP < 2 || j.s.StepSplit == nil {
		return nil
	}
	formula := j.bubbleFormula()
	mean := j.s.StepSplit.Mean.Split()
	waited := unit.Share(mean[cause.Dependency], mean.Sum())
	f := noun.Finding{Noun: noun.Bubble, Place: noun.Place{Kind: noun.Job}, Time: share(j.d.Whole, min(formula, waited))}
	f.Evidence = []noun.Fact{{What: "(p-1)/(m+p-1)", Value: formula}, {What: "part of a step in which ranks waited", Value: waited},
		{What: "stages", Value: float64(x.PP)}, {What: "micro-batches", Value: float64(x.MicroBatches)}}
	return []noun.Finding{f}
}

func share(t unit.Duration, part float64) unit.Duration { return unit.Duration(float64(t) * part) }

// notable is by what part of the largest a mean must be smaller for ranks to be called uneven.
const notable = 0.1

// unevenStages is a stage of a pipeline with more to compute than the others. With p stages of v parts and m micro-batches a path
// has the longest m times and each other once, or its v-th part: m - 1/v times the longest and once all. Were they even, it would
// have the mean in their place.
func (j choices) unevenStages() []noun.Finding {
	work := j.plan.RankWork()
	if j.plan.Spec.Parallel.PP < 2 || work == nil {
		return nil
	}
	most, sum := 0, unit.Duration(0)
	for r, t := range work {
		if sum += t; t > work[most] {
			most = r
		}
	}
	mean := float64(sum) / float64(len(work))
	over := 1 - mean/float64(max(1, work[most]))
	if over < notable {
		return nil
	}
	var computed unit.Duration
	for i := range j.d.Blames {
		if k := j.d.Blames[i].Kind; k == diagnose.Compute || k == diagnose.Launch {
			computed += j.d.Blames[i].Time
		}
	}
	x := &j.plan.Spec.Parallel
	parts := float64(max(1, x.VirtualStages))
	times := float64(max(1, x.MicroBatches)) - 1/parts
	longest := float64(work[most])
	saves := times * (longest - mean) / (times*longest + float64(x.PP)*mean/parts)
	rank := int32(most)
	return []noun.Finding{{Noun: noun.UnevenStages, Place: noun.Place{Kind: noun.Rank, Rank: &rank}, Time: share(computed, saves),
		Evidence: []noun.Fact{{What: "work over the mean", At: fmt.Sprintf("rank %d", most), Value: float64(work[most]) / mean}}}}
}

// unevenReceivers is a rank that gets far more of an exchange than the others: of tokens, where experts are chosen.
func (j choices) unevenReceivers() []noun.Finding {
	if !slices.ContainsFunc(j.d.Findings, func(f diagnose.Finding) bool { return f.Noun == noun.Incast && f.Share >= notable }) {
		return nil
	}
	got, mean := j.received()
	most := 0
	for r := range got {
		if got[r] > got[most] {
			most = r
		}
	}
	if mean == 0 || float64(got[most])*(1-2*notable) < mean {
		return nil
	}
	g := j.r.plan.Graph
	host := g.Nodes[g.Hosts[j.plan.Placement.Ranks[most].Host].Node].Name
	for i := range j.d.Findings {
		f := &j.d.Findings[i]
		_, to, _ := strings.Cut(f.Place.Name, "/")
		if to, _, _ = strings.Cut(to, "#"); f.Noun != noun.Incast || to != host {
			continue
		}
		f.Noun, f.By = noun.UnevenRouting, fmt.Sprintf("rank %d gets %.1f times the mean", most, float64(got[most])/mean)
		f.Evidence = append(f.Evidence, noun.Fact{What: "received over the mean", At: fmt.Sprintf("rank %d", most),
			Value: float64(got[most]) / mean})
	}
	return nil
}

// received is how many bytes each rank gets in exchanges of all with all, and the mean.
func (j choices) received() (got []int64, mean float64) {
	got = make([]int64, j.ranks())
	all := int64(0)
	for k := range j.plan.Work.Collectives {
		c := &j.plan.Work.Collectives[k]
		if c.Once || !strings.HasSuffix(c.Schedule.Name(), coll.AllToAll.String()) {
			continue
		}
		group := &j.plan.Work.Groups[c.Group]
		for m, r := range group.Ranks {
			n := c.For(m)
			got[r] += n
			all += n
		}
	}
	return got, float64(all) / float64(len(got))
}

// groupsApart is groups that share layers and are spread over hosts though they would fit into one.
func (j choices) groupsApart() []noun.Finding {
	tp := j.plan.Spec.Parallel.TP
	if tp < 2 || tp > j.r.plan.Scenario.Cluster.Host.GPUs || len(j.critical.groups) < 2 {
		return nil
	}
	var spent unit.Duration
	name := ""
	for g := range j.critical.groups {
		group := &j.plan.Work.Groups[g]
		if !strings.HasPrefix(group.Name, "tensor-parallel") || !j.apart(group.Ranks) {
			continue
		}
		name = group.Name
		spent += onNetwork(&j.critical.groups[g])
	}
	if name == "" || j.critical.found == 0 {
		return nil
	}
	return []noun.Finding{{Noun: noun.WrongOrder, Place: noun.Place{Kind: noun.Collective, Name: name},
		By: "ranks that share layers are on several hosts", Time: spent / unit.Duration(j.critical.found)}}
}

// onNetwork is what of a split passed on links between hosts.
func onNetwork(s *cause.Split) (sum unit.Duration) {
	for _, c := range []cause.Cause{cause.RateLimit, cause.Window, cause.Serialisation, cause.Propagation, cause.SwitchLatency,
		cause.OwnQueueing, cause.Queueing, cause.Pause, cause.NIC} {
		sum += s[c]
	}
	return sum
}

// apart reports whether ranks are on several hosts.
func (j *Job) apart(ranks []int32) bool {
	return slices.ContainsFunc(ranks, func(r int32) bool {
		return j.plan.Placement.Ranks[r].Host != j.plan.Placement.Ranks[ranks[0]].Host
	})
}

// ringsApart is rings, or a schedule from a file, that leave hosts more often than a ring through each host once.
func (j choices) ringsApart() []noun.Finding {
	crossings, hosts, what := j.ringCrossings()
	if j.plan.Spec.Collective.Schedule.Set {
		crossings, hosts, what = j.scheduleCrossings()
	}
	if hosts == 0 || crossings <= hosts {
		return nil
	}
	var wire unit.Duration
	for i := range j.d.Blames {
		k := j.d.Blames[i].Kind
		if k == diagnose.LinkSpeed || k == diagnose.SharedPort || k == diagnose.NIC || k == diagnose.SwitchDelay {
			wire += j.d.Blames[i].Time
		}
	}
	return []noun.Finding{{Noun: noun.WrongOrder, Place: noun.Place{Kind: noun.Job}, By: "the order of the ranks in rings",
		Time:     share(wire, 1-hosts/crossings),
		Evidence: []noun.Fact{{What: what, Value: crossings}, {What: "as few as", Value: hosts}}}}
}

// ringCrossings is how many links of rings are between hosts, and how many at least.
func (j choices) ringCrossings() (crossings, least float64, what string) {
	for _, ring := range j.plan.Rings {
		seen := map[int32]bool{}
		for i, r := range ring {
			a, b := j.plan.Placement.Ranks[r].Host, j.plan.Placement.Ranks[ring[(i+1)%len(ring)]].Host
			seen[a] = true
			if a != b {
				crossings++
			}
		}
		if len(seen) > 1 {
			least += float64(len(seen))
		}
	}
	return crossings, least, "links between hosts in rings"
}

// scheduleCrossings is how many times the gradients the schedule of a file sends between hosts, and a ring through each host once.
func (j choices) scheduleCrossings() (crossings, least float64, what string) {
	at := slices.IndexFunc(j.plan.Work.Collectives, func(c workload.Collective) bool {
		return !c.Once && j.plan.Work.Groups[c.Group].Kind == workload.GroupKindData
	})
	if at < 0 {
		return 0, 0, ""
	}
	c := &j.plan.Work.Collectives[at]
	ranks, seen := j.plan.Work.Groups[c.Group].Ranks, map[int32]bool{}
	host := func(m int32) int32 { return j.plan.Placement.Ranks[ranks[m]].Host }
	var sent []coll.Traffic
	for m := range ranks {
		seen[host(int32(m))] = true
		for ch := range c.Schedule.Channels() {
			sent = c.AppendTraffic(sent[:0], m, ch)
			for _, t := range sent {
				if host(int32(m)) != host(int32(t.Peer)) {
					crossings += float64(t.Elems)
				}
			}
		}
	}
	if len(seen) < 2 || c.Range.Elems == 0 {
		return 0, 0, ""
	}
	n := float64(len(ranks))
	return crossings / float64(c.Range.Elems), float64(len(seen)) * 2 * (n - 1) / n, "times the gradients between hosts"
}

// lost is the part of the time that others' bytes and what was broken took.
func lost(d *diagnose.Diagnosis) (part float64) {
	for i := range d.Findings {
		f := &d.Findings[i]
		foreign := slices.ContainsFunc(f.Culprits, func(name string) bool { return !strings.Contains(name, ">") })
		if len(f.Blames) > 0 && (f.Noun.Class() == noun.Fault || f.Noun.Class() == noun.Contention && foreign) {
			part += f.Share
		}
	}
	return part
}
