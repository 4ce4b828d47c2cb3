package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"railyard/internal/coll"
	"railyard/internal/input"
	"railyard/internal/located"
	"railyard/internal/plan"
	"railyard/internal/run"
	"railyard/internal/scenario"
	"railyard/internal/topo"
)

// readScenario reads and resolves a scenario; its problems are printed to stderr with
// the lines they are in.
func (a *app) readScenario(file string) (*scenario.Scenario, error) {
	src, err := a.readFile(context.Background(), file)
	if err != nil {
		return nil, misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := parse(file, src)
	var problems located.Problems
	if errors.As(err, &problems) {
		problems.Render(a.stderr, src)
		return nil, fmt.Errorf("%s: %s", file, count(len(problems), "problem"))
	}
	return sc, err
}

// parse resolves a scenario, or says all that is wrong with it: names of links and switches, too, as far as they are known.
func parse(file string, src []byte) (*scenario.Scenario, error) {
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

// plan reads a scenario and derives from it what a run needs.
func (a *app) plan(file string) (*plan.Plan, error) {
	sc, err := a.readScenario(file)
	if err != nil {
		return nil, err
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		return nil, a.located(file, sc, err)
	}
	return p, nil
}

// located prints an error that belongs to a field of the scenario, or to a file that it
// names, with the line it stands in, and returns what is left to say. Other errors it
// returns as they are.
func (a *app) located(file string, sc *scenario.Scenario, err error) error {
	if !a.renderField(a.stderr, file, sc, err) {
		return err
	}
	where, n := placeOf(file, err)
	return fmt.Errorf("%s: %s", where, count(n, "problem"))
}

// placeOf returns the file that an error belongs to, the scenario's or one that it names,
// and how many problems the error is.
func placeOf(file string, err error) (where string, n int) {
	var field *plan.FieldError
	var problems located.Problems
	if !errors.As(err, &field) && errors.As(err, &problems) && len(problems) > 0 {
		return problems[0].File, len(problems)
	}
	return file, 1
}

// renderField writes an error that belongs to a field of the scenario, or to a file that it names;
// false if it is none.
func (a *app) renderField(w io.Writer, file string, sc *scenario.Scenario, err error) bool {
	var field *plan.FieldError
	var problems located.Problems
	inFile := errors.As(err, &problems)
	if errors.As(err, &field) {
		message, rest, _ := strings.Cut(field.Err.Error(), "\n")
		if inFile {
			message, rest = fmt.Sprintf("%s: %s in the schedule", problems[0].File, count(len(problems), "mistake")), ""
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
func (a *app) renderAt(w io.Writer, file string, problems located.Problems) {
	var src []byte
	if where := problems[0].File; where == file {
		src, _ = a.readFile(context.Background(), file)
	} else {
		const most = max(scenario.MaxFlowBytes, topo.MaxText, coll.MaxText)
		src, _ = input.Read(context.Background(), where, most)
	}
	problems.Render(w, src) // without lines, if the file has just gone away
}
