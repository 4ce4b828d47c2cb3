package call

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
)

// CompleteScenario completes names of scenario files in a shell.
func CompleteScenario(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// List joins names with commas.
func List(names []string) string { return strings.Join(names, ", ") }

// ChoiceNames are the words that a key takes.
func ChoiceNames(all []scenario.Choice) (names []string) {
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// Settings returns what --set of a command changes: one value for each key.
func Settings(command string, set []string) (changes []scenario.Change, err error) {
	for _, text := range set {
		a, err := sweep.ParseAxis(text)
		switch {
		case err != nil:
			return nil, Misuse("%s: --set %w", command, err)
		case len(a.Values) > 1:
			return nil, Misuse("%s: --set %s: want one value", command, text)
		}
		changes = append(changes, scenario.Change{Path: a.Path, Text: a.Values[0]})
	}
	return changes, nil
}

// ChangeProblems prints what is wrong with a change, and returns what is left to say.
func (a *App) ChangeProblems(err error) error {
	var problems located.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems.Render(a.Stderr, nil)
	return fmt.Errorf("%s; nothing was run", Count(len(problems), "problem"))
}

// KernelNames are those of job.train.kernel, with commas between.
func KernelNames() string {
	names := make([]string, len(scenario.Kernels))
	for i, k := range scenario.Kernels {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// Swept shows how far a sweep is.
func Swept(p *Progress) func(v sweep.Progress) {
	return func(v sweep.Progress) {
		p.Update(result.Progress{Phase: v.Phase, Done: int64(v.Done), Total: int64(v.Total), PacketHops: v.PacketHops,
			Part: v.Part})
	}
}

// TellForecast says what is about to run.
func (a *App) TellForecast(quiet bool, f sweep.Forecast) {
	if quiet || f.Runs == 0 {
		return
	}
	text := fmt.Sprintf("%s of about %s packet-hops in all, %d at once, each with up to %s", Count(f.Runs, "run"),
		unit.Count(f.PacketHops), f.AtOnce, f.Largest.Human())
	if f.Memory > 0 {
		text += fmt.Sprintf(" of %s", f.Memory.Human())
	}
	if f.Seconds >= foresight.Worth.Seconds() {
		f.Seconds *= machine.Slowness()
	}
	took := "some " + unit.Clock(f.Seconds)
	if f.Seconds < 0.1 {
		took = "less than 0.1 s"
	}
	text += ", " + took + " of one core"
	if f.Disk > 0 {
		text += ", " + f.Disk.Human() + " of disk"
	}
	if f.Resumed > 0 {
		text += fmt.Sprintf("; %d more are there already", f.Resumed)
	}
	a.Tell(text)
}
