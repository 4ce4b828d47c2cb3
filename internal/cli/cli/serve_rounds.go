package cli

import (
	"context"
	"fmt"
	"slices"

	"railyard/internal/cli/web"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// mostPlanned is how many GPUs a run has at most that serve plans again: of more a ring is no picture.
const mostPlanned = 512

// collectivesOf plans the scenario that lies in a run directory, to show its collectives round by round. It opens no file that the
// scenario names: the directory may be a stranger's.
func collectivesOf(ctx context.Context, r *result.Run) ([]web.Collective, error) {
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	sc, err := scenario.Parse(r.Summary.Name+".yaml", src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.InputPath(result.ScenarioInput), err)
	}
	if resolved := r.Summary.ScenarioYAML; resolved != string(sc.YAML()) && resolved != string(sc.WithoutDLB().YAML()) {
		return nil, fmt.Errorf("%s: it is not the scenario of this run", r.InputPath(result.ScenarioInput))
	}
	if n := sc.Cluster.Hosts * sc.Cluster.Host.GPUs; n > mostPlanned {
		return nil, fmt.Errorf("a run of %d GPUs: collectives are shown round by round for up to %d", n, mostPlanned)
	}
	p, err := plan.New(sc, plan.Files{}, func(int, int) error { return ctx.Err() })
	if err != nil {
		return nil, fmt.Errorf("its collectives cannot be planned without the files that it names: %w", err)
	}
	var all []web.Collective
	for i, j := range p.Jobs {
		if j.Work == nil {
			continue
		}
		name := ""
		if len(p.Jobs) > 1 {
			name = sc.Jobs[i].Name
		}
		for _, c := range inOrder(j.Work) {
			all = append(all, shownCollective(name, j.Work, &j.Work.Collectives[c]))
		}
	}
	return all, nil
}

// inOrder lists the collectives of a job: each group's in the order in which its first rank runs them.
func inOrder(w *workload.Job) (all []int32) {
	for g := range w.Groups {
		program := w.Program(w.Groups[g].Ranks[0])
		for _, op := range slices.Concat(program.Start, program.Ops) {
			if op.Kind == workload.Communication && w.Collectives[op.Coll].Group == int32(g) {
				all = append(all, op.Coll)
			}
		}
	}
	return all
}

func shownCollective(job string, w *workload.Job, c *workload.Collective) web.Collective {
	g, s := &w.Groups[c.Group], c.Schedule
	out := web.Collective{Job: job, Name: c.Name, Group: g.Name, Ranks: g.Ranks, Once: c.Once, Channels: 1}
	if s == nil {
		out.Why = "it has no schedule"
		return out
	}
	out.Schedule, out.Channels, out.Chunks = s.Name(), s.Channels(), s.Chunks()
	switch {
	case c.Formula:
		out.Why = "it took what a formula says: no messages were sent"
	case s.Ranks() > coll.MaxWalk:
		out.Why = fmt.Sprintf("%d ranks: up to %d can be followed", s.Ranks(), coll.MaxWalk)
	case coll.Inputs(s) > 0:
		out.Why = "it reads an input beside its output: railyard show schedule prints it"
	}
	out.Bytes = func(channel int, chunk int32) int64 {
		_, n := c.Chunk(0, coll.Out, channel, int(chunk))
		return n
	}
	out.Rounds = func(channel int) (rounds []web.Round) {
		for _, r := range coll.Walk(s, channel) {
			x := web.Round{Sends: []web.Send{}}
			for _, m := range r.Sends {
				x.Sends = append(x.Sends, web.Send{From: m.From, To: m.To, Chunk: m.Chunk, Of: uint32(m.Of)})
			}
			for _, chunks := range r.Holds {
				held := []uint32{}
				for _, h := range chunks {
					held = append(held, uint32(h))
				}
				x.Holds = append(x.Holds, held)
			}
			rounds = append(rounds, x)
		}
		return rounds
	}
	return out
}
