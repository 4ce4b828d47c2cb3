package foresight

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/transport"
)

// jobTime estimates how long the jobs take in virtual time, until the last has ended: a training
// takes its start phase and the sum of its steps; flows take until the last message has crossed the most loaded port of
// its path, and the most loaded link inside hosts. Background flows end with the jobs, so their number depends on it. steps is by job.
func jobTime(p *plan.Plan, steps []int64) unit.Duration {
	longest := unit.Duration(0)
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.Work != nil {
			start, step := phaseTimes(p, j)
			longest = max(longest, unit.Duration(add(int64(j.Spec.Start)+int64(start), mul(steps[i], int64(step)))))
		}
	}
	load, inside := portLoad(p), insideLoad(p)
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Kind == result.KindJob && q.Sends() {
			f := q.Flow
			span := unit.Duration(mul(int64(f.Count-1), int64(f.Every)))
			longest = max(longest, unit.Duration(q.Start)+max(span, loadTime(p, load, q), insideTime(p, inside, q))+p.BaseRTT(q))
		}
	}
	return longest
}

// phaseTimes estimates how long the start phase takes, and each step. Of replicas, which are alike,
// the first stands for all.
func phaseTimes(p *plan.Plan, j *plan.Job) (start, step unit.Duration) {
	a := assumed(p, j, collectiveTimes(p, j))
	a.Only = func(r int32) bool { return r == 0 }
	if t := j.Work.Training; t != nil {
		a.Only = func(r int32) bool { return t.Layout.Coord(int(r)).Data == 0 }
	}
	step = longest(j.Work.Forecast(a))
	a.Step = workload.StartStep
	return longest(j.Work.Forecast(a)), step
}

// longest is when the last operation ends.
func longest(ranks [][]workload.Times) (last unit.Duration) {
	for _, spans := range ranks {
		for _, s := range spans {
			last = max(last, s.End)
		}
	}
	return last
}

// collectiveTimes estimates how long each collective takes. In a channel each message waits for the
// one before it, so its time is the sum over all links, divided by the number of ranks that send.
func collectiveTimes(p *plan.Plan, j *plan.Job) []unit.Duration {
	times, busy := make([]unit.Duration, len(j.Work.Collectives)), backgroundShare(p)
	width := channels(j)
	channels := make([]int64, len(times)*width) // the sum over links
	eachTraffic(j, func(k int, l *plan.RankLink, t traffic) {
		if t.messages > 0 {
			sum := &channels[k*width+int(l.Channel)]
			*sum = add(*sum, mul(t.messages, int64(messageTime(p, j, l, unit.Bytes(ceil(t.bytes, t.messages)), busy))))
		}
	})
	for k := range times {
		if c := &j.Work.Collectives[k]; c.Formula {
			times[k] = c.Takes
		}
	}
	for i, sum := range channels {
		k := i / width
		g := &j.Work.Groups[j.Work.Collectives[k].Group]
		senders := len(g.Ranks)
		if g.Kind == workload.GroupKindPipeline {
			senders = 1
		}
		times[k] = max(times[k], unit.Duration(sum/int64(senders)))
	}
	return times
}

// channels is the most channels that a collective has, 0 without one.
func channels(j *plan.Job) (most int) {
	for i := range j.Work.Collectives {
		most = max(most, j.Work.Collectives[i].Schedule.Channels())
	}
	return most
}

// mostBusy is the largest share of a port that background counts with: above it, congestion control
// slows the background down.
const mostBusy = 0.9

// backgroundShare is the share of each port's time that background flows take.
func backgroundShare(p *plan.Plan) []float64 {
	busy := make([]float64, len(p.Graph.Ports))
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if q.Kind != result.KindBackground || !q.Sends() || q.Flow.Count < 2 {
			continue
		}
		eachPort(p, q, int64(q.Flow.Bytes), func(port topo.PortID, part int64) {
			sent := p.Graph.Ports[port].Rate.TransmitTime(unit.Bytes(part))
			busy[port] = min(mostBusy, busy[port]+float64(sent)/float64(q.Flow.Every))
		})
	}
	return busy
}

// messageTime estimates how long a message between two ranks and its reduction take: the time in an
// empty network, divided by the share that background leaves of the busiest port.
func messageTime(p *plan.Plan, j *plan.Job, l *plan.RankLink, size unit.Bytes, busy []float64) unit.Duration {
	host := p.Scenario.Cluster.Host
	reduce := j.Work.Programs[0].Device.ReduceTime(int64(size))
	if l.Pair < 0 {
		if at := j.Placement.Ranks; !p.PCIe.NVLink(at[l.Src].GPU, at[l.Dst].GPU) {
			return host.PCIeLatency + transmit(p.NCCLHost().Peers, size) + reduce
		}
		return host.NVLinkLatency + transmit(host.NVLinkRate(), size) + reduce
	}
	q, frames, mtu := &p.Pairs[l.Pair], transport.Frames(p.Scenario), p.Scenario.Transport.MTU
	first := frames.MaxDataFrame(min(size, mtu))
	rest := unit.Duration(0)
	for _, port := range q.Path {
		all := unit.Bytes(packets(p, int64(size))-1) * p.OnLink(port, frames.MaxDataFrame(mtu))
		rest = max(rest, p.Graph.Ports[port].Rate.TransmitTime(all))
	}
	rest = max(rest, transmit(insideRate(p, q), max(0, size-mtu)))
	share := 0.0
	eachPort(p, q, 1, func(port topo.PortID, _ int64) { share = max(share, busy[port]) })
	alone := 2*host.PCIeLatency + p.Scenario.Cluster.NIC.Latency + p.OneWay(q.Path, first) + rest
	return unit.Duration(float64(alone)/(1-share)) + reduce
}

func transmit(r unit.Bitrate, size unit.Bytes) unit.Duration {
	if r == 0 {
		return 0
	}
	return r.TransmitTime(size)
}

// portLoad is the bytes that explicit flows bring to each port, headers included.
func portLoad(p *plan.Plan) []int64 {
	load := make([]int64, len(p.Graph.Ports))
	frame := int64(transport.Frames(p.Scenario).OnLink(transport.Frames(p.Scenario).MaxDataFrame(0)))
	for i := range p.Pairs {
		if !p.Pairs[i].Sends() {
			continue
		}
		f := p.Pairs[i].Flow
		each := add(int64(f.Bytes), mul(packets(p, int64(f.Bytes)), frame))
		eachPort(p, &p.Pairs[i], mul(int64(f.Count), each), func(port topo.PortID, part int64) {
			load[port] = add(load[port], part)
		})
		if transport.Tunnel(p.Scenario) != 0 {
			eachPort(p, &p.Pairs[i], mul(int64(f.Count), packets(p, int64(f.Bytes))), func(port topo.PortID, packets int64) {
				if extra := int64(p.TunnelOn(port)); extra < 0 {
					load[port] = max(0, load[port]-mul(packets, -extra))
				} else {
					load[port] = add(load[port], mul(packets, extra))
				}
			})
		}
	}
	return load
}

// loadTime is how long the most loaded port of a queue pair's path takes to send its load.
func loadTime(p *plan.Plan, load []int64, q *plan.Pair) (longest unit.Duration) {
	eachPort(p, q, 1, func(port topo.PortID, _ int64) {
		longest = max(longest, p.Graph.Ports[port].Rate.TransmitTime(unit.Bytes(min(load[port], most/8))))
	})
	return longest
}

// posted is how many messages a flow posts in a job of this length. The job's own flows post all.
func posted(q *plan.Pair, job unit.Duration) int64 {
	f := q.Flow
	start := unit.Duration(q.Start)
	if q.Kind == result.KindJob || f.Every == 0 || start > job {
		if start > job && q.Kind != result.KindJob {
			return 0
		}
		return int64(f.Count)
	}
	return min(int64(f.Count), 1+int64((job-start)/f.Every))
}
