package perfcmd

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/launch"
	"railyard/internal/run/run"
)

// checkReal refuses flags that do not go with --real, or want it, and gives it its own defaults.
func (f *perfFlags) checkReal(cmd *cobra.Command) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	switch {
	case !slices.Contains(launch.Transports(), f.transport):
		return call.Misuse("perf: --transport %s: want one of: %s", located.Shown(f.transport),
			strings.Join(launch.Transports(), ", "))
	case !f.real && given("transport"):
		return call.Misuse("perf: --transport is between processes: want --real")
	case !f.real:
		return nil
	}
	if !given("gpus") && f.cluster == "" {
		f.gpus = 2
	}
	if !given("iters") {
		f.iterations = 20
	}
	if !given("warmup_iters") {
		f.warmup = 5
	}
	if !given("channels") {
		f.channels = 1
	}
	return nil
}

// measuredHead is the first line of a measured table.
func measuredHead(ranks int, transport string) string {
	processors := runtime.GOMAXPROCS(0)
	more := ""
	if ranks > processors {
		more = ", fewer than processes: they take turns"
	}
	way := map[string]string{launch.Shared: "shared memory", launch.TCP: "TCP over 127.0.0.1",
		launch.RoCE: "RoCEv2 over 127.64.0.0/10"}[transport]
	return fmt.Sprintf("# measured by railyard: %s over %s, %s%s\n", processCount(ranks), way, call.Count(processors,
		"processor"), more)
}

func processCount(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

// measureRow runs a scenario with ranks that are processes of this machine.
func (a *perfCall) measureRow(ctx context.Context, sc *scenario.Scenario, progress func(result.Progress)) (
	*result.Summary, error) {
	cfg, err := LaunchConfig(a.App, sc, "perf.yaml", a.f.transport)
	if err != nil {
		return nil, err
	}
	cfg.ID, cfg.Run.Progress = "perf", progress
	return a.engine.Launch(ctx, cfg)
}

// LaunchConfig is what launches of this program have in common, on one host.
func LaunchConfig(a *call.App, sc *scenario.Scenario, file, transport string) (launch.Config, error) {
	program, err := os.Executable()
	if err != nil {
		return launch.Config{}, fmt.Errorf("which program this is, is not known: %w", err)
	}
	return launch.Config{Scenario: sc, Name: file, Program: program, Args: []string{os.Args[0], LaunchRank},
		Transport: transport,
		Nodes:     1, Timeout: time.Minute, Version: result.Version, Say: func(line string) {
			fmt.Fprintln(a.Stderr,
				line)
		},
		Run: run.Options{}}, nil
}

// LaunchRank is the command by which a launcher starts the process of a rank.
const LaunchRank = "launch-rank"
