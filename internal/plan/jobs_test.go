package plan

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/dataset"
	"railyard/internal/unit"
)

// jobs is a cluster of 4 hosts with 2 GPUs each, between two leaves and two spines, with these jobs.
func jobs(entries ...string) string {
	return "cluster: {hosts: 4, host: {gpus: 2}, nic: {shared: true}}\n" +
		"fabric: {design: leaf-spine, leaves: 2, spines: 2}\njobs:\n  - " + strings.Join(entries, "\n  - ")
}

const (
	network    = "train: {layers: [784, 64, 10], data: {digits: {dir: nowhere}}, batch: 4, lr: 0.1}"
	training13 = "{name: one, hosts: [host1, host3], " + network + "}"
	training24 = "{name: two, start: 5us, hosts: [host2, host4], " + network + "}"
	allToAll24 = "{name: two, start: 5us, hosts: [host2, host4], collectives: [{op: all-to-all, bytes: 1MB}]}"
	sends      = "{name: three, start: 7us, flows: [{from: host1/gpu0, to: host4/gpu1, bytes: 1MB, start: 2us}]}"
)

// What a job's ranks do, and the paths of its queue pairs, do not depend on the jobs beside it.
func TestAJobIsPlannedAsIfAlone(t *testing.T) {
	entries := []string{training13, allToAll24, sends}
	p := planned(t, jobs(entries...))
	if len(p.Jobs) != len(entries) {
		t.Fatalf("%d jobs", len(p.Jobs))
	}
	of := make([][]Pair, len(entries))
	for _, q := range p.Pairs {
		of[q.Job] = append(of[q.Job], q)
	}
	for i, entry := range entries {
		alone := planned(t, jobs(entry))
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

// Jobs cost what they cost alone, and last as long as the longest of them.
func TestJobsAreEstimatedTogether(t *testing.T) {
	size := func(entries ...string) (Estimate, unit.Duration) {
		p, data := planned(t, jobs(entries...)), []dataset.Size(nil)
		steps := make([]int64, len(p.Jobs))
		for i := range p.Jobs {
			data = append(data, dataset.Size{})
			if p.Jobs[i].Model != nil {
				data[i] = images
			}
			steps[i] = p.Jobs[i].Steps(data[i].Train)
		}
		return p.Estimate(data), p.jobTime(steps)
	}
	one, first := size(training13)
	two, second := size(allToAll24)
	both, all := size(training13, allToAll24)
	if both.Steps != one.Steps+two.Steps || both.PacketHops != one.PacketHops+two.PacketHops || both.FLOP != one.FLOP {
		t.Errorf("%+v\nand %+v\nare %+v", one, two, both)
	}
	if all != max(first, second) {
		t.Errorf("%v and %v last %v together", first, second, all)
	}
	// The images are the same and read once.
	if twice, _ := size(training13, training24); twice.Memory > 2*one.Memory-unit.Bytes(images.Bytes()) {
		t.Errorf("two trainings on one folder take %v, one takes %v", twice.Memory, one.Memory)
	}
}

// Ranks of two jobs never share a GPU; flows use whatever GPUs they name.
func TestJobsThatShareGPUsAreRefused(t *testing.T) {
	for _, c := range []struct{ entries, want string }{
		{training13 + ";" + strings.Replace(training24, "host2", "host3", 1),
			"jobs[1]: one and two both have ranks on host3/gpu0 and 1 more, want GPUs of its own for each job"},
		{training13 + ";{placement: [host4/gpu0, host1/gpu1], " + network + "}",
			"jobs[1]: one and job2 both have ranks on host1/gpu1, want GPUs of its own for each job"},
		{training13 + ";" + training24 + ";{name: all, " + network + "}",
			"jobs[2]: one and all both have ranks on host1/gpu0 and 3 more, want GPUs of its own for each job\n" +
				"jobs[2]: two and all both have ranks on host2/gpu0 and 3 more"},
		{"{gpus: [gpu0], " + network + "};{gpus: [gpu1], " + network + "}", ""},
	} {
		_, err := New(read(t, jobs(strings.Split(c.entries, ";")...)), Files{}, nil)
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
