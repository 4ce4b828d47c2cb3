package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/job/coll"
	"railyard/internal/job/decoder/times"
	"railyard/internal/learn/nn/netfile"
	"railyard/internal/net/nccltopo"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
)

// NewPlan reads the files that a scenario names and plans its run.
func NewPlan(sc *scenario.Scenario) (*plan.Plan, error) {
	p, _, err := newPlan(sc, &watcher{ctx: context.Background(), progress: func(result.Progress) {}})
	return p, err
}

// newPlan is NewPlan with a watcher. It returns what it read, too.
func newPlan(sc *scenario.Scenario, w *watcher) (*plan.Plan, []result.Input, error) {
	files, inputs, err := readFiles(w.ctx, sc, w.configs, w.hostGraph)
	if err != nil {
		return nil, nil, err
	}
	files.Blocks = w.blocks
	// Planning cannot be stopped while it parses a long file: an interrupted run leaves it behind.
	var lock sync.Mutex
	left := false
	step := func(done, total int) error {
		lock.Lock()
		defer lock.Unlock()
		if left {
			return w.ctx.Err()
		}
		return w.step("planning", done, total)
	}
	p, err := input.Await(w.ctx, func() (*plan.Plan, error) { return plan.New(sc, files, step) })
	lock.Lock()
	left = true
	lock.Unlock()
	return p, inputs, err
}

// readFiles reads the files that a scenario names, or returns what is wrong with each. Configurations and a graph of hosts
// that are known are not read.
func readFiles(ctx context.Context, sc *scenario.Scenario, known []switches.Configuration, graph []byte) (files plan.Files,
	inputs []result.Input, err error) {
	var problems located.Problems
	read := func(key, kind, name string, most int64) []byte {
		if err != nil {
			return nil
		}
		src, failed := input.Read(ctx, name, most)
		switch {
		case failed == nil:
			inputs = append(inputs, result.Input{Name: kind, Text: src})
		case ctx.Err() != nil:
			err = ctx.Err()
		default:
			problems = append(problems, sc.Located(scenario.Finding{
				Severity: scenario.Error,
				Path:     key,
				Message:  fmt.Sprintf("cannot read %s: %v", name, failed),
			}))
		}
		return src
	}
	if sc.Fabric.Design == "custom" {
		files.Topology = read("fabric.topology", result.TopologyInput, sc.Fabric.Topology.Value, topo.MaxText)
	}
	if files.Config = known; sc.Fabric.Config.Set && known == nil {
		c := sc.Fabric.Config
		folder, failed := readConfig(ctx, c.Value)
		if failed != nil && ctx.Err() == nil {
			problems = append(problems, sc.Located(scenario.Finding{Severity: scenario.Error, Path: "fabric.config",
				Message: fmt.Sprintf("cannot read %s: %v", c.Value, failed)}))
		}
		files.Config = folder
		for i := range folder {
			for _, f := range folder[i].Files {
				below := strings.TrimPrefix(filepath.ToSlash(f.Name), filepath.ToSlash(filepath.Clean(c.Value)))
				name := result.ConfigInput + below
				inputs = append(inputs, result.Input{Name: name, Text: f.Text})
			}
		}
	}
	if files.HostGraph = graph; graph != nil {
		inputs = append(inputs, result.Input{Name: result.HostGraphInput, Text: graph})
	} else if g := sc.Cluster.Host.Graph; g.Set && g.Value != scenario.GraphOfPreset {
		files.HostGraph = read("cluster.host.graph", result.HostGraphInput, g.Value, nccltopo.MaxBytes)
	}
	files.Jobs = make([]plan.JobFiles, len(sc.Jobs))
	for i := range sc.Jobs {
		j := &sc.Jobs[i]
		if s := j.Collective.Schedule; j.Train != nil && j.Parallel.DP > 1 && s.Set {
			files.Jobs[i].Schedule = read(j.Path()+".collective.schedule", inputName(sc, i, result.ScheduleInput), s.Value, coll.MaxText)
		}
		if t := j.Train; t != nil && t.Model == "file" {
			files.Jobs[i].Network = read(j.Path()+".train.network", inputName(sc, i, result.NetworkInput), t.Network, netfile.MaxText)
			files.Jobs[i].Image = imageIn(ctx, &t.Data)
		}
		if m := j.Model; m != nil && m.Times.Set {
			files.Jobs[i].Times = read(j.Path()+".model.times", inputName(sc, i, result.TimesInput), m.Times.Value, times.MaxText)
		}
		if f := j.FlowsCSV; f.Set {
			files.Jobs[i].Flows = read(j.Path()+".flows_csv", inputName(sc, i, result.FlowsInput), f.Value, scenario.MaxFlowBytes)
		}
	}
	if err == nil && len(problems) > 0 {
		err = problems
	}
	return files, inputs, err
}
