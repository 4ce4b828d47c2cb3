package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/located"
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

// Text is printed without quotes where YAML reads the same text then. What this notices: a letter or digit at the end of its range that
// is quoted, a text that YAML takes for something else.
func TestTextAsYAMLReadsIt(t *testing.T) {
	for text, want := range map[string]string{"azAZ09_": "azAZ09_", "a-b.c/d": "a-b.c/d", "-a": `"-a"`, ".5": `".5"`,
		"/tmp": `"/tmp"`, "9": `"9"`,
		"null": `"null"`, "yes": `yes`, "true": `"true"`, "a b": `"a b"`, `a"b\c`: `"a\"b\\c"`, "a:": `"a:"`, "a{": `"a{"`, "a[": `"a["`,
		"a@": `"a@"`, "é": `"é"`, "": `""`} {
		got := textYAML(nil, text)
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A timer does not run out while a packet waits in full queues: of a switch whose buffer takes longer, it is twice as long, and again.
func TestATimerWaitsForFullQueues(t *testing.T) {
	const usual = 4096 << 14 * unit.Nanosecond // 67 ms
	for _, c := range []struct {
		buffer unit.Bytes
		speed  unit.Bitrate
		want   unit.Duration
	}{
		{64 * unit.Megabyte, 400 * unit.GigabitPerSec, usual},
		{64 * unit.Megabyte, 10 * unit.GigabitPerSec, 4 * usual},  // 4 times 51 ms
		{128 * unit.Megabyte, 10 * unit.GigabitPerSec, 8 * usual}, // 4 times 102 ms
		{64 * unit.Megabyte, 0, usual},
		{1 << 50, 1, 4096 * usual * 2},
	} {
		s := &Scenario{}
		s.Fabric.Switch.Buffer, s.Cluster.NIC.Speed = c.buffer, c.speed
		got := patient(s)
		if c.speed == 1 { // it ends somewhere
			if got < 5*unit.Minute || got >= 10*unit.Minute {
				t.Errorf("%v, want 5 to 10 minutes", got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%v at %v: %v, want %v", c.buffer, c.speed, got, c.want)
		}
	}
}

// A balancer is some switch's where the fabric has it, or an entry of fabric.switches.
func TestAnySwitchesBalancer(t *testing.T) {
	spray := func(b Balancer) bool { return b == "spray" }
	for _, c := range []struct {
		fabric Balancer
		own    Opt[Balancer]
		want   bool
	}{{"spray", Opt[Balancer]{}, true}, {"ecmp", Some[Balancer]("spray"), true}, {"ecmp", Some[Balancer]("dlb"), false},
		{"ecmp", Opt[Balancer]{Value: "spray"}, false}} {
		s := &Scenario{}
		s.Fabric.Balance, s.Fabric.Switches = c.fabric, []SwitchProfile{{Balance: c.own}}
		if got := s.anyBalance(spray); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Flows of an entry that are not sent keep their numbers: the entry is asked to leave them out. Those of background lie at its path.
func TestFlowsThatAreLeftOut(t *testing.T) {
	const text = "cluster: {hosts: 4, host: {gpus: 1}}\n" +
		"job: {flows: [{from: 'host[1-3]/gpu0', to: host4/gpu0, bytes: 1kB}, {from: host1/gpu0, to: host2/gpu0, bytes: 2kB}]}\n" +
		"background: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 3kB}, {from: host2/gpu0, to: host3/gpu0, bytes: 4kB}]}\n"
	s, err := Parse("a.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	next, err := s.With(append(s.Jobs[0].Without(1, 3), s.Background.Without(0)...)...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, flows := range [][]Flow{next.Jobs[0].Flows, next.Background.Flows} {
		for i := range flows {
			got = append(got, fmt.Sprintf("%v %v", flows[i].Bytes, flows[i].Enabled))
		}
	}
	if want := "1kB true, 1kB false, 1kB true, 2kB false, 3kB false, 4kB true"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	for i, want := range []string{"job.flows[0]", "job.flows[0]", "job.flows[0]", "job.flows[1]"} {
		if got := s.Jobs[0].FlowPath(i); got != want {
			t.Errorf("flow %d is of %s, want %s", i, got, want)
		}
	}
	if got := s.Background.FlowPath(1); got != "background.flows[1]" {
		t.Error(got)
	}
}

// What is no scenario is named as what it is. A table of flows says where it goes.
func TestWhatIsNoScenario(t *testing.T) {
	for text, want := range map[string]string{
		"name,from,to,bytes,start\na,b,c,1,2\n": "job: {flows_csv: ",
		"\xff\xfen\x00a\x00":                    "save the file as UTF-8",
		"\x80\x81":                              "is a text in UTF-8",
		`{"DEVICE_METADATA": {}}`:               "is a configuration of SONiC, no scenario",
		`{"PORT_QOS_MAP": {}}`:                  "is a configuration of SONiC, no scenario",
		"well: well\n":                          "holds no key of a scenario, want name, seed",
	} {
		_, err := Parse("a.yaml", []byte(text))
		got := fmt.Sprintf("%v %+v", err, err)
		if ps, is := err.(located.Problems); is {
			got += ps[0].Hint
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A sweep's fields, keys and lists are those that its files are read by, and so are a requirement's.
func TestTablesOfOtherFiles(t *testing.T) {
	for _, c := range []struct {
		table []Field
		keys  *Key
		some  string
	}{{SweepTable(), SweepKeys(), "axes"}, {RequirementTable(), RequirementKeys(), "gpus"}} {
		if len(c.table) < 3 || c.keys.child(c.some) == nil {
			t.Errorf("%d fields, keys %q, want %s among them", len(c.table), c.keys.names(), c.some)
		}
	}
	if len(SweepLists()) != 1 || len(Lists()) != 9 {
		t.Errorf("%d lists of a sweep, %d of a scenario", len(SweepLists()), len(Lists()))
	}
}
