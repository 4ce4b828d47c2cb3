package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/starter"
)

// What railyard new writes is a scenario that can run, with comments, and nothing unusual in it: of each kind, over each
// fabric, with few hosts and with more.
func TestNewScenariosPassCheck(t *testing.T) {
	for _, kind := range starter.Kinds {
		for _, design := range starter.Designs {
			for _, hosts := range []string{"2", "5"} {
				t.Run(kind.Name+"/"+string(design)+"/"+hosts, func(t *testing.T) {
					file := filepath.Join(t.TempDir(), "mine.yaml")
					said := execute(t, "new", file, "--kind", kind.Name, "--fabric", string(design), "--hosts", hosts, "--gpus", "2")
					if !strings.HasPrefix(said, "wrote "+file+"\n") {
						t.Errorf("it says %q", said)
					}
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					sc, err := scenario.Parse(file, text)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := run.NewPlan(sc); err != nil {
						t.Fatal(err)
					}
					if sc.Name != "mine" || fmt.Sprint(sc.Cluster.Hosts) != hosts || sc.Fabric.Design != design {
						t.Errorf("it is %s with %d hosts over %s", sc.Name, sc.Cluster.Hosts, sc.Fabric.Design)
					}
					if n := strings.Count(string(text), "#"); n < 5 {
						t.Errorf("%d comments:\n%s", n, text)
					}
				})
			}
		}
	}
}

// What is as usual runs, too: the smallest kind to its end.
func TestANewScenarioRuns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "usual.yaml")
	execute(t, "new", file, "--amount", "100kB")
	said := execute(t, "run", file, "--quiet", "--out", filepath.Join(dir, "out"))
	if !strings.Contains(said, "rail1/host1") {
		t.Errorf("nothing is said of the port to host1:\n%s", said)
	}
}

// Six questions are asked and answered; an answer that is none of the words is asked for again.
func TestQuestionsAreAsked(t *testing.T) {
	if n := len(starter.Questions); n != 6 {
		t.Errorf("%d questions", n)
	}
	var asked bytes.Buffer
	a := quiet(t)
	a.Stderr = &asked
	in := bufio.NewReader(strings.NewReader("trainnig\ntraining\n"))
	answer, err := a.ask(in, &starter.Questions[0], &starter.Answers{})
	if err != nil || answer != "training" {
		t.Errorf("%q, %v", answer, err)
	}
	const first = "What is to be simulated (incast, training, collectives, cluster) [incast]: "
	for _, want := range []string{first, "trainnig: want incast, "} {
		if !strings.Contains(asked.String(), want) {
			t.Errorf("asked %q, want %q", asked.String(), want)
		}
	}
	if _, err := a.ask(in, &starter.Questions[1], &starter.Answers{Kind: "incast"}); err == nil {
		t.Error("input that ends is taken for an answer")
	}
}

// What would be no scenario is not written: the answers are blamed, with what would be accepted.
func TestWrongAnswersWriteNothing(t *testing.T) {
	for _, c := range []struct{ flags, want string }{
		{"--kind icnast", "did you mean incast?"},
		{"--hosts many", "cluster.hosts: many"},
		{"--hosts 1", "job.flows"},
		{"--gpus 9", "cluster.host.gpus: 9"},
		{"--speed 400", "cluster.nic.speed: 400"},
		{"--fabric ring", "--fabric ring: want single-switch, leaf-spine, rail-optimized"},
		{"--amount 10", "bytes: 10"},
		{"--amount 1MB}", "want one word, such as 10MB"},
		{"--kind cluster --amount 2", "job.replay.buckets"},
		{"--hosts 100000", "too small for 100000 ports"},
		{"--hosts 200000", "cluster.hosts: 200000: too large"},
	} {
		file := filepath.Join(t.TempDir(), "x.yaml")
		var out, errs bytes.Buffer
		a := quiet(t)
		a.Stdout, a.Stderr = &out, &errs
		if code := a.execute(append([]string{"new", file}, strings.Fields(c.flags)...)); code != call.Misused {
			t.Errorf("%s: exit code %d", c.flags, code)
		}
		if !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: %s, want %s", c.flags, errs.String(), c.want)
		}
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("%s: a file was written", c.flags)
		}
	}
}
