package run

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/plan/images"
	"railyard/internal/run/record"
)

// imaged are the parts of the network of which nothing is simulated, since another one does the same: see package images. Ports,
// switches and queue pairs of an image answer as their leads do, in the names of the image.
type imaged struct {
	run   *runner
	all   []images.Image
	lead  []topo.PortID   // by port: of which it is an image; else itself
	of    []int32         // by port: number of the image, -1: none
	node  []int           // by number of a switch: that of its lead; else itself
	pairs [][]int32       // by image and queue pair of the lead: that of the image
	taken []fabric.Sample // by ports and their images, at one instant
	led   [][]topo.PortID // by port: its images
	alike func() string
	why   string // images are none any more; "": they are
}

// newImages finds the images of a run that may be reused, nil where there are none.
func (r *runner) newImages() *imaged {
	all := r.alike
	if len(all) == 0 || r.reuse == nil || r.reuse.refused != "" {
		return nil
	}
	g := r.plan.Graph
	x := &imaged{run: r, all: all, lead: make([]topo.PortID, len(g.Ports)), of: make([]int32, len(g.Ports)),
		led: make([][]topo.PortID, len(g.Ports))}
	for i := range x.lead {
		x.lead[i], x.of[i] = topo.PortID(i), -1
	}
	number := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		if g.Nodes[i].Kind != topo.HostKind {
			number[i] = len(x.node)
			x.node = append(x.node, number[i])
		}
	}
	var leads []topo.PortID
	for k, m := range all {
		r.net.Twin(int32(k), m.Leads, m.Pairs, m.Ports)
		for port, to := range m.Ports {
			if to == images.None {
				continue
			}
			x.lead[to], x.of[to] = topo.PortID(port), int32(k)
			if len(x.led[port]) == 0 {
				leads = append(leads, topo.PortID(port))
			}
			x.led[port] = append(x.led[port], to)
		}
		for node, to := range m.Nodes {
			if to != images.None {
				x.node[number[to]] = number[node]
			}
		}
		pairs := make([]int32, len(r.plan.Pairs))
		for i, id := range m.Leads {
			pairs[id] = m.Pairs[i]
		}
		x.pairs = append(x.pairs, pairs)
	}
	x.alike = r.fab.Alike(leads)
	x.watch(0)
	return x
}

// watch looks every now and then whether images are still alike, at instants that no partition into islands changes: what a run tells
// of itself, and where it begins anew, is the same with any.
func (x *imaged) watch(now unit.Time) {
	x.run.later(now.Add(alikeEvery), orderRun, func(now unit.Time) {
		if x.parted() == "" && !x.run.dry {
			x.watch(now)
		}
	})
}

// alikeEvery is how often.
const alikeEvery = 100 * unit.Microsecond

// parted says why images are none any more, "" if they are.
func (x *imaged) parted() string {
	if x.why == "" {
		if x.why = x.alike(); x.why == "" {
			x.why = x.run.net.Parted()
		}
	}
	return x.why
}

// broken reports whether that has shown.
func (x *imaged) broken() bool { return x != nil && x.why != "" }

// over says when the run is over why what was told of images is not so, "" if it is; and of which nothing may be told in another try.
func (x *imaged) over() (unlike []images.Unlike, why string) {
	if x == nil {
		return nil, ""
	}
	for _, k := range x.run.net.Unlike() {
		unlike = append(unlike, x.all[k].Unlike())
	}
	if why = x.parted(); why != nic.UnlikeLeads { // of those that are alike, too, nothing is told
		unlike = nil
	}
	return unlike, why
}

// port is the one that is simulated for a port.
func (x *imaged) port(id topo.PortID) topo.PortID {
	if x == nil {
		return id
	}
	return x.lead[id]
}

// switchOf is the one that is simulated for a switch, of which each has a number.
func (x *imaged) switchOf(index int) int {
	if x == nil {
		return index
	}
	return x.node[index]
}

// hops is how many packet-hops images stand for.
func (x *imaged) hops() (n int64) {
	if x == nil {
		return 0
	}
	for port, led := range x.led {
		if len(led) > 0 {
			n += int64(len(led)) * x.run.fab.Stats(0, topo.PortID(port)).Frames
		}
	}
	return n
}

// sample tells of a queue's length at a port and at its images; of these themselves nothing is told.
func (x *imaged) sample(s fabric.Sample, tell func(fabric.Sample)) {
	if x.of[s.Port] >= 0 {
		return
	}
	tell(s)
	for _, to := range x.led[s.Port] {
		s.Port = to
		tell(s)
	}
}

// samples are those of leads with their images', which were taken at the same instants. They may be sorted.
func (x *imaged) samples(all []fabric.Sample) record.Samples {
	return func(inOrder bool, tell func(*fabric.Sample)) {
		if inOrder {
			fabric.InOrder(all)
		}
		if x == nil {
			for i := range all {
				tell(&all[i])
			}
			return
		}
		for at := 0; at < len(all); {
			x.taken = x.taken[:0]
			for instant := all[at].At; at < len(all) && all[at].At == instant; at++ {
				x.sample(all[at], func(s fabric.Sample) { x.taken = append(x.taken, s) })
			}
			if inOrder {
				fabric.InOrder(x.taken)
			}
			for i := range x.taken {
				tell(&x.taken[i])
			}
		}
	}
}

// hops is how many packet-hops there were, those of images too.
func (r *runner) hops() int64 { return network{Fabric: r.fab, images: r.images}.Hops() }

// Hops counts those of images too.
func (n network) Hops() int64 { return n.Fabric.Hops() + n.images.hops() }

// Stats are those of the port that is simulated; so are the others.
func (n network) Stats(now unit.Time, id topo.PortID) fabric.PortStats {
	return n.Fabric.Stats(now, n.images.port(id))
}

func (n network) Load(id topo.PortID) []fabric.LoadPoint { return n.Fabric.Load(n.images.port(id)) }

func (n network) Waiting(id topo.PortID, class int) unit.Bytes {
	return n.Fabric.Waiting(n.images.port(id), class)
}

func (n network) Peak(id topo.PortID, class int) unit.Bytes {
	return n.Fabric.Peak(n.images.port(id), class)
}

func (n network) Fill(id topo.PortID) []fabric.Share {
	all := n.Fabric.Fill(n.images.port(id))
	if x := n.images; x != nil && x.of[id] >= 0 {
		for i := range all {
			all[i].Flow = x.pairs[x.of[id]][all[i].Flow]
		}
	}
	return all
}

func (n network) MaxShared(index int) (used, size unit.Bytes) {
	return n.Fabric.MaxShared(n.images.switchOf(index))
}

func (n network) Delivered(qp int32) int64       { return n.Net.Delivered(n.LeadOf(qp)) }
func (n network) Tally(qp int32) roce.Tally      { return n.Net.Tally(n.LeadOf(qp)) }
func (n network) Open(qp int32) bool             { return n.Net.Open(n.LeadOf(qp)) }
func (n network) Standing(qp int32) nic.Standing { return n.Net.Standing(n.LeadOf(qp)) }

func (n network) ControllerState(qp int32, now unit.Time) cc.State {
	return n.Net.ControllerState(n.LeadOf(qp), now)
}

// Evidence is that of the lead, at the ports of the queue pair's path.
func (n network) Evidence(qp int32, back bool) []nic.PortEvidence {
	lead := n.LeadOf(qp)
	all := n.Net.Evidence(lead, back)
	if lead == qp {
		return all
	}
	path := n.images.run.plan.Pairs[qp].Path
	if back {
		path = n.images.run.plan.Pairs[qp].Back
	}
	for i := range all {
		all[i].Port = path[i]
	}
	return all
}
