package record

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/train"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// shown is how many links a summary lists.
const shown = 10

// Ending is what the driver of a run knows of its end.
type Ending struct {
	Whole       bool  // the engine came to its end by itself
	Stopped     bool  // trainings were asked to stop before their last steps
	Interrupted error // why the driver ended the run, nil if it did not
	Diverged    error // the loss of a training is not a number
}

// Finish completes the tables, fills the summary and returns the error that the run ended with.
func (r *Recorder) Finish(s *result.Summary, e Ending) (err error) {
	now := r.network.Now()
	r.finishing = true
	r.network.FlushSamples(now)
	r.network.Unfinished(r.left)
	r.Join()
	leftOut := r.events.finish(now)
	r.series.finish(now)
	r.watch.finish(now, r.jobs)
	r.sortStuck()
	for _, j := range r.jobs {
		j.critical.close()
	}
	s.VirtualTime = now
	switch {
	case r.real:
		s.Network = result.NetworkReal
	case r.plan.ByFormula():
		s.Network = result.NetworkFormula
	}
	s.PacketHops, s.Events = r.network.Hops(), r.network.Events()
	s.ECNMarks, s.CNPs, s.Retransmits = 0, r.network.CNPs(), r.network.Retransmits()
	s.Reordering = r.reordering()
	if !r.real {
		r.finishLinks(now, s)
	}
	if r.queues != nil {
		s.Queues = r.queues.Figures(now)
		r.rates(s.Queues)
	}
	if !r.real {
		r.finishFlows(s)
	}
	r.refused = s.LosslessDrops
	for i, f := range s.PerJob() {
		j := r.jobs[i]
		if j.ranks() > 0 {
			j.finishRanks(f)
		}
		if !r.plan.ByFormula() && !r.real {
			f.Diagnosis = j.diagnosis(f)
		}
		if f.Aborts = j.aborts; !r.real {
			j.finishSurvival(f)
		}
		if r.several() {
			f.Until = j.latest
			s.Steps += f.Steps
		}
	}
	r.finishShares()
	s.Notes = noting{r, s, e.Diverged != nil}.all()
	if leftOut > 0 {
		s.Notes = append(s.Notes, r.events.leftOutNote(leftOut))
	}
	if r.series.table != nil && r.series.ended < now {
		s.Notes = append(s.Notes, r.series.cutNote())
	}
	if s.State, err = r.outcome(s, e); err != nil && s.State != result.Interrupted {
		s.Error = err.Error()
	}
	r.finishOpen(s)
	return err
}

// rates says of each queue how fast its port is.
func (r *Recorder) rates(queues []result.QueueFigures) {
	of := make(map[string]unit.Bitrate, len(queues))
	for i := range r.plan.Graph.Ports {
		of[r.plan.Graph.Ports[i].Name] = r.plan.Graph.Ports[i].Rate
	}
	for i := range queues {
		queues[i].Rate = of[queues[i].Port]
	}
}

func (r *Recorder) finishLinks(now unit.Time, s *result.Summary) {
	links := r.dir.Links()
	for id, p := range r.plan.Graph.Ports {
		st := r.network.Stats(now, topo.PortID(id))
		used := 0.0
		if now > 0 {
			used = float64(st.Busy) / float64(now)
		}
		from, to := &r.plan.Graph.Nodes[p.Node], &r.plan.Graph.Nodes[p.To]
		links.Add(result.LinkRow{
			Port:           p.Name,
			From:           from.Name,
			To:             to.Name,
			Tier:           from.Kind.String(),
			Rate:           p.Rate,
			TxBytes:        unit.Bytes(st.Bytes),
			TxPackets:      st.Frames,
			DataBytes:      unit.Bytes(st.DataBytes),
			Busy:           st.Busy,
			Utilisation:    used,
			PausesSent:     st.PausesSent,
			PausesReceived: st.PausesReceived,
			Paused:         st.Paused,
			PausedBy:       r.pausedBy(topo.PortID(id)),
			ECNMarks:       st.Marks,
			Drops:          st.Drops,
			MaxQueue:       st.MaxQueue,
		})
		s.ECNMarks += st.Marks
		s.Pauses += st.PausesSent
		s.Drops += st.Drops
		s.LosslessDrops += r.network.LosslessDrops(topo.PortID(id))
		if st.Frames > 0 {
			s.BusiestLinks = append(s.BusiestLinks, result.LinkFigures{
				Port:        p.Name,
				Rate:        p.Rate,
				Slowed:      r.slowed(topo.PortID(id)),
				TxBytes:     unit.Bytes(st.Bytes),
				Utilisation: used,
				MaxQueue:    st.MaxQueue,
				ECNMarks:    st.Marks,
				Drops:       st.Drops,
			})
		}
		if st.PausesSent+st.PausesReceived > 0 {
			s.Pausing = append(s.Pausing, result.PauseFigures{
				Port:     p.Name,
				Sent:     st.PausesSent,
				Received: st.PausesReceived,
				Paused:   st.Paused,
			})
		}
	}
	for why, n := range r.losses {
		if n > 0 {
			s.Lost = append(s.Lost, result.LostFrames{Why: lossNames[why], Frames: n})
		}
	}
	slices.SortStableFunc(s.Lost, func(a, b result.LostFrames) int { return cmp.Compare(b.Frames, a.Frames) })
	r.finishWatchdog(now, s)
	slices.SortStableFunc(s.BusiestLinks, func(a, b result.LinkFigures) int {
		return cmp.Compare(b.Utilisation, a.Utilisation)
	})
	s.BusiestLinks = s.BusiestLinks[:min(len(s.BusiestLinks), shown)]
	slices.SortStableFunc(s.Pausing, func(a, b result.PauseFigures) int {
		return cmp.Or(cmp.Compare(b.Paused, a.Paused), cmp.Compare(b.Sent, a.Sent))
	})
}

// reordering sums what receivers counted, nil if nothing came out of order.
func (r *Recorder) reordering() *result.Reordering {
	var all result.Reordering
	for id := range r.plan.Pairs {
		t := r.network.Tally(int32(id))
		all.Gaps, all.Late, all.Dropped = all.Gaps+t.Gaps, all.Late+t.Early, all.Dropped+t.Full
		if t.Most > all.Most {
			all.Most, all.At = t.Most, r.plan.Pairs[id].Name
		}
	}
	all.GaveUp = r.network.GaveUp()
	if all == (result.Reordering{}) {
		return nil
	}
	return &all
}

func (r *Recorder) finishFlows(s *result.Summary) {
	for i, q := range r.plan.Pairs {
		if !q.Sends() {
			continue
		}
		st := &r.pairs[i]
		f := result.FlowFigures{
			Job:         r.keyOf(&q),
			Name:        q.Name,
			Kind:        q.Kind,
			Src:         q.Flow.From.String(),
			Dst:         q.Flow.To.String(),
			Bytes:       q.Flow.Bytes,
			Posted:      st.posted,
			Done:        st.done,
			Marks:       st.marks,
			CNPs:        st.cnps,
			Retransmits: st.retransmits,
			Path:        r.pathOfAll(int32(i)),
			Status:      result.StatusUnfinished,
		}
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

// keyOf is the name of a queue pair's job, where there are several; "": background.
func (r *Recorder) keyOf(q *plan.Pair) string {
	if j := r.jobOf(q); j != nil && r.several() {
		return j.name()
	}
	return ""
}

// finishSteps fills in the times of steps.
func (j *Job) finishSteps(s *result.JobFigures) {
	s.StepTime = (j.life.before + j.worked()) / unit.Duration(j.life.all())
	if s.StepTime > 0 && j.train != nil {
		s.SampleRate = float64(j.plan.Spec.Train.Batch*j.plan.Replicas()) / s.StepTime.Seconds()
	}
	s.Efficiency = j.efficiency(s.StepTime)
	ascending := slices.Sorted(slices.Values(j.stepTimes))
	s.StepMedian, s.StepP99 = result.Quantile(ascending, 0.5), result.Quantile(ascending, 0.99)
	mean, slowest := j.mean, j.slowest
	for c := range mean {
		mean[c] /= unit.Duration(j.ended)
		slowest[c] /= unit.Duration(j.life.all())
	}
	if !j.r.plan.ByFormula() { // of a network that was not run nothing is told
		s.StepSplit = &result.StepSplit{Mean: result.CausesOf(mean), SlowestRank: result.CausesOf(slowest)}
		s.CriticalPath = j.critical.mean()
		s.PathsTraced, s.PathsEvery = j.critical.found, j.critical.every
		if from := int(j.critical.from); from > 0 && j.critical.found > 0 {
			s.PathCollectives = int64(len(j.plan.Work.Collectives) - from)
		}
	}
	s.Groups = j.groupFigures()
}

// finishRanks fills in what ranks have done.
func (j *Job) finishRanks(s *result.JobFigures) {
	s.Steps = int64(len(j.stepTimes))
	j.finishStart(s)
	s.GPU = utilisation(j.busy, j.latest.Sub(j.first().begin))
	if s.Steps > 0 {
		j.finishSteps(s)
	}
	if j.comm > 0 {
		overlap := float64(j.overlap) / float64(j.comm)
		s.Overlap = &overlap
	}
	if j.train == nil {
		j.finishRows(s)
		return
	}
	j.finishTraining(s)
	s.Collectives = trainingFigures(j.plan.Work, j.colls)
}

func (j *Job) finishTraining(s *result.JobFigures) {
	if s.Steps > j.life.first {
		loss := result.Float(j.train.EpochLoss(s.Steps - 1 - j.life.first))
		s.FinalLoss = &loss
	}
	j.finishExperts(s)
	if !j.train.Knows(s.Steps - 1 - j.life.first) { // processes ended before they told
		return
	}
	if s.Steps > j.life.first {
		j.r.hooks.Progress(result.Progress{Phase: "testing", Virtual: j.r.network.Now(), PacketHops: j.r.network.Hops()})
		score := j.train.Test(j.data.Test)
		accuracy := score.Accuracy()
		s.TestAccuracy = &accuracy
		if j.data.Text {
			loss := result.Float(score.Mean())
			s.TestLoss, s.TestEntropy = &loss, j.data.Entropy
		}
	}
	if j.train.Drifts() && !j.behind(s) && len(j.restarts) == 0 {
		j.finishDrift(s)
	}
	if j.train.Agree() {
		s.WeightsSHA256 = train.Digest(j.train.Gathered(0))
	}
}

// finishDrift compares the weights with those of one rank, which takes its time: it is left out when
// the driver wants the end.
func (j *Job) finishDrift(s *result.JobFigures) {
	p := result.Progress{Phase: "one rank, to compare", Total: s.Steps, Virtual: j.r.network.Now(), PacketHops: j.r.network.Hops()}
	drift, ok := j.train.Drift(func(done int64) bool {
		p.Done = done
		j.r.hooks.Progress(p)
		return !j.r.hooks.Stopped()
	})
	if ok {
		s.Drift = &drift
	}
}
