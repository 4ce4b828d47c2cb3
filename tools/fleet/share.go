//go:build linux

package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"railyard/internal/run"
	"railyard/internal/scenario"
)

// share says how much of all CPU time is spent in runs.
func (t *try) share(ctx context.Context) error {
	whole, loop, err := t.bare(ctx)
	if err != nil {
		return err
	}
	n := float64(t.runs)
	fmt.Printf("a run: %.1f CPU-ms, %.1f of them in the event loop\n", 1000*whole/n, 1000*loop/n)
	for _, way := range []struct {
		name string
		args []string
	}{{"one process", nil}, {"embedded", []string{"--nats", "embedded"}}} {
		p, err := t.start("", way.name, nil, t.railyard, append([]string{"sweep", "sweep.yaml", "-q", "-o", way.name}, way.args...)...)
		if err == nil {
			err = p.wait(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		say(way.name, p.cpu(), whole, loop, n)
	}
	all, err := t.sockets(ctx)
	if err == nil {
		say("three servers", all, whole, loop, n)
	}
	return err
}

func say(name string, all, whole, loop, n float64) {
	fmt.Printf("%-14s %.1f CPU-ms a run: %.1f %% in runs, %.1f %% in their event loops\n", name, 1000*all/n, 100*whole/all, 100*loop/all)
}

// bare runs what the sweep runs, one after another, in this process: CPU seconds of runs, and of their event loops.
func (t *try) bare(ctx context.Context) (whole, loop float64, err error) {
	sc, err := scenario.Parse("bare.yaml", []byte("name: bare\n"+dedent(fmt.Sprintf(runsOf, t.shared("star.txt")))))
	if err != nil {
		return 0, 0, err
	}
	var all []*scenario.Scenario
	for i := range t.runs {
		one, err := sc.With(scenario.Change{Path: "fabric.switch.buffer", Text: fmt.Sprintf("%dkB", 1000+19000*(i%10)/9)},
			scenario.Change{Path: "seed", Text: fmt.Sprint(1 + i/10)})
		if err != nil {
			return 0, 0, err
		}
		all = append(all, one)
	}
	sources := &run.Sources{}
	before := used()
	for _, one := range all {
		if _, err := run.Run(ctx, one, run.Options{Sources: sources, Figures: true, Around: func(do func()) {
			begun := used()
			do()
			loop += used() - begun
		}}); err != nil {
			return 0, 0, err
		}
	}
	return used() - before, loop, nil
}

// used is the CPU time of this process, seconds.
func used() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// sockets is the CPU time of servers, workers and sweep.
func (t *try) sockets(ctx context.Context) (all float64, err error) {
	f := &fleet{try: t}
	defer f.close()
	f.try.quiet = true
	if err := f.begin(ctx); err != nil {
		return 0, err
	}
	f.sweep, err = f.start(sweeper.name, "sweep", nil, f.railyard, append([]string{"sweep", "sweep.yaml", "-q", "-o", "sockets"},
		f.door()...)...)
	if err == nil {
		err = f.sweep.wait(ctx)
	}
	if err != nil {
		return 0, err
	}
	all = f.sweep.cpu()
	for _, p := range append(f.workers, f.servers[:]...) {
		if err := p.stop(1, 130, 143); err != nil {
			return 0, err
		}
		all += p.cpu()
	}
	return all, nil
}
