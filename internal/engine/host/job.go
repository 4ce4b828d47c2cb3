package host

import (
	"slices"

	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// Job drives the ranks of one job: exec.Transport and exec.Clock. They are numbered from 0 and know
// nothing of the ranks of other jobs, with which they share the network.
type Job struct {
	hosts  *Hosts
	ranks  []int32  // by rank of the job: index in Hosts.ranks
	keys   []uint32 // by rank of the job: its memory
	ways   []waysOf // by rank of the job: those that it sends on
	memory exec.Memory
	closed func(coll int32) Closed // what takes collectives that send no messages; nil: there are none
}

// waysOf is the ways on which a rank sends.
type waysOf struct {
	of  lists.Index[exec.Way]
	ids []int32 // by their number in of: index in Hosts.out
}

func (x *waysOf) add(w exec.Way, id int32) {
	x.of.Add(w)
	x.ids = append(x.ids, id)
}

var (
	_ exec.Transport = (*Job)(nil)
	_ exec.Clock     = (*Job)(nil)
	_ exec.Meeting   = (*Job)(nil)
)

// AddJob returns a job without ranks.
func (h *Hosts) AddJob() *Job { return &Job{hosts: h} }

// AddRank places the next rank of the job on a GPU. The rank itself is set with SetRank, because it
// needs the Job as its driver.
func (j *Job) AddRank(hostIndex, gpu int32) int32 {
	h, id := j.hosts, int32(len(j.ranks))
	j.ranks, j.ways = append(j.ranks, int32(len(h.ranks))), append(j.ways, waysOf{})
	j.keys = append(j.keys, h.regions.Register(&rankMemory{j, id}))
	h.ranks = append(h.ranks, rankState{host: hostIndex, gpu: gpu, tasks: map[exec.Token]*task{}})
	return id
}

// SetRank gives rank id its state machine, which starts at time at.
func (j *Job) SetRank(id int32, r Rank, at unit.Time) {
	h := j.hosts
	h.ranks[j.ranks[id]].rank = r
	h.plan(h.ranks[j.ranks[id]].host, entry{at: at, what: workStart, a: j.ranks[id]})
}

// SetMemory gives messages of the job their bytes; without it they carry none.
func (j *Job) SetMemory(m exec.Memory) { j.memory = m }

// Reserve makes room for so many more connections.
func (j *Job) Reserve(ways int) {
	h := j.hosts
	h.out, h.in, h.inside = slices.Grow(h.out, ways), slices.Grow(h.in, ways), slices.Grow(h.inside, ways)
}

// Connect joins two ranks on a channel: over queue pairs or, without one, over NVLink within a host.
func (j *Job) Connect(w exec.Way, qps ...int32) {
	h := j.hosts
	id := int32(len(h.out))
	j.ways[w.Src].add(w, id)
	o := outgoing{Way: w, job: j, src: j.ranks[w.Src], qps: qps, outlet: -1}
	in := incoming{dst: j.ranks[w.Dst], inlet: -1}
	for k, qp := range qps {
		for int(qp) >= len(h.wayOf) {
			h.wayOf = append(h.wayOf, lane{way: -1})
		}
		h.wayOf[qp] = lane{id, int32(k)}
	}
	if len(qps) > 1 {
		o.answers, in.came = &lanes{}, &lanes{}
	}
	var c *inside
	if len(qps) == 0 {
		src, dst := &h.ranks[o.src], &h.ranks[in.dst]
		at := &h.hosts[src.host]
		c = h.newInside()
		*c = inside{job: j, Way: w, src: o.src, dst: in.dst, host: src.host, inlet: -1, outlet: -1}
		if way := h.cfg.Graph.peer(src.gpu, dst.gpu); way != nil {
			c.peer = h.newPeer(src.host, way)
		} else {
			c.feeds = [2]feed{newFeed(&at.out[src.gpu]), newFeed(&at.in[dst.gpu])}
		}
	}
	h.out, h.in, h.inside = append(h.out, o), append(h.in, in), append(h.inside, c)
}

// Open returns the number of a way, by which the ranks at its ends name it: exec.Transport.
func (j *Job) Open(w exec.Way) int32 {
	from := &j.ways[w.Src]
	i, ok := from.of.Find(w)
	if !ok {
		panic(notConnected(w))
	}
	return from.ids[i]
}

// now is the time of the work that a rank of the job is doing.
func (j *Job) now(rank int32) unit.Time {
	h := j.hosts
	return h.hosts[h.ranks[j.ranks[rank]].host].now
}

// Post sends a message between ranks: exec.Transport.
func (j *Job) Post(m *exec.Message) {
	h, id := j.hosts, m.Via
	var from []byte
	if j.memory != nil {
		from = j.memory.Bytes(m.Src, m.From)
	}
	if c := h.inside[id]; c != nil {
		h.postNVLink(h.hosts[c.host].now, id, m, from)
		return
	}
	o, at := &h.out[id], &h.hosts[h.ranks[j.ranks[m.Src]].host]
	n, out := len(o.qps), &at.post
	*out = Message{QP: o.qps[o.turn], Bytes: m.Wire.Bytes, From: from, Key: j.keys[m.Dst],
		Address: verbs.Address(m.To.Buffer, m.To.Off), Header: headerOf(m), Of: *m, OfRanks: true}
	if n > 1 && h.cfg.Split {
		h.postParts(at.now, o.qps, out)
		return
	}
	if o.turn++; o.turn == n {
		o.turn = 0
	}
	h.net.Post(at.now, out)
}

// headerOf is what the receiver of a rank's message is told of it.
func headerOf(m *exec.Message) verbs.Header {
	return verbs.Header{Bytes: m.Bytes, Step: m.Step, Coll: m.Coll, Late: m.Wire.Between}
}

// arrivalOf is what a rank is told of a message with such a header.
func arrivalOf(h *verbs.Header) exec.Arrival {
	return exec.Arrival{Bytes: h.Bytes, Step: h.Step, Coll: h.Coll}
}

// partAlign is what the parts of a message that is split over queue pairs are multiples of, but for
// the last: as NCCL's transport over verbs cuts them (ncclIbMultiSend).
const partAlign = 128

// postParts posts a message in equal parts, one over each queue pair. Where there is nothing left to
// carry a part is empty.
func (h *Hosts) postParts(now unit.Time, qps []int32, m *Message) {
	whole, n := *m, unit.Bytes(len(qps))
	size := ((m.Bytes+n-1)/n + partAlign - 1) / partAlign * partAlign
	for k, qp := range qps {
		off := min(unit.Bytes(k)*size, whole.Bytes)
		m.QP, m.Bytes = qp, min(size, whole.Bytes-off)
		if whole.From != nil {
			lo, hi := verbs.Carries(len(whole.From), int64(off), m.Bytes, whole.Bytes)
			m.From, m.Address = whole.From[lo:hi], whole.Address+uint64(lo)
		}
		h.net.Post(now, m)
	}
}

// Credit tells the sender of a way that a slot is free: exec.Transport.
func (j *Job) Credit(via, coll int32) {
	h := j.hosts
	if c := h.inside[via]; c != nil {
		h.creditNVLink(h.hosts[c.host].now, via, coll)
		return
	}
	o := &h.out[via]
	h.net.Credit(j.now(o.Dst), o.qps[0], coll)
}

// meeting is the ranks of a collective that have come to it.
type meeting struct {
	waits []comer     // for the others; of a send the receiver
	sent  []unit.Time // of a send: when what is sent and not yet received is there
}

// comer is a rank, and what it waits by.
type comer struct {
	rank int32
	tok  exec.Token
}

// meetingOf names a collective of a job.
type meetingOf struct {
	job  *Job
	coll int32
}

// Closed says of a collective of the job that sends no messages how many ranks come to it, how long it takes then, and
// the rank that sends, -1: none does.
type Closed struct {
	Ranks  int
	Takes  unit.Duration
	Sender int32
	Host   int32 // that its ranks are on, or the first of them: then all hosts are of one island
}

// SetClosed says what collectives take that send no messages.
func (j *Job) SetClosed(of func(coll int32) Closed) { j.closed = of }

// Meet has a rank come to a collective that sends no messages: exec.Meeting.
func (j *Job) Meet(rank int32, tok exec.Token, coll int32) {
	h, c, now := j.hosts, j.closed(coll), j.now(rank)
	at := &h.hosts[c.Host]
	if at.meetings == nil {
		at.meetings = map[meetingOf]*meeting{}
	}
	m := at.meetings[meetingOf{j, coll}]
	if m == nil {
		m = &meeting{}
		at.meetings[meetingOf{j, coll}] = m
	}
	end := now.Add(c.Takes)
	switch {
	case c.Sender == rank:
		j.endsAt(end, comer{rank, tok})
		if len(m.waits) > 0 {
			j.endsAt(end, m.waits[0])
			m.waits = m.waits[1:]
		} else {
			m.sent = append(m.sent, end)
		}
	case c.Sender >= 0 && len(m.sent) > 0:
		j.endsAt(max(now, m.sent[0]), comer{rank, tok})
		m.sent = m.sent[1:]
	default:
		m.waits = append(m.waits, comer{rank, tok})
		if c.Sender >= 0 || len(m.waits) < c.Ranks {
			return
		}
		for _, w := range m.waits {
			j.endsAt(end, w)
		}
		m.waits = m.waits[:0]
	}
}

// endsAt tells a rank of the job that something has ended.
func (j *Job) endsAt(at unit.Time, who comer) {
	h, id := j.hosts, j.ranks[who.rank]
	h.plan(h.ranks[id].host, entry{at: at, what: workDone, a: id, b: int64(who.tok)})
}

// Abort says that a rank cannot go on: exec.Transport.
func (j *Job) Abort(rank int32, err error) {
	h := j.hosts
	at := &h.hosts[h.ranks[j.ranks[rank]].host]
	h.fail(at.island, Failure{At: at.now, Err: err, QP: -1, Job: j, Rank: rank})
}

// Run lets a rank's operation take its time: exec.Clock.
func (j *Job) Run(rank int32, tok exec.Token, d unit.Duration, w exec.Work) {
	j.hosts.run(j.ranks[rank], tok, d, w)
}
