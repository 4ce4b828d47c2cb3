//go:build unix

package clitest

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// fakeRun is a small engine: it writes one flow, and does what the scenario's name says.
func fakeRun(ctx context.Context, sc *scenario.Scenario, opt call.RunOptions) (*result.Summary, error) {
	if sc.Name == "refused" {
		return nil, errors.New("9 GB of memory estimated, want at most 8 GB: --force runs it all the same")
	}
	s := &result.Summary{Name: sc.Name, Seed: sc.Seed}
	if err := opt.Dir.Begin(s); err != nil {
		return nil, err
	}
	opt.Dir.Flows().Add(result.FlowRow{Name: "a"})
	interrupt := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }
	switch sc.Name {
	case "interrupt":
		interrupt()
		<-ctx.Done()
		return s, nil
	case "hangup": // the terminal goes away
		_ = syscall.Kill(os.Getpid(), syscall.SIGHUP)
		if !signal.Ignored(syscall.SIGHUP) {
			<-ctx.Done()
		}
		return s, nil
	case "stubborn": // does not look at the context
		interrupt()
		<-ctx.Done()
		interrupt()
		select {}
	case "failing":
		return s, errors.New("queue pair 3 used up its retries")
	case "slow":
		opt.Progress(result.Progress{Phase: "training", Done: 1, Total: 2, Loss: 0.5, HasLoss: true})
		time.Sleep(call.PlainFirst + 3*call.RedrawEvery)
	}
	return s, nil
}

// fakeDigits is interrupted before it is done.
func fakeDigits(ctx context.Context, _ string, o scenario.Drawn, progress func(done, total int64)) (bool, error) {
	progress(1, int64(o.Train+o.Test))
	_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	<-ctx.Done()
	return true, ctx.Err()
}
