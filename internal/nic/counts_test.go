package nic_test

import (
	"testing"

	"railyard/internal/cc"
	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Messages that queue behind each other on a queue pair share neither their retransmissions nor
// their notifications: what is counted for each sums to what was counted in all.
func TestQueuedMessagesAreCountedOnce(t *testing.T) {
	r := hpcc(star(3, 100*unit.GigabitPerSec), cc.Presets["hpcc-ns3"].DCQCN)
	r.nic.Transport.Timeout, r.nic.Transport.Retries, r.nic.Transport.AckDuplicates = 500*unit.Microsecond, 100, true
	r.fabric.Faults = &fabric.Faults{Drop: unit.Ratio{Num: 1, Den: 10_000}}
	r.build(t)
	const messages = 20
	for i := range 2 {
		qp := r.flow(t, topo.NICID(i), 2, unit.Megabyte, 0)
		r.net.AddFlow(nic.FlowSpec{QP: qp, Start: 1, Bytes: unit.Megabyte, Count: messages, Every: unit.Microsecond})
		r.left += messages
	}
	r.run(t)
	var cnps, resent int64
	for _, f := range r.flows {
		cnps, resent = cnps+f.CNPs, resent+f.Retransmits
	}
	if resent != r.net.Retransmits() || resent == 0 {
		t.Errorf("messages were charged %d retransmissions, %d packets were sent again", resent, r.net.Retransmits())
	}
	// A notification that arrives when nothing is under way is nobody's; a packet can be marked
	// once.
	if cnps > r.net.Marks() || cnps < r.net.Marks()*9/10 {
		t.Errorf("messages were charged %d notifications for %d marks", cnps, r.net.Marks())
	}
}

// With selective repeat a packet that is sent again asks for its acknowledgement: acknowledgements
// that are coalesced do not make the sender wait for a timeout after each.
func TestResentPacketsAreAcknowledgedAtOnce(t *testing.T) {
	took := func(every int) unit.Duration {
		r, _ := incast(t, 1, 10_000_000, cc.None{Window: cc.Window{Bytes: 52_000}}, func(r *rig) {
			r.nic.Transport.Selective, r.nic.Transport.AckEvery = true, every
			r.nic.Transport.Timeout, r.nic.Transport.Retries = unit.Millisecond, 7
			r.fabric.Faults = &fabric.Faults{Drop: unit.Ratio{Num: 1, Den: 1000}}
		})
		return r.last()
	}
	if one, sixteen := took(1), took(16); sixteen > one+3*unit.Millisecond {
		t.Errorf("%v with an acknowledgement for 16 packets, %v with one for each: want no more than a few timeouts "+
			"between them", sixteen, one)
	}
}
