package fabric

import (
	"railyard/internal/splitmix"
	"railyard/internal/topo"
)

// FlowKey is the 5-tuple of a flow as switches see it; the protocol is UDP.
type FlowKey struct {
	SrcIP, DstIP     uint32
	SrcPort, DstPort uint16
}

// Reverse returns the key of the acknowledgements: the addresses change places, the ports do not.
// RoCEv2 has destination port 4791 in both directions.
func (k FlowKey) Reverse() FlowKey {
	k.SrcIP, k.DstIP = k.DstIP, k.SrcIP
	return k
}

// Balancer chooses one of n > 1 equal-cost ports of a switch for a flow. A static balancer is asked
// once per flow and routing epoch.
type Balancer func(k FlowKey, at topo.NodeID, n int) int

// Balancers holds every balancer by name; seed is the run's.
var Balancers = map[string]func(seed uint64) Balancer{"ecmp": ECMP}

// ECMP hashes the 5-tuple with a seed of each switch, derived from the run's seed: the modulo-N
// hash of RFC 2992 with a better mixing function.
func ECMP(seed uint64) Balancer {
	return func(k FlowKey, at topo.NodeID, n int) int {
		h := splitmix.Mix(seed ^ uint64(at+1)*splitmix.Gamma)
		h = splitmix.Mix(h ^ (uint64(k.SrcIP)<<32 | uint64(k.DstIP)))
		h = splitmix.Mix(h ^ (uint64(k.SrcPort)<<16 | uint64(k.DstPort)))
		return int(h % uint64(n))
	}
}
