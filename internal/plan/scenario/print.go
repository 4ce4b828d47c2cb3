package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"railyard/internal/base/located"
)

// YAML returns the resolved scenario: every field with its final value. Parsing it
// gives an equal scenario.
func (s *Scenario) YAML() []byte {
	var b strings.Builder
	writeKeys(&b, tree, s, "")
	return []byte(b.String())
}

// writeKeys writes the keys below k, which are found in base.
func writeKeys(b *strings.Builder, k *Key, base any, indent string) {
	for _, c := range k.Keys {
		f := c.Field
		if f.Kind == Group {
			printGroup(b, c, base, indent)
			continue
		}
		v, ok := value(f, base)
		if !ok {
			continue
		}
		if l := f.List(); l != nil {
			printList(b, l, v, c.Name, indent)
			continue
		}
		if len(c.Keys) > 0 && printGroup(b, c, base, indent) { // a path, or the group below it
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, c.Name, f.yaml(v))
	}
}

// printGroup writes a group, unless nothing is in it.
func printGroup(b *strings.Builder, k *Key, base any, indent string) bool {
	var inner strings.Builder
	writeKeys(&inner, k, base, indent+"  ")
	if inner.Len() > 0 {
		fmt.Fprintf(b, "%s%s:\n%s", indent, k.Name, inner.String())
	}
	return inner.Len() > 0
}

// value returns the variable of a field, if the field has a meaning in base.
func value(f *Field, base any) (any, bool) {
	v := f.at(base)
	return v, v != nil && f.Unfit(base) == ""
}

// printList writes a list: entries with groups in several lines, others in one.
func printList(b *strings.Builder, l *List, v any, name, indent string) {
	entries := l.of(v)
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "%s%s:\n", indent, name)
	for _, e := range entries {
		switch {
		case l.Single:
			writeKeys(b, l.Keys, e, indent+"  ")
		case slices.ContainsFunc(l.Keys.Keys, func(k *Key) bool { return k.Field.Kind == Group }):
			var inner strings.Builder
			writeKeys(&inner, l.Keys, e, indent+"    ")
			fmt.Fprintf(b, "%s  - %s", indent, strings.TrimPrefix(inner.String(), indent+"    "))
		default:
			var parts []string
			for _, f := range l.table {
				if v, ok := value(f, e); ok {
					parts = append(parts, f.Path+": "+f.yaml(v))
				}
			}
			fmt.Fprintf(b, "%s  - {%s}\n", indent, strings.Join(parts, ", "))
		}
	}
}

// textYAML prints text in quotes, unless YAML reads it as that text without them.
func textYAML(_ *Field, s string) string {
	n := node{text: s}
	plain := !n.null() && !n.bool() && !n.number()
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
		plain = plain && (letter || i > 0 && strings.ContainsRune("-./", r))
	}
	if plain {
		return s
	}
	return quoteYAML(s)
}

// quoteYAML prints text in double quotes (YAML 1.2.2 section 7.3.1). The text holds
// no control characters.
func quoteYAML(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// FieldValue is one line of `show scenario`.
type FieldValue struct {
	Path    string
	Value   string // as a file would have it
	Kind    Kind
	Unit    string // the unit of Value, "" where it has none
	Default string // the value or the rule
	Bounds  string // what is accepted
	Meaning string
	Source  string // of the default or the preset's value; "given": the file says; "assumed": nobody states it
	Origin  string // "file", "preset NAME" or "default"
}

// Fields lists every field that has a meaning in this scenario, in the table's order,
// entries of flow lists included.
func (s *Scenario) Fields() []FieldValue {
	var out []FieldValue
	s.each(func(v any, f *Field, path string) { out = append(out, s.show(v, f, path)) })
	return out
}

// each visits the variables of all fields that have a meaning in this scenario, in the table's order.
func (s *Scenario) each(visit func(v any, f *Field, path string)) {
	var list func(table []*Field, base any, prefix string)
	list = func(table []*Field, base any, prefix string) {
		for _, f := range table {
			v, ok := value(f, base)
			if !ok || f.Path == "train.data" && *v.(*string) == "" {
				continue
			}
			l := f.List()
			if l == nil {
				visit(v, f, prefix+f.Path)
				continue
			}
			for i, e := range l.of(v) {
				list(l.table, e, l.entry(prefix+f.Path, i)+".")
			}
		}
	}
	list(fields, s, "")
}

// Outside finds the files and folders that the scenario names and that do not lie below the folder in which railyard runs, by
// their names: links are followed nowhere.
func (s *Scenario) Outside() (all located.Problems) {
	s.each(func(v any, f *Field, path string) {
		if f.pattern != pathPattern {
			return
		}
		if name := f.format(v); !filepath.IsLocal(filepath.FromSlash(name)) {
			all = append(all, s.Located(Finding{Severity: Error, Path: path,
				Message: fmt.Sprintf("%s: leads out of the folder in which railyard runs (--local), want a name below it", name)}))
		}
	})
	return all
}

func (s *Scenario) show(v any, f *Field, path string) FieldValue {
	text := f.format(v)
	fv := FieldValue{Path: path, Value: text, Kind: f.Kind, Unit: unitOf(text, f), Default: f.DefaultText(),
		Bounds:  f.Accepts(),
		Meaning: f.Meaning, Source: f.DefaultSource(), Origin: s.origin[path]}
	switch name, preset := strings.CutPrefix(fv.Origin, "preset "); {
	case fv.Origin == "file":
		fv.Source = "given"
	case preset:
		fv.Source = presetMeaning(f.Path, name)
	}
	return fv
}

// DefaultSource says where the default comes from.
func (f *Field) DefaultSource() string {
	switch {
	case f.Source != "":
		return f.Source
	case f.Rule != "":
		return f.Rule
	case f.value.kind.facts().quantity:
		return assumed
	}
	return "Railyard's choice"
}

// presetMeaning returns what the preset is that gave path its value: one of the groups that path
// belongs to, the narrowest first, or one for the whole scenario.
func presetMeaning(path, name string) string {
	for p := parent(path); ; p = parent(p) {
		f := byPath["preset"]
		if p != "" {
			f = byPath[p+".preset"]
		}
		if f != nil && presets[f.Path][name] != nil {
			if _, sets := presets[f.Path][name][path]; sets {
				for _, c := range f.Choices {
					if c.Name == name {
						return c.Meaning
					}
				}
			}
		}
		if p == "" {
			return name
		}
	}
}

// unitOf returns the unit of a printed quantity.
func unitOf(text string, f *Field) string {
	if f.value.kind.facts().units == nil || text == f.Word || text == f.Other {
		return ""
	}
	return strings.TrimLeft(text, "0123456789.")
}

// DefaultText returns the default as in a file, or the rule that finds it.
func (f *Field) DefaultText() string {
	switch {
	case f.Default != "":
		return f.Default
	case f.Rule != "":
		return f.Rule
	case f.Required:
		return "required"
	}
	return ""
}

// Presets returns, of a field that names a preset, what each name sets: path -> value as in a file;
// of others nil.
func (f *Field) Presets() map[string]map[string]string { return presets[f.Path] }

// Accepts says what a field accepts: its choices or bounds.
func (f *Field) Accepts() string {
	if f.Min == "" && f.Max == "" {
		return f.want()
	}
	t := f.interval()
	if f.Word != "" {
		t = f.alsoWords(t)
	}
	return t
}
