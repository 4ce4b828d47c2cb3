package fabric

import (
	"railyard/internal/hash"
	"railyard/internal/topo"
)

// Balancer chooses one of n > 1 equal-cost ports of a switch for a flow. A static balancer is asked
// once per flow and routing epoch.
type Balancer func(f hash.Flow, at topo.NodeID, n int) int

// Balancers holds every balancer by name.
var Balancers = map[string]func(hash.Config) Balancer{"ecmp": ECMP}

// ECMP hashes the headers of a flow, the same at each of its packets.
func ECMP(c hash.Config) Balancer {
	return func(f hash.Flow, at topo.NodeID, n int) int { return c.Pick(f, int(at), n) }
}
