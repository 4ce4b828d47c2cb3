package prove_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostinfo/hostinfotest"
	"railyard/internal/config/hostlint"
	"railyard/internal/config/lint"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/prove"
)

// costs proves what is found of a host.
func costs(t *testing.T, yaml string, h *hostinfo.Host) (all []lint.Finding, proofs []*prove.Proof) {
	t.Helper()
	sc, err := scenario.Parse("s.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		t.Fatal(err)
	}
	all = hostlint.Check([]*hostinfo.Host{h}, nil)
	c := prove.NewCosts(sc, p, all, []*hostinfo.Host{h})
	told := 0.0
	proofs, _, err = c.Prove(context.Background(), func(v result.Progress) { told = max(told, v.Part) })
	if err != nil {
		t.Fatal(err)
	}
	if told > 1 {
		t.Errorf("%d runs, the furthest progress is %v", c.Runs(), told)
	}
	return all, proofs
}

// A NIC on the other CPU costs a job whose rings take it, by the link between the sockets, and nothing where they do not: the
// board of the host as it is against the same with that NIC beside its GPU. False if H14 is not a graph, the graph is not the
// host's, or the one that is mended is not.
func TestNICsApartCost(t *testing.T) {
	read := func(o hostinfotest.Option) *hostinfo.Host {
		h, err := hostinfo.Read("host1", hostinfotest.Clean(o))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	const four = "name: four\ncluster: {hosts: 2, host: {preset: hgx-h100, gpus: 4}, nic: {speed: 400Gb/s}}\n"
	for _, c := range []struct {
		name, yaml  string
		cpu         bool
		shown       bool
		least, most float64 // step or slowest flow, as it is to mended
	}{
		// The ring of GPU 1 crosses from a socket to the other at 22 GB/s, where the NIC carries 50.
		{"all rails", four + "job: {collectives: [{op: all-reduce, bytes: 16MB}]}\n", true, true, 1.7, 2.3},
		{"another rail", four + "job: {flows: [{from: host1/gpu3, to: host2/gpu3, bytes: 1MB}]}\n", true, false, 1, 1},
		// What is between CPUs that nobody knows has no rate: it is said.
		{"unknown CPUs", four + "job: {flows: [{from: host1/gpu1, to: host2/gpu1, bytes: 1MB}]}\n", false, false, 1, 1},
	} {
		h := read(hostinfotest.Option{Name: "host1", GPUs: 4, Apart: 2})
		if !c.cpu {
			h.CPU = nil
		}
		all, proofs := costs(t, c.yaml, h)
		k := slices.IndexFunc(all, func(f lint.Finding) bool { return f.Rule == "H14" })
		if k < 0 || len(all) != 1 {
			t.Fatalf("%s: %+v", c.name, all)
		}
		p := proofs[k]
		if p.Why != "" || len(p.Figures) == 0 || p.Shown != c.shown || p.Unmoved == c.shown ||
			p.Mended != "mlx5_1 beside the GPU" || !strings.Contains(p.Network, "of all hosts") ||
			strings.Contains(p.Network, "not known") == c.cpu {
			t.Fatalf("%s: %+v", c.name, p)
		}
		if f := p.Figures[0]; float64(f.Broken) < c.least*float64(f.Mended) || float64(f.Broken) > c.most*float64(f.Mended) {
			t.Errorf("%s: %s %d, mended %d", c.name, f.Name, f.Broken, f.Mended)
		}
	}
}

// Boards that cannot be had are no proof, and say why.
func TestBoardsThatCannotBe(t *testing.T) {
	files := hostinfotest.Clean(hostinfotest.Option{Name: "host1", GPUs: 4, Apart: 2})
	for i := range files {
		if slices.Contains([]string{"host1/lspci", "host1/pci", "host1/iommu"}, files[i].Name) {
			files[i].Text = nil // topo -m is left, which has no tree
		}
	}
	h, err := hostinfo.Read("host1", files)
	if err != nil {
		t.Fatal(err)
	}
	const yaml = "name: s\ncluster: {hosts: 2, host: {gpus: 4}}\njob: {flows: [{from: host1/gpu1, to: host2/gpu1, bytes: 1MB}]}\n"
	all, _ := costs(t, yaml, h)
	for i := range all {
		if all[i].Rule == "H14" {
			t.Errorf("topo -m: GPU1 has NICs of its node: %+v", all[i])
		}
	}
	// One GPU more than the host has.
	h, err = hostinfo.Read("host1", hostinfotest.Clean(hostinfotest.Option{Name: "host1", GPUs: 4, Apart: 2}))
	if err != nil {
		t.Fatal(err)
	}
	all, proofs := costs(t, strings.Replace(yaml, "gpus: 4", "gpus: 8", 1), h)
	if len(proofs) != 1 || !strings.Contains(proofs[0].Why, "this scenario cannot have it: ") ||
		!strings.Contains(proofs[0].Why, "has 4 GPUs") {
		t.Errorf("%+v %+v", all, proofs)
	}
}
