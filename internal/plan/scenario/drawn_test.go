package scenario_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/scenario/scenariotest"
)

// FuzzParse: no panic, no hang; every problem points into the file; what parses prints as YAML that
// parses to an equal value. A line may ask for a million flows, which are made in seconds; those are not printed here.
func FuzzParse(f *testing.F) {
	for _, src := range scenariotest.Cases(f, "../../..") {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := scenario.Parse("fuzz.yaml", src)
		if err == nil {
			if flowCount(s) > 20_000 {
				return
			}
			s.Fields()
			s.Findings()
			scenario.RoundTrip(t, s)
			return
		}
		lines := bytes.Split(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), []byte("\n"))
		for _, p := range err.(located.Problems) {
			if p.Line == 0 && strings.HasPrefix(p.Message, "holds no key") {
				continue // of another file
			}
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1])+1 || p.Width < 1 {
				t.Fatalf("%s points outside the file", p)
			}
			if strings.ContainsAny(p.String(), "\n\r\x1b") {
				t.Fatalf("%q is not one line", p.String())
			}
		}
		err.(located.Problems).Render(&bytes.Buffer{}, src)
	})
}

func flowCount(s *scenario.Scenario) int {
	n := len(s.Background.Flows)
	for i := range s.Jobs {
		n += len(s.Jobs[i].Flows)
	}
	return n
}

// A number that is refused costs no more than one that is not: what is counted behind it stays within the bound of its key.
func TestRefusedNumbersCostNothing(t *testing.T) {
	cases := scenariotest.Cases(t, "../../..")
	names := slices.Sorted(maps.Keys(cases))
	r := rand.New(rand.NewPCG(1, 2))
	number := regexp.MustCompile(`\d+`)
	refused := 0
	for range 300 {
		name := names[r.IntN(len(names))]
		src := []byte(cases[name])
		at := number.FindAllIndex(src, -1)
		if len(at) == 0 {
			continue
		}
		p := at[r.IntN(len(at))]
		src = slices.Replace(slices.Clone(src), p[0], p[1], []byte("30000000")...)
		if used, err := allocated(src); used > 64<<20 && err != nil {
			t.Errorf("%s with a large number at byte %d: %d bytes were taken", name, p[0], used)
		} else if err != nil {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("%d were refused, want 100 at least", refused)
	}
	for _, src := range []string{
		"cluster: {hosts: 30000000}\njob: {replay: {buckets: [{bytes: 4MB}]}}\n",
		"cluster: {hosts: 30000000}\njob: {train: {layers: [784, 0, 10]}}\n",
	} {
		if used, err := allocated([]byte(src)); used > 16<<20 || err == nil {
			t.Errorf("%s%d bytes were taken, %v", src, used, err)
		}
	}
}

// allocated reads a scenario and returns how many bytes that took, those that are free again too.
func allocated(src []byte) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := scenario.Parse("x.yaml", src)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// Whatever fields a file gives, the resolved scenario prints and parses back.
func TestResolvedRoundTrip(t *testing.T) {
	accepted, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		values := scenariotest.Values(t, func(f *scenario.Field) bool {
			return rapid.Bool().Draw(t, "give "+f.Path) || f.Required
		})
		values["cluster.hosts"] = fmt.Sprint(rapid.IntRange(4, 4096).Draw(t, "hosts"))
		if rapid.Bool().Draw(t, "large buffer") || rapid.Bool().Draw(t, "large buffer after all") { // of many ports
			values["fabric.switch.buffer"] = fmt.Sprintf("%dGB", rapid.IntRange(100, 1000).Draw(t, "buffer"))
		}
		values["job.train.batch"] = fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "batch"))
		scenariotest.OneSource(t, values)
		scenariotest.OneModel(t, values)
		tried++
		printed := scenariotest.Accepted(values)
		background := drawnFlows(t, printed)
		for _, src := range []string{printed + background, printed} {
			if s, err := scenario.Parse("x.yaml", []byte(src)); err == nil {
				accepted++
				scenario.RoundTrip(t, s)
				return
			}
		}
	})
	if accepted*2 < tried {
		t.Errorf("only %d of %d drawn scenarios were valid", accepted, tried)
	}
}

// drawnFlows draws background traffic of one entry behind a file, without the keys that are refused there; a key that is
// required stays.
func drawnFlows(t *rapid.T, file string) string {
	flow, order := map[string]string{}, []string{}
	for _, f := range scenario.Table() {
		key, ok := strings.CutPrefix(f.Path, "job.flows[].")
		if ok && (f.Required || key == "from" || rapid.Bool().Draw(t, "give "+key)) {
			flow[key] = scenariotest.Value(t, &f)
			order = append(order, key)
		}
	}
	for {
		var parts []string
		for _, key := range order {
			if text, ok := flow[key]; ok {
				parts = append(parts, key+": "+text)
			}
		}
		background := "background: {flows: [{" + strings.Join(parts, ", ") + "}]}\n"
		_, err := scenario.Parse("x.yaml", []byte(file+background))
		var problems located.Problems
		if err == nil || !errors.As(err, &problems) {
			return background
		}
		left := len(flow)
		for _, p := range problems {
			delete(flow, strings.TrimPrefix(p.Path, "background.flows[0]."))
		}
		if len(flow) == left {
			return background
		}
	}
}

// Whatever a file may hold, the tree written out gives the same scenario.
func TestSourceIsTheScenario(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := scenariotest.Draw(t)
		s, err := scenario.Parse("job.yaml", []byte(src))
		if err != nil {
			t.Skip()
		}
		path := rapid.SampledFrom([]string{"seed", "output.queues", "fabric.switch.latency"}).Draw(t, "path")
		i := slices.IndexFunc(s.Fields(), func(f scenario.FieldValue) bool { return f.Path == path })
		same, err := s.Set(path, s.Fields()[i].Value)
		if err != nil || !same.Equal(s) {
			t.Fatalf("%s set to what it is: %v", path, err)
		}
		if again, err := scenario.Parse("job.yaml", same.Source()); err != nil || !again.Equal(s) {
			t.Fatalf("%v\n%s\nis not\n%s", err, same.Source(), src)
		}
	})
}

// A resolved replay prints and parses back, its buckets too.
func TestReplayRoundTrip(t *testing.T) {
	s, err := scenario.Parse("x.yaml", []byte("cluster: {hosts: 2}\njob:\n  replay: {steps: 3, forward: 1ms, update: 2us, "+
		"buckets: [{bytes: 4MB, compute: 5us}, {bytes: 8B}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	scenario.RoundTrip(t, s)
	if r := s.Jobs[0].Replay; len(r.Buckets) != 2 || r.Buckets[1].Bytes != 8 || r.Steps != 3 {
		t.Errorf("%+v", r)
	}
}

// A resolved large model prints and parses back, whatever its preset.
func TestLargeModelRoundTrip(t *testing.T) {
	for i, c := range scenario.ModelPresets[1:] {
		more := []string{"", ", recompute: full, precision: fp8, gradients: bf16", ", layers: 8, kv_heads: 1, dropout: true"}[i%3]
		s, err := scenario.Parse("x.yaml", []byte("cluster: {hosts: 2}\nrun: {network: formula}\njob:\n  model: {preset: "+c.Name+
			", batch: 64"+more+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		scenario.RoundTrip(t, s)
		if m := s.Jobs[0].Model; m.Preset != c.Name || m.Shape.Hidden == 0 || len(m.Shape.Misfits()) > 0 {
			t.Errorf("%s: %+v", c.Name, m)
		}
	}
}
