package run

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/coll"
	"railyard/internal/result"
	"railyard/internal/topo"
	"railyard/internal/train"
	"railyard/internal/unit"
)

// shown is how many links, queues and ports a summary lists.
const shown = 10

// finish completes the tables and fills the summary.
func (r *runner) finish(s *result.Summary) {
	now := r.eng.Now()
	r.fab.FlushSamples(now)
	r.net.Unfinished(r.watch.flow)
	s.VirtualTime = now
	s.PacketHops, s.Events = r.fab.Hops(), r.eng.Events()
	s.ECNMarks, s.CNPs, s.Retransmits = 0, r.net.CNPs(), r.net.Retransmits()
	r.finishLinks(now, s)
	if r.watch.queues != nil {
		s.Queues = r.watch.queues.Figures(now)
		s.Queues = s.Queues[:min(len(s.Queues), shown)]
	}
	r.finishFlows(s)
	if r.job != nil {
		r.finishTraining(s)
	}
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
		links.Add(result.LinkRow{Port: p.Name, From: r.plan.Graph.Nodes[p.Node].Name, To: r.plan.Graph.Nodes[p.To].Name, Rate: p.Rate,
			TxBytes: unit.Bytes(st.Bytes), TxPackets: st.Frames, DataBytes: unit.Bytes(st.DataBytes), Busy: st.Busy, Utilisation: used,
			PausesSent: st.PausesSent, PausesReceived: st.PausesReceived, Paused: st.Paused, ECNMarks: st.Marks, Drops: st.Drops, MaxQueue: st.MaxQueue})
		s.ECNMarks += st.Marks
		s.Pauses += st.PausesSent
		s.Drops += st.Drops
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
	slices.SortStableFunc(s.Pausing, func(a, b result.PauseFigures) int { return cmp.Compare(b.Sent+b.Received, a.Sent+a.Received) })
}

func (r *runner) finishFlows(s *result.Summary) {
	for i, q := range r.plan.Pairs {
		if q.Flow == nil {
			continue
		}
		st := &r.watch.pairs[i]
		f := result.FlowFigures{Name: q.Name, Kind: q.Kind, Src: q.Flow.From.String(), Dst: q.Flow.To.String(), Bytes: q.Flow.Bytes, Posted: st.posted, Done: st.done,
			Start: st.first, Marks: st.marks, CNPs: st.cnps, Retransmits: st.retransmits, Path: r.watch.paths[i], Status: result.StatusUnfinished}
		switch {
		case st.failed:
			f.Status = result.StatusFailed
		case st.done == st.posted && st.done > 0:
			f.Status = result.StatusDone
		}
		if st.done > 0 {
			f.FCT = st.fct / unit.Duration(st.done)
		}
		s.Flows = append(s.Flows, f)
	}
}

func (r *runner) finishTraining(s *result.Summary) {
	w := r.watch
	s.Steps = int64(len(w.stepTimes))
	s.StepTime = w.stepTime()
	if s.Steps > 0 {
		loss := result.Float(r.job.EpochLoss(s.Steps - 1))
		s.FinalLoss = &loss
		accuracy := r.job.Accuracy(train.Set{Pixels: r.set.Test.Pixels, Labels: r.set.Test.Labels})
		s.TestAccuracy = &accuracy
		split := result.StepSplit{}
		mean, slowest := w.mean, w.slowest
		for c := range mean {
			mean[c] /= unit.Duration(w.ended)
			slowest[c] /= unit.Duration(s.Steps)
		}
		split.Mean, split.SlowestRank = result.CausesOf(mean), result.CausesOf(slowest)
		s.StepSplit = &split
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

// notes says, of each counter that the user would look for and finds at zero, why it is; and what else is worth a sentence.
func (r *runner) notes(s *result.Summary) []string {
	sc := r.plan.Scenario
	q := sc.Fabric.QoS
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	deepest, where := unit.Bytes(0), ""
	for id, p := range r.plan.Graph.Ports {
		if st := r.fab.Stats(r.eng.Now(), topo.PortID(id)); st.MaxQueue > deepest {
			deepest, where = st.MaxQueue, p.Name
		}
	}
	if r.job != nil && len(r.plan.Pairs) == 0 {
		add("no packets: all ranks are in one host, every gradient went over NVLink")
		return notes
	}
	if s.ECNMarks == 0 {
		low, _, _ := q.ECN.At(sc.Fabric.Links.Host)
		switch {
		case !q.ECN.Enabled:
			add("no ECN marks: fabric.qos.ecn is off")
		case deepest == 0:
			add("no ECN marks, no pauses: nothing ever queued. Each ring has a rail to itself, so no two senders share a port")
		default:
			add("no ECN marks: the deepest queue, %s at %s, stayed below the marking threshold of %s (at %v)", result.FormatBytes(deepest), where, result.FormatBytes(low), sc.Fabric.Links.Host)
		}
	}
	if s.ECNMarks > 0 && s.CNPs == 0 {
		add("no CNPs though packets were marked: none of the marked packets was RoCE data that arrived")
	}
	if s.Pauses == 0 && deepest > 0 {
		if !q.PFC.Enabled {
			add("no pauses: fabric.qos.pfc is off")
		} else {
			add("no pauses: no ingress port reached xOFF (%v of the free shared buffer)", q.PFC.Alpha)
		}
	}
	if s.Drops == 0 && q.PFC.Enabled && s.Pauses > 0 {
		add("no drops: PFC paused senders before headroom ran out")
	}
	if s.Drops > 0 && s.Retransmits == 0 {
		add("packets were dropped but none sent again: the run ended before the retransmission timeout")
	}
	if r.job != nil && r.job.LeftOut() > 0 {
		add("%d of %d training images were left out of each epoch: they do not fill a global batch", r.job.LeftOut(), r.set.Train.N)
	}
	return notes
}
