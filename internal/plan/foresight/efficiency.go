package foresight

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/mfu"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
)

// StepWork is the arithmetic of a step of the job on all its ranks. Of a job that trains no model of its own there is
// none.
func StepWork(p *plan.Plan, j *plan.Job) mfu.Work {
	w := mfu.Work{GPUs: int64(j.Ranks())}
	if n := j.Folded(); n > 1 {
		w.Alike = int64(n)
	}
	w.Peak, w.Precision = p.Peak(j)
	if j.Work == nil {
		return w
	}
	of := make([]int64, len(j.Work.Programs))
	for i := range of {
		_, of[i] = j.Work.Programs[i].Computing()
	}
	for _, program := range j.Work.Of {
		w.Hardware = add(w.Hardware, of[program])
	}
	if m := j.Spec.Model; m != nil {
		tokens, parts := mul(int64(m.Batch), int64(m.Shape.Sequence)), int64(1)
		if w.Alike > 1 { // one part of one replica
			tokens, parts = tokens/int64(j.Replicas()), int64(j.Spec.Parallel.TP)
		}
		f := m.Shape.TokenFLOP()
		w.Model, w.Causal = mul(f.Dense, tokens)/parts, mul(f.Causal, tokens)/parts
		return w
	}
	if j.Model == nil || j.Spec.Train == nil {
		return w
	}
	rows := mul(int64(j.Spec.Train.Batch), int64(j.Replicas()))
	dense, causal := workload.Products(train.Layers(j.Model))
	w.Model, w.Causal = mul(dense, rows), mul(causal, rows)
	return w
}

// KindOf is the kind of communication that a collective is: one of mfu.Kinds.
func KindOf(work *workload.Job, c *workload.Collective) string {
	switch work.Groups[c.Group].Kind {
	case workload.GroupKindData:
		if goal, ok := coll.GoalOf(c.Schedule); ok && goal.Collective == coll.AllGather {
			return mfu.Zero
		}
		return mfu.Data
	case workload.GroupKindTensor:
		return mfu.Tensor
	case workload.GroupKindPipeline:
		return mfu.Pipeline
	case workload.GroupKindStatistics:
		return mfu.Statistics
	case workload.GroupKindExpert:
		return mfu.Experts
	}
	return mfu.Others
}

// StepBytes is what ranks send each other in a step, all together, by kind of communication, and what of it leaves hosts:
// data alone, without the flags of a protocol.
func StepBytes(p *plan.Plan, j *plan.Job) (all, between map[string]unit.Bytes) {
	all, between = map[string]unit.Bytes{}, map[string]unit.Bytes{}
	if j.Work != nil {
		for i := range j.Work.Collectives {
			if c := &j.Work.Collectives[i]; c.Formula {
				sent, left := closedBytes(p, j, c)
				all[KindOf(j.Work, c)] += sent
				between[KindOf(j.Work, c)] += left
			}
		}
	}
	eachTraffic(j, func(k int, l *plan.RankLink, t traffic) {
		c := &j.Work.Collectives[k]
		if c.Once {
			return
		}
		kind := KindOf(j.Work, c)
		all[kind] += unit.Bytes(t.data)
		if l.Pair >= 0 {
			between[kind] += unit.Bytes(t.data)
		}
	})
	return all, between
}

// StepMemory is what the rank that holds most holds of tensors, from the second step on; 0: it trains nothing.
func StepMemory(j *plan.Job) (most unit.Bytes) {
	if j.Work == nil || j.Work.Training == nil {
		return 0
	}
	for r := range j.Ranks() {
		m := j.Work.Memory(int32(r))
		most = max(most, m.All())
	}
	return most
}

// StepTokens is how many tokens a step of the job reads; 0: it trains on no text.
func StepTokens(j *plan.Job) int64 {
	if m := j.Spec.Model; m != nil {
		return mul(int64(m.Batch), int64(m.Shape.Sequence))
	}
	t := j.Spec.Train
	if t == nil || t.Data.Text == nil {
		return 0
	}
	return mul(mul(int64(t.Batch), int64(j.Replicas())), int64(t.Data.Text.Window))
}

// closedBytes is what the ranks of a group send in a collective that is a closed form, all together, and what of it leaves
// hosts: in a ring as many ranks send to another host as there are hosts.
func closedBytes(p *plan.Plan, j *plan.Job, c *workload.Collective) (all, between unit.Bytes) {
	g := &j.Work.Groups[c.Group]
	elems := int64(0)
	for ch := range c.Schedule.Channels() {
		for _, t := range c.AppendTraffic(nil, 0, ch) {
			elems = add(elems, t.Elems)
		}
	}
	n, hosts := int64(g.Size()), int64(plan.HostsOf(j.PlaceOf(g)))
	if goal, ok := coll.GoalOf(c.Schedule); ok && goal.Collective == coll.SendReceive {
		n = 1
	}
	all = unit.Bytes(mul(mul(elems, c.ElemBytes), n))
	if hosts > 1 {
		between = all / unit.Bytes(n) * unit.Bytes(min(hosts, n))
	}
	alike := unit.Bytes(groupsAlike(j, g))
	return all * alike, between * alike
}

// groupsAlike is how many groups one stands for in a layout that is folded, itself among them.
func groupsAlike(j *plan.Job, g *workload.Group) int {
	x := &j.Spec.Parallel
	switch {
	case j.Whole == nil:
		return 1
	case g.Kind == workload.GroupKindData || g.Kind == workload.GroupKindStatistics:
		return x.TP
	case g.Kind == workload.GroupKindTensor:
		return x.DP
	case g.Kind == workload.GroupKindNorm:
		return 1
	}
	return x.TP * x.DP
}
