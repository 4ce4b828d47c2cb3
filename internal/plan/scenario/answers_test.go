package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
)

// Files in testdata/answers hold a scenario, a line ---- and what it answers to who asks: of its NICs, its jobs' hosts and data,
// its faults. What this notices: an answer that is another part's, or the opposite.
func TestWhatScenariosAnswer(t *testing.T) { goldens(t, "testdata/answers/*.txt", answers) }

func answers(s *Scenario) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	n := &s.Cluster.NIC
	say("NIC: %v, %d links, %d devices, %d near a GPU, bonded %v", n.Rate(), n.Links(), n.Devices(), n.PerRail(), n.Bonded())
	say("GPUs: %d, NVLink moves %v", s.GPUs(), s.Cluster.Host.NVLinkRate())
	for gpu := range s.Cluster.Host.GPUs {
		own, told := s.NICOf(Endpoint{GPU: gpu, NIC: -1}), s.NICOf(Endpoint{GPU: gpu, NIC: 1})
		say("gpu%d sends by nic%d, and by nic1 if told so: %d", gpu, own, told)
	}
	say("fabric: overlay %v, as scheduled %v, switches by %s, links lost in %v", s.Fabric.Overlay(), s.Fabric.AsScheduled(),
		s.Fabric.SwitchesKey(), s.Fabric.Routing.Convergence())
	say("window %v, by formula %v, speaks %v", windowed(&s.Congestion), s.ByFormula(), s.Fabric.Routing.Speaks())
	for i := range s.Jobs {
		j := &s.Jobs[i]
		say("job: hosts %v, spares %v, %d places, inside by formula %v", s.HostsOf(j), s.Spares(j), s.rankPlaces(j), s.InsideByFormula(j))
		if j.Train != nil {
			d := j.Train.Data
			of, name := d.Drawn()
			say("data: drawn %s %v, name %q, in files %v, key %.60q", name, of != nil, d.Name(), d.File(), d.Key())
		}
		for k := range j.Collectives {
			c := &j.Collectives[k]
			say("%s by %s: adds %v, by rails %v", c.Op, c.Chosen(), c.Algorithm.Adds(), c.Algorithm.ByRails())
		}
	}
	say("losses are drawn: %v", s.DrawsLosses())
	for i := range s.Faults {
		f := &s.Faults[i]
		key, name := f.Thing()
		var there []string
		for _, us := range []unit.Time{0, 99, 100, 149, 150, 151, 200, 251, 1000} {
			at := us * unit.Time(unit.Microsecond)
			there = append(there, map[bool]string{true: "x", false: "."}[f.During(at, at)])
		}
		say("faults[%d]: %s of %s %s, begins %v, random %v, there at 0 99 100 149 150 151 200 251 1000 us: %s", i,
			strings.Join(f.Kinds(), " and "), key, name, f.Begins(), f.Random(), strings.Join(there, ""))
	}
	for _, path := range []string{"cluster.hosts", "transport.mtu", "fabric.qos", "job.train.batch"} {
		say("%s is given: %v", path, s.Given(path))
	}
	return b.String()
}

// Programs that know only JSON's types are told of a kind's values in these forms. What this notices: a form without its bounds, or
// none.
func TestForms(t *testing.T) {
	var b strings.Builder
	seen := map[Kind]int{}
	for _, f := range slices.Concat(fields, jobFields, flowFields, faultFields) {
		if f.Kind == Group || f.List() != nil || seen[f.Kind] == 2 {
			continue
		}
		seen[f.Kind]++
		text, err := json.Marshal(f.Forms())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n  accepts %s; default %s\n  %s\n", f.Path, f.Accepts(), f.DefaultText(), text)
	}
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "%s: %s\n", k.Name, k.Meaning)
	}
	scripttest.Golden(t, "forms/forms.txt", b.String())
}

// A change may leave keys without a meaning: they are named, and left out. One that is wrong by itself is refused.
func TestChangesThatFit(t *testing.T) {
	const text = `
cluster: {hosts: 4, host: {gpus: 2}}
job: {train: {layers: [784, 32, 10], data: d, batch: 8, lr: 0.1, optimiser: adam, beta1: 0.8}, parallel: {dp: 4, tp: 2}}
`
	s, err := Parse("a.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Path: "job.train.optimiser", Text: "sgd"}, "[job.train.beta1]"},
		{Change{Path: "job.train.batch", Text: "4"}, "[]"},
		{Change{Path: "job.train.batch", Text: "none"}, "refused"},
	} {
		next, left, err := s.WithFitting(c.change)
		got := fmt.Sprint(left)
		if err != nil {
			got = "refused"
		}
		if got != c.want || (next == nil) != (c.want == "refused") {
			t.Errorf("%+v: %s, want %s (%v)", c.change, got, c.want, err)
		}
	}
}

// As much of a scenario with problems as says which links there are is resolved, if no problem lies in what that rests on.
func TestCabledInSpiteOfProblems(t *testing.T) {
	const good = "cluster: {hosts: 2, host: {gpus: 1}}\nfabric: {design: single-switch%s}\n" +
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: %s}]}\n%s"
	for _, c := range []struct {
		fabric, bytes, more string
		want                bool
	}{
		{"", "1kB", "", true},
		{"", "many", "", true},
		{"", "1kB", "output: {series: perhaps}\n", true},
		{", qos: {data_priority: 9}", "1kB", "", true},
		{", routing: {hold: long}", "1kB", "", true},
		{", links: {host: fast}", "1kB", "", false},
		{"", "1kB", "run: {network: none}\n", false},
		{"", "1kB", "  bad yaml", false},
		{", config: some.cfg", "1kB", "", false},
	} {
		if got := Cabled("a.yaml", []byte(fmt.Sprintf(good, c.fabric, c.bytes, c.more))) != nil; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestAmountsForPeople(t *testing.T) {
	for hundredths, want := range map[int64]string{192000000: "1,920,000 USD", 5: "0.05 USD", 1250: "12.50 USD", 100: "1 USD"} {
		if got := (Amount{Hundredths: hundredths, Currency: "USD"}).Human(); got != want {
			t.Errorf("%d: %q, want %q", hundredths, got, want)
		}
	}
}
