package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"railyard/internal/base/shown"
	"railyard/internal/cli/cli/call"
)

// inFolder runs a command line in a folder, and returns all that it printed.
func ranIn(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	t.Chdir(dir)
	var b bytes.Buffer
	a := &app{App: &call.App{Stdin: strings.NewReader(""), Stdout: &b, Stderr: &b, Start: time.Now()}, engine: wired()}
	return a.execute(args), b.String()
}

const printedPod = "name: pod\ncluster: {hosts: 4}\njob: {collectives: [{op: all-reduce, bytes: 64kB}]}\n"

// A reader is a command that reads a file of a user's; FILE stands for it. Files are made beside it.
type reader struct {
	args  string
	files map[string]string // in which FILE stands for its name, and TEXT for its text
}

func scenarioNaming(lines string) map[string]string {
	return map[string]string{"s.yaml": "name: s\ncluster: {hosts: 4}\n" + lines + "\n"}
}

// readers are all commands' arguments that are people's files.
var readers = []reader{
	{args: "check FILE"}, {args: "run FILE"}, {args: "show scenario FILE"}, {args: "show plan FILE"}, {args: "show model FILE"},
	{args: "show memory FILE"}, {args: "show inventory FILE"}, {args: "show groups FILE"}, {args: "show rib FILE"},
	{args: "show schedule FILE"}, {args: "show corpus FILE"}, {args: "show host FILE"}, {args: "tune FILE"}, {args: "hash FILE"},
	{args: "commission FILE"}, {args: "config render FILE --dialect nxos"}, {args: "topo export FILE"}, {args: "topo survey FILE"},
	{args: "design FILE"}, {args: "predict FILE p.png"}, {args: "run p.yaml --resume FILE"},
	{args: "commission p.yaml -q --measured FILE"}, {args: "lint FILE"}, {args: "config parse FILE"},
	{args: "lint r.cfg --lldp FILE", files: map[string]string{"r.cfg": "hostname r\nfeature bgp\n"}},
	{args: "lint --dialect nxos FILE"}, {args: "lint --dialect sonic FILE"}, {args: "lint --dialect eos FILE"},
	{args: "config parse --dialect nxos FILE"}, {args: "config parse --dialect eos FILE"},
	{args: "config parse --dialect junos FILE"}, {args: "config parse --dialect frr FILE"},
	{args: "config parse --dialect sonic FILE"}, {args: "config parse --dialect nvue FILE"},
	{args: "config diff --dialect nxos FILE FILE"}, {args: "import nccl-tests FILE"}, {args: "hash flows.csv --links 4 --function crc32",
		files: map[string]string{"flows.csv": "TEXT"}},
	{args: "check s.yaml", files: scenarioNaming("job: {flows_csv: FILE}")},
	{args: "check s.yaml", files: scenarioNaming("job: {model: {preset: gpt3-125m, batch: 32, times: FILE}}")},
	{args: "check s.yaml", files: scenarioNaming("fabric: {topology: FILE}\njob: {collectives: [{op: all-reduce, bytes: 1MB}]}")},
	{args: "check s.yaml", files: scenarioNaming("job: {train: {network: FILE, data: {digits: {train: 64, test: 10}}, batch: 8}}")},
	{args: "check s.yaml", files: scenarioNaming("job: {collective: {schedule: FILE}, collectives: [{op: all-reduce, bytes: 1MB}]}")},
	{args: "check s.yaml", files: scenarioNaming("cluster: {host: {topology: FILE}}")},
	{args: "check s.yaml", files: map[string]string{"c/leaf1": "TEXT", "c/leaf2": "TEXT", "s.yaml": "name: s\ncluster: {hosts: 4}\n" +
		"fabric: {config: c}\njob: {collectives: [{op: all-reduce, bytes: 1MB}]}\n"}},
	{args: "run s.yaml -q", files: map[string]string{"i/train-images-idx3-ubyte": "TEXT", "i/train-labels-idx1-ubyte": "TEXT",
		"i/t10k-images-idx3-ubyte": "TEXT", "i/t10k-labels-idx1-ubyte": "TEXT", "s.yaml": "name: s\ncluster: {hosts: 4}\n" +
			"job: {train: {model: mlp, layers: [784, 10], lr: 0.1, data: i, batch: 1, epochs: 1}}\n"}},
	{args: "check s.yaml", files: scenarioNaming("job: {train: {model: gpt, lr: 0.1, data: {text: {path: FILE, window: 16}}, " +
		"batch: 1, epochs: 1}}")},
	{args: "check s.yaml", files: scenarioNaming("job: {train: {model: gpt, lr: 0.1, data: " +
		"{text: {grammar: {file: FILE, train: 64, test: 8}, window: 16}}, batch: 1, epochs: 1}}")},
	{args: "lab d", files: map[string]string{"d/expect.txt": "TEXT", "d/lab.md": "TEXT", "d/scenario.yaml": "TEXT"}},
	{args: "report d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "report d", files: map[string]string{"d/table.json": "TEXT"}},
	{args: "compare d d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "explain d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "whatif d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "export d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "show timeline d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "show events d", files: map[string]string{"d/run.json": "TEXT"}},
	{args: "import hpcc d", files: map[string]string{"d/config.txt": "TEXT", "d/flow.txt": "TEXT", "d/topology.txt": "TEXT"}},
}

// lay makes the files of a reader, and returns its command line.
func (r *reader) lay(t *testing.T, dir, name, text string) []string {
	t.Helper()
	put := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		writeAll(t, path, []byte(text))
	}
	put(name, text)
	put("p.yaml", printedPod)
	for file, of := range r.files {
		put(file, strings.NewReplacer("FILE", name, "TEXT", text).Replace(of))
	}
	return strings.Fields(strings.ReplaceAll(r.args, "FILE", name))
}

// A file that is named by mistake shows none of its words, whoever reads it.
func TestSecretsAreNotShown(t *testing.T) {
	secrets := map[string]string{
		"id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nhunter2/SECRET+x==\n" +
			"-----END OPENSSH PRIVATE KEY-----\n",
		".env":        "# SECRET\nSECRET=hunter2\nDB_PASSWORD: hunter2\nexport TOKEN=\"SECRET\"\nhunter2,SECRET,9\n",
		"words.txt":   "hunter2 12 34\nSECRET hunter2\n\tSECRET\n",
		"shadow.json": `{"SECRET": {"hunter2": ["SECRET", 1]}}`,
		"dump.sql":    strings.Repeat("INSERT (SECRET, hunter2); ", 6000) + "\n",
		"latin.txt":   "hunter2 caf\xe9\nSECRET\n",
		"core":        "hunter2\x00\x01\nSECRET \"\n" + strings.Repeat("hunter2\n", 9000),
		"kube.yaml":   "apiVersion: v1\nkind: Secret\ndata:\n  SECRET: hunter2\n  name: hunter2\n",
	}
	for name, text := range secrets {
		for _, r := range readers {
			dir := t.TempDir()
			_, out := ranIn(t, dir, r.lay(t, dir, name, text)...)
			for _, word := range []string{"SECRET", "hunter2", "b3Blbn", "OPENSSH"} {
				if strings.Contains(out, word) {
					t.Errorf("%s, %s, %v: shows %s:\n%.600s", name, r.args, r.files, word, out)
					break
				}
			}
		}
	}
}

// hostile are what terminals obey and editors hide: OSC, CSI of seven and of eight bits, BEL,
// directions, DEL, separators, tags.
var hostile = []string{"\x1b]0;x\x07", "\x1b[2J", "\u202e", "\u2066", "\x9b31m", "\u009b31m", "\x7f", "\u2028", "\u200b",
	"\U000e0041", "\r", "\b"}

// obeys returns where a terminal would obey what was printed, "" if nowhere.
func obeys(out string) (where string) {
	at := strings.IndexFunc(out, func(r rune) bool { return shown.Hidden(r) && r != '\n' && r != '\t' })
	if at < 0 && utf8.ValidString(out) {
		return ""
	}
	return out[max(at-40, 0):min(max(at, 0)+40, len(out))]
}

// Nothing that stands in a file, or is its name, is obeyed: whatever the kind of file, in each of
// its lines.
func TestHostileFilesAreShown(t *testing.T) {
	samples := map[string]string{
		"a.yaml": printedPod,
		"r.yaml": "name: a\ngpus: 64\nhost: {gpus: 8}\n",
		"n.cfg": "hostname leaf1\ninterface Ethernet1/1\n  description to host\n  no shutdown\n" +
			"router bgp 65001\n  neighbor 10.0.0.1\n    remote-as 65002\nfoo bar\n",
		"e.cfg": "hostname leaf1\ninterface Ethernet1\n   description x\n   no switchport\n" +
			"router bgp 65001\n   neighbor 10.0.0.1 remote-as 65002\n",
		"j.cfg":  "set system host-name leaf1\nset interfaces et-0/0/0 description x\nset protocols bgp group a neighbor 10.0.0.1\n",
		"f.csv":  "name,from,to,bytes,start\na,host1/gpu0,host2/gpu0,1MB,0us\nb,host1/gpu9,x,1,y\n",
		"t.txt":  "host host1\nswitch s1\nlink host1 s1 400Gb/s 20m\nfoo\n",
		"g.log":  "# nccl-tests version 2\n#\n  1024  256  float  sum  -1  10.0  0.1  0.2  0\n",
		"m.txt":  "step.spread 1%\nlinks.x 5\n",
		"d.json": `{"state": "complete", "format_version": 1, "name": "a", "notes": ["b"]}`,
		"c.txt":  "CC_MODE 3\nTOPOLOGY_FILE topology.txt\nFOO 1\n",
	}
	for name, text := range samples {
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		for i := range 2 * len(lines) {
			bad := hostile[(i*5+len(name)+len(text))%len(hostile)]
			changed := append([]string(nil), lines...)
			line := &changed[i/2]
			if body := strings.TrimRight(*line, "\n"); i%2 == 0 {
				*line = body + bad + "\n"
			} else {
				at := strings.IndexByte(body+" ", ' ')
				*line = body[:at] + bad + body[at:] + "\n"
			}
			for k, r := range readers {
				if strings.HasPrefix(r.args, "run FILE") || strings.HasPrefix(r.args, "tune") || (k+i)%9 != 0 {
					continue // each with every ninth reader: all with all over the lines and names
				}
				dir := t.TempDir()
				_, out := ranIn(t, dir, r.lay(t, dir, name, strings.Join(changed, ""))...)
				if where := obeys(out); where != "" {
					t.Errorf("%s line %d with %+q, %s: prints %q", name, i/2+1, bad, r.args, where)
				}
			}
		}
	}
	for _, bad := range []string{"\x1b]0;x\x07", "\u202e", "\u009b31m", "\u2028"} {
		for _, r := range readers {
			args := r.lay(t, t.TempDir(), "x", "")
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "x", "x"+bad+"y")
			}
			_, out := ranIn(t, t.TempDir(), args...)
			if where := obeys(out); where != "" {
				t.Errorf("a name with %+q, %s: prints %q", bad, r.args, where)
			}
		}
	}
}

// What show scenario --yaml prints reads back as the same values: what is escaped is an escape of YAML, too.
func TestShownScenarioReadsBack(t *testing.T) {
	for _, name := range []string{"a b", `a\\b \"c\"`, "e\u0301\ufe0f", `\u3164\u034f\U000e0100`,
		`\\ufe0f \ufe0f \\\ufe0f`, "#: {}, 'x'", "~", "1"} {
		dir := t.TempDir()
		writeAll(t, filepath.Join(dir, "a.yaml"), []byte("name: a\ncluster: {hosts: 4}\njob: {flows_csv: \""+name+".csv\"}\n"))
		code, yaml := ranIn(t, dir, "show", "scenario", "a.yaml", "--yaml")
		if code != call.OK || obeys(yaml) != "" {
			t.Errorf("%q: exit code %d, prints %q", name, code, obeys(yaml))
		}
		_, want := ranIn(t, dir, "show", "scenario", "a.yaml", "--json")
		writeAll(t, filepath.Join(dir, "b.yaml"), []byte(yaml))
		_, got := ranIn(t, dir, "show", "scenario", "b.yaml", "--json")
		find := func(text string) string {
			_, after, _ := strings.Cut(text, `"path": "job.flows_csv",`)
			value, _, _ := strings.Cut(after, "\n      \"kind\"")
			return value
		}
		if find(got) != find(want) || find(want) == "" {
			t.Errorf("%q: %s, read back %s", name, find(want), find(got))
		}
	}
}
