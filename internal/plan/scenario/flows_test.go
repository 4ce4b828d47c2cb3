package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// flowsOf resolves a list of flows on a cluster of 17 hosts with two GPUs, a NIC of 100 Gb/s each.
func flowsOf(t *testing.T, seed int, entries ...string) *Scenario {
	t.Helper()
	s, err := Parse("x.yaml", fmt.Appendf(nil, "seed: %d\ncluster: {hosts: 17, host: {gpus: 2}, nic: {speed: 100Gb/s}}\n"+
		"job:\n  flows:\n    - {%s}\n", seed, strings.Join(entries, "}\n    - {")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// brief is flows as name from>to bytes.
func brief(flows []Flow) string {
	var all []string
	for _, f := range flows {
		all = append(all, fmt.Sprintf("%s %s>%s %s", f.Name, f.From, f.To, f.Bytes))
	}
	return strings.Join(all, "\n")
}

// A shorthand is the flows written out: the same scenario but for what the file looks like.
func TestShorthandsAreTheFlowsWrittenOut(t *testing.T) {
	for _, c := range []struct {
		short []string
		long  []string
	}{
		{[]string{`from: "host[2-4]/gpu0", to: host1/gpu0, bytes: 1MB`},
			[]string{"from: host2/gpu0, to: host1/gpu0, bytes: 1MB", "from: host3/gpu0, to: host1/gpu0, bytes: 1MB",
				"from: host4/gpu0, to: host1/gpu0, bytes: 1MB"}},
		{[]string{`from: host9/nic1, to: host1/gpu0, bytes: 5MB`,
			`from: host1/gpu1, to: "host[2,4-5]/gpu1", bytes: [1MB, 2MB], start: 3us`},
			[]string{"from: host9/nic1, to: host1/gpu0, bytes: 5MB", "from: host1/gpu1, to: host2/gpu1, bytes: 1MB, start: 3us",
				"from: host1/gpu1, to: host4/gpu1, bytes: 2MB, start: 3us", "from: host1/gpu1, to: host5/gpu1, bytes: 1MB, start: 3us"}},
		{[]string{`name: in, pattern: incast, from: "host[1-3]/gpu[*]", to: host2/gpu1, bytes: 1kB, count: 3, every: 1ms, priority: other`},
			[]string{"name: in1, from: host1/gpu0, to: host2/gpu1, bytes: 1kB, count: 3, every: 1ms, priority: other",
				"name: in2, from: host1/gpu1, to: host2/gpu1, bytes: 1kB, count: 3, every: 1ms, priority: other",
				"name: in3, from: host3/gpu0, to: host2/gpu1, bytes: 1kB, count: 3, every: 1ms, priority: other",
				"name: in4, from: host3/gpu1, to: host2/gpu1, bytes: 1kB, count: 3, every: 1ms, priority: other"}},
		{[]string{`pattern: pairs, from: "host[1-2]/gpu0", to: "host[3-4]/gpu0", bytes: 1kB, off: [n2]`},
			[]string{"from: host1/gpu0, to: host3/gpu0, bytes: 1kB", "from: host2/gpu0, to: host4/gpu0, bytes: 1kB, enabled: false"}},
		{[]string{`pattern: all-to-all, from: "host[1-2]/gpu[*]", bytes: 1kB`},
			[]string{"from: host1/gpu0, to: host2/gpu0, bytes: 1kB", "from: host1/gpu0, to: host2/gpu1, bytes: 1kB",
				"from: host1/gpu1, to: host2/gpu0, bytes: 1kB", "from: host1/gpu1, to: host2/gpu1, bytes: 1kB",
				"from: host2/gpu0, to: host1/gpu0, bytes: 1kB", "from: host2/gpu0, to: host1/gpu1, bytes: 1kB",
				"from: host2/gpu1, to: host1/gpu0, bytes: 1kB", "from: host2/gpu1, to: host1/gpu1, bytes: 1kB"}},
	} {
		short, long := flowsOf(t, 1, c.short...), flowsOf(t, 1, c.long...)
		if !reflect.DeepEqual(short.Jobs[0].Flows, long.Jobs[0].Flows) {
			t.Errorf("%s makes\n%s\nwant\n%s", c.short, brief(short.Jobs[0].Flows), brief(long.Jobs[0].Flows))
		}
		RoundTrip(t, short)
	}
}

// What is drawn follows the seed and the place in the file, and nothing else.
func TestDrawnFlows(t *testing.T) {
	const some = `pattern: all-to-all, from: "host[*]/gpu0", bytes: websearch, flows: 20`
	const permuted = `name: p, pattern: permutation, bytes: 1MB`
	one := flowsOf(t, 1, some, permuted)
	if again := flowsOf(t, 1, some, permuted); brief(again.Jobs[0].Flows) != brief(one.Jobs[0].Flows) {
		t.Error("the same seed gives other flows")
	}
	if other := flowsOf(t, 2, some, permuted); brief(other.Jobs[0].Flows) == brief(one.Jobs[0].Flows) {
		t.Error("another seed gives the same flows")
	}
	flows := one.Jobs[0].Flows
	sent, got := map[Endpoint]int{}, map[Endpoint]int{}
	for _, f := range flows[20:] {
		sent[f.From]++
		got[f.To]++
		if f.From.Host == f.To.Host {
			t.Errorf("%s > %s: within a host", f.From, f.To)
		}
	}
	if len(flows) != 20+34 || len(sent) != 34 || len(got) != 34 {
		t.Errorf("%d flows, %d senders, %d receivers, want 54, 34 and 34", len(flows), len(sent), len(got))
	}
	RoundTrip(t, one)
	if same, err := one.Set("output.queues", "false"); err != nil || brief(same.Jobs[0].Flows) != brief(flows) {
		t.Errorf("a change elsewhere draws other flows: %v", err)
	}
	if moved, err := one.Set("job.flows[0].flows", "5"); err != nil || len(moved.Jobs[0].Flows) != 5+34 {
		t.Errorf("a key of a shorthand cannot be set: %v", err)
	}
}

// Flows arrive at the load that was asked for: over 200 seeds the bytes of a time are that part of what NICs carry.
func TestArrivalsAtALoad(t *testing.T) {
	for _, c := range []struct {
		entry string
		nics  float64 // those that limit
		load  float64
	}{
		{`pattern: all-to-all, bytes: 100kB, load: 40%, during: 100us`, 34, 0.4},
		{`pattern: incast, to: host1/gpu0, bytes: [10kB, 30kB], load: 80%, during: 1ms`, 1, 0.8},
		{`from: "host[1-2]/gpu0", to: "host[3-9]/gpu0", bytes: 5kB, load: 1/4, during: 100us`, 2, 0.25},
		{`pattern: permutation, from: "host[*]/gpu0", bytes: hadoop, load: 50%, during: 1ms, start: 7us`, 17, 0.5},
	} {
		sum, length, seeds := 0.0, 0.0, 200
		for seed := range seeds {
			s := flowsOf(t, seed, c.entry)
			e := s.Jobs[0].Entries[0]
			last := e.Start
			for _, f := range s.Jobs[0].Flows {
				sum += 8 * float64(f.Bytes)
				if f.Start < last || f.Start > e.Start+e.During.Value || f.Count != 1 {
					t.Fatalf("%s: a flow at %s after one at %s, count %d", c.entry, f.Start, last, f.Count)
				}
				last = f.Start
			}
			length += float64(e.During.Value) / float64(unit.Second)
		}
		if got := sum / length / (c.nics * 100e9); got < c.load*0.97 || got > c.load*1.03 {
			t.Errorf("%s: a load of %.3f over %d seeds, want %.3f", c.entry, got, seeds, c.load)
		}
	}
	if s := flowsOf(t, 1, `pattern: all-to-all, bytes: 100kB, load: 40%, flows: 77`); len(s.Jobs[0].Flows) != 77 {
		t.Errorf("%d flows, want 77", len(s.Jobs[0].Flows))
	}
}

// What is said of a flow stands at the entry that made it; and what switches it off leaves the others as they are.
func TestFlowsKnowTheirEntries(t *testing.T) {
	s := flowsOf(t, 1, `from: "host[2-4]/gpu0", to: host1/gpu0, bytes: 1MB`, `from: host5/gpu0, to: host6/gpu0, bytes: 1MB`,
		`name: p, pattern: permutation, from: "host[1-4]/gpu0", bytes: 1MB, off: [n1]`)
	j := &s.Jobs[0]
	var paths []string
	for i := range j.Flows {
		paths = append(paths, j.FlowPath(i))
	}
	want := []string{"job.flows[0]", "job.flows[0]", "job.flows[0]", "job.flows[1]",
		"job.flows[2]", "job.flows[2]", "job.flows[2]", "job.flows[2]"}
	if !slices.Equal(paths, want) {
		t.Errorf("%v, want %v", paths, want)
	}
	made := []string{"job.flows[0] makes 3 flows, pattern each", "job.flows[2] makes 4 flows, pattern permutation"}
	if got := s.Made(); !slices.Equal(got, made) {
		t.Errorf("%q, want %q", got, made)
	}
	for _, c := range []struct {
		off  []int
		want string
	}{
		{[]int{1}, "job.flows[0].off [n2]"},
		{[]int{0, 2, 3}, "job.flows[0].off [n1, n3]; job.flows[1].enabled false"},
		{[]int{2, 1, 0}, "job.flows[0].enabled false"},
		{[]int{5, 6}, "job.flows[2].off [n1-n3]"},
		{[]int{7, 6, 5}, "job.flows[2].enabled false"},
	} {
		var got []string
		changes := j.Without(c.off...)
		for _, x := range changes {
			got = append(got, x.Path+" "+x.Text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%v: %q, want %q", c.off, got, c.want)
		}
		cut, err := s.With(changes...)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range cut.Jobs[0].Flows {
			before := j.Flows[i]
			before.Enabled = before.Enabled && !slices.Contains(c.off, i)
			if !reflect.DeepEqual(f, before) {
				t.Errorf("%v: flow %d is %+v, was %+v", c.off, i, f, before)
			}
		}
	}
}

// A small file may not make a reader work for long: ends and flows of all shorthands together are bounded.
func TestShorthandsAreBounded(t *testing.T) {
	for _, entry := range []string{
		`{pattern: permutation, bytes: 1B}`,
		`{pattern: incast, to: host1/gpu0, bytes: 1B, flows: 1}`,
	} {
		src := "cluster: {hosts: 6000, host: {gpus: 8}}\nfabric: {design: single-switch, switch: {buffer: 1000GB}}\njob:\n  flows:\n" +
			strings.Repeat("    - "+entry+"\n", 2000)
		if _, err := Parse("x.yaml", []byte(src)); err == nil {
			t.Errorf("%s 2,000 times: no error", entry)
		}
	}
}

// Beyond a bound the bound stands in, with an error: what else is said of such a file counts no further.
func TestBeyondABound(t *testing.T) {
	f := &Field{Min: "2", Max: "131072"}
	for text, want := range map[string]int{"30000000": 131072, "1": 2, "7": 7} {
		if got, _, err := whole.value(f, text); got != want || (err == nil) != (text == "7") {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
}
