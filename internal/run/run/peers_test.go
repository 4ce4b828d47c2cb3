package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// flatBoard writes a board without NVLink, two sockets of two PCIe switches with two GPUs each, whose GPUs have these numbers.
func flatBoard(t *testing.T, numbers []int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<system version="1">`)
	for i, n := range numbers {
		if i%4 == 0 {
			fmt.Fprintf(&b, `<cpu numaid="%d" arch="x86_64" vendor="AuthenticAMD">`, i/4)
		}
		if i%2 == 0 {
			fmt.Fprintf(&b, `<pci busid="0000:%d0:00.0" class="0x060400" link_speed="16.0 GT/s" link_width="16">`, i+1)
		}
		fmt.Fprintf(&b, `<pci busid="0000:%d%d:00.0" class="0x030200" link_speed="16.0 GT/s" link_width="16">`+
			`<gpu dev="%d" sm="89"/></pci>`, i/2*2+1, i%2+1, n)
		if i%2 == 1 {
			fmt.Fprintf(&b, `<pci busid="0000:%d9:00.0" class="0x020000" link_speed="16.0 GT/s" link_width="16"><nic>`+
				`<net name="m%d" dev="%d" speed="100000" port="1"/></nic></pci></pci>`, i, i/2, i/2)
		}
		if i%4 == 3 {
			b.WriteString("</cpu>")
		}
	}
	b.WriteString("</system>")
	path := filepath.Join(t.TempDir(), "board.xml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A ring over GPUs without NVLink crosses each link of PCIe once each way, whatever numbers the GPUs have: it takes what the
// slowest link takes, and PCIe is the cause. In order of such numbers it would cross sockets again and again.
func TestRingsWithoutNVLink(t *testing.T) {
	text := func(numbers []int) string {
		return fmt.Sprintf(`cluster: {hosts: 1, host: {preset: hgx-a100, graph: %q}, nic: {shared_by: 2, speed: 100Gb/s}}
job: {collectives: [{op: all-reduce, bytes: 64MiB, algorithm: ring, protocol: none, channels: 1, iterations: 2, warmup: 0}]}
`, flatBoard(t, numbers))
	}
	rng := rand.New(rand.NewPCG(32, 1))
	first := run(t, text([]int{0, 1, 2, 3, 4, 5, 6, 7}), Options{})
	took := first.Collectives[0].Time
	// 14/8 of the bytes over the link between the sockets, which NCCL takes for 16 GB/s of AMD's; some ranks end before the last.
	if slowest := 67.1e6 * 14 / 8 / 16e9; took.Seconds() < 0.97*slowest || took.Seconds() > 1.03*slowest {
		t.Errorf("%v, the slowest link takes %.3g s", took, slowest)
	}
	if b := first.Diagnosis.Blames[0]; b.Kind != diagnose.PCIe || first.Diagnosis.Findings[0].Noun != noun.PCIeBound {
		t.Errorf("blamed first: %+v; %+v", b, first.Diagnosis.Findings[0])
	}
	for _, b := range first.Diagnosis.Blames {
		if b.Kind == diagnose.NVLink {
			t.Errorf("%+v: there is no NVLink", b)
		}
	}
	for range 4 {
		numbers := rng.Perm(8)
		if r := run(t, text(numbers), Options{}); r.Collectives[0].Time != took {
			t.Errorf("GPUs numbered %v: %v, want %v", numbers, r.Collectives[0].Time, took)
		}
	}
}

// A training over hosts without NVLink has the weights of one with it, however the run is computed, and a slow link of PCIe
// between GPUs makes it slower.
func TestTrainingWithoutNVLink(t *testing.T) {
	text := func(graph, more string) string {
		return fmt.Sprintf(`cluster: {hosts: 2, host: {preset: hgx-a100, gpus: 8%s}, nic: {shared_by: 2, speed: 100Gb/s}}
%sjob:
  train: {layers: [784, 64, 10], data: %q, batch: 4, epochs: 1, steps: 3, lr: 0.1}
  collective: {channels: 4}
`, graph, more, digits(t))
	}
	graph := fmt.Sprintf(", graph: %q", flatBoard(t, []int{0, 1, 2, 3, 4, 5, 6, 7})) // rings as by numbers: sums in the same order
	want := run(t, text("", ""), Options{})
	first := run(t, text(graph, ""), Options{})
	if first.WeightsSHA256 != want.WeightsSHA256 || first.StepTime == want.StepTime {
		t.Errorf("weights %s in steps of %v, with NVLink %s in %v", first.WeightsSHA256, first.StepTime, want.WeightsSHA256, want.StepTime)
	}
	var all result.Causes
	for _, o := range rows(t, first.Run.Steps()) { // also of what leaves by the NIC of another GPU
		all.NVLink, all.PCIe = all.NVLink+o.NVLink, all.PCIe+o.PCIe
	}
	if all.NVLink != 0 || all.PCIe == 0 {
		t.Errorf("%v went over NVLink, %v over PCIe", all.NVLink, all.PCIe)
	}
	for _, o := range []Options{{Islands: 3}, {Islands: 2, Workers: 2}} {
		if other := run(t, text(graph, ""), o); digestOf(t, other.path) != digestOf(t, first.path) {
			t.Errorf("in %d islands: %s", o.Islands, firstDifference(t, first.path, other.path))
		}
	}
	slow := run(t, text(graph, "faults: [{host: host1, at: 0ns, pcie: 1GB/s, pcie_link: CPU0/CPU1}]\n"), Options{})
	if slow.StepTime <= first.StepTime {
		t.Errorf("steps of %v with a slow link between the sockets, else %v", slow.StepTime, first.StepTime)
	}
}

// Steps over PCIe are reused as all are.
func TestReuseWithoutNVLink(t *testing.T) {
	r := reused(t, fmt.Sprintf(`cluster: {hosts: 2, host: {preset: hgx-a100, gpus: 2, graph: %q}, nic: {shared_by: 2, speed: 100Gb/s}}
job: {replay: {steps: 12, forward: 100us, buckets: [{bytes: 300kB, compute: 100us}]}, collective: {channels: 2}}
`, flatBoard(t, []int{0, 1, 2, 3, 4, 5, 6, 7})), Options{Islands: 2, Workers: 2})
	if r.Steps == 0 {
		t.Errorf("no step was told again: %+v", r)
	}
}

// What a switch adds wants one that joins all GPUs.
func TestNoSwitchAddsWithoutNVLink(t *testing.T) {
	sc, err := scenario.Parse("a.yaml", []byte(fmt.Sprintf(`cluster: {hosts: 1, host: {preset: hgx-a100, graph: %q}, nic: {shared_by: 2}}
job: {collectives: [{op: all-reduce, bytes: 1MiB, algorithm: nvls, protocol: none}]}
`, flatBoard(t, []int{0, 1, 2, 3, 4, 5, 6, 7}))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(sc); err == nil || !strings.Contains(err.Error(), "no NVLink joins all GPUs") {
		t.Error(err)
	}
}
