package cli

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/config/dump"
	"railyard/internal/out/judge"
)

// All forms of all faults: two minutes.
var everyForm = flag.Bool("every-form", false, "TestDumpsAreJudgedAlike tries more faults, and all of them in the forms of all vendors")

// dumped is a job over two leaves that shows what it does.
const dumped = `cluster: {hosts: 4, host: {gpus: 2, pcie: 26GB/s}, nic: {speed: 200Gb/s, receive_buffer: 256kB}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  balance: pinned
transport: {timeout: 300us}
job:
  watchdog: 1ms
  replay: {forward: 40us, steps: 3, buckets: [{bytes: 400kB, compute: 30us}]}
output: {telemetry: 20us, flows: false, queues: false}
`

// TestDumpsAreJudgedAlike: what is wrong is named from the texts of each form as it is from telemetry.parquet: the same hypotheses with
// the same evidence.
func TestDumpsAreJudgedAlike(t *testing.T) {
	root := t.TempDir()
	run := func(name, fault string) {
		writeAll(t, filepath.Join(root, name+".yaml"), []byte(dumped+fault))
		ranIn(t, root, "run", name+".yaml", "--out", name, "-q") // an abort of the job is an exit code of its own
		if code, out := ranIn(t, root, "export", name, "--telemetry", name+".texts"); code != call.OK {
			t.Fatal(out)
		}
	}
	judged := func(args ...string) (v judge.Verdict) {
		code, out := ranIn(t, root, append([]string{"diagnose", "--json", "-q"}, args...)...)
		if err := json.Unmarshal([]byte(out), &v); err != nil || code == call.Misused {
			t.Fatalf("%v: exit code %d, %v: %.500s", args, code, err, out)
		}
		return v
	}
	run("healthy", "")
	faults := map[string]string{
		"lossy":    "faults: [{link: leaf1/host2#1, bit_errors: 1e-6}]\n",
		"flapping": "faults: [{link: leaf1/spine1, at: 50us, down: 10us, convergence: 5us, count: 2, every: 60us}]\n",
		"slow":     "faults: [{link: leaf1/spine1, speed: 50Gb/s}]\n",
		"storm":    "faults: [{link: leaf1/host2#1, at: 60us, storm: 100us}]\n",
		"mtu":      "faults: [{port: leaf1/host2#1, at: 50us, for: 100us, config: {mtu: 1200B}}]\n",
		"dscp":     "faults: [{port: leaf1/*, config: {dscp: 7}}]\n",
		"staged":   "faults: [{host: host3, staged: true}]\n",
		"gpu":      "faults: [{gpu: host2/gpu1, slow: 1.5}]\n",
		"dead":     "faults: [{gpu: host2/gpu1, at: 100us, hang: 1h}]\n",
		"pcie":     "faults: [{host: host4, pcie: 8GB/s}]\n",
		"incast": "background: {flows: [{from: host3/nic0, to: host1/nic0, bytes: 1MB}, {from: host4/nic0, to: host1/nic0, " +
			"bytes: 1MB}]}\n",
	}
	if *everyForm {
		maps.Copy(faults, map[string]string{
			"down":         "faults: [{link: leaf1/spine1, at: 50us, down: 300us}]\n",
			"rerouted":     "faults: [{link: leaf1/spine1, at: 50us, down: 300us, convergence: 30us}]\n",
			"switch storm": "faults: [{link: leaf1/spine1, sender: leaf1, at: 60us, storm: 200us}]\n",
			"hang":         "faults: [{host: host2, at: 60us, hang: 400us}]\n",
			"slow edge":    "faults: [{link: leaf1/host2#1, speed: 50Gb/s}]\n",
		})
	}
	for name, fault := range faults {
		run(name, fault)
		want := judged(name, "--healthy", "healthy")
		if !want.Wrong {
			t.Errorf("%s: nothing is named, so nothing is compared", name)
			continue
		}
		for _, form := range dump.Forms() {
			of, in := filepath.Join(name+".texts", form), filepath.Join("healthy.texts", form)
			ofOthers := !slices.Contains([]string{"prometheus", "commands"}, form)
			some := []string{"lossy", "flapping", "incast", "dead"} // for the time that it takes
			if ofOthers && !*everyForm && !slices.Contains(some, name) {
				continue
			}
			got := judged(of, "--healthy", in)
			want := want
			if ofOthers { // counters that decide may be missing
				alikeAsFar(t, name+", "+form, got, want)
				continue
			}
			if form == "commands" { // SONiC's tables have less: what that leaves unknown is neither named nor ruled out
				if name == "mtu" {
					want = judge.Verdict{Hypotheses: []judge.Hypothesis{}}
				}
				if !slices.Contains(got.Unknown, "wrong MTU: want oversize of switches") {
					t.Errorf("%s, %s: unknown is %q", name, form, got.Unknown)
				}
				want.RuledOut, got.RuledOut, want.Unknown, got.Unknown = nil, nil, nil, nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s:\n%+v\nwant\n%+v", name, form, got, want)
			}
			if name != "storm" || form != "prometheus" { // the same by a scenario, and by a file of LLDP tables alone
				continue
			}
			for _, file := range []string{"healthy.yaml", filepath.Join(of, "neighbours.txt")} {
				if got := judged(of, "--healthy", in, "--topology", file); !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\n%+v\nwant\n%+v", file, got, want)
				}
			}
		}
	}
}

// alikeAsFar: the likeliest is among those named, at the same place or, by what stands at both, at the other end of its cable; or is
// said to be unknown for want of a counter.
func alikeAsFar(t *testing.T, name string, got, want judge.Verdict) {
	t.Helper()
	first := want.Hypotheses[0]
	unknown := slices.ContainsFunc(got.Unknown, func(s string) bool { return strings.HasPrefix(s, string(first.Mechanism)+": want ") })
	if !unknown && !slices.ContainsFunc(got.Hypotheses, func(h judge.Hypothesis) bool {
		return h.Mechanism == first.Mechanism && (h.Place.Is(&first.Place) ||
			slices.ContainsFunc(h.For, func(o judge.Observation) bool { return o.At == first.Place.Name }))
	}) {
		t.Errorf("%s: %+v\nwant %+v, unknown is %q", name, got.Hypotheses, first, got.Unknown)
	}
}

// A folder without anything that is understood is refused with what was found; what is damaged, with its place.
func TestDumpsThatCannotBeRead(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty":   {"", "nothing in it can be read: it is empty"},
		"prose":   {"Dear all,\nthe network is slow.\n", "nothing in it can be read: x:1: of no form that is known"},
		"binary":  {"\x00\x01", "x: no text"},
		"metrics": {"node_network_up{device=\"eth0\" 1\n", "x:1:"},
		"no time": {"node_network_up{device=\"eth0\",instance=\"host1\"} 1\n", "a sample without a time"},
		"foreign": {"go_goroutines 5\n", "metric go_goroutines: no counter here has that name"},
		"two ways": {"sonic_interface_receive_bytes_total{device=\"e\",instance=\"a\"} 1 1000\n" +
			"node_infiniband_np_cnp_packets_sent_total{device=\"e\",instance=\"a\"} 1 1000\n", "want one name for one device"},
	} {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if name != "empty" {
			writeAll(t, filepath.Join(dir, "x"), []byte(c.text))
		}
		if code, out := ranIn(t, root, "diagnose", name); code != call.Misused || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, %s, want %q", name, code, out, c.want)
		}
	}
}
