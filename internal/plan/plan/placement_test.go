package plan

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/job/workload"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// Where ranks run, as host.gpu, for each rule of job.placement.
func TestPlacement(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{"packed", "1.0 1.1 2.0 2.1 3.0"},
		{"rail-aligned", "1.0 2.0 3.0 1.1 2.1"},
		{"[host3/gpu1, host1/gpu0, host2/gpu1, host1/gpu1, host2/gpu0]", "3.1 1.0 2.1 1.1 2.0"},
	} {
		if got := places(t, c.rule, 1); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
	orders := map[string]bool{}
	for seed := range 20 {
		got := places(t, "scattered", seed)
		if got != places(t, "scattered", seed) {
			t.Errorf("seed %d: another order the second time", seed)
		}
		for i, at := range strings.Fields(got) {
			if strings.Contains(got[:strings.Index(got, at)], at) || i > 4 {
				t.Errorf("seed %d: %s", seed, got)
			}
		}
		orders[got] = true
	}
	if len(orders) < 15 {
		t.Errorf("%d orders of 20 seeds", len(orders))
	}
}

func places(t *testing.T, rule string, seed int) string {
	t.Helper()
	job := plantest.Training(3, "  parallel: {dp: 5}\n  placement: "+rule+"\n")
	p := planned(t, fmt.Sprintf("seed: %d\n", seed)+strings.Replace(job, "gpus: 8", "gpus: 2", 1))
	var all []string
	for _, at := range p.Jobs[0].Placement.Ranks {
		if at.Rail != at.GPU {
			t.Errorf("GPU %d on rail %d", at.GPU, at.Rail)
		}
		all = append(all, fmt.Sprintf("%d.%d", at.Host+1, at.GPU))
	}
	return strings.Join(all, " ")
}

// By which NICs messages between a GPU 0 and a GPU 1 on another host leave and arrive, for each rule
// of job.collective.exit.
func TestExits(t *testing.T) {
	for _, c := range []struct{ exit, want string }{
		{"channel", "host1/nic0>host2/nic0 host2/nic0>host1/nic0"},
		{"own", "host1/nic0>host2/nic1 host2/nic1>host1/nic0"},
		{"peer", "host1/nic1>host2/nic1 host2/nic0>host1/nic0"},
	} {
		job := plantest.Training(2, "  parallel: {dp: 2}\n  placement: [host1/gpu0, host2/gpu1]\n"+
			"  collective: {channels: 1, exit: "+c.exit+"}\n")
		p := planned(t, strings.Replace(job, "gpus: 8", "gpus: 2", 1))
		var all []string
		for _, q := range p.Pairs {
			all = append(all, p.Graph.NICName(q.From)+">"+p.Graph.NICName(q.To))
		}
		if got := strings.Join(all, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.exit, got, c.want)
		}
	}
}

// Ways in two levels want as many ranks on each host, and are refused at their key without.
func TestWaysInTwoLevelsOverUnevenHosts(t *testing.T) {
	sc, err := scenario.Parse("t.yaml", []byte(`
cluster: {hosts: 3, host: {gpus: 2}}
job:
  train: {model: gpt, gpt: {size: 8, blocks: 1, heads: 2, experts: {count: 4}}, batch: 1, lr: 0.1,
    data: {text: {window: 8, grammar: {train: 50, test: 5}}}}
  parallel: {dp: 4, ep: 4}
  placement: [host1/gpu0, host2/gpu0, host2/gpu1, host3/gpu0]
  collective: {all_to_all: two-level}
`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(sc, Files{}, nil)
	if err == nil || !strings.Contains(err.Error(), "job.collective.all_to_all: over hosts: 1 ranks on one host, 2 on another") {
		t.Errorf("%v", err)
	}
}

// By which NICs positions go to an expert on another rail, and in which order, for each way of job.collective.all_to_all; the
// sums of gradients go as job.collective.exit says.
func TestWaysOfDispatch(t *testing.T) {
	for _, c := range []struct{ way, schedule, exits string }{
		{"direct", "direct-all-to-all", "host1/nic0>host2/nic1 host2/nic1>host1/nic0"},
		{"pairwise", "pairwise-all-to-all", "host1/nic0>host2/nic1 host2/nic1>host1/nic0"},
		{"rails", "direct-all-to-all", "host1/nic1>host2/nic1 host2/nic0>host1/nic0"},
		{"two-level", "two-level-all-to-all", "host1/nic1>host2/nic1 host2/nic0>host1/nic0"},
	} {
		p := planned(t, `
cluster: {hosts: 2, host: {gpus: 2}}
fabric: {design: rail-optimized}
job:
  train: {model: gpt, gpt: {size: 8, blocks: 1, heads: 2, experts: {count: 2}}, batch: 1, lr: 0.1,
    data: {text: {window: 8, grammar: {train: 50, test: 5}}}}
  parallel: {dp: 2, ep: 2}
  placement: [host1/gpu0, host2/gpu1]
  collective: {channels: 1, exit: own, all_to_all: `+c.way+"}\n")
		work := p.Jobs[0].Work
		var of, sums []string
		for _, l := range p.Jobs[0].Links {
			q := &p.Pairs[l.Pair]
			if name := p.Graph.NICName(q.From) + ">" + p.Graph.NICName(q.To); work.Groups[l.Group].Kind == workload.GroupKindExpert {
				of = append(of, name)
			} else {
				sums = append(sums, name)
			}
		}
		if got := strings.Join(of, " "); got != c.exits {
			t.Errorf("%s: positions go %s, want %s", c.way, got, c.exits)
		}
		if got := strings.Join(sums, " "); got != "host1/nic0>host2/nic1 host2/nic1>host1/nic0" {
			t.Errorf("%s: sums go %s", c.way, got)
		}
		for i := range work.Collectives {
			if k := &work.Collectives[i]; strings.HasPrefix(k.Name, "dispatch") && k.Schedule.Name() != c.schedule {
				t.Errorf("%s: %s goes by %s, want %s", c.way, k.Name, k.Schedule.Name(), c.schedule)
			}
		}
	}
}
