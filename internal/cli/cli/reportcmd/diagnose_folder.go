package reportcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/config/collected"
	"railyard/internal/config/dump"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// isRun reports whether a folder is that of a run. What cannot be looked at is for the reader of runs to say.
func isRun(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return true
	}
	_, err = os.Lstat(filepath.Join(dir, "run.json"))
	return err == nil
}

// shownIn reads a folder of texts that an operator has collected.
func shownIn(ctx context.Context, dir string, names *dump.Names) (*telemetry.Telemetry, *topo.Graph, *collected.Dump,
	error) {
	t, g, found, err := collected.Shown(ctx, dir, names)
	switch {
	case ctx.Err() != nil:
		return nil, nil, nil, &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted; nothing was found")}
	case err != nil:
		return nil, nil, nil, call.Misuse("%w", err)
	}
	return t, g, found, nil
}

// dumpNames are the names of metrics that are known, after those of a file.
func (a *diagnoseCall) dumpNames(ctx context.Context, file string) (*dump.Names, error) {
	names := dump.GivenNames()
	if file == "" {
		return names, nil
	}
	text, err := a.ReadFile(ctx, file)
	if err != nil {
		return nil, call.Misuse("diagnose: --names %s: %w", file, input.Cause(err))
	}
	if err := names.Before(file, string(text)); err != nil {
		return nil, call.Misuse("diagnose: --names: %w", err)
	}
	return names, nil
}

// beside reads who is beside whom from a file: what devices hear by LLDP, a topology of containerlab, or a scenario, which comes with
// it. names are the ports that have to be in it.
func (a *diagnoseCall) beside(ctx context.Context, file string, names *dump.Names, t *telemetry.Telemetry) (
	*topo.Graph, *scenario.Scenario, error) {
	text, err := a.ReadFile(ctx, file)
	if err != nil {
		return nil, nil, call.Misuse("diagnose: --topology %s: %w", file, input.Cause(err))
	}
	r := dump.NewReader(names)
	if _, err := r.Add(file, text); err != nil {
		return nil, nil, call.Misuse("diagnose: --topology: %w", err)
	}
	var g *topo.Graph
	var sc *scenario.Scenario
	if r.Beside() {
		if g, err = r.Graph(t); err != nil {
			return nil, nil, call.Misuse("diagnose: --topology %s: %w", file, err)
		}
	} else {
		if sc, err = a.ReadScenario(file); err != nil {
			return nil, nil, call.Misuse("diagnose: --topology: %w", err)
		}
		p, err := run.NewPlan(sc)
		if err != nil {
			return nil, nil, call.Misuse("diagnose: --topology %s: %w", file, a.Located(file, sc, err))
		}
		g = p.Graph
	}
	return g, sc, fits(file, g, t)
}

// fits refuses a topology that has no port of what is judged: it would tell nothing.
func fits(file string, g *topo.Graph, t *telemetry.Telemetry) error {
	ports := map[string]bool{}
	for i := range g.Ports {
		ports[g.Ports[i].Name] = true
	}
	all := t.Find(telemetry.Port, telemetry.NIC)
	for _, s := range all {
		if ports[s.Port] {
			return nil
		}
	}
	if len(all) == 0 || len(g.Ports) == 0 {
		return nil
	}
	return call.Misuse("diagnose: --topology %s: none of its ports is in what is judged: it has %s, and that %s; "+
		"what devices hear by LLDP has their names", file, located.Shown(g.Ports[0].Name), located.Shown(all[0].Port))
}
