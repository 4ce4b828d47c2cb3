package showcmd

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// eventFlags is the flags of `railyard show events`.
type eventFlags struct {
	port, flow, job string
	kinds           []string
	from, to        string // times of the run
	most            int
	json, damaged   bool
}

// mostEvents bounds what is held in memory.
const mostEvents = 1_000_000

// eventsCall is a call of railyard show events.
type eventsCall struct {
	*call.App
	f eventFlags
}

func eventsCommand(a *call.App) *cobra.Command {
	c := &eventsCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "events DIR",
		Short: "Print what happened at ports and to queue pairs, as a log",
		Long: `Prints the events that the run in DIR has logged: marks, xOFF and xON, pauses, queues that
cross the marking thresholds, drops, losses, CNPs, NAKs, timeouts, changes of rate and path,
links that go down and up. The run logs them if its scenario has output: {events: true}.`,
		Example: "  railyard show events runs/incast-1 --port rail1/host1\n" +
			"  railyard show events runs/incast-1 --kind pause,resume --port 'host*/rail1' --from 1ms --to 2ms\n" +
			"  railyard show events runs/incast-1 --flow flow3 --kind rate --json",
		Args:              call.OneRun,
		ValidArgsFunction: call.CompleteRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return c.showEvents(args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.port, "port", "", "of this port, such as rail1/host2, or of those that a pattern names: 'rail1/*'")
	fl.StringVar(&f.flow, "flow", "", "of the queue pair with this NAME")
	fl.StringVar(&f.job, "job", "", "of the queue pairs of the job with this NAME")
	fl.StringSliceVar(&f.kinds, "kind", nil, "of these kinds: "+strings.Join(eventKinds(), ", "))
	fl.StringVar(&f.from, "from", "", "from this virtual time on, such as 1.5ms")
	fl.StringVar(&f.to, "to", "", "up to this virtual time")
	fl.IntVar(&f.most, "most", 100, "print so many events at most")
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	call.DamagedFlag(fl, &f.damaged)
	call.Complete(cmd, "port", call.CompletePorts)
	call.Complete(cmd, "kind", cobra.FixedCompletions(eventKinds(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func eventKinds() (names []string) {
	for _, k := range result.EventKindList() {
		names = append(names, k.Name)
	}
	return names
}

// filter checks the flags.
func (f *eventFlags) filter() (w report.EventFilter, err error) {
	w = report.EventFilter{Port: f.port, Flow: f.flow, Job: f.job, Kinds: f.kinds, Most: f.most}
	if f.most < 1 || f.most > mostEvents {
		return w, call.Misuse("show events: --most %d: want 1 to %d", f.most, mostEvents)
	}
	if _, err := path.Match(f.port, ""); err != nil {
		return w, call.Misuse("show events: --port %s: is no pattern, want a port such as rail1/host2, or 'rail1/*'",
			f.port)
	}
	all := eventKinds()
	for _, k := range f.kinds {
		if !slices.Contains(all, k) {
			return w, call.Misuse("show events: --kind %s: want of %s", k, strings.Join(all, ", "))
		}
	}
	window, err := call.WindowOf("show events", f.from, f.to)
	w.From, w.To = window.From, window.To
	return w, err
}

func (c *eventsCall) showEvents(dir string) error {
	filter, err := c.f.filter()
	if err != nil {
		return err
	}
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		return call.Misuse("%w", err)
	}
	run.Damaged = c.f.damaged
	if !slices.Contains(run.Tables(), "events") {
		return fmt.Errorf("run directory %s: holds no events: its scenario wants output: {events: true}", dir)
	}
	if c.f.port != "" && !strings.ContainsAny(c.f.port, `*?[\`) {
		if err := knowsPort(run, c.f.port); err != nil {
			return err
		}
	}
	log, err := report.ReadEvents(run, filter)
	if err != nil {
		return err
	}
	if log.Matching == 0 {
		if err := knowsFlow(run, c.f); err != nil {
			return err
		}
	}
	if c.f.json {
		return c.PrintJSON(log)
	}
	return log.WriteText(c.Stdout, c.PageWidth())
}

// knowsFlow reports a queue pair or a job that no message of the run is of. Of a run that keeps no
// messages nobody knows them.
func knowsFlow(run *result.Run, f eventFlags) error {
	flow, job, example := f.flow == "", f.job == "", ""
	var jobs []string
	for m, err := range run.Flows() {
		if err != nil {
			return nil
		}
		flow, job, example = flow || m.Name == f.flow, job || m.Job == f.job, m.Name
		if m.Job != "" && !slices.Contains(jobs, m.Job) {
			jobs = append(jobs, m.Job)
		}
	}
	switch {
	case example == "":
		return nil
	case !job:
		return noJob(f.job, jobs)
	case !flow:
		return call.Misuse("show events: --flow %s: the run has no such queue pair, want one of flows.parquet, such as %s", f.flow,
			example)
	}
	return nil
}

// knowsPort reports a port that the run does not have. Of a run that has not ended nobody knows them.
func knowsPort(run *result.Run, port string) error {
	example := ""
	for l, err := range run.Links() {
		if err != nil || l.Port == port {
			return nil
		}
		example = l.Port
	}
	if example == "" {
		return nil
	}
	return call.Misuse("show events: --port %s: the run has no such port, want one of links.parquet, such as %s",
		port, example)
}
