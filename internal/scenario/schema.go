package scenario

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"railyard/internal/unit"
)

// An object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Schema returns the JSON Schema (draft 2020-12) of a scenario file, made from the
// table: for completion and first diagnostics in editors. What the decoder accepts the
// schema accepts. It refuses less: the bounds of quantities with units, duplicate
// keys, and most rules between fields are beyond it.
func Schema() []byte {
	root := groupSchema(tree, "")
	root = append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Railyard scenario"},
		{"description", "A cluster, a fabric, a transport and a job: what `railyard run` runs."},
	}, root...)
	root = append(root, member{"$defs", object{{"flow", groupSchema(flowTree, "job.flows[]")}, {"fault", groupSchema(faultTree, "faults[]")},
		{"link", groupSchema(linkTree, "fabric.links.named[]")}, {"slow", groupSchema(slowTree, "cluster.slow[]")}}})
	b, err := json.Marshal(root)
	if err != nil {
		panic("scenario: schema: " + err.Error())
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		panic("scenario: schema: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// groupSchema is the schema of a mapping with the keys of a branch.
func groupSchema(b *branch, path string) object {
	props, required := object{}, []string{}
	for _, c := range b.children {
		props = append(props, member{c.name, keySchema(c)})
		if c.needed() {
			required = append(required, c.name)
		}
	}
	if path == "" {
		required = append(required, "job") // a rule between fields, but a simple one
	}
	o := object{{"type", "object"}}
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	o = append(o, member{"properties", props}, member{"additionalProperties", false})
	return append(o, between[path]...)
}

// needed reports whether a file must have the key: where its group is given, or
// where it is a group that is always there and has such a key.
func (b *branch) needed() bool {
	if b.field.Kind != Group {
		return b.field.Required
	}
	if b.field.open != nil {
		return false
	}
	for _, c := range b.children {
		if c.needed() {
			return true
		}
	}
	return false
}

// keySchema is the schema of one key: its value, with what an editor shows.
func keySchema(b *branch) object {
	f := b.field
	o := object{{"description", describe(f)}}
	switch {
	case f.Kind == Group:
		return append(o, groupSchema(b, f.Path)...)
	case listings[f.Kind] != nil:
		return append(o, member{"type", "array"}, member{"minItems", 1}, member{"items", object{{"$ref", "#/$defs/" + listings[f.Kind].noun}}})
	case len(b.children) > 0: // a value, or a group instead of it
		keys := append(groupSchema(b, f.Path), member{"minProperties", 1})
		return append(o, member{"anyOf", []any{valueSchema(f), keys}})
	}
	if d := defaultJSON(f); d != nil {
		o = append(o, member{"default", d})
	}
	if f.Word != "" && f.Kind != Text {
		var any []any
		for _, w := range f.words() {
			any = append(any, object{{"const", w}})
		}
		return append(o, member{"anyOf", append(any, valueSchema(f))})
	}
	return append(o, valueSchema(f)...)
}

// describe is what an editor shows for a key.
func describe(f *Field) string {
	t := f.Meaning
	if f.Kind == Group || listings[f.Kind] != nil {
		return t
	}
	if d := f.DefaultText(); d != "" && !f.Required {
		t += "\nDefault: " + d
	}
	t += "\nAccepts: " + f.Accepts()
	if f.Source != "" {
		t += "\nSource: " + f.Source
	}
	return t
}

// valueSchema is the schema of a value without its word.
func valueSchema(f *Field) object {
	switch f.Kind {
	case Whole:
		return bounded(f, "integer")
	case Number:
		return bounded(f, "number")
	case WholeList:
		return object{{"type", "array"}, {"minItems", 2}, {"maxItems", 1000}, {"items", bounded(f, "integer")}}
	case NameList:
		return object{{"type", "array"}, {"minItems", 2}, {"maxItems", maxNames}, {"items", object{{"type", "string"}, {"pattern", nodePattern}}}}
	case Bool:
		return object{{"type", "boolean"}}
	case Name:
		names := make([]string, len(f.Choices))
		for i, c := range f.Choices {
			names[i] = c.Name
		}
		return object{{"type", "string"}, {"enum", names}}
	case Text:
		return object{{"type", "string"}, {"pattern", f.pattern}}
	case End:
		return object{{"type", "string"}, {"pattern", endpointText.String()}}
	case Fraction: // YAML reads 0.07 as a number, 7% and 1/8 as text
		return object{{"anyOf", []any{bounded(f, "number"),
			object{{"type", "string"}, {"pattern", `^\s*([0-9]+\s*/\s*[0-9]+|[0-9]+(\.[0-9]*)?\s*%?)\s*$`}}}}}
	}
	return object{{"type", "string"}, {"pattern", `^\s*[0-9]+(\.[0-9]+)?\s*(` + strings.Join(unitNames[f.Kind], "|") + `)\s*$`}}
}

// bounded is the schema of a plain number.
func bounded(f *Field, kind string) object {
	o := object{{"type", kind}}
	lo, hi := f.Min, f.Max
	if f.Kind == Whole && lo == "" && hi == "" { // a seed
		lo, hi = "0", strconv.FormatUint(math.MaxUint64, 10)
	}
	if lo != "" {
		o = append(o, member{"minimum", json.Number(decimal(lo))})
	}
	if hi != "" {
		o = append(o, member{"maximum", json.Number(decimal(hi))})
	}
	return o
}

// decimal writes a bound as JSON does: 1/1000 is 0.001.
func decimal(bound string) string {
	if !strings.ContainsAny(bound, "/%") {
		return bound
	}
	r, err := unit.ParseRatio(bound)
	if err != nil {
		panic("scenario: bound " + bound)
	}
	return strconv.FormatFloat(r.Float(), 'f', -1, 64)
}

// defaultJSON returns the fixed default of a field as YAML would read it, else nil.
func defaultJSON(f *Field) any {
	switch {
	case f.Default == "":
		return nil
	case f.Default == f.Word || f.Default == f.Other:
		return f.Default
	}
	switch f.Kind {
	case Whole, Number:
		return json.Number(f.Default)
	case Bool:
		return f.Default == "true"
	}
	return f.Default
}

// between holds the rules between the keys of a group that a schema can say. They
// follow the rules of the decoder; a test compares the two.
var between = map[string]object{
	"cluster.nic": {
		{"if", object{{"required", []string{"shared"}}, {"properties", object{{"shared", object{{"const", true}}}}}}},
		{"then", forbid("per_gpu")},
	},
	"fabric": {{"allOf", []any{
		when("design", "single-switch", object{{"properties", object{{"spines", false}, {"links", forbid("spine", "spine_length", "parallel")}}}}),
		when("design", "custom", object{{"required", []string{"topology"}},
			{"properties", object{{"spines", false}, {"links", forbid("host", "spine", "length", "spine_length", "parallel", "delay")}}}}),
		only("design", "custom", forbid("topology")),
		only("design", "leaf-spine", forbid("leaves")),
	}}},
	"congestion": {{"allOf", []any{
		unless("algorithm", "dcqcn", forbid(keysOf(congestionFields, "congestion")...)),
		only("algorithm", "hpcc", object{{"properties", object{{"hpcc", forbid(keysOf(algorithmFields, "congestion.hpcc")...)}}}}),
		only("algorithm", "timely", object{{"properties", object{{"timely", forbid(keysOf(algorithmFields, "congestion.timely")...)}}}}),
		only("algorithm", "dctcp", object{{"properties", object{{"dctcp", forbid(keysOf(algorithmFields, "congestion.dctcp")...)}}}}),
		only("algorithm", "swift", object{{"properties", object{{"swift", forbid(keysOf(algorithmFields, "congestion.swift")...)}}}}),
	}}},
	"transport": {{"allOf", []any{unless("recovery", "selective-repeat", forbid("timeout_low", "low_packets"))}}},
	"job": {
		{"oneOf", []any{object{{"required", []string{"train"}}}, object{{"anyOf", []any{object{{"required", []string{"flows"}}},
			object{{"required", []string{"flows_csv"}}, {"properties", object{{"flows_csv", object{{"not", object{{"const", "none"}}}}}}}}}}}}},
		{"if", object{{"anyOf", []any{object{{"required", []string{"flows"}}}, object{{"required", []string{"flows_csv"}}}}}}},
		{"then", object{{"properties", object{{"parallel", forbid("dp")}, {"collective", object{{"properties", object{{"schedule", false}, {"algorithm", false}, {"channels", false},
			{"admission", forbid("slots", "bytes")}}}}}}}}},
	},
	"job.collective.admission": {
		{"if", object{{"required", []string{"bytes"}}}},
		{"then", object{{"required", []string{"slots"}}}},
	},
	"job.collective": {
		{"if", object{{"required", []string{"schedule"}}, {"properties", object{{"schedule", object{{"not", object{{"const", "none"}}}}}}}}},
		{"then", forbid("algorithm")},
	},
	"job.flows[]": {
		{"if", object{{"required", []string{"count"}}, {"properties", object{{"count", object{{"minimum", 2}}}}}}},
		{"then", object{{"required", []string{"every"}}}},
	},
}

// when is the schema that holds then where a key has a value.
func when(key, value string, then object) object {
	return object{{"if", object{{"required", []string{key}}, {"properties", object{{key, object{{"const", value}}}}}}}, {"then", then}}
}

// only is the schema that holds then unless a key has a value that is not its default.
func only(key, value string, then object) object {
	return object{{"if", object{{"not", object{{"required", []string{key}}, {"properties", object{{key, object{{"const", value}}}}}}}}}, {"then", then}}
}

// keysOf lists the keys of a group that have no meaning without their algorithm.
func keysOf(table []*Field, group string) (keys []string) {
	var other Scenario // without an algorithm
	for _, f := range table {
		if f.applies != nil && parent(f.Path) == group && f.applies(&other) != "" {
			keys = append(keys, f.Path[len(group)+1:])
		}
	}
	return keys
}

// unless is the schema that holds then where a key is given with another value. A key that is not given proves nothing: its
// default or a preset may be that value.
func unless(key, value string, then object) object {
	return object{{"if", object{{"required", []string{key}}, {"properties", object{{key, object{{"not", object{{"const", value}}}}}}}}}, {"then", then}}
}

// forbid is the schema of a group that must not have these keys.
func forbid(keys ...string) object {
	props := object{}
	for _, k := range keys {
		props = append(props, member{k, false})
	}
	return object{{"properties", props}}
}
