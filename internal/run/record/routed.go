package record

import (
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/noun"
)

// arrivals is what came to a job's ranks for their experts.
type arrivals struct {
	positions []int64           // by rank
	came      map[int32][]int64 // by what brought it, a layer's dispatch of a micro-batch, and member of its group
	beyond    []unit.Duration   // by rank: what they took more than the plan has, or less
	path      unit.Duration     // of critical paths, what operations took more than with an even share
}

// take takes an operation that a rank has ended on what came.
func (a *arrivals) take(ranks int, work *workload.Job, op *workload.Op, p *exec.OperationRecord) {
	if a.positions == nil {
		a.positions, a.beyond, a.came = make([]int64, ranks), make([]unit.Duration, ranks), map[int32][]int64{}
	}
	a.positions[p.Rank] += p.Positions
	a.beyond[p.Rank] += op.Counted.On(&work.Program(p.Rank).Device, *op, p.Positions).Duration - op.Duration
	by := op.Counted.Coll
	members := work.Groups[work.Collectives[by].Group].Ranks
	if a.came[by] == nil {
		a.came[by] = make([]int64, len(members))
	}
	a.came[by][slices.Index(members, p.Rank)] += p.Positions
}

// crossed takes a part of a critical path.
func (a *arrivals) crossed(op *workload.Op, q *exec.PathPart) {
	if op.Counted != nil {
		a.path += max(0, q.Until.Sub(q.From)-op.Counted.Even)
	}
}

// busiest is the rank to which most came, -1: nothing did.
func (a *arrivals) busiest() int {
	if sumOf(a.positions) == 0 {
		return -1
	}
	return slices.Index(a.positions, slices.Max(a.positions))
}

// load is how many times the mean of all places the busiest of each layer got, which need not be the same one.
func (a *arrivals) load(of *workload.Job, place func(members []int32, rank int32) int32) float64 {
	most, mean := int64(0), 0.0
	for _, by := range slices.Sorted(maps.Keys(a.came)) {
		at, members := map[int32]int64{}, of.Groups[of.Collectives[by].Group].Ranks
		for m, rank := range members {
			at[place(members, rank)] += a.came[by][m]
		}
		most += slices.Max(slices.Collect(maps.Values(at)))
		mean += float64(sumOf(a.came[by])) / float64(len(at))
	}
	return float64(most) / mean
}

// entry is where what comes for a rank meets what comes for others: its own link, or all NICs of its host, if messages go by
// their channel's.
func entry(j *Job) func(members []int32, rank int32) int32 {
	return func(members []int32, rank int32) int32 {
		if c := &j.plan.Spec.Collective; c.Exit == "channel" && c.AllToAll != "rails" && j.apart(members) {
			return j.plan.Placement.Ranks[rank].Host
		}
		return rank
	}
}

// work is how long a rank's compute of a step would take were all devices alike, with what came; nil: as long on all.
func (j *Job) work() []unit.Duration {
	if j.arrived.positions == nil {
		return j.plan.RankWork()
	}
	all := j.plan.Computes()
	for r, more := range j.arrived.beyond {
		if slow := j.plan.Work.Program(int32(r)).Device.Slow; slow.Num > 0 {
			more = unit.Duration(float64(more) / slow.Float())
		}
		all[r] += more / unit.Duration(max(1, j.rankSteps[r]))
	}
	return all
}

// swamped is a rank whose experts got far more positions than those of others, which wait for what it computes, and for what it is
// sent: that goes through its own links, or its host's, and in as many times as it is more.
func (j choices) swamped() []noun.Finding {
	most := j.arrived.busiest()
	if most < 0 {
		return nil
	}
	load := j.arrived.load(j.plan.Work, func(_ []int32, rank int32) int32 { return rank })
	if load*(1-2*notable) < 1 || j.critical.found == 0 {
		return nil
	}
	sent := unit.Duration(0)
	for g := range j.critical.groups {
		if group := &j.plan.Work.Groups[g]; group.Kind == workload.GroupKindExpert {
			sent += sending(&j.critical.groups[g], j.apart(group.Ranks))
		}
	}
	rank := int32(most)
	by := fmt.Sprintf("rank %d gets %.1f times the mean", most, load)
	mean := float64(sumOf(j.arrived.positions)) / float64(len(j.arrived.positions))
	if float64(j.arrived.positions[most]) < (1-notable)*load*mean {
		by = fmt.Sprintf("a rank gets %.1f times the mean, in each layer another; rank %d most", load, most)
	}
	f := noun.Finding{Noun: noun.UnevenRouting, Place: noun.Place{Kind: noun.Rank, Rank: &rank}, By: by}
	f.Time = (j.arrived.path + share(sent, 1-1/j.arrived.load(j.plan.Work, entry(j.Job)))) / unit.Duration(j.critical.found)
	f.Evidence = []noun.Fact{{What: "received over the mean", At: fmt.Sprintf("rank %d", most), Value: load}}
	return []noun.Finding{f}
}

// sending is what of a split passed the longer the more was sent to one rank. Between hosts that is not what crossed NVLink: a sender
// has as much for all together, whoever gets it, and a NIC is slower.
func sending(s *cause.Split, apart bool) (sum unit.Duration) {
	for _, c := range []cause.Cause{cause.PCIe, cause.Serialisation, cause.OwnQueueing, cause.Queueing, cause.RateLimit, cause.Pause,
		cause.Window} {
		sum += s[c]
	}
	if !apart {
		sum += s[cause.NVLink]
	}
	return sum
}
