package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// On one host a replay whose collectives are closed forms sends nothing. Its step is what it computes, and the closed form of the
// last bucket behind that; two jobs on a host each do not see each other; one worker or several, the same bytes.
func TestReplaysByClosedForms(t *testing.T) {
	const one = `cluster: {hosts: 1, nvlink_collectives: formula, host: {preset: hgx-h100}}
job: {replay: {steps: 4, forward: 100us, buckets: [{bytes: 64kB, compute: 300us}, {bytes: 32MB, compute: 50us}], update: 20us}}
`
	r := run(t, one, Options{})
	messages := run(t, strings.Replace(one, "formula", "messages", 1), Options{})
	if r.Summary.Events*20 > messages.Summary.Events || r.PacketHops != 0 {
		t.Errorf("%d events and %d packet-hops, by messages %d events", r.Summary.Events, r.PacketHops, messages.Summary.Events)
	}
	sumsToTheStep(t, r, "replay")
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "cluster.nvlink_collectives is formula: each") }) {
		t.Errorf("it is not said: %q", r.Notes)
	}
	// Backward of the second bucket hides the first; 470 us of compute, NVLS of 32 MB between 100 and 200 us.
	if r.StepTime < 570*unit.Microsecond || r.StepTime > 670*unit.Microsecond {
		t.Errorf("a step of %v", r.StepTime)
	}
	two := strings.NewReplacer("hosts: 1", "hosts: 2", "job: {", "jobs: [{name: a, hosts: [host1], ", "20us}}", "20us}}, {name: b, "+
		"hosts: [host2], collectives: [{op: all-reduce, bytes: 64MiB}]}]").Replace(one)
	both := run(t, two, Options{})
	if got := both.PerJob()[0].StepTime; got != r.StepTime {
		t.Errorf("beside another job a step of %v, alone %v", got, r.StepTime)
	}
	other := run(t, two, Options{Islands: 2, Workers: 2})
	if digestOf(t, other.path) != digestOf(t, both.path) {
		t.Error(firstDifference(t, both.path, other.path))
	}
}

// A replay by closed forms that hangs is aborted and starts again: nobody waits for who has gone.
func TestClosedFormsStartAgain(t *testing.T) {
	text := func(fault string) string {
		return fmt.Sprintf(`cluster: {hosts: 1, nvlink_collectives: formula, host: {gpus: 4}}
job:
  replay: {steps: 20, forward: 100us, buckets: [{bytes: 1MB, compute: 100us}]}
  checkpoint: {steps: 5, storage: 10GB/s}
  restart: 2ms
  watchdog: 1ms
%s`, fault)
	}
	well := run(t, text(""), Options{})
	for _, at := range []string{"150us", "1ms", "2055us", "3ms"} {
		r := run(t, text(fmt.Sprintf("faults: [{gpu: host1/gpu2, at: %s, hang: 1500us}]\n", at)), Options{})
		if len(r.Aborts) != 1 || r.Aborts[0].Why != result.AbortWatchdog || r.Summary.Steps != well.Summary.Steps {
			t.Errorf("hangs at %s: aborts %+v, %d steps", at, r.Aborts, r.Summary.Steps)
		}
	}
}

// Each rank of a send-receive sends to the next: as a closed form it begins when the last has come, whoever that is, and what
// NVLink takes of the path does not grow where a rank is slow.
func TestSendReceiveByClosedForm(t *testing.T) {
	nvlink := func(gpus int, slow string) (on unit.Duration) {
		r := run(t, fmt.Sprintf(`cluster: {hosts: 1, nvlink_collectives: formula, host: {gpus: %d}%s}
job: {collectives: [{op: send-receive, bytes: 1MiB, iterations: 4, warmup: 0}]}
`, gpus, slow), Options{})
		for _, b := range r.Diagnosis.Blames {
			if b.Kind == diagnose.NVLink {
				on += b.Time
			}
		}
		return on
	}
	for _, gpus := range []int{2, 4} {
		well := nvlink(gpus, "")
		if slow := nvlink(gpus, fmt.Sprintf(", slow: [{rank: %d, factor: 5}]", gpus-1)); slow != well || well == 0 {
			t.Errorf("%d GPUs: %v on NVLink with a slow rank, %v without", gpus, slow, well)
		}
	}
}
