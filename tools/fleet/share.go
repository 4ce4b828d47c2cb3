//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// profiled is railyard with a profile of where its CPU time went.
const profiled = `package main

import (
	"os"
	"runtime/pprof"

	"railyard/internal/cli/cli"
)

func main() {
	file, err := os.Create(os.Getenv("FLEET_PROFILE"))
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		panic(err)
	}
	code := cli.Main(os.Args[1:], os.Stdout, os.Stderr)
	pprof.StopCPUProfile()
	os.Exit(code)
}
`

// spent is CPU time, seconds.
type spent struct {
	all, runs, loops, collector float64
}

// share says how much of all CPU time is spent in runs.
func (t *try) share(ctx context.Context) error {
	if err := t.buildProfiled(); err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		args []string
	}{{"one-process", nil}, {"embedded", []string{"--nats", "embedded"}}} {
		p, err := t.start("", way.name, t.profile(way.name), t.railyard, append([]string{"sweep", "sweep.yaml", "-q", "-o", way.name},
			way.args...)...)
		if err == nil {
			err = p.wait(ctx)
		}
		sum := spent{}
		if err == nil {
			err = sum.add(t, p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		sum.say(way.name, t.runs)
	}
	return t.sockets(ctx)
}

// buildProfiled makes the program that is tried one that keeps a profile.
func (t *try) buildProfiled() error {
	where, err := filepath.Abs(filepath.Join("cmd", "railyard", "main.go"))
	if err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {where: t.shared("profiled.go")}})
	if err == nil {
		err = t.write("profiled.go", profiled)
	}
	if err == nil {
		err = t.write("overlay.json", string(overlay))
	}
	if err != nil {
		return err
	}
	t.railyard = t.shared("profiled")
	return command("go", "build", "-overlay", t.shared("overlay.json"), "-o", t.railyard, "./cmd/railyard")
}

// profile says where a process keeps its profile.
func (t *try) profile(name string) []string {
	return []string{"FLEET_PROFILE=" + t.shared(name+".pprof")}
}

// add adds an ended process that kept a profile: its CPU time is the system's, what it went to is what the profile says.
func (s *spent) add(t *try, p *process) error {
	out, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-nodefraction=0", "-nodecount=1000000", "-unit=ms", t.railyard,
		t.shared(p.name+".pprof")).Output()
	if err != nil {
		return fmt.Errorf("the profile of %s: %w", p.name, err)
	}
	total, parts := 0.0, map[string]float64{}
	for _, line := range strings.Split(string(out), "\n") {
		if _, rest, is := strings.Cut(line, "Total samples = "); is {
			total, _ = strconv.ParseFloat(strings.TrimSuffix(strings.Fields(rest)[0], "ms"), 64)
		} else if f := strings.Fields(line); len(f) >= 6 { // flat flat% sum% cum cum% name
			if ms, err := strconv.ParseFloat(strings.TrimSuffix(f[3], "ms"), 64); err == nil {
				parts[f[5]] = ms
			}
		}
	}
	all := p.cpu()
	s.all += all
	if total == 0 { // it was gone before it was looked at once
		return nil
	}
	s.runs += all * parts["railyard/internal/run/run.Run"] / total
	s.loops += all * parts["railyard/internal/run/run.(*runner).drive"] / total
	s.collector += all * parts["runtime.gcBgMarkWorker"] / total
	return nil
}

func (s *spent) say(name string, runs int) {
	n := float64(runs)
	fmt.Printf("%-14s %5.1f CPU-ms a run, %.1f of them in it: %.1f %% (%.1f %% in event loops; %.1f %% collector of garbage)\n", name,
		1000*s.all/n, 1000*s.runs/n, 100*s.runs/s.all, 100*s.loops/s.all, 100*s.collector/s.all)
}

// sockets is share with servers and workers as processes of their own.
func (t *try) sockets(ctx context.Context) error {
	f := &fleet{try: t}
	defer f.close()
	f.try.quiet = true
	if err := f.begin(ctx); err != nil {
		return err
	}
	var err error
	f.sweep, err = f.start(sweeper.name, "sweep", t.profile("sweep"), f.railyard, append([]string{"sweep", "sweep.yaml", "-q", "-o",
		"sockets"}, f.door()...)...)
	if err == nil {
		err = f.sweep.wait(ctx)
	}
	if err != nil {
		return err
	}
	var sweep, workers, servers spent
	err = sweep.add(t, f.sweep)
	for _, p := range f.workers {
		if err == nil {
			err = p.stop(1, 130, 143)
		}
		if err == nil {
			err = workers.add(t, p)
		}
	}
	for _, p := range f.servers {
		if err == nil {
			err = p.stop(1, 130, 143)
		}
		if err == nil {
			servers.all += p.cpu()
		}
	}
	if err != nil {
		return err
	}
	sum := workers
	sum.all += sweep.all + servers.all
	sum.runs += sweep.runs
	sum.collector += sweep.collector
	sum.say("three servers", t.runs)
	n := float64(t.runs)
	fmt.Printf("%-14s CPU-ms a run: workers %.1f, servers %.1f, sweep %.1f\n", "", 1000*workers.all/n, 1000*servers.all/n, 1000*sweep.all/n)
	return nil
}
