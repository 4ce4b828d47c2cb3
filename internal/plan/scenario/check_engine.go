package scenario

import (
	"fmt"

	"railyard/internal/base/located"
	"railyard/internal/net/topo"
)

// checkDesign reports a custom design without its file. What sizes of the others make a network is the
// plan's to say.
func (d *decoder) checkDesign(s *Scenario) {
	if d.ok("fabric.design", "fabric.topology") && s.Fabric.Design == topo.DesignCustom && !s.Fabric.Topology.Set {
		d.problem("fabric.design", "custom: no topology, want fabric.topology: FILE as well", "")
	}
	if n := &s.Cluster.NIC; d.ok("cluster.nic", "cluster.nic.shared_by", "cluster.host.gpus") && n.SharedBy > 1 &&
		s.Cluster.Host.GPUs%n.SharedBy != 0 {
		d.problem("cluster.nic.shared_by", fmt.Sprintf("%d: does not divide the %d GPUs of a host, want a number that does",
			n.SharedBy, s.Cluster.Host.GPUs), "")
	}
	d.checkPorts(s)
}

// checkPorts reports NICs with several ports where something else has only one in mind.
func (d *decoder) checkPorts(s *Scenario) {
	n, f := &s.Cluster.NIC, &s.Fabric
	if !d.ok("cluster.nic.ports", "cluster.nic.bond.mode", "fabric.design") {
		return
	}
	switch {
	case f.Design == topo.DesignDualRail && n.Ports == 1:
		d.between("1: with fabric.design dual-rail each port is on a switch of its own, want 2 to 4", "",
			"cluster.nic.ports", "fabric.design")
	case f.Design == topo.DesignDirect && n.Bonded():
		d.between(fmt.Sprintf("%d: with fabric.design direct a NIC is cabled "+
			"to another, and a bond wants switches, want 1, or cluster.nic.bond.mode: none", n.Ports), "",
			"cluster.nic.ports", "fabric.design")
	}
	if most := 4; n.PerRail() > most && d.ok("cluster.nic.per_gpu") {
		d.between(fmt.Sprintf("%d: %d NICs for a GPU, each of %d ports that "+
			"are NICs of their own, want at most %d in all, or cluster.nic.bond.mode: hash", n.Ports, n.PerGPU, n.Ports, most), "",
			"cluster.nic.ports", "cluster.nic.per_gpu")
	}
	if !n.Bonded() {
		return
	}
	if f.Balance == BalanceConWeave && d.ok("fabric.balance") {
		d.between("conweave: restores the order of a queue pair at one last "+
			"switch, and NICs with several ports have several, want another method, or cluster.nic.bond.mode: none", "",
			"fabric.balance", "cluster.nic.ports")
	}
	if n.Pacing != "each" && d.ok("cluster.nic.pacing") {
		d.between(fmt.Sprintf("%s: is of a NIC with one port, want each, "+
			"or cluster.nic.bond.mode: none", n.Pacing), "", "cluster.nic.pacing", "cluster.nic.ports")
	}
}

// checkSenders reports notification, recovery and congestion control that do not go together.
func (d *decoder) checkSenders(s *Scenario) {
	t, c := s.Transport, s.Congestion
	if c.Algorithm == ByHPCC && t.AckEvery != 1 && d.ok("congestion.algorithm", "transport.ack_every") {
		d.between(fmt.Sprintf("%d: congestion.algorithm hpcc wants an acknowledgement of every packet, want 1", t.AckEvery),
			"", "transport.ack_every", "congestion.algorithm")
	}
	if d.ok("congestion.notify", "transport.frames.cnp") && c.Notify == "cnp" && t.Frames.CNP == 0 {
		d.between("0B: congestion.notify is cnp, and a CNP has a size, want at least 1B", "",
			"transport.frames.cnp", "congestion.notify")
	}
	if w := t.WindowScale; w && t.Window.Word == "none" && d.ok("transport.window", "transport.window_scale") {
		d.between("true: there is no window to scale, want transport.window as well", "",
			"transport.window_scale", "transport.window")
	}
	d.checkQPs(s)
	if t.Receiver == "in-order" && t.Recovery == "selective-repeat" && d.ok("transport.receiver", "transport.recovery") {
		d.problem(d.culprit("transport.receiver", "transport.recovery"),
			"a receiver in-order keeps no packet past a gap, and selective-repeat would have all of them sent again, want "+
				"transport.receiver: buffered or direct, or transport.recovery: go-back-n", "")
	}
	if t.Entropy != "flow" && d.ok("transport.entropy", "fabric.balance") && !s.Fabric.Balance.Hashes() {
		d.between(fmt.Sprintf("%s: with fabric.balance %s switches do not go by "+
			"the source port, want ecmp, wcmp or resilient", t.Entropy, s.Fabric.Balance), "",
			"transport.entropy", "fabric.balance")
	}
	if t.Entropy != "flow" && d.ok("transport.entropy", "transport.receiver") && t.Receiver == "in-order" {
		d.between(fmt.Sprintf("in-order: with transport.entropy %s packets "+
			"overtake one another, and each would be answered with a NAK, want transport.receiver: buffered or direct", t.Entropy), "",
			"transport.receiver", "transport.entropy")
	}
	if c.Algorithm == ByTIMELY && d.ok("congestion.timely.low", "congestion.timely.high") &&
		c.TIMELY.High < c.TIMELY.Low {
		d.problem(d.culprit("congestion.timely.high", "congestion.timely.low"),
			fmt.Sprintf("high %s is below low %s", c.TIMELY.High, c.TIMELY.Low), "")
	}
	if sw := c.Swift; c.Algorithm == BySwift && sw.FlowScaleRange > 0 &&
		d.ok("congestion.swift.flow_scale_min", "congestion.swift.flow_scale_max") &&
		sw.FlowScaleMax.Cmp(sw.FlowScaleMin) <= 0 {
		d.problem(d.culprit("congestion.swift.flow_scale_max", "congestion.swift.flow_scale_min"),
			fmt.Sprintf("flow_scale_max %s is not above flow_scale_min %s", sw.FlowScaleMax, sw.FlowScaleMin), "")
	}
	if windowed(&c) && t.Window.Word != "none" && d.ok("transport.window", "congestion.algorithm") {
		d.between(fmt.Sprintf("%s: congestion.algorithm %s keeps a window of its own, want none",
			byPath["transport.window"].format(&t.Window), c.Algorithm), "",
			"transport.window", "congestion.algorithm")
	}
	d.checkClasses(s)
	p := s.Fabric.QoS.PFC
	if p.HeadroomDelays.Set && p.Headroom.Set && d.ok("fabric.qos.pfc.headroom", "fabric.qos.pfc.headroom_delays") {
		d.problem(d.culprit("fabric.qos.pfc.headroom_delays", "fabric.qos.pfc.headroom"),
			"both headroom and headroom_delays, want one of them", "headroom: auto")
	}
}

// culprit returns the first of the paths that the file gives, else the last.
func (d *decoder) culprit(paths ...string) string {
	for _, p := range paths {
		if d.given(p) {
			return p
		}
	}
	return paths[len(paths)-1]
}

// between reports what is wrong between keys at the first of them that the file gives, else at the last. The message
// begins with the value of the first, "4: ..."; at another the key stands before it.
func (d *decoder) between(message, hint string, paths ...string) {
	path := d.culprit(paths...)
	if path != paths[0] {
		message = paths[0] + " is " + message
	}
	d.problem(path, message, hint)
}

// checkQPs reports what several queue pairs of a connection do not go with.
func (d *decoder) checkQPs(s *Scenario) {
	t := &s.Transport
	if !d.ok("transport.qps_per_connection", "transport.split_data_on_qps") {
		return
	}
	if t.SplitData && t.QPs == 1 {
		d.between("true: there is nothing to split over, want transport.qps_per_connection of at least 2 as well", "",
			"transport.split_data_on_qps", "transport.qps_per_connection")
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		at := j.Path() + ".collective.admission.slots"
		if a := j.Collective.Admission; a.Slots.Set && a.Slots.Value%t.QPs != 0 && d.ok(at) {
			d.between(fmt.Sprintf("%d: the slots of a connection do not spread evenly over its %d queue pairs "+
				"(transport.qps_per_connection), want a multiple of that", a.Slots.Value, t.QPs), "",
				at, "transport.qps_per_connection")
		}
	}
}

// windowed reports whether the algorithm keeps a window of its own.
func windowed(c *Congestion) bool {
	return c.Algorithm.Windowed() && !(c.Algorithm == ByDCTCP && c.DCTCP.RateAI.Set)
}

// checkClasses reports traffic for which there is no class.
func (d *decoder) checkClasses(s *Scenario) {
	if s.Fabric.QoS.Classes != "data" || !d.ok("fabric.qos.classes") {
		return
	}
	no := func(path, what string) {
		d.between(what+", but fabric.qos.classes is data: there is no class for it",
			"fabric.qos.classes: all", path, "fabric.qos.classes")
	}
	if s.Congestion.Notify == "cnp" && d.ok("congestion.notify") {
		no("congestion.notify", "cnp: receivers send CNPs")
	}
	if s.Transport.AckClass == "cnp" && d.ok("transport.ack_class") {
		no("transport.ack_class", "cnp: acknowledgements go with CNPs")
	}
	flows := func(path string, entries []FlowEntry) {
		for i := range entries {
			if entries[i].Priority == "other" {
				no(fmt.Sprintf("%s[%d].priority", path, i), "other")
			}
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Collective.Admission.Slots.Set {
			no(j.Path()+".collective.admission.slots", "clear-to-send goes with CNPs")
		}
		if j.Collective.Slots.Set {
			no(j.Path()+".collective.slots", "credits go with CNPs")
		}
		flows(j.Path()+".flows", j.Entries)
	}
	flows("background.flows", s.Background.Entries)
}

// clean reports whether all keys of an entry of a list have values.
func (d *decoder) clean(entry string, table []*Field) bool {
	if !d.ok(entry) {
		return false
	}
	for _, f := range table {
		if !d.ok(entry + "." + f.Path) {
			return false
		}
	}
	return true
}

// checkNamedLinks reports entries that do nothing or say a thing twice.
func (d *decoder) checkNamedLinks(s *Scenario) {
	named := map[string]int{}
	for i, l := range s.Fabric.Links.Named {
		path := fmt.Sprintf("fabric.links.named[%d]", i)
		if !d.clean(path, linkFields) {
			continue
		}
		switch first, twice := named[l.Link]; {
		case l.Sender.Set && (!l.Rate.Set || l.Length.Set || l.Delay.Set):
			d.problem(path+".sender", l.Sender.Value+": an end has a rate, length and delay are the cable's; want rate alone beside it", "")
		case l.Sender.Set: // comes on top
			continue
		case twice:
			d.problem(path+".link", fmt.Sprintf("%s: the link of fabric.links.named[%d] too", l.Link, first),
				"give one entry for a link")
		case !l.Rate.Set && !l.Length.Set && !l.Delay.Set:
			d.problem(path, "does nothing, want rate, length or delay as well", "")
		case l.Length.Set && l.Delay.Set:
			d.problem(path+".delay", "both length and delay, want one of them", "")
		}
		if _, twice := named[l.Link]; !twice {
			named[l.Link] = i
		}
	}
}

// checkHostLinks reports links inside a host that are named twice.
func (d *decoder) checkHostLinks(s *Scenario) {
	at := &s.Cluster.Host
	if len(at.Links) > 0 && !at.Graph.Set && d.ok("cluster.host.graph") {
		d.problem("cluster.host.links", "has no meaning here: cluster.host.graph is none, so links have no names", "remove it")
		return
	}
	named := map[string]int{}
	for i, l := range at.Links {
		path := fmt.Sprintf("cluster.host.links[%d]", i)
		if !d.clean(path, hostLinkFields) {
			continue
		}
		if first, twice := named[l.Link]; twice {
			d.problem(path+".link", fmt.Sprintf("%s: the link of cluster.host.links[%d] too", l.Link, first),
				"give one entry for a link")
			continue
		}
		named[l.Link] = i
	}
}

// checkSlow reports slow ranks that the job does not have, or that are named twice.
func (d *decoder) checkSlow(s *Scenario) {
	if len(s.Cluster.Slow) == 0 {
		return
	}
	ranked := s.Ranked()
	if len(ranked) == 0 {
		if len(s.Jobs) > 0 {
			d.problem("cluster.slow", "has no meaning here: "+onlyRanks(&s.Jobs[0]), "remove it")
		}
		return
	}
	type rankOf struct {
		job  string
		rank int
	}
	named := map[rankOf]int{}
	for i, r := range s.Cluster.Slow {
		path := fmt.Sprintf("cluster.slow[%d]", i)
		j := s.SlowJob(&r)
		if !d.clean(path, slowFields) || j != nil && (!d.okRanks(j) || !d.ok("cluster.hosts", "cluster.host.gpus")) {
			continue
		}
		if j == nil {
			var names []string
			for _, k := range ranked {
				names = append(names, k.Name)
			}
			d.problem(path+".job", fmt.Sprintf("%s: no job with ranks has that name, want %s", r.Job.Value, located.OneOf(names)), "")
			continue
		}
		key := rankOf{j.Path(), r.Rank}
		first, twice := named[key]
		switch ranks := s.RankCount(j); {
		case r.Rank >= ranks:
			d.problem(path+".rank", fmt.Sprintf("%d: no such rank, want 0 to %d", r.Rank, ranks-1), "")
		case twice:
			d.problem(path+".rank", fmt.Sprintf("%d: the rank of cluster.slow[%d] too", r.Rank, first),
				"give one entry for a rank")
		default:
			named[key] = i
		}
	}
}
