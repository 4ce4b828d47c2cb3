package cc

import (
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
)

// bottleneck is the smallest network that congestion control can be seen in: n
// senders on ports of the same rate, one FIFO queue, one round trip of delay.
//
//	sender 0 --\
//	sender 1 ---> [ queue | mark, stamp ] --> receiver -- ACK, base RTT later --> sender
//	sender n --/
//
// Time goes in steps of one packet time: the queue serves one packet per step,
// each sender adds at most one, as its rate and window allow.
type bottleneck struct {
	rate    unit.Bitrate
	packet  unit.Bytes
	delay   int64 // base RTT in steps
	mark    func(q unit.Bytes) float64
	cnp     unit.Duration // notification point: a CNP per flow and interval; 0: marks ride on ACKs
	seed    splitmix.Stream
	flows   []*sender
	queue   []queued
	now     unit.Time
	step    int64
	returns [][]queued // ACKs by step modulo the delay
	tx      unit.Bytes

	// Since the last call of measure.
	served, steps int64
	queueSum      float64
	queueMax      unit.Bytes
	rttSum        float64
	marked        int64
}

type sender struct {
	Controller
	next          unit.Time // pacing
	sent, acked   int64
	delivered     int64
	lastCNP       unit.Time
	notified, off bool
}

type queued struct {
	flow   int
	sentAt unit.Time
	seq    int64
	marked bool
	hop    Hop
}

func newBottleneck(p Params, n int, rate unit.Bitrate, packet unit.Bytes, delay int64) *bottleneck {
	b := &bottleneck{rate: rate, packet: packet, delay: delay, returns: make([][]queued, delay+1),
		mark: func(unit.Bytes) float64 { return 0 }}
	set := NewSet(p, n)
	for i := range n {
		set.Init(i, rate, b.baseRTT())
		b.flows = append(b.flows, &sender{Controller: set.At(i)})
	}
	return b
}

func (b *bottleneck) packetTime() unit.Duration { return b.rate.TransmitTime(b.packet) }
func (b *bottleneck) baseRTT() unit.Duration    { return unit.Duration(b.delay+1) * b.packetTime() }

// random is uniform in [0, 1).
func (b *bottleneck) random() float64 {
	return float64(b.seed.Next()>>11) / (1 << 53)
}

func (b *bottleneck) run(d unit.Duration) {
	for end := b.now.Add(d); b.now < end; b.step++ {
		b.send()
		b.serve()
		b.now = b.now.Add(b.packetTime())
		b.acknowledge()
	}
}

func (b *bottleneck) send() {
	n := len(b.flows)
	for k := range n { // no sender always first
		i := (k + int(b.step)) % n
		f := b.flows[i]
		inflight, window := f.sent-f.acked, int64(f.Window(b.now))
		if f.off || f.next > b.now || window > 0 && inflight > 0 && inflight+int64(b.packet) > window {
			continue
		}
		f.sent += int64(b.packet)
		f.next = max(f.next, b.now.Add(-b.packetTime())).Add(f.Rate(b.now).TransmitTime(b.packet))
		f.OnSent(b.now, b.packet)
		b.queue = append(b.queue, queued{flow: i, sentAt: b.now, seq: f.sent})
	}
}

func (b *bottleneck) serve() {
	length := unit.Bytes(len(b.queue)) * b.packet
	b.steps++
	b.queueSum += float64(length)
	b.queueMax = max(b.queueMax, length)
	if length == 0 {
		return
	}
	q := b.queue[0]
	b.queue = b.queue[1:]
	b.served++
	b.tx += b.packet
	length -= b.packet
	if q.marked = b.random() < b.mark(length); q.marked {
		b.marked++
	}
	q.hop = Hop{Queue: length, TxBytes: b.tx, Time: b.now, Rate: b.rate}
	slot := (b.step + b.delay) % int64(len(b.returns))
	b.returns[slot] = append(b.returns[slot], q)
}

func (b *bottleneck) acknowledge() {
	slot := b.step % int64(len(b.returns))
	for _, q := range b.returns[slot] {
		f := b.flows[q.flow]
		f.acked = q.seq
		f.delivered += int64(b.packet)
		rtt := b.now.Sub(q.sentAt)
		b.rttSum += float64(rtt)
		if b.cnp > 0 && q.marked && (!f.notified || b.now.Sub(f.lastCNP) >= b.cnp) {
			f.notified, f.lastCNP = true, b.now
			f.OnCNP(b.now, 0)
		}
		f.OnAck(&Ack{Now: b.now, Bytes: b.packet, RTT: rtt, Seq: q.seq, NextSeq: f.sent,
			Marked: q.marked && b.cnp == 0, Hops: []Hop{q.hop}})
	}
	b.returns[slot] = b.returns[slot][:0]
}

// A measurement is the mean over the time since the last one.
type measurement struct {
	utilisation float64
	queue       unit.Bytes // mean
	queueMax    unit.Bytes
	rtt         unit.Duration // mean
	jain        float64       // fairness of the bytes delivered
	marked      float64       // part of packets
}

func (b *bottleneck) measure() measurement {
	var sum, squares float64
	for _, f := range b.flows {
		x := float64(f.delivered)
		sum, squares = sum+x, squares+x*x
		f.delivered = 0
	}
	n := float64(b.served)
	m := measurement{
		utilisation: n / float64(b.steps), queue: unit.Bytes(b.queueSum / float64(b.steps)), queueMax: b.queueMax,
		rtt: unit.Duration(b.rttSum / n), jain: sum * sum / squares / float64(len(b.flows)),
		marked: float64(b.marked) / n,
	}
	b.served, b.steps, b.queueSum, b.queueMax, b.rttSum, b.marked = 0, 0, 0, 0, 0, 0
	return m
}
