package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"railyard/internal/coll"
	"railyard/internal/input"
	"railyard/internal/run"
	"railyard/internal/scenario"
)

// readScenario reads and resolves a scenario; its problems are printed to stderr with
// the lines they are in.
func (a *app) readScenario(file string) (*scenario.Scenario, error) {
	src, err := a.readFile(context.Background(), file)
	if err != nil {
		return nil, misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := scenario.Parse(file, src)
	var problems scenario.Problems
	if errors.As(err, &problems) {
		problems.Render(a.stderr, src, a.errTerm.colour)
		return nil, fmt.Errorf("%s: %s", file, count(len(problems), "problem"))
	}
	return sc, err
}

// plan reads a scenario and derives from it what a run needs.
func (a *app) plan(file string) (*run.Plan, error) {
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
	if !a.renderField(a.stderr, a.errTerm.colour, file, sc, err) {
		return err
	}
	where, n := placeOf(file, err)
	return fmt.Errorf("%s: %s", where, count(n, "problem"))
}

// placeOf returns the file that an error belongs to, the scenario's or one that it names,
// and how many problems the error is.
func placeOf(file string, err error) (where string, n int) {
	var located scenario.Problems
	if errors.As(err, &located) && len(located) > 0 {
		return located[0].File, len(located)
	}
	return file, 1
}

// renderField writes an error that belongs to a field; false if it is none.
func (a *app) renderField(w io.Writer, colour bool, file string, sc *scenario.Scenario, err error) bool {
	var field *run.FieldError
	var located scenario.Problems
	if !errors.As(err, &field) && !errors.As(err, &located) {
		return false
	}
	where, _ := placeOf(file, err)
	var src []byte
	var e error
	if where == file {
		src, e = a.readFile(context.Background(), file)
	} else {
		src, e = input.Read(context.Background(), where, max(scenario.MaxBytes, scenario.MaxFlowBytes))
	}
	if e != nil {
		return false
	}
	if field == nil {
		located.Render(w, src, colour)
		return true
	}
	texts := textErrors(field.Err)
	message, rest, _ := strings.Cut(field.Err.Error(), "\n")
	if len(texts) > 0 {
		message, rest = fmt.Sprintf("%s: %s in the schedule", texts[0].Name, count(len(texts), "mistake")), ""
	}
	p := sc.Located(scenario.Finding{Severity: scenario.Error, Path: field.Path, Message: message})
	scenario.Problems{p}.Render(w, src, colour)
	for line := range strings.Lines(rest) {
		fmt.Fprintf(w, "      = %s\n", strings.TrimRight(line, "\n"))
	}
	if len(texts) > 0 {
		renderTexts(w, colour, texts)
	}
	return true
}

// renderTexts writes mistakes in a schedule's text with the lines they are in.
func renderTexts(w io.Writer, colour bool, texts []*coll.TextError) {
	src, err := input.Read(context.Background(), texts[0].Name, coll.MaxText)
	if err != nil {
		src = nil
	}
	var ps scenario.Problems
	for _, t := range texts {
		ps = append(ps, scenario.Problem{File: t.Name, Line: t.Line, Column: t.Col, Width: 1, Message: t.What})
	}
	ps.Render(w, src, colour)
}

// textErrors returns the mistakes in a schedule's text that err is made of.
func textErrors(err error) []*coll.TextError {
	var one *coll.TextError
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*coll.TextError
		for _, e := range several.Unwrap() {
			all = append(all, textErrors(e)...)
		}
		return all
	}
	if errors.As(err, &one) {
		return []*coll.TextError{one}
	}
	return nil
}
