package report

import (
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// Where ranks waited for each other and no path says for what, the answer says what their
// messages took, and names a queue pair that took longer, with the port.
func TestAnswerWithoutAPath(t *testing.T) {
	d := judged(computeBound(), diagnose.Blame{Kind: diagnose.Dependency, Time: 90 * us})
	split := func(nic, queueing unit.Duration) (s cause.Split) {
		s[cause.NIC], s[cause.Queueing] = nic, queueing
		return s
	}
	pair := func(name string, nic, queueing unit.Duration) *Pair {
		return &Pair{Name: name, Path: "host1>rail1>host2", Done: 10, Time: 10 * (nic + queueing),
			Split: split(10*nic, 10*queueing)}
	}
	d.Summary.CriticalPath = nil
	d.Flows = &FlowStats{Kinds: []string{result.KindCollective},
		ByKind: map[string]*Messages{result.KindCollective: {Count: 20, Done: 20, Time: 80 * us,
			Split: split(50*us, 30*us)}},
		Pairs: pairs{byName: map[string]*Pair{
			"rank0>rank1#0": pair("rank0>rank1#0", 2*us, us), "rank1>rank0#0": pair("rank1>rank0#0", us, 4*us)}},
		Slowest:  []result.FlowRow{{ID: 3, Name: "rank1>rank0#0"}},
		SlowHops: map[int64][]Hop{3: {{Port: "host1/rail1"}, {Port: "rail1/host2", Split: split(0, us)}}},
	}
	const want = "No critical path was traced. A message that ranks waited for took 4 us on average: NIC (62.5 %), " +
		"queueing (37.5 %). Those of rank1>rank0#0 (host1>rail1>host2) took 5 us, mostly queueing (80.0 %) " +
		"at rail1/host2."
	if _, bullets := Answer(d); len(bullets) == 0 || bullets[0] != want {
		t.Errorf("got %q, want first\n%s", bullets, want)
	}
	d.Flows.Pairs.byName["rank1>rank0#0"].Time = 45 * us // not far from the mean
	if _, bullets := Answer(d); strings.Contains(bullets[0], "Those of") {
		t.Errorf("a queue pair like the others is named: %q", bullets[0])
	}
	d.Summary.CriticalPath = new(result.CausesOf(split(us, us)))
	if _, bullets := Answer(d); strings.Contains(strings.Join(bullets, " "), "No critical path") {
		t.Errorf("of a traced run: %q", bullets)
	}
}

// Of a benchmark with very many operations the path is of its last collectives.
func TestAPathOfTheLastCollectives(t *testing.T) {
	s := &result.Summary{JobFigures: result.JobFigures{Steps: 1, PathsTraced: 1, PathsEvery: 1, PathCollectives: 2}}
	if got, want := alongPath(s), "the one step, as its last 2 collectives along the critical path"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := pathOver(s), ", last 2"; got != want {
		t.Errorf("bar %q, want %q", got, want)
	}
}

// A critical path of one step is no mean.
func TestOfWhichStepsThePathIs(t *testing.T) {
	for _, c := range []struct {
		steps, traced, every int64
		subject, bar         string
	}{
		{1, 1, 1, "the one step along its critical path", ""},
		{3, 1, 1<<31 - 1, "the first of 3 steps along its critical path", " of the first of 3 steps"},
		{3, 3, 1, "a step along its critical path, mean over 3 steps", ", mean over 3 steps"},
	} {
		s := &result.Summary{
			JobFigures: result.JobFigures{Steps: c.steps, PathsTraced: c.traced, PathsEvery: c.every}}
		if got := alongPath(s); got != c.subject {
			t.Errorf("%d of %d steps: %q, want %q", c.traced, c.steps, got, c.subject)
		}
		if got := pathOver(s); got != c.bar {
			t.Errorf("%d of %d steps: bar %q, want %q", c.traced, c.steps, got, c.bar)
		}
	}
}
