package run

import (
	"railyard/internal/nic"
	"railyard/internal/plan"
	"railyard/internal/roce"
	"railyard/internal/scenario"
)

// nicConfig returns the parameters of hosts and transport.
func nicConfig(p *plan.Plan) nic.Config {
	sc := p.Scenario
	t := sc.Transport
	cfg := nic.Config{
		Frames: p.Frames(),
		Transport: roce.Params{
			MTU:           t.MTU,
			AckEvery:      t.AckEvery,
			Timeout:       t.Timeout.Or(0),
			Retries:       t.Retries,
			AckDuplicates: t.AckDuplicates,
			NakAgain:      t.NakAgain.Or(0),
			Selective:     t.Recovery == "selective-repeat",
			TimeoutLow:    t.TimeoutLow.Or(0),
			LowPackets:    int64(t.LowPackets),
		},
		PCIe:             nic.Pipe{Latency: sc.Cluster.Host.PCIeLatency, Rate: sc.Cluster.Host.PCIe},
		NVLink:           nic.Pipe{Latency: sc.Cluster.Host.NVLinkLatency, Rate: sc.Cluster.Host.NVLinkRate()},
		Latency:          sc.Cluster.NIC.Latency,
		CNPInterval:      sc.Congestion.CNPInterval,
		EchoMarks:        sc.Congestion.Notify == "ack",
		NoCNPs:           sc.Congestion.Notify == "none",
		Telemetry:        p.Telemetry(),
		Repace:           sc.Congestion.HPCC.Repace && p.Telemetry(),
		AsScheduled:      p.AsScheduled(),
		SharedTimer:      sc.Cluster.NIC.Pacing == "shared",
		AcksPass:         !t.AckPaused,
		AckClass:         plan.ClassData,
		CNPClass:         plan.ClassCNP,
		CompleteAtSender: t.Completion == "sender",
		Seed:             sc.Seed,
		Controller:       p.Controller(),
	}
	if t.AckClass == "cnp" {
		cfg.AckClass = plan.ClassCNP
	}
	return cfg
}

// admission is that of the messages between the ranks of a job.
func admission(j *scenario.Job) nic.Admission {
	if a := j.Collective.Admission; a.Slots.Set {
		return nic.Admission{Slots: a.Slots.Value, Bytes: a.Bytes}
	}
	return nic.Admission{}
}
