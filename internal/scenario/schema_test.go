package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"railyard/internal/unit"
)

// beyond are the complaints of the decoder that a schema does not share: about the
// text and not the value, bounds of quantities, and rules between fields.
var beyond = regexp.MustCompile(strings.Join([]string{
	`duplicate key`, `not YAML`, `UTF-8`, `control character`, `tab character`, `not accepted in a scenario`, `second document`, `nested deeper`,
	`leading zero`, `not plain digits`, `finer than`, `too (large|small)`, `remove the quotes`, `put it in quotes`, `not a whole number`,
	`must differ`, `is above max`, `do not fit`, `more ranks than GPUs`, `one step takes more`, `no such (host|gpu|nic|rank)`, `the sender too`, `the (link|rank) of .* too`, `both length and delay`, `has no meaning here: it belongs to job.train`, `same NIC`,
	`are not connected`, `the name of`, `no period`, `has no effect`, `would be posted`, `two ends of a link`, `would be negative`, `PFC would never act`,
	`less than one packet`, `there is no class for it`, `no window to scale`, `a CNP has a size`, `both headroom`, `NICs per host, want 1`, `do not spread evenly`,
	`wants an acknowledgement of every packet`, `keeps a window of its own`, `probabilities differ`, `does nothing`, `has no effect without`, `comes from one host`, `above cluster`, `too small for`, `: want true or false`, `: True`, `.*: want a number such as`, `printable`, `longer than`,
}, "|"))

// The schema accepts what the decoder accepts, and refuses what it refuses but for
// the complaints listed above: on every golden case and every example.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	schema := compileSchema(t)
	refused, cases := 0, 0
	for name, src := range schemaCases(t) {
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
		src := drawnScenario(t)
		refusal, why := agree(schema, src)
		if why != "" {
			t.Fatal(why)
		}
		if refusal {
			refused++
			return
		}
		s, err := Parse("x.yaml", []byte(src))
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

// The rules between keys that the schema has: it and the decoder refuse each of these.
func TestSchemaHasRulesBetweenKeys(t *testing.T) {
	schema := compileSchema(t)
	const cluster, flow = "cluster: {hosts: 2}\n", "{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}"
	const flows, train = "job: {flows: [" + flow + "]}\n", "job: {train: {layers: [784, 10], batch: 2, lr: 0.1, data: {digits: {dir: d}}}}\n"
	for _, src := range []string{cluster + flows, cluster + train} {
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
		cluster + strings.TrimSuffix(flows, "}\n") + ", parallel: {dp: 2}}",
		cluster + strings.TrimSuffix(flows, "}\n") + ", collective: {channels: 2}}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {admission: {bytes: 1MB}}}",
		cluster + strings.TrimSuffix(train, "}\n") + ", collective: {schedule: s.txt, algorithm: ring}}",
		cluster + strings.Replace(flows, "1MB", "1MB, count: 2", 1),
	} {
		refusal, why := agree(schema, src)
		if _, err := Parse("job.yaml", []byte(src)); err == nil || !refusal || why != "" {
			t.Errorf("decoder: %v; schema refuses: %v %s\n%s", err, refusal, why, src)
		}
	}
}

// agree reports whether the schema refuses a file, and how it and the decoder differ, "" if they do not.
func agree(schema *jsonschema.Schema, src string) (refusal bool, why string) {
	_, err := Parse("job.yaml", []byte(src))
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
	for _, p := range err.(Problems) {
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
func compileSchema(t testing.TB) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("railyard.schema.json", schemaTree(t)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("railyard.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schemaTree(t testing.TB) map[string]any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func drawnScenario(t *rapid.T) string {
	values := map[string]string{}
	for _, f := range fields {
		if f.Kind != Group && listings[f.Kind] == nil && f.Path != "job.train.data" && rapid.IntRange(0, 5).Draw(t, "give "+f.Path) == 0 {
			values[f.Path] = drawValue(t, f)
		}
	}
	for path, v := range map[string]string{"cluster.hosts": "8", "job.train.layers": "[784, 10]", "job.train.batch": "2", "job.train.lr": "0.1", "job.train.data.digits.dir": "d"} {
		values[path] = v
	}
	delete(values, "job.train.data.digits.train")
	delete(values, "job.parallel.dp")
	src := dropRefused(values)
	if rapid.Bool().Draw(t, "whole") {
		return src
	}
	path := rapid.SampledFrom(slices.Sorted(maps.Keys(values))).Draw(t, "which")
	values[path] = rapid.SampledFrom([]string{"400", "-1", "0.5", "1e300", "true", "nonsense", "10 furlongs", `"4"`, "[1]", "[]", "{a: 1}", "{}", "~", "99999999999999999999"}).Draw(t, "broken")
	var b strings.Builder
	printKeys(&b, tree, "", values)
	return b.String()
}

// Every key of the table is in the schema, with a description.
func TestSchemaHasEveryField(t *testing.T) {
	root := schemaTree(t)
	for _, f := range Table() {
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
			if at = next; strings.HasSuffix(key, "[]") {
				list, _, _ := strings.Cut(f.Path, "[]")
				at = root["$defs"].(map[string]any)[listings[byPath[list].Kind].noun].(map[string]any)
			}
		}
		if d, _ := at["description"].(string); !strings.HasPrefix(d, f.Meaning) {
			t.Errorf("%s: description %q, want %q", f.Path, d, f.Meaning)
		}
	}
}

// The units in the schema are those that the decoder knows.
func TestUnitNames(t *testing.T) {
	parse := map[Kind]func(string) error{
		Rate:        func(s string) error { _, err := unit.ParseBitrate(s); return err },
		ByteRate:    func(s string) error { _, err := unit.ParseBitrate(s); return err },
		ComputeRate: func(s string) error { _, err := ParseFLOPS(s); return err },
		ByteCount:   func(s string) error { _, err := unit.ParseBytes(s); return err },
		Time:        func(s string) error { _, err := unit.ParseDuration(s); return err },
		Distance:    func(s string) error { _, err := unit.ParseLength(s); return err },
	}
	known := map[string]bool{}
	for _, names := range unitNames {
		for _, u := range names {
			known[u] = true
		}
	}
	for kind, names := range unitNames {
		for u := range known {
			if err := parse[kind]("1" + u); (err == nil) != slices.Contains(names, u) {
				t.Errorf("%s in %s: %v", kind, u, err)
			}
		}
	}
}

// schemaCases returns every golden case and example by name.
func schemaCases(t *testing.T) map[string]string {
	cases := map[string]string{}
	golden, _ := filepath.Glob("testdata/*.txt")
	for _, file := range golden {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range strings.Split(string(raw), "\n====\n") {
			src, _, _ := strings.Cut(c, "\n----")
			cases[fmt.Sprintf("%s case %d", file, i+1)] = unescape(src)
		}
	}
	examples, _ := filepath.Glob("../../examples/*.yaml")
	for _, file := range examples {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases[file] = string(raw)
	}
	return cases
}
