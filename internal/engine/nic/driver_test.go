package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/roce/rocetest"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// TestDrivesTheCore: what every driver of a queue pair must do. The same scripts are played on real time in rocetest.
func TestDrivesTheCore(t *testing.T) { rocetest.Run(t, "../roce/rocetest/testdata", drive) }

// before is a shim before a NIC: it sees each frame that comes, and loses some.
type before struct {
	fabric.Sink
	rig  *rig
	play *rocetest.Play
	seen *rocetest.Outcome
}

func (b *before) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, f *fabric.Packet) {
	var pk roce.Packet
	nic.Packet(f, &pk)
	if tr := b.rig.fab.Trace(isl, f); pk.Lands() {
		l := &tr.Edge.Landing
		pk.Landing = roce.Landing{Address: l.Address, Key: l.Key, PSN: l.PSN, Length: l.Length}
	}
	if b.seen.See(b.play, &pk) {
		b.rig.fab.TakeTrace(isl, f)
		return
	}
	b.Sink.Deliver(isl, now, port, f)
}

func drive(t *testing.T, p *rocetest.Play) (o rocetest.Outcome) {
	r := hpcc(star(2, 100*unit.GigabitPerSec), p.Controller)
	r.nic.Transport = p.Params
	r.nic.CompleteAtSender = false
	r.fabric.MTU = 5000
	r.nic.Setup = nic.Setup{On: p.Connect, Time: unit.Microsecond}
	r.build(t)
	for i := range r.graph.NICs {
		port, source, sink := r.net.Sink(r.graph.Hosts[i].NICs[0])
		r.fab.Attach(port, source, &before{sink, r, p, &o})
	}
	routes := topo.NewRoutes(r.graph)
	path, err := routes.Path(0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := routes.Path(1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	qp := r.net.AddQP(nic.QueuePair{Name: "pair", From: 0, To: 1, FromGPU: -1, ToGPU: -1, Path: path, Back: back})
	for _, m := range p.Messages {
		r.hosts.AddFlow(0, host.FlowSpec{QP: qp, Bytes: unit.Bytes(len(m.From)), Count: 1, From: m.From, To: m.To})
	}
	r.left = len(p.Messages)
	r.net.Build(func(int32) unit.Duration { return 10 * unit.Microsecond })
	if p.Connect {
		r.net.Connect(qp, 0)
	}
	r.eng.Run()
	for _, f := range r.flows {
		o.Acked = append(o.Acked, f.Bytes)
	}
	o.Failed = r.net.Err() != nil
	return o
}
