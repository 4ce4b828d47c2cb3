package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/plan"
)

// evidence gathers what package diagnose judges a job by.
type evidence struct {
	spans  map[spanKey]unit.Duration
	count  int64              // of messages or steps that spans sum over
	connOf map[exec.Way]int32 // first queue pair of a connection of the job's ranks
}

type spanKey struct {
	why              cause.Cause
	port, pair, rank int32
	launch, stood    bool
}

// pairEvidence is what is known of one queue pair beside what package nic counts.
type pairEvidence struct {
	held    cause.Split
	lost    []result.LossRow // of messages that have not ended
	lostSeq []uint32         // packet sequence numbers, by lost
	hops    map[hopKey][]diagnose.Lost
	expired int64 // timeouts
}

type hopKey struct {
	port topo.PortID
	back bool
}

// lostAt lists the ports where frames of one direction were lost, in order.
func (p *pairEvidence) lostAt(back bool) (ports []topo.PortID) {
	for k := range p.hops {
		if k.back == back {
			ports = append(ports, k.port)
		}
	}
	slices.Sort(ports)
	return ports
}

func newEvidence(p *plan.Job) *evidence {
	e := &evidence{spans: map[spanKey]unit.Duration{}}
	e.connect(p)
	return e
}

// connect notes the queue pairs of the job's ranks.
func (e *evidence) connect(p *plan.Job) {
	e.connOf = map[exec.Way]int32{}
	for _, l := range p.Links {
		if l.Pair >= 0 {
			e.connOf[l.Way] = l.Pair
		}
	}
}

// pair returns the evidence of a queue pair, for more to be added.
func (r *Recorder) pair(id int32) *pairEvidence {
	if r.known[id] == nil {
		r.known[id] = &pairEvidence{}
	}
	return r.known[id]
}

// places is how many ports, and links inside hosts behind them, spans name.
func (e *evidence) places() int {
	most := int32(-1)
	for k := range e.spans {
		most = max(most, k.port)
	}
	return int(most) + 1
}

func (e *evidence) add(k spanKey, d unit.Duration) {
	if d != 0 {
		e.spans[k] += d
	}
}

// path takes the critical path of a step. launch is how long a part's operation takes to start, copied how long a reduction or copy
// of its collective takes at most: what one takes beyond that the rank stood still, or was slow.
func (e *evidence) path(p *exec.PathRecord, launch, copied func(*exec.PathPart) unit.Duration) {
	e.count++
	for i := range p.Parts {
		q := &p.Parts[i]
		k := spanKey{why: q.Cause, port: q.At, pair: -1, rank: -1}
		d := q.Until.Sub(q.From)
		switch q.Kind {
		case exec.PathCompute, exec.PathLocal:
			k.rank = q.Rank
			switch {
			case q.Op < 0:
			case q.Kind == exec.PathCompute:
				l := k
				l.launch = true
				start := min(d, launch(q))
				e.add(l, start)
				d -= start
			case q.Cause == cause.Compute:
				d -= e.stood(k, d-copied(q))
			}
		case exec.PathLaunch:
			k.rank = q.Rank
			if over := e.stood(k, d-launch(q)); over > 0 {
				k.rank, d = -1, d-over
			}
			k.launch = true
		case exec.PathMessage, exec.PathAck, exec.PathCredit:
			if pair, ok := e.connOf[exec.Way{Src: q.Src, Dst: q.Dst, Group: q.Group, Channel: q.Channel}]; ok {
				k.pair = pair + q.Lane
			}
		}
		e.add(k, d)
	}
}

// stands makes spans that are of so long be of the whole.
func (e *evidence) stands(whole, seen unit.Duration) {
	keys := e.keys()
	times := make([]unit.Duration, len(keys))
	for i, k := range keys {
		times[i] = e.spans[k]
	}
	extend(times, whole, seen)
	for i, k := range keys {
		e.spans[k] = times[i]
	}
}

// keys are those of the spans, in order.
func (e *evidence) keys() []spanKey {
	return slices.SortedFunc(maps.Keys(e.spans), func(a, b spanKey) int {
		return cmp.Or(cmp.Compare(a.why, b.why), cmp.Compare(a.port, b.port), cmp.Compare(a.pair, b.pair),
			cmp.Compare(a.rank, b.rank), compareBool(a.launch, b.launch), compareBool(a.stood, b.stood))
	})
}

// stood adds what something took longer than it does, if it did, and returns that.
func (e *evidence) stood(k spanKey, over unit.Duration) unit.Duration {
	k.stood = true
	e.add(k, max(0, over))
	return max(0, over)
}

// message takes a completed message of a job whose time is made of messages.
func (e *evidence) message(f *nic.Flow) {
	e.count++
	rest := f.Split
	at := func(why cause.Cause, port topo.PortID, d unit.Duration) {
		if port < 0 {
			return
		}
		e.add(spanKey{why: why, port: int32(port), pair: f.QP, rank: -1}, d)
		rest[why] -= d
	}
	for _, h := range f.Hops {
		at(cause.OwnQueueing, h.Port, h.Own)
		at(cause.Queueing, h.Port, h.Queueing)
		at(cause.Pause, h.Root, h.Pause)
		at(cause.Serialisation, h.Port, h.Wire)
		at(cause.Propagation, h.Port, h.Cable)
	}
	crossing := min(f.Inside.Crossing, rest[cause.PCIe])
	at(cause.PCIe, topo.PortID(f.Inside.To), crossing)
	at(cause.PCIe, topo.PortID(f.Inside.From), f.Split[cause.PCIe]-crossing)
	for why, d := range rest {
		e.add(spanKey{why: cause.Cause(why), port: -1, pair: f.QP, rank: -1}, d)
	}
}

// diagnosis judges the job, whose figures are s; nil where nothing completed.
func (j *Job) diagnosis(s *result.JobFigures) *diagnose.Diagnosis {
	e, r, ranks := j.evidence, j.r, j.ranks()
	subject := "a message of the job, mean over " + countOf(e.count, "message")
	switch {
	case e.count == 0 && s.Steps > 0: // no path was traced: places are not known
		for why, d := range j.slowest {
			e.add(spanKey{why: cause.Cause(why), port: -1, pair: -1, rank: -1}, d)
		}
		e.count = s.Steps
		subject = "a step as its slowest rank saw it, mean over " + countOf(e.count, "step")
		if e.count == 1 {
			subject = "the one step as its slowest rank saw it"
		}
	case e.count == 0:
		return nil
	case ranks > 0 && s.PathCollectives > 0:
		subject = "the one step, as " + result.LastCollectives(s.PathCollectives) + " along the critical path"
	case ranks > 0 && s.Steps == 1:
		subject = "the one step along its critical path"
	case ranks > 0 && e.count == 1:
		subject = "the first of " + countOf(s.Steps, "step") + " along its critical path"
	case ranks > 0 && e.count < s.Steps:
		subject = fmt.Sprintf("a step along its critical path, mean over %s of %s", unit.Count(e.count),
			countOf(s.Steps, "step"))
	case ranks > 0:
		subject = "a step along its critical path, mean over " + countOf(e.count, "step")
	}
	in := &diagnose.Evidence{
		Subject: subject,
		Count:   e.count,
		Pairs:   map[int32]*diagnose.Pair{},
		Name:    j.pairName,
		Job:     j.otherJob,
		Line:    r.usualLine(),
	}
	in.SameRank = func(a, b int32) bool { return r.plan.Pairs[a].SameRank(&r.plan.Pairs[b]) }
	r.ways = r.ways.new(r)
	in.Choice, in.Crossing = r.ways.choice, r.ways.crossing
	in.Delivered, in.Timeout = r.network.Delivered, r.plan.Scenario.Transport.Timeout.Or(0)
	in.Foreign = func(pair int32) bool { return r.jobOf(&r.plan.Pairs[pair]) != j }
	in.Detour = func(pair int32) bool { return r.plan.Pairs[pair].CrossRail(r.plan.Graph) }
	for _, port := range r.waits.ports {
		in.Circle = append(in.Circle, int32(port))
	}
	in.RankWork = j.work()
	computed := j.computed
	if in.RankWork != nil { // which is that of operations alone
		computed = j.operated
	}
	for rank := range computed {
		in.RankCompute = append(in.RankCompute, computed[rank]/unit.Duration(max(1, j.rankSteps[rank])))
	}
	for _, k := range e.keys() {
		in.Spans = append(in.Spans, diagnose.Span{
			Cause:  k.why,
			Port:   k.port,
			Pair:   k.pair,
			Rank:   k.rank,
			Launch: k.launch,
			Stood:  k.stood,
			Time:   e.spans[k],
		})
		if k.pair >= 0 && in.Pairs[k.pair] == nil {
			in.Pairs[k.pair] = r.pairEvidence(k.pair)
		}
	}
	counted := make([]bool, len(r.plan.Graph.Ports))
	for id := range counted {
		in.Ports = append(in.Ports, r.portEvidence(topo.PortID(id)))
		counted[id] = len(in.Ports[id].Fill) > 0
	}
	if places := e.places(); places > len(in.Ports) {
		for id := len(in.Ports); id < places; id++ {
			in.Ports = append(in.Ports, diagnose.Port{Name: clue.PlaceName(r.plan, int32(id)), Rate: clue.PlaceRate(r.plan, int32(id))})
		}
	}
	slowHosts(r.plan, in)
	for id := range r.plan.Pairs { // queue pairs wait in turn at their NIC's port
		if port := r.plan.Pairs[id].Path[0]; !counted[port] {
			share := diagnose.Share{Pair: int32(id), Bytes: r.network.Delivered(int32(id))}
			in.Ports[port].Fill = append(in.Ports[port].Fill, share)
		}
	}
	d := diagnose.Of(in)
	j.nameFaults(d)
	choices{j, d, s}.find()
	return d
}

// slowHosts gives queue pairs places for PCIe at their ends that carries less than that of other hosts.
func slowHosts(p *plan.Plan, in *diagnose.Evidence) {
	at := map[int32]int32{}
	for host := range p.Graph.Hosts {
		if rate := clue.SlowPCIe(p, int32(host)); rate > 0 {
			at[int32(host)] = int32(len(in.Ports))
			in.Ports = append(in.Ports, diagnose.Port{Name: p.Graph.Hosts[host].Name + diagnose.PCIeOfHost, Rate: rate, Degraded: true})
		}
	}
	if len(at) == 0 {
		return
	}
	for id, pair := range in.Pairs {
		q := &p.Pairs[id]
		for _, nic := range []topo.NICID{q.From, q.To} {
			if place, slow := at[p.Graph.NICs[nic].Host]; slow {
				pair.Slow = append(pair.Slow, place)
			}
		}
	}
}

// pairName names a queue pair as the job sees it: one of its own, or of background, by its name; of
// another job's it matters whose it is.
func (j *Job) pairName(pair int32) string {
	q := &j.r.plan.Pairs[pair]
	if other := j.otherJob(pair); other != "" {
		return diagnose.JobPrefix + other
	}
	return q.Name
}

// otherJob is the name of the job whose queue pair it is, "" of the job itself and of background.
func (j *Job) otherJob(pair int32) string {
	if other := j.r.jobOf(&j.r.plan.Pairs[pair]); other != nil && other != j {
		return other.name()
	}
	return ""
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func countOf(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return unit.Count(n) + " " + thing + "s"
}

// slowed is the rate that a port had in the mean of what it sent, where a fault took some of it; 0: none did, or it sent nothing.
func (r *Recorder) slowed(id topo.PortID) unit.Bitrate {
	if !clue.Degraded(r.plan, id) {
		return 0
	}
	s := r.network.Stats(r.network.Now(), id)
	if s.Busy == 0 {
		return 0
	}
	return unit.Bitrate(8 * float64(s.Bytes) * float64(unit.Second) / float64(s.Busy))
}

func (r *Recorder) portEvidence(id topo.PortID) diagnose.Port {
	p := diagnose.Port{
		Name:  r.plan.Graph.Ports[id].Name,
		Rate:  r.plan.Graph.Ports[id].Rate,
		Delay: r.plan.Graph.Ports[id].Delay,
	}
	for _, s := range r.network.Fill(id) {
		p.Fill = append(p.Fill, diagnose.Share{Pair: s.Flow, Bytes: s.Bytes})
	}
	if rate := r.slowed(id); rate > 0 {
		p.Rate = rate
	}
	r.overTime(id, &p)
	if slices.Contains(r.waits.ports, id) {
		p.Circle = 1 + int32(slices.Min(r.waits.ports))
	}
	for _, root := range r.network.PausedFor(r.network.Now(), id) {
		p.Storm = p.Storm || root.Root == id
		p.Roots = append(p.Roots, diagnose.Root{Port: int32(root.Root), Time: root.Time})
		p.Paused += root.Time
		p.Receiver = p.Storm && r.plan.ReceiveBuffer() != nil && !clue.Storms(r.plan, id)
	}
	return p
}

func (r *Recorder) pairEvidence(id int32) *diagnose.Pair {
	q, own := &r.plan.Pairs[id], r.pair(id)
	p := &diagnose.Pair{
		Line:      r.plan.Graph.Ports[q.Path[0]].Rate,
		Held:      own.held,
		RoundTrip: r.plan.BaseRTT(q),
		Window:    r.plan.WindowTime(q),
	}
	tally := r.network.Tally(id)
	p.Late, p.Gaps, p.NoRoom = tally.Early, tally.Gaps, tally.Full > 0
	p.Timer = unit.Duration(own.expired) * r.plan.Scenario.Transport.Timeout.Or(0) // since the last answer, at least
	for _, back := range []bool{false, true} {
		met := r.network.Evidence(id, back)
		for _, port := range own.lostAt(back) { // where no traced frame has been
			if !slices.ContainsFunc(met, func(e nic.PortEvidence) bool { return e.Port == port }) {
				met = append(met, nic.PortEvidence{Port: port})
			}
		}
		for i := range met {
			e := &met[i]
			h := diagnose.Hop{
				Port:   int32(e.Port),
				Marked: e.Marked,
				Frames: e.Frames,
				Own:    e.Own,
				Others: e.Others,
				Pause:  e.Pause,
				Root:   -1,
				Span:   e.Span,
				Held:   e.Held,
				Served: e.Served,
				Mine:   e.Mine,
			}
			h.Lost = own.hops[hopKey{e.Port, back}]
			most := unit.Duration(0)
			for _, root := range e.Roots {
				if root.Time > most {
					h.Root, most = int32(root.Root), root.Time
				}
			}
			if back {
				p.Back = append(p.Back, h)
			} else {
				p.Path = append(p.Path, h)
			}
		}
	}
	return p
}

// shownShares is the most rows that the table of shares has for a port.
const shownShares = 32

// finishShares writes whose bytes waited where.
func (r *Recorder) finishShares() {
	if !r.plan.Scenario.Output.Flows {
		return
	}
	table := r.dir.Shares()
	for id, p := range r.plan.Graph.Ports {
		fill := r.network.Fill(topo.PortID(id))
		whole := int64(0)
		for _, s := range fill {
			whole += s.Bytes
		}
		for _, s := range fill[:min(len(fill), shownShares)] {
			q := &r.plan.Pairs[s.Flow]
			job := ""
			if j := r.jobOf(q); j != nil {
				job = j.name()
			}
			table.Add(result.ShareRow{
				Port:  p.Name,
				Job:   job,
				Name:  q.Name,
				Kind:  q.Kind,
				Share: float64(s.Bytes) / float64(whole),
			})
		}
	}
}

// pausedBy names the port from whose queue most of a port's pauses spread, "" if it was never
// paused.
func (r *Recorder) pausedBy(id topo.PortID) string {
	name, most := "", unit.Duration(0)
	for _, root := range r.network.PausedFor(r.network.Now(), id) {
		if root.Time > most && root.Root >= 0 {
			name, most = r.plan.Graph.Ports[root.Root].Name, root.Time
		}
	}
	return name
}
