package record

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/learn/nn"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
)

// noting is what is to be said of a run that has ended, beside its figures.
type noting struct {
	*Recorder
	s        *result.Summary
	diverged bool
}

// all explains counters: why one that a reader looks for is zero, and what one that is not zero
// does not say by itself. The run's own figures prove each sentence.
func (r noting) all() (notes []string) {
	switch {
	case r.real:
		notes = []string{realNote}
	case r.plan.ByFormula():
		notes = []string{r.formulaNote()}
	case len(r.plan.Pairs) == 0 && r.trains():
		of, over := "", "NVLink"
		if r.several() {
			of = " of each job"
		}
		if r.plan.NCCLHost().Peers > 0 {
			over = "PCIe, or NVLink where it joins GPUs"
		}
		notes = []string{fmt.Sprintf("no packets: all ranks%s are in one host, every gradient went over %s", of, over)}
	default:
		notes = r.markNotes()
		notes = append(notes, r.pauseNotes()...)
		notes = append(notes, r.lossNotes()...)
		notes = append(notes, r.bondNotes()...)
		notes = append(notes, r.waitNotes()...)
		if o, is := foresight.Oversubscribed(r.plan); is {
			notes = append(notes, o.Text(r.plan))
		}
		for _, x := range r.plan.Pinned() {
			notes = append(notes, x.Text(r.plan))
		}
	}
	for _, n := range r.plan.Switches.Assumed() {
		text := n.Switches[0]
		if more := len(n.Switches) - 1; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		notes = append(notes, fmt.Sprintf("the configuration of %s leaves open, and the scenario says: %s", text, n.Text))
	}
	for i, f := range r.s.PerJob() {
		j := r.jobs[i]
		own := slices.Concat(j.first().notes(j), j.survivalNotes(), j.trainingNotes(f, r.diverged), j.pathNotes(f),
			foresight.MeasuredNotes(j.plan), foresight.ClosedNotes(r.plan, j.plan))
		for _, n := range own {
			if r.several() {
				n = "job " + r.jobs[i].name() + ": " + n
			}
			notes = append(notes, n)
		}
	}
	return append(notes, r.plan.Scenario.Made()...)
}

// trains reports whether all jobs are trainings.
func (r noting) trains() bool {
	return !slices.ContainsFunc(r.jobs, func(j *Job) bool { return j.train == nil })
}

// markNotes is about ECN marks and the CNPs that answer them.
func (r noting) markNotes() []string {
	sc := r.plan.Scenario
	switch {
	case r.s.ECNMarks == 0 && !r.plan.Switches.Marks():
		return []string{"no ECN marks, hence no CNPs: fabric.qos.ecn.enabled is false"}
	case r.s.ECNMarks > 0 && sc.Congestion.Notify == "ack":
		return []string{"no CNPs: congestion.notify is ack, marks go back in acknowledgements"}
	case r.s.ECNMarks > 0 && sc.Congestion.Notify == "none":
		return []string{fmt.Sprintf("no CNPs: congestion.notify is none, as congestion.algorithm %s does not look "+
			"at marks", sc.Congestion.Algorithm)}
	case r.s.ECNMarks > 0 && r.s.CNPs == 0:
		return []string{"no CNPs: no marked packet reached its receiver before the run ended"}
	case r.s.ECNMarks > 0 && !sc.Congestion.Algorithm.Reacts():
		return []string{"the CNPs changed nothing: congestion.algorithm is none, senders stay at line rate"}
	case r.s.ECNMarks > 0:
		return nil
	}
	deepest, port := r.fullestQueue()
	marking := r.plan.Switches.FabricAt(port.Node).QoS.ECN.Curve().At(port.Rate)
	low, high := marking.Min, marking.Max
	switch {
	case deepest == 0:
		return []string{"no ECN marks, hence no CNPs: no switch ever held a second packet for a port" + r.whyEmpty()}
	case deepest < low:
		return []string{fmt.Sprintf("no ECN marks, hence no CNPs: the fullest queue held %s (%s); marking starts at %s%s",
			deepest.Human(), port.Name, low.Human(), r.whyEmpty())}
	}
	return []string{fmt.Sprintf("no ECN marks, hence no CNPs: %s waited at %s, but no packet of priority %d was "+
		"picked: between %s and %s marking is random, and other priorities are not marked",
		deepest.Human(), port.Name, sc.Fabric.QoS.DataPriority, low.Human(), high.Human())}
}

// fullestQueue returns the queue that was longest relative to where its port starts to mark, and
// the port.
func (r noting) fullestQueue() (unit.Bytes, topo.Port) {
	best, at := 0.0, topo.PortID(0)
	for id, p := range r.plan.Graph.Ports {
		curve := r.plan.Switches.FabricAt(p.Node).QoS.ECN.Curve()
		longest := r.network.Stats(r.network.Now(), topo.PortID(id)).MaxQueue
		if full := float64(longest) / float64(curve.Min.At(p.Rate)); full > best {
			best, at = full, topo.PortID(id)
		}
	}
	return r.network.Stats(r.network.Now(), at).MaxQueue, r.plan.Graph.Ports[at]
}

// whyEmpty is a sentence more: why queues stay empty where no two NICs send data through the same switch port; "" where two do.
func (r noting) whyEmpty() string {
	sender := map[topo.PortID]topo.NICID{}
	for i := range r.plan.Pairs {
		q := &r.plan.Pairs[i]
		for _, port := range q.Path[1:] {
			if from, ok := sender[port]; ok && from != q.From {
				return ""
			}
			sender[port] = q.From
		}
	}
	if r.trains() {
		return ". Each ring has its rail to itself: no switch port sends what comes from two NICs, " +
			"except acknowledgements"
	}
	return ". No switch port sends what comes from two NICs, except acknowledgements"
}

// pauseNotes is about PFC.
func (r noting) pauseNotes() []string {
	pfc := r.plan.Scenario.Fabric.QoS.PFC
	switch {
	case r.s.Pauses > 0:
		return nil
	case !r.plan.Switches.Pauses():
		return []string{"no pauses: fabric.qos.pfc.enabled is false"}
	case pfc.Threshold.Set:
		return []string{fmt.Sprintf("no pauses: what a switch held from any one port stayed below xOFF, %s",
			pfc.Threshold.Value.Human())}
	}
	used, size := r.fullestBuffer()
	return []string{fmt.Sprintf("no pauses: what a switch held from any one port stayed below xOFF, %s of its free "+
		"buffer (at most %s of the %s that ports share were in use)",
		alphas(r.s.Thresholds), used.Human(), size.Human())}
}

// alphas prints the alpha of all ports: "1/8", or "1/8 to 1/2" where it grows with their rate.
func alphas(rows []qos.Row) string {
	low, high := rows[0].PFC.Alpha, rows[0].PFC.Alpha
	for i := range rows {
		if a := rows[i].PFC.Alpha; a.Cmp(low) < 0 {
			low = a
		} else if a.Cmp(high) > 0 {
			high = a
		}
	}
	if low == high {
		return low.String()
	}
	return low.String() + " to " + high.String()
}

// fullestBuffer returns the most that the shared buffer of a switch ever held, and its size.
func (r noting) fullestBuffer() (used, size unit.Bytes) {
	n := 0
	for _, node := range r.plan.Graph.Nodes {
		if node.Kind == topo.HostKind {
			continue
		}
		if u, all := r.network.MaxShared(n); n == 0 || u > used {
			used, size = u, all
		}
		n++
	}
	return used, size
}

// bondNotes is about ports of NICs that were down.
func (r noting) bondNotes() []string {
	ports := map[topo.PortID]bool{}
	for _, d := range r.plan.Faults.PortDowns() {
		if d.From <= r.network.Now() && len(r.plan.Graph.NICs[r.plan.Graph.Ports[d.Port].NIC].Ports) > 1 {
			ports[d.Port] = true
		}
	}
	if len(ports) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("NICs found %s down, each %s after its link (cluster.nic.bond.detection): queue pairs went over to "+
		"another port, or back, %s times", countOf(int64(len(ports)), "port"),
		r.plan.Scenario.Cluster.NIC.Bond.Detection.Human(), unit.Count(r.network.Moves()))}
}

// lossNotes is about drops and retransmissions.
func (r noting) lossNotes() []string {
	sc := r.plan.Scenario
	timeout := "which is none"
	if sc.Transport.Timeout.Set {
		timeout = sc.Transport.Timeout.Value.Human()
	}
	var notes []string
	if x := r.s.Reordering; x != nil && x.GaveUp > 0 {
		notes = append(notes, fmt.Sprintf("ConWeave: %s of moved flows did not come within fabric.conweave.resume (%s); what was held "+
			"for them passed out of order", countOf(x.GaveUp, "tail"), sc.Fabric.ConWeave.Resume.Human()))
	}
	if n := r.losses[fabric.LostWithoutRoute]; n > 0 {
		notes = append(notes, fmt.Sprintf("black hole: %s came to switches that had no route", countOf(n, "frame")))
	}
	lost, dogged := r.faulted(), r.losses[fabric.LostByWatchdog]+r.losses[fabric.LostWithoutRoute]
	if x := r.s.Reordering; x != nil && x.Most > 0 {
		notes = append(notes, fmt.Sprintf("receivers held at most %s past a gap (%s)", countOf(int64(x.Most), "packet"), x.At))
		if x.Dropped > 0 {
			notes[len(notes)-1] += fmt.Sprintf(", and dropped %s for want of room (transport.reorder_buffer %d)",
				countOf(x.Dropped, "packet"), sc.Transport.ReorderBuffer)
		}
	}
	if x := r.s.Reordering; x != nil && x.Late > 0 {
		notes = append(notes, fmt.Sprintf("of %s that receivers answered with a NAK, %s of packets that were only late: "+
			"they had been overtaken", countOf(x.Gaps, "gap"), wereOf(x.Late)))
		if r.s.Drops == 0 && lost == 0 {
			return notes
		}
	}
	switch {
	case r.s.Drops == 0 && lost > 0:
		return append(notes, fmt.Sprintf("no drops in switches: what was lost, %s frames, faults took on links",
			unit.Count(lost)))
	case r.s.Drops == 0 && dogged > 0:
		return notes
	case r.s.Drops == 0 && r.s.Retransmits > 0 && !sc.Transport.Timeout.Set:
		return append(notes, "no drops: packets were sent again because a receiver asked for them")
	case r.s.Drops == 0 && r.s.Retransmits > 0:
		return append(notes, fmt.Sprintf("no drops: packets were sent again because they or their acknowledgements "+
			"waited longer than transport.timeout (%s)", timeout))
	case r.s.Drops == 0 && r.s.Pauses > 0:
		return append(notes, "no drops, hence no retransmissions: PFC paused senders, and headroom took what was already "+
			"in flight")
	case r.s.Drops == 0:
		return append(notes, "no drops, hence no retransmissions: every packet found room in the switches' buffers")
	}
	if lost > 0 {
		notes = append(notes, fmt.Sprintf("faults took %s frames on links; drops are those of switches alone",
			unit.Count(lost)))
	}
	if r.plan.Switches.Pauses() {
		notes = append(notes, "packets were dropped though PFC is on: it protects only RoCE data, and that only "+
			"while headroom takes what is in flight after a pause")
	}
	if r.s.Retransmits == 0 {
		notes = append(notes, fmt.Sprintf("no retransmissions: what was dropped carried no data, or the run ended "+
			"within transport.timeout (%s) of it", timeout))
	}
	if r.s.Retransmits > r.s.Drops {
		notes = append(notes, "more packets were sent again than dropped: go-back-N repeats everything after the "+
			"first one lost")
	}
	return notes
}

// wereOf says how many of several were something.
func wereOf(n int64) string {
	if n == 1 {
		return "1 was"
	}
	return unit.Count(n) + " were"
}

// faulted returns how many frames the scenario's faults discarded.
func (r noting) faulted() (n int64) {
	for id := range r.plan.Graph.Ports {
		n += r.network.Stats(r.network.Now(), topo.PortID(id)).Faulted
	}
	return n
}

// slowByRounding are the networks that kernel portable takes three times as long for as fma (`railyard bench train`): their
// products are long sums, each rounded twice. slowFLOP is what portable takes some ten seconds for.
var slowByRounding = []string{"rnn", "lstm", "gru", "gpt"}

const slowFLOP = 20_000_000_000

// trainingNotes is about what a training leaves out, and how to read its split.
func (j *Job) trainingNotes(s *result.JobFigures, diverged bool) []string {
	if j.train == nil {
		return nil
	}
	var notes []string
	if s.Steps > 1 && !diverged && s.Resumed == nil && len(j.restarts) == 0 && float64(*s.FinalLoss) >= j.train.Loss(0) {
		first := j.train.Loss(0)
		notes = append(notes, fmt.Sprintf("the training has not learned: its final loss, %.4g, is no lower than "+
			"that of its first step, %.4g. Most often %s.train.lr (%v) is too large",
			float64(*s.FinalLoss), first, j.plan.Spec.Path(), j.plan.Spec.Train.LR))
	}
	if t := j.plan.Spec.Train; t.Kernel == nn.Portable.Name && slices.Contains(slowByRounding, t.Model) &&
		foresight.StepWork(j.r.plan, j.plan).Hardware*s.Steps >= slowFLOP {
		notes = append(notes, fmt.Sprintf("kernel portable: the same weights on every processor. %s.train.kernel: fma computes "+
			"a %s in about a third of the time, with weights of its own", j.plan.Spec.Path(), t.Model))
	}
	if s.Drift != nil {
		notes = append(notes, fmt.Sprintf("drift: after %s the weights are %.4g of their norm away from those of one rank: stages "+
			"updated after each micro-batch; one rank updates once a step", unit.CountOf(s.Steps, "step"), *s.Drift))
	}
	if j.r.real {
		return append(notes, j.leftOutNotes()...)
	}
	if s.StepSplit != nil && j.ranks() > 1 {
		if mean := s.StepSplit.Mean.Split(); 3*s.StepSplit.Mean.Dependency > mean.Sum() {
			note := "dependency: waiting for a message that another rank could not send yet. "
			switch p := j.plan.Spec.Parallel; {
			case p.PP > 1:
				note += fmt.Sprintf("Of %d stages each waits for the one before it, and on the way back for the one after "+
					"it: with equal stages (p-1)/(m+p-1) of a step, here %d/%d", p.PP, p.PP-1, p.MicroBatches+p.PP-1)
			case p.TP > 1:
				note += fmt.Sprintf("%d ranks share each layer and wait for each other's part of it", p.TP)
			default:
				note += fmt.Sprintf("A ring all-reduce over %d ranks takes %d messages, one after the other", j.ranks(),
					2*(j.ranks()-1))
			}
			notes = append(notes, note)
		}
	}
	return append(notes, j.leftOutNotes()...)
}

// pathNotes is about critical paths that were not found: of all ranks together, or at all.
func (j *Job) pathNotes(s *result.JobFigures) (notes []string) {
	if j.r.real || j.r.plan.ByFormula() { // no path was to be found
		return nil
	}
	if s.Steps > 0 && s.PathsTraced == 0 {
		notes = append(notes, "no critical path: to trace one takes a record of each operation of a step's "+
			"collectives, and this job has too many of them, or none of its traced steps ended")
	}
	if n := s.PathCollectives; n > 0 {
		notes = append(notes, fmt.Sprintf("the critical path is that of the last %s of %d: to trace more takes a record of too many "+
			"operations. Its causes are stretched to the whole step, as if all were like these", unit.CountOf(n, "collective"),
			len(j.plan.Work.Collectives)))
	}
	return notes
}

// leftOutNotes tells of examples that no step takes.
func (j *Job) leftOutNotes() []string {
	out := j.train.LeftOut()
	if out == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s training %s were left out of each epoch: they do not fill a global batch",
		unit.Count(int64(out)), unit.Count(int64(j.data.Train.Len())), j.data.Are)}
}

// realNote says what times are.
const realNote = "the ranks were processes (railyard launch): times were measured on this machine's clock, another run has others. " +
	"Of the file what it says of the cluster and its fabric placed the ranks and chose their collectives; no packet was simulated"

// formulaNote says that the network was not run.
func (r noting) formulaNote() string {
	note := "the network was not run (run.network: formula): no packet was sent, each collective took what NCCL's model says " +
		"of its group alone, and no cause is claimed"
	if n := r.plan.Jobs[0].Folded(); n > 1 {
		note += fmt.Sprintf("; each rank that is told of stands for %d that do the same", n)
	}
	return note
}
