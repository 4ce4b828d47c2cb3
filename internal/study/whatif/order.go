package whatif

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// InOrder is a scenario with nothing wrong in it, and what was changed for that, in words: no faults, no traffic but the jobs',
// flows where a controller puts them instead of where a hash does, ranks host by host. What a scenario cannot have (pinned paths
// beside a configuration that says otherwise) stays as it is. Its tables are but those that the run in order needs.
func InOrder(sc *scenario.Scenario) (*scenario.Scenario, []string, error) {
	var words []string
	var must []scenario.Change
	if sc.Given("faults") {
		must, words = append(must, remove("faults")), append(words, "without faults")
	}
	for i := range sc.Background.Entries {
		must = append(must, set(fmt.Sprintf("background.flows[%d].enabled", i), "false"))
	}
	if len(sc.Background.Entries) > 0 {
		words = append(words, "without background flows")
	}
	out, err := sc.With(must...)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range wishes(sc) {
		next, err := out.With(x.changes...)
		if err != nil {
			continue
		}
		if _, err := run.NewPlan(next); err != nil {
			continue
		}
		if out = next; x.words != "" {
			words = append(words, x.words)
		}
	}
	return out, words, nil
}

// wish is a change that is made where the scenario takes it.
type wish struct {
	words   string
	changes []scenario.Change
}

func wishes(sc *scenario.Scenario) []wish {
	all := []wish{{"", []scenario.Change{set("output.flows", "false"), set("output.queues", "false")}}}
	if sc.Fabric.Balance == scenario.BalanceECMP {
		all = append(all, wish{"with pinned paths", []scenario.Change{set("fabric.balance", "pinned")}})
	}
	for i := range sc.Jobs {
		j := &sc.Jobs[i]
		gpus := slices.Clone(j.Placement.GPUs)
		slices.SortFunc(gpus, func(a, b scenario.Endpoint) int {
			return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.GPU, b.GPU))
		})
		to := ""
		switch {
		case len(gpus) > 0 && !slices.Equal(gpus, j.Placement.GPUs):
			to = scenario.Placement{GPUs: gpus}.String()
		case j.Placement.Rule != "" && j.Placement.Rule != "packed":
			to = "packed"
		}
		if to != "" {
			all = append(all, wish{"with ranks host by host", []scenario.Change{set(j.Path()+".placement", to)}})
		}
	}
	return all
}
