//go:build unix

package cli

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/cli/web"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// Rings between four hosts, one after another; groups of two kinds.
const ringsToSee = `
name: rings
cluster: {hosts: 4, host: {gpus: 1}}
job:
  train: {model: mlp, layers: [784, 32, 16, 10], lr: 0.1, data: {digits: {train: 512, test: 64}}, batch: 8, steps: 4, bucket: layer}
  parallel: {dp: 4}
  collective: {channels: 2}
`

// roundsAnswer is what api/rounds answers.
type roundsAnswer struct {
	Collectives []web.Collective
	Step        int32
	Timed       string
	Rounds      []web.Round
}

func askRounds(t *testing.T, address, run string, index, channel int, at unit.Time) (a roundsAnswer, refused string) {
	t.Helper()
	q := url.Values{"run": {run}, "index": {strconv.Itoa(index)}, "channel": {strconv.Itoa(channel)},
		"at": {strconv.FormatInt(int64(at), 10)}}
	r, err := http.Get(address + "api/rounds?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		var e struct{ Error string }
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Fatal(err)
		}
		return a, e.Error
	}
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a, ""
}

// A collective's rounds have the times of its messages: each row of flows.parquet of the step is in one round of one of them, and
// nobody sends on what has not come.
func TestRoundsHaveTheTimesOfTheirMessages(t *testing.T) {
	root := t.TempDir()
	withDigits := func(s string) string {
		return strings.Replace(s, "digits: {", "digits: {dir: "+digits(t, 512, 64, 1)+", ", 1)
	}
	for name, text := range map[string]string{"rings": ringsToSee, "parts": partsToSee,
		"tree": strings.Replace(ringsToSee, "channels: 2", "channels: 2, algorithm: double-tree", 1)} {
		run := simulated(t, write(t, withDigits(text)), filepath.Join(root, name))
		rows := map[string]map[unit.Time]int{} // by group, channel and step: rows posted at a time
		for row, err := range run.Flows() {
			if err != nil {
				t.Fatal(err)
			}
			k := row.Group + " " + strconv.Itoa(int(row.Channel)) + " " + strconv.Itoa(int(row.Step))
			if rows[k] == nil {
				rows[k] = map[unit.Time]int{}
			}
			rows[k][row.Posted]++
		}
		address := serving(t, root)
		at := run.Summary.VirtualTime / 2
		first, why := askRounds(t, address, name, 0, 0, at)
		if why != "" || len(first.Collectives) < 3 {
			t.Fatalf("%s: %d collectives: %s", name, len(first.Collectives), why)
		}
		seen := map[string]map[unit.Time]int{}
		for i := range first.Collectives {
			c := &first.Collectives[i]
			for channel := range c.Channels {
				a, why := askRounds(t, address, name, i, channel, at)
				if why != "" || a.Timed != "" || c.Why != "" {
					t.Errorf("%s: %s %d: %s%s%s", name, c.Name, channel, why, a.Timed, c.Why)
					continue
				}
				k := c.Group + " " + strconv.Itoa(channel) + " " + strconv.Itoa(int(a.Step))
				if seen[k] == nil {
					seen[k] = map[unit.Time]int{}
				}
				checkCausality(t, name+" "+c.Name, a.Rounds, seen[k])
			}
		}
		for k, posted := range seen {
			for when, n := range rows[k] {
				if posted[when] != n {
					t.Errorf("%s: %s: %d messages posted at %v are in rounds, flows.parquet has %d", name, k, posted[when], when, n)
				}
			}
			if len(rows[k]) == 0 || len(posted) != len(rows[k]) {
				t.Errorf("%s: %s: times of %d messages, flows.parquet has %d", name, k, len(posted), len(rows[k]))
			}
		}
	}
}

// checkCausality holds that a rank sends a chunk when what it has of it has come, and counts the messages.
func checkCausality(t *testing.T, name string, rounds []web.Round, seen map[unit.Time]int) {
	t.Helper()
	type place struct{ rank, chunk int32 }
	came := map[place]unit.Time{}
	for i, r := range rounds {
		next := map[place]unit.Time{}
		for _, s := range r.Sends {
			switch {
			case s.Bytes == 0 && s.Posted == nil:
				continue
			case s.Posted == nil || s.Placed == nil || *s.Placed <= *s.Posted:
				t.Errorf("%s round %d: %d to %d has no times", name, i, s.From, s.To)
				continue
			}
			seen[*s.Posted]++
			if c := came[place{s.From, s.Chunk}]; *s.Posted < c {
				t.Errorf("%s round %d: %d sends chunk %d at %v, which came at %v", name, i, s.From, s.Chunk, *s.Posted, c)
			}
			next[place{s.To, s.Chunk}] = *s.Placed
		}
		for p, at := range next {
			came[p] = max(came[p], at)
		}
	}
	whole := rounds[len(rounds)-1].Holds
	for rank, chunks := range whole {
		for chunk, of := range chunks {
			if of != whole[0][chunk] || of == 0 {
				t.Errorf("%s: rank %d ends with %b in chunk %d, rank 0 with %b", name, rank, of, chunk, whole[0][chunk])
			}
		}
	}
}

// A run directory of a stranger makes the server open no file that its scenario names, and plan nothing that is too large.
func TestRoundsOfStrangers(t *testing.T) {
	root := t.TempDir()
	run := simulated(t, write(t, strings.Replace(ringsToSee, "digits: {", "digits: {dir: "+digits(t, 512, 64, 1)+", ", 1)),
		filepath.Join(root, "rings"))
	source := filepath.Join(run.Path, "inputs", "scenario.yaml")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	address := serving(t, root)
	for what, c := range map[string]struct{ text, want string }{
		"another scenario": {strings.Replace(string(text), "lr: 0.1", "lr: 0.2", 1), "it is not the scenario of this run"},
		"no scenario":      {"</script>", "scenario.yaml"},
	} {
		if err := os.WriteFile(source, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, why := askRounds(t, address, "rings", 0, 0, 0); !strings.Contains(why, c.want) {
			t.Errorf("%s: %q, want %q", what, why, c.want)
		}
	}
	const collectives = "job: {collectives: [{op: all-reduce, bytes: 1MB}]}\n"
	for _, c := range []struct{ text, want string }{
		{"name: x\ncluster: {hosts: 1000, host: {gpus: 8}, nic: {speed: 100Gb/s}}\n", "a run of 8000 GPUs"},
		{"name: x\ncluster: {hosts: 2}\nfabric: {design: custom, topology: /etc/passwd}\n",
			"cannot be planned without the files that it names"},
	} {
		text, want := c.text+collectives, c.want
		if all, err := forged(t, text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "root:") {
			t.Errorf("%s: %d collectives, %v, want %q", text, len(all), err, want)
		}
	}
}

// forged plans the collectives of a run directory that holds a scenario, and says that it was run.
func forged(t *testing.T, text string) ([]web.Collective, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "inputs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "inputs", "scenario.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return collectivesOf(t.Context(), &result.Run{Path: dir, Summary: &result.Summary{Name: "x", ScenarioYAML: string(sc.YAML())}})
}
