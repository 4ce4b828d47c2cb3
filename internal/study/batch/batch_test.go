package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"railyard/internal/base/unit"
)

// drawn are workers with names that shells and YAML take for something else.
func drawn(seed uint64) *Workers {
	r := rand.New(rand.NewPCG(seed, 1))
	names := []string{"spines", "It's 10 %", "a: b # c", "$(touch x)", "`id`", "Größe \\ \"x\"", "", "yes", "-n", "{}",
		strings.Repeat("long ", 40)}
	pick := func() string { return names[r.IntN(len(names))] }
	w := &Workers{Sweep: pick(), Version: "1.2.3", URL: "nats://10.0.0.1:4222", Tasks: 1 + r.IntN(MaxTasks), Cores: 1 + r.IntN(64),
		Run: unit.Bytes(r.Int64N(1 << uint(1+r.IntN(40)))), Seconds: r.ExpFloat64() * 1e5, Image: "registry/" + pick()}
	if r.IntN(2) == 0 {
		w.Credentials = pick()
	}
	if r.IntN(2) == 0 {
		w.CA = pick()
	}
	return w
}

// schema is Kubernetes' schema of a Job, where no key may be that it does not name.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/job-batch-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var strict func(any)
	strict = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, has := v["properties"].(map[string]any); has && v["type"] == "object" {
				v["additionalProperties"] = false
			}
			for _, inner := range v {
				strict(inner)
			}
		case []any:
			for _, inner := range v {
				strict(inner)
			}
		}
	}
	strict(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("k8s.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("k8s.json#/components/schemas/io.k8s.api.batch.v1.Job")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// holds reports what the schema says of a manifest.
func holds(t *testing.T, s *jsonschema.Schema, manifest string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(manifest), &v); err != nil {
		t.Fatalf("%v in\n%s", err, manifest)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// A Job is one by Kubernetes' own schema, whatever things are called, and starts the worker that was asked for. One with a key that no
// Job has, a word where a number is wanted, or without its template, is not.
func TestJobsAreKubernetes(t *testing.T) {
	s := schema(t)
	for seed := range uint64(200) {
		w := drawn(seed)
		manifest := w.Kubernetes()
		if err := holds(t, s, manifest); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, manifest)
		}
		var job struct {
			Metadata struct{ Name string }
			Spec     struct {
				Parallelism int
				Template    struct {
					Spec struct {
						Containers []struct {
							Image string
							Args  []string
						}
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(manifest), &job); err != nil {
			t.Fatal(err)
		}
		c := job.Spec.Template.Spec.Containers[0]
		if job.Spec.Parallelism != w.Tasks || c.Image != w.Image || !slices.Contains(c.Args, w.URL) ||
			!slices.Contains(c.Args, fmt.Sprintf("%dB", int64(w.runs()))) || len(job.Metadata.Name) > 63 {
			t.Fatalf("seed %d: %+v of\n%s", seed, job, manifest)
		}
		if w.Credentials != "" && strings.Contains(manifest, "--nats-creds\"\n            - "+text(w.Credentials)) {
			t.Errorf("seed %d: the path of this machine's credentials in a pod", seed)
		}
	}
	for _, c := range [][2]string{{"parallelism:", "paralelism:"}, {"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: maybe"},
		{"  template:", "  templates:"}, {"restartPolicy: OnFailure", "restartPolicy: [OnFailure]"}, {"mountPath:", "mount:"}} {
		manifest := drawn(1).Kubernetes()
		if changed := strings.Replace(manifest, c[0], c[1], 1); changed == manifest || holds(t, s, changed) == nil {
			t.Errorf("%s in place of %s: the schema takes it, or nothing was changed", c[1], c[0])
		}
	}
}

// A script is one for a shell, whatever things are called: railyard gets the words as they are, and nothing else is run. Where a
// Slurm is up, its own sbatch takes the script.
func TestScriptsAreSlurms(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("railyard", "#!/bin/bash\nprintf '%s\\n' \"$@\"\n")
	up := exec.Command("scontrol", "ping").Run() == nil
	if !up {
		t.Log("no Slurm is up: sbatch is not asked")
	}
	for seed := range uint64(30) {
		w := drawn(seed)
		script := write("workers.sbatch", w.Slurm())
		cmd := exec.Command("bash", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), fmt.Sprintf("SLURM_CPUS_PER_TASK=%d", w.Cores))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s%s", seed, err, out, w.Slurm())
		}
		want := strings.Join(w.arguments(fmt.Sprint(w.Cores), w.Credentials, w.CA), "\n") + "\n"
		if string(out) != want {
			t.Fatalf("seed %d: railyard gets\n%swant\n%s", seed, out, want)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 2 {
			t.Fatalf("seed %d: something else was run", seed)
		}
		if up && seed == 0 {
			few := *w
			few.Tasks, few.Cores, few.Run = 2, 1, unit.Mebibyte
			if out, err := exec.Command("sbatch", "--test-only", write("few.sbatch", few.Slurm())).CombinedOutput(); err != nil {
				t.Fatalf("sbatch: %s", out)
			}
			os.Remove(filepath.Join(dir, "few.sbatch"))
		}
	}
}

// What a batch system is asked for: memory for all runs at once and for the program, a time that it can read.
func TestResources(t *testing.T) {
	w := &Workers{Sweep: "Spines 2", Version: "1", URL: "nats://a:1", Tasks: 3, Cores: 4, Run: 100 * unit.Mebibyte, Seconds: 90061.5}
	script := w.Slurm()
	for _, want := range []string{"--job-name=railyard-spines-2\n", "--array=1-3\n", "--mem=1012M\n", "--time=1-01:01:02\n",
		"--cpus-per-task=4\n",
		`--cores "$SLURM_CPUS_PER_TASK" --memory 419430400B `} {
		if !strings.Contains(script, want) {
			t.Errorf("no %q in\n%s", want, script)
		}
	}
	for _, c := range []struct {
		change func(*Workers)
		want   string
	}{
		{func(w *Workers) { w.Tasks = 1001 }, "want 1 to 1000"},
		{func(w *Workers) { w.Cores = 0 }, "want 1 to 1024"},
		{func(w *Workers) { w.Credentials = "a\nrm b" }, "a control character"},
		{func(*Workers) {}, ""},
	} {
		one := *w
		c.change(&one)
		if err := one.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
