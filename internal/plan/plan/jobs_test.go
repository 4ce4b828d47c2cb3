package plan

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan/plantest"
)

const sends = "{name: three, start: 7us, flows: [{from: host1/gpu0, to: host4/gpu1, bytes: 1MB, start: 2us}]}"

// What a job's ranks do, and the paths of its queue pairs, do not depend on the jobs beside it.
func TestAJobIsPlannedAsIfAlone(t *testing.T) {
	entries := []string{plantest.Training13, plantest.AllToAll24, sends}
	p := planned(t, plantest.Jobs(entries...))
	if len(p.Jobs) != len(entries) {
		t.Fatalf("%d jobs", len(p.Jobs))
	}
	of := make([][]Pair, len(entries))
	for _, q := range p.Pairs {
		of[q.Job] = append(of[q.Job], q)
	}
	for i, entry := range entries {
		alone := planned(t, plantest.Jobs(entry))
		j, k := &p.Jobs[i], &alone.Jobs[0]
		own, want := of[i], alone.Pairs
		if len(own) != len(want) {
			t.Fatalf("%s: %d queue pairs, alone %d", j.Spec.Name, len(own), len(want))
		}
		for k := range own {
			a, b := own[k], want[k]
			if a.Job != int32(i) || b.Job != 0 {
				t.Fatalf("%s: of job %d, alone of %d", a.Name, a.Job, b.Job)
			}
			if a.Job, a.Flow, b.Flow = 0, nil, nil; !reflect.DeepEqual(a, b) {
				t.Errorf("a queue pair beside others\n%+v, alone\n%+v", a, b)
			}
		}
		if !reflect.DeepEqual(j.Placement, k.Placement) || len(j.Links) != len(k.Links) ||
			j.Work != nil && !reflect.DeepEqual(j.Work.Programs, k.Work.Programs) {
			t.Errorf("%s differs from what it is alone", j.Spec.Name)
		}
	}
	if at := of[2][0].Start; at != unit.Time(9*unit.Microsecond) {
		t.Errorf("the flow starts at %v, want 2 us after its job", at)
	}
}

// Ranks of two jobs never share a GPU; flows use whatever GPUs they name.
func TestJobsThatShareGPUsAreRefused(t *testing.T) {
	for _, c := range []struct{ entries, want string }{
		{plantest.Training13 + ";" + strings.Replace(plantest.Training24, "host2", "host3", 1),
			"jobs[1]: one and two both have ranks on host3/gpu0 and 1 more, want GPUs of its own for each job"},
		{plantest.Training13 + ";{placement: [host4/gpu0, host1/gpu1], " + plantest.Network + "}",
			"jobs[1]: one and job2 both have ranks on host1/gpu1, want GPUs of its own for each job"},
		{plantest.Training13 + ";" + plantest.Training24 + ";{name: all, " + plantest.Network + "}",
			"jobs[2]: one and all both have ranks on host1/gpu0 and 3 more, want GPUs of its own for each job\n" +
				"jobs[2]: two and all both have ranks on host2/gpu0 and 3 more"},
		{"{gpus: [gpu0], " + plantest.Network + "};{gpus: [gpu1], " + plantest.Network + "}", ""},
	} {
		_, err := New(plantest.Read(t, plantest.Jobs(strings.Split(c.entries, ";")...)), Files{}, nil)
		text := ""
		for _, line := range strings.Split(fmt.Sprint(err), "\n") {
			if _, what, found := strings.Cut(line, ": jobs["); found {
				text += "jobs[" + what + "\n"
			}
		}
		if (err == nil) != (c.want == "") || !within(text, c.want) {
			t.Errorf("%s\n%v\nwant %s", c.entries, err, c.want)
		}
	}
}

// within reports whether each line of want begins a line of text, in order.
func within(text, want string) bool {
	lines := strings.Split(text, "\n")
	for i, w := range strings.Split(want, "\n") {
		if i >= len(lines) || !strings.HasPrefix(lines[i], w) {
			return false
		}
	}
	return true
}
