package plan

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/plan/scenario"
)

// Files in testdata/plans hold a scenario, the files that it names (== network, with what is in it below), a
// line ---- and what is planned of it: ranks, queue pairs and their paths, collectives, or why there is no plan.
// What this notices: a rank on another GPU, a connection by another NIC, a path, a hash or a number that is
// another's, a time that another algorithm takes.
func TestPlans(t *testing.T) {
	scripttest.Said(t, "testdata/plans/*.txt", func(_ *testing.T, src string) string { return planOf(src) })
}

// planOf says what is planned of a scenario.
func planOf(src string) string {
	src, files := filesOf(src)
	sc, err := scenario.Parse("p.yaml", []byte(src))
	if err != nil {
		return "scenario: " + err.Error() + "\n"
	}
	p, err := New(sc, files, nil)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	if n := files.Bytes(); n > 0 {
		fmt.Fprintf(&b, "files of %v\n", n)
	}
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for i := range p.Jobs {
		p.Jobs[i].say(p, say)
	}
	for id := range p.Pairs {
		q := &p.Pairs[id]
		data, back := p.ChosenPath(q)
		say("pair %d %s: %s, class %d, lane %d of %d, port %x, %s and %s, chosen on the way %v %v, round trip %v", id, q.Name,
			q.Kind, q.Class, q.Lane, q.Lanes, q.Key.SrcPort, p.PathText(q.Path), p.PathText(q.Back), data, back, p.BaseRTT(q))
		m := p.MethodAt(p.Graph.Ports[q.Path[1]].Node)
		say("  stream %x, key %+v", q.Stream, q.Key)
		say("  a window takes %v, used %v, sends %v, %d bytes of a tunnel on its second link; static %v, hashes %v, reorders %v",
			p.WindowTime(q), q.Enabled(), q.Sends(), p.TunnelOn(q.Path[1]), m.Static, m.Hashes, m.Reorders)
		if q.Sends() {
			say("  %v from %v on, GPU %d to GPU %d", q.Flow.Bytes, unit.Duration(q.Start), q.FromGPU, q.ToGPU)
		}
		if q.CrossRail(p.Graph) {
			say("  it crosses rails, and NVLink would do")
		}
		if id > 0 && q.SameRank(&p.Pairs[0]) {
			say("  its rank has the first pair, too")
		}
		if data, back := p.BondHashes(q); data != 0 {
			say("  bond %x %x", data, back)
		}
	}
	say("of start phases alone: %d; hashes %v, moves %v", len(p.Pairs)-p.Steady, p.Hashes(), p.moves())
	p.saySwitches(say)
	for _, x := range p.Pinned() {
		say("%s", x.Text(p))
	}
	for id, is := range p.Captured() {
		if is {
			say("captured: %s", p.Graph.Ports[id].Name)
		}
	}
	for _, e := range p.Tables.Epochs[1:] {
		say("other routes from %v on", unit.Duration(e.From))
	}
	p.sayHeaders(say)
	p.sayAgain(say)
	if last := int32(len(p.Pairs) - 1); sc.Capture.On() {
		say("QPN %x %x to %x %x, PSN %x", p.QPN(0, false), p.QPN(0, true), p.QPN(last, false), p.QPN(last, true), p.PSN(2))
	}
	return b.String()
}

// operations is a number of all that the ranks of a schedule do, in order: of any other schedule it is another.
func operations(s coll.Schedule) uint32 {
	h := fnv.New32a()
	for c := range s.Channels() {
		for rank := range s.Ranks() {
			for i := range s.Len(rank, c) {
				fmt.Fprintln(h, c, rank, s.Op(rank, c, i))
			}
		}
	}
	return h.Sum32()
}

// saySwitches tells what the engine has of switches and links.
func (p *Plan) saySwitches(say func(string, ...any)) {
	c := p.FabricConfig()
	t := fmt.Sprintf("NICs take %v; a frame has %v more on a link, of a tunnel %v, at most %v, of PFC %v; telemetry %v, hosts pause %v",
		c.HostLatency, c.LinkOverhead, c.Tunnel, c.LargestFrame, c.PauseFrame, c.Telemetry, c.HostsPause)
	if c.Untagged != nil {
		t += fmt.Sprintf("; without a tag class %d", *c.Untagged)
	}
	if c.Quirks != nil {
		t += fmt.Sprintf("; quirks %+v", *c.Quirks)
	}
	say("%s", t)
	say("drawn by seed %d; hashed by %+v", c.Seed, p.Hash().Config)
	if c.Faults != nil {
		f := *c.Faults
		f.Of = nil // which is a function
		say("faults of links and switches: %+v, of some links %v", f, c.Faults.Of != nil)
	}
	say("the method has %+v", p.Tables.Setup.Params)
	if r := c.Routing; r != nil && len(p.Pairs) > 0 {
		q := &p.Pairs[0]
		at := p.Graph.Edge(q.From)
		say("of the first pair %s hashes data to %x, with another port to %x, answers to %x", p.Graph.Nodes[at].Name,
			r.Hash(0, q.To, 0, at), r.Hash(0, q.To, 7, at), r.Hash(0, q.From, 0, at))
	}
	if b := p.ReceiveBuffer(); b != nil {
		say("NICs receive into %+v", *b)
	}
}

// filesOf parts a scenario and the files that stand below it.
func filesOf(src string) (string, Files) {
	parts := strings.Split(src, "\n== ")
	f := Files{Jobs: make([]JobFiles, 1)}
	of := map[string]*[]byte{"topology": &f.Topology, "graph": &f.HostGraph, "schedule": &f.Jobs[0].Schedule,
		"flows": &f.Jobs[0].Flows, "network": &f.Jobs[0].Network, "times": &f.Jobs[0].Times}
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "\n")
		if name == "blocks" {
			for _, n := range strings.Fields(text) {
				b, _ := strconv.ParseInt(n, 10, 64)
				f.Blocks = append(f.Blocks, b)
			}
			continue
		}
		*of[name] = []byte(text)
	}
	return parts[0] + "\n", f
}

// sayHeaders tells what switches on the way see of the first queue pair in an overlay, and how each hashes that is not as the
// others.
func (p *Plan) sayHeaders(say func(string, ...any)) {
	h := p.Hash()
	for i := range h.Own {
		say("switches of their own hash as %+v", h.Own[i])
	}
	if h.Outer == nil || len(p.Pairs) == 0 {
		return
	}
	for _, port := range p.Pairs[0].Path {
		at := p.Graph.Ports[port].Node
		say("on %s of the first pair: %+v", p.Graph.Nodes[at].Name, h.Outer(h, p.Pairs[0].Key, int(at)))
	}
}

// sayAgain tells what a job with a spare has once that stands in for the host of its first rank.
func (p *Plan) sayAgain(say func(string, ...any)) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if len(j.Spares()) == 0 {
			continue
		}
		was := j.Placement.Ranks[0].Host
		first, err := p.Reconnect(j, []Move{{From: was, To: j.Spares()[0]}})
		say("again, without host%d: %v, spares %v, from pair %d on", was+1, err, j.Spares(), first)
		for _, l := range j.Links {
			for _, q := range l.Pairs() {
				say("  %d>%d: %s %s", l.Src, l.Dst, p.Pairs[q].Name, p.PathText(p.Pairs[q].Path))
			}
		}
	}
}

// say tells of a job.
func (j *Job) say(p *Plan, say func(string, ...any)) {
	launch, as := p.KernelLaunch(j)
	peak, format := p.Peak(j)
	say("job %s: %s, %d ranks, %d replicas, begins %v, folded %d, steps of 100 examples %d", j.Spec.Name, j.KindName(), j.Ranks(),
		j.Replicas(), unit.Duration(j.Start()), j.Folded(), j.Steps(100))
	say("  kernels %v %s; %d FLOP/s %s; checkpoint %v every %d takes %v; spares %v", launch, as, peak, format, j.CheckpointBytes(),
		j.Checkpoint().Every, j.Checkpoint().Takes, j.Spares())
	for rank := range j.Placement.Ranks {
		at := &j.Placement.Ranks[rank]
		say("  rank %d on host%d/gpu%d, rail %d", rank, at.Host+1, at.GPU, at.Rail)
	}
	for c, ring := range j.Rings {
		say("  ring %d: %v", c, ring)
	}
	if j.HasClosed() {
		say("  it has closed forms")
	}
	if j.Work == nil {
		return
	}
	for i := range j.Rows {
		r := &j.Rows[i]
		say("  row %s by %s %s, %d channels, collectives %d to %d", r.Name(), r.Algorithm, r.Protocol, r.Channels, r.First,
			r.First+r.Count-1)
	}
	for i := range j.Work.Groups {
		g := &j.Work.Groups[i]
		in := p.group(j, g)
		t := fmt.Sprintf("  group %s: %v on rails %v, there", g.Name, g.Ranks, in.rails[:in.Rails])
		for _, at := range in.Ranks {
			t += fmt.Sprintf(" %d/%d", at.Host+1, at.Rail)
		}
		say("%s", t)
	}
	say("  %v of a GPU's memory are NCCL's", j.Work.Reserved)
	for i := range j.Work.Collectives {
		c := &j.Work.Collectives[i]
		t := fmt.Sprintf("  collective %s: %v", c.Name, c.Bytes())
		if c.Schedule != nil {
			t += fmt.Sprintf(", %s, %d channels of %d chunks and %d slots, operations %08x", c.Schedule.Name(), c.Schedule.Channels(),
				c.Schedule.Chunks(), c.Schedule.Slots(), operations(c.Schedule))
		}
		if c.Protocol != nil {
			t += fmt.Sprintf(", protocol %+v", *c.Protocol)
		}
		if c.Formula {
			ranks, takes, sender, host := j.Closed(int32(i))
			t += fmt.Sprintf(", closed: %d ranks, %v, from %d, on host%d, between %v", ranks, takes, sender, host+1, c.Between)
		}
		say("%s", t)
	}
	if j.Model != nil {
		text, err := json.Marshal(j.Network)
		say("  %d parameters, of which the first is %.6g, by %+v, of %s %v", j.params(), j.Model.Init(1)[0], j.Optimiser, text, err)
	}
	if t := j.Work.Training; t != nil {
		say("  laid out as %+v; %d rows a step, of precision %+v, clipped %v", t.Layout, t.Batch, t.Precision, t.Clip)
		say("  the first rank holds %v, the last %v", j.Work.Memory(0), j.Work.Memory(int32(j.Ranks())-1))
	}
	for i := range j.Work.Programs {
		d := j.Work.Programs[i].Device
		curve := d.Curve != nil
		d.Curve, d.Measured = nil, nil
		say("  program %d runs on %+v, with a curve %v", i, d, curve)
	}
	for i, q := range j.Work.Programs {
		for k := range q.Start {
			if op := &q.Start[k]; op.Kind == workload.Copy {
				say("  program %d copies %v before its first step", i, op.Bytes)
			}
		}
	}
	split := j.RankWork() != nil
	for rank, takes := range j.Computes() {
		first := j.Work.Program(int32(rank)).Ops[0].Duration
		say("  rank %d computes %v were it as the others, its first operation takes %v, parts of a model %v", rank, takes, first, split)
	}
	if m := j.Measured; m != nil {
		used, all := m.Used()
		say("  measured: %d of %d operators are used, %v are not, %d are missing", used, all, m.Unused(), len(m.Missing()))
	}
	for i, l := range j.Links {
		if j.LinkOf(l.Group, l.Src, l.Dst, int(l.Channel)) != &j.Links[i] {
			say("link %d is not found", i)
		}
		if l.Pair < 0 {
			continue // inside a host
		}
		say("  link %d>%d of group %d on channel %d: pair %d, %d lanes", l.Src, l.Dst, l.Group, l.Channel, l.Pair, l.Lanes)
	}
}
