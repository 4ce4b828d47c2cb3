package fabric

import (
	"fmt"

	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// buffers is what switches have of memory: the buffer of each, and accounts of what comes to it.
type buffers struct {
	nc         int // classes
	nodes      []node
	accounts   []account // ingress*nc + class
	ledgers    []ledger
	thresholds []*threshold // those at one rate of switches that are alike are one
}

// node is a switch.
type node struct {
	buffer
	id       topo.NodeID
	pausing  int32 // its accounts that hold a sender, and PFC frames that wait to leave
	lossless uint8 // classes under PFC
}

// threshold returns the one of an xOFF.
func (b *buffers) threshold(x qos.XOFF) *threshold {
	t := newThreshold(x)
	for _, known := range b.thresholds {
		if *known == t {
			return known
		}
	}
	b.thresholds = append(b.thresholds, &t)
	return &t
}

// setUp gives a buffer the sizes that a switch's configuration has for it.
func (b *buffer) setUp(p *Profile, s *qos.Switch) {
	b.size, b.spare, b.crossing = int64(s.Shared), int64(s.Spare), int64(s.Shared+s.Spare)
	if p.Buffer.CrossingInHeadroom {
		b.crossing = -1
	}
	b.reserve, b.resume, b.fixed = int64(p.Buffer.Reserve), int64(p.PFC.ResumeOffset), p.PFC.Threshold != 0
	b.lossyAlpha = qos.Bounded(p.Buffer.LossyAlpha)
}

// refusedOver is how many frames of classes under PFC that came over a link were dropped for want of headroom.
func (b *buffers) refusedOver(id PortID) (n int64) {
	for c := range b.nc {
		n += b.ledgers[int(id)*b.nc+c].refused
	}
	return n
}

// check reports an account that has something else than the switch holds, or a buffer whose accounts have something
// else than it counts: held is, by account, what frames are charged, and far and leaked say of an account whose it is,
// -1: a host's, and of a switch what a fault has taken.
func (b *buffers) check(g *topo.Graph, held []int64, far func(account int) int32, leaked func(sw int) int64) error {
	shared := make([]int64, len(b.nodes))
	for i := range b.accounts {
		a, l, sw := &b.accounts[i], &b.ledgers[i], far(i)
		if sw < 0 {
			continue
		}
		if a.used+a.headroom != held[i] {
			return fmt.Errorf("fabric: account of %s class %d: %d used + %d headroom, but the switch holds %d",
				g.Ports[i/b.nc].Name, i%b.nc, a.used, a.headroom, held[i])
		}
		if a.headroom > l.limit || a.used < 0 || a.headroom < 0 {
			return fmt.Errorf("fabric: account of %s class %d: headroom %d of %d, used %d", g.Ports[i/b.nc].Name,
				i%b.nc, a.headroom, l.limit, a.used)
		}
		shared[sw] += max(0, a.used-b.nodes[sw].reserve)
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		if shared[i] += leaked(i); shared[i] != n.shared || n.shared > n.size+n.spare || n.shared < 0 {
			return fmt.Errorf("fabric: switch %s: accounts hold %d of the shared buffer, it counts %d of %d",
				g.Nodes[n.id].Name, shared[i], n.shared, n.size)
		}
	}
	return nil
}
