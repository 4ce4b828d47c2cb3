package run

import (
	"testing"

	"railyard/internal/out/result"
)

// What a run keeps of each kind of file is known by the key that named it.
func TestKeysOfInputs(t *testing.T) {
	one := read(t, "cluster: {hosts: 2}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n")
	for name, want := range map[string]string{
		result.TopologyInput: "fabric.topology", result.HostGraphInput: "cluster.host.graph",
		result.ConfigInput + "/leaf1.cfg": "fabric.config", result.ScheduleInput: "job.collective.schedule", "nothing": "",
	} {
		if got := InputKey(one, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := InputRoot(result.ConfigInput + "/leaf1/a.json"); got != result.ConfigInput {
		t.Errorf("root %q", got)
	}
	if root, rest := split("config/leaf1/a.json"); root != "config" || rest != "leaf1/a.json" {
		t.Errorf("%q and %q", root, rest)
	}
}
