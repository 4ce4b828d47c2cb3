package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// replaying is a job that replays so many steps.
func replaying(name, hosts string, steps int) string {
	return fmt.Sprintf("{name: %s, hosts: %s, replay: {steps: %d, forward: 10us, buckets: [{bytes: 100kB, compute: 5us}], "+
		"update: 1us}}", name, hosts, steps)
}

// A queue pair that gives up aborts its job at once, and says who, by which port and why; its neighbour is what it is
// without the fault, to the picosecond. No partition changes that.
func TestAQueuePairThatGivesUpAbortsItsJobAlone(t *testing.T) {
	yaml := fourHosts(replaying("a", "[host1, host2]", 30), replaying("b", "[host3, host4]", 30)) +
		"transport: {timeout: 20us, retries: 2}\n"
	faults := "faults: [{link: host4/leaf2, at: 1s, down: 1s}, {link: host2/leaf1, at: 100us, down: 1s}]\n"
	well := run(t, yaml, Options{})
	var before *result.Abort
	for _, opt := range []Options{{}, {Islands: 3}, {Islands: 5, Workers: 3}} {
		r, err := tryRun(t, context.Background(), yaml+faults, opt)
		if err == nil || r.State != result.Failed || len(r.Summary.Jobs[0].Aborts) != 1 ||
			!strings.HasPrefix(err.Error(), "job a: queue pair ") {
			t.Fatalf("state %s, error %v", r.State, err)
		}
		a := &r.Summary.Jobs[0].Aborts[0]
		if a.Why != result.AbortRetries || *a.Step != 2 || a.Port != "host1/leaf1" || a.GPU != "host1/gpu1" ||
			a.Remote != "host2/gpu0" || *a.Rank != 1 || *a.Peer != 2 ||
			!slices.Equal(a.Faults, []string{"faults[1] (down of link host2/leaf1)"}) {
			t.Errorf("aborted: %+v", a)
		}
		if before != nil && a.Text != before.Text {
			t.Errorf("in %d islands: %s\nbefore: %s", opt.Islands, a.Text, before.Text)
		}
		before = a
		if got, want := stepsOf(t, r, "b"), stepsOf(t, well, "b"); !slices.Equal(got, want) || len(got) != 120 {
			t.Errorf("%d rows of the neighbour's steps, want the %d that it has without a fault", len(got), len(want))
		}
		if n := jobOf(t, r, "a").Steps; n != 2 {
			t.Errorf("%d steps of the aborted job, want 2", n)
		}
	}
}

// Background traffic that gives up ends no job.
func TestBackgroundThatGivesUpEndsNothing(t *testing.T) {
	r := run(t, fourHosts(replaying("a", "[host1, host2]", 30))+"transport: {timeout: 20us, retries: 2}\n"+
		"background: {flows: [{name: lost, from: host3/gpu0, to: host4/gpu0, bytes: 1kB}]}\n"+
		"faults: [{link: host4/leaf2, down: 1s}]\n", Options{})
	if r.State != result.Complete || len(r.Summary.Aborts) != 0 || flow(r, "lost").Status != result.StatusFailed {
		t.Errorf("state %s, aborted %+v, flow %+v", r.State, r.Summary.Aborts, flow(r, "lost"))
	}
}

// A rank that hangs is found when another has waited for it in a collective as long as the watchdog says, in virtual
// time: whatever that is, as many events are simulated.
func TestTheWatchdogEndsAHang(t *testing.T) {
	events := map[string]int64{}
	for _, hang := range []string{"{gpu: host2/gpu1, at: 95us, hang: 2h}", "{host: host2, at: 95us, hang: 2h}"} {
		// Both are longer than the retransmission timer, which comes once more to find nothing.
		for _, limit := range []unit.Duration{100 * unit.Millisecond, 10 * unit.Minute} {
			yaml := fourHosts(replaying("a", "[host1, host2]", 30)) + "faults: [" + hang + "]\n"
			if limit < unit.Minute {
				yaml = strings.Replace(yaml, "{name: a,", "{name: a, watchdog: 100ms,", 1)
			}
			r, err := tryRun(t, context.Background(), yaml, Options{})
			if err == nil || r.State != result.Failed || len(r.Summary.Aborts) != 1 {
				t.Fatalf("state %s, error %v", r.State, err)
			}
			a := &r.Summary.Aborts[0]
			if a.Why != result.AbortWatchdog || a.At.Sub(*a.Since) != limit || r.VirtualTime != a.At || *a.Step != 2 ||
				len(a.Faults) != 1 || !strings.HasPrefix(a.Faults[0], "faults[0] (hang of ") {
				t.Errorf("%s: aborted %+v at %v", hang, a, r.VirtualTime)
			}
			if n := events[hang]; n > 0 && r.Summary.Events != n {
				t.Errorf("%s: %d events with a limit of %v, %d with another", hang, r.Summary.Events, limit, n)
			}
			events[hang] = r.Summary.Events
		}
	}
}
