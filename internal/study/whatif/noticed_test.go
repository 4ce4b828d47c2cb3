package whatif

import (
	"strings"
	"testing"

	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

func TestNamesOfJobs(t *testing.T) {
	for want, jobs := range map[string][]result.JobFigures{"none: the run has one job": nil, "one of: a": {{Job: "a"}},
		"one of: a, b": {{Job: "a"}, {Job: "b"}}} {
		if got := jobNames(&result.Summary{Jobs: jobs}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A change that cannot run is named by what it sets.
func TestLabelsOfAChange(t *testing.T) {
	all := labels(&Cut{Changes: []scenario.Change{{Path: "fabric.spines", Text: "2"}, {Path: "seed", Text: "3"}}})
	if len(all) != 2 || all[0].Path != "fabric.spines" || all[1].Text != "3" {
		t.Errorf("%+v", all)
	}
}

// Twice as many micro-batches, or the next number that a batch can be cut into.
func TestMoreMicroBatches(t *testing.T) {
	for _, c := range []struct{ batch, now, want int }{{12, 2, 4}, {12, 4, 12}, {6, 3, 6}, {9, 2, 9}, {7, 7, 0}, {8, 8, 0}, {8, 1, 2}} {
		if got := moreMicroBatches(c.batch, c.now); got != c.want {
			t.Errorf("a batch of %d in %d: %d, want %d", c.batch, c.now, got, c.want)
		}
	}
}

// Gradients that are summed otherwise than NCCL would are tried as it would: its algorithm and its protocol, of those
// two what differs.
func TestAsNCCLWouldSumGradients(t *testing.T) {
	for _, c := range []struct{ how, want string }{
		{"{algorithm: chain, protocol: ll}", "job.collective.algorithm=ring job.collective.protocol=simple"},
		{"{algorithm: chain, protocol: simple}", "job.collective.algorithm=ring"},
		{"{algorithm: ring, protocol: ll}", "job.collective.protocol=simple"},
		{"{algorithm: ring, protocol: simple}", ""},
	} {
		sc, err := scenario.Parse("s.yaml", []byte("cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
			"job: {replay: {steps: 1, buckets: [{compute: 10us, bytes: 512MiB}]}, collective: "+c.how+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr := &trying{p: p, sc: sc, job: &sc.Jobs[0], at: &p.Jobs[0]}
		tr.gradients(nil, "job")
		var got []string
		for _, cut := range tr.all {
			if strings.HasPrefix(cut.Name, "as NCCL would choose") {
				for _, ch := range cut.Changes {
					got = append(got, ch.Path+"="+ch.Text)
				}
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q, want %q", c.how, g, c.want)
		}
	}
}
