package run

import (
	"fmt"
	"strings"

	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// inputKeys are the keys that name what a run reads: of a job below its own path.
var inputKeys = map[string]string{
	result.ScheduleInput: "collective.schedule",
	result.FlowsInput:    "flows_csv",
	result.NetworkInput:  "train.network",
	result.TimesInput:    "model.times",
	result.ImagesInput:   "train.data",
	result.TextInput:     "train.data.text",
}

// inputName is the name of an input of a job: its own, or that of the kind and the job of several.
func inputName(sc *scenario.Scenario, job int, kind string) string {
	if len(sc.Jobs) == 1 {
		return kind
	}
	return sc.Jobs[job].Name + "-" + kind
}

// InputKey returns the key of the scenario that names an input, "" if there is none.
func InputKey(sc *scenario.Scenario, name string) string {
	switch root, _ := split(name); {
	case name == result.TopologyInput:
		return "fabric.topology"
	case name == result.HostGraphInput:
		return "cluster.host.graph"
	case root == result.ConfigInput:
		return "fabric.config"
	}
	for i := range sc.Jobs {
		for kind, key := range inputKeys {
			if inputName(sc, i, kind) == name {
				return sc.Jobs[i].Path() + "." + key
			}
		}
	}
	return ""
}

// InputRoot returns what its key names: the folder that it is in, or itself.
func InputRoot(name string) string {
	root, _ := split(name)
	return root
}

func split(name string) (root, rest string) {
	root, rest, _ = strings.Cut(name, "/")
	return root, rest
}

// sameInputs reports an input that has changed since the run that is repeated.
func sameInputs(sc *scenario.Scenario, want, got []result.InputDigest) error {
	for _, w := range want {
		for _, g := range got {
			if g.Name == w.Name && g != w {
				return &plan.FieldError{
					Path: InputKey(sc, w.Name),
					Err: fmt.Errorf("what it names has changed since "+
						"the run that is repeated: its SHA-256 is %s, want %s", g.SHA256, w.SHA256),
				}
			}
		}
	}
	return nil
}
