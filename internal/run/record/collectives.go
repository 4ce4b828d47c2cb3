package record

import (
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
)

// rowName is a group, and what it does if that does not go without saying: activations.2,
// all-gather.stage1.
func rowName(g *workload.Group, op coll.Collective) string {
	if of, tensor := strings.CutPrefix(g.Name, "tensor-parallel"); tensor {
		return op.String() + of
	}
	return strings.TrimPrefix(g.Name, "pipeline ")
}

// take takes what one rank did. A stage waits for what the one before it sends, so the sender's
// start counts.
func (s *span) take(p *exec.OperationRecord, work *workload.Job, c int32) {
	g := &work.Groups[work.Collectives[c].Group]
	if g.Kind != workload.GroupKindPipeline || p.Rank == g.Ranks[0] {
		if s.start = min(s.start, p.Start); !s.begun {
			s.start, s.begun = p.Start, true
		}
		s.last = max(s.last, p.Start)
	}
	s.end = max(s.end, p.End)
	s.n++
}

// members is how many ranks run a collective of the step.
func members(work *workload.Job, c int) int { return len(work.Groups[work.Collectives[c].Group].Ranks) }

// opOf is what a collective does; a schedule that does not say is a file's, an all-reduce.
func opOf(s coll.Schedule) coll.Collective {
	if g, ok := coll.GoalOf(s); ok {
		return g.Collective
	}
	return coll.AllReduce
}

// trainingFigures are those of the collectives of a training. Where ranks hold parts of the model, what
// a group does over and over, for layers and micro-batches, is one row of its mean size and time.
func trainingFigures(work *workload.Job, all []collective) (rows []result.Collective) {
	type kind struct {
		group int32
		op    coll.Collective
	}
	type sum struct {
		kind
		collective
		bytes unit.Bytes
		name  string
	}
	var sums []sum
	at := map[kind]int{}
	split := work.Training.Layout.World() > work.Training.Layout.DP
	for i, of := range all {
		if of.n == 0 || of.time == 0 {
			continue
		}
		c := &work.Collectives[i]
		k := kind{c.Group, opOf(c.Schedule)}
		n, there := at[k]
		if !there || !split || work.Groups[c.Group].Kind == workload.GroupKindData {
			n, at[k] = len(sums), len(sums)
			sums = append(sums, sum{kind: k, name: c.Name})
			if split && work.Groups[c.Group].Kind != workload.GroupKindData {
				sums[n].name = rowName(&work.Groups[c.Group], k.op)
			}
		}
		sums[n].n, sums[n].time = sums[n].n+of.n, sums[n].time+of.time
		sums[n].bytes += unit.Bytes(of.n) * c.Bytes()
	}
	for _, s := range sums {
		rows = append(rows, figures(s.name, s.op, s.n, s.bytes/unit.Bytes(s.n), s.time/unit.Duration(s.n),
			len(work.Groups[s.group].Ranks)))
	}
	return rows
}
