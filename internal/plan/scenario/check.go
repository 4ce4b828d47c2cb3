package scenario

import (
	"fmt"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// check reports what is wrong between fields. A rule whose fields are bad is skipped.
func (d *decoder) check(s *Scenario) {
	d.checkJobs(s)
	d.checkQoS(s)
	d.checkWatchdog(s)
	d.checkTrust(s)
	d.checkFrames(s)
	d.checkDesign(s)
	d.checkSwitch(s)
	d.checkSwitches(s)
	d.checkSenders(s)
	d.checkFaults(s)
	d.checkRouting(s)
	d.checkBalance(s)
	d.checkNamedLinks(s)
	d.checkHostLinks(s)
	d.checkSlow(s)
	if d.ok("cluster.hosts", "cluster.host.gpus", "cluster.nic.shared", "cluster.nic.per_gpu", "cluster.nic.shared_by",
		"cluster.nic.ports", "cluster.nic.bond.mode") {
		names := map[string]string{}
		for i := range s.Jobs {
			j := &s.Jobs[i]
			if len(s.Jobs) > 1 { // the name of the job stands before those of its flows
				names = map[string]string{}
			}
			before := len(d.problems)
			j.Flows = d.makeFlows(s, j.Entries, j.Path()+".flows", "flow", names)
			if !j.FlowsCSV.Set && len(d.problems) == before && len(j.Flows) > 0 && d.ok(j.Path()+".flows") &&
				!slices.ContainsFunc(j.Flows, func(f Flow) bool { return f.Enabled }) {
				d.problem(j.Path()+".flows", "no flow is enabled, want at least one", "")
			}
		}
		if len(s.Jobs) > 1 {
			names = map[string]string{}
		}
		s.Background.Flows = d.makeFlows(s, s.Background.Entries, "background.flows", "background", names)
	}
}

// ok reports whether all of these fields have values.
func (d *decoder) ok(paths ...string) bool {
	for _, p := range paths {
		for q := p; q != ""; q = parent(q) {
			if d.bad[q] {
				return false
			}
		}
	}
	return true
}

func (d *decoder) checkJobs(s *Scenario) {
	_, one := d.keys["job"]
	_, several := d.keys["jobs"]
	switch {
	case one && several:
		d.at("jobs", d.keys["jobs"], "both job and jobs, want one of them", "make job an entry of jobs")
		return
	case !one && !several:
		d.problem("job", noJob, "")
	}
	d.checkLines(s)
	names := map[string]string{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d.checkJob(s, j)
		if !d.ok(j.Path() + ".name") {
			continue
		}
		if other, twice := names[j.Name]; twice {
			d.problem(j.Path()+".name", fmt.Sprintf("%s: the name of %s too, want one of its own", j.Name, other), "")
		}
		names[j.Name] = j.Path()
	}
}

const noJob = "missing, want train: (a network to train), model: (a large model's shape), replay: (durations and bytes of a training), " +
	"collectives: (collectives to time) or flows: (messages to send)"

func (d *decoder) checkJob(s *Scenario, j *Job) {
	at := j.Path()
	if !d.ok(at) {
		return
	}
	given := func(key string) bool { _, ok := d.keys[at+"."+key]; return ok }
	train, replay, rows, flows := given("train"), given("replay"), given("collectives"), given("flows")
	model := given("model")
	csv := j.FlowsCSV.Set
	switch {
	case model && (train || replay || rows || flows):
		for _, key := range []string{"train", "replay", "collectives", "flows"} {
			if given(key) {
				d.at(at, d.keys[at+"."+key], "both model and "+key+", want exactly one", "")
			}
		}
	case train && replay:
		d.at(at, d.keys[at+".replay"], "both train and replay, want exactly one", "")
	case replay && rows:
		d.at(at, d.keys[at+".collectives"], "both replay and collectives, want exactly one", "")
	case replay && flows:
		d.at(at, d.keys[at+".flows"], "both replay and flows, want exactly one",
			"traffic beside a replay goes in background.flows")
	case train && rows:
		d.at(at, d.keys[at+".collectives"], "both train and collectives, want exactly one", "")
	case train && flows:
		d.at(at, d.keys[at+".flows"], "both train and flows, want exactly one",
			"traffic beside a training job goes in background.flows")
	case rows && flows:
		d.at(at, d.keys[at+".flows"], "both collectives and flows, want exactly one",
			"traffic beside collectives goes in background.flows")
	case !train && !model && !replay && !rows && !flows && !csv && d.ok(at+".flows_csv"):
		d.problem(at, noJob, "")
	}
	d.checkRows(s, j)
	d.checkData(j)
	d.checkModel(j)
	d.checkReplay(j)
	d.checkLargeModel(s, j)
	if (j.Train != nil || j.Model != nil || j.Replay != nil) && d.ok(at+".collective.algorithm", at+".collective.protocol") {
		d.checkProtocol(j, at+".collective", j.Collective.Algorithm, j.Collective.Protocol)
	}
	d.checkPlacement(s, j)
	if j.Train == nil && j.Model == nil || !d.okRanks(j) || !d.ok(at+".hosts", at+".gpus", "cluster.hosts", "cluster.host.gpus") {
		return
	}
	d.checkParallel(s, j)
	if j.Train == nil {
		return
	}
	if g, name := j.Train.Data.Drawn(); g != nil && d.ok(at+".train.batch", at+".train.data."+name+".train") {
		d.checkBatch(at, j.Train.Batch, j.Parallel.DP, g.Train)
	}
}

// okRanks reports whether the number of a job's ranks is known.
func (d *decoder) okRanks(j *Job) bool {
	at := j.Path() + ".parallel"
	return d.ok(at+".tp", at+".pp", at+".dp")
}

// checkParallel reports a layout that does not fit the GPUs of the job.
func (d *decoder) checkParallel(s *Scenario, j *Job) {
	p, at := &j.Parallel, j.Path()+".parallel"
	ranks, gpus := p.Ranks(), s.rankPlaces(j)
	product := fmt.Sprintf("dp %d x tp %d x pp %d = %d", p.DP, p.TP, p.PP, ranks)
	if p.TP*p.PP == 1 {
		product = fmt.Sprint(ranks)
	}
	switch path := d.culprit(at+".dp", at+".pp", at+".tp"); {
	case ranks > gpus && len(j.Placement.GPUs) == 0:
		hosts := s.hostCount(j)
		d.problem(path, fmt.Sprintf("%s: more ranks than GPUs, want at most %d (%d hosts x %d GPUs)", product, gpus, hosts,
			gpus/max(hosts, 1)), "")
	case !d.given(at+".dp") && ranks < gpus:
		d.problem(path, fmt.Sprintf("tp %d x pp %d = %d: does not divide the %d GPUs of the job", p.TP, p.PP, p.TP*p.PP, gpus),
			"give dp, which leaves GPUs idle, or other sizes")
	}
}

// maxOperations bounds the operations of a job of collectives: each is planned, and kept until it is run.
const maxOperations = 10_000

// checkRows reports rows of a job's collectives whose keys do not go together.
func (d *decoder) checkRows(s *Scenario, j *Job) {
	operations, rows := 0, j.Path()+".collectives"
	for i := range j.Collectives {
		c, path := &j.Collectives[i], fmt.Sprintf("%s[%d]", rows, i)
		if !d.clean(path, rowFields) {
			continue
		}
		if !c.Algorithm.does(c.Op) {
			d.problem(path+".algorithm", fmt.Sprintf("%s: no algorithm of %s, want %s", c.Algorithm, c.Op,
				located.OneOf(append([]Algorithm{AlgorithmAuto}, algorithmsOf[c.Op]...))), "")
		}
		if c.Bytes%4 != 0 {
			d.problem(path+".bytes", fmt.Sprintf("%s: not a whole number of float32 values, want a multiple of 4 bytes",
				c.Bytes), "")
		}
		if c.Skew > 1 && c.Op != "all-to-all" {
			d.problem(path+".skew", fmt.Sprintf("%d: %s has one size for all, want 1 or op: all-to-all", c.Skew, c.Op), "")
		}
		d.checkProtocol(j, path, c.Algorithm, c.Protocol)
		operations += c.Iterations + c.Warmup
	}
	if operations > maxOperations {
		d.problem(rows, fmt.Sprintf("%d operations in all, want at most %d: fewer iterations, or fewer rows",
			operations, maxOperations), "")
	}
	if n := s.RankCount(j); n > maxRanks && j.Train == nil && j.Model == nil && d.ok("cluster.hosts", "cluster.host.gpus") {
		if j.Replay != nil {
			rows = j.Path() + ".replay"
		}
		d.problem(rows, fmt.Sprintf("over %d GPUs, want at most %d ranks", n, maxRanks), "")
	}
}

// maxBuckets is how many buckets the schedules of a step are kept for.
const maxBuckets = 1000

// checkReplay reports a replay without a bucket, with too many, or with parts of numbers.
func (d *decoder) checkReplay(j *Job) {
	at := j.Path() + ".replay.buckets"
	switch {
	case j.Replay == nil || !d.ok(at):
	case len(j.Replay.Buckets) == 0:
		d.problem(at, "missing, want a list of buckets: - {compute: 2ms, bytes: 25MB}", "")
	case len(j.Replay.Buckets) > maxBuckets:
		d.problem(at, fmt.Sprintf("%d buckets, want at most %d", len(j.Replay.Buckets), maxBuckets), "")
	default:
		for i, b := range j.Replay.Buckets {
			if path := fmt.Sprintf("%s[%d].bytes", at, i); b.Bytes%4 != 0 && d.ok(path) {
				d.problem(path, fmt.Sprintf("%s: not a whole number of float32 values, want a multiple of 4 bytes", b.Bytes), "")
			}
		}
	}
}

// checkProtocol reports an algorithm and a protocol that do not go together, or not with admission.
func (d *decoder) checkProtocol(j *Job, path string, algorithm Algorithm, protocol NCCLProtocol) {
	lines := protocol.HasLines()
	if protocol == ProtocolAuto && j.Model == nil && len(j.Collectives) == 0 {
		d.problem(path+".protocol", fmt.Sprintf("%s: it belongs to job.model and to rows of job.collectives, want none, ll, ll128 or "+
			"simple", protocol), "")
	}
	if algorithm.Adds() && lines {
		d.problem(path+".protocol", fmt.Sprintf("%s: not of %s, want simple or none", protocol, algorithm), "")
	}
	if at := j.Path() + ".collective.admission"; lines && j.Collective.Admission.Slots.Set && d.ok(at) {
		d.problem(path+".protocol", fmt.Sprintf("%s: %s cuts messages of data, want simple or none", protocol, at), "")
	}
}

// checkLines reports protocols whose lines hold more data than bytes.
func (d *decoder) checkLines(s *Scenario) {
	for _, p := range []struct {
		name string
		*Protocol
	}{{"ll", &s.Cluster.Protocols.LL}, {"ll128", &s.Cluster.Protocols.LL128}, {"simple", &s.Cluster.Protocols.Simple}} {
		path := "cluster.protocols." + p.name
		if d.ok(path+".data", path+".line") && p.Data > p.Line {
			d.problem(path+".data", fmt.Sprintf("%s: more than %s.line, %s", p.Data, path, p.Line), "")
		}
	}
}

// maxRanks is the most ranks that a job has, as of parallel.dp.
const maxRanks = 32768

// checkBatch reports a step that takes more images than there are.
func (d *decoder) checkBatch(job string, batch, replicas, images int) {
	if batch*replicas <= images {
		return
	}
	want := fmt.Sprintf("want at most %d", images/replicas)
	if images < replicas {
		want = "want more images or fewer replicas"
	}
	d.problem(job+".train.batch",
		fmt.Sprintf("%d on each of %d replicas: one step takes more than the %d training images, %s",
			batch, replicas, images, want), "")
}

func (d *decoder) checkQoS(s *Scenario) {
	q := s.Fabric.QoS
	d.distinct([]string{"fabric.qos.data_priority", "fabric.qos.cnp_priority", "fabric.qos.other_priority"},
		[]int{q.DataPriority, q.CNPPriority, q.OtherPriority})
	d.distinct([]string{"fabric.qos.dscp", "fabric.qos.cnp_dscp"}, []int{q.DSCP, q.CNPDSCP})
	if d.ok("fabric.qos.ecn.min", "fabric.qos.ecn.max", "fabric.links.host", "fabric.links.spine",
		"cluster.nic.speed") {
		d.checkECN(s)
	}
	if t := q.PFC.Threshold; t.Set && d.ok("fabric.qos.pfc.threshold", "fabric.qos.pfc.resume_offset") &&
		xonProblem(&s.Fabric) != "" {
		d.problem(d.culprit("fabric.qos.pfc.resume_offset", "fabric.qos.pfc.threshold"), xonProblem(&s.Fabric), "")
	}
	if t := q.PFC.Threshold; t.Set && d.ok("fabric.qos.pfc.threshold", "fabric.switch.buffer") &&
		t.Value > s.Fabric.Switch.Buffer {
		d.problem("fabric.qos.pfc.threshold",
			fmt.Sprintf("%s: larger than fabric.switch.buffer, %s: PFC would never act",
				t.Value, s.Fabric.Switch.Buffer), "")
	}
}

// checkTrust reports DSCPs that switches are to look at where they look at tags.
func (d *decoder) checkTrust(s *Scenario) {
	if s.Fabric.QoS.Trust != "pcp" || !d.ok("fabric.qos.trust", "fabric.qos.classes") {
		return
	}
	const none = "has no effect where fabric.qos.trust is pcp"
	if s.Fabric.QoS.Classes == "data" {
		d.problem("fabric.qos.trust", "pcp: fabric.qos.classes is data: there is one class, whatever the tag: it has no effect", "")
	}
	if s.Fabric.Config.Set && d.ok("fabric.config") {
		d.problem("fabric.qos.trust", "pcp: what fabric.config names goes by DSCPs: it has no effect", "")
	}
	for i := range s.Fabric.Switches {
		p := &s.Fabric.Switches[i]
		for k, set := range []bool{p.DSCP.Set, p.CNPDSCP.Set} {
			if at := fmt.Sprintf("fabric.switches[%d].%s", i, []string{"dscp", "cnp_dscp"}[k]); set && d.ok(at) {
				d.problem(at, none, "")
			}
		}
	}
	for i := range s.Faults {
		if at := fmt.Sprintf("faults[%d].config.dscp", i); s.Faults[i].Config.DSCP.Set && d.ok(at) {
			d.problem(at, none, "")
		}
	}
}

// checkWatchdog reports keys of a watchdog that is not there, or that no port needs.
func (d *decoder) checkWatchdog(s *Scenario) {
	const at = "fabric.qos.pfc.watchdog."
	w := &s.Fabric.QoS.PFC.Watchdog
	switch {
	case w.Detect.Set && !s.Fabric.QoS.PFC.Enabled && d.ok(at+"detect", "fabric.qos.pfc.enabled"):
		d.problem(at+"detect", fmt.Sprintf("%s: fabric.qos.pfc.enabled is false: nothing is paused", w.Detect.Value), "")
	case !w.Detect.Set && !d.given(at+"detect"):
		for _, key := range []string{"restore", "action"} {
			if d.given(at + key) {
				d.problem(at+key, "has no effect without "+at+"detect", "")
			}
		}
	}
}

// xonProblem says why a fixed xOFF leaves no xON; "": it does.
func xonProblem(f *Fabric) string {
	t, offset := f.QoS.PFC.Threshold.Value, f.QoS.PFC.ResumeOffset
	if offset <= t {
		return ""
	}
	return fmt.Sprintf("xON = threshold %s - resume_offset %s would be negative, want resume_offset at most %s", t, offset, t)
}

func (d *decoder) checkECN(s *Scenario) {
	text := curveProblem(s, &s.Fabric)
	if text == "" {
		return
	}
	hint := ""
	if s.Fabric.QoS.ECN.Min.Set != s.Fabric.QoS.ECN.Max.Set {
		hint = "give both min and max, or leave both to auto"
	}
	d.problem(d.culprit("fabric.qos.ecn.min", "fabric.qos.ecn.max"), text, hint)
}

// curveProblem says at which rate the marking curve of switches that are as f says is none; "": it is
// one at all rates.
func curveProblem(s *Scenario, f *Fabric) string {
	if s.Fabric.custom() {
		s = &Scenario{Fabric: s.Fabric, Cluster: s.Cluster} // the file says the rates of links: look at that of a NIC
		s.Fabric.Links.Host = s.Cluster.NIC.Speed
	}
	rates, links := []unit.Bitrate{s.Fabric.Links.Host}, &s.Fabric.Links
	for _, r := range []unit.Bitrate{links.Spine, links.SuperSpine, s.Fabric.Dragonfly.LocalRate,
		s.Fabric.Dragonfly.GlobalRate} {
		if r > 0 && !slices.Contains(rates, r) {
			rates = append(rates, r)
		}
	}
	for _, l := range s.Fabric.Links.Named {
		if l.Rate.Set && !slices.Contains(rates, l.Rate.Value) {
			rates = append(rates, l.Rate.Value)
		}
	}
	curve := f.QoS.ECN.Curve()
	for _, r := range rates {
		if m := curve.At(r); m.Min > m.Max { // equal: a step, as DCTCP has it
			return fmt.Sprintf("min %s is above max %s on a %s port", m.Min, m.Max, r)
		}
	}
	return ""
}

// distinct reports a value that two fields share, at the later one that the file gives.
func (d *decoder) distinct(paths []string, values []int) {
	for i := range paths {
		for j := range i {
			if values[i] == values[j] && d.ok(paths[i], paths[j]) {
				d.problem(d.culprit(paths[i], paths[j]),
					fmt.Sprintf("%d: %s and %s must differ", values[i], paths[j], paths[i]), "")
			}
		}
	}
}

func (d *decoder) checkFrames(s *Scenario) {
	headers := s.Transport.Frames.MaxHeaders() + s.Fabric.QoS.Tag()
	parts := []string{"transport.mtu", "transport.frames.header", "transport.frames.reth", "transport.frames.immediate",
		"fabric.qos.trust", "fabric.mtu"}
	if d.ok(parts...) && s.Transport.MTU+headers > s.Fabric.MTU {
		d.problem(d.culprit(parts...), fmt.Sprintf(
			"payload %s and %s of headers do not fit a frame of fabric.mtu %s, want transport.mtu at most %s",
			s.Transport.MTU, headers, s.Fabric.MTU, s.Fabric.MTU-headers), "")
	}
	if w := s.Transport.Window; w.Word == "" && d.ok("transport.window", "transport.mtu") &&
		w.Value < s.Transport.MTU {
		d.problem("transport.window", fmt.Sprintf("%s: less than one packet of transport.mtu %s, want at least that",
			w.Value, s.Transport.MTU), "")
	}
	if !s.Fabric.custom() && d.ok("cluster.nic.speed", "fabric.links.host") &&
		s.Cluster.NIC.Speed != s.Fabric.Links.Host {
		d.between(fmt.Sprintf("%s: differs from cluster.nic.speed %s: the two ends of a link have one rate",
			s.Fabric.Links.Host, s.Cluster.NIC.Speed),
			"give one of the two", "fabric.links.host", "cluster.nic.speed")
	}
	if d.ok("congestion.min_rate", "cluster.nic.speed") && s.Congestion.MinRate > s.Cluster.NIC.Speed {
		d.problem("congestion.min_rate", fmt.Sprintf("%s: above cluster.nic.speed %s, want at most that",
			s.Congestion.MinRate, s.Cluster.NIC.Speed), "")
	}
}

// checkSwitch reports a buffer that what is set aside in it would fill.
func (d *decoder) checkSwitch(s *Scenario) {
	f := s.Fabric
	if f.custom() || !d.ok("fabric.design", "fabric.leaves", "fabric.qos.classes", "fabric.switch.buffer",
		"fabric.switch.reserve", "fabric.qos.pfc.headroom", "fabric.spines", "fabric.links.parallel", "cluster.hosts",
		"cluster.host.gpus", "fabric.mtu", "cluster.nic.per_gpu", "cluster.nic.shared",
		"cluster.nic.shared_by", "cluster.nic.ports", "cluster.nic.bond", "fabric.segment", "fabric.links.peer",
		"fabric.rails_per_leaf", "fabric.spines_per_leaf", "fabric.dragonfly.groups", "fabric.dragonfly.routers",
		"fabric.dragonfly.global") {
		return
	}
	classes := unit.Bytes(3)
	if f.QoS.Classes == "data" {
		classes = 1
	}
	ports := unit.Bytes(s.SwitchPorts())
	aside := ports * classes * f.Switch.Reserve
	what := fmt.Sprintf("%d ports x %d classes x reserve %s", ports, classes, f.Switch.Reserve)
	if f.QoS.PFC.Enabled && f.QoS.PFC.Headroom.Set {
		aside += ports * f.QoS.PFC.Headroom.Value
		what += fmt.Sprintf(" + %d ports x headroom %s", ports, f.QoS.PFC.Headroom.Value)
	}
	if aside+f.MTU > f.Switch.Buffer {
		d.problem("fabric.switch.buffer", fmt.Sprintf("%s: too small for %s = %s and one frame, want at least %s",
			f.Switch.Buffer, what, aside, aside+f.MTU), "")
	}
}

// horizon is the latest virtual time at which a flow may be posted.
const horizon = 24 * unit.Hour

func (d *decoder) checkFlow(s *Scenario, f *Flow, path string, names map[string]string) {
	if !d.ok(path) {
		return
	}
	if other, ok := names[f.Name]; ok && d.ok(path+".name") {
		d.problem(path+".name", fmt.Sprintf("%s: the name of %s too, want one of its own", f.Name, other), "")
	}
	names[f.Name] = path
	for _, m := range flowMistakes(s, f) {
		ok := true
		for _, key := range m.keys {
			ok = ok && d.ok(path+"."+key)
		}
		if ok {
			d.problem(path+"."+m.keys[0], m.message, m.hint)
		}
	}
}

// A mistake is what is wrong between fields of a flow. It is one where all of these keys have
// values; it stands at the first.
type mistake struct {
	keys          []string
	message, hint string
}

// flowMistakes holds a flow against the cluster.
func flowMistakes(s *Scenario, f *Flow) (all []mistake) {
	from, to := endMistake(s, f.From), endMistake(s, f.To)
	if from != "" {
		all = append(all, mistake{keys: []string{"from"}, message: from})
	}
	if to != "" {
		all = append(all, mistake{keys: []string{"to"}, message: to})
	}
	if from == "" && to == "" {
		if message := pairMistake(s, f); message != "" {
			all = append(all, mistake{keys: []string{"to", "from"}, message: message})
		}
	}
	return append(all, timeMistakes(f)...)
}

// timeMistakes holds the times of a flow's messages against each other.
func timeMistakes(f *Flow) (all []mistake) {
	switch {
	case f.Count > 1 && f.Every == 0:
		all = append(all, mistake{[]string{"count", "every", "start"},
			fmt.Sprintf("%d: no period, want every: as well, such as every: 100us", f.Count), ""})
	case f.Count == 1 && f.Every > 0:
		all = append(all, mistake{[]string{"every", "count", "start"},
			fmt.Sprintf("%s: has no effect with count 1, want count: 2 or more as well", f.Every), ""})
	case f.Count > 1 && unit.Duration(f.Count-1) > (horizon-f.Start)/f.Every:
		all = append(all, mistake{[]string{"count", "every", "start"},
			fmt.Sprintf("%d: the last message would be posted later than %s of virtual time, want at most %d",
				f.Count, horizon, 1+(horizon-f.Start)/f.Every), ""})
	}
	return all
}

// endMistake says what is wrong with an end that is not in the cluster.
func endMistake(s *Scenario, e Endpoint) string {
	what, i, n := "gpu", e.GPU, s.Cluster.Host.GPUs
	if e.NIC >= 0 {
		what, i, n = "nic", e.NIC, s.NICsPerHost()
	}
	switch {
	case e.Host >= s.Cluster.Hosts:
		return fmt.Sprintf("%s: no such host, want %s", e, upTo("host", 1, s.Cluster.Hosts))
	case i >= n:
		return fmt.Sprintf("%s: no such %s, want %s", e, what, upTo(what, 0, n-1))
	}
	return ""
}

func upTo(name string, lo, hi int) string {
	if lo >= hi {
		return fmt.Sprintf("%s%d", name, hi)
	}
	return fmt.Sprintf("%s%d to %s%d", name, lo, name, hi)
}

// pairMistake says why nothing crosses the fabric between two ends that are in the cluster.
func pairMistake(s *Scenario, f *Flow) string {
	switch {
	case f.From == f.To:
		return fmt.Sprintf("%s: the sender too, want another host", f.To)
	case f.From.Host == f.To.Host && s.NICOf(f.From) == s.NICOf(f.To):
		return fmt.Sprintf("%s: uses the same NIC as %s, so nothing crosses the fabric, want another host", f.To, f.From)
	}
	return ""
}
