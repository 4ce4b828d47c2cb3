package scenario

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// onlyBalance says that a field belongs to some of the balancers: of all switches, or of some.
func onlyBalance(names ...Balancer) func(base any) string {
	return where(func(s *Scenario) string {
		if s.anyBalance(func(b Balancer) bool { return slices.Contains(names, b) }) {
			return ""
		}
		return "fabric.balance is " + string(s.Fabric.Balance)
	})
}

// anyBalance reports whether any switch has a balancer of some kind.
func (s *Scenario) anyBalance(is func(Balancer) bool) bool {
	return is(s.Fabric.Balance) || s.anyProfile(func(p *SwitchProfile) bool { return p.Balance.Set && is(p.Balance.Value) })
}

// anyProfile reports whether any entry of fabric.switches is of some kind.
func (s *Scenario) anyProfile(is func(*SwitchProfile) bool) bool {
	return slices.ContainsFunc(s.Fabric.Switches, func(p SwitchProfile) bool { return is(&p) })
}

var (
	onlyFlowlet   = onlyBalance(BalanceFlowlet)
	onlyDLB       = whereConfigured(onlyBalance(BalanceDLB, BalanceGLB))
	onlyGLB       = onlyBalance(BalanceGLB)
	onlyConWeave  = onlyBalance(BalanceConWeave)
	onlySpray     = onlyBalance(BalanceSpray)
	onlyResilient = onlyBalance(BalanceResilient)
)

// WithoutDLB returns the scenario as it is when its switches' configurations have been read and none of them, nor
// the scenario, weighs links: fabric.dlb has no meaning and is not printed.
func (s *Scenario) WithoutDLB() *Scenario {
	without := *s
	without.withoutDLB = true
	return &without
}

// whereConfigured makes a condition hold where switches are configured, too: their configurations may say so, unless
// it is known that none does.
func whereConfigured(unfit func(base any) string) func(base any) string {
	return where(func(s *Scenario) string {
		if s.Fabric.Config.Set && !s.withoutDLB {
			return ""
		}
		return unfit(s)
	})
}

// onlyDLBFlowlets and onlyPick say that a field belongs to a mode of dlb, to a way to spray.
func onlyDLBFlowlets(s *Scenario) string {
	if why := onlyDLB(s); why != "" {
		return why
	}
	own := func(p *SwitchProfile) bool { return p.DLB.Mode == Some("flowlet") }
	if s.Fabric.DLB.Mode != "flowlet" && !s.anyProfile(own) {
		return "fabric.dlb.mode is " + s.Fabric.DLB.Mode
	}
	return ""
}

func onlyPick(pick string) func(s *Scenario) string {
	return func(s *Scenario) string {
		if why := onlySpray(s); why != "" {
			return why
		}
		own := func(p *SwitchProfile) bool { return p.Spray.Pick == Some(pick) }
		if s.Fabric.Spray.Pick != pick && !s.anyProfile(own) {
			return "fabric.spray.pick is " + s.Fabric.Spray.Pick
		}
		return ""
	}
}

var onlyDRILL, onlyLeastQueue = onlyPick("drill"), onlyPick("least-queue")

const (
	gapSource = "Junos (Apstra 6.0): inactivity interval 256 us; SONiC (ARS) takes 16 us to 32,767 us, LetFlow and CONGA " +
		"about 500 us"
	spraySource = "tuned: of the bounds tried these carried most of random permutations"
	bandSource  = "assumed: Junos (egress-quantization) and SONiC (ARS) have the bounds as parameters"
)

// balanceFields: the balancers with parameters.
var balanceFields = []*Field{
	{Path: "fabric.flowlet", Meaning: "flowlets: bursts of a queue pair between gaps"},
	{
		Path: "fabric.flowlet.gap", Default: "256us", Min: "1ns", Max: "10s", applies: onlyFlowlet,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.Flowlet.Gap }),
		Meaning: "a queue pair that a switch has not seen for longer takes a link drawn anew",
		Source:  gapSource, Also: []string{"timer", "timeout", "inactivity_interval", "idle_time"},
	},
	{Path: "fabric.dlb", Meaning: "dynamic load balancing: links have a quality, of 8 bands"},
	{
		Path: "fabric.dlb.mode", Default: "flowlet", Choices: DLBModes, applies: onlyDLB,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.DLB.Mode }),
		Meaning: "when a packet may take another link than the one before it",
		Source:  "NX-OS (hardware profile dlb): flowlet is the default; Junos: flowlet, per-packet, assigned-flow",
	},
	{
		Path: "fabric.dlb.gap", Default: "256us", Min: "1ns", Max: "10s", applies: whereConfigured(where(onlyDLBFlowlets)),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.DLB.Gap }),
		Meaning: "a queue pair that a switch has not seen for longer may take another link",
		Source:  gapSource, Also: []string{"timer", "timeout", "inactivity_interval", "idle_time"},
	},
	{
		Path: "fabric.dlb.sampling", Default: "16us", Min: "100ns", Max: "1s", applies: onlyDLB,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.DLB.Sampling }),
		Meaning: "how often a port's load is measured; the average halves what was before at each sample",
		Source:  "assumed: a parameter of Junos (sampling-rate) and SONiC (ARS)",
	},
	{
		Path: "fabric.dlb.load_min", Default: "10%", Min: "0", Max: "1", applies: onlyDLB,
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Fabric.DLB.LoadMin }),
		Meaning: "up to this part of its rate a port's load is of the best band",
		Source:  bandSource,
	},
	{
		Path: "fabric.dlb.load_max", Default: "90%", Min: "0", Max: "1", applies: onlyDLB,
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Fabric.DLB.LoadMax }),
		Meaning: "from this part of its rate on a port's load is of the worst band",
		Source:  bandSource,
	},
	{
		Path: "fabric.dlb.queue_min", Default: "10kB", Min: "0B", Max: "1TB", applies: onlyDLB,
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.DLB.QueueMin }),
		Meaning: "up to so many waiting bytes a port's queue is of the best band",
		Source:  bandSource,
	},
	{
		Path: "fabric.dlb.queue_max", Default: "500kB", Min: "1B", Max: "1TB", applies: onlyDLB,
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.DLB.QueueMax }),
		Meaning: "from so many waiting bytes on a port's queue is of the worst band",
		Source:  bandSource,
	},
	{
		Path: "fabric.dlb.weight", Default: "50%", Min: "0", Max: "1", applies: onlyDLB,
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Fabric.DLB.Weight }),
		Meaning: "the load's part in the quality; the rest is the queue's",
		Source:  "Junos (rate-weightage): equal",
		Also:    []string{"rate_weightage"},
	},
	{Path: "fabric.glb", Meaning: "global load balancing: what it has beside fabric.dlb"},
	{
		Path: "fabric.glb.interval", Default: "50us", Min: "100ns", Max: "1s", applies: onlyGLB,
		value: in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.GLB.Interval }),
		Meaning: "how often a switch looks at its links to other switches, and tells those next to it of a quality that " +
			"has changed; it is heard after the cable and the pipeline",
		Source: "assumed: Broadcom and Juniper (GLB, with BGP's next-next-hop nodes) publish none",
	},
	{Path: "fabric.conweave", Meaning: "ConWeave: moves between packets, with the order restored at the last switch"},
	{
		Path: "fabric.conweave.reply", Default: "10us", Min: "100ns", Max: "1s", applies: onlyConWeave,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.ConWeave.Reply }),
		Meaning: "a queue pair leaves a path on which the answer of the last switch takes longer",
		Source:  assumed + "; ConWeave (SIGCOMM'23): some round trips between leaves",
	},
	{
		Path: "fabric.conweave.busy", Default: "10us", Min: "0ns", Max: "1s", applies: onlyConWeave,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.ConWeave.Busy }),
		Meaning: "how long no queue pair moves to a link after the last switch has told of a marked packet that came by it",
		Source:  assumed + "; ConWeave (SIGCOMM'23) has it as a parameter",
	},
	{
		Path: "fabric.conweave.resume", Default: "1ms", Min: "100ns", Max: "1s", applies: onlyConWeave,
		value: in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.ConWeave.Resume }),
		Meaning: "the last switch holds packets of the new path for the last one of the old until the old path has brought none " +
			"for so long",
		Source: assumed + "; ConWeave (SIGCOMM'23) adds a margin to what it estimates from packets of the old path",
	},
	{Path: "fabric.spray", Meaning: "packets one by one"},
	{
		Path: "fabric.spray.pick", Default: "least-queue", Choices: SprayPicks, applies: onlySpray,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Spray.Pick }),
		Meaning: "which link a packet takes",
		Source:  "NVIDIA Spectrum-X: adaptive routing by the lengths of egress queues",
	},
	{
		Path: "fabric.spray.grades", Default: "8", Min: "1", Max: "1024", applies: where(onlyLeastQueue),
		value: in(whole, func(s *Scenario) *int { return &s.Fabric.Spray.Grades }),
		Meaning: "lengths of a queue that least-queue tells apart, one below queue_min, one above queue_max, the rest " +
			"between; 1: none, as random",
		Source: assumed + ": as many as the bands of dlb",
		Also:   []string{"bands"},
	},
	{
		Path: "fabric.spray.queue_min", Default: "0B", Min: "0B", Max: "1TB", applies: where(onlyLeastQueue),
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.Spray.QueueMin }),
		Meaning: "a queue that drains as fast as so many bytes on the fastest of the equal links is of the best grade",
		Source:  spraySource,
	},
	{
		Path: "fabric.spray.queue_max", Default: "200kB", Min: "1B", Max: "1TB", applies: where(onlyLeastQueue),
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.Spray.QueueMax }),
		Meaning: "a queue that drains no faster than so many bytes on the fastest of the equal links is of the worst grade",
		Source:  spraySource,
	},
	{
		Path: "fabric.spray.samples", Default: "2", Min: "1", Max: "64", applies: where(onlyDRILL),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Spray.Samples }),
		Meaning: "links that are drawn for each packet, d",
		Source:  "DRILL (SIGCOMM'17): d = 2",
	},
	{
		Path: "fabric.spray.memory", Default: "1", Min: "0", Max: "64", applies: where(onlyDRILL),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Spray.Memory }),
		Meaning: "least loaded links that are remembered for the next packet, m",
		Source:  "DRILL (SIGCOMM'17): m = 1",
	},
	{Path: "fabric.resilient", Meaning: "resilient hashing"},
	{
		Path: "fabric.resilient.buckets", Default: "64", Min: "1", Max: "65536", applies: onlyResilient,
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Resilient.Buckets }),
		Meaning: "buckets of a group of equal links; a group of more links has as many as links",
		Source:  "Cumulus Linux: 64 unless set, to 1024",
	},
}

// checkBalance reports bounds of qualities that do not bound anything.
func (d *decoder) checkBalance(s *Scenario) {
	p := &s.Fabric.DLB
	if d.ok("fabric.dlb.load_min", "fabric.dlb.load_max") && onlyDLB(s) == "" && p.LoadMin.Cmp(p.LoadMax) >= 0 {
		d.problem("fabric.dlb.load_max", fmt.Sprintf("%s: want more than load_min, %s", p.LoadMax, p.LoadMin), "")
	}
	if d.ok("fabric.dlb.queue_min", "fabric.dlb.queue_max") && onlyDLB(s) == "" && p.QueueMin >= p.QueueMax {
		d.problem("fabric.dlb.queue_max", fmt.Sprintf("%s: want more than queue_min, %s", p.QueueMax, p.QueueMin), "")
	}
	q := &s.Fabric.Spray
	if d.ok("fabric.spray.queue_min", "fabric.spray.queue_max") && onlyLeastQueue(s) == "" && q.QueueMin >= q.QueueMax {
		d.problem("fabric.spray.queue_max", fmt.Sprintf("%s: want more than queue_min, %s", q.QueueMax, q.QueueMin), "")
	}
}
