package record

import (
	"cmp"
	"slices"

	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// kindNames are the kinds of frame as the table of losses has them.
var kindNames = [...]string{
	fabric.Data:      "data",
	fabric.Ack:       "ACK",
	fabric.Nak:       "NAK",
	fabric.CNP:       "CNP",
	fabric.CTS:       "CTS",
	fabric.Credit:    "credit",
	fabric.CreditAck: "credit ACK",
	fabric.CMRequest: "REQ",
	fabric.CMReply:   "REP",
	fabric.CMReady:   "RTU",
	fabric.CMLeave:   "DREQ",
	fabric.CMLeft:    "DREP",
}

// lossNames are the kinds of loss as the table of losses has them.
var lossNames = [...]string{
	fabric.LostInBuffer:     result.LostInBuffer,
	fabric.LostOnLink:       result.LostOnLink,
	fabric.LostWithoutRoute: result.LostWithoutRoute,
	fabric.LostInNIC:        result.LostInNIC,
	fabric.LostOversize:     result.LostOversize,
	fabric.LostInReboot:     result.LostInReboot,
	fabric.LostByWatchdog:   result.LostByWatchdog,
	fabric.LostAtThreshold:  result.LostAtThreshold,
	fabric.LostBeforePCIe:   result.LostBeforePCIe,
}

// lossKinds are the kinds of loss as a diagnosis knows them. What a receiver drops of what came too early is the overtaking's,
// which package nic counts.
var lossKinds = [...]diagnose.Kind{
	fabric.LostInBuffer:     diagnose.FullBuffer,
	fabric.LostOnLink:       diagnose.LossyLink,
	fabric.LostWithoutRoute: diagnose.NoRoute,
	fabric.LostInNIC:        "",
	fabric.LostOversize:     diagnose.LossyLink,
	fabric.LostInReboot:     diagnose.LossyLink,
	fabric.LostByWatchdog:   diagnose.Watchdog,
	fabric.LostAtThreshold:  diagnose.DropThreshold,
	fabric.LostBeforePCIe:   diagnose.Receiver,
}

// counted counts a frame that was lost in some way, where a diagnosis knows it.
func counted(lost []diagnose.Lost, k diagnose.Kind) []diagnose.Lost {
	if k == "" {
		return lost
	}
	for i := range lost {
		if lost[i].Kind == k {
			lost[i].Frames++
			return lost
		}
	}
	return append(lost, diagnose.Lost{Kind: k, Frames: 1})
}

// unnumbered are the kinds of frame without a packet sequence number.
var unnumbered = map[string]bool{"CNP": true, "CTS": true, "credit": true, "credit ACK": true, "REQ": true, "REP": true,
	"RTU": true, "DREQ": true, "DREP": true}

// lost takes a frame that did not arrive.
func (r *Recorder) lost(l *fabric.Loss) {
	r.losses[l.Why]++
	r.watch.loss(l)
	if l.Why == fabric.LostInBuffer && l.Kind == fabric.Data {
		r.dataLost[l.Port] = true
	}
	p := r.pair(l.Flow)
	key := hopKey{l.Port, !l.Kind.Forward()}
	if p.hops == nil {
		p.hops = map[hopKey][]diagnose.Lost{}
	}
	row := result.LossRow{
		Name: r.plan.Pairs[l.Flow].Name,
		Time: l.At,
		Port: r.plan.Graph.Ports[l.Port].Name,
		Kind: kindNames[l.Kind],
	}
	row.Why = lossNames[l.Why]
	p.hops[key] = counted(p.hops[key], lossKinds[l.Why])
	p.lost = append(p.lost, row)
	p.lostSeq = append(p.lostSeq, l.Seq&roce.PSNMask)
}

// timedOut takes a retransmission timeout.
func (r *Recorder) timedOut(t *timeout) {
	r.watch.timeout(t.qp)
	p := r.pair(t.qp)
	p.expired++
	p.lost = append(p.lost, result.LossRow{Name: r.plan.Pairs[t.qp].Name, Time: t.at, Kind: "timeout"})
	p.lostSeq = append(p.lostSeq, uint32(t.oldest)&roce.PSNMask)
}

// lossesOf removes and returns what was lost of a message that has ended or of those before it, in
// order of time.
func (r *Recorder) lossesOf(f *nic.Flow) (rows []result.LossRow) {
	p := r.known[f.QP]
	if p == nil {
		return nil
	}
	kept := 0
	for i, row := range p.lost {
		// CNPs, clear-to-sends and credits have no packet sequence number: they go with whatever ends next.
		behind := (f.LastPSN - p.lostSeq[i]) & roce.PSNMask
		if unnumbered[row.Kind] || behind < (roce.PSNMask+1)/2 {
			rows = append(rows, row)
			continue
		}
		p.lost[kept], p.lostSeq[kept] = row, p.lostSeq[i]
		kept++
	}
	p.lost, p.lostSeq = p.lost[:kept], p.lostSeq[:kept]
	slices.SortStableFunc(rows, func(a, b result.LossRow) int { return cmp.Compare(a.Time, b.Time) })
	return rows
}
