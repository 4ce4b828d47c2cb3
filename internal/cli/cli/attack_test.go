//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/study/sweep"
)

// plants are what a stranger's folder may hold in place of a file or a folder. victim is a folder of the user's.
var plants = []struct {
	name  string
	plant func(path, victim string) error
}{
	{"a link to a file", func(path, victim string) error { return os.Symlink(filepath.Join(victim, "file"), path) }},
	{"a link to a new file", func(path, victim string) error { return os.Symlink(filepath.Join(victim, "new"), path) }},
	{"a link to a folder", func(path, victim string) error { return os.Symlink(victim, path) }},
	{"a hard link", func(path, victim string) error { return os.Link(filepath.Join(victim, "file"), path) }},
	{"a named pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o666) }},
	{"a link to itself", func(path, _ string) error { return os.Symlink(filepath.Base(path), path) }},
	{"a link to a device", func(path, _ string) error { return os.Symlink("/dev/zero", path) }},
	{"a sparse giant", func(path, _ string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(100 << 30)
	}},
}

// secret is in the user's file: none of it comes out.
const secret = "correct horse battery staple"

// attacked are commands, and the names that each reads or writes by itself: {run} is the directory of a training with a
// capture, an export and the rest, {sweep} that of a sweep, {tune} of a tuning, {lab} a lab, {data} a folder of images.
var attacked = []struct{ command, names string }{
	{"report run", "run/run.json run/steps.parquet run/flows.parquet run/links.parquet run/queues.parquet " +
		"run/operations.parquet run/paths.parquet run/inside.json run/whatif.json run/report.html"},
	{"export run", "run/hops.parquet run/losses.parquet run/shares.parquet run/gradients.parquet run/csv " +
		"run/csv/flows.csv run/csv/flows.csv.part run/csv/.railyard-lock run/trace.json.gz run/trace.json.gz.part"},
	{"explain run", "run/run.json run/flows.parquet"},
	{"show capture run", "run/capture.pcapng"},
	{"show timeline run", "run/operations.parquet"},
	{"compare run run", "run/run.json run/steps.parquet"},
	{"predict run data/t10k-images-idx3-ubyte:0", "run/weights.safetensors data/t10k-images-idx3-ubyte"},
	{"run --resume run --out new --quiet", "run/weights.safetensors run/checkpoints run/inputs run/inputs/scenario.yaml"},
	{"whatif run --quiet", "run/inputs/scenario.yaml run/whatif.json run/whatif.json.tmp run/.railyard-lock"},
	{"report sweep", "sweep/sweep.json sweep/report.html"},
	{"run flows.yaml --seeds 1..2 --out sweep --quiet", "sweep/rows sweep/rows/KEY.json sweep/sweep.json " +
		"sweep/sweep.json.tmp sweep/.railyard-lock"},
	{"tune flows.yaml -o tune --dialect nxos --quiet", "tune/tune.json tune/tune.json.tmp tune/tune.html tune/runs " +
		"tune/runs/rows tune/runs/rows/KEY.json tune/plots tune/plots/frontier-paused.svg tune/configs " +
		"tune/configs/rail1 tune/configs/rail1/running-config tune/scenario.yaml tune/.railyard-lock"},
	{"lab lab --out new --quiet", "lab/README.md lab/expect.txt lab/scenario.yaml"},
	{"run train.yaml --out new --quiet", "data/digits.json data/train-images-idx3-ubyte data/train-labels-idx1-ubyte " +
		"data/t10k-labels-idx1-ubyte"},
	{"check flows.yaml", "flows.yaml"},
	{"config parse configs/rail1", "configs/rail1/running-config"},
	{"lint configs", "configs/rail1/running-config"},
	{"man pages", "pages/railyard.1"},
	{"report run --html page.html --svg plots", "page.html plots/traffic.svg"},
	{"config render flows.yaml -o empty --dialect nxos", "empty/rail1"},
	{"run flows.yaml --out empty --quiet", "empty/run.json empty/.railyard-lock empty/reserve.part"},
	{"sweep w.yaml --resume named --keep best:1 --quiet", "w.yaml flows.yaml named/runs " +
		"named/runs/point-2-seed-1 named/sweep.json named/sweep.parquet named/rows/KEY.json named/.railyard-lock"},
	{"topo export flows.yaml --as containerlab -o empty",
		"empty/flows.clab.yml empty/rail1 empty/rail1/vtysh.conf empty/.railyard-lock"},
	{"export run --prometheus page.html", "page.html run/series.parquet"},
	{"worker --nats nats://127.0.0.1:1 --nats-creds creds --nats-ca ca", "creds ca"},
	{"sweep w.yaml --out empty --nats nats://127.0.0.1:1 --nats-creds creds --nats-ca ca --quiet",
		"creds ca"},
	{"lint configs --dialect nxos --lldp heard.txt --baseline base.json --scenario flows.yaml",
		"heard.txt base.json flows.yaml"},
	{"lint configs --dialect nxos --prove --scenario flows.yaml --before before", "before before/rail1"},
	{"new page.html --kind incast --force", "page.html"},
	{"docs --html empty", "empty/index.html empty/.railyard-lock"},
	{"design r.yaml -o empty --quiet", "r.yaml empty/scenario.yaml empty/.railyard-lock"},
	{"commission run --quiet --measured m.txt", "run/run.json m.txt"},
	{"topo import nccl x.xml", "x.xml"},
	{"hash h.csv --links 4 --function crc32", "h.csv"},
	{"import nccl-tests n.log --quiet", "n.log"},
	{"import hpcc h --out page.html --force", "page.html h/config.txt h/flow.txt h/topology.txt"},
	{"check topology.yaml", "topology.txt"}, {"check board.yaml", "board.xml"}, {"check times.yaml", "times.csv"},
	{"check schedule.yaml", "schedule.txt"}, {"check network.yaml", "network.txt"},
	{"show corpus grammar.yaml", "grammar.txt"}, {"show corpus corpus.yaml", "corpus.txt"},
	{"whatif run --quiet", "run/inputs run/run.json run/steps.parquet"},
	{"launch train.yaml --out empty --quiet", "empty/run.json empty/.railyard-lock empty/checkpoints train.yaml data/digits.json " +
		"data/train-images-idx3-ubyte data/t10k-labels-idx1-ubyte"},
	{"diagnose told --healthy healthy --quiet", "told/run.json told/telemetry.parquet told/inputs told/inputs/scenario.yaml " +
		"healthy/run.json healthy/telemetry.parquet"},
	{"diagnose told --quiet", "told/run.json told/telemetry.parquet told/inputs/scenario.yaml"},
	{"hosts show gpu1", "gpu1 gpu1/lsmod gpu1/lspci"},
	{"hosts lint gpu1 --scenario flows.yaml --baseline base.json", "gpu1/lsmod flows.yaml base.json"},
	{"lint configs --dialect nxos --hosts gpu1", "gpu1/lsmod gpu1/lspci"},
	{"sweep w.yaml --emit slurm --nats nats://127.0.0.1:1 --out empty", "empty/workers.sbatch empty/.railyard-lock w.yaml flows.yaml"},
	{"sweep w.yaml --emit kubernetes --image a/b:1 --nats nats://127.0.0.1:1 --out empty", "empty/workers.yaml"},
	{"sweep w.yaml --resume named --quiet", "named/costs.parquet"},
	{"run told.yaml --out empty --quiet", "empty/telemetry.parquet told.yaml"},
	{"check told.yaml --local", "told.yaml"},
	{"export told --telemetry empty", "empty/prometheus empty/prometheus/metrics.om empty/prometheus/messages.log empty/commands " +
		"empty/commands/host1.txt empty/.railyard-lock told/telemetry.parquet"},
	{"diagnose dumped/prometheus --names m.names --topology flows.yaml", "dumped/prometheus dumped/prometheus/metrics.om " +
		"dumped/prometheus/messages.log m.names flows.yaml"},
	{"diagnose dumped/commands --healthy dumped/prometheus", "dumped/commands dumped/commands/host1.txt dumped/prometheus/metrics.om"},
	{"launch train.yaml --set job.train.epochs=3 --resume run --out empty --quiet",
		"run/weights.safetensors run/checkpoints run/inputs/scenario.yaml"},
}

// inChild runs the program in a process of its own, which is killed if it hangs.
func inChild(dir string, args ...string) (out []byte, state *os.ProcessState, hung bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Args = append([]string{"railyard"}, args...)
	cmd.Dir = dir
	out, _ = cmd.CombinedOutput()
	return out, cmd.ProcessState, ctx.Err() != nil
}

// stranger are files of every other kind that a command reads.
var stranger = map[string]string{
	"w.yaml":         "name: w\nbase: flows.yaml\naxes: [{key: cluster.nic.speed, values: [100Gb/s, 200Gb/s]}]\nseeds: 1\n",
	"r.yaml":         "name: r\ngpus: 64\nhost: {gpus: 8}\nbackend: {leaf: tomahawk4}\n",
	"creds":          "-----BEGIN NATS USER JWT-----\n",
	"ca":             "-----BEGIN CERTIFICATE-----\n",
	"heard.txt":      "rail1# show lldp neighbors\n",
	"base.json":      `{"findings": []}`,
	"m.txt":          "step.spread 1%\n",
	"m.names":        "my_pause_seconds rx_pause_us port=ifname priority=prio times=1000000 of=switch\n",
	"x.xml":          `<system version="1"><cpu numaid="0" affinity="ff" arch="x86_64"/></system>`,
	"h.csv":          "src,dst,src_port,dst_port\n10.0.0.1,10.0.0.2,49152,4791\n",
	"n.log":          "# nccl-tests version 2.17.4\n",
	"h/config.txt":   "CC_MODE 3\nFLOW_FILE flow.txt\nTOPOLOGY_FILE topology.txt\n",
	"h/flow.txt":     "1\n0 1 3 1000 1 2\n",
	"h/topology.txt": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
	"topology.yaml":  hostilePair + "fabric: {design: custom, topology: topology.txt}\n" + hostileJob,
	"board.yaml":     "name: s\ncluster: {hosts: 2, host: {graph: board.xml}}\n" + hostileJob,
	"times.yaml":     hostilePair + "run: {network: formula}\njob: {model: {preset: gpt3-125m, batch: 16, times: times.csv}}\n",
	"schedule.yaml": hostilePair + "job: {collective: {schedule: schedule.txt}, train: {layers: [784, 10], lr: 0.1, batch: 4, " +
		"epochs: 1, data: {digits: {dir: data, train: 16, test: 4}}}}\n",
	"network.yaml": hostilePair + "job: {train: {model: file, network: network.txt, lr: 0.1, batch: 4, epochs: 1, " +
		"data: {digits: {dir: data, train: 16, test: 4}}}}\n",
	"grammar.yaml": hostilePair + textJob + "grammar: {file: grammar.txt, train: 64, test: 16}}}}, parallel: {dp: 2}}\n",
	"gpu1/lsmod":   "# railyard hosts: lsmod\nModule                  Size  Used by\nmlx5_ib               397312  0\n",
	"gpu1/lspci":   "# railyard hosts: lspci -vv\n17:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n",
	"corpus.yaml":  hostilePair + textJob + "path: corpus.txt}}}, parallel: {dp: 2}}\n",
}

// stage makes the folders that are attacked.
func stage(t *testing.T) string {
	dir := t.TempDir()
	const flows = `cluster: {hosts: 2, host: {gpus: 1}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}
`
	const training = `cluster: {hosts: 2, host: {gpus: 1}}
capture: {links: [host1/rail1]}
output: {gradients: true, series: true, events: true}
job:
  train:
    layers: [784, 10]
    data: {digits: {dir: data, train: 16, test: 4, seed: 3}}
    batch: 4
    epochs: 2
    lr: 0.1
    inside: true
    checkpoint: {every: epoch}
`
	files := maps.Clone(stranger)
	files["flows.yaml"], files["train.yaml"] = flows, training
	files["told.yaml"] = flows + "output: {telemetry: 20us}\n"
	for _, folder := range []string{"h", "gpu1"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"run train.yaml --out run --quiet", "export run", "report run", "whatif run --quiet",
		"run flows.yaml --seeds 1..2 --out sweep --quiet", "report sweep", "tune flows.yaml -o tune --dialect nxos --quiet",
		"lab new lab", "config render flows.yaml -o configs --dialect nxos", "config render flows.yaml -o before --dialect nxos",
		"sweep w.yaml --out named --quiet", "run told.yaml --out told --quiet", "run told.yaml --out healthy --quiet",
		"export told --telemetry dumped"} {
		if out, state, _ := inChild(dir, strings.Fields(command)...); !state.Success() {
			t.Fatalf("%s: %s", command, out)
		}
	}
	for _, folder := range []string{"empty", "pages", "plots"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Whatever a stranger puts at a name that a command reads or writes, the command ends, changes nothing elsewhere, shows
// nothing of what lies elsewhere, and takes no more memory than it needs. Each name has one plant that leads elsewhere
// and one that never ends, in turn; with RAILYARD_ATTACKS=all it has all (a minute).
func TestStrangersFolders(t *testing.T) {
	from := stage(t)
	all := os.Getenv("RAILYARD_ATTACKS") == "all"
	n := 0
	for _, a := range attacked {
		if all { // not in vain: each is a command that reads its files
			attack(t, from, a.command, "untouched", "nothing", func(string, string) error { return nil })
		}
		for name := range strings.FieldsSeq(a.names) {
			for i, p := range plants {
				elsewhere := filing[n%len(filing)]
				if filepath.Ext(name) == "" {
					elsewhere = linkToFolder
				}
				if all || i == elsewhere || i == outside+n%(len(plants)-outside) {
					attack(t, from, a.command, name, p.name, p.plant)
				}
			}
			n++
		}
	}
}

// What railyard serve shows of many run directories, in each of which a stranger put something else at one name, is
// nothing of what lies elsewhere, whatever is asked; it goes on, and ends with Ctrl-C.
func TestServeAmongStrangersRuns(t *testing.T) {
	from := stage(t)
	root, victim := t.TempDir(), t.TempDir()
	kept := filepath.Join(victim, "file")
	writeAll(t, kept, []byte(secret+"\n"))
	var runs []string
	for _, name := range strings.Fields("run.json steps.parquet flows.parquet links.parquet queues.parquet operations.parquet " +
		"paths.parquet series.parquet events.parquet inside.json whatif.json inputs inputs/scenario.yaml") {
		for i, p := range plants {
			if os.Getenv("RAILYARD_ATTACKS") != "all" && i%4 != len(name)%4 {
				continue
			}
			run := fmt.Sprintf("%s-%d", strings.ReplaceAll(name, "/", "-"), i)
			dir := filepath.Join(root, run)
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(from, "run"))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if err := errors.Join(os.RemoveAll(path), p.plant(path, victim)); err != nil {
				t.Fatal(err)
			}
			if p.name != "a hard link" { // is a file like any other
				runs = append(runs, run)
			}
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = []string{"railyard", "serve", "."}, root
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	client := http.Client{Timeout: 2 * time.Minute}
	answered := 0
	ask := func(what string) {
		r, err := client.Get(address + "api/" + what)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s: %v: %.300q", what, err, text)
		}
		if r.StatusCode == http.StatusOK {
			answered++
		}
	}
	ask("runs?most=200")
	for _, run := range runs {
		for _, what := range strings.Fields("run topology tiles series?kind=egress names events marks pauses timeline steps " +
			"flow?flow=1 figures rounds?index=0 report compare") {
			name, rest, _ := strings.Cut(what, "?")
			ask(name + "?run=" + run + "&from=0&until=1000000&" + rest)
		}
	}
	if answered < len(runs) {
		t.Errorf("%d answers of %d runs", answered, len(runs))
	}
	_ = cmd.Process.Signal(os.Interrupt)
	killed := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !killed.Stop() || err != nil {
		t.Errorf("ended with %v", err)
	}
	if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > 700<<10 {
		t.Errorf("it took %d kB", used)
	}
	if left, err := os.ReadDir(victim); err != nil || len(left) != 1 {
		t.Errorf("the user's folder holds %v, %v", left, err)
	}
	t.Logf("%d answers of %d runs", answered, len(runs))
}

// outside is how many plants lead elsewhere; the others never end. filing are those for the name of a file.
const outside, linkToFolder = 4, 2

var filing = []int{0, 1, 3}

func attack(t *testing.T, from, command, name, what string, plant func(path, victim string) error) {
	t.Helper()
	root := t.TempDir()
	dir, victim := filepath.Join(root, "dir"), filepath.Join(root, "victim")
	kept := filepath.Join(victim, "file")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.Mkdir(victim, 0o777),
		os.WriteFile(kept, []byte(secret+"\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries { // those that the command sees
		to := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir():
			err = os.Link(filepath.Join(from, e.Name()), to)
		case slices.Contains(strings.FieldsFunc(command+" "+name+" data", func(r rune) bool { return r == ' ' || r == '/' }),
			e.Name()):
			err = os.CopyFS(to, os.DirFS(filepath.Join(from, e.Name())))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, name)
	if filepath.Base(name) == "KEY.json" {
		rows, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.json"))
		path = rows[0]
	}
	if name == "run/checkpoints" {
		os.Remove(filepath.Join(dir, "run/weights.safetensors"))
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.RemoveAll(path), plant(path, victim)); err != nil {
		t.Fatal(err)
	}
	out, state, hung := inChild(dir, strings.Fields(command)...)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s at %s, railyard %s: %s\n%.600s", what, name, command, fmt.Sprintf(format, args...), out)
	}
	if unknown := []string{"unknown flag", "unknown command", ": missing, want", " wants --", "has no meaning", "no such host",
		"interrupted"}; what == "nothing" && slices.ContainsFunc(unknown, func(s string) bool { return bytes.Contains(out, []byte(s)) }) {
		fail("is no command")
	}
	if what == "nothing" {
		t.Logf("railyard %s: %v: %.200q", command, state, out)
	}
	if hung || !state.Exited() || bytes.Contains(out, []byte("goroutine ")) {
		fail("ended %v, hung %v", state, hung)
	}
	if used := state.SysUsage().(*syscall.Rusage).Maxrss; used > 700<<10 {
		fail("it took %d kB", used)
	}
	if b, err := os.ReadFile(kept); err != nil || string(b) != secret+"\n" {
		fail("the user's file holds %.100q, %v", b, err)
	}
	if left, err := os.ReadDir(victim); err != nil || len(left) != 1 {
		fail("the user's folder holds %v, %v", left, err)
	}
	if bytes.Contains(out, []byte(secret)) && name != "flows.yaml" && what != "a hard link" {
		fail("shows what lies elsewhere")
	}
	os.RemoveAll(root)
}

// The scenario of a run that no worker brings to an end is kept in the sweep's directory, and nowhere else.
func TestDeadLettersStay(t *testing.T) {
	for _, link := range []bool{false, true} {
		root := t.TempDir()
		victim, path := filepath.Join(root, "victim"), filepath.Join(root, "sweep")
		dir, err := sweep.OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		err = os.Mkdir(victim, 0o777)
		if link {
			err = errors.Join(err, os.Symlink(victim, filepath.Join(path, "dead")))
		}
		if err != nil {
			t.Fatal(err)
		}
		said := deadLetter(dir, "key", "name: a\n")
		kept, _ := os.ReadFile(filepath.Join(path, "dead", "key.yaml"))
		if left, err := os.ReadDir(victim); err != nil || len(left) > 0 {
			t.Errorf("the user's folder holds %v, %v", left, err)
		}
		if link != strings.Contains(said, "dead is a link, want a folder") || link == (string(kept) == "name: a\n") {
			t.Errorf("link %v: said %q, kept %q", link, said, kept)
		}
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	}
}

// general makes one name of those that differ in a number or a digest.
func general(name string) string {
	for _, r := range []struct{ pattern, by string }{
		{`^\.railyard-[A-Z0-9]{26}`, ".railyard-RANDOM"}, {`[0-9a-f]{32,64}`, "KEY"}, {`[0-9]+`, "N"},
	} {
		name = regexp.MustCompile(r.pattern).ReplaceAllString(name, r.by)
	}
	return name
}

// Every name that the scripts have commands read or write, by a trace of their system calls (.ci/names), is attacked,
// or is one that a user gives.
func TestNames(t *testing.T) {
	known := map[string]bool{}
	for _, a := range attacked {
		for word := range strings.FieldsSeq(a.names + " " + a.command) {
			for part := range strings.SplitSeq(word, "/") {
				known[general(part)] = true
			}
		}
	}
	words := regexp.MustCompile(`[^\s/=,:'"\\{}]+`)
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error { // the scripts here and of each command
		folder := filepath.Dir(path)
		if err != nil || filepath.Ext(path) != ".txt" || filepath.Base(filepath.Dir(folder)) != "testdata" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, w := range words.FindAllString(string(text), -1) {
			known[general(w)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(text))
	if len(names) < 100 || !slices.Contains(names, "run.json") {
		t.Fatalf("%d names: want those of all scripts", len(names))
	}
	for _, n := range names {
		if !known[n] && !slices.ContainsFunc(families, func(f struct{ pattern, why string }) bool {
			return regexp.MustCompile(f.pattern).MatchString(n)
		}) {
			t.Errorf("%s: a command reads or writes it, and no attack is made there: add it to attacked", n)
		}
	}
}

// families are names that stand for many: those of a family are read and written by the same code, and one is attacked;
// or no stranger's file can be there.
var families = []struct{ pattern, why string }{
	{`^railyard-.*\.N$`, "manual pages: as railyard.1"},
	{`^[a-z]+\.csv$`, "tables of an export: as flows.csv"},
	{`^shapes\.json$`, "the record of a data set: as digits.json"},
	{`^topology\.txt$`, "a copy in inputs: as scenario.yaml, and TestInputsThatLeadOut"},
	{`^two-flows\.csv$`, "a file that the user names, and two beside it: as page.html"},
	{`\.svg$`, "plots: as traffic.svg and frontier-paused.svg"},
	{`^[a-z]+\.parquet$`, "tables: as flows.parquet"},
	{`^[a-z]+\.N\.parquet(\.early)?(\.part)?$|^capture\.pcapng\.part$`, "made exclusively, in a folder that was empty and is held"},
	{`^\.railyard-RANDOM|^\.tmp$`, "made exclusively under a name that nobody can foresee"},
	{`-N$`, "folders that are made exclusively: the next free number, or a temporary one"},
}
