package plan

import (
	"fmt"

	"railyard/internal/base/located"
	"railyard/internal/base/splitmix"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/plan/scenario"
)

// placement says where each rank of a job runs.
func placement(sc *scenario.Scenario, j *scenario.Job) coll.Placement {
	p := coll.Placement{Rails: sc.NICsPerHost()}
	for _, e := range rankGPUs(sc, j)[:sc.RankCount(j)] {
		p.Ranks = append(p.Ranks, coll.Place{Host: int32(e.Host), GPU: int32(e.GPU), Rail: int32(sc.NICOf(e))})
	}
	return p
}

// rankGPUs returns GPUs in the order in which ranks of a job take them, at least one for each rank.
func rankGPUs(sc *scenario.Scenario, j *scenario.Job) []scenario.Endpoint {
	rule := j.Placement.Rule
	if rule == "" {
		return j.Placement.GPUs
	}
	hosts, gpus := sc.HostsOf(j), j.GPUs.Of(sc.Cluster.Host.GPUs)
	all := make([]scenario.Endpoint, len(hosts)*len(gpus))
	for i := range all {
		host, gpu := i/len(gpus), i%len(gpus)
		if rule == "rail-aligned" {
			host, gpu = i%len(hosts), i/len(hosts)
		}
		all[i] = scenario.Endpoint{Host: hosts[host], GPU: gpus[gpu], NIC: -1}
	}
	if rule == "scattered" {
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

// rails returns by which rail's NIC a message of a group's channel leaves one place, and at which it
// comes to the other, on another host. A stage sends as NCCL's send and receive do, by the NIC on the
// receiver's rail, where channels do not say; they take the group's rails in turn.
func (p *Plan) rails(j *Job, g *workload.Group, from, to coll.Place, channel int, rails []int32) (out, in int) {
	own := func(at coll.Place) int {
		return int(at.Rail) + channel%p.Scenario.Cluster.NIC.PerRail() // of its NICs in turn
	}
	byRail := g.Kind == workload.GroupKindRails ||
		g.Kind == workload.GroupKindExpert && j.Spec.Collective.AllToAll.ByRails()
	switch exit := j.Spec.Collective.Exit; {
	case exit == "own" && !byRail:
		return own(from), own(to)
	case exit == "peer" || byRail || g.Kind == workload.GroupKindPipeline:
		return own(to), own(to)
	}
	rail := int(rails[coll.RailOf(channel, len(rails))])
	return rail, rail
}

// checkGPUs reports jobs whose ranks share a GPU.
func (p *Plan) checkGPUs() error {
	var problems located.Problems
	for b := range p.Jobs {
		of := map[coll.Place]bool{}
		for _, at := range p.Jobs[b].Placement.Ranks {
			of[at] = true
		}
		for a := range b {
			var shared []coll.Place
			for _, at := range p.Jobs[a].Placement.Ranks {
				if of[at] {
					shared = append(shared, at)
				}
			}
			if len(shared) == 0 {
				continue
			}
			first := scenario.Endpoint{Host: int(shared[0].Host), GPU: int(shared[0].GPU), NIC: -1}.String()
			if n := len(shared) - 1; n > 0 {
				first += fmt.Sprintf(" and %d more", n)
			}
			problems = append(problems, p.Scenario.Located(scenario.Finding{
				Severity: scenario.Error,
				Path:     p.Jobs[b].Spec.Path(),
				Message: fmt.Sprintf("%s and %s both have ranks on %s, want GPUs of its own for each job",
					p.Jobs[a].Spec.Name, p.Jobs[b].Spec.Name, first),
				Hint: "set hosts, gpus or placement of the jobs",
			}))
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}
