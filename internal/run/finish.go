package run

import (
	"cmp"
	"slices"

	"railyard/internal/coll"
	"railyard/internal/result"
	"railyard/internal/topo"
	"railyard/internal/train"
	"railyard/internal/unit"
)

// shown is how many links a summary lists.
const shown = 10

// tierNames are the kinds of node as the tables have them.
var tierNames = [...]string{topo.HostKind: result.TierHost, topo.Leaf: result.TierLeaf, topo.Spine: result.TierSpine, topo.SuperSpine: result.TierSuperSpine}

// finish completes the tables and fills the summary.
func (r *runner) finish(s *result.Summary) {
	now := r.eng.Now()
	r.fab.FlushSamples(now)
	r.net.Unfinished(r.watch.left)
	r.watch.sortStuck()
	r.watch.close()
	s.VirtualTime = now
	s.PacketHops, s.Events = r.fab.Hops(), r.eng.Events()
	s.ECNMarks, s.CNPs, s.Retransmits = 0, r.net.CNPs(), r.net.Retransmits()
	r.finishLinks(now, s)
	if r.watch.queues != nil {
		s.Queues = r.watch.queues.Figures(now)
	}
	r.finishFlows(s)
	if r.job != nil {
		r.finishTraining(s)
	}
	r.finishShares()
	s.Diagnosis = r.diagnosis(s)
	s.Notes = r.notes(s)
}

func (r *runner) finishLinks(now unit.Time, s *result.Summary) {
	links := r.opt.Dir.Links()
	for id, p := range r.plan.Graph.Ports {
		st := r.fab.Stats(now, topo.PortID(id))
		used := 0.0
		if now > 0 {
			used = float64(st.Busy) / float64(now)
		}
		from, to := &r.plan.Graph.Nodes[p.Node], &r.plan.Graph.Nodes[p.To]
		links.Add(result.LinkRow{Port: p.Name, From: from.Name, To: to.Name, Tier: tierNames[from.Kind], Rate: p.Rate,
			TxBytes: unit.Bytes(st.Bytes), TxPackets: st.Frames, DataBytes: unit.Bytes(st.DataBytes), Busy: st.Busy, Utilisation: used,
			PausesSent: st.PausesSent, PausesReceived: st.PausesReceived, Paused: st.Paused, PausedBy: r.pausedBy(topo.PortID(id)), ECNMarks: st.Marks, Drops: st.Drops, MaxQueue: st.MaxQueue})
		s.ECNMarks += st.Marks
		s.Pauses += st.PausesSent
		s.Drops += st.Drops
		s.LosslessDrops += r.fab.LosslessDrops(topo.PortID(id))
		if st.Frames > 0 {
			s.BusiestLinks = append(s.BusiestLinks, result.LinkFigures{Port: p.Name, Rate: p.Rate, TxBytes: unit.Bytes(st.Bytes), Utilisation: used,
				MaxQueue: st.MaxQueue, ECNMarks: st.Marks, Drops: st.Drops})
		}
		if st.PausesSent+st.PausesReceived > 0 {
			s.Pausing = append(s.Pausing, result.PauseFigures{Port: p.Name, Sent: st.PausesSent, Received: st.PausesReceived, Paused: st.Paused})
		}
	}
	slices.SortStableFunc(s.BusiestLinks, func(a, b result.LinkFigures) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
	s.BusiestLinks = s.BusiestLinks[:min(len(s.BusiestLinks), shown)]
	slices.SortStableFunc(s.Pausing, func(a, b result.PauseFigures) int {
		return cmp.Or(cmp.Compare(b.Paused, a.Paused), cmp.Compare(b.Sent, a.Sent))
	})
}

func (r *runner) finishFlows(s *result.Summary) {
	for i, q := range r.plan.Pairs {
		if !q.sends() {
			continue
		}
		st := &r.watch.pairs[i]
		f := result.FlowFigures{Name: q.Name, Kind: q.Kind, Src: q.Flow.From.String(), Dst: q.Flow.To.String(), Bytes: q.Flow.Bytes, Posted: st.posted, Done: st.done,
			Marks: st.marks, CNPs: st.cnps, Retransmits: st.retransmits, Path: r.watch.paths[i], Status: result.StatusUnfinished}
		switch {
		case st.failed:
			f.Status = result.StatusFailed
		case st.done == st.posted && st.done > 0:
			f.Status = result.StatusDone
		}
		if st.posted > 0 {
			f.Start = new(st.first)
		}
		if st.done > 0 {
			f.FCT = new(st.fct / unit.Duration(st.done))
		}
		s.Flows = append(s.Flows, f)
	}
}

// finishSteps fills in the times of steps.
func (r *runner) finishSteps(s *result.Summary) {
	w := r.watch
	s.StepTime = unit.Duration(w.wholeUntil) / unit.Duration(s.Steps)
	if s.StepTime > 0 {
		s.SampleRate = float64(r.plan.Scenario.Job.Train.Batch*len(r.ranks)) / s.StepTime.Seconds()
	}
	ascending := slices.Sorted(slices.Values(w.stepTimes))
	s.StepMedian, s.StepP99 = result.Quantile(ascending, 0.5), result.Quantile(ascending, 0.99)
	mean, slowest := w.mean, w.slowest
	for c := range mean {
		mean[c] /= unit.Duration(w.ended)
		slowest[c] /= unit.Duration(s.Steps)
	}
	s.StepSplit = &result.StepSplit{Mean: result.CausesOf(mean), SlowestRank: result.CausesOf(slowest)}
	s.CriticalPath = w.critical.mean()
	s.PathsTraced, s.PathsEvery = w.critical.found, w.critical.every
}

func (r *runner) finishTraining(s *result.Summary) {
	w := r.watch
	s.Steps = int64(len(w.stepTimes))
	if s.Steps > 0 {
		r.finishSteps(s)
		loss := result.Float(r.job.EpochLoss(s.Steps - 1))
		s.FinalLoss = &loss
		r.opt.Progress(result.Progress{Phase: "testing", Virtual: r.eng.Now(), PacketHops: r.fab.Hops()})
		accuracy := r.job.Accuracy(train.Set{Pixels: r.set.Test.Pixels, Labels: r.set.Test.Labels})
		s.TestAccuracy = &accuracy
	}
	if r.job.Agree() {
		s.WeightsSHA256 = train.Digest(r.job.Weights(0))
	}
	if w.comm > 0 {
		overlap := float64(w.overlap) / float64(w.comm)
		s.Overlap = &overlap
	}
	for c, sum := range w.colls {
		if sum.n == 0 || sum.time == 0 {
			continue
		}
		cl := &r.plan.Step.Collectives[c]
		size := unit.Bytes(cl.Elems * cl.ElemBytes)
		mean := sum.time / unit.Duration(sum.n)
		alg := float64(size) / mean.Seconds()
		s.Collectives = append(s.Collectives, result.Collective{Name: cl.Name, Count: sum.n, Bytes: size, Time: mean, AlgBW: alg,
			BusBW: alg * coll.BusFactor(coll.AllReduce, len(r.ranks)).Float()})
	}
}
