package nic

import (
	"fmt"

	"railyard/internal/exec"
	"railyard/internal/unit"
)

// Job drives the ranks of one job: exec.Transport and exec.Clock. They are numbered from 0 and know
// nothing of the ranks of other jobs, with which they share the network.
type Job struct {
	net       *Net
	ranks     []int32 // by rank of the job: index in Net.ranks
	connOf    map[exec.Way]int32
	memory    exec.Memory
	admission Admission
}

var (
	_ exec.Transport = (*Job)(nil)
	_ exec.Clock     = (*Job)(nil)
)

// AddJob returns a job without ranks, whose messages are admitted so.
func (n *Net) AddJob(a Admission) *Job {
	return &Job{net: n, connOf: map[exec.Way]int32{}, admission: a}
}

// AddRank places the next rank of the job on a GPU. The rank itself is set with SetRank, because it
// needs the Job as its driver.
func (j *Job) AddRank(hostIndex, gpu int32) int32 {
	n := j.net
	j.ranks = append(j.ranks, int32(len(n.ranks)))
	n.ranks = append(n.ranks, rankState{host: hostIndex, gpu: gpu, tasks: map[exec.Token]*task{}})
	return int32(len(j.ranks) - 1)
}

// SetRank gives rank id its state machine, which starts at time at.
func (j *Job) SetRank(id int32, r *exec.Rank, at unit.Time) {
	n := j.net
	n.ranks[j.ranks[id]].rank = r
	n.plan(n.ranks[j.ranks[id]].host, entry{at: at, what: workStart, a: j.ranks[id]})
}

// SetMemory gives messages of the job their bytes; without it they carry none.
func (j *Job) SetMemory(m exec.Memory) { j.memory = m }

// Connect joins two ranks on a channel: over NVLink within a host, else over a queue pair that was
// added with Log.
func (j *Job) Connect(w exec.Way, qpID int32) {
	n := j.net
	id := int32(len(n.conns))
	j.connOf[w] = id
	c := conn{Way: w, job: j, src: j.ranks[w.Src], dst: j.ranks[w.Dst], qp: qpID,
		admitted: admitted{free: j.admission.Slots}}
	if qpID >= 0 {
		n.qps[qpID].conn = id
	} else {
		h := &n.hosts[n.ranks[c.src].host]
		c.feeds = []feed{newFeed(&h.out[n.ranks[c.src].gpu]), newFeed(&h.in[n.ranks[c.dst].gpu])}
	}
	n.conns = append(n.conns, c)
}

// Post sends a message between ranks: exec.Transport.
func (j *Job) Post(m exec.Message) {
	n := j.net
	id, ok := j.connOf[m.Way]
	if !ok {
		panic(notConnected(m.Way))
	}
	c := &n.conns[id]
	c.posted.push(m.Arrival())
	if c.qp >= 0 && j.admission.Slots > 0 {
		n.admit(n.now, id, m)
		return
	}
	from, to := j.bytes(&m)
	if c.qp >= 0 {
		r := n.post(n.now, c.qp, m.Wire.Bytes, 0)
		r.from, r.to, r.msg, r.asked = from, to, m, n.now
		return
	}
	n.postNVLink(n.now, id, m.Wire, from, to)
}

func notConnected(w exec.Way) string {
	return fmt.Sprintf("nic: rank %d is not connected to rank %d in group %d on channel %d", w.Src, w.Dst, w.Group, w.Channel)
}

// bytes returns what a message reads and where it goes; nil where messages carry nothing.
func (j *Job) bytes(m *exec.Message) (from, to []byte) {
	if j.memory == nil {
		return nil, nil
	}
	return j.memory.Bytes(m.Src, m.From), j.memory.Bytes(m.Dst, m.To)
}

// Abort ends the run, whose ranks cannot go on: exec.Transport. A queue pair that fails at the same
// instant is named before it.
func (j *Job) Abort(rank int32, err error) {
	n := j.net
	n.fail(n.now, int32(len(n.qps))+j.ranks[rank], "%w", err)
}

// Run lets a rank's operation take its time: exec.Clock.
func (j *Job) Run(rank int32, tok exec.Token, d unit.Duration, body func()) {
	j.net.run(j.ranks[rank], tok, d, body)
}
