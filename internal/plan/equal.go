package plan

import (
	"railyard/internal/balance"
	"railyard/internal/topo"
)

// MethodAt is the method by which a switch chooses.
func (p *Plan) MethodAt(at topo.NodeID) *balance.Method { return p.Tables.At(at).Method }
