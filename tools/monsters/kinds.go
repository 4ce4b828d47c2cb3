package main

import "fmt"

// A kind is a kind of file, and what reads it.
type kind struct {
	file       string
	most       int64 // bytes that its reader takes
	head, tail string
	good       func(i int) string // a line, or what stands for one, that is right
	beside     map[string]string  // other files
	commands   []string
}

const (
	kB = 1 << 10
	mB = 1 << 20
)

// Of the files of a run directory that are read: those of package result.
const formatVersion, whatIfVersion = "3", "1"

func line(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format+"\n", i) }
}

// pod is a scenario whose jobs or parts a kind of file describes.
func pod(lines string) map[string]string {
	return map[string]string{"s.yaml": "name: s\ncluster: {hosts: 4, host: {gpus: 1}}\n" + lines + "\n"}
}

const sends = "job: {collectives: [{op: all-reduce, bytes: 1MB}]}\n"

var kinds = []kind{
	{file: "a.yaml", most: 1_000_000, head: "name: a\ncluster: {hosts: 4}\njob:\n  collectives:\n",
		good: line("    - {op: all-reduce, bytes: 64kB} # %d"), commands: []string{"check a.yaml",
			"show scenario a.yaml"}},
	{file: "a.yaml", most: 1_000_000, head: "name: a\ncluster: {hosts: 4}\njob:\n  flows:\n",
		good:     line("    - {name: f%d, from: host1/gpu0, to: host2/gpu0, bytes: 1MB}"),
		commands: []string{"check a.yaml"}},
	{file: "a.yaml", most: 290_000, head: "name: a\n", good: line("key%d: 1"), commands: []string{"check a.yaml",
		"design a.yaml"}},
	{file: "a.yaml", most: 180_000, head: "name: a\njob:\n  flows:\n", good: line("    - {a%d: 1}"),
		commands: []string{"check ./a.yaml"}},
	{file: "d.yaml", most: 1_000_000, head: "name: a\ngpus: 64\nhost: {gpus: 8}\n", good: line("key%d: 1"),
		commands: []string{"design d.yaml"}},
	{file: "f.csv", most: 40 * mB, head: "name,from,to,bytes,start\n",
		good:   line("f%d,host1/gpu0,host2/gpu0,1MB,0us"),
		beside: pod("job: {flows_csv: f.csv}"), commands: []string{"check s.yaml"}},
	{file: "t.txt", most: 64 * mB, head: "switch s1\n", good: line("host h%d"),
		beside:   pod("fabric: {design: custom, topology: t.txt}\n" + sends),
		commands: []string{"check s.yaml --json"}},
	{file: "t.txt", most: 64 * mB, head: "switch s1\nhost h1\nhost h2\n", good: line("link h1 s1 400Gb/s 20m # %d"),
		beside: pod("fabric: {design: custom, topology: t.txt}\n" + sends), commands: []string{"check s.yaml"}},
	{file: "n.txt", most: 1 * mB, head: "text\ntokens: embedding size=24\n", good: line("dense units=%d"),
		beside: pod("job: {train: {model: file, network: n.txt, data: {text: {window: 16, grammar: {train: " +
			"2000, test: 100}}}, batch: 8, epochs: 1, lr: 0.1}, parallel: {dp: 4}}"),
		commands: []string{"show model s.yaml"}},
	{file: "s.txt", most: 16 * mB, head: "schedule ring-all-reduce\nranks 4\nchannels 1\nchunks 4\nslots " +
		"6\n\nrank 0 channel 0\n", good: line("%d send chunk 0 to 1"),
		beside:   pod("job: {collective: {schedule: s.txt}, collectives: [{op: all-reduce, bytes: 1MB}]}"),
		commands: []string{"check s.yaml --quiet"}},
	{file: "d/config.txt", most: 64 * mB, head: "CC_MODE 3\nFLOW_FILE flow.txt\nTOPOLOGY_FILE topology.txt\n",
		good: line("KMAX_MAP 1 100000000000 %d"),
		beside: map[string]string{"d/flow.txt": "1\n0 1 3 100 1000 2\n",
			"d/topology.txt": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"},
		commands: []string{"import hpcc d"}},
	{file: "d/flow.txt", most: 64 * mB, head: "1000000\n", good: line("0 1 3 100 %d 2"),
		beside: map[string]string{"d/config.txt": "CC_MODE 3\nFLOW_FILE flow.txt\nTOPOLOGY_FILE topology.txt\n",
			"d/topology.txt": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"},
		commands: []string{"import hpcc d --out o"}},
	{file: "d/topology.txt", most: 64 * mB, head: "4097 1 1000000\n0\n", good: line("%d 0 100Gbps 1us 0"),
		beside: map[string]string{"d/config.txt": "CC_MODE 3\nFLOW_FILE flow.txt\nTOPOLOGY_FILE topology.txt\n",
			"d/flow.txt": "1\n0 1 3 100 1000 2\n"},
		commands: []string{"import hpcc d --out p"}},
	{file: "g.log", most: 16 * mB, head: "# nccl-tests version 2.19.6 nccl-headers=22707 " +
		"nccl-library=22707\n# Collective test starting: all_reduce_perf\n" +
		"# nThread 1 nGpus 8 minBytes 8 maxBytes 128 step: 0(factor) warmup iters: 5 iters: 20 agg iters: 1 " +
		"validation: 1 graph: 0 unalign: 0\n" +
		"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   " +
		"algbw   busbw  #wrong\n", good: line("  %d 256 float sum -1 10.0 0.1 0.2 0 10.0 0.1 0.2 0"),
		commands: []string{"import nccl-tests g.log"}},
	{file: "g.json", most: 4 * mB, head: "{\"version\": \"2.19\", \"a\": {\n", tail: "}}",
		good:     line(`"k%d": [1, 2],`),
		commands: []string{"import nccl-tests g.json"}},
	{file: "x.xml", most: 4 * mB, head: `<system version="1">` + "\n", tail: "</system>",
		good:     line(`<cpu numaid="%d" affinity="ff"/>`),
		commands: []string{"topo import nccl x.xml"}},
	{file: "h.csv", most: 8 * mB, head: "src,dst,src_port,dst_port\n", good: line("10.0.0.1,10.0.0.2,%d,4791"),
		commands: []string{"hash h.csv --links 4 --function crc32"}},
	{file: "m.txt", most: 1 * mB, head: "step.spread 1%\n", good: line("key%d 1"), beside: pod(sends),
		commands: []string{"commission s.yaml -q --measured m.txt"}},
	{file: "n.cfg", most: 4 * mB, head: "hostname leaf1\n", good: line("interface Ethernet1/%d\n  " +
		"description x\n  no shutdown"),
		commands: []string{"lint --dialect nxos n.cfg", "config parse --dialect nxos n.cfg"}},
	{file: "e.cfg", most: 4 * mB, head: "hostname leaf1\n", good: line("interface Ethernet%d\n   " +
		"description x\n   no switchport"),
		commands: []string{"lint --dialect eos e.cfg", "config parse --dialect eos e.cfg"}},
	{file: "j.cfg", most: 4 * mB, head: "set system host-name leaf1\n",
		good:     line("set interfaces et-0/0/%d description x"),
		commands: []string{"lint --dialect junos j.cfg", "config parse --dialect junos j.cfg"}},
	{file: "r.cfg", most: 4 * mB, head: "hostname leaf1\nrouter bgp 65001\n",
		good:     line(" neighbor swp%d interface remote-as external"),
		commands: []string{"lint --dialect frr r.cfg", "config parse --dialect frr r.cfg"}},
	{file: "s.json", most: 4 * mB, head: `{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}}, "PORT": {` +
		"\n", tail: `"E": {}}}`,
		good:     line(`"Ethernet%d": {"speed": "400000"},`),
		commands: []string{"lint --dialect sonic s.json", "config parse --dialect sonic s.json"}},
	{file: "v.cfg", most: 4 * mB, head: "nv set qos roce mode lossless\n",
		good:     line("nv set interface swp%d qos pfc-watchdog"),
		commands: []string{"lint --dialect nvue v.cfg", "config parse --dialect nvue v.cfg"}},
	{file: "l/expect.txt", most: 1 * mB, head: "takes \"1 s\"\ninput a = 1 \"x\"\n",
		good:   line(`formula b%d = a + 1 "y"`),
		beside: map[string]string{"l/README.md": "# A\n\n> What?\n\n{{value a}}\n"}, commands: []string{"lab l"}},
	{file: "l/README.md", most: mB / 4, head: "# A\n\n> What?\n\n", good: line("{{value a}} and %d."),
		beside:   map[string]string{"l/expect.txt": "takes \"1 s\"\ninput a = 1 \"x\"\n"},
		commands: []string{"lab ./l"}},
	{file: "r/run.json", most: 32 * mB, head: `{"state": "complete", "format_version": ` + formatVersion +
		`, "version": "x", "name": "a",` + "\n" +
		`"virtual_time_ps": 1000000000, "flows": [` + "\n", tail: `{"name": "z", "kind": "job"}]}`,
		good: line(`{"name": "flow%d", "kind": "job", "src": "host1/gpu0", "dst": "host2/gpu0", "bytes": 1000, "posted": 1, "done": 1,` +
			"\n" + `"start_ps": 5, "fct_ps": 7, "marks": 0, "cnps": 0, "retransmits": 0, "status": "done",` + "\n" +
			`"path": "host1>rail1>leaf1>spine1>spine2>leaf2>rail2>host2"},`),
		commands: []string{"report r", "explain r", "compare r r --html c.html", "export r", "show timeline r",
			"show events r"}},
	{file: "r/whatif.json", most: 32 * mB, head: `{"format_version": ` + whatIfVersion + `, "changes": [` +
		"\n", tail: `{}]}`,
		good: line(`{"name": "without flow %d", "kind": "flow", "saves_ps": 5, "before_ps": 9, "time_ps": 4, "what": "x"},`),
		beside: map[string]string{"r/run.json": `{"state": "complete", "format_version": ` + formatVersion +
			`, "name": "a"}`},
		commands: []string{"report r"}},
	{file: "r/inside.json", most: 32 * mB, head: `{"format_version": 1, "passes": [{"layers": [` + "\n",
		tail: `{}]}]}`,
		good: line(`{"name": "layer %d", "output": {"of": [1, 2], "values": [[0, 1]]}},`),
		beside: map[string]string{"r/run.json": `{"state": "complete", "format_version": ` + formatVersion +
			`, "name": "a"}`},
		commands: []string{"report r"}},
	{file: "s/sweep.json", most: 64 * mB, head: `{"state": "complete", "version": "x", "name": "a", "rows": [` +
		"\n", tail: `{}]}`,
		good: line(`{"key": "k%d", "seed": %[1]d, "state": "complete"},`), commands: []string{"report s"}},
	{file: "w.safetensors", most: 16 * mB, head: "\xf8\xff\xff\x00\x00\x00\x00\x00{", tail: "}",
		good:     line(`"layers.%d.weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},`),
		commands: []string{"predict w.safetensors a.png"}},
	{file: "i/train-images-idx3-ubyte", most: 64 * mB,
		head: "\x00\x00\x08\x03\x00\x01\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c",
		good: line("%d"), beside: pod("job: {train: {layers: [784, 10], lr: 0.1, batch: 4, epochs: 1, data: i}}"),
		commands: []string{"run s.yaml -q --out o"}},
	{file: "b.json", most: 4 * mB, head: `{"findings": [` + "\n", tail: `{}]}`,
		good:     line(`{"rule": "Q01", "device": "leaf%d", "text": "x"},`),
		beside:   map[string]string{"n.cfg": "hostname leaf1\n"},
		commands: []string{"lint n.cfg --dialect nxos --baseline b.json"}},
	{file: "v.pcapng", most: 64 * mB,
		head: "\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x1c\x00\x00\x00",
		good: line("%d"), commands: []string{"show capture v.pcapng"}},
	{file: "c/a.txt", most: 8 * mB, head: "", good: line("the dog sees %d cats."),
		beside: pod("job: {train: {model: gpt, data: {text: {path: c/a.txt, window: 16}}, batch: 8, epochs: " +
			"1, lr: 0.1}, parallel: {dp: 4}}"),
		commands: []string{"show corpus s.yaml"}},
	{file: "w.yaml", most: 1_000_000, head: "name: w\nbase: s.yaml\naxes:\n", good: line("  - {key: a%d, values: [1, 2]}"),
		beside: pod(sends), commands: []string{"sweep w.yaml -q --out o"}},
	{file: "w.yaml", most: 1_000_000, head: "name: w\nbase: s.yaml\naxes:\n  - key: seed\n    values:\n", good: line("    - %d"),
		beside: pod(sends), commands: []string{"sweep w.yaml --point 1"}},
	{file: "t.csv", most: 4 * mB, head: "operator,shape,microseconds\n", good: line("matmul,1x1x%d,1"),
		beside:   pod("run: {network: formula}\njob: {model: {preset: gpt3-125m, batch: 16, times: t.csv}}"),
		commands: []string{"check ././s.yaml"}},
	{file: "heard.txt", most: 4 * mB, head: "leaf1# show lldp neighbors\nPort Neighbor Device ID Neighbor Port ID TTL\n",
		good: line("Et%d spine1 Ethernet1/1 120"), beside: map[string]string{"n.cfg": "hostname leaf1\n"},
		commands: []string{"lint n.cfg --dialect eos --lldp heard.txt"}},
	{file: "creds", most: 64 * kB, head: "-----BEGIN NATS USER JWT-----\n", good: line("line%d"),
		commands: []string{"worker --nats nats://127.0.0.1:1 --nats-creds creds", "worker --nats nats://127.0.0.1:1 --nats-ca creds"}},
	{file: "d/m.prom", most: 20 * mB, head: "# TYPE node_network_receive_bytes_total counter\n",
		good:     line(`node_network_receive_bytes_total{instance="h%d",device="eth0"} 1 1000`),
		commands: []string{"diagnose d"}},
	{file: "d/s.txt", most: 20 * mB, head: "admin@leaf1:~$ date -Ins\n2026-01-31T10:00:00,250000000+00:00\n" +
		"admin@leaf1:~$ show pfc counters\n    Port Rx    PFC0    PFC1\n-----------  ------  ------\n",
		good: line("Ethernet%-4d       1       2"), commands: []string{"diagnose ./d"}},
	{file: "d/f.json", most: 20 * mB, head: "host1$ cat trace_rank_0\n" + `{"pg_config": {}, "entries": [` + "\n", tail: "{}]}",
		good: line(`{"collective_seq_id": %d, "profiling_name": "nccl:all_reduce"},`), commands: []string{"diagnose d/."}},
	{file: "h/f", most: 32 * mB, head: "# railyard hosts: lspci -vv\n", good: line("%x:00.0 Ethernet controller: x"),
		commands: []string{"hosts show h"}},
}
