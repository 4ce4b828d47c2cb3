package nic_test

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host/hosttest"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// NICs over a fabric are a network, whatever recovers losses, and also where frames are lost, come
// twice, or change places, and where a message is cut for admission.
func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*rig, *nic.Admission){
		"go-back-N":                func(*rig, *nic.Admission) {},
		"selective repeat":         func(r *rig, _ *nic.Admission) { selective(r) },
		"admission":                func(_ *rig, a *nic.Admission) { *a = nic.Admission{Slots: 3, Bytes: 20_000} },
		"go-back-N, harmed":        func(r *rig, _ *nic.Admission) { harm(r) },
		"selective repeat, harmed": func(r *rig, _ *nic.Admission) { selective(r); harm(r) },
		"admission, harmed":        func(r *rig, a *nic.Admission) { *a = nic.Admission{Slots: 3, Bytes: 20_000}; harm(r) },
		"HPCC, telemetry back": func(r *rig, _ *nic.Admission) {
			r.nic.Controller, r.nic.Telemetry = cc.Defaults["hpcc"], true
		},
		"selective in two islands":  func(r *rig, _ *nic.Admission) { selective(r); islands(r) },
		"harmed and in two islands": func(r *rig, _ *nic.Admission) { harm(r); islands(r) },
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Suite(t, func(t *testing.T, large bool) *hosttest.Bench {
				return twoHosts(t, large, change)
			})
		})
	}
}

// So are several queue pairs for a way, over which messages are dealt or split.
func TestConformanceOfSeveralQueuePairs(t *testing.T) {
	for name, change := range map[string]func(*rig, *nic.Admission){
		"in turn":                    func(*rig, *nic.Admission) {},
		"in turn, harmed":            func(r *rig, _ *nic.Admission) { harm(r) },
		"in turn, two islands":       func(r *rig, _ *nic.Admission) { harm(r); islands(r) },
		"in turn, admission":         func(r *rig, a *nic.Admission) { *a = nic.Admission{Slots: 1, Bytes: 20_000}; harm(r) },
		"split":                      func(r *rig, _ *nic.Admission) { r.host.Split = true },
		"split, harmed":              func(r *rig, _ *nic.Admission) { r.host.Split = true; harm(r) },
		"split, selective, islands":  func(r *rig, _ *nic.Admission) { r.host.Split = true; selective(r); harm(r); islands(r) },
		"split, completes at sender": func(r *rig, _ *nic.Admission) { r.host.Split, r.nic.CompleteAtSender = true, true; harm(r) },
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Suite(t, func(t *testing.T, large bool) *hosttest.Bench {
				b := twoHosts(t, large, change)
				b.Lanes = 4
				return b
			})
		})
	}
}

// harm loses frames, doubles them and lets them change places.
func harm(r *rig) {
	ratio := func(num, den int64) unit.Ratio { return unit.Ratio{Num: num, Den: den} }
	r.fabric.Faults = &fabric.Faults{Chances: fabric.Chances{Drop: ratio(1, 40), Duplicate: ratio(1, 20), Reorder: ratio(1, 100),
		BitErrors: ratio(0, 1)}}
	r.nic.Transport.Timeout, r.nic.Transport.Retries = 50*unit.Microsecond, 1000
}

func selective(r *rig) { r.nic.Transport.Selective, r.nic.Transport.Receiver = true, roce.Direct }

// receivers is what there is of receivers and recovery.
var receivers = map[string]func(*rig){
	"in order":              func(*rig) {},
	"IRN":                   selective,
	"direct":                func(r *rig) { r.receiver(roce.Direct, false, roce.AnyOrder) },
	"direct, few late":      func(r *rig) { r.receiver(roce.Direct, false, 3) },
	"direct, selective":     func(r *rig) { r.receiver(roce.Direct, true, 5) },
	"buffered":              func(r *rig) { r.receiver(roce.Buffered, false, roce.AnyOrder) },
	"buffered, few late":    func(r *rig) { r.receiver(roce.Buffered, false, 2) },
	"buffered, selective":   func(r *rig) { r.receiver(roce.Buffered, true, roce.AnyOrder) },
	"buffered, one, at all": func(r *rig) { r.receiver(roce.Buffered, true, 0); r.nic.Transport.Buffer = 1 },
}

// receiver sets what becomes of packets out of order.
func (r *rig) receiver(kind roce.ReceiverKind, selective bool, tolerance int64) {
	t := &r.nic.Transport
	t.Receiver, t.Buffer, t.Selective, t.Tolerance = kind, 8, selective, tolerance
}

// So are all receivers, with one queue pair for a way and with four, where frames change places and are lost.
func TestConformanceOfReceivers(t *testing.T) {
	for name, receiver := range receivers {
		for _, lanes := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, %d queue pairs", name, lanes), func(t *testing.T) {
				open := func(t *testing.T, large bool) *hosttest.Bench {
					b := twoHosts(t, large, func(r *rig, _ *nic.Admission) {
						receiver(r)
						harm(r)
						if lanes > 1 {
							islands(r)
						}
					})
					b.Lanes = lanes
					return b
				}
				hosttest.Small(t, func(t *testing.T) *hosttest.Bench { return open(t, false) })
				if lanes == 1 && counts[name] {
					hosttest.Huge(t, func(t *testing.T) *hosttest.Bench { return open(t, true) })
				}
			})
		}
	}
}

// counts names a receiver of each kind with each recovery: they differ in how bytes are counted, while how many
// packets may be late, or lanes that take whole messages in turn, do not.
var counts = map[string]bool{"in order": true, "IRN": true, "direct": true, "buffered": true, "buffered, selective": true}

// islands puts the two hosts into different islands.
func islands(r *rig) { r.parts, r.look = roundRobin(2), cable }

// twoHosts is two hosts on a switch.
func twoHosts(t *testing.T, large bool, change func(*rig, *nic.Admission)) *hosttest.Bench {
	const rate = 100 * unit.GigabitPerSec
	r := defaults(oneSwitch(t, 2, rate), rate)
	var a nic.Admission
	change(r, &a)
	if large {
		r.nic.Transport.MTU, r.fabric.MTU = 60_000, 60_082
		if a.Slots > 0 {
			a.Bytes = 200_000_000
		}
	}
	r.nic.Transport.AckEvery = 1
	r.fabric.Telemetry = r.nic.Telemetry
	r.build(t)
	r.net.OnFlow(nil)
	routes := topo.NewRoutes(r.graph)
	return &hosttest.Bench{Engine: r.eng, Hosts: r.hosts, Err: r.net.Err,
		Pair: func(from, to int32) int32 {
			path, _ := routes.Path(topo.NICID(from), topo.NICID(to), nil)
			back, _ := routes.Path(topo.NICID(to), topo.NICID(from), nil)
			return r.net.AddQP(nic.QueuePair{From: topo.NICID(from), To: topo.NICID(to), Path: path, Back: back, Log: true,
				Admission: a, Stream: uint64(from)})
		},
		Build: func() { r.net.Build(func(int32) unit.Duration { return 8 * unit.Microsecond }) }}
}
