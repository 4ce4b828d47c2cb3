package schema

import (
	"bytes"
	"encoding/json"

	"railyard/internal/plan/scenario"
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

// JSON returns the schema of a scenario, indented.
func JSON() []byte {
	return of("Railyard scenario", "A cluster, a fabric, a transport and jobs: what `railyard run` runs.",
		scenario.Keys(), scenario.Lists(), between())
}

// Requirement returns the schema of a requirement, indented.
func Requirement() []byte {
	return of("Railyard requirement", "What a cluster must do and stand in: what `railyard design` sizes.",
		scenario.RequirementKeys(), scenario.RequirementLists(), nil)
}

// Sweep returns the schema of a sweep, indented.
func Sweep() []byte {
	return of("Railyard sweep", "Which variants of a scenario are run: what `railyard sweep` reads.",
		scenario.SweepKeys(), scenario.SweepLists(), nil)
}

// of returns the schema of a file with these keys and rules between them.
func of(title, description string, keys *scenario.Key, lists []*scenario.List, rules map[string]object) []byte {
	root := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", title},
		{"description", description},
	}
	root = append(root, groupSchema(keys, "", rules)...)
	defs := object{}
	for _, l := range lists {
		defs = append(defs, member{l.Noun, groupSchema(l.Keys, l.Path, rules)})
	}
	root = append(root, member{"$defs", defs})
	b, err := json.Marshal(root)
	if err != nil {
		panic("schema: " + err.Error())
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		panic("schema: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// groupSchema is the schema of a mapping with the keys of k.
func groupSchema(k *scenario.Key, path string, rules map[string]object) object {
	props, required := object{}, []string{}
	for _, c := range k.Keys {
		below := c.Name
		if path != "" {
			below = path + "." + c.Name
		}
		props = append(props, member{c.Name, keySchema(c, below, rules)})
		if needed(c) {
			required = append(required, c.Name)
		}
	}
	o := object{{"type", "object"}}
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	o = append(o, member{"properties", props}, member{"additionalProperties", false})
	return append(o, rules[path]...)
}

// needed reports whether a file must have the key: where its group is given, or
// where it is a group that is always there and has such a key. One that has a meaning only beside
// some value of another is between's.
func needed(k *scenario.Key) bool {
	if k.Field.Kind != scenario.Group {
		return k.Field.Required && !k.Field.Conditional()
	}
	if k.Field.Optional() {
		return false
	}
	for _, c := range k.Keys {
		if needed(c) {
			return true
		}
	}
	return false
}

// keySchema is the schema of one key at a path: its value, with what an editor shows.
func keySchema(k *scenario.Key, path string, rules map[string]object) object {
	f := k.Field
	o := object{{"description", describe(f)}}
	switch {
	case f.Kind == scenario.Group && len(k.Keys) == 0: // a file of another kind, with a schema of its own
		return append(o, member{"type", "object"}, member{"minProperties", 1})
	case f.Kind == scenario.Group:
		return append(o, groupSchema(k, path, rules)...)
	case f.List() != nil && f.List().Single:
		return append(o, member{"$ref", "#/$defs/" + f.List().Noun})
	case f.List() != nil:
		return append(o, member{"type", "array"}, member{"minItems", 1},
			member{"items", object{{"$ref", "#/$defs/" + f.List().Noun}}})
	case len(k.Keys) > 0: // a value, or a group instead of it
		keys := append(groupSchema(k, path, rules), member{"minProperties", 1})
		return append(o, member{"anyOf", []any{valueSchema(f), keys}})
	}
	if d := defaultJSON(f); d != nil {
		o = append(o, member{"default", d})
	}
	if f.Word != "" {
		var any []any
		for _, w := range f.Words() {
			any = append(any, object{{"const", w}})
		}
		return append(o, member{"anyOf", append(any, valueSchema(f))})
	}
	return append(o, valueSchema(f)...)
}

// describe is what an editor shows for a key.
func describe(f *scenario.Field) string {
	t := f.Meaning
	if f.Kind == scenario.Group || f.List() != nil {
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

// valueSchema is the schema of a value without its words.
func valueSchema(f *scenario.Field) object {
	forms := f.Forms()
	if len(forms) == 1 {
		return formSchema(&forms[0])
	}
	var any []any
	for i := range forms {
		any = append(any, formSchema(&forms[i]))
	}
	return object{{"anyOf", any}}
}

func formSchema(f *scenario.Form) object {
	o := object{{"type", f.Type}}
	add := func(given bool, key string, value any) {
		if given {
			o = append(o, member{key, value})
		}
	}
	add(f.Pattern != "", "pattern", f.Pattern)
	add(f.Names != nil, "enum", f.Names)
	add(f.Min != "", "minimum", json.Number(f.Min))
	add(f.Max != "", "maximum", json.Number(f.Max))
	add(f.Least > 0, "minItems", f.Least)
	add(f.Most > 0, "maxItems", f.Most)
	if f.Entry != nil {
		o = append(o, member{"items", formSchema(f.Entry)})
	}
	return o
}

// defaultJSON returns the fixed default of a field as YAML would read it, else nil.
func defaultJSON(f *scenario.Field) any {
	switch {
	case f.Default == "":
		return nil
	case f.Default == f.Word || f.Default == f.Other:
		return f.Default
	}
	switch f.Kind {
	case scenario.Whole, scenario.Number:
		return json.Number(f.Default)
	case scenario.Bool:
		return f.Default == "true"
	}
	return f.Default
}
