package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"

	"github.com/goccy/go-yaml/lexer"
)

const two = "cluster: {hosts: 2, host: {gpus: 1}}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"

func parsed(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What the parser says without a place stands at the beginning, its first line alone.
func TestSyntaxWithoutAPlace(t *testing.T) {
	r := &reader{file: "t.yaml", lines: []string{"a: b", "c: d"}}
	r.syntax(errors.New("it failed\nand more"))
	p := r.problems[0]
	if p.Line != 1 || p.Column != 1 || p.Width != 1 || p.Message != "not YAML: it failed" || !strings.HasPrefix(p.Hint, "look for") {
		t.Errorf("%+v", p)
	}
}

// Commonest mistakes are named, and ends without quotes where they stand.
func TestCommonestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"job: {name: b":              "t.yaml:1:6: not YAML: a { that is never closed; put } where its keys end",
		"job: [b":                    "t.yaml:1:6: not YAML: a [ that is never closed; put ] where its entries end",
		"job:\n  name: b\n  c\n":     "t.yaml:3:3: not YAML: a word alone where keys stand; a key has a colon behind it, KEY: VALUE",
		"job: {from: host[1]/gpu0}":  `put ends in quotes: "host[1]/gpu0"`,
		"job: {from: host1/gpu[0]}":  `put ends in quotes: "host1/gpu[0]"`,
		"job: {from: host1/nic[*]}":  "or put it in quotes if it is text",
		"job: {from: host1/gpu0, b}": "",
		"job: {name: \"b}":           "look for a missing space",
	} {
		_, err := Parse("t.yaml", []byte(text))
		const hint = "put ends in quotes"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), hint) != strings.Contains(want, hint) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A group has at most 10,000 keys, whatever stands below them; groups beside each other count each for itself.
func TestMostKeysOfAGroup(t *testing.T) {
	keys := func(n int, in, below string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%sk%d:%s\n", in, i, strings.ReplaceAll(below, "\n", "\n"+in))
		}
		return b.String()
	}
	for _, c := range []struct {
		text string
		fine bool
	}{
		{keys(maxKeys, "", " 1"), true}, {keys(maxKeys+1, "", " 1"), false},
		{keys(maxKeys, "", "\n  x: 1\n  y: 2"), true}, {keys(maxKeys+1, "", "\n  x: 1\n  y: 2"), false},
		{"a:\n" + keys(6000, "  ", " 1") + "b:\n" + keys(6000, "  ", " 1"), true},
		{"a:\n" + keys(6000, "  ", " 1") + "  b:\n    c: 1\n" + keys(6000, "  ", " 1"), false},
		{"a:\n" + keys(6000, "  ", " 1") + "b: 1\nc:\n" + keys(6000, "  ", " 1"), true},
	} {
		r := &reader{file: "t.yaml", noun: "scenario", lines: strings.Split(c.text, "\n")}
		if got := r.depth(lexer.Tokenize(c.text)); got != c.fine || (len(r.problems) > 0) == c.fine {
			t.Errorf("%.30q, %d lines: %v, %v", c.text, len(r.lines), got, r.problems)
		}
	}
}

// Brackets and columns count together: 64 is deep enough.
func TestHowDeepATreeIs(t *testing.T) {
	for _, c := range []struct {
		text string
		fine bool
	}{
		{"a: " + strings.Repeat("[", 63) + strings.Repeat("]", 63), true},
		{"a: " + strings.Repeat("[", 64) + strings.Repeat("]", 64), false},
		{"a: [[" + strings.Repeat("[], ", 90) + "]]", true},
		{strings.Repeat("- ", 64) + "1", true}, {strings.Repeat("- ", 65) + "1", false},
		{strings.Repeat("- [] \n", 90), true}, {"]]]\n- " + strings.Repeat("[", 64), false},
	} {
		r := &reader{file: "t.yaml", noun: "scenario", lines: strings.Split(c.text, "\n")}
		if got := r.depth(lexer.Tokenize(c.text)); got != c.fine {
			t.Errorf("%.40q: %v, %v", c.text, got, r.problems)
		}
	}
}

// A fault's last turn is when it last begins or ends; one that does not end has its last beginning.
func TestTheLastTurnOfAFault(t *testing.T) {
	for text, want := range map[string]unit.Duration{
		"at: 1ms, down: 2ms":                       3 * unit.Millisecond,
		"at: 1ms, down: 2ms, every: 9ms, count: 3": 21 * unit.Millisecond,
		"at: 4ms, speed: 10Gb/s":                   4 * unit.Millisecond,
		"at: 4ms, speed: 10Gb/s, for: 3ms":         7 * unit.Millisecond,
	} {
		s := parsed(t, two+"fabric: {design: single-switch}\nfaults: [{link: all, "+text+"}]\n")
		if got := s.Faults[0].LastTurn(); got != unit.Time(want) {
			t.Errorf("%s: %v, want %v", text, unit.Duration(got), want)
		}
	}
	if got := new(Fault).LastTurn(); got != 0 {
		t.Errorf("%v of a fault that does nothing", got)
	}
	if key, name := new(Fault).Thing(); key != "" || name != "" {
		t.Errorf("%s %s of a fault of nothing", key, name)
	}
}

// Times to launch that have names have each its own.
func TestNamesOfLaunches(t *testing.T) {
	for name, d := range Launches {
		if got := LaunchName(d); got != name {
			t.Errorf("%v is %q, want %q", d, got, name)
		}
	}
	if got := LaunchName(unit.Microsecond); got != "" {
		t.Errorf("1us is %q", got)
	}
}

// A model of the catalogue is known as it is there, if its buffer is.
func TestKnownModels(t *testing.T) {
	some := 0
	for i := range catalogue.Switches {
		m := catalogue.Switches[i]
		if got := KnowsModel(&m); got != (m.Buffer > 0) {
			t.Errorf("%s, with a buffer of %v: %v", m.Name, m.Buffer, got)
		}
		if m.Buffer > 0 {
			some++
		}
		if m.Ports++; KnowsModel(&m) {
			t.Errorf("%s with another port is known", m.Name)
		}
	}
	if m := (catalogue.Switch{Name: "nobody"}); KnowsModel(&m) || some == 0 {
		t.Errorf("nobody is known, or none of %d", some)
	}
}

// What is wrong with a key stands at its place; of one that the file does not say, at none.
func TestWhatIsWrongWithAKey(t *testing.T) {
	s := parsed(t, two)
	if p := s.Wrong("cluster.hosts", "%d: too few", 2); p.String() != "t.yaml:1:18: cluster.hosts: 2: too few" || p.Warning {
		t.Errorf("%s", p.String())
	}
	if p := s.Wrong("seed", "odd"); p.Line != 0 {
		t.Errorf("%+v", p)
	}
	err := s.Refused("cluster.hosts", "no")
	var ps located.Problems
	if !errors.As(err, &ps) || len(ps) != 1 || ps[0].Line != 1 {
		t.Errorf("%v", err)
	}
}

// A switch that is told otherwise hashes with its own seed as its own entry, and as its tier without one.
func TestASwitchOfItsOwn(t *testing.T) {
	s := parsed(t, two+`fabric:
  balance: spray
  switches:
    - {match: "rail1", hash: {seed: role}, spray: {pick: drill, samples: 3}}
    - {match: "spine*", balance: ecmp, buffer: 1MB}
`)
	f, plain := s.Fabric.With(&s.Fabric.Switches[0]), s.Fabric.With(&s.Fabric.Switches[1])
	if f.Hash.Seed != "role" || f.Hash.Role != "rail1" || f.Spray.Pick != "drill" || f.Spray.Samples != 3 {
		t.Errorf("%+v, %+v", f.Hash, f.Spray)
	}
	if plain.Hash.Seed != s.Fabric.Hash.Seed || plain.Hash.Role != s.Fabric.Hash.Role || plain.Balance != BalanceECMP {
		t.Errorf("%+v", plain.Hash)
	}
	for name, want := range map[string][2]bool{"rail1": {true, false}, "spine1": {false, true}, "rail11": {}, "spine": {false, true}} {
		if got := [2]bool{s.Fabric.Switches[0].Matches(name), s.Fabric.Switches[1].Matches(name)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	var keys []string
	for _, d := range s.Differences(&f) {
		keys = append(keys, fmt.Sprint(d.Key, " ", d.Own, " for ", d.Others))
	}
	got := strings.Join(keys, ", ")
	for _, want := range []string{"hash.seed role for ", "spray.pick drill for ", "spray.samples 3 for 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, "balance") || strings.Contains(got, "buffer") || len(s.Differences(&s.Fabric)) > 0 {
		t.Errorf("%s; %v of itself", got, s.Differences(&s.Fabric))
	}
	if key := s.Fabric.SwitchesKey(); key != "fabric.switches" {
		t.Error(key)
	}
	s.Fabric.Config = Some("configs")
	if key := s.Fabric.SwitchesKey(); key != "fabric.config" {
		t.Error(key)
	}
}

// Parameters that an entry gives and its switch does not use are told of, each group by itself.
func TestIdleParameters(t *testing.T) {
	all := SwitchProfile{}
	all.Flowlet.Gap = Some(unit.Microsecond)
	all.DLB.Gap = Some(unit.Microsecond)
	all.Spray.Samples, all.Spray.Memory, all.Spray.Grades = Some(1), Some(1), Some(1)
	all.Spray.QueueMin, all.Spray.QueueMax = Some[unit.Bytes](1), Some[unit.Bytes](2)
	all.Resilient.Buckets = Some(4)
	ofSpray := "spray.samples spray.memory spray.grades spray.queue_min spray.queue_max"
	for _, c := range []struct {
		balance    Balancer
		mode, pick string
		want       string
	}{
		{BalanceECMP, "", "", "flowlet dlb dlb.gap spray " + ofSpray + " resilient"},
		{BalanceFlowlet, "", "", "dlb dlb.gap spray " + ofSpray + " resilient"},
		{BalanceDLB, "per-packet", "", "flowlet dlb.gap spray " + ofSpray + " resilient"},
		{BalanceGLB, "flowlet", "", "flowlet spray " + ofSpray + " resilient"},
		{BalanceSpray, "", "drill", "flowlet dlb dlb.gap spray.grades spray.queue_min spray.queue_max resilient"},
		{BalanceSpray, "", "least-queue", "flowlet dlb dlb.gap spray.samples spray.memory resilient"},
		{BalanceResilient, "", "", "flowlet dlb dlb.gap spray " + ofSpray},
	} {
		f := &Fabric{Balance: c.balance}
		f.DLB.Mode, f.Spray.Pick = c.mode, c.pick
		if got := strings.Join(all.Idle(f), " "); got != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.balance, c.mode, c.pick, got, c.want)
		}
		if got := new(SwitchProfile).Idle(f); len(got) > 0 {
			t.Errorf("%s: %v of an entry that gives nothing", c.balance, got)
		}
	}
}

// Presets of the book are segments of four hosts with two ports for each GPU.
func TestPresetsOfTheBook(t *testing.T) {
	for preset, hosts := range map[string]int{"book-segment": 4, "book-pod": 8, "book-multi-pod": 16} {
		s := parsed(t, "preset: "+preset+"\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n")
		f := &s.Fabric
		if s.Cluster.Hosts != hosts || s.Cluster.Host.GPUs != 8 || s.Cluster.NIC.Ports != 2 ||
			s.Cluster.NIC.Speed != 200*unit.GigabitPerSec ||
			f.Rails.Segment != Some(4) || f.Rails.PerLeaf != 8 || f.Links.Peer != 2 {
			t.Errorf("%s: %+v, segment %v", preset, s.Cluster, f.Rails.Segment)
		}
	}
}

// Parts of a second are no seeds, and neither is what comes twice, backwards or in too great a number.
func TestSeedsOfASweep(t *testing.T) {
	for text, want := range map[string]string{
		"7": "[7]", "0": "[0]", "1, 5..7": "[1 5 6 7]", "3..3": "[3]", "18446744073709551615": "[18446744073709551615]",
		"x": "want seeds such as", "1..x": "want seeds such as", "-1": "want seeds such as", "": "want seeds such as",
		"5..4": "4 is before 5",
		"1,1":  "seed 1 twice", "1..3,2": "seed 2 twice", "1..100001": "more than 100000", "1,10..100009": "more than 100000",
	} {
		seeds, err := ParseSeeds(text)
		got := fmt.Sprint(seeds)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || (err == nil) != strings.HasPrefix(want, "[") {
			t.Errorf("%q: %.80s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]int{"1..100000": 100_000, "0,5..100003": 100_000} {
		if seeds, err := ParseSeeds(text); err != nil || len(seeds) != want {
			t.Errorf("%q: %d, %v", text, len(seeds), err)
		}
	}
}

// What is wrong in a sweep, each alone.
func TestWhatIsWrongInASweep(t *testing.T) {
	const base = "base: a.yaml\n"
	for _, c := range [][2]string{
		{"[1]", "s.yaml"},
		{base + "axes: [{key: fabric.spines, values: []}]", "want a list of values"},
		{base + "axes: [{key: fabric.spines, values: 3}]", "want a list of values"},
		{base + "axes: [{key: fabric.spines, values: [1, ~]}]", "2:41: axes[0].values: entry 2: no value"},
		{base + "axes: [{key: fabric.spines, values: [1]}, {key: fabric.spines, values: [2]}]",
			"axes[1].key: fabric.spines: twice"},
		{base + "axes: [{key: seed, values: [1]}]\nseeds: 4", "seed, beside seeds"},
		{base + "axes: [{key: fabric.spines, range: 1..}]", "axes[0].range"},
		{base + "axes: [{key: fabric.spines, values: [1], when: fabric.balance}]", "want KEY = VALUE"},
		{base + "axes: [{key: fabric.spines, values: [1], when: fabric.balanse = dlb}]", "did you mean fabric.balance?"},
		{base + "axes: [{key: fabric.spines, values: [1], when: fabric.balance = }]", "no value, want KEY = VALUE"},
		{base + "axes: [{key: fabric.spines, values: [1], when: fabric.spines = 1}]",
			"fabric.spines is an axis that comes later"},
		{base + "axes: [{key: xyz, values: [1]}]", "want one such as fabric.spines"},
		{base + "find: {range: 1..9, with: drops == 0}", "find: want one of smallest and largest"},
		{base + "find: {smallest: fabric.spines, largest: seed, range: 1..9, with: drops == 0}",
			"find: want one of smallest and largest"},
		{base + "find: {smallest: seed, range: 1..9, with: drops == 0}\naxes: [{key: seed, values: [1]}]",
			"find.smallest: seed: is an axis too"},
		{base + "find: {largest: seed, range: 1..9, with: drops == 0}\naxes: [{key: seed, values: [1]}]",
			"find.largest: seed: is an axis too"},
		{base + "seeds: 1\nwhere: []", "where"},
		{base + "seeds: 1\nwhere: [[a]]", "entry 1: a list, want a condition"},
		{base + "seeds: 1\nwhere: [\"1 <\"]", "s.yaml:3:13: where[0]: the end"},
		{"base: ' '\nseeds: 1", "want the file of a scenario"},
		{base + "maximise: {largest: ' ', points: 4}\naxes: [{key: seed, range: 1..9}]", "want the name of a figure"},
	} {
		text, want := c[0], c[1]
		_, err := ParseSweep("s.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	s, err := ParseSweep("s.yaml", []byte(base+"axes: [{key: fabric.spines, values: [1]}]\n"+
		"maximise: {smallest: drops, points: 4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if name, largest := s.Maximise.Figure(); name != "drops" || largest {
		t.Errorf("%s, largest: %v", name, largest)
	}
	for path, want := range map[string]string{"axes[0].values": "s.yaml:2:37: axes[0].values: no; so",
		"axes[0].values[3]": "s.yaml:2:37: ",
		"axes[0]":           "s.yaml:2:8: ", "maximise.smallest": "s.yaml:3:22: ", "nothing": "s.yaml: nothing: no"} {
		p := s.Located(path, "no", "so")
		if got := p.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Requirements: what is twice, which numbers go with which, and where a finding stands.
func TestWhatIsWrongInARequirement(t *testing.T) {
	const base = "gpus: 8\nbackend: {leaf: tomahawk4}\n"
	for _, c := range [][2]string{
		{base + "prices: [{item: a, each: 1USD}, {item: b, each: 1USD}, {item: a, each: 1USD}]",
			"3:63: prices[2].item: a: twice"},
		{base + "prices: [{item: a, each: 1}]", "want a price"},
		{base + "prices: [{item: a, each: USD}]", "want a price"},
		{base + "prices: [{item: a, each: 1.USD}]", "want a price"},
		{base + "prices: [{item: a, each: 1usd}]", "want a price"},
		{base + "prices: [{item: a, each: 1234567890123USD}]", "want a price"},
		{base + "prices: [{item: a, each: -1USD}]", "want a price"},
		{base + "designs: []", "want a list of"},
		{"gpus: 12\nbackend: {leaf: tomahawk4}\n", "the nearest are 8 and 16"},
		{"gpus: 4\nbackend: {leaf: tomahawk4}\n", "the nearest are 8 and 8"},
		{base + "later: 12", "later: 12: want a multiple"},
		{"gpus: 8\nbackend: {leaf: tomahawk}\n", "did you mean tomahawk"},
		{"gpus: 8\nbackend: {leaf: xyzxyzxyz}\n", "docs/requirement.md lists them"},
		{"gpus: 8\nbackend: {leaf: tomahawk4, spine: xyzxyzxyz}", "backend.spine: xyzxyzxyz: no such model"},
	} {
		text, want := c[0], c[1]
		if _, err := ParseRequirement("r.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	r, err := ParseRequirement("r.yaml", []byte(base+"later: 16\nprices: [{item: a, each: 123456789012.5USD}, {item: b, each: 7USD}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := r.PriceOf("a"); a.String() != "123456789012.50USD" {
		t.Error(a)
	}
	if b, _ := r.PriceOf("b"); b.String() != "7USD" || RackUnit(8).String() != "8U" {
		t.Error(b)
	}
	for path, want := range map[string]string{"prices[1].each": "r.yaml:4:62: ",
		"prices[1].each.cents": "r.yaml:4:62: ", "host.gpus": "r.yaml: "} {
		for _, warning := range []bool{true, false} {
			if p := r.Located(path, "no", "so", warning); !strings.HasPrefix(p.String(), want) || p.Warning != warning || p.Hint != "so" {
				t.Errorf("%s: %s, a warning: %v", path, p.String(), p.Warning)
			}
		}
	}
	if got := []int{len(RequirementLists()), len(RequirementTable())}; got[0] != 2 || got[1] < 20 || RequirementKeys() != requirementTree {
		t.Errorf("%v", got)
	}
	if Keys() != tree || Keys().child("cluster") == nil {
		t.Error("the root of a scenario's keys is another")
	}
}

// Rates of computing are written in the largest unit that needs three decimals.
func TestRatesOfComputing(t *testing.T) {
	for f, want := range map[FLOPS]string{0: "0FLOP/s", 1: "1FLOP/s", 999_999: "999999FLOP/s", 1e6: "1MFLOP/s", 1_001_000: "1.001MFLOP/s",
		1_000_001: "1000001FLOP/s", 495e12: "495TFLOP/s", 1e15: "1PFLOP/s", 1_979e12: "1.979PFLOP/s", 1_979_500e9: "1979.5TFLOP/s",
		-5: "-5FLOP/s"} {
		if got := f.String(); got != want {
			t.Errorf("%d is %s, want %s", int64(f), got, want)
		}
		if back, err := ParseFLOPS(want); f >= 0 && (err != nil || back != f) {
			t.Errorf("%s: %d, %v", want, back, err)
		}
	}
	for _, text := range []string{"", "5", "x", "5 XFLOP/s", "0.5FLOP/s", "10000PFLOP/s", "1..5FLOP/s",
		strings.Repeat("1", 41) + "FLOP/s"} {
		if v, err := ParseFLOPS(text); err == nil {
			t.Errorf("%q: %d", text, v)
		}
	}
}

// Bounds of lists of whole numbers, of ratios and of seeds.
func TestBoundsOfValues(t *testing.T) {
	wide := func(n int) string {
		return "cluster: {hosts: 1, host: {gpus: 1}}\njob: {train: {layers: [" + strings.Repeat("1, ", n-1) +
			"1], data: d, batch: 1, lr: 0.1}}\n"
	}
	for _, c := range []struct{ text, want string }{
		{wide(2), ""}, {wide(1), "1 entries, want at least 2"}, {wide(1000), ""}, {wide(1001), "1001 entries, want at most 1000"},
		{two + "fabric: {qos: {pfc: {alpha: 1e9}}}\n", "not plain digits, write 1000000000"},
		{two + "fabric: {qos: {pfc: {alpha: 1.000000001e9}}}\n", "too large for a ratio"},
		{two + "fabric: {qos: {pfc: {alpha: 1e99999}}}\n", "alpha"},
		{two + "seed: 18446744073709551615\n", ""}, {two + "seed: 18446744073709551616\n", "want 0 to 18446744073709551615"},
		{two + "seed: 007\n", "seed"}, {two + "seed: 0\n", ""}, {two + "seed: 0xffffffffffffffff\n", "write 18446744073709551615"},
	} {
		_, err := Parse("t.yaml", []byte(c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.120q: %v, want %q", c.text, err, c.want)
		}
	}
}

// A switch of its own wants the upper threshold above the lower one, also where one of them is that of all.
func TestThresholdsOfASwitch(t *testing.T) {
	for _, c := range []struct{ fabric, own, want string }{
		{"balance: dlb", "dlb: {load_min: 0.5, load_max: 0.6}", ""},
		{"balance: dlb", "dlb: {load_min: 0.6, load_max: 0.6}", "load_max"},
		{"balance: dlb, dlb: {load_min: 0.5, load_max: 0.6}", "dlb: {load_max: 0.4}", "want more than load_min"},
		{"balance: dlb, dlb: {load_min: 0.5, load_max: 0.6}", "dlb: {load_min: 0.7}", "want more than load_min"},
		{"balance: dlb", "dlb: {queue_min: 10kB, queue_max: 20kB}", ""},
		{"balance: dlb", "dlb: {queue_min: 20kB, queue_max: 20kB}", "want more than queue_min"},
		{"balance: spray, spray: {pick: least-queue}", "spray: {queue_min: 10kB, queue_max: 20kB}", ""},
		{"balance: spray, spray: {pick: least-queue}", "spray: {queue_min: 20kB, queue_max: 20kB}", "want more than queue_min"},
		{"balance: spray, spray: {pick: least-queue, queue_min: 10kB, queue_max: 20kB}",
			"spray: {queue_max: 9kB}", "want more than queue_min"},
		{"balance: spray, spray: {pick: least-queue, queue_min: 10kB, queue_max: 20kB}",
			"spray: {queue_min: 21kB}", "want more than queue_min"},
	} {
		_, err := Parse("t.yaml", []byte(two+"fabric:\n  "+strings.ReplaceAll(c.fabric, ", spray:", "\n  spray:")+
			"\n  switches: [{match: rail1, "+c.own+"}]\n"))
		if strings.Contains(c.fabric, ", dlb:") {
			_, err = Parse("t.yaml", []byte(two+"fabric:\n  "+strings.ReplaceAll(c.fabric, ", dlb:", "\n  dlb:")+
				"\n  switches: [{match: rail1, "+c.own+"}]\n"))
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, of its own %s: %v, want %q", c.fabric, c.own, err, c.want)
		}
	}
}

// Where all GPUs of a host take part, and no more, nothing is sent over the fabric; where the last host has some to spare, that is said.
func TestRanksOnHosts(t *testing.T) {
	for ranks, want := range map[int]string{3: "3: all ranks are on host1", 4: "4: all ranks are on host1",
		5: "5: the last host has 1 of its 4 GPUs in use",
		8: ""} {
		s := parsed(t, fmt.Sprintf("cluster: {hosts: 2, host: {gpus: 4}}\n"+
			"job: {train: {layers: [4, 2], data: d, batch: 1, lr: 0.1}, parallel: {dp: %d}}\n", ranks))
		got := ""
		for _, f := range s.Findings() {
			if f.Path == "job.parallel.dp" {
				got += f.Message
			}
		}
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%d ranks: %q, want %q", ranks, got, want)
		}
	}
}

// What shorthands make is told, of those with a load how much that is and when the last begins.
func TestWhatShorthandsMake(t *testing.T) {
	s := parsed(t, `cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}
background:
  flows:
    - {from: host1/gpu0, to: host2/gpu0, bytes: 1kB}
    - {pattern: all-to-all, load: 30%, bytes: 10kB, during: 100us}
`)
	b := &s.Background
	var sum unit.Bytes
	made := b.Flows[1:]
	for _, f := range made {
		sum += f.Bytes
	}
	want := fmt.Sprintf("background.flows[1] makes %s, pattern all-to-all, at a load of 30.0 %%, %s in all, the last at %s",
		unit.CountOf(int64(len(made)), "flow"), sum.Human(), made[len(made)-1].Start.Human())
	if got := s.Made(); !reflect.DeepEqual(got, []string{want}) || len(made) < 2 {
		t.Errorf("%q, want %q", got, want)
	}
}
