package ns3

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

const dcqcnConfig = `ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1 {0: disable, 1: enable}
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE mix/topology.txt
FLOW_FILE mix/flow.txt
CC_MODE 1
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 300
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 20Mb/s
RATE_HAI 200Mb/s
MIN_RATE 1000Mb/s
L2_ACK_INTERVAL 1
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 1
KMAX_MAP 2 100000000000 1600 400000000000 6400
KMIN_MAP 2 100000000000 400 400000000000 1600
PMAX_MAP 2 100000000000 0.2 400000000000 0.20
BUFFER_SIZE 32
QLEN_MON_START 2000000000
`

const leafSpine = `7 3 6
4 5 6
0 4 100Gbps 1000ns 0
1 4 100Gbps 1000ns 0
2 5 100Gbps 0.001ms 0
3 5 100Gbps 0.001ms 0
4 6 400Gbps 1us 0
5 6 400Gbps 1us 0
`

const twoFlows = `2
0 3 3 100 1000000 2.0
1 3 3 100 1500 2.000005
7 7 7
`

func folder(config, topology, flows string) fstest.MapFS {
	return fstest.MapFS{"config.txt": {Data: []byte(config)}, "topology.txt": {Data: []byte(topology)},
		"flow.txt": {Data: []byte(flows)}}
}

var names = Names{Name: "x", Topology: "x-topology.txt", Flows: "x-flows.csv"}

// imported imports a folder and holds the result against the readers of its forms.
func imported(t *testing.T, dir fstest.MapFS) (*Imported, *scenario.Scenario) {
	t.Helper()
	in, err := Import(in(dir), names)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Parse("x.yaml", in.Scenario)
	if err != nil {
		t.Fatalf("%v\n%s", err, in.Scenario)
	}
	if _, err := topo.ParseText("x-topology.txt", in.Topology, sc.Cluster.Host.GPUs); err != nil {
		t.Fatalf("%v\n%s", err, in.Topology)
	}
	if _, err := sc.ReadFlows(&sc.Jobs[0], "x-flows.csv", in.Flows); err != nil {
		t.Fatalf("%v\n%s", err, in.Flows)
	}
	return in, sc
}

// in opens the files of a folder.
func in(dir fs.FS) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) { return fs.ReadFile(dir, name) }
}

func TestImport(t *testing.T) {
	in, sc := imported(t, folder(dcqcnConfig, leafSpine, twoFlows))
	const scenarioText = `# From config.txt of the HPCC authors' ns-3 simulator. The preset sets what the file leaves to the model.
name: x
preset: hpcc-ns3

cluster:
  hosts: 4
  host: {gpus: 1}
  nic: {speed: 100Gb/s}

fabric:
  design: custom
  topology: "x-topology.txt"
  switch: {buffer: 32MiB}
  qos: {ecn: {min: 400kB, max: 1600kB, probability: 0.2, port_rate: 100Gb/s}}

transport: {mtu: 1000B, ack_every: 1, ack_paused: true, window: 102500B, window_scale: true}

congestion: {algorithm: dcqcn, g: 0.00390625, alpha_timer: 1us, decrease_interval: 4us, increase_timer: 300us,
  fast_recovery: 1, clamp_target: false, rate_ai: 20Mb/s, rate_hai: 200Mb/s, min_rate: 1Gb/s}

job: {flows_csv: "x-flows.csv"}
`
	const topologyText = `# From topology.txt: hosts are numbered in order of their nodes.
host host1  # node 0
host host2  # node 1
host host3  # node 2
host host4  # node 3
switch switch4 leaf
switch switch5 leaf
switch switch6 spine
link host1 switch4 100Gb/s 1us
link host2 switch4 100Gb/s 1us
link host3 switch5 100Gb/s 1us
link host4 switch5 100Gb/s 1us
link switch4 switch6 400Gb/s 1us
link switch5 switch6 400Gb/s 1us
`
	const flowText = `# From flow.txt: names hold the numbers of both nodes; time 0 is 2s there.
name,from,to,bytes,start
flow1-n0-n3,host1/nic0,host4/nic0,1000000B,0s
flow2-n1-n3,host2/nic0,host4/nic0,1500B,4999ns
`
	for _, c := range []struct{ what, got, want string }{
		{"scenario", string(in.Scenario), scenarioText}, {"topology", string(in.Topology), topologyText},
		{"flows", string(in.Flows), flowText},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, c.got, c.want)
		}
	}
	if !strings.HasPrefix(in.Notes[0], "starts: 1 of 2 are a little earlier than flow.txt says") ||
		!strings.HasPrefix(in.Notes[1], "flow.txt: 3 words after the last of its 2 flows were not read") ||
		!slices.Contains(in.Notes, "QLEN_MON_START left out: "+written) {
		t.Errorf("notes: %s", strings.Join(in.Notes, "\n"))
	}
	// What the file says is also what the preset says: only these differ.
	if c := sc.Congestion; c.Preset != "hpcc-ns3" || c.Notify != "ack" || c.ByteCounter.Set {
		t.Errorf("%+v", c)
	}
}

// change replaces the value of a key.
func change(config string, changes map[string]string) string {
	var out []string
	for line := range strings.SplitSeq(config, "\n") {
		key, _, _ := strings.Cut(line, " ")
		if v, ok := changes[key]; ok {
			line = key + " " + v
		}
		out = append(out, line)
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if !strings.Contains(config, key+" ") {
			out = append(out, key+" "+changes[key])
		}
	}
	return strings.Join(out, "\n")
}

func TestImportOtherAlgorithms(t *testing.T) {
	for _, c := range []struct {
		changes map[string]string
		want    []string
	}{
		{map[string]string{"ENABLE_QCN": "0", "CC_MODE": "0", "HAS_WIN": "0"}, []string{"congestion: {algorithm: none}",
			"ecn: {enabled: false}", "transport: {mtu: 1000B, ack_every: 1, ack_paused: true}"}},
		{map[string]string{"ACK_HIGH_PRIO": "1", "HAS_WIN": "0"}, []string{"ack_every: 1, ack_paused: false}"}},
		{map[string]string{"CC_MODE": "3", "FAST_REACT": "0"}, []string{"fast_react: false}}"}},
		{map[string]string{"CC_MODE": "3", "U_TARGET": "0.95", "MI_THRESH": "0", "RATE_AI": "80Mb/s", "INT_MULTI": "4"},
			[]string{"{algorithm: hpcc, hpcc: {eta: 0.95, max_stage: 0, rate_ai: 80Mb/s, min_rate: 1Gb/s, base_rtt: " +
				"8.2us, tx_unit: 512B, queue_unit: 320B, fast_react: true}}", "frames: {header: 90B, ack: 88B}"}},
		{map[string]string{"CC_MODE": "7", "HAS_WIN": "0"},
			[]string{"{algorithm: timely, timely: {ai: 20Mb/s, hai: 200Mb/s, min_rate: 1Gb/s}}",
				"frames: {header: 56B, ack: 60B}"}},
		{map[string]string{"CC_MODE": "8", "EWMA_GAIN": "0.0625", "KMIN_MAP": "2 100000000000 300 400000000000 300",
			"KMAX_MAP": "2 100000000000 300 400000000000 300"},
			[]string{"{algorithm: dctcp, dctcp: {g: 0.0625, rate_ai: 1Gb/s, min_rate: 1Gb/s}}", "window: 102500B",
				"ecn: {min: 300kB, max: 300kB, probability: 0.2}"}},
		{map[string]string{"L2_ACK_INTERVAL": "100"}, []string{"ack_every: 1,"}},
		{map[string]string{"GLOBAL_T": "0", "VAR_WIN": "0"}, []string{"window: bdp, window_scale: false"}},
		{map[string]string{"ERROR_RATE_PER_LINK": "1e-3"}, []string{`- {link: all, drop: 0.001, pfc: true}`}},
		{map[string]string{"ERROR_RATE_PER_LINK": "2.5E-06"}, []string{`- {link: all, drop: 0.0000025, pfc: true}`}},
		{map[string]string{"ERROR_RATE_PER_LINK": "0.001", "LINK_DOWN": "15 4 6"},
			[]string{`- {link: all, drop: 0.001, pfc: true}`, `- {link: "switch4/switch6", at: 15us, down: 24h}`}},
	} {
		in, _ := imported(t, folder(change(dcqcnConfig, c.changes), leafSpine, twoFlows))
		for _, want := range c.want {
			if !strings.Contains(string(in.Scenario), want) {
				t.Errorf("%v: no %s in\n%s", c.changes, want, in.Scenario)
			}
		}
	}
}

// SimAI: GPUs are nodes, links to NVSwitches stay in the server.
func TestImportSimAI(t *testing.T) {
	const topology = `8 2 2 2 8 H100
4 5 6 7
0 4 900Gbps 0.000025ms 0
1 4 900Gbps 0.000025ms 0
2 5 900Gbps 0.000025ms 0
3 5 900Gbps 0.000025ms 0
1 7 100Gbps 0.001ms 0
0 6 100Gbps 0.001ms 0
2 6 100Gbps 0.001ms 0
3 7 100Gbps 0.001ms 0
`
	in, sc := imported(t, folder(change(dcqcnConfig,
		map[string]string{"HAS_WIN": "0", "MON_START": "0", "BW_MON_FILE": "x"}), topology, "1\n1 3 3 100 9000 2\n"))
	if sc.Cluster.Hosts != 2 || sc.Cluster.Host.GPUs != 2 ||
		sc.Cluster.Host.NVLink.String() != "900Gb/s" || sc.NICsPerHost() != 2 {
		t.Errorf("%+v", sc.Cluster)
	}
	if !strings.Contains(string(in.Topology), "host host2  # GPUs are nodes 2 to 3\n") ||
		!strings.Contains(string(in.Topology), "link host1 switch6 100Gb/s 1us\nlink host1 switch7 100Gb/s 1us\n") &&
			!strings.Contains(string(in.Topology), "link host1 switch6 100Gb/s 1us\nlink switch7") {
		t.Errorf("the cards of a host are in order of its GPUs:\n%s", in.Topology)
	}
	if !strings.Contains(string(in.Flows), "flow1-n1-n3,host1/nic1,host2/nic1,9000B,0s") {
		t.Errorf("%s", in.Flows)
	}
}

// Each mistake is named with file, line and column.
func TestMistakes(t *testing.T) {
	config := func(changes ...string) string {
		m := map[string]string{}
		for i := 0; i < len(changes); i += 2 {
			m[changes[i]] = changes[i+1]
		}
		return change(dcqcnConfig, m)
	}
	for _, c := range []struct{ config, topology, flows, want string }{
		{"ENABLE_QNC 1\nCC_MODE 3", leafSpine, twoFlows, "config.txt:1:1: ENABLE_QNC: unknown key; did you mean ENABLE_QCN?"},
		{"FROBNICATE 1\nCC_MODE 3", leafSpine, twoFlows, "config.txt:1:1: FROBNICATE: unknown key"},
		{dcqcnConfig + "CC_MODE 3", leafSpine, twoFlows, "config.txt:25:1: CC_MODE: given twice, first on line 6"},
		{config("CC_MODE", "10"), leafSpine, twoFlows,
			"config.txt:6:9: CC_MODE: 10: not modelled, want 0 (none), 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)"},
		{config("BUFFER_SIZE", "many"), leafSpine, twoFlows,
			"config.txt:23:13: BUFFER_SIZE: many, want a number such as 0.25"},
		{config("BUFFER_SIZE", "1.5"), leafSpine, twoFlows,
			"config.txt:23:13: BUFFER_SIZE: 1.5: want a whole number from 1 to 1048576"},
		{config("L2_BACK_TO_ZERO", "1"), leafSpine, twoFlows,
			"config.txt:26:17: L2_BACK_TO_ZERO: 1: go-back-0 is not modelled, want 0"},
		{config("RATE_AI", "20"), leafSpine, twoFlows,
			"config.txt:13:9: RATE_AI: 20: want a rate such as 100Gbps or 50Mb/s"},
		{config("KMIN_MAP", "1 100000000000 400"), leafSpine, twoFlows,
			"config.txt:21:1: KMIN_MAP: no entry for links of 400Gb/s (400000000000)"},
		{config("KMIN_MAP", "2 100000000000 400 400000000000 800"), leafSpine, twoFlows,
			"config.txt:21:1: KMIN_MAP: thresholds for links of 100Gb/s to 400Gb/s neither are the same nor scale " +
				"with the rate, and a scenario has one curve"},
		{config("LINK_DOWN", "5 0 6"), leafSpine, twoFlows,
			"config.txt:26:1: LINK_DOWN: no link between nodes 0 and 6"},
		{strings.Replace(dcqcnConfig, "L2_ACK_INTERVAL 1\n", "", 1), leafSpine, twoFlows,
			"config.txt:1:1: no L2_ACK_INTERVAL: want a whole number from 1 to 65536"},
		{"KMAX_MAP 3 1", leafSpine, twoFlows, "config.txt:1:12: the file ends here, want KMAX_MAP"},
		{dcqcnConfig, "", twoFlows, "topology.txt: the file ends here, want nodes"},
		{dcqcnConfig, "7 3 6 1\n", twoFlows,
			"topology.txt:1:1: 4 numbers in the first line, want 3 (nodes switches links), or 6"},
		{dcqcnConfig, "3 1 2\n2\n0 2 100G 1us 0\n", twoFlows,
			"topology.txt:3:5: 100G: want a rate such as 100Gbps or 50Mb/s"},
		{dcqcnConfig, "3 1 2\n2\n0 2 100Gbps 1 0\n", twoFlows,
			"topology.txt:3:13: 1: want a delay above 0 and at most 10ms, such as 0.001ms or 1000ns"},
		{dcqcnConfig, "3 1 2\n2\n0 1 100Gbps 1us 0\n", twoFlows,
			"topology.txt:3:1: link 0 1: connects two hosts, want a switch between them"},
		{dcqcnConfig, "3 1 2\n2\n0 2 100Gbps 1us 0\n", twoFlows,
			"topology.txt:3:17: the file ends here, want a link's first node"},
		{dcqcnConfig, "3 1 1\n2\n0 2 100Gbps 1us 0\n", twoFlows,
			"topology.txt:1:1: node 1 has 0 links to switches, want 1"},
		{dcqcnConfig, leafSpine, "0", "flow.txt:1:1: 0 flows, want at least one: a job must send something"},
		{dcqcnConfig, leafSpine, "1\n0 4 3 100 1000 2",
			"flow.txt:2:1: flow from node 0 to node 4: one of them is a switch, want hosts"},
		{dcqcnConfig, leafSpine, "1\n0 3 1 100 1000 2",
			"flow.txt:2:5: priority group: 1, want a whole number from 3 to 3"},
		{dcqcnConfig, leafSpine, "1\n0 3 3 100 1000 1e9", "flow.txt:2:16: start 1e9 s: want at most a day"},
		{dcqcnConfig, leafSpine, "1\n0 3 3 100 1000 1e",
			"flow.txt:2:16: start in seconds: 1e, want a number such as 0.25"},
		{dcqcnConfig, leafSpine, "1\n0 3 3 100 1e3 2",
			"flow.txt:2:11: bytes: 1e3, want a whole number from 1 to 1000000000000"},
		{config("BUFFER_SIZE", "1e2"), leafSpine, twoFlows, "config.txt:23:13: BUFFER_SIZE: 1e2, want a number " +
			"without an exponent, since the simulator takes only what is before the e"},
		{config("KMIN_MAP", "1 100000000000 4e2"), leafSpine, twoFlows,
			"config.txt:21:25: KMIN_MAP: 4e2, want a number without an exponent, since the simulator takes only " +
				"what is before the e"},
		{config("ERROR_RATE_PER_LINK", "1e-100"), leafSpine, twoFlows,
			"config.txt:26:21: ERROR_RATE_PER_LINK: 1e-100, want a number such as 0.25"},
		{config("ERROR_RATE_PER_LINK", "1e-13"), leafSpine, twoFlows,
			"config.txt:26:21: ERROR_RATE_PER_LINK: 1e-13, want a number with at most 12 digits behind the point"},
		{dcqcnConfig, leafSpine, "1\n0 9 3 100 1000 2",
			"flow.txt:2:3: destination: 9, want a whole number from 0 to 6"},
	} {
		_, err := Import(in(folder(c.config, c.topology, c.flows)), names)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	if _, err := Import(in(fstest.MapFS{}), names); err == nil ||
		err.Error() != "config.txt: open config.txt: file does not exist" {
		t.Errorf("an empty folder: %v", err)
	}
}

// No input makes the importer panic; what it takes, the readers of its forms take, but for bounds
// of the scenario.
func FuzzImport(f *testing.F) {
	f.Add(dcqcnConfig, leafSpine, twoFlows)
	f.Add(change(dcqcnConfig, map[string]string{"CC_MODE": "3", "LINK_DOWN": "15 4 6", "ERROR_RATE_PER_LINK": "0.1"}),
		"4 2 1 1 4 H100\n2 3\n0 2 1Gbps 1ns 0\n1 2 1Gbps 1ns 0\n0 3 1Gbps 1ns 0\n1 3 1Gbps 1ns 0", "1\n0 1 3 1 1 0")
	f.Fuzz(func(t *testing.T, config, topology, flows string) {
		in, err := Import(in(folder(config, topology, flows)), names)
		if err != nil {
			return
		}
		sc, err := scenario.Parse("x.yaml", in.Scenario)
		if err != nil {
			return
		}
		if _, err := topo.ParseText("t", in.Topology, sc.Cluster.Host.GPUs); err != nil {
			t.Fatal(fmt.Errorf("%w\n%s", err, in.Topology))
		}
	})
}
