package plan

import (
	"fmt"
	"strings"

	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/plan/scenario"
)

// Scheduled is the algorithm of coll for what a scenario names: rails are a way, not an order.
func Scheduled(a scenario.Algorithm) scenario.Algorithm {
	if a == scenario.AlgorithmRails {
		return scenario.AlgorithmDirect
	}
	return a
}

// ScheduleName is the name in coll.Algorithms of what a scenario names.
func ScheduleName(a scenario.Algorithm, op coll.Collective) string {
	return string(Scheduled(a)) + "-" + op.String()
}

// algorithmOf is the algorithm that a scenario names.
func algorithmOf(name scenario.Algorithm, op coll.Collective) coll.Algorithm {
	a, ok := coll.Algorithms[ScheduleName(name, op)]
	if !ok {
		panic(fmt.Sprintf("plan: the scenario has an algorithm that coll has not: %s-%v", name, op))
	}
	return a
}

// RowAlgorithms are those of NCCL that rows of job.collectives can run.
var RowAlgorithms = []nccl.Algorithm{nccl.Ring, nccl.Tree, nccl.NVLS, nccl.NVLSTree, nccl.PAT, nccl.Direct}

// AlgorithmOf returns what a scenario calls an algorithm of NCCL for a collective.
func AlgorithmOf(a nccl.Algorithm, op coll.Collective) scenario.Algorithm {
	return scenario.Algorithm(strings.TrimSuffix(a.Schedule(op), "-"+op.String()))
}

// NCCLAlgorithm returns NCCL's algorithm that has a schedule of coll, and whether there is one.
func NCCLAlgorithm(op coll.Collective, algorithm scenario.Algorithm) (nccl.Algorithm, bool) {
	for _, a := range RowAlgorithms {
		if a.Schedule(op) == string(algorithm)+"-"+op.String() {
			return a, true
		}
	}
	return 0, false
}

// ncclAlgorithm is NCCL's algorithm of a schedule of coll; of those that NCCL has not, the one that
// is most like it.
func ncclAlgorithm(op coll.Collective, algorithm scenario.Algorithm) nccl.Algorithm {
	if a, has := NCCLAlgorithm(op, algorithm); has {
		return a
	}
	switch {
	case op > coll.ReduceTo, op == coll.AllGather && algorithm == scenario.AlgorithmHypercube:
		return nccl.Direct
	case op != coll.AllReduce:
		return nccl.Ring
	}
	switch algorithm {
	case scenario.AlgorithmTree, scenario.AlgorithmDoubleTree, scenario.AlgorithmNVLSTree, scenario.AlgorithmChain:
		return nccl.Tree
	}
	return nccl.Ring
}

// ProtocolOf returns what a scenario calls a protocol of NCCL.
func ProtocolOf(p nccl.Protocol) scenario.NCCLProtocol {
	return scenario.NCCLProtocol(strings.ToLower(p.String()))
}

// NCCLProtocol returns NCCL's protocol of that name; false for auto and none.
func NCCLProtocol(name scenario.NCCLProtocol) (nccl.Protocol, bool) {
	for _, p := range []nccl.Protocol{nccl.LL, nccl.LL128, nccl.Simple} {
		if ProtocolOf(p) == name {
			return p, true
		}
	}
	return 0, false
}

// ChannelsFor is how many channels a collective takes that runs as NCCL chose: as many as NCCL. Where channels say by which NIC
// messages leave, which NCCL's of a send do not, there is one for each NIC of a host at least.
func ChannelsFor(sc *scenario.Scenario, choice nccl.Choice, algorithm scenario.Algorithm, exit string) int {
	n := EvenChannels(algorithm, choice.Channels)
	if choice.Algorithm == nccl.Direct && exit == "channel" && !algorithm.ByRails() && sc.Cluster.Hosts > 1 {
		n = max(n, sc.NICsPerHost())
	}
	return n
}

// EvenChannels returns n channels, at least 1, for a double tree an even number: half for each tree.
func EvenChannels(algorithm scenario.Algorithm, n int) int {
	if n = max(n, 1); algorithm == scenario.AlgorithmDoubleTree {
		n += n % 2
	}
	return n
}
