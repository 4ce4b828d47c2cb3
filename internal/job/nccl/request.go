package nccl

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Runs returns the algorithm that runs where one is asked for (NCCL_ALGO), and why if it is another. An all-reduce
// inside one host for which NVLS is asked takes a ring where NVLS has so few heads that a ring carries more: of n GPUs
// a link carries (n+1)/n of the bytes with NVLS, at the efficiency of a switch that reduces, and 2(n-1)/n with a ring.
//
// On two GPUs that is NCCL to 2.28.7 (nvls.cc, ncclNvlsInit: more than two GPUs; tuning.cc of 2.21 to 2.23: a ring is
// there where nothing else is). On three its source would run NVLS, and what was measured with NCCL_ALGO=NVLS is a
// ring's bandwidth (NVIDIA/nccl, issue 1455: 365 to 370 GB/s on 2, 3 and 4 of 8 x H100): followed, not explained.
func (p Params) Runs(c coll.Collective, a Algorithm, g Group) (Algorithm, string) {
	if a != NVLS || c != coll.AllReduce || g.Nodes != 1 || g.Ranks < 2 || p.not(c, a, Simple, g, Only{}) != "" {
		return a, ""
	}
	ring := p.reached(c, Ring, Simple, g)
	if nvls := p.reached(c, a, Simple, g); nvls >= ring {
		return a, ""
	}
	return Ring, fmt.Sprintf("%v was asked for: over %d GPUs a ring carries more, and NCCL takes that", NVLS, g.Ranks)
}

// Able returns which of some algorithms can have moved so many bytes in a time over a group's links, whose raw rates
// nothing exceeds (Bound): the one that NCCL would choose first.
func (p Params) Able(of []Algorithm, c coll.Collective, bytes unit.Bytes, took unit.Duration, g Group) (able []Algorithm) {
	type candidate struct {
		a    Algorithm
		time unit.Duration
	}
	var list []candidate
	for _, a := range of {
		choice, err := p.Choose(c, bytes, g, Only{Algorithms: []Algorithm{a}})
		if err == nil && p.Bound(c, a, g).TransmitTime(bytes) <= took {
			list = append(list, candidate{a, choice.Time})
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return int(min(max(x.time-y.time, -1), 1)) })
	for _, k := range list {
		able = append(able, k.a)
	}
	return able
}
