package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Every command's output on the small run.
func TestTerminal(t *testing.T) {
	path := small(t, true)
	d := load(t, path)
	out := func(write func(*strings.Builder) error) string {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		return b.String()
	}
	scripttest.Golden(t, "report.txt", "railyard report "+
		"runs/small-1\n----\n"+out(func(b *strings.Builder) error { return WriteText(b, d, 80) }))
	scripttest.Golden(t, "explain.txt", "railyard explain "+
		"runs/small-1\n----\n"+out(func(b *strings.Builder) error { return WriteCauses(b, d, 80) }))
	d.Path = path
	for file, which := range map[string]string{"explain_flow.txt": "4", "explain_name.txt": "noise"} {
		f, err := d.Flow(which)
		if err != nil {
			t.Fatal(err)
		}
		scripttest.Golden(t, file, "railyard explain "+
			"runs/small-1 "+which+"\n----\n"+out(func(b *strings.Builder) error { return WriteFlow(b, f, 80) }))
	}
	other := load(t, small(t, true))
	change(other)
	scripttest.Golden(t, "compare.txt", "railyard compare runs/small-1 runs/small-2\n----\n"+out(func(b *strings.Builder) error {
		d.Path, other.Path = "runs/small-1", "runs/small-2"
		return Compare([]*Data{d, other}).WriteText(b, 80)
	}))
}

// Where figures and changes do not fit side by side, no name and no column is lost.
func TestCompareMany(t *testing.T) {
	a := load(t, small(t, true))
	var b strings.Builder
	if err := Compare([]*Data{a, a, a, a, a, a, a}).WriteText(&b, 80); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  step time", "  G\n", "G against A\n", "  virtual time"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// change makes of the small run one without background traffic.
func change(d *Data) {
	text := strings.Replace(string(d.Summary.Scenario), `"4MB"`, `"64MB"`, 1)
	d.Summary.Scenario = json.RawMessage(strings.Replace(text, `"background"`, `"was"`, 1))
	d.Steps.Slowest = result.Causes{Compute: 30 * us, Dependency: 10 * us, Serialisation: us}.Split()
	d.Steps.PerStep, d.Steps.Ranked = 41*us, []unit.Duration{41 * us, 41 * us, 41 * us}
	d.Summary.StepTime, d.Summary.StepMedian, d.Summary.StepP99 = 41*us, 41*us, 41*us
	d.Summary.SampleRate *= 163. / 123
	d.Summary.ECNMarks, d.Summary.CNPs = 0, 0
}

func TestFlowThatIsNotThere(t *testing.T) {
	d, err := Load(small(t, true))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Flow("flow99")
	if err == nil || !strings.Contains(err.Error(), `no flow "flow99" among 7 messages: want a name (such as noise`) {
		t.Errorf("error: %v", err)
	}
}

// Invariant: the causes of a comparison sum to the difference.
func TestCompareSums(t *testing.T) {
	a, b := load(t, small(t, true)), load(t, small(t, true))
	change(b)
	c := Compare([]*Data{a, b, a})
	if len(c.Splits) != 2 {
		t.Fatalf("%d splits, want 2", len(c.Splits))
	}
	for i, s := range c.Splits {
		delta := s.Delta.Split()
		if got, want := delta.Sum(), s.After-s.Before; got != want {
			t.Errorf("run %d: the causes sum to %v, the difference is %v", i+1, got, want)
		}
	}
	if d := c.Splits[0]; d.After != 41*us || d.Before != 54*us+d.Before%us {
		t.Errorf("from %v to %v, want from the mean of 41, 41 and 81 us to 41 us", d.Before, d.After)
	}
	if d := c.Splits[1]; d.After != d.Before {
		t.Errorf("a run differs from itself: %v, %v", d.Before, d.After)
	}
}

func TestIncomplete(t *testing.T) {
	d := load(t, small(t, false))
	if len(d.Notes) == 0 || !strings.Contains(d.Notes[0], "incomplete") {
		t.Fatalf("notes: %q", d.Notes)
	}
	var text, page strings.Builder
	if err := WriteText(&text, d, 80); err != nil {
		t.Fatal(err)
	}
	if err := WritePage(&page, d); err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]string{"text": text.String(), "page": page.String()} {
		if !strings.Contains(s, "this run is incomplete") || strings.Contains(s, "Nothing was") {
			t.Errorf("%s of a run that never ended:\n%s", what, s)
		}
	}
}

// A directory of another version is shown as far as it can be read.
func TestOtherVersion(t *testing.T) {
	path := small(t, true)
	file := filepath.Join(path, "run.json")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	version := fmt.Sprintf(`"format_version": %d`, result.FormatVersion)
	for _, change := range [][2]string{{version, `"format_version": 99`}, {`"steps": 3`, `"steps": "three"`}} {
		b = []byte(strings.Replace(string(b), change[0], change[1], 1))
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	d := load(t, path)
	if len(d.Notes) == 0 || !strings.Contains(d.Notes[0], "format version 99") {
		t.Fatalf("notes: %q", d.Notes)
	}
	if d.Steps == nil || d.Steps.Whole != 3 {
		t.Errorf("steps were not read: %+v", d.Steps)
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no run directory") {
		t.Errorf("an empty directory: %v", err)
	}
}

func TestSettings(t *testing.T) {
	d := load(t, small(t, true))
	s := &d.Settings
	if s.Ranks != 2 || s.Sample != us || s.Parallel != 1 || s.DataClass != 3 {
		t.Errorf("settings: %+v", s)
	}
	if empty := SettingsOf(nil); empty != (Settings{}) {
		t.Errorf("settings of nothing: %+v", empty)
	}
}
