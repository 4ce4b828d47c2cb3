package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
	"railyard/internal/plan/switches"
)

// incast is n hosts that send 10 MB each to one more host over a 100 Gb/s switch.
func incast(n int, more string) string {
	t := fmt.Sprintf("preset: hpcc-ns3\ncluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n%s"+
		"job:\n  flows:\n", n+1, more)
	for i := range n {
		t += fmt.Sprintf("    - {from: host%d/nic0, to: host%d/nic0, bytes: 10MB}\n", i+1, n+1)
	}
	return t
}

const (
	star    = "fabric: {design: single-switch}\n"
	pfcOnly = "fabric: {design: single-switch, qos: {ecn: {enabled: false}}}\ncongestion: {algorithm: none}\n"
)

// The preset is nothing but values of keys, and they make the HPCC model's engine.
func TestPresetMakesTheHPCCModel(t *testing.T) {
	p, err := NewPlan(read(t, incast(2, star)))
	if err != nil {
		t.Fatal(err)
	}
	f, n, h := p.FabricConfig(), nicConfig(p), hostConfig(p)
	one := unit.Ratio{Num: 1, Den: 1}
	port := p.Graph.Ports[0]
	m := f.Classes[0].ECN.At(100 * unit.GigabitPerSec)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"frames", n.Frames, wire.HPCCNS3},
		{"transport", n.Transport, roce.Params{MTU: 1000, AckEvery: 1, NakAgain: 500 * unit.Microsecond, Retries: 7,
			CNPInterval: n.Transport.CNPInterval, EchoMarks: true}},
		{"controller", n.Controller, cc.Params(cc.Presets["hpcc-ns3"].DCQCN)},
		{"echo, completion, latency", fmt.Sprint(n.Transport.EchoMarks, n.CompleteAtSender, h.NIC, h.PCIe.Latency,
			n.AckClass), "true true 0s 0s 0"},
		{"classes", len(f.Classes), 1},
		{"marking", fmt.Sprint(m.Min, m.Max, m.Probability, m.AtDequeue), "400kB 1.6MB 20% true"},
		{"buffer", f.Buffer, fabric.Buffer{Size: 32 << 20, Reserve: 4096, LossyAlpha: one, CrossingInHeadroom: true}},
		{"alpha", fmt.Sprint(f.PFC.Alpha, f.PFC.AlphaRate, f.PFC.Threshold), "1/8 100Gb/s 0B"},
		{"resume, quanta, response", fmt.Sprint(f.PFC.ResumeOffset, f.PFC.Quanta, f.PFC.Response.At(port.Rate)),
			"3KiB 0 0s"},
		{"headroom", f.PFC.Headroom.At(fabric.Links(p.Graph, port.To)[0]), 37500 * unit.Byte},
		{"link and switch", fmt.Sprint(port.Delay, f.SwitchLatency, f.HostLatency, f.LinkOverhead, f.PauseFrame,
			f.Quirks != nil && f.Quirks.TruncateNS), "1us 0s 0s 0B 43B false"},
	} {
		if fmt.Sprintf("%#v", c.got) != fmt.Sprintf("%#v", c.want) {
			t.Errorf("%s: %+v, want %+v", c.what, c.got, c.want)
		}
	}
}

// plain writes ratios in one way.
var plain = strings.NewReplacer("4/5", "80%", "1/2", "50%", "95/100", "95%")

// The defaults of the other algorithms are those of package cc, from their papers.
func TestAlgorithmDefaults(t *testing.T) {
	for name, want := range cc.Defaults {
		yaml := strings.Replace(incast(2, star+"congestion: {algorithm: "+name+"}\n"), "preset: hpcc-ns3\n", "", 1)
		p, err := NewPlan(read(t, strings.ReplaceAll(yaml, "100Gb/s", "10Gb/s")))
		if err != nil {
			t.Fatal(err)
		}
		n := nicConfig(p)
		switch w := want.(type) {
		case cc.TIMELY:
			w.PortRate = 0 // the scenario writes the step out
			want = w
		case cc.Swift:
			w.FlowScaleMin, w.FlowScaleMax = unit.Ratio{}, unit.Ratio{} // of flow scaling, which is off
			want = w
		case cc.DCQCN:
			continue // see the presets
		}
		if plain.Replace(fmt.Sprint(n.Controller)) != plain.Replace(fmt.Sprint(want)) ||
			n.Controller.Validate() != nil {
			t.Errorf("%s: %+v, want %+v (%v)", name, n.Controller, want, n.Controller.Validate())
		}
		if tel := name == "hpcc"; n.Telemetry != tel || p.FabricConfig().Telemetry != tel {
			t.Errorf("%s: telemetry %v", name, n.Telemetry)
		}
		if ack := map[string]int{"none": 16}[name]; ack != 16 && n.Transport.AckEvery != 1 ||
			n.Transport.EchoMarks != (name == "dctcp") {
			t.Errorf("%s: an ACK of every %d packets, echo %v", name, n.Transport.AckEvery, n.Transport.EchoMarks)
		}
	}
}

// The HPCC ns-3 model, measured: rows without chance. Completion within 0.1 %, queue and pauses
// within 1 %.
func TestReferenceWithoutChance(t *testing.T) {
	const vwin = star + "transport: {window: 52kB, window_scale: true}\n"
	for _, c := range []struct {
		name, more       string
		n                int
		fct, queue, mean float64 // us, kB, kB
		pauses           int64
	}{
		{"2:1 pfconly", pfcOnly, 2, 1681, 6719, 4544, 140},
		{"8:1 pfconly", pfcOnly, 8, 6711, 16804, 14802, 2001},
		{"2:1 vwin", vwin, 2, 1681, 58, 56, 0},
		{"8:1 vwin", vwin, 8, 6711, 385, 383, 0},
	} {
		s := run(t, incast(c.n, c.more), Options{}).Summary
		last, received := 0.0, int64(0)
		for _, f := range s.Flows {
			last = max(last, float64(f.Took())/1e6)
		}
		for _, p := range s.Pausing {
			if strings.HasPrefix(p.Port, "host") {
				received += p.Received
			}
		}
		near := func(what string, got, want, within float64) {
			if math.Abs(got-want) > within {
				t.Errorf("%s: %s %.1f, want %.1f", c.name, what, got, want)
			}
		}
		near("FCT", last, c.fct, c.fct/1000)
		near("max queue", float64(s.Queues[0].Max)/1000, c.queue, max(c.queue/100, 0.6))
		near("mean queue", float64(s.Queues[0].Mean)/1000, c.mean, max(c.mean/100, 0.6))
		near("pauses", float64(received), float64(c.pauses), float64(c.pauses)/100)
	}
}

// Its DCQCN rows depend on the marking lottery: a mean over seeds, loosely held here.
func TestReferenceWithChance(t *testing.T) {
	for _, c := range []struct {
		name, more string
		fct, sd    float64 // us, relative
		queue      float64 // kB
	}{
		{"2:1 hpccdef", star, 2094, 0.044, 162},
		{"2:1 paper", star + "congestion: {preset: hpcc-ns3-paper}\n", 1744, 0.015, 336},
	} {
		const seeds = 10
		fct, queue := 0.0, 0.0
		for seed := range seeds {
			s := run(t, fmt.Sprintf("seed: %d\n", seed+1)+strings.Replace(incast(2, c.more), "design: single-switch",
				"design: single-switch, clock: truncate-ns", 1), Options{}).Summary
			fct += float64(s.Flows[0].Took()+s.Flows[1].Took()) / 2e6 / seeds
			queue += float64(s.Queues[0].Mean) / 1e3 / seeds
		}
		if within := 2 * c.sd * c.fct; math.Abs(fct-c.fct) > within {
			t.Errorf("%s: mean FCT %.0f us, want %.0f within %.0f", c.name, fct, c.fct, within)
		}
		if math.Abs(queue-c.queue) > 0.2*c.queue {
			t.Errorf("%s: mean queue %.0f kB, want %.0f within 20 %%", c.name, queue, c.queue)
		}
	}
}

// A single flow is exact: (N + h - 2) Td + Tlast + h Ta + 2 h d.
func TestReferenceSingleFlow(t *testing.T) {
	for packets, want := range map[int]unit.Duration{1: 4_177_280, 1000: 87_933_440} { // ps
		yaml := strings.Replace(incast(1, star), "10MB", fmt.Sprintf("%dB", packets*1000), 1)
		if got := run(t, yaml, Options{}).Summary.Flows[0].Took(); got != want {
			t.Errorf("%d packets: %v, want %v", packets, got, want)
		}
	}
}

// write puts a file into a folder of the test's and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const net = `host host1
host host2
host host3
switch a
switch b
switch top spine
link host1 a 100Gb/s 1us
link host2 a 100Gb/s 1us
link host3 b 100Gb/s 1us
link a top 100Gb/s 1us
link a top 100Gb/s 1us
link top b 400Gb/s 1us
`

// A topology and flows from files, with paths.
func TestCustomTopologyAndFlowsFromFiles(t *testing.T) {
	yaml := "preset: hpcc-ns3\ncluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
		"fabric: {design: custom, topology: %q}\njob: {flows_csv: %q}\n"
	csv := `# two flows that share a link, one that does not
name,from,to,bytes,start,path,back
x,host1/nic0,host3/nic0,1MB,0us,host1>a>top#1>b>host3,host3>b>top>a#2>host1
y,host2/nic0,host3/nic0,1MB,0us,host2>a>top#1>b>host3,
z,host3/nic0,host1/nic0,1MB,5us,,
`
	s := run(t, fmt.Sprintf(yaml, write(t, "net.txt", net), write(t, "flows.csv", csv)), Options{}).Summary
	got := ""
	for _, f := range s.Flows {
		got += fmt.Sprintf("%s %s %d\n", f.Name, f.Path, f.Bytes)
	}
	if got != "x host1>a>top>b>host3 1000000\ny host2>a>top>b>host3 1000000\nz host3>b>top>a>host1 1000000\n" {
		t.Error(got)
	}
	for _, l := range s.BusiestLinks {
		if l.Port == "a/top#2" && l.TxBytes > 80_000 || l.Port == "a/top#1" && l.TxBytes < 2_000_000 {
			t.Errorf("%s carried %v: data is pinned to a/top#1", l.Port, l.TxBytes)
		}
	}
	for _, c := range []struct{ net, csv, want string }{
		{net, "name,from,to,bytes,path\nx,host1/nic0,host3/nic0,1MB,host2>a>top#1>b>host3\n",
			"flows.csv:2:29: path: begins at host2, want the sender's host host1"},
		{net, "name,from,to,bytes,path\nx,host1/nic0,host3/nic0,1MB,host1>a>top>b>host3\n",
			`flows.csv:2:29: path: no link from a to top: "a/top" names several parallel links, ` +
				`want one of them, such as a/top#1`},
		{net, "name,from,to,bytes,path\nx,host1/nic0,host3/nic0,1MB,host1>b>host3\n",
			"flows.csv:2:29: path: no link between host1 and b at the NIC of the flow, which is linked to host1/a"},
		{net, "name,from,to,bytes,path\nx,host1/nic0,host3/nic0,1MB,host1>a>c>host3\n",
			`flows.csv:2:29: path: "c" is neither a host nor a switch of this network, want a name such as host1 or top`},
		{net, "name,from,to,bytes,priority\nx,host1/nic0,host3/nic0,1MB,other\n",
			"flows.csv:2:29: priority: other: fabric.qos.classes is data, so there is no class for it"},
		{net, "name,from,to,byts\nx,host1/nic0,host3/nic0,1MB\n", "flows.csv:1:14: byts: unknown key; did you mean " +
			"bytes?"},
		{net, "name,from,to,bytes\nx,host1/nic0,host9/nic0,1\n", "flows.csv:2:25: bytes: 1: no unit, want bytes (B, " +
			"kB, MB, GB, TB or KiB, MiB, GiB, TiB)"},
		{strings.Replace(net, "100Gb/s 1us\nlink host3", "50Gb/s 1us\nlink host3", 1), csv,
			"test.yaml:2:51: cluster.nic.speed: 100Gb/s: the slowest link of a host in net.txt is 50Gb/s, want that"},
		{strings.Replace(net, "400Gb/s", "400G", 1), csv,
			`net.txt:12:12: 400G: unknown unit "G", want bits (Gb/s) or bytes (GB/s)`},
		{net + "host host4\nlink host4 b 100Gb/s 1us\n", csv, "test.yaml:2:18: cluster.hosts: 3: net.txt has 4, " +
			"want that many"},
	} {
		a, b := write(t, "net.txt", c.net), write(t, "flows.csv", c.csv)
		_, err := NewPlan(read(t, fmt.Sprintf(yaml, a, b)))
		if err == nil ||
			!strings.Contains(strings.NewReplacer(filepath.Dir(a)+"/", "", filepath.Dir(b)+"/", "").Replace(err.Error()),
				c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// Faults are the engine's; a link that is down loses what it carries, and go-back-N brings it back.
func TestFaults(t *testing.T) {
	yaml := `
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 3, spines: 1}
%s
job: {flows: [{from: host1/nic0, to: host3/nic0, bytes: 4MB}]}
`
	for _, c := range []struct{ faults, want string }{
		{"faults: [{link: leaf1/spine1, at: 50us, down: 20us}]", "lost"},
		{"faults: [{link: leaf1/spine1, drop: 0.01}]", "lost"},
		{"faults: [{link: leaf2/spine1, drop: 0.01}]", ""}, // not on the path
		{"faults: [{link: all, bit_errors: 1/10000000}]", "lost"},
		{"faults: [{link: host3/leaf3, at: 10us, storm: 100us}]", "paused"},
	} {
		s := run(t, fmt.Sprintf(yaml, c.faults), Options{}).Summary
		if (s.Retransmits > 0) != (c.want == "lost") || (s.Pauses > 0) != (c.want == "paused") ||
			s.Flows[0].Status != "done" {
			t.Errorf("%s: %d sent again, %d pauses, %s", c.faults, s.Retransmits, s.Pauses, s.Flows[0].Status)
		}
	}
	for faults, want := range map[string]string{
		"faults: [{link: leaf1/spine2, down: 20us}]":  `faults[0].link: "leaf1/spine2" is not a port of this network`,
		"faults: [{link: leaf1/spine1, storm: 20us}]": "faults[0].link: leaf1/spine1: no link of a host",
	} {
		if _, err := NewPlan(read(t, fmt.Sprintf(yaml, faults))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", faults, err, want)
		}
	}
}

// Admission, selective repeat and the ACK class reach the engine.
func TestEngineParameters(t *testing.T) {
	yaml := cluster8(2) + `
transport: {preset: irn, ack_class: cnp, nak_again: 100us}
` + strings.Replace(training(t, 2, 1), "{channels: 1}", "{channels: 1, admission: {slots: 2, bytes: 16KiB}}", 1)
	p, err := NewPlan(read(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	n := nicConfig(p)
	transport := roce.Params{
		MTU:           4096,
		AckEvery:      1,
		Timeout:       320 * unit.Microsecond,
		Retries:       7,
		AckDuplicates: true,
		NakAgain:      100 * unit.Microsecond,
		Receiver:      roce.Direct,
		Selective:     true,
		TimeoutLow:    100 * unit.Microsecond,
		LowPackets:    3,
		CNPInterval:   4 * unit.Microsecond, // as its DCQCN has it
	}
	if admission(&p.Scenario.Jobs[0], 1) != (nic.Admission{Slots: 2, Bytes: 16384}) || n.AckClass != switches.ClassCNP ||
		n.Transport != transport || !n.Controller.(cc.DCQCN).Window.BDP {
		t.Errorf("%+v", n)
	}
	if r := run(t, yaml, Options{}); r.Summary.Steps != 2 {
		t.Errorf("%d steps", r.Summary.Steps)
	}
}

// Every algorithm runs a small incast to its end.
func TestEveryAlgorithmRuns(t *testing.T) {
	for name := range cc.Algorithms {
		yaml := strings.ReplaceAll(strings.Replace(incast(4, star+"congestion: {algorithm: "+name+"}\n"),
			"preset: hpcc-ns3\n", "", 1), "10MB", "1MB")
		s := run(t, yaml, Options{}).Summary
		for _, f := range s.Flows {
			if f.Status != "done" {
				t.Errorf("%s: %s", name, f.Status)
			}
		}
	}
}
