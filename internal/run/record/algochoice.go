package record

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// worse is how many times longer a collective must take than another choice would to be called wrong.
const worse = 1.2

// otherAlgorithms is collectives of a benchmark that took longer than what NCCL would choose takes by its model, or a ring.
func (j choices) otherAlgorithms() (all []noun.Finding) {
	var whole unit.Duration
	for i := range j.s.Collectives {
		whole += j.s.Collectives[i].Time * unit.Duration(j.s.Collectives[i].Count)
	}
	for i := range j.plan.Rows {
		row := &j.plan.Rows[i]
		at := slices.IndexFunc(j.s.Collectives, func(c result.Collective) bool { return c.Name == row.Name() })
		if i < len(j.s.Collectives) && j.s.Collectives[i].Name == row.Name() {
			at = i // rows of one size have one name
		}
		if at < 0 || whole == 0 {
			continue
		}
		took := share(j.s.Collectives[at].Time, 1-lost(j.d)) // without what went wrong in the network
		x := j.better(row.Op, row.Bytes, plan.Scheduled(row.Algorithm), row.Protocol, row.Channels, took)
		if x == nil {
			continue
		}
		f := x.finding(row.Name())
		part := unit.Share(took*unit.Duration(j.s.Collectives[at].Count), whole)
		f.Time = share(j.d.Whole, part*(1-lost(j.d))*x.saves())
		all = append(all, f)
	}
	return all
}

// otherGradients is the same of gradients that replicas sum in each step. What it saves is a part of the critical path's
// time on links.
func (j choices) otherGradients() []noun.Finding {
	c := &j.plan.Spec.Collective
	if x := &j.plan.Spec.Parallel; len(j.plan.Rows) > 0 || c.Schedule.Set || x.TP > 1 || x.PP > 1 || x.Zero > 1 {
		return nil
	}
	longest, work := -1, j.plan.Work
	for i := range j.colls {
		if op := &work.Collectives[i]; j.colls[i].n > 0 && !op.Once && work.Groups[op.Group].Kind == workload.GroupKindData &&
			(longest < 0 || j.colls[i].time > j.colls[longest].time) {
			longest = i
		}
	}
	if longest < 0 {
		return nil
	}
	op := &work.Collectives[longest]
	met := j.colls[longest].met / unit.Duration(j.colls[longest].n) // waiting for who comes late says nothing of the algorithm
	took := share(met, 1-lost(j.d))
	x := j.better(coll.AllReduce, op.Bytes(), c.Algorithm, c.Protocol, 0, took)
	if x == nil {
		return nil
	}
	var links unit.Duration
	for i := range j.d.Findings {
		if f := &j.d.Findings[i]; f.Noun.Class() == noun.Fault || len(f.Blames) == 0 {
			continue
		}
		for _, k := range j.d.Findings[i].Blames {
			if slices.Contains(linkKinds, j.d.Blames[k].Kind) {
				links += j.d.Blames[k].Time
			}
		}
	}
	f := x.finding(op.Name)
	f.Time = share(links, x.saves()*j.ofGradients())
	return []noun.Finding{f}
}

// ofGradients is the part that sums of gradients have of what critical paths passed in communication.
func (j choices) ofGradients() float64 {
	sums, all := unit.Duration(0), unit.Duration(0)
	for g := range j.critical.groups {
		t := j.critical.groups[g].Sum()
		if all += t; j.plan.Work.Groups[g].Kind == workload.GroupKindData {
			sums += t
		}
	}
	if all == 0 {
		return 1
	}
	return unit.Share(sums, all)
}

// linkKinds are what messages of a collective take on links, and behind each other.
var linkKinds = []diagnose.Kind{diagnose.LinkSpeed, diagnose.SharedPort, diagnose.UnevenChoice, diagnose.NIC, diagnose.NVLink,
	diagnose.SwitchDelay, diagnose.Cable, diagnose.PCIe, diagnose.Answer, diagnose.Dependency}

// A faster choice for a collective.
type faster struct {
	wrong           noun.Noun
	by              string
	took, best, own unit.Duration // measured; of the other choice; of the own one by the same model, 0: it has none
}

// saves is the part of a collective's time that the other choice saves: it cannot save more than what lies between what it took and
// what the other takes, nor, where one model has both, than what lies between these.
func (x *faster) saves() float64 {
	was := x.took
	if x.own > 0 {
		was = min(was, x.own)
	}
	return float64(was-x.best) / float64(x.took)
}

func (x *faster) finding(name string) noun.Finding {
	return noun.Finding{Noun: x.wrong, By: x.by, Place: noun.Place{Kind: noun.Collective, Name: name}, Evidence: []noun.Fact{
		{What: "it took", At: name, Value: x.took.Seconds(), Unit: "s"},
		{What: "the other choice, by a model", At: name, Value: x.best.Seconds(), Unit: "s"}}}
}

// better returns a choice with which a collective is faster, nil: there is none. Choices of NCCL are compared by its model, so that
// a slow network is not taken for a wrong choice; an algorithm that NCCL has not by what it took, with a ring's bytes over the links too.
func (j choices) better(op coll.Collective, bytes unit.Bytes, algorithm scenario.Algorithm,
	protocol scenario.NCCLProtocol, channels int, took unit.Duration) *faster {
	sc := j.r.plan.Scenario
	choice, err := plan.NCCLChoice(sc, j.plan.Spec, j.r.plan.NCCLHost(), op, bytes, scenario.AlgorithmAuto,
		scenario.ProtocolAuto, 0)
	if err != nil {
		return nil
	}
	chosen := plan.AlgorithmOf(choice.Algorithm, op)
	x := &faster{took: took, best: choice.Time}
	_, ncclHas := plan.NCCLAlgorithm(op, algorithm)
	plain := protocol == scenario.ProtocolNone
	if ncclHas {
		asked := protocol
		if plain {
			asked = scenario.ProtocolSimple
		}
		own, err := plan.NCCLChoice(sc, j.plan.Spec, j.r.plan.NCCLHost(), op, bytes, algorithm, asked, channels)
		if err != nil {
			return nil
		}
		x.own = own.Time
	}
	switch {
	case !ncclHas && algorithm != chosen:
		if ring := j.ringTime(op, bytes); ring > 0 && ring < x.best {
			x.best, chosen = ring, scenario.AlgorithmRing
		}
		x.wrong, x.by = noun.WrongAlgorithm, fmt.Sprintf("%s in place of %s", algorithm, chosen)
	case !plain && protocol != plan.ProtocolOf(choice.Protocol) && protocol != scenario.ProtocolAuto: // NCCL's for that algorithm
		x.wrong, x.by = noun.WrongProtocol, fmt.Sprintf("%s in place of %s", protocol, plan.ProtocolOf(choice.Protocol))
	case algorithm != chosen:
		x.wrong, x.by = noun.WrongAlgorithm, fmt.Sprintf("%s in place of %s", algorithm, chosen)
	default:
		return nil
	}
	if float64(took) < worse*float64(x.best) || x.own > 0 && float64(x.own) < worse*float64(x.best) {
		return nil
	}
	return x
}

// ringTime is what a ring takes for its bytes over the links of the slowest rank, with the shortest way for each step, 0: it has none.
func (j choices) ringTime(op coll.Collective, bytes unit.Bytes) unit.Duration {
	name := plan.ScheduleName(scenario.AlgorithmRing, op)
	if _, ring := coll.Algorithms[name]; !ring || op == coll.SendReceive { // to the next rank there is no other choice
		return 0
	}
	cluster := &j.r.plan.Scenario.Cluster
	g := j.r.plan.Graph
	line := j.r.usualLine() * unit.Bitrate(max(1, len(g.NICs)/max(1, len(g.Hosts))))
	if cluster.Host.GPUs > 1 {
		line = min(line, cluster.Host.NVLink)
	}
	if line == 0 {
		return 0
	}
	hop := unit.Duration(0)
	for _, l := range j.plan.Links {
		if l.Pair >= 0 {
			hop = max(hop, j.r.plan.BaseRTT(&j.r.plan.Pairs[l.Pair])/2)
		}
	}
	return coll.Time(name, j.ranks(), bytes, coll.Link{Rate: line, Latency: hop}, 1)
}
