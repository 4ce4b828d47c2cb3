package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// watchedJob is a replay over two leaves with something wrong in every way that logs tell of.
const watchedJob = `
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 2, balance: pinned}
job:
  replay: {forward: 50us, steps: 3, buckets: [{bytes: 1MB, compute: 20us}]}
transport: {timeout: 200us}
faults:
  - {link: leaf1/spine1, at: 100us, down: 50us, convergence: 10us}
  - {link: host3/leaf2#1, bit_errors: 1e-7}
  - {host: host2, staged: true}
output:
`

// TestTelemetryIsBesides: no other table changes by a byte, and what devices show does not depend on the partition.
func TestTelemetryIsBesides(t *testing.T) {
	with := run(t, watchedJob+"  {telemetry: 20us}", Options{})
	without := run(t, watchedJob+"  {}", Options{})
	tables, err := filepath.Glob(filepath.Join(without.path, "*.parquet"))
	if err != nil || len(tables) < 5 {
		t.Fatal(tables, err)
	}
	for _, name := range tables {
		a, err := os.ReadFile(name)
		b, err2 := os.ReadFile(filepath.Join(with.path, filepath.Base(name)))
		if err != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s is another with telemetry (%v, %v)", filepath.Base(name), err, err2)
		}
	}
	other := run(t, watchedJob+"  {telemetry: 20us}", Options{Islands: 4, Workers: 3})
	if digestOf(t, other.path) != digestOf(t, with.path) {
		t.Error(firstDifference(t, other.path, with.path))
	}
}

// TestTelemetryCounts: devices count what happened to them, and say nothing of why: no word of the scenario's faults, jobs
// or flows is in any text.
func TestTelemetryCounts(t *testing.T) {
	r := run(t, watchedJob+"  {telemetry: 20us}", Options{})
	var b telemetry.Builder
	for row, err := range r.Run.Telemetry() {
		if err != nil {
			t.Fatal(err)
		}
		b.Add(&row)
		for _, word := range []string{"fault", "bit_errors", "staged", "replay"} {
			if strings.Contains(row.Text+row.Comm+row.Op, word) {
				t.Errorf("%q in %+v", word, row)
			}
		}
	}
	all := b.Telemetry()
	errors, sent, late := map[string]int64{}, map[string]int64{}, map[unit.Duration]bool{}
	for _, s := range all.Find(telemetry.Port, telemetry.NIC) {
		if n, _ := s.Total(telemetry.InErrors); n > 0 {
			errors[s.Port] = n
		}
		sent[s.Port] = s.Values[telemetry.TxBytes][len(s.At)-1]
		late[unit.Duration(s.At[0])%(20*unit.Microsecond)] = true
	}
	if len(errors) == 0 || errors["leaf2/host3#1"]+errors["host3/leaf2#1"] == 0 || len(errors) > 2 {
		t.Errorf("frames with errors: %v, want them at the ends of host3/leaf2#1 alone", errors)
	}
	if len(late) < 3 {
		t.Errorf("devices are read late by %v, want several", late)
	}
	for l, err := range r.Run.Links() {
		if err != nil || sent[l.Port] != int64(l.TxBytes) {
			t.Errorf("%s: sent %d, want %d as in links.parquet (%v)", l.Port, sent[l.Port], l.TxBytes, err)
		}
	}
	text := ""
	for _, l := range all.Lines {
		text += l.Device + ": " + l.Text + "\n"
	}
	for _, want := range []string{"leaf1: Set operation status down: leaf1/spine1", "spine1: %ADJCHANGE: neighbor leaf1(leaf1) Down",
		"host1: NCCL INFO Channel 00/0 : 0[0]", "/GDRDMA"} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q", want)
		}
	}
	for _, l := range all.Lines {
		if strings.Contains(l.Text, "via NET") && strings.Contains(l.Text, "GDRDMA") == (l.Device == "host2") {
			t.Errorf("%s: %s", l.Device, l.Text)
		}
	}
	if parts := len(all.Collectives); parts != 8*3 { // three steps of eight ranks
		t.Errorf("%d parts in collectives", parts)
	}
}

// TestStaged: a host without peer memory has half of what its PCIe carries.
func TestStaged(t *testing.T) {
	fct := func(more string) unit.Duration {
		r := run(t, `
cluster: {hosts: 2, host: {gpus: 1, pcie: 25GB/s}, nic: {speed: 200Gb/s}}
fabric: {design: single-switch}
congestion: {algorithm: none}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 10MB}]}
`+more, Options{})
		return *r.Summary.Flows[0].FCT
	}
	whole, half := fct(""), fct("faults: [{host: host1, staged: true}]")
	if ratio := float64(half) / float64(whole); ratio < 1.9 || ratio > 2.05 {
		t.Errorf("%v without peer memory, %v with it: want twice", half, whole)
	}
}

// TestStagedOverAGraph: with cluster.host.graph the bytes of a host without peer memory go up the link that GPUs and NICs of a
// switch share, and down it again, one of each direction as full as the other. One sender alone has its NIC's 200 Gb/s; two
// share 252 Gb/s; where they receive as much, four streams do. Other hosts, and what comes after the fault, have all of it.
//
// False if the copy crosses the NIC's own link twice: then one sender alone would have 126 Gb/s.
func TestStagedOverAGraph(t *testing.T) {
	slowest := func(flows, more string) unit.Duration {
		r := run(t, `
cluster: {hosts: 2, host: {preset: hgx-a100, gpus: 2, graph: preset}, nic: {speed: 200Gb/s}}
fabric: {design: single-switch}
congestion: {algorithm: none}
job: {flows: [`+flows+"]}\n"+more, Options{})
		most := unit.Duration(0)
		for _, f := range r.Summary.Flows {
			most = max(most, *f.FCT)
		}
		return most
	}
	const one = "{from: host1/gpu0, to: host2/gpu0, bytes: 50MB}"
	const two = one + ", {from: host1/gpu1, to: host2/gpu1, bytes: 50MB}"
	const four = two + ", {from: host2/gpu0, to: host1/gpu0, bytes: 50MB}, {from: host2/gpu1, to: host1/gpu1, bytes: 50MB}"
	const staged, late = "faults: [{host: host1, staged: true}]\n", "faults: [{host: host1, staged: true, at: 1s}]\n"
	whole := slowest(one, "")
	for _, c := range []struct {
		name, flows, more string
		times             float64 // as long
	}{{"one", one, staged, 1}, {"two", two, staged, 200. / 126}, {"four", four, staged, 200. / 63}, {"four, healthy", four, "", 1},
		{"four, and the fault comes later", four, late, 1}} {
		got := slowest(c.flows, c.more)
		if ratio := float64(got) / float64(whole); ratio < c.times*0.97 || ratio > c.times*1.03 {
			t.Errorf("%s: %v, %.2f times %v, want %.2f times", c.name, got, ratio, whole, c.times)
		}
	}
}
