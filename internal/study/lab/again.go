package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// An Again is one more run of the lab's scenario, with keys set.
type Again struct {
	Name    string   `json:"name"` // by which measurements know it
	Meaning string   `json:"meaning"`
	Set     []string `json:"set"` // each as --set has it
	Run     string   `json:"run"` // directory of the run

	scenario *scenario.Scenario
}

func readAgain(c *formula.Cursor, s *statement) {
	s.named(c, "a name")
	c.Take("=")
	for c.Err == nil && (len(s.words) == 0 || c.Peek().Kind == formula.Quoted) {
		s.text(c, "a key that is set")
	}
	if c.Err == nil && len(s.words) < 2 {
		c.Fail(c.Peek(), `want what is changed in "quotes" here, behind the keys`)
	}
}

// runAgain takes the scenario once more, as it stands, with keys set.
func (g *ledger) runAgain(s *statement) (formula.Token, error) {
	if g.scenario == nil {
		return s.name, fmt.Errorf("there is no %s to run again", scenarioFile)
	}
	last := len(s.words) - 1
	a := &Again{Name: s.name.Text, Meaning: s.words[last], Set: s.words[:last]}
	var changes []scenario.Change
	for _, set := range a.Set {
		path, text, found := strings.Cut(set, "=")
		if !found {
			return s.name, fmt.Errorf("%q: want KEY=VALUE", set)
		}
		changes = append(changes, scenario.Change{Path: path, Text: text})
	}
	var err error
	if a.scenario, err = g.scenario.With(changes...); err != nil {
		return s.name, err
	}
	g.agains = append(g.agains, a)
	return s.at, nil
}

// againNamed returns the run that a name such as timer.retransmits begins with, and the rest.
func (g *ledger) againNamed(name string) (a *Again, key string) {
	first, key, _ := strings.Cut(name, ".")
	for _, a := range g.agains {
		if a.Name == first {
			return a, key
		}
	}
	return nil, ""
}

func (g *ledger) isAgain(name string) bool {
	a, _ := g.againNamed(name)
	return a != nil
}

// ofAgain returns a number of the run.json of a run again.
func (g *ledger) ofAgain(a *Again, key string) (float64, error) {
	run, there := g.reruns[a.Name]
	if !there {
		return 0, errNotRun
	}
	return numberAt(run, a.Name, key)
}

// run runs what is to be run again, each into a folder of its own.
func (a *Again) run(ctx context.Context, dir string, progress func(result.Progress)) (map[string]any, error) {
	a.Run = filepath.Join(dir, runFolder+"-"+a.Name)
	err := runScenario(ctx, a.scenario, a.Run, progress)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lab: %s, %s", a.Name, a.Meaning), err)
	}
	return readRun(a.Run)
}

// commands are those by which a reader does the same.
func (o *Outcome) commands() (all []Try) {
	for _, a := range o.Again {
		command := "railyard run " + filepath.Join(o.Shown, scenarioFile)
		for _, set := range a.Set {
			command += " --set '" + set + "'"
		}
		all = append(all, Try{Command: command, See: a.Name + ": " + a.Meaning})
	}
	return all
}
