package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/job/coll"
	"railyard/internal/learn/nn"
	"railyard/internal/net/balance"
	"railyard/internal/net/cc"
	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// Names that a scenario may use are names that the engines know, and the other way round but for
// what is listed with its reason.
func TestNamesAreKnownToTheEngines(t *testing.T) {
	for _, c := range []struct {
		what    string
		offered []scenario.Choice
		known   []string
		own     map[string]string // offered, but not a name of the engine: what stands for it
		without map[string]string // known, but not offered: why
	}{
		{"fabric.design", scenario.Designs, names(topo.Designs),
			map[string]string{"custom": "plan takes the file of fabric.topology",
				"rail-only": "plan takes rail-optimized, without spines"}, nil},
		{"fabric.balance", scenario.Balancers, names(balance.Methods), nil, nil},
		{"fabric.hash.function", scenario.HashFunctions, names(hash.Functions), nil, nil},
		{"congestion.algorithm", scenario.CongestionAlgorithms, names(cc.Algorithms), nil, nil},
		{"job.collective.algorithm", inFull(scenario.CollectiveAlgorithms),
			names(coll.Algorithms), nil, notAllReduce()},
	} {
		var offered []string
		for _, o := range c.offered {
			offered = append(offered, o.Name)
			if o.Meaning == "" || !slices.Contains(c.known, o.Name) && c.own[o.Name] == "" {
				t.Errorf("%s: %s (%q): no engine knows it", c.what, o.Name, o.Meaning)
			}
		}
		for _, k := range c.known {
			if slices.Contains(offered, k) == (c.without[k] != "") {
				t.Errorf("%s: %s: want it offered, or listed here with why it is not", c.what, k)
			}
		}
		for _, name := range append(names(c.own), names(c.without)...) {
			if !slices.Contains(offered, name) && !slices.Contains(c.known, name) {
				t.Errorf("%s: %s is listed here, but nobody knows it", c.what, name)
			}
		}
	}
}

// What a scenario may name of a training's arithmetic package nn knows by the same name.
func TestNamesOfTrainingsAreKnown(t *testing.T) {
	for _, c := range []struct {
		offered []scenario.Choice
		parse   func(string) (fmt.Stringer, error)
	}{
		{scenario.Optimisers, func(s string) (fmt.Stringer, error) { return nn.ParseMethod(s) }},
		{scenario.Schedules, func(s string) (fmt.Stringer, error) { return nn.ParseCourse(s) }},
		{scenario.Inits, func(s string) (fmt.Stringer, error) { return nn.ParseScheme(s) }},
		{scenario.Activations, func(s string) (fmt.Stringer, error) { return nn.ParseActivation(s) }},
		{scenario.Losses, func(s string) (fmt.Stringer, error) { return nn.ParseLoss(s) }},
	} {
		for _, o := range c.offered {
			if got, err := c.parse(o.Name); err != nil || got.String() != o.Name {
				t.Errorf("%s (%s): %v, %v", o.Name, o.Meaning, got, err)
			}
		}
	}
}

// inFull is the choices as coll names them: a training sums gradients, so the collective goes
// without saying.
func inFull(choices []scenario.Choice) []scenario.Choice {
	full := slices.Clone(choices)
	for i := range full {
		full[i].Name += "-all-reduce"
	}
	return full
}

// notAllReduce is the algorithms that a training cannot use.
func notAllReduce() map[string]string {
	without := map[string]string{}
	for name, a := range coll.Algorithms {
		if a.Collective != coll.AllReduce {
			without[name] = "a training needs the whole sum on every rank"
		}
	}
	return without
}

func names[K ~string, V any](m map[K]V) (all []string) {
	for k := range m {
		all = append(all, string(k))
	}
	slices.Sort(all)
	return all
}

// Every name makes a plan.
func TestEveryNameMakesAPlan(t *testing.T) {
	for _, d := range scenario.Designs {
		more, files := "fabric: {design: "+d.Name+"}\n", Files{}
		switch d.Name {
		case "leaf-spine":
			more = "fabric: {design: leaf-spine, spines: 2}\n"
		case "custom":
			more, files.Topology = "fabric: {design: custom, topology: chain.txt}\n", chain(6, 1)
		}
		hosts := 6
		if d.Name == "direct" {
			hosts = 2
		}
		text := plantest.WithoutPreset(plantest.Incast(hosts-1, more))
		if d.Name == "dual-rail" {
			text = strings.Replace(text, "nic: {", "nic: {ports: 2, ", 1)
		}
		if _, err := New(plantest.Read(t, text), files, nil); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	for _, b := range scenario.Balancers {
		planned(t, plantest.Incast(2, "fabric: {balance: "+b.Name+"}\n"))
	}
	for _, a := range scenario.CollectiveAlgorithms {
		hosts := 2
		if a.Name == "nvls" { // of one host
			hosts = 1
		}
		if p := planned(t, plantest.Training(hosts, "  collective: {channels: 2, algorithm: "+a.Name+"}\n")); p.Jobs[0].Schedule == nil {
			t.Errorf("%s: no schedule", a.Name)
		}
	}
}
