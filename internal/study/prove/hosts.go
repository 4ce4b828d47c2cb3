package prove

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/hostboard"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostlint"
	"railyard/internal/config/lint"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// An ill is what a finding about a host is in a scenario: changes that make it so, or why no key knows it.
type ill struct {
	faults []string // of that host
	keys   []scenario.Change
	note   string
	why    string
	// boards are of cluster.host.graph, of all hosts: as the host is, and mended; nil: the scenario's.
	boards [2][]byte
	mended string // how
}

// key tells apart what is another run.
func (x *ill) key() string {
	return fmt.Sprint(x.faults, x.keys, string(x.boards[0]), string(x.boards[1]))
}

// Costs are what findings about hosts cost a scenario's own job.
type Costs struct {
	sc   *scenario.Scenario
	ills []ill
	of   []int // by finding: its ill
	host []string
	rule []string
}

// NewCosts finds what each finding is in a scenario. Equal ones are one.
func NewCosts(sc *scenario.Scenario, p *plan.Plan, all []lint.Finding, hosts []*hostinfo.Host) *Costs {
	c := &Costs{sc: sc}
	for i := range all {
		f := &all[i]
		var x ill
		k := slices.IndexFunc(hosts, func(h *hostinfo.Host) bool { return h.Name == f.Device })
		at := slices.IndexFunc(p.Graph.Hosts, func(h topo.Host) bool { return h.Name == f.Device })
		switch {
		case k < 0 || at < 0:
			x.why = "the scenario has no host of this name"
		case f.Severity == lint.Unknown:
			x.why = "not known whether it is so"
		default:
			x = illOf(f, hosts[k], p, at)
		}
		same := slices.IndexFunc(c.ills, func(o ill) bool { return x.why == "" && o.why == "" && o.key() == x.key() })
		if same < 0 {
			same = len(c.ills)
			c.ills = append(c.ills, x)
		}
		c.of, c.host, c.rule = append(c.of, same), append(c.host, f.Device), append(c.rule, f.Rule)
	}
	return c
}

// Runs is how many runs Prove makes: one for each that a key knows, and one for each board that it is held against: as
// designed, or a host's own that is mended.
func (c *Costs) Runs() int {
	n, against := 0, map[string]bool{}
	for i := range c.ills {
		if x := &c.ills[i]; x.why == "" {
			n++
			against[string(x.boards[1])] = true
		}
	}
	return n + len(against)
}

// interrupted is why there is no proof of what was not reached.
const interrupted = "interrupted before its run was done"

// Prove runs the job as it is designed and with each finding, and tells how far that is. By finding: its proof, and the
// finding whose proof it shares, itself where it has its own. Where it is interrupted, proofs that were done stay.
func (c *Costs) Prove(ctx context.Context, tell func(result.Progress)) (all []*Proof, first []int, err error) {
	proofs := make([]*Proof, len(c.ills))
	owner := map[int]int{}
	for i, k := range c.of {
		if _, known := owner[k]; !known {
			owner[k] = i
			proofs[k] = &Proof{Rule: c.rule[i], Device: c.host[i], Why: c.ills[k].why}
		}
		all, first = append(all, proofs[k]), append(first, owner[k])
	}
	if c.Runs() == 0 {
		return all, first, nil
	}
	done, hops, latest := 0, int64(0), int64(0)
	play := func(sc *scenario.Scenario, graph []byte) (*result.Summary, error) {
		sum, err := run.Run(ctx, sc, run.Options{HostGraph: graph, Progress: func(v result.Progress) {
			latest = v.PacketHops
			tell(result.Progress{Phase: "runs", Done: int64(done), Total: int64(c.Runs()), PacketHops: hops + latest,
				Part: (float64(done) + v.Fraction()) / float64(c.Runs())})
		}})
		done, hops, latest = done+1, hops+latest, 0
		return sum, err
	}
	against := map[string]*result.Summary{} // by the text of the board
	for k := range c.ills {
		x, p := &c.ills[k], proofs[k]
		if x.why != "" {
			continue
		}
		if ctx.Err() != nil {
			p.Why = interrupted
			continue
		}
		whole := against[string(x.boards[1])]
		if whole == nil {
			sc, err := c.sc, error(nil)
			if x.boards[1] != nil {
				sc, err = c.sc.With(x.keys...)
			}
			if err == nil {
				whole, err = play(sc, x.boards[1])
			}
			switch {
			case ctx.Err() != nil:
				p.Why = interrupted
				continue
			case x.boards[1] != nil && (whole == nil || err != nil):
				p.Why = "this scenario cannot have it: " + err.Error()
				continue
			case whole == nil || err != nil:
				return nil, nil, fmt.Errorf("as designed: %w", err)
			}
			against[string(x.boards[1])] = whole
		}
		broken, err := c.sc.With(x.changes(c.sc)...)
		if err != nil {
			p.Why = "this scenario cannot have it: " + err.Error()
			continue
		}
		sum, err := play(broken, x.boards[0])
		if ctx.Err() != nil {
			p.Why = interrupted
			continue
		}
		if sum == nil {
			p.Why = "this scenario cannot have it: " + err.Error()
			continue
		}
		p.Network, p.Mended = "the job of the scenario with "+x.words(), cmp.Or(x.mended, "as designed")
		p.cost(sum, whole, err)
	}
	return all, first, nil
}

// changes make a scenario so.
func (x *ill) changes(sc *scenario.Scenario) (all []scenario.Change) {
	all = slices.Clone(x.keys)
	for i, f := range x.faults {
		if len(sc.Faults)+i == 0 {
			all = append(all, scenario.Change{Path: "faults", Text: "[" + f + "]"})
			continue
		}
		all = append(all, scenario.Change{Path: fmt.Sprintf("faults[%d]", len(sc.Faults)+i), Text: f})
	}
	return all
}

// words say what is changed.
func (x *ill) words() string {
	var all []string
	for _, k := range x.keys {
		all = append(all, k.Path+": "+k.Text)
	}
	for _, f := range x.faults {
		all = append(all, "faults: "+f)
	}
	text := strings.Join(all, "; ")
	if x.note != "" {
		text += " (" + x.note + ")"
	}
	return text
}

// illOf is what a finding is in a scenario.
func illOf(f *lint.Finding, h *hostinfo.Host, p *plan.Plan, at int) (x ill) {
	switch f.Rule {
	case "H16":
		x.faults = []string{fmt.Sprintf("{host: %s, staged: true}", h.Name)}
	case "H10":
		return slowLinks(f, h, p, at)
	case "H02":
		return smallMTU(h)
	case "H03", "H04":
		return otherClass(f, h, p, at)
	case "H06":
		x.keys = []scenario.Change{{Path: "congestion.algorithm", Text: "none"}}
		x.note = "of all hosts: no key says it of one"
	case "H14":
		return apart(h)
	case "H24":
		x.why = "no key knows of a NIC that is missing"
	default:
		x.why = "no key of a scenario knows it"
	}
	return x
}

// otherDSCP is one that is neither data's nor CNPs'.
func otherDSCP(q *scenario.QoS) int {
	d := 0
	for d == q.DSCP || d == q.CNPDSCP {
		d++
	}
	return d
}

// otherClass is a NIC whose data the leaf takes for other traffic, or whose link has no PFC.
func otherClass(f *lint.Finding, h *hostinfo.Host, p *plan.Plan, at int) (x ill) {
	config := "pfc: false"
	x.note = "at the leaf: a link on which one end knows no PFC has none"
	if f.Rule == "H04" || strings.Contains(f.Text, "trust") {
		config = fmt.Sprintf("dscp: %d", otherDSCP(&p.Scenario.Fabric.QoS))
		x.note = "at the leaf, where its data is other traffic"
	}
	dscp, _, ok := hostlint.DataDSCP([]*hostinfo.Host{h})
	if f.Rule == "H04" && (!ok || dscp == p.Scenario.Fabric.QoS.DSCP) {
		return ill{why: "no key of a scenario knows packets without ECT, of the design's DSCP"}
	}
	nics := p.Graph.Hosts[at].NICs
	for k, id := range nics {
		if k >= len(h.RDMA) || f.Port != "" && h.RDMA[k].Name != f.Port && h.RDMA[k].Netdev.Value != f.Port {
			continue
		}
		port := p.Graph.Ports[p.Graph.Peer(p.Graph.NICs[id].Port)].Name
		x.faults = append(x.faults, fmt.Sprintf("{port: %s, config: {%s}}", port, config))
	}
	switch {
	case len(x.faults) == 0:
		return ill{why: "the scenario has no such NIC"}
	case len(f.Lines) > 1 && f.Port != "":
		x.note += "; of the first of its NICs alone"
	}
	return x
}

// slowLinks finds the devices of a finding by their lines, and what their links carry.
func slowLinks(f *lint.Finding, h *hostinfo.Host, p *plan.Plan, at int) (x ill) {
	graph := p.Scenario.Cluster.Host.Graph.Set
	for _, d := range h.PCI {
		if d.Is.Speed.At.File != f.File && d.Is.Width.At.File != f.File || !d.Is.Known() ||
			!slices.Contains(f.Lines, d.Is.Speed.At.Line) && !slices.Contains(f.Lines, d.Is.Width.At.Line) {
			continue
		}
		k := slices.IndexFunc(h.RDMA, func(r *hostinfo.RDMA) bool { return r.PCI == d.Address })
		switch {
		case k < 0:
			return ill{why: "which link of cluster.host.graph it is, is not known: only those of NICs are simulated"}
		case !graph:
			x.faults = []string{fmt.Sprintf("{host: %s, pcie: %v}", h.Name, carries(d))}
			x.note = "of all its NICs: without cluster.host.graph no key says it of one"
		default:
			link := linkOf(p, at, k)
			if link == "" {
				return ill{why: "cluster.host.graph has no such NIC"}
			}
			x.faults = append(x.faults, fmt.Sprintf("{host: %s, pcie: %v, pcie_link: %s}", h.Name, carries(d), link))
		}
	}
	if len(x.faults) == 0 {
		x.why = "which device it is, is not known"
	}
	return x
}

// linkOf is the link of cluster.host.graph that leads into a NIC; "": there is none.
func linkOf(p *plan.Plan, host, k int) string {
	g, nics := p.PCIe.Graph, p.Graph.Hosts[host].NICs
	if g == nil || k >= len(nics) {
		return ""
	}
	way := g.ToCard[0][p.Graph.NICs[nics[k]].Card]
	return g.Names[way[len(way)-1]]
}

// carries is what a link carries each way: of 130 bits 128 are data, of the first two generations eight of ten.
func carries(d *hostinfo.PCI) string {
	mega := d.Is.Speed.Value * d.Is.Width.Value
	if d.Is.Speed.Value < 8000 {
		return fmt.Sprintf("%dMB/s", mega/10)
	}
	return fmt.Sprintf("%dMB/s", mega*128/130/8)
}

// apart is a host whose NICs are not on the CPU of their GPUs: its board as cluster.host.graph, which all hosts have, and that
// board with these NICs beside their GPUs.
func apart(h *hostinfo.Host) (x ill) {
	b, err := hostboard.Of(h)
	if err != nil {
		return ill{why: "its board is not known: " + err.Error()}
	}
	better, moved := hostboard.Mend(b)
	if better == nil {
		return ill{why: "by PCIe and NUMA nodes each GPU finds a NIC on its CPU: which it is, only the GPU driver says"}
	}
	for k, of := range []*board.Board{b, better} {
		if x.boards[k], err = nccltopo.Write(of); err != nil {
			return ill{why: "its board is none of NCCL's: " + err.Error()}
		}
	}
	x.keys = []scenario.Change{{Path: "cluster.host.graph", Text: "the board of " + h.Name}}
	x.note = "of all hosts: they have one graph"
	if cpus := b.Of(board.CPU); nccltopo.Between(&b.Parts[cpus[0]]) == 0 {
		x.note += "; its CPUs are not known (lscpu), and so not what is between them: cluster.host.links says it"
	}
	x.mended = lint.Some(moved) + " beside the GPU"
	return x
}

// smallMTU is RDMA's of the smallest of a host's NICs.
func smallMTU(h *hostinfo.Host) ill {
	least := 0
	for _, r := range h.RDMA {
		mtu := r.MTU.Value
		if n := h.NetdevOf(r); !r.MTU.Known() && n != nil && n.MTU.Known() {
			for mtu = 4096; mtu > 256 && mtu+60 > n.MTU.Value; mtu /= 2 {
			}
		}
		if mtu > 0 && (least == 0 || mtu < least) {
			least = mtu
		}
	}
	if least == 0 {
		return ill{why: "RDMA's MTU is not known"}
	}
	return ill{keys: []scenario.Change{{Path: "transport.mtu", Text: fmt.Sprint(unit.Bytes(least))}},
		note: "of all hosts: both ends of a connection take the smaller one, others keep theirs"}
}

// cost fills the figures: broken as hosts are, mended as designed.
func (p *Proof) cost(sum, whole *result.Summary, failed error) {
	add := func(name, of string, a, b int64) {
		p.Figures = append(p.Figures, Figure{Name: name, Unit: of, Broken: a, Mended: b})
	}
	if whole.StepTime > 0 {
		a := int64(sum.StepTime)
		if failed != nil || a == 0 {
			a = never
		}
		add("step", "ps", a, int64(whole.StepTime))
	} else if n := slowest(whole); n > 0 {
		add("slowest flow", "ps", slowest(sum), n)
	}
	for i := range whole.Collectives {
		w := &whole.Collectives[i]
		k := slices.IndexFunc(sum.Collectives, func(c result.Collective) bool { return c.Name == w.Name })
		if k >= 0 && i < mostCollectives && w.BusBW > 0 {
			add("busbw of "+w.Name, "B/s", int64(sum.Collectives[k].BusBW), int64(w.BusBW))
		}
	}
	for _, name := range []string{"drops", "retransmissions", "pauses"} {
		of := figures[name]
		add(name, of.unit, of.value(sum), of.value(whole))
	}
	p.Claim = "no change: it does not matter to this job"
	for i := range p.Figures {
		f := &p.Figures[i]
		if f.Broken != f.Mended {
			p.Shown = true
		}
	}
	p.Unmoved = !p.Shown
	if f := &p.Figures[0]; p.Shown {
		switch {
		case f.Broken == never:
			p.Claim = "the job does not come to its end"
		case f.Broken == f.Mended:
			p.Claim = "no change of the " + f.Name + ": the job takes as long"
		case f.Broken > f.Mended:
			p.Claim = fmt.Sprintf("the %s is %s longer", f.Name, unit.Percent(float64(f.Broken)/float64(f.Mended)-1))
		default:
			p.Claim = fmt.Sprintf("the %s is %s shorter", f.Name, unit.Percent(1-float64(f.Broken)/float64(f.Mended)))
		}
	}
	if failed != nil {
		p.Network += ": " + failed.Error()
	}
}

// mostCollectives bounds those whose bandwidth is listed.
const mostCollectives = 4
