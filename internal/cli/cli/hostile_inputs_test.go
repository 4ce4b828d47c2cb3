package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
)

// All strings in each input: a minute.
var allHostile = flag.Bool("hostile", false,
	"TestHostileInputs tries every hostile string in every input, not two in turn")

// mark stands where a hostile string goes.
const mark = "@@"

// marked is what a page must not hold: it would be an element.
const marked = "<b id=hostile>"

// hostileStrings are the strings one by one, with what ends a script, a text of SVG, a label of Graphviz.
var hostileStrings = append(append([]string{}, hostile...), "</script>"+marked, `"]; x [label="`+marked,
	"]]>"+marked, "--></style>"+marked)

// A hostileInput is files of a kind that hold a string of a stranger's, and what reads them.
type hostileInput struct {
	files    map[string]string
	commands []string
}

const (
	hostileJob  = "job: {collectives: [{op: all-reduce, bytes: 64kB}]}\n"
	hostilePair = "name: s\ncluster: {hosts: 2, host: {gpus: 1}}\n"
	textJob     = "job: {train: {model: gpt, lr: 0.1, batch: 4, epochs: 1, data: {text: {window: 16, "
)

// datedPrompt is a prompt that says when what follows was printed.
const datedPrompt = "a# date -Ins\n2026-01-31T10:00:00Z\n"

func one(name, text string, commands ...string) hostileInput {
	return hostileInput{map[string]string{name: text}, commands}
}

func with(scenario string, name, text string, commands ...string) hostileInput {
	return hostileInput{map[string]string{"s.yaml": hostilePair + scenario, name: text}, commands}
}

// hostileInputs are all kinds of input: TestHostileInputs says where a command or a key of a scenario that names a file
// is missing.
var hostileInputs = []hostileInput{
	one("a.yaml", hostilePair+"job: {flows: [{name: \"x@@\", from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n",
		"check a.yaml",
		"run a.yaml -q --out o", "tune a.yaml -o t --dialect nxos -q", "show plan a.yaml", "show dag a.yaml",
		"show placement a.yaml",
		"show topo a.yaml", "show memory a.yaml", "hash a.yaml"),
	one("w.yaml", "name: \"x@@\"\nbase: \"@@\"\naxes: [{key: \"@@\", values: [\"@@\"], when: \"@@ = 1\"}, {key: "+
		"name, range: \"@@\"}]\n"+
		"where: [\"@@ > 1\", \"1 < 2 @@\"]\nseeds: \"@@\"\nfind: {smallest: \"@@\", range: 1..2, with: \"@@ == "+
		"0\"}", "sweep w.yaml"),
	one("w.yaml", "scenario:\n  name: s\n  cluster: {hosts: 2, host: {gpus: 1}}\n  "+hostileJob+
		"axes: [{key: name, values: [\"@@\", b]}]\n",
		"sweep w.yaml -q --out o", "report o", "report o --json", "sweep w.yaml --point 1", "sweep w.yaml --keep @@:1"),
	one("w.yaml", "scenario:\n  name: s\n  cluster: {hosts: 2, host: {gpus: 1}}\n  "+hostileJob+
		"find: {smallest: seed, range: 1..3, with: \"drops == 0 or @@ > 1\"}\n",
		"sweep w.yaml -q --out o"),
	one("w.yaml", "name: s\nbase: s.yaml\nseeds: 1", "worker --nats @@", "worker --nats nats://127.0.0.1:1 --name @@ --memory @@",
		"worker --nats nats://127.0.0.1:1 --nats-creds @@", "sweep w.yaml --nats @@",
		"sweep w.yaml --nats nats://h:1 --nats-creds @@ --emit slurm --out e",
		"sweep w.yaml --nats nats://h:1 --emit kubernetes --image @@ --out e",
		"sweep w.yaml --nats embedded --listen @@ --nats-creds token"),
	one("h/f", "# railyard hosts: uname -r\n5.15.0\n# exit 0\n# railyard hosts: @@\n@@\n# exit 0\n# railyard hosts: "+
		"rdma link\nlink @@/1 netdev @@\n"+
		"# railyard hosts: env\nNCCL_@@=@@\n", "hosts show h", "hosts show h --json", "hosts collect",
		"hosts lint h", "hosts lint h --json", "hosts lint h --format sarif", "hosts lint h --map @@", "hosts lint h --map h=@@"),
	one("h/f", "# railyard hosts: lspci -D -vv\n0000:17:00.0 3D controller: @@ GH100\n\tNUMA node: 0\n# exit 0\n"+
		"# railyard hosts: sysfs\n/sys/class/infiniband/@@/device -> ../../../0000:17:00.0\n# exit 0\n"+
		"# railyard hosts: lscpu\nVendor ID: @@\n", "hosts board h", "hosts show h", "hosts lint h"),
	one("a.yaml", hostilePair+hostileJob, "hosts expect a.yaml", "hosts expect a.yaml --host @@", "hosts expect @@",
		"hosts expect a.yaml --json"),
	one("a.yaml", hostilePair+"# @@\nfoo@@: 1\n"+hostileJob, "check a.yaml", "show scenario a.yaml",
		"commission a.yaml"),
	one("a.txt", "lose:@@", "rdma client @@ 127.0.0.1", "rdma client write_bw @@ --faults a@@", "rdma server --addr @@",
		"rdma show @@ --json", "rdma ping @@", "rdma ping --listen --addr @@", "rdma ping @@ --faults a@@"),
	one("a.yaml", "name: \"a@@\"\ncluster: {hosts: \"@@\"}\n", "check a.yaml", "perf all_reduce a.yaml",
		"topo survey a.yaml",
		"show groups a.yaml", "show inventory a.yaml", "show timeline a.yaml", "show rib a.yaml leaf1",
		"config render a.yaml -o c --dialect eos"),
	one("a.yaml", hostilePair+hostileJob, "check a.yaml --set name=@@", "check a.yaml --set @@=1",
		"run a.yaml --out o@@ -q",
		"show scenario a.yaml --set job.collectives.0.op=@@", "run a.yaml --seeds @@",
		"report o@@ --html h@@.html", "explain o@@",
		"show host @@", "list @@", "help @@", "config render a.yaml -o @@ --dialect nxos", "man @@", "@@",
		"check --@@", "lab @@",
		"compare o@@ p@@", "whatif o@@", "export o@@", "predict o@@ @@", "show rib a.yaml @@", "schema @@",
		"completion @@",
		"topo export a.yaml --as @@", "data digits --dir @@ --train @@", "data shapes --dir @@ --test @@",
		"bench --@@", "validate @@", "version @@", "bench train @@", "serve nowhere@@", "serve . --addr @@", "docs --html d@@",
		"diagnose o@@", "diagnose o@@ --healthy h@@ -q", "launch a@@.yaml", "launch a.yaml --transport @@",
		"launch a.yaml --rdzv @@ --nnodes 2", "launch a.yaml --kernel @@ --timeout @@", "launch-rank @@",
		"new n@@.yaml --kind incast", "new n.yaml --kind @@", "new n.yaml --hosts @@ --speed @@"),
	one("r.yaml", "name: \"a@@\"\ngpus: 64\nhost: {gpus: 8}\nfoo@@: \"@@\"\n", "design r.yaml"),
	with("job: {flows_csv: f.csv}\n", "f.csv", "name,from,to,bytes\na@@,host1/gpu0,host2/gpu0,1kB\n", "check s.yaml",
		"run s.yaml -q --out o", "report o --svg svg", "export o", "export o --prometheus m.om", "explain o a@@", "whatif o -q",
		"show timeline o", "show events o"),
	with("run: {network: formula}\njob: {model: {preset: gpt3-125m, batch: 16, times: t.csv}}\n", "t.csv",
		"operator,shape,microseconds\nmatmul,@@,1\n@@,1,@@\n", "check s.yaml"),
	with("job: {flows_csv: f.csv}\n", "f.csv", "name,from,to,bytes\na,host1/gpu0@@,host2@@,1kB@@\n", "check s.yaml"),
	one("c.txt", "counts ranks 2 bytes 4\n1 2@@\n@@ 3 # @@\n", "perf alltoall --gpus 2 --counts c.txt -q",
		"perf alltoall --gpus 2 --counts @@", "perf alltoall --gpus 2 --counts c.txt --exit @@"),
	with("fabric: {design: custom, topology: t.txt}\n"+hostileJob, "t.txt",
		"switch s@@\nhost host1\nhost host2\nlink host1 s@@ 400Gb/s 20m # @@\n",
		"check s.yaml", "topo export s.yaml --as containerlab -o lab", "topo export s.yaml --as dot",
		"topo export s.yaml --as mermaid",
		"topo export s.yaml --as json"),
	with("fabric: {design: custom, topology: t.txt}\n"+hostileJob, "t.txt",
		"switch s1\nhost host1\nhost host2\nlink host1 s1 @@ 20m\n@@ x\n", "check s.yaml"),
	with("fabric: {config: c}\n"+hostileJob, "c/leaf1",
		"hostname x@@\ninterface Ethernet1/1\n  description @@\n@@\n", "check s.yaml",
		"lint c/leaf1 --dialect nxos --format sarif", "lint c/leaf1 --dialect nxos --format json",
		"config parse c/leaf1 --dialect nxos",
		"config parse c/leaf1 --dialect nxos --json", "config diff c/leaf1 c/leaf1 --dialect nxos"),
	one("b.json", `{"findings": [{"rule": "Q01", "device": "@@", "text": "@@"}], "@@": 1}`,
		"lint b.json --baseline b.json --dialect sonic"),
	one("c.cfg", "set system host-name x@@\nset interfaces et-0/0/0 description \"@@\"\nset @@\n",
		"lint c.cfg --dialect junos",
		"config parse c.cfg --dialect junos", "lint c.cfg --dialect frr", "lint c.cfg --dialect eos",
		"lint c.cfg --dialect nvue"),
	with("job: {train: {model: file, network: n.txt, lr: 0.1, batch: 4, epochs: 1, data: {digits: {train: 16, test: "+
		"4, dir: d}}}}\n",
		"n.txt", "image 1x28x28\n# @@\n@@: dense units=10@@\n", "show model s.yaml"),
	with("job: {collective: {schedule: s.txt}, collectives: [{op: all-reduce, bytes: 1kB}]}\n", "s.txt",
		"schedule x@@\nranks 2\nchannels 1\n@@ send\n", "check s.yaml", "show schedule s.yaml"),
	with("", "s.yaml", "name: s\ncluster: {hosts: 2, host: {graph: x.xml}}\n"+hostileJob, "check s.yaml"),
	one("x.xml",
		`<system version="1"><cpu numaid="0" affinity="@@" arch="@@"><pci busid="@@" class="0x030200@@"/></cpu></system>`,
		"topo import nccl x.xml", "show host x.xml"),
	with(textJob+"path: c}}}, parallel: {dp: 2}}\n", "c", strings.Repeat("the dog @@ sees a cat. ", 60),
		"show corpus s.yaml"),
	with(textJob+"grammar: {file: g.txt, train: 64, test: 16}}}}, parallel: {dp: 2}}\n", "g.txt",
		"Sentence -> the dog@@ sleeps . | the cat @@ sleeps .\n", "show corpus s.yaml", "run s.yaml -q --out o",
		"predict o the"),
	with("job: {train: {layers: [784, 10], lr: 0.1, batch: 4, epochs: 1, data: {images: {dir: i}}}}\n",
		"i/train-images-idx3-ubyte", "@@",
		"check s.yaml", "run s.yaml -q --out o"),
	with("job: {train: {layers: [784, 10], lr: 0.1, batch: 4, epochs: 1, data: i@@}}\n", "i/x", "@@",
		"check s.yaml", "run s.yaml -q --out o"),
	with("job: {train: {layers: [784, 10], lr: 0.1, batch: 4, epochs: 1, data: {digits: {dir: d, train: 16, test: "+
		"4}}}}\n", "d/digits.json",
		`{"kind": "@@", "train": 16, "@@": 1}`, "run s.yaml -q --out o"),
	one("p.pgm", "P2 # @@\n2 1 255 0 @@", "predict nowhere p.pgm"),
	one("w.safetensors",
		"\x40\x00\x00\x00\x00\x00\x00\x00"+`{"__metadata__":{"name":"@@"},"@@":{"dtype":"@@","shape":[1]}}          `,
		"predict w.safetensors p.pgm"),
	{map[string]string{"h/config.txt": "CC_MODE 3\nFLOW_FILE flow.txt\nTOPOLOGY_FILE topology.txt\n@@ 1\n",
		"h/flow.txt":     "1\n0 1 3 @@ 1 2\n",
		"h/topology.txt": "3 1 2\n2\n0 2 100Gbps@@ 1us 0\n1 2 100Gbps 1us 0\n"}, []string{"import hpcc h --out o"}},
	one("n.log", "# nccl-tests version 2@@\n# @@\n  1024  256  float@@  sum  -1  10.0  0.1  0.2  0\n",
		"import nccl-tests n.log"),
	one("n.json", `{"version": "@@", "config": {"@@": ["@@"]}, "results": [{"size": "@@"}]}`,
		"import nccl-tests n.json"),
	one("f.csv", "src,dst,src_port,dst_port\n10.0.0.1@@,@@,1,4791\n", "hash f.csv --links 4 --function crc32"),
	one("d/x", "@@{device=\"@@\"} 1\nnode_network_up{device=\"@@\",instance=\"a@@\"} 1 1000\n@@", "diagnose d", "diagnose d --json",
		"diagnose d --names d/x", "diagnose d --topology d/x"),
	one("d/x", "a$ date -Ins\n2026-01-31T10:00:00Z\na$ show pfc @@\nPort Rx  PFC0  @@\n"+
		"-------  ----  ---------------------------------------\n    @@\na$ ethtool -S @@\nNIC statistics:\n  @@: 5\n  x@@\na$ @@",
		"diagnose d", "diagnose d --json"),
	one("d/x", "a# show lldp neighbors\nPort   Neighbor Device ID   Neighbor Port ID   TTL\nEt1    @@\n", "diagnose d",
		"diagnose d --topology d/x"),
	one("d/x", datedPrompt+"a# show interface counters\nPort InOctets @@\n@@ @@\n", "diagnose d", "diagnose d --json"),
	one("d/x", datedPrompt+"a# show interfaces status\nPort Name Status Vlan Duplex Speed Type\n@@\n", "diagnose d"),
	one("d/x", datedPrompt+"a# show queuing interface\nEgress Queuing for @@\n| QOS GROUP 3 |\n| Tx Pkts | @@|\n| @@ | 1|\n", "diagnose d"),
	one("d/x", datedPrompt+"a# nv show interface -o json\n{\"@@\": {\"link\": {\"@@\": \"@@\", \"speed\": \"@@\"}}}\n", "diagnose d"),
	one("d/x", datedPrompt+"a# ncclras -f json\n{\"communicators\": [{\"hash\": \"@@\", \"ranks\": [{\"rank\": 0, \"host\": \"@@\", "+
		"\"collective_counts\": {\"@@\": 1}}]}]}\n", "diagnose d", "diagnose d --json"),
	one("d/x", "topology:\n  links:\n    - endpoints: [@@]\n", "diagnose d", "diagnose d --topology d/x"),
	one("d/x", "2026-01-31T10:00:00Z a NCCL @@\n2026-01-31T10:00:00Z b@@ PFC Watchdog detected @@\n", "diagnose d", "diagnose d --json"),
	one("d/x", "a$ cat x_rank_1\n"+`{"pg_config": {"@@": {}}, "entries": [{"@@": 1, "profiling_name": "@@", "process_group": ["@@"], `+
		`"collective_seq_id": 1, "time_discovered_started_ns": 1}]}`+"\n@@", "diagnose d", "diagnose d --json",
		"diagnose @@ --names @@ --topology @@", "export @@ --telemetry @@"),
	one("m.txt", "step.spread 1%\n@@ 5\nlinks.@@ 1\n", "commission m.txt --measured m.txt"),
	{map[string]string{"l/README.md": "# A @@\n\n> What @@?\n\n{{value a}} @@ {{@@}}\n",
		"l/expect.txt":    "takes \"1 s @@\"\ninput a = 1 \"x@@\"\n",
		"l/scenario.yaml": "name: \"@@\"\n"}, []string{"lab l --out lo"}},
	{map[string]string{"l/README.md": "# A @@\n\n> What @@?\n\n{{value a}} @@ <script>\n",
		"l/expect.txt": "takes \"1 s\"\ninput a = 1 \"x@@\"\n"},
		[]string{"lab l --out lo -q"}},
	one("v.pcapng", "\x0a\x0d\x0d\x0a@@", "show capture v.pcapng"),
}

// Whatever a stranger wrote into a file of any kind, or stands on the command line: nothing of it is obeyed by a terminal,
// a browser or an editor, wherever it comes out.
func TestHostileInputs(t *testing.T) {
	took, left := 0, 0 // commands that took what they were given, files that they left
	for n, in := range hostileInputs {
		for k, bad := range hostileStrings {
			if !*allHostile && k%8 != (n*5+3)%8 {
				continue
			}
			dir := t.TempDir()
			before := map[string]bool{}
			for name, text := range in.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				writeAll(t, path, []byte(strings.ReplaceAll(text, mark, bad)))
				before[name] = true
			}
			for _, command := range in.commands {
				args := strings.Split(command, " ")
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], mark, bad)
				}
				code, out := ranIn(t, dir, args...)
				if code == call.OK {
					took++
				}
				if where := obeys(out); where != "" {
					t.Errorf("%+q, %s: prints %q", bad, command, where)
				}
			}
			where, files := leftObeyed(t, dir, before)
			if left += files; where != "" {
				t.Errorf("%+q, %v: %s", bad, in.commands, where)
			}
		}
	}
	if took < 20 || left < 20 {
		t.Errorf("%d commands took their input, and left %d files: nearly all was refused", took, left)
	}
	t.Logf("%d commands took their input, and left %d files", took, left)
}

// leftObeyed returns where a file that commands left, and that is none of those before, would be obeyed.
func leftObeyed(t *testing.T, dir string, before map[string]bool) (where string, files int) {
	t.Helper()
	kinds := []string{".html", ".svg", ".csv", ".json", ".sarif", ".gz", ".md"}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || e.IsDir() || before[name] || !slices.Contains(kinds, filepath.Ext(path)) ||
			strings.Contains(name, "inputs"+string(filepath.Separator)) || filepath.Base(name) == "README.md" {
			return err // copies of what the user gave are as they were
		}
		files++
		b, err := os.ReadFile(path)
		if err == nil && filepath.Ext(path) == ".gz" {
			b = unpacked(t, b)
		}
		page := slices.Contains([]string{".html", ".svg"}, filepath.Ext(path))
		if at := obeys(string(b)); at != "" {
			where = fmt.Sprintf("%s: %q", name, at)
		} else if page && bytes.Contains(b, []byte(marked)) {
			where = name + ": an element of a stranger's"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return where, files
}

func unpacked(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	b, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// No command and no key of a scenario that names a file is missing among the inputs.
func TestHostileInputsAreAll(t *testing.T) {
	var all strings.Builder
	for _, in := range hostileInputs {
		for _, c := range in.commands {
			all.WriteString("\n" + c + " ")
		}
		for _, text := range in.files {
			all.WriteString(text)
		}
	}
	var walk func(c *cobra.Command, path string)
	walk = func(c *cobra.Command, path string) {
		if c.Runnable() && path != "" && !strings.Contains(all.String(), "\n"+path+" ") {
			t.Errorf("railyard %s: no hostile input: add it to hostileInputs", path)
		}
		for _, sub := range c.Commands() {
			walk(sub, strings.TrimSpace(path+" "+sub.Name()))
		}
	}
	walk((&app{}).root(), "")
	_, text := railyard("schema", "scenario")
	var schema any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{} // key: pattern of its value
	var keys func(v any)
	keys = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if p, ok := patternOf(e); ok {
					paths[k] = p
				}
				keys(e)
			}
		case []any:
			for _, e := range v {
				keys(e)
			}
		}
	}
	keys(schema)
	n := 0
	for key, pattern := range paths {
		if pattern == paths["topology"] && paths["topology"] != "" {
			n++
			if !strings.Contains(all.String(), key+": ") {
				t.Errorf("key %s of a scenario names a file: no hostile input has it", key)
			}
		}
	}
	if n < 3 {
		t.Errorf("%d keys that name files were found in the schema: %v", n, paths)
	}
}

// patternOf returns the pattern of a key's texts in a schema, beside words that it may have.
func patternOf(key any) (string, bool) {
	k, _ := key.(map[string]any)
	forms, _ := k["anyOf"].([]any)
	for _, form := range append(forms, key) {
		if f, ok := form.(map[string]any); ok && f["pattern"] != nil {
			return fmt.Sprint(f["pattern"]), true
		}
	}
	return "", false
}

// What stands in what a command left in a directory, and a stranger changed, is shown: JSON, captures.
func TestHostileDirectories(t *testing.T) {
	root := t.TempDir()
	writeAll(t, filepath.Join(root, "t.yaml"), []byte(`cluster: {hosts: 2, host: {gpus: 1}}
capture: {links: [host1/rail1]}
job: {train: {layers: [784, 10], lr: 0.1, data: {digits: {dir: d, train: 16, test: 4}}, batch: 8, epochs: 1,
  inside: true}}
`))
	for _, c := range []string{"run t.yaml --out run -q", "whatif run -q", "run t.yaml --seeds 1..2 --out sweep -q"} {
		if code, out := ranIn(t, root, strings.Fields(c)...); code != call.OK {
			t.Fatalf("%s: %s", c, out)
		}
	}
	n := 0
	for _, target := range []struct {
		file     string
		commands []string
	}{
		{"run/whatif.json", []string{"report run", "explain run", "compare run run"}},
		{"run/inside.json", []string{"report run"}},
		{"sweep/sweep.json", []string{"report sweep --svg sweep/svg", "report sweep --json"}},
		{"sweep/rows", []string{"run t.yaml --seeds 1..2 --out sweep -q"}},
		{"run/capture.pcapng", []string{"show capture run"}},
	} {
		path := filepath.Join(root, target.file)
		if filepath.Base(path) == "rows" {
			rows, _ := filepath.Glob(filepath.Join(path, "*.json"))
			path = rows[0]
		}
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for k, bad := range hostileStrings {
			if !*allHostile && k%5 != 2 {
				continue
			}
			if filepath.Ext(path) == ".json" {
				changeJSON(t, path, func(v map[string]any) {
					i := 0
					textsOf(v, func(text string, set func(string)) {
						if i++; text != "complete" && (i+k)%2 == 0 {
							set(text + bad)
						}
					})
				})
			} else {
				writeAll(t, path, bytes.ReplaceAll(good, []byte("host1"), []byte((bad + ".....")[:5])))
			}
			for _, c := range target.commands {
				n++
				if _, out := ranIn(t, root, strings.Fields(c)...); obeys(out) != "" {
					t.Errorf("%+q in %s, %s: prints %q", bad, target.file, c, obeys(out))
				}
			}
			if where, _ := leftObeyed(t, root, map[string]bool{}); where != "" && !strings.HasPrefix(where,
				target.file) {
				t.Errorf("%+q in %s: %s", bad, target.file, where)
			}
			writeAll(t, path, good)
		}
	}
	if n < 20 {
		t.Errorf("%d commands", n)
	}
}
