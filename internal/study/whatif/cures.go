package whatif

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// seeds is how many seeds a cure is run with that chance decides on.
const seeds = 10

// trying gathers the cures that a scenario has room for.
type trying struct {
	p   *plan.Plan
	sc  *scenario.Scenario
	was *result.Summary
	job *scenario.Job // that is compared
	at  *plan.Job
	d   *diagnose.Diagnosis
	all []Cut

	computed []unit.Duration // by rank, in all steps; nil: it is not known
}

// try adds a cure of some nouns.
func (t *trying) try(name string, of []noun.Noun, changes ...scenario.Change) *Cut {
	t.all = append(t.all, Cut{Kind: Tried, Name: name, Of: of, Changes: changes})
	return &t.all[len(t.all)-1]
}

// byChance is try of a cure on which chance decides.
func (t *trying) byChance(name string, of []noun.Noun, changes ...scenario.Change) {
	t.try(name, of, changes...).Chance = true
}

// triedCures lists the cures that a run tries by itself: those that its scenario has room for, whatever was found. For which
// nouns each is, Cut.Of says.
func triedCures(p *plan.Plan, s *result.Summary, job int, computed []unit.Duration) []Cut {
	t := &trying{p: p, sc: p.Scenario, was: s, job: &p.Scenario.Jobs[job], at: &p.Jobs[job], d: s.Diagnosis, computed: computed}
	if t.d == nil {
		t.d = &diagnose.Diagnosis{}
	}
	t.choice()
	t.links()
	t.switches()
	t.pauses()
	t.losses()
	t.hosts()
	t.control()
	t.graphs()
	t.latencies()
	t.collectives()
	t.router()
	t.pipeline()
	return t.all
}

// links gives links the rate of their equals, and uplinks what their switch has below.
func (t *trying) links() {
	g := t.p.Graph
	for _, l := range slowerThanEquals(g) {
		name, sender := g.Ports[l.port].Name, g.Nodes[g.Ports[l.port].Node].Name
		says := fmt.Sprintf("with %s at %s as its equals", name, l.usual)
		if l.both {
			says, sender = says+", both directions", ""
		}
		t.try(says, []noun.Noun{noun.SlowLink, noun.UnevenSpraying, noun.ECMPCollision}, t.rated(0, name, sender, l.usual.String()))
	}
	if x := &t.sc.Fabric.Dragonfly; t.sc.Fabric.Design == topo.DesignDragonfly {
		t.try("with links between groups "+fmt.Sprint(faster)+" times as fast", []noun.Noun{noun.SharedLink, noun.Oversubscription},
			set("fabric.dragonfly.global_rate", min(faster*x.GlobalRate, fastest).String()))
	}
	ratio, up := oversubscribed(g)
	if ratio <= 1 {
		return
	}
	var changes []scenario.Change
	whole := unit.Bitrate(0) // what all have, where all are alike
	for i, l := range up {
		rate := min(unit.Bitrate(float64(g.Links[l].Rate)*ratio), fastest)
		if whole == 0 && i == 0 {
			whole = rate
		} else if whole != rate {
			whole = 0
		}
	}
	edge := min(g.Nodes[g.Ports[2*up[0]].Node].Kind, g.Nodes[g.Ports[2*up[0]].To].Kind) == topo.Leaf
	if edge && t.sc.Fabric.Links.Spine > 0 && whole > 0 && len(t.sc.Fabric.Links.Named) == 0 {
		changes = []scenario.Change{set("fabric.links.spine", whole.String())}
	} else {
		if len(up) > mostNamed {
			return // too many to be written down
		}
		more := 0
		for _, l := range up {
			rate := min(unit.Bitrate(float64(g.Links[l].Rate)*ratio), fastest)
			c := t.rated(more, g.Ports[2*l].Name, "", rate.String())
			more += b2i(!strings.HasSuffix(c.Path, ".rate"))
			changes = append(changes, c)
		}
	}
	t.try(fmt.Sprintf("without oversubscription (%.3g:1), by faster spine links", ratio),
		[]noun.Noun{noun.Oversubscription, noun.SharedLink, noun.ECMPCollision}, changes...)
}

// mostNamed is how many links are named one by one.
const mostNamed = 64

// rated gives the link of a port a rate, for what a node sends by it or, without one, both directions: in the entry that names it
// so, or else in entry k after those that there are.
func (t *trying) rated(k int, name, sender, rate string) scenario.Change {
	named := t.sc.Fabric.Links.Named
	for i, l := range named {
		if (l.Link == name || l.Link == back(t.p.Graph, name)) && l.Sender.Or("") == sender {
			return set(fmt.Sprintf("fabric.links.named[%d].rate", i), rate)
		}
	}
	text := fmt.Sprintf("{link: %q, rate: %s", name, rate)
	if sender != "" {
		text += ", sender: " + sender
	}
	return set(fmt.Sprintf("fabric.links.named[%d]", len(named)+k), text+"}")
}

// switches gives each entry of switches that differ what the others have.
func (t *trying) switches() {
	of := []noun.Noun{noun.WrongThreshold, noun.WrongClass, noun.SmallBuffer, noun.HOLVictim}
	for i, x := range t.sc.Fabric.Switches[:min(len(t.sc.Fabric.Switches), mostEntries)] {
		helps := of
		if x.Latency.Set {
			helps = append(slices.Clone(of), noun.LatencyBound)
		}
		t.try(fmt.Sprintf("with %s as the other switches", x.Match), helps, remove(fmt.Sprintf("fabric.switches[%d]", i)))
	}
	if t.sc.Fabric.Config.Set {
		t.try("without the switches' configurations", of, set("fabric.config", "none"))
	}
	if len(t.sc.Fabric.Switches) > 1 {
		t.try("with all switches alike", of, remove("fabric.switches"))
	}
}

// mostEntries is how many entries of a list are taken away one by one.
const mostEntries = 8

// pauses tries PFC where there is none and frames are lost, and where there is, what ends or prevents its pauses.
func (t *trying) pauses() {
	q := &t.sc.Fabric.QoS
	if !q.PFC.Enabled && t.was.Drops > 0 {
		t.try("with PFC", []noun.Noun{noun.SmallBuffer, noun.WrongThreshold}, set("fabric.qos.pfc.enabled", "true"))
	}
	if !t.p.Switches.Pauses() || t.was.Pauses == 0 {
		return
	}
	if stuck := t.was.Deadlock != nil || t.lost(diagnose.Storm) || t.lost(diagnose.Receiver); stuck &&
		!q.PFC.Watchdog.Detect.Set {
		detect := watchdogOf(unit.Duration(t.was.VirtualTime))
		t.try(fmt.Sprintf("with a PFC watchdog that acts after %s", detect), []noun.Noun{noun.PFCStorm, noun.PFCDeadlock},
			set("fabric.qos.pfc.watchdog.detect", detect.String()), set("fabric.qos.pfc.watchdog.restore", detect.String()))
	}
	if !t.sc.Congestion.Algorithm.Reacts() {
		t.try("with DCQCN and ECN", []noun.Noun{noun.HOLVictim, noun.Incast, noun.SharedLink},
			set("congestion", "{algorithm: dcqcn}"), set("fabric.qos.ecn.enabled", "true"))
	}
}

// watchdogOf is a detection time of the PFC watchdog that a run of so long can tell: 200 ms, as is usual, or the
// twentieth part of the run in whole tens of us.
func watchdogOf(run unit.Duration) unit.Duration {
	const usual, least = 200 * unit.Millisecond, 10 * unit.Microsecond
	return min(usual, max(least, run/20/least*least))
}

// lossy are the nouns of findings in which frames were lost, or taken for lost.
var lossy = []noun.Noun{noun.Timeout, noun.LossyLink, noun.LinkDown, noun.SmallBuffer, noun.BlackHole, noun.WrongThreshold,
	noun.WrongClass, noun.PFCWatchdog}

// losses tries what makes repeats cheaper, or finds losses earlier.
func (t *trying) losses() {
	x := &t.sc.Transport
	if r := t.was.Reordering; r != nil && r.Late+r.Dropped > 0 && x.Receiver != "direct" {
		t.try("with receivers that take any order", []noun.Noun{noun.Reordering, noun.UnevenSpraying},
			set("transport.receiver", "direct"))
	}
	if t.was.Retransmits == 0 {
		return
	}
	if x.Recovery != "selective-repeat" {
		t.try("with only lost packets sent again", []noun.Noun{noun.LossyLink, noun.SmallBuffer, noun.Reordering},
			append(t.without("transport.receiver", "transport.reorder_window", "transport.reorder_buffer"),
				set("transport.recovery", "selective-repeat"))...)
	}
	if short := shorter(x.Timeout.Or(0)); short > 0 {
		c := t.try(fmt.Sprintf("with a retransmission timeout of %s", short), lossy, set("transport.timeout", short.String()))
		c.Timers, c.Part = true, 1-float64(short)/float64(x.Timeout.Or(0))
	}
}

// shorter is an eighth of a timeout, three steps of verbs' scale; 0: there is no shorter one than 32 us, below which a queue
// is taken for a loss.
func shorter(timeout unit.Duration) unit.Duration {
	const least = 32 * unit.Microsecond
	if short := timeout / 8; short >= least {
		return short / unit.Microsecond * unit.Microsecond
	}
	return 0
}

// lost reports whether some of the time was lost to a kind of thing: a hundredth or more.
func (t *trying) lost(k diagnose.Kind) bool {
	b := t.d.Find(k, "")
	return b != nil && t.d.Share(b) >= 0.01
}

// without gives keys their defaults, where the file has them.
func (t *trying) without(keys ...string) (changes []scenario.Change) {
	for _, key := range keys {
		if t.sc.Given(key) {
			changes = append(changes, remove(key))
		}
	}
	return changes
}

// half is what twice the rate takes of what bytes take.
const half = 0.5

// hosts tries more of what GPUs of a host share.
func (t *trying) hosts() {
	c := &t.sc.Cluster
	for _, x := range []struct {
		key, what string
		of        []noun.Noun
		lost      bool
	}{
		{"cluster.host.nvlink", "NVLink", []noun.Noun{noun.NVLinkBound}, t.lost(diagnose.NVLink)},
		{"cluster.host.pcie", "PCIe", []noun.Noun{noun.PCIeBound, noun.PCIeShared, noun.SlowReceiver},
			t.lost(diagnose.PCIe) || t.lost(diagnose.Receiver)},
	} {
		if x.lost && t.sc.Given(x.key) {
			t.try("with "+x.what+" as the board has it", x.of, remove(x.key))
		}
	}
	if t.lost(diagnose.NVLink) {
		t.try("with NVLink twice as fast", []noun.Noun{noun.NVLinkBound},
			set("cluster.host.nvlink", (2*c.Host.NVLink).String())).Part = half
	}
	if !c.Host.Graph.Set && (t.lost(diagnose.PCIe) || t.lost(diagnose.Receiver)) {
		t.try("with PCIe twice as fast", []noun.Noun{noun.PCIeBound, noun.PCIeShared, noun.SlowReceiver},
			set("cluster.host.pcie", (2*c.Host.PCIe).String())).Part = half
	}
	if t.sc.Fabric.Design == topo.DesignCustom { // whose file has as many links as there are NICs
		return
	}
	switch {
	case c.NIC.Shared:
		t.try("with a NIC for each GPU", []noun.Noun{noun.NICShared, noun.PCIeShared}, set("cluster.nic.shared", "false"))
	case c.NIC.SharedBy > 1:
		t.try("with a NIC for each GPU", []noun.Noun{noun.NICShared, noun.PCIeShared}, set("cluster.nic.shared_by", "1"))
	}
}

// control tries other congestion controllers: where traffic meets, one that knows queues; where the one in use keeps senders
// slower than links are, each of the others that are in use.
func (t *trying) control() {
	now := t.sc.Congestion.Algorithm
	if !t.lost(diagnose.SharedPort) && !t.lost(diagnose.Controller) {
		return
	}
	for _, x := range []struct {
		algorithm scenario.Controller
		name      string
	}{{scenario.ByHPCC, "HPCC"}, {scenario.BySwift, "Swift"}, {scenario.ByDCQCN, "DCQCN"}} {
		if x.algorithm == now || x.algorithm != scenario.ByHPCC && !t.lost(diagnose.Controller) {
			continue
		}
		changes := append([]scenario.Change{set("congestion", "{algorithm: "+string(x.algorithm)+"}")}, t.without("transport.window",
			"transport.window_scale", "transport.ack_every")...)
		t.try("with "+x.name, []noun.Noun{noun.ControllerUnderRun, noun.HOLVictim, noun.Incast, noun.SharedLink}, changes...).Late = true
	}
}

// graphs tries kernels that are started as a graph, not one by one.
func (t *trying) graphs() {
	inGraph := scenario.Launches["graph"]
	if t.at.Work == nil || t.sc.Cluster.Host.Launch <= inGraph || !t.lost(diagnose.Launch) {
		return
	}
	t.try(fmt.Sprintf("with CUDA graphs: %s to start a kernel", inGraph), []noun.Noun{noun.LaunchBound},
		set("cluster.host.launch", "graph")).Part = 1 - float64(inGraph)/float64(t.sc.Cluster.Host.Launch)
}

// worthTelling is the part of the time from which on it is told what way and devices cost.
const worthTelling = 0.1

// latencies tells what cables, switches and NICs take, where that is much: there is no cure but other cables and devices.
func (t *trying) latencies() {
	for _, x := range []struct {
		kind   diagnose.Kind
		of     noun.Noun
		name   string
		change scenario.Change
	}{
		{diagnose.Cable, noun.LatencyBound, "with cables that take no time", timeless(t.sc, 0)},
		{diagnose.SwitchDelay, noun.LatencyBound, "with switches without latency", set("fabric.switch.latency", "0ns")},
		{diagnose.NIC, noun.HostBound, "with NICs without latency", set("cluster.nic.latency", "0ns")},
	} {
		if b := t.d.Find(x.kind, ""); b != nil && t.d.Share(b) >= worthTelling {
			t.try(x.name, []noun.Noun{x.of}, x.change).Only = []diagnose.Kind{x.kind}
		}
	}
}

// timeless makes all cables so short that they take no time, behind so many links that are named beside those that there are.
func timeless(sc *scenario.Scenario, more int) scenario.Change {
	return set(fmt.Sprintf("fabric.links.named[%d]", len(sc.Fabric.Links.Named)+more), "{link: \"*/*\", delay: 1ps}")
}

// inOrder sorts changes so that what is set comes before what is taken away, as --set and --unset do. A change of an entry of
// a list must not follow the removal of one before it.
func inOrder(changes []scenario.Change) []scenario.Change {
	out := slices.Clone(changes)
	slices.SortStableFunc(out, func(a, b scenario.Change) int { return b2i(a.Remove) - b2i(b.Remove) })
	return out
}
