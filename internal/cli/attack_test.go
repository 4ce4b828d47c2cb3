//go:build linux

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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

// stage makes the folders that are attacked.
func stage(t *testing.T) string {
	dir := t.TempDir()
	const flows = `cluster: {hosts: 2, host: {gpus: 1}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}
`
	const training = `cluster: {hosts: 2, host: {gpus: 1}}
capture: {links: [host1/rail1]}
output: {gradients: true}
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
	for name, text := range map[string]string{"flows.yaml": flows, "train.yaml": training} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"run train.yaml --out run --quiet", "export run", "report run", "whatif run --quiet",
		"run flows.yaml --seeds 1..2 --out sweep --quiet", "report sweep", "tune flows.yaml -o tune --dialect nxos --quiet",
		"lab new lab", "config render flows.yaml -o configs --dialect nxos"} {
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
	if err := errors.Join(os.RemoveAll(path), plant(path, victim)); err != nil {
		t.Fatal(err)
	}
	out, state, hung := inChild(dir, strings.Fields(command)...)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s at %s, railyard %s: %s\n%.600s", what, name, command, fmt.Sprintf(format, args...), out)
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
	err := filepath.WalkDir("testdata", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txt" || filepath.Dir(path) == "testdata" {
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
