package run

import (
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/plan/transport"
)

// hostConfig returns the parameters of hosts.
func hostConfig(p *plan.Plan) host.Config {
	at := &p.Scenario.Cluster.Host
	return host.Config{
		PCIe:        host.Pipe{Latency: at.PCIeLatency, Rate: at.PCIe},
		NVLink:      host.Pipe{Latency: at.NVLinkLatency, Rate: at.NVLinkRate()},
		Graph:       hostGraph(p.PCIe.Graph),
		NIC:         p.Scenario.Cluster.NIC.Latency,
		AsScheduled: p.Scenario.Fabric.AsScheduled(),
		Split:       p.Scenario.Transport.SplitData,
		Faults:      hostFaults(p.Faults),
	}
}

// hostGraph is the PCIe of hosts, nil where each NIC has a link of its own.
func hostGraph(g *pcie.Graph) *host.Graph {
	if g == nil {
		return nil
	}
	return &host.Graph{Rates: g.Rates, ToCard: g.ToCard, FromMemory: g.FromMemory, Peers: g.Peers, Staged: g.Staged}
}

// hostFaults is what goes wrong inside hosts, nil if nothing does.
func hostFaults(m *faults.Set) *host.Faults {
	if len(m.GPUs)+len(m.Hosts) == 0 {
		return nil
	}
	f := &host.Faults{}
	for _, g := range m.GPUs {
		f.Compute = append(f.Compute, host.Compute{Host: g.Host, GPU: g.GPU.GPU, While: host.While(g.While), Factor: g.Factor})
	}
	for _, x := range m.Hosts {
		if x.Hangs {
			f.Hangs = append(f.Hangs, host.Hang{Host: x.Host, While: host.While(x.While)})
		} else {
			f.PCIe = append(f.PCIe, host.Slower{Host: x.Host, While: host.While(x.While), Rate: x.PCIe,
				Twice: x.Staged, Named: x.Named, Link: x.Link})
		}
	}
	return f
}

// nicConfig returns the parameters of NICs and transport.
func nicConfig(p *plan.Plan) nic.Config {
	sc := p.Scenario
	t := sc.Transport
	cfg := nic.Config{
		Pairs:  len(p.Pairs),
		Frames: transport.Frames(p.Scenario),
		Transport: roce.Params{
			MTU:           t.MTU,
			AckEvery:      t.AckEvery,
			Timeout:       t.Timeout.Or(0),
			Retries:       t.Retries,
			AckDuplicates: t.AckDuplicates,
			NakAgain:      t.NakAgain.Or(0),
			Receiver:      receiver(t.Receiver),
			Buffer:        t.ReorderBuffer,
			Selective:     t.Recovery == "selective-repeat",
			TimeoutLow:    t.TimeoutLow.Or(0),
			LowPackets:    int64(t.LowPackets),
			Adaptive:      t.TimeoutAdaptive.Or(0),
			Entropy:       roce.Entropy{Kind: entropies[t.Entropy], Cache: t.EntropyCache, Freeze: t.EntropyFreeze},
			CNPInterval:   sc.Congestion.CNPInterval,
			EchoMarks:     sc.Congestion.Notify == "ack",
			NoCNPs:        sc.Congestion.Notify == "none",
		},
		Telemetry: transport.Telemetry(p.Scenario),
		Quirks: nic.Quirks{
			Repace:      sc.Congestion.HPCC.Repace && transport.Telemetry(p.Scenario),
			SharedTimer: sc.Cluster.NIC.Pacing == "shared",
		},
		AcksPass:         !t.AckPaused,
		Receive:          (*nic.ReceiveBuffer)(p.ReceiveBuffer()),
		AckClass:         switches.ClassData,
		CNPClass:         switches.ClassCNP,
		CompleteAtSender: t.Completion == "sender",
		Seed:             sc.Seed,
		Setup:            nic.Setup{On: t.Setup, Time: t.SetupTime},
		Controller:       transport.Controller(p.Scenario),
	}
	for _, d := range p.Faults.PortDowns() {
		cfg.Downs = append(cfg.Downs, nic.Down(d))
	}
	if k := cfg.Transport.Receiver; k != roce.InOrder {
		cfg.Transport.Tolerance = int64(t.ReorderWindow.Or(roce.AnyOrder))
	}
	if t.AckClass == "cnp" {
		cfg.AckClass = switches.ClassCNP
	}
	return cfg
}

// entropies are those of packets, by name.
var entropies = map[string]roce.EntropyKind{"flow": roce.OneEntropy, "random": roce.RandomEntropy,
	"recycled": roce.RecycledEntropy}

func receiver(name string) roce.ReceiverKind {
	switch name {
	case "in-order":
		return roce.InOrder
	case "buffered":
		return roce.Buffered
	case "direct":
		return roce.Direct
	}
	panic("run: the scenario has a receiver " + name + ", which roce has not")
}

// admission is that of the messages of one of a connection's queue pairs, which ranks of a job send:
// they have equal parts of the connection's slots.
func admission(j *scenario.Job, lanes int32) nic.Admission {
	if a := j.Collective.Admission; a.Slots.Set {
		return nic.Admission{Slots: a.Slots.Value / int(lanes), Bytes: a.Bytes}
	}
	return nic.Admission{}
}
