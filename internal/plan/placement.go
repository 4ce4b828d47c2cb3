package plan

import (
	"railyard/internal/coll"
	"railyard/internal/scenario"
	"railyard/internal/splitmix"
)

// placement says where each rank of the job runs.
func placement(sc *scenario.Scenario) coll.Placement {
	p := coll.Placement{Rails: sc.NICsPerHost()}
	for _, e := range rankGPUs(sc)[:sc.RankCount()] {
		p.Ranks = append(p.Ranks, coll.Place{Host: int32(e.Host), GPU: int32(e.GPU), Rail: int32(sc.NICOf(e))})
	}
	return p
}

// rankGPUs returns GPUs in the order in which ranks take them, at least one for each rank.
func rankGPUs(sc *scenario.Scenario) []scenario.Endpoint {
	at := sc.Job.Placement
	if at.Rule == "" {
		return at.GPUs
	}
	hosts, gpus := sc.Cluster.Hosts, sc.Cluster.Host.GPUs
	all := make([]scenario.Endpoint, hosts*gpus)
	for i := range all {
		e := scenario.Endpoint{Host: i / gpus, GPU: i % gpus, NIC: -1}
		if at.Rule == "rail-aligned" {
			e.Host, e.GPU = i%hosts, i/hosts
		}
		all[i] = e
	}
	if at.Rule == "scattered" {
		shuffle(all, splitmix.Stream(splitmix.Mix(sc.Seed^scatterLabel)))
	}
	return all
}

// scatterLabel keeps the stream of scattered ranks apart from others of the seed: "placement".
const scatterLabel = 0x706c6163656d656e

// shuffle puts values in one of all orders (Fisher and Yates; Durstenfeld, CACM 7 (1964)). With so
// few values the bias of the remainder is below 1e-12.
func shuffle[T any](all []T, s splitmix.Stream) {
	for i := len(all) - 1; i > 0; i-- {
		k := s.Next() % uint64(i+1)
		all[i], all[k] = all[k], all[i]
	}
}

// rails returns by which rail's NIC a message of a channel leaves one place, and at which it comes
// to the other, on another host.
func (p *Plan) rails(from, to coll.Place, channel int) (out, in int) {
	own := func(at coll.Place) int {
		if p.Scenario.Cluster.NIC.Shared {
			return int(at.Rail)
		}
		return int(at.Rail) + channel%p.Scenario.Cluster.NIC.PerGPU // of its NICs in turn
	}
	switch p.Scenario.Job.Collective.Exit {
	case "own":
		return own(from), own(to)
	case "peer":
		return own(to), own(to)
	}
	rail := coll.RailOf(channel, p.Placement.Rails)
	return rail, rail
}
