package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"railyard/internal/unit"
)

// beyond are the complaints of the decoder that a schema does not share: about the
// text and not the value, bounds of quantities, and rules between fields.
var beyond = regexp.MustCompile(strings.Join([]string{
	`duplicate key`, `not YAML`, `UTF-8`, `control character`, `tab character`, `not accepted in a scenario`, `second document`, `nested deeper`,
	`leading zero`, `not plain digits`, `finer than`, `too (large|small)`, `remove the quotes`, `put it in quotes`, `not a whole number`,
	`must differ`, `is above max`, `do not fit`, `more ranks than GPUs`, `one step takes more`, `no such (host|gpu|nic)`, `the sender too`, `same NIC`,
	`are not connected`, `the name of`, `no period`, `has no effect`, `would be posted`, `two ends of a link`, `would be negative`, `PFC would never act`,
	`less than one packet`, `there is no class for it`, `no window to scale`, `a CNP has a size`, `both headroom`, `NICs per host, want 1`, `do not spread evenly`,
	`wants an acknowledgement of every packet`, `keeps a window of its own`, `probabilities differ`, `does nothing`, `has no effect without`, `comes from one host`, `above cluster`, `too small for`, `: want true or false`, `: True`, `.*: want a number such as`, `printable`, `longer than`,
}, "|"))

// The schema accepts what the decoder accepts, and refuses what it refuses but for
// the complaints listed above: on every golden case and every example.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	s := loadSchema(t)
	refused, cases := 0, 0
	for name, src := range schemaCases(t) {
		_, err := Parse("job.yaml", []byte(src))
		var v any
		if yaml.Unmarshal([]byte(src), &v) != nil || !utf8.ValidString(src) {
			if err == nil {
				t.Errorf("%s: not YAML, but the decoder takes it", name)
			}
			continue
		}
		cases++
		if v == nil {
			v = map[string]any{}
		}
		why := s.check(s.root, normal(v), "")
		if err == nil && why != "" {
			t.Errorf("%s: the decoder takes it, the schema does not: %s\n%s", name, why, src)
		}
		if why != "" {
			refused++
		}
		if err == nil || why != "" {
			continue
		}
		for _, p := range err.(Problems) {
			if !beyond.MatchString(p.String()) {
				t.Errorf("%s: the schema takes what the decoder refuses: %s", name, p)
			}
		}
	}
	if refused < 20 || cases < 40 {
		t.Errorf("the schema refused %d of %d cases: too few to compare", refused, cases)
	}
}

// Whatever valid values a file gives, the schema takes them.
func TestSchemaTakesDrawnScenarios(t *testing.T) {
	s := loadSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		src := drawnScenario(t)
		parsed, err := Parse("x.yaml", []byte(src))
		if err != nil {
			return
		}
		for _, text := range []string{src, string(parsed.YAML())} {
			var v any
			if err := yaml.Unmarshal([]byte(text), &v); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if why := s.check(s.root, normal(v), ""); why != "" {
				t.Fatalf("%s\n%s", why, text)
			}
		}
	})
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
	var b strings.Builder
	printKeys(&b, tree, "", values)
	return b.String()
}

// Every key of the table is in the schema, with a description.
func TestSchemaHasEveryField(t *testing.T) {
	s := loadSchema(t)
	for _, f := range Table() {
		at := s.root
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
				at = s.root["$defs"].(map[string]any)[strings.TrimSuffix(strings.TrimPrefix(key, "job."), "s[]")].(map[string]any)
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

// normal turns what the YAML library returns into what encoding/json would, with
// exact numbers.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = normal(v[k])
		}
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case uint64, int64, int, float64:
		return json.Number(fmt.Sprint(v))
	}
	return v
}

// A schemaFile is a parsed schema with the keywords that Schema uses.
type schemaFile struct {
	t    testing.TB
	root map[string]any
}

func loadSchema(t testing.TB) *schemaFile {
	s := &schemaFile{t: t}
	d := json.NewDecoder(strings.NewReader(string(Schema())))
	d.UseNumber()
	if err := d.Decode(&s.root); err != nil {
		t.Fatal(err)
	}
	return s
}

// check returns why value v does not match a schema, "" if it does.
func (s *schemaFile) check(schema any, v any, at string) string {
	if b, ok := schema.(bool); ok {
		if !b {
			return at + ": not allowed here"
		}
		return ""
	}
	m := schema.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if why := s.keyword(m, key, v, at); why != "" {
			return why
		}
	}
	return ""
}

func (s *schemaFile) keyword(m map[string]any, key string, v any, at string) string {
	arg := m[key]
	fail := func(format string, args ...any) string { return at + ": " + fmt.Sprintf(format, args...) }
	switch key {
	case "$schema", "title", "description", "default", "$defs", "then":
		return ""
	case "$ref":
		name := strings.TrimPrefix(arg.(string), "#/$defs/")
		return s.check(s.root["$defs"].(map[string]any)[name], v, at)
	case "type":
		if !hasType(v, arg.(string)) {
			return fail("%v is no %s", v, arg)
		}
	case "const":
		if fmt.Sprint(v) != fmt.Sprint(arg) || fmt.Sprintf("%T", v) != fmt.Sprintf("%T", arg) {
			return fail("%v is not %v", v, arg)
		}
	case "enum":
		if !slices.ContainsFunc(arg.([]any), func(e any) bool { return e == v }) {
			return fail("%v is none of %v", v, arg)
		}
	case "pattern":
		if text, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(text) {
			return fail("%q does not match %s", text, arg)
		}
	case "minimum", "maximum":
		if n, ok := v.(json.Number); ok && rational(n).Cmp(rational(arg.(json.Number))) == map[string]int{"minimum": -1, "maximum": 1}[key] {
			return fail("%v: %s %v", v, key, arg)
		}
	case "minItems", "maxItems", "minProperties":
		return s.size(key, arg.(json.Number), v, at)
	case "items", "properties", "additionalProperties", "required":
		return s.members(m, key, v, at)
	case "allOf":
		for _, part := range arg.([]any) {
			if why := s.check(part, v, at); why != "" {
				return why
			}
		}
	case "anyOf", "oneOf", "not", "if":
		return s.combine(m, key, v, at)
	default:
		s.t.Fatalf("keyword %s: the checker of this test does not know it", key)
	}
	return ""
}

func hasType(v any, kind string) bool {
	switch v := v.(type) {
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		return kind == "number" || kind == "integer" && rational(v).IsInt()
	}
	return false
}

func rational(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return new(big.Rat).SetInt64(1 << 62) // an infinity
	}
	return r
}

func (s *schemaFile) size(key string, arg json.Number, v any, at string) string {
	n, _ := arg.Int64()
	size := -1
	switch v := v.(type) {
	case []any:
		size = len(v)
	case map[string]any:
		size = len(v)
	}
	if size >= 0 && (strings.HasPrefix(key, "min") && int64(size) < n || key == "maxItems" && int64(size) > n) {
		return fmt.Sprintf("%s: %d entries, %s %d", at, size, key, n)
	}
	return ""
}

func (s *schemaFile) members(m map[string]any, key string, v any, at string) string {
	if list, ok := v.([]any); ok && key == "items" {
		for i, e := range list {
			if why := s.check(m[key], e, fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
	}
	have, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	props, _ := m["properties"].(map[string]any)
	if key == "required" {
		for _, r := range m[key].([]any) {
			if _, ok := have[r.(string)]; !ok {
				return fmt.Sprintf("%s: no %s", at, r)
			}
		}
		return ""
	}
	for _, k := range slices.Sorted(maps.Keys(have)) {
		p, known := props[k]
		switch {
		case key == "properties" && known:
			if why := s.check(p, have[k], at+"/"+k); why != "" {
				return why
			}
		case key == "additionalProperties" && !known:
			return fmt.Sprintf("%s/%s: unknown key", at, k)
		}
	}
	return ""
}

func (s *schemaFile) combine(m map[string]any, key string, v any, at string) string {
	switch key {
	case "not":
		if s.check(m[key], v, at) == "" {
			return at + ": matches what it must not"
		}
		return ""
	case "if":
		if s.check(m[key], v, at) == "" {
			return s.check(m["then"], v, at)
		}
		return ""
	}
	matches, first := 0, ""
	for _, sub := range m[key].([]any) {
		if why := s.check(sub, v, at); why == "" {
			matches++
		} else if first == "" {
			first = why
		}
	}
	if matches == 0 || key == "oneOf" && matches > 1 {
		return fmt.Sprintf("%s: matches %d of %s (%s)", at, matches, key, first)
	}
	return ""
}
