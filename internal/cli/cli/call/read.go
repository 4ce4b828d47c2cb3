package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/job/coll"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// ReadScenario reads and resolves a scenario; its problems are printed to stderr with
// the lines they are in.
func (a *App) ReadScenario(file string) (*scenario.Scenario, error) {
	src, err := a.ReadFile(context.Background(), file)
	if err != nil {
		return nil, Misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := Parse(file, src)
	var problems located.Problems
	if errors.As(err, &problems) {
		problems.Render(a.Stderr, src)
		return nil, fmt.Errorf("%s: %s", file, Count(len(problems), "problem"))
	}
	return sc, err
}

// Parse resolves a scenario, or says all that is wrong with it: names of links and switches, too, as far as they are known.
func Parse(file string, src []byte) (*scenario.Scenario, error) {
	sc, err := scenario.Parse(file, src)
	var problems located.Problems
	if !errors.As(err, &problems) {
		return sc, err
	}
	if cabled := scenario.Cabled(file, src); cabled != nil {
		problems = append(problems, plan.Misnamed(cabled, problems)...)
	}
	return nil, problems.Sorted()
}

// Plan reads a scenario and derives from it what a run needs.
func (a *App) Plan(file string) (*plan.Plan, error) {
	sc, err := a.ReadScenario(file)
	if err != nil {
		return nil, err
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		return nil, a.Located(file, sc, err)
	}
	return p, nil
}

// Located prints an error that belongs to a field of the scenario, or to a file that it
// names, with the line it stands in, and returns what is left to say. Other errors it
// returns as they are.
func (a *App) Located(file string, sc *scenario.Scenario, err error) error {
	if !a.RenderField(a.Stderr, file, sc, err) {
		return err
	}
	where, n := PlaceOf(file, err)
	return fmt.Errorf("%s: %s", where, Count(n, "problem"))
}

// PlaceOf returns the file that an error belongs to, the scenario's or one that it names,
// and how many problems the error is.
func PlaceOf(file string, err error) (where string, n int) {
	var field *plan.FieldError
	var problems located.Problems
	if !errors.As(err, &field) && errors.As(err, &problems) && len(problems) > 0 {
		return problems[0].File, len(problems)
	}
	return file, 1
}

// RenderField writes an error that belongs to a field of the scenario, or to a file that it names;
// false if it is none.
func (a *App) RenderField(w io.Writer, file string, sc *scenario.Scenario, err error) bool {
	var field *plan.FieldError
	var problems located.Problems
	inFile := errors.As(err, &problems)
	if errors.As(err, &field) {
		message, rest, _ := strings.Cut(field.Err.Error(), "\n")
		if inFile {
			message, rest = fmt.Sprintf("%s: %s in the schedule", problems[0].File, Count(len(problems), "mistake")), ""
		}
		a.renderAt(w, file, located.Problems{sc.Located(scenario.Finding{Severity: scenario.Error,
			Path: field.Path, Message: message})})
		for line := range strings.Lines(rest) {
			fmt.Fprintf(w, "      = %s\n", strings.TrimRight(line, "\n"))
		}
	}
	if inFile {
		a.renderAt(w, file, problems)
	}
	return field != nil || inFile
}

// renderAt writes problems of the scenario, or of a file that it names, with the lines they are in.
func (a *App) renderAt(w io.Writer, file string, problems located.Problems) {
	var src []byte
	if where := problems[0].File; where == file {
		src, _ = a.ReadFile(context.Background(), file)
	} else {
		const most = max(scenario.MaxFlowBytes, topo.MaxText, coll.MaxText)
		src, _ = input.Read(context.Background(), where, most)
	}
	problems.Render(w, src) // without lines, if the file has just gone away
}

// Problems prints the problems of a scenario with their lines and returns what is left to say.
func (a *App) Problems(file string, src []byte, err error) error {
	var problems located.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems.Render(a.Stderr, src)
	return fmt.Errorf("%s: %s; nothing was run", file, Count(len(problems), "problem"))
}

// ReadFile reads a scenario, from standard input if the path is -. That is read once and kept, for
// the lines that its problems are shown with.
func (a *App) ReadFile(ctx context.Context, path string) (src []byte, err error) {
	if path != input.Stdin {
		src, err = input.Read(ctx, path, scenario.MaxBytes)
		if errors.Is(err, fs.ErrNotExist) {
			err = alike(path, err)
		}
		return src, err
	}
	if a.piped == nil {
		a.piped, err = input.Stream(ctx, a.Stdin, scenario.MaxBytes)
	}
	return a.piped, err
}

// alike adds to the error of a file that is not there the one that differs from it by how its name ends.
func alike(path string, err error) error {
	for _, end := range []string{".yaml", ".yml"} {
		other := strings.TrimSuffix(strings.TrimSuffix(path, ".yaml"), ".yml") + end
		if st, e := os.Stat(other); e == nil && st.Mode().IsRegular() {
			return fmt.Errorf("%w; did you mean %s?", err, located.Shown(other))
		}
	}
	return err
}
