package record

import (
	"fmt"

	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/noun"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// arrivals is what came to a job's ranks for their experts, whose operations the plan has for an even share.
type arrivals struct {
	positions []int64         // by rank
	beyond    []unit.Duration // by rank: what they took more than an even share takes on the rank's device, or less
	path      unit.Duration   // of critical paths, the same where it was more
}

// take takes an operation that a rank has ended on what came.
func (a *arrivals) take(ranks int, program *workload.Program, op *workload.Op, p *exec.OperationRecord) {
	if a.positions == nil {
		a.positions, a.beyond = make([]int64, ranks), make([]unit.Duration, ranks)
	}
	a.positions[p.Rank] += p.Positions
	a.beyond[p.Rank] += op.Counted.On(&program.Device, *op, p.Positions).Duration - op.Duration
}

// crossed takes a part of a critical path.
func (a *arrivals) crossed(op *workload.Op, q *exec.PathPart) {
	if op.Counted != nil {
		a.path += max(0, q.Until.Sub(q.From)-op.Duration)
	}
}

// busiest is the rank to which most came, and how many times the mean; rank -1: nothing did.
func (a *arrivals) busiest() (rank int, load float64) {
	sum, most := int64(0), 0
	for r, n := range a.positions {
		if sum += n; n > a.positions[most] {
			most = r
		}
	}
	if sum == 0 {
		return -1, 0
	}
	return most, float64(a.positions[most]) * float64(len(a.positions)) / float64(sum)
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
// sent: that goes through its own links, and in as many times as it is more.
func (j *Job) swamped() []noun.Finding {
	most, load := j.arrived.busiest()
	if most < 0 || load*(1-2*notable) < 1 || j.critical.found == 0 {
		return nil
	}
	sent := unit.Duration(0)
	for g := range j.critical.groups {
		if group := &j.plan.Work.Groups[g]; group.Kind == workload.GroupKindExpert {
			sent += sending(&j.critical.groups[g])
		}
	}
	rank := int32(most)
	f := noun.Finding{Noun: noun.UnevenRouting, Place: noun.Place{Kind: noun.Rank, Rank: &rank},
		By: fmt.Sprintf("rank %d gets %.1f times the mean", most, load)}
	f.Time = (j.arrived.path + share(sent, 1-1/load)) / unit.Duration(j.critical.found)
	f.Evidence = []noun.Fact{{What: "received over the mean", At: fmt.Sprintf("rank %d", most), Value: load}}
	return []noun.Finding{f}
}

// sending is what of a split passed the longer the more was sent.
func sending(s *cause.Split) (sum unit.Duration) {
	for _, c := range []cause.Cause{cause.NVLink, cause.PCIe, cause.Serialisation, cause.OwnQueueing, cause.Queueing, cause.RateLimit,
		cause.Pause, cause.Window} {
		sum += s[c]
	}
	return sum
}
