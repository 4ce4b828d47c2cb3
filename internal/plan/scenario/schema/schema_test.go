package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/scenario/scenariotest"
)

// beyond are the complaints of the decoder that a schema does not share: about the
// text and not the value, bounds of quantities, and rules between fields.
var beyond = regexp.MustCompile(strings.Join([]string{
	`duplicate key`, `not YAML`, `UTF-8`, `control character`, `tab character`, `not accepted in a scenario`,
	`second document`, `nested deeper`,
	`leading zero`, `not plain digits`, `finer than`, `too (large|small)`, `remove the quotes`, `put it in quotes`,
	`not a whole number`, `: 0x[0-9a-fA-F]*_[0-9a-fA-F_]*: not hexadecimal digits`,
	`must differ`, `above max`, `want more than (load|queue)_min`, `do not fit`, `more ranks than GPUs`, `does not divide (the|size)`,
	`one step takes more`,
	`no such (host|gpu|GPU|nic|rank)`, `runs there already`, `GPUs for [0-9]* ranks`,
	`has no meaning here: (output\.(events|series) is|job\.placement lists)`,
	`: both [a-z_]* and [a-z_]*, want one of them`, `no flow is enabled`,
	`has no meaning here: (no (job\.model|collective) has|NICs have one port|transport\.(receiver|entropy) is)`, `: not of nvls`,
	`the sender too`, `the (link|rank) of .* too`, `both length and delay`,
	`has no meaning here: it belongs to job.train`, `same NIC`,
	`the name of`, `no period`, `has no effect`, `would be posted`, `two ends of a link`,
	`would be negative`, `PFC would never act`,
	`less than one packet`, `there is no class for it`, `no window to scale`, `nothing to split over`,
	`keeps no packet past a gap`, `a CNP has a size`, `both headroom`,
	`fabric.pods is 1: super-spines`, `each GPU has NICs of its own`, `do not spread evenly`,
	`wants an acknowledgement of every packet`, `keeps a window of its own`, `does nothing`,
	`of nothing, want`, `has no meaning for a`, `want (every|for) as well`, `no longer than it lasts`, `nothing is paused`,
	`nobody listens to pause`, `is what the switch has`, `nothing else is configured`,
	`has no effect without`, `comes from one port`, `above cluster`, `too small for`, `: want true or false`,
	`has no meaning here: cluster\.nic\.(ports|bond)`, `each port is on a switch of its own`, `a bond wants switches`,
	`NICs of their own`, `at one last switch`, `is of a NIC with one port`,
	`has no meaning here: fabric\.(balance|dlb\.mode|spray\.pick) is`, `do not go by the source port`, `packets overtake one another`,
	`want more than (load|queue)_min`, `it chooses whole paths`, `there is no other class`,
	`no algorithm of`, `has one size for all`, `: more than .*\.line`,
	`want whole (milli)?seconds`, `has bits set beyond its length`, `want an IPv6 prefix`, `fabric\.routing\.(protocol|bfd) is`,
	`cluster\.host\.graph is none`, `its paths follow the costs of links`, `capture\.links is none`, `transport\.setup is false`,
	`operations in all`, `over [0-9]* GPUs`, `buckets, want at most`, `: True`, `.*: want a number such as`, `printable`, `longer than`,
	`leaves none of the job`, `both steps and interval`, `\.(checkpoint\.interval are|restart is) none`,
	`ends where it begins`, `not after`, `several ends`, `more than half of the ends`, `makes (no flow|[0-9,]* flows)`, `want as many`,
	`the pattern has`, `no such flow`, `it is one flow`, `they are several flows`, `want flows:`, `load is none`, `no flow arrives`,
	`a flow arrives every`,
	// Sizes of a large model have to divide each other.
	`sequences for dp`, `do not divide a hidden size`, `heads, want as many`, `which rotary positions turn`, `without (experts|top_k)`,
	`experts, want at most as many`, `dense_layers: .* layers`, `has no FP8 products`, `job\.model updates at the end`,
	`missing, want a size, or a preset`, `experts, want at most as many`, `blocks, want at most as many`,
	`more than [0-9]* spans of`, `, no scenario; railyard lint`, `no job with ranks has that name`,
	`job\.parallel\.ep is 1`, `it belongs to job\.model and to rows of`, `cuts messages of data`, `length and delay are the cable's`,
	`flow_scale_range is 0`, `(high|flow_scale_max) .* is (below|not above)`,
	`more problems? from here on`, // the first hundred are judged
}, "|"))

// The schema accepts what the decoder accepts, and refuses what it refuses but for
// the complaints listed above: on every golden case and every example.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	schema := compileSchema(t)
	refused, cases := 0, 0
	for name, src := range scenariotest.Cases(t, "../../../..") {
		refusal, why := agree(schema, src)
		if why != "" {
			t.Errorf("%s: %s", name, why)
		}
		if cases++; refusal {
			refused++
		}
	}
	if refused < 20 || cases < 40 {
		t.Errorf("the schema refused %d of %d cases: too few to compare", refused, cases)
	}
}

// The same on whatever a file gives, valid or with something broken, and on what the
// decoder prints of it.
func TestSchemaAgreesOnDrawnScenarios(t *testing.T) {
	schema := compileSchema(t)
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := scenariotest.Draw(t)
		refusal, why := agree(schema, src)
		if why != "" {
			t.Fatal(why)
		}
		if refusal {
			refused++
			return
		}
		s, err := scenario.Parse("x.yaml", []byte(src))
		if err != nil {
			return
		}
		taken++
		if _, why := agree(schema, string(s.YAML())); why != "" {
			t.Fatal(why)
		}
	})
	if taken == 0 || refused == 0 {
		t.Errorf("%d scenarios taken and %d refused: want some of each", taken, refused)
	}
}

// The same where one character of a good file is another: those of lines that no file before has. A few
// in the quick test; RAILYARD_EDITS=all takes all of them.
func TestSchemaAgreesOneEditAway(t *testing.T) {
	schema := compileSchema(t)
	cases := scenariotest.Cases(t, "../../../..")
	draw, share := rand.New(rand.NewPCG(1, 1)), 0.01
	if os.Getenv("RAILYARD_EDITS") == "all" {
		share = 1
	}
	others := []string{"", "0", "1", "-", " ", "[", "]", ",", ".", "*", "/", "x", "B", "\"", "\u00a0", "é"}
	seen, taken, refused := map[string]bool{}, 0, 0
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		src := cases[name]
		if _, err := scenario.Parse("x.yaml", []byte(src)); err != nil || len(src) > 4<<10 {
			continue
		}
		start := 0
		for line := range strings.Lines(src) {
			from := start
			start += len(line)
			if text := strings.TrimSpace(line); seen[text] || strings.HasPrefix(text, "#") {
				continue
			} else {
				seen[text] = true
			}
			for i := range len(line) - 1 {
				for _, put := range append(others, line[i:i+1]+line[i:i+1]) {
					if draw.Float64() >= share {
						continue
					}
					refusal, why := agree(schema, src[:from+i]+put+src[from+i+1:])
					if why != "" {
						t.Errorf("%s: %s%s%s: %.400s", name, line[:i], put, line[i+1:], why)
					}
					if refusal {
						refused++
					} else {
						taken++
					}
				}
			}
		}
	}
	t.Logf("%d taken, %d refused", taken, refused)
	if taken < 100 || refused < 100 {
		t.Errorf("%d taken and %d refused: too few to compare", taken, refused)
	}
}

// What several ends may be, from which number and with which spaces.
func TestSchemaAgreesOnEnds(t *testing.T) {
	schema := compileSchema(t)
	for from, want := range map[string]bool{
		"host1/nic0": true, "host0/nic0": false, "host01/nic0": false, "host[1-2]/gpu0": true, "host[0-1]/gpu0": false,
		"host[0]/gpu0": false, "host[ 1 , 2 ]/gpu0": true, "host[1 -2]/gpu0": false, "host[[1]/gpu0": false,
		"host[*]/gpu[*]": true, "host[*]]/gpu[*]": false, "host[]/gpu0": false, "host[1,]/gpu0": false,
		"host[1]/gpu[0-1]": true, "host[1]/gpu[00-1]": false, "host1/gpu[\u00a01]": false,
	} {
		src := "cluster: {hosts: 2, host: {gpus: 2}}\njob: {flows: [{from: \"" + from + "\", to: host2/gpu1, pattern: each, bytes: 1MB}]}\n"
		refusal, why := agree(schema, src)
		if why != "" || refusal == want {
			t.Errorf("%s: refused %v, want taken %v; %s", from, refusal, want, why)
		}
	}
}

// A text with more problems than are kept is judged by those that are: what the decoder says of the
// rest is no complaint that a schema could share.
func TestSchemaAgreesWhereProblemsAreCut(t *testing.T) {
	src := "# " + strings.Repeat("\x01", 2*located.Most) + "\ncluster: {hosts: 2}\n" +
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"
	if _, err := scenario.Parse("x.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), "more problem") {
		t.Fatalf("want more problems than are kept: %v", err)
	}
	if refusal, why := agree(compileSchema(t), src); refusal || why != "" {
		t.Errorf("refused %v: %s", refusal, why)
	}
}

// FuzzSchema: whatever the text, the schema takes what the decoder takes, and refuses what it
// refuses.
func FuzzSchema(f *testing.F) {
	for _, src := range scenariotest.Cases(f, "../../../..") {
		f.Add([]byte(src))
	}
	schema := compileSchema(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, why := agree(schema, string(src)); why != "" {
			t.Fatal(why)
		}
	})
}

// The rules between keys that the schema has: it and the decoder refuse each of these.
func TestSchemaHasRulesBetweenKeys(t *testing.T) {
	schema := compileSchema(t)
	const cluster, flow = "cluster: {hosts: 2}\n", "{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}"
	const flows, train = "job: {flows: [" + flow + "]}\n",
		"job: {train: {layers: [784, 10], batch: 2, lr: 0.1, data: {digits: {dir: d}}}}\n"
	const replay = "job: {replay: {steps: 2, forward: 1ms, buckets: [{compute: 1ms, bytes: 4MB}, {bytes: 4B}]}, " +
		"hosts: [host1], collective: {channels: 2}}\n"
	for _, src := range []string{cluster + flows, cluster + train, cluster + replay} {
		if refusal, why := agree(schema, src); refusal || why != "" {
			t.Fatalf("refused without a rule: %s%s", why, src)
		}
	}
	for _, src := range []string{
		"cluster: {hosts: 2, nic: {shared: true, per_gpu: 2}}\n" + flows,
		cluster + flows + "fabric: {design: single-switch, spines: 2}",
		cluster + flows + "fabric: {design: single-switch, links: {spine: 400Gb/s}}",
		cluster + flows + "fabric: {design: single-switch, links: {parallel: 2}}",
		cluster + flows + "fabric: {design: custom}",
		cluster + flows + "fabric: {design: custom, topology: t.txt, spines: 2}",
		cluster + flows + "fabric: {design: custom, topology: t.txt, links: {host: 400Gb/s}}",
		cluster + flows + "fabric: {topology: t.txt}",
		cluster + flows + "fabric: {leaves: 2}",
		cluster + flows + "fabric: {vlans: isolated}",
		cluster + flows + "fabric: {dragonfly: {groups: 4}}",
		cluster + flows + "fabric: {design: rail-only, pods: 2}",
		cluster + flows + "fabric: {design: dragonfly, links: {superspine: 400Gb/s}}",
		cluster + flows + "fabric: {design: direct, segment: 2}",
		"cluster: {hosts: 2, nic: {shared: true, shared_by: 2}}\n" + flows,
		cluster + flows + "congestion: {algorithm: hpcc, g: 1/256}",
		cluster + flows + "congestion: {hpcc: {eta: 0.9}}",
		cluster + flows + "congestion: {timely: {low: 50us}}",
		cluster + flows + "congestion: {dctcp: {g: 1/16}}",
		cluster + flows + "congestion: {swift: {beta: 0.8}}",
		cluster + flows + "transport: {recovery: go-back-n, low_packets: 3}",
		cluster + "job: {name: nothing}",
		cluster + "job: {}",
		cluster + "job: {flows_csv: none}",
		cluster + strings.TrimSuffix(train, "}\n") + ", flows: [" + flow + "]}",
		cluster + strings.TrimSuffix(train, "}\n") + ", replay: {buckets: [{bytes: 4MB}]}}",
		cluster + strings.TrimSuffix(replay, "}\n") + ", parallel: {dp: 2}}",
		cluster + strings.Replace(replay, "channels: 2", "schedule: s.txt", 1),
		cluster + "job: {replay: {steps: 2}}",
		cluster + "job: {replay: {buckets: [{compute: 1ms}]}}",
		cluster + strings.TrimSuffix(flows, "}\n") + ", parallel: {dp: 2}}",
		cluster + "job: {collectives: [{op: reduce, bytes: 1MB}], parallel: {dp: 2}}",
		cluster + "job: {collectives: [{op: reduce, bytes: 1MB}], collective: {channels: 2}}",
		cluster + strings.TrimSuffix(flows, "}\n") + ", collective: {channels: 2}}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {admission: {bytes: 1MB}}}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {schedule: s.txt, algorithm: ring}}",
		cluster + strings.Replace(flows, "1MB", "1MB, count: 2", 1),
		cluster + strings.Replace(train, "layers: [784, 10], ", "", 1),
		cluster + strings.Replace(train, "layers: [784, 10]", "model: lstm", 1),
		cluster + strings.Replace(strings.Replace(train, "layers: [784, 10]", "model: gpt", 1), "{digits: {dir: d}}", "d", 1),
		cluster + strings.Replace(train, "layers: [784, 10]", "model: cnn, cnn: {image: [28, 28]}", 1),
		cluster + strings.TrimSuffix(train, "}\n") + ", placement: [host1/gpu0], gpus: [gpu0]}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {schedule: s.txt, slices: 2}}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {algorithm: nvls, protocol: ll}}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {admission: {slots: 2}, protocol: ll128}}",
	} {
		refusal, why := agree(schema, src)
		if _, err := scenario.Parse("job.yaml", []byte(src)); err == nil || !refusal || why != "" {
			t.Errorf("decoder: %v; schema refuses: %v %s\n%s", err, refusal, why, src)
		}
	}
}

// Beside each value of a key that decides which others have a meaning, the schema takes those keys
// of a training that the decoder takes, and no other.
func TestSchemaKnowsWhichKeysHaveMeaning(t *testing.T) {
	schema := compileSchema(t)
	taken, refused := 0, 0
	for _, f := range scenario.Table() {
		if !strings.HasPrefix(f.Path, "job.") || strings.Contains(f.Path, "[]") || !f.Conditional() {
			continue
		}
		for _, given := range deciding() {
			src := training(given, f.Path, example(&f))
			refusal, why := agree(schema, src)
			if why != "" {
				t.Errorf("%s beside %v: %s", f.Path, given, why)
			}
			if refusal {
				refused++
			} else {
				taken++
			}
		}
	}
	if taken < 500 || refused < 500 {
		t.Errorf("%d taken and %d refused: too few to compare", taken, refused)
	}
}

// deciding lists values, by path, of the keys that decide which others have a meaning.
func deciding() (all []map[string]string) {
	all = append(all, map[string]string{})
	for _, f := range scenario.Table() {
		switch f.Path {
		case "job.train.model", "job.train.optimiser", "job.train.schedule.kind", "job.train.init", "job.parallel.update":
			for _, c := range f.Choices {
				all = append(all, map[string]string{f.Path: c.Name})
			}
		case "job.parallel.schedule":
			for _, c := range f.Choices {
				all = append(all, map[string]string{f.Path: c.Name, "job.parallel.pp": "2"})
			}
		}
	}
	for _, low := range []string{"none", "0.1"} {
		all = append(all, map[string]string{"job.train.rnn.gate_low": low, "job.train.model": "lstm"})
	}
	for _, count := range []string{"none", "4"} {
		all = append(all, map[string]string{"job.train.gpt.experts.count": count, "job.train.model": "gpt"})
	}
	for path, values := range map[string][]string{
		"job.train.checkpoint.every": {"none", "epoch", "3"}, "job.placement": {"packed", "[host1/gpu0, host2/gpu0]"},
		"job.parallel.tp": {"1", "2"}, "job.parallel.pp": {"1", "2"}, "job.parallel.ep": {"1", "2"},
		"job.collective.admission.slots": {"none", "2"}, "job.collective.schedule": {"none", "s.txt"},
	} {
		for _, v := range values {
			all = append(all, map[string]string{path: v})
		}
	}
	return all
}

// training prints a training with the values given and one more.
func training(given map[string]string, path, value string) string {
	values := map[string]string{"cluster.hosts": "2", "job.train.batch": "2", "job.train.lr": "0.1", path: value}
	maps.Copy(values, given)
	switch values["job.train.model"] {
	case "", "mlp":
		values["job.train.layers"] = "[784, 10]"
	case "file":
		values["job.train.network"] = "net.txt"
	}
	if path != "job.train.data.text.path" {
		values["job.train.data.text.path"] = "d"
	}
	return scenariotest.File(values)
}

// example is a value that a key may have.
func example(f *scenario.Field) string {
	switch f.Path {
	case "job.train.layers":
		return "[784, 10]"
	case "job.train.cnn.image":
		return "[1, 28, 28]"
	case "job.parallel.dp", "job.collective.channels":
		return "2"
	}
	return f.Default
}

// agree reports whether the schema refuses a file, and how it and the decoder differ, "" if they do
// not.
func agree(schema *jsonschema.Schema, src string) (refusal bool, why string) {
	_, err := scenario.Parse("job.yaml", []byte(src))
	v, notJSON := asJSON(src)
	if notJSON != nil {
		if err == nil {
			return false, fmt.Sprintf("the decoder takes what is not JSON: %v\n%s", notJSON, src)
		}
		return false, ""
	}
	invalid := schema.Validate(v)
	switch {
	case err == nil && invalid != nil:
		return true, fmt.Sprintf("the decoder takes it, the schema does not: %v\n%s", invalid, src)
	case err == nil || invalid != nil:
		return invalid != nil, ""
	}
	for _, p := range err.(located.Problems) {
		if !beyond.MatchString(p.String()) {
			return false, fmt.Sprintf("the schema takes what the decoder refuses: %s\n%s", p, src)
		}
	}
	return false, ""
}

// asJSON returns what an editor hands to a validator: the YAML as JSON would read it.
func asJSON(src string) (any, error) {
	if !utf8.ValidString(src) {
		return nil, errors.New("not UTF-8")
	}
	v := any(map[string]any{})
	if err := yaml.Unmarshal([]byte(src), &v); err != nil {
		return nil, err
	}
	if v == nil {
		v = map[string]any{}
	}
	text, err := json.Marshal(v)
	if err != nil { // an infinity
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// compileSchema returns the schema, which is one of the draft it names.
func compileSchema(t testing.TB) *jsonschema.Schema { return compile(t, schemaTree(t)) }

func compile(t testing.TB, tree map[string]any) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("railyard.schema.json", tree); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("railyard.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schemaTree(t testing.TB) map[string]any { return treeOf(t, JSON()) }

func treeOf(t testing.TB, text []byte) map[string]any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// Every key of the table is in the schema, with a description.
func TestSchemaHasEveryField(t *testing.T) {
	root := schemaTree(t)
	nouns := map[string]string{}
	for _, l := range scenario.Lists() {
		nouns[strings.TrimSuffix(l.Path, "[]")] = l.Noun
	}
	for _, f := range scenario.Table() {
		at := root
		for key := range strings.SplitSeq(f.Path, ".") {
			if next, ok := at["anyOf"].([]any); ok && at["properties"] == nil {
				at = next[len(next)-1].(map[string]any)
			}
			props, _ := at["properties"].(map[string]any)
			next, _ := props[strings.TrimSuffix(key, "[]")].(map[string]any)
			if next == nil {
				t.Fatalf("%s: not in the schema", f.Path)
			}
			if ref, _ := next["$ref"].(string); ref != "" && strings.Count(f.Path, ".") > 0 {
				next = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			}
			if at = next; strings.HasSuffix(key, "[]") {
				list, _, _ := strings.Cut(f.Path, "[]")
				at = root["$defs"].(map[string]any)[nouns[list]].(map[string]any)
			}
		}
		if d, _ := at["description"].(string); !strings.HasPrefix(d, f.Meaning) {
			t.Errorf("%s: description %q, want %q", f.Path, d, f.Meaning)
		}
	}
}

// Defaults are there as YAML would read them: words, quantities as text, numbers and flags.
func TestDefaultsOfTheSchema(t *testing.T) {
	kinds := map[string]int{}
	for path, want := range map[string]any{"transport.mtu": "4096B", "seed": 1.0, "output.events": false,
		"transport.window": "none"} {
		var at any = schemaTree(t)
		for key := range strings.SplitSeq(path, ".") {
			props, ok := at.(map[string]any)["properties"].(map[string]any)
			if !ok || props[key] == nil {
				t.Fatalf("no %s", path)
			}
			at = props[key]
		}
		got := at.(map[string]any)["default"]
		if n, ok := got.(json.Number); ok {
			got, _ = n.Float64()
		}
		if got != want {
			t.Errorf("%s: %#v, want %#v", path, got, want)
		}
		kinds[fmt.Sprintf("%T", got)]++
	}
	if len(kinds) != 3 {
		t.Errorf("%v", kinds)
	}
}
