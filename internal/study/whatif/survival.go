package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// Bounds of what is tried so that a job lives through what aborted it.
const (
	mostTimeout  = 10 * unit.Minute // of transport.timeout
	mostWatchdog = 24 * unit.Hour
	checkpoints  = 10 // in the whole job, where it had none
)

const withoutCheckpoints = "without checkpoints"

// survivalCuts are the changes with which a job may live through what aborted it, or lose less: patience, a start
// from the last checkpoint, checkpoints more and less often, a spare host. The cluster has the spare host beside those that
// it has, so that the job is as large as before. was is what the run says of the job.
func survivalCuts(sc *scenario.Scenario, j *scenario.Job, was *result.JobFigures) (all []Cut) {
	if was.Lifetime == nil {
		return nil
	}
	v := &j.Survival
	add := func(name, subject string, changes ...scenario.Change) {
		all = append(all, Cut{Kind: Survival, Name: name, Subject: []string{subject}, Changes: changes})
	}
	if len(was.Aborts) > 0 {
		all = append(all, patience(sc, j, &was.Aborts[0])...)
	}
	sums := j.Train != nil || j.Replay != nil
	if !sums {
		return all
	}
	var again []scenario.Change
	how := ""
	if !v.Restart.Set {
		again, how = []scenario.Change{set(j.Path()+".restart", "0s")}, ", started again at once"
	}
	if len(was.Aborts) > 0 && len(again) > 0 {
		from := "from the beginning"
		if v.Saves() {
			from = "from its last checkpoint"
		}
		add("started again at once, "+from, "restart", again...)
	}
	if aborted(was) && v.Restart.Set {
		add(fmt.Sprintf("with %d restarts", 4*v.Restarts), "restarts", set(j.Path()+".restarts", strconv.Itoa(4*v.Restarts)))
	}
	every := func(name string, steps int, more ...scenario.Change) {
		add(fmt.Sprintf("with checkpoints %safter each %s", name, unit.CountOf(int64(steps), "step")), "checkpoints",
			append([]scenario.Change{set(j.Path()+".checkpoint.steps", strconv.Itoa(steps))}, more...)...)
	}
	switch {
	case !v.Saves():
		every("", max(1, int(was.StepsPlanned)/checkpoints), again...)
		all[len(all)-1].Name += how
	case v.Steps.Set:
		if v.Steps.Value > 1 {
			every("twice as often, ", v.Steps.Value/2)
		}
		every("half as often, ", 2*v.Steps.Value)
	}
	if v.Saves() {
		add(withoutCheckpoints, "checkpoints", remove(j.Path()+".checkpoint"))
	}
	if len(was.Aborts) > 0 && len(sc.Jobs) == 1 && j.Hosts == nil {
		add("with a spare host"+how, "spares", append([]scenario.Change{set("cluster.hosts", strconv.Itoa(sc.Cluster.Hosts+1)),
			set(j.Path()+".spares", strconv.Itoa(v.Spares+1))}, again...)...)
	}
	return all
}

// aborted reports whether a job was aborted for good.
func aborted(s *result.JobFigures) bool {
	restarts := 0
	if s.Survival != nil {
		restarts = len(s.Survival.Restarts)
	}
	return len(s.Aborts) > restarts
}

// anyAborted reports whether a job of a run was.
func anyAborted(s *result.Summary) bool { return slices.ContainsFunc(s.PerJob(), aborted) }

// patience has queue pairs, or the watchdog, wait for longer than what is behind an abort lasted.
func patience(sc *scenario.Scenario, j *scenario.Job, a *result.Abort) (all []Cut) {
	add := func(name, subject string, changes ...scenario.Change) {
		all = append(all, Cut{Kind: Survival, Name: name, Subject: []string{subject}, Changes: changes})
	}
	longest := longestOf(sc, a.Faults)
	switch a.Why {
	case result.AbortRetries:
		t := &sc.Transport
		if t.Retries < verbsRetries {
			add(fmt.Sprintf("with %d retries, the most that verbs allow", verbsRetries), "transport.retries",
				set("transport.retries", strconv.Itoa(verbsRetries)))
		}
		long := 2 * t.Timeout.Value
		for long*unit.Duration(1+t.Retries) <= longest && long <= mostTimeout {
			long *= 2
		}
		if long <= mostTimeout {
			add("with a timeout of "+long.String(), "transport.timeout", set("transport.timeout", long.String()))
		}
	case result.AbortWatchdog:
		limit := 2 * j.Watchdog.Value
		for limit <= longest && limit <= mostWatchdog {
			limit *= 2
		}
		if limit <= mostWatchdog {
			add("with a watchdog that waits "+limit.String(), "watchdog", set(j.Path()+".watchdog", limit.String()))
		}
	}
	return all
}

// verbsRetries is the largest retry_cnt of a queue pair: three bits (IBTA vol. 1, 9.9.2.1.1).
const verbsRetries = 7

// longestOf is how long the longest of what is down or hangs does so, of entries of faults as an abort names them.
func longestOf(sc *scenario.Scenario, texts []string) (longest unit.Duration) {
	for i := range sc.Faults {
		f := &sc.Faults[i]
		for _, t := range texts {
			if strings.HasPrefix(t, fmt.Sprintf("faults[%d]", i)) {
				longest = max(longest, f.Down.Or(0), f.Hang.Or(0))
			}
		}
	}
	return longest
}

// abortText says how far a job came that was aborted for good, and why.
func abortText(s *result.Summary) string {
	a := &s.Aborts[len(s.Aborts)-1]
	t := fmt.Sprintf("the job is aborted at %s", unit.Duration(a.At).Human())
	if s.StepsPlanned > 0 {
		t += fmt.Sprintf(", after %s of %s", unit.Count(s.Steps), unit.CountOf(s.StepsPlanned, "step"))
	}
	t += ": " + a.Why
	if a.Port != "" {
		t += " at " + a.Port
	}
	return t
}
