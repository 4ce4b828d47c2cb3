package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/plan"
)

// Standing is where a rank stands when its job is aborted.
type Standing struct {
	Step  int64
	Over  bool      // it has ended its last step
	In    bool      // it is in a collective
	Coll  int32     // then: the one that it began first
	Since unit.Time // then
}

// GaveUp aborts the job because of one of its queue pairs. ranks is where each rank stands, none where the job sends flows.
func (j *Job) GaveUp(at unit.Time, qp int32, err error, ranks []Standing) {
	p := j.r.plan
	q := &p.Pairs[qp]
	ends, port := j.r.endsOf(qp), p.Graph.Ports[q.Path[0]].Name
	a := result.Abort{At: at, Why: result.AbortRetries, QueuePair: q.Name, NIC: p.Graph.NICName(q.From), Port: port,
		GPU: ends.from, Remote: ends.to}
	who := fmt.Sprintf("%s to %s, by %s", ends.from, ends.to, port)
	if l := j.linkOf(qp); l != nil {
		a.Rank, a.Peer, a.Step = new(l.Src), new(l.Dst), new(ranks[l.Src].Step)
		who = fmt.Sprintf("rank %d on %s to rank %d on %s, by %s in %s", l.Src, ends.from, l.Dst, ends.to, port, stepText(*a.Step))
	}
	t := &p.Scenario.Transport
	longest := t.Timeout.Value * unit.Duration(1+2*t.Retries) // timeouts in a row are drawn out to twice their time
	a.Faults = j.r.faultTexts(clue.Suspects(p, at.Add(-min(longest, unit.Duration(at))), at, clue.LinksOf(p, q), nil))
	j.watchAbort(at, ranks, qp, ends.to)
	text := fmt.Sprintf("%v (%s)", err, who)
	if a.Lost = lossOf(j.r, qp); a.Lost != nil {
		text += "; " + a.Lost.String()
	}
	j.abort(a, text, "in flight")
}

// lossOf is where most frames of a queue pair and of its acknowledgements were lost in one way; nil: none was.
func lossOf(r *Recorder, qp int32) *diagnose.Loss {
	var most diagnose.Lost
	at := topo.PortID(-1)
	own := r.pair(qp)
	for _, back := range []bool{false, true} {
		for _, port := range own.lostAt(back) {
			for _, l := range own.hops[hopKey{port, back}] {
				if l.Frames > most.Frames {
					most, at = l, port
				}
			}
		}
	}
	if at < 0 {
		return nil
	}
	p := diagnose.Port{Name: r.plan.Graph.Ports[at].Name}
	r.overTime(at, &p)
	return diagnose.NewLoss(most, &p)
}

// CannotGoOn aborts the job because of one of its ranks.
func (j *Job) CannotGoOn(at unit.Time, rank int32, err error, ranks []Standing) {
	a := result.Abort{At: at, Why: result.AbortRank, Rank: &rank, GPU: j.gpuName(rank), Step: new(ranks[rank].Step)}
	j.abort(a, err.Error(), "")
}

// Hung aborts the job because a rank has been in a collective for too long: of several the one that is in it longest,
// and of these the first.
func (j *Job) Hung(at unit.Time, ranks []Standing) {
	first := -1
	a := result.Abort{At: at, Why: result.AbortWatchdog}
	var absent []int32
	for i := range ranks {
		switch s := &ranks[i]; {
		case s.In:
			if a.Waiting++; first < 0 || s.Since < ranks[first].Since {
				first = i
			}
		case !s.Over:
			absent = append(absent, int32(i))
		}
	}
	s := &ranks[first]
	a.Rank, a.GPU, a.Step, a.Since = new(int32(first)), j.gpuName(int32(first)), new(s.Step), new(s.Since)
	a.Collective = j.plan.Work.Collectives[s.Coll].Name
	text := fmt.Sprintf("watchdog at %s: rank %d on %s had been in collective %s of %s for %s, since %s", unit.Duration(at).Human(),
		first, a.GPU, a.Collective, stepText(s.Step), at.Sub(s.Since).Human(), unit.Duration(s.Since).Human())
	where := "at them"
	switch {
	case len(absent) > 0:
		a.Absent = absent
		text += fmt.Sprintf("; in no collective then: %s", j.rankNames(absent))
		a.Faults = j.faultsAt(absent, nil, s.Since, at)
	case a.Waiting == 1:
		text += "; the one rank that had not ended was in it"
	default:
		text += fmt.Sprintf("; all %s that had not ended were in one", unit.CountOf(a.Waiting, "rank"))
	}
	if len(a.Faults) == 0 {
		where = "at the job's ranks and on the paths of its messages"
		all := make([]int32, len(ranks))
		for i := range all {
			all[i] = int32(i)
		}
		a.Faults = j.faultsAt(all, j.openLinks(), s.Since, at)
	}
	j.watchAbort(at, ranks, -1, "")
	j.abort(a, text, where)
}

// abort notes why.
func (j *Job) abort(a result.Abort, text, where string) {
	if a.Text = text; len(a.Faults) > 0 {
		a.Text += fmt.Sprintf("; %s: %s", where, strings.Join(a.Faults, ", "))
	}
	j.aborts = append(j.aborts, a)
}

// linkOf is the connection of ranks that a queue pair belongs to, nil of a flow.
func (j *Job) linkOf(qp int32) *plan.RankLink {
	i := slices.IndexFunc(j.plan.Links, func(l plan.RankLink) bool { return l.Pair >= 0 && l.Pair <= qp && qp < l.Pair+l.Lanes })
	if i < 0 {
		return nil
	}
	return &j.plan.Links[i]
}

// stepText names a step.
func stepText(step int64) string {
	if step < 0 {
		return "the start phase"
	}
	return fmt.Sprintf("step %d", step)
}

// gpuName names the GPU that a rank runs on.
func (j *Job) gpuName(rank int32) string {
	at := j.plan.Placement.Ranks[rank]
	return fmt.Sprintf("%s/gpu%d", j.r.plan.Graph.Hosts[at.Host].Name, at.GPU)
}

// rankNames lists ranks with their GPUs, a few at most.
func (j *Job) rankNames(ranks []int32) string {
	const most = 4
	var names []string
	for _, r := range ranks[:min(len(ranks), most)] {
		names = append(names, fmt.Sprintf("rank %d on %s", r, j.gpuName(r)))
	}
	if n := len(ranks) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// faultsAt are the faults that happened to the GPUs of ranks, or to links, at some time of those given.
func (j *Job) faultsAt(ranks []int32, links []topo.LinkID, from, until unit.Time) []string {
	var gpus []faults.GPU
	for _, r := range ranks {
		at := j.plan.Placement.Ranks[r]
		gpus = append(gpus, faults.GPU{Host: at.Host, GPU: at.GPU})
	}
	return j.r.faultTexts(clue.Suspects(j.r.plan, from, until, links, gpus))
}

// openLinks are the links of the job's queue pairs that have messages which are not acknowledged.
func (j *Job) openLinks() (all []topo.LinkID) {
	for qp := range j.r.plan.Pairs {
		if q := &j.r.plan.Pairs[qp]; q.Job >= 0 && j.r.jobs[q.Job] == j && j.r.network.Open(int32(qp)) {
			all = append(all, clue.LinksOf(j.r.plan, q)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// faultTexts says what entries of the scenario's faults do.
func (r *Recorder) faultTexts(entries []int) (all []string) {
	for _, i := range entries {
		f := &r.plan.Scenario.Faults[i]
		key, name := f.Thing()
		all = append(all, fmt.Sprintf("faults[%d] (%s of %s %s)", i, strings.Join(f.Kinds(), " and "), key, name))
	}
	return all
}

// aborted is the error of a run some of whose jobs were aborted, nil if none was.
func (r *Recorder) aborted() error {
	var all []string
	for _, j := range r.jobs {
		if n := len(j.aborts); n > 0 && j.gaveUp {
			t := j.aborts[n-1].Text + j.final
			if r.several() {
				t = "job " + j.name() + ": " + t
			}
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New(strings.Join(all, "; "))
}
