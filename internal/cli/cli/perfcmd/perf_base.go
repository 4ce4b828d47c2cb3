package perfcmd

import (
	"context"
	"errors"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/job/coll"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// perfSweep says what to run.
func (a *perfCall) perfSweep(ctx context.Context, op string) (s *perf.Sweep, err error) {
	s = &perf.Sweep{Iterations: a.f.iterations, Warmup: a.f.warmup, Algorithm: scenario.Algorithm(a.f.algorithm),
		Protocol: scenario.NCCLProtocol(a.f.protocol), Channels: a.f.channels, Skew: a.f.skew, Exit: a.f.exit,
		Processes: a.f.real}
	if s.Op, err = perf.ParseOp(op); err != nil {
		return nil, call.Misuse("perf: %w%s", err, call.Meant(op, perf.Operations()))
	}
	for _, named := range []struct {
		flag, text string
		choices    []scenario.Choice
	}{{"algorithm", a.f.algorithm, scenario.RowAlgorithms}, {"protocol", a.f.protocol, scenario.RowProtocols},
		{"exit", a.f.exit, scenario.Exits}} {
		names := call.ChoiceNames(named.choices)
		if named.text != "" && !slices.Contains(names, named.text) {
			return nil, call.Misuse("perf: --%s %s: want %s%s", named.flag, located.Shown(named.text), call.List(names),
				call.Meant(named.text, names))
		}
	}
	s.Sizes.Factor = a.f.factor
	for _, size := range []struct {
		flag, text string
		to         *unit.Bytes
	}{{"minbytes", a.f.min, &s.Sizes.Min}, {"maxbytes", a.f.max, &s.Sizes.Max}, {"stepbytes", a.f.step,
		&s.Sizes.Step}} {
		if *size.to, err = perf.ParseSize(size.text); err != nil {
			return nil, call.Misuse("perf: --%s: %w", size.flag, err)
		}
	}
	if a.f.channels < 0 {
		return nil, call.Misuse("perf: --channels %d: want 1 to 64, or 0 for what NCCL chooses", a.f.channels)
	}
	if a.f.skew < 1 || a.f.skew > 1 && s.Op.Collective != coll.AllToAll {
		return nil, call.Misuse("perf: --skew %d: want 1 or, of alltoall, 1 to 1000", a.f.skew)
	}
	m := perf.Machines{Hosts: a.f.hosts, GPUs: a.f.gpus}
	if a.f.real {
		m.Preset = "cpu"
	}
	s.Base, err = a.perfBase(ctx, a.f.cluster, m)
	if err != nil {
		return nil, err
	}
	if s.Base, err = perfSet(s.Base, a.f); err != nil {
		return nil, a.ChangeProblems(err)
	}
	if s.Host, err = perfHost(s.Base); err != nil || a.f.counts == "" {
		return s, err
	}
	s.Counts, err = a.perfCounts(ctx, s, a.f.counts)
	return s, err
}

// perfSet is the cluster's scenario with the values of --set.
func perfSet(base *scenario.Scenario, f perfFlags) (*scenario.Scenario, error) {
	changes, err := call.Settings("perf", f.set)
	if err != nil || len(changes) == 0 {
		return base, err
	}
	if f.real {
		return nil, call.Misuse("perf: --set is of a simulated cluster: leave it out beside --real")
	}
	for i, c := range changes {
		if root, _, _ := strings.Cut(c.Path, "."); strings.HasPrefix(root, "job") {
			return nil, call.Misuse("perf: --set %s: the sweep's job is its own, want a key of the cluster, the fabric, transport or "+
				"congestion control", located.Shown(f.set[i]))
		}
	}
	return base.With(changes...)
}

// perfCounts reads what each rank has for each.
func (a *perfCall) perfCounts(ctx context.Context, s *perf.Sweep, file string) (*perf.Counts, error) {
	if s.Op.Collective != coll.AllToAll {
		return nil, call.Misuse("perf: --counts %s: %v has one size for all, want alltoall", located.Shown(file), s.Op)
	}
	src, err := a.ReadFile(ctx, file)
	if err != nil {
		return nil, call.Misuse("cannot read counts %s: %w", file, err)
	}
	c, err := perf.ParseCounts(file, src)
	if err != nil {
		return nil, a.Problems(file, src, err)
	}
	if n := s.Base.GPUs(); c.Ranks != n {
		return nil, call.Misuse("perf: --counts %s: counts of %d ranks, the cluster has %d GPUs", located.Shown(file),
			c.Ranks, n)
	}
	return c, nil
}

// perfHost is what NCCL finds inside the hosts of a sweep.
func perfHost(base *scenario.Scenario) (in plan.NCCLHost, err error) {
	if !base.Cluster.Host.Graph.Set {
		return in, nil
	}
	p, err := run.NewPlan(base)
	if err != nil {
		return in, err
	}
	return p.NCCLHost(), nil
}

// perfBase returns the scenario in the file that --cluster names, without one that of these machines: then no file is to blame.
func (a *perfCall) perfBase(ctx context.Context, file string, m perf.Machines) (*scenario.Scenario, error) {
	src, ours := perf.BaseOf(m), file == ""
	if ours {
		file = "perf.yaml"
	} else {
		var err error
		if src, err = a.ReadFile(ctx, file); err != nil {
			return nil, call.Misuse("cannot read scenario %s: %w", file, err)
		}
	}
	sc, err := scenario.Parse(file, src)
	var ps located.Problems
	if !ours && errors.As(err, &ps) && slices.ContainsFunc(ps, jobless) { // whose job is not taken anyway
		if with, again := scenario.Parse(file, slices.Concat(src, []byte(anyJob))); again == nil {
			return with, nil
		}
	}
	if ours && errors.As(err, &ps) {
		var all []string
		for i := range ps {
			all = append(all, ps[i].Path+": "+ps[i].Message)
		}
		return nil, call.Misuse("perf: --hosts %d, --gpus %d: %s", m.Hosts, m.GPUs, strings.Join(all, "; "))
	}
	if err != nil {
		return nil, a.Problems(file, src, err)
	}
	return sc, nil
}

// jobless reports whether a problem is that a scenario has no job.
func jobless(p located.Problem) bool {
	return p.Path == "job" && strings.HasPrefix(p.Message, "missing")
}

// anyJob is a job at the end of a scenario that has none.
const anyJob = "\njob: {collectives: [{op: all-reduce, bytes: 4B}]}\n"
