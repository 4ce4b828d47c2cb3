package scenario

import (
	"slices"
	"strings"
)

// Field is one row of the table: everything there is to know about a key.
type Field struct {
	Path     string            // fabric.links.spine; job.flows[].from for a key of a flow
	Kind     Kind              // of value
	Default  string            // as in a file; empty: see Rule, or Required
	Rule     string            // in words, how the default is found when it is not fixed
	Min, Max string            // as in a file; empty: no bound
	Word     string            // a word accepted instead of a value: none, auto, layer, all
	Other    string            // of an Either: its second word
	Choices  []Choice          // of a Name
	Synonyms map[string]string // of a Name: other words for a choice
	Required bool              // where its group is given
	called   map[string]string // of a Name: what people call a choice elsewhere, for suggestions
	chooser  string            // of Required: the key that says whether it has a meaning
	Meaning  string
	Source   string   // of the default
	Also     []string // what people call it elsewhere, for suggestions
	// of a Group: keys that people know and that are not there, with what they ask for
	absent map[string]string

	value   variable                                         // the zero value: a group
	derive  func(d *decoder, base any, prefix string) string // the default by Rule
	applies func(base any) string                            // why the field has no meaning here; "" where it has
	open    func(base any)                                   // of a Group that may be absent: makes it
	check   func(text string) string                         // of a Text: what is wrong with it, "" if nothing
	pattern string                                           // of a Text: check as a regular expression, nearly
	example string                                           // what would be accepted, if the kind does not say it
}

// at returns a pointer to the variable of the field, nil where its group is absent.
func (f *Field) at(base any) any {
	if f.value.at == nil {
		return nil
	}
	return f.value.at(base)
}

// parseNode reads the value of the field from a scalar or, for a list, a sequence, into the
// variable that v points to. The error names the value and what would be accepted; hint may
// suggest something.
func (f *Field) parseNode(v any, n *node) (hint string, err error) {
	return f.value.kind.readNode(v, f, n)
}

// parseText reads a value from its text and checks its bounds.
func (f *Field) parseText(v any, text string) (hint string, err error) {
	return f.value.kind.readText(v, f, text)
}

// format prints a value as parseText reads it.
func (f *Field) format(v any) string { return f.value.kind.formatted(v, f) }

// yaml prints a value so that YAML reads the same text and type back.
func (f *Field) yaml(v any) string { return f.value.kind.inFile(v, f) }

// List returns the list of mappings that the field holds, else nil.
func (f *Field) List() *List {
	if f.Kind == Group {
		return nil
	}
	return f.value.kind.facts().rows
}

// Forms returns what the value may look like to a program that knows only JSON's types. The words
// that are accepted instead are not among them.
func (f *Field) Forms() []Form { return f.value.kind.facts().forms(f) }

// Optional reports whether the field is a group that a scenario may be without.
func (f *Field) Optional() bool { return f.open != nil }

// Conditional reports whether the field has a meaning in some scenarios only: see Unfit.
func (f *Field) Conditional() bool { return f.applies != nil }

// Unfit says why the field has no meaning in a scenario, or in an entry of a list such as a job; ""
// where it has one.
func (f *Field) Unfit(base any) string {
	if f.applies == nil {
		return ""
	}
	return f.applies(base)
}

// where is a condition of fields that are found in a B.
func where[B any](unfit func(*B) string) func(base any) string {
	return func(base any) string { return unfit(base.(*B)) }
}

// A Key is a key of a file with the keys below it. It is not to be changed.
type Key struct {
	Name  string
	Field *Field // nil at a root
	Keys  []*Key

	entry bool // the root of the keys of an entry of a list
}

func (k *Key) child(name string) *Key {
	for _, c := range k.Keys {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (k *Key) names() []string {
	ns := make([]string, len(k.Keys))
	for i, c := range k.Keys {
		ns[i] = c.Name
	}
	return ns
}

// fields and the tables of lists (flowFields, ...) are the table, in the order of a printed
// scenario; tree, flowTree, ... are the same by key. protocolFields come last: whether they have a
// meaning is known when the jobs are.
var (
	fields = slices.Concat(generalFields, clusterFields, fabricFields, routingFields, balanceFields, captureFields, transportFields,
		congestionFields, algorithmFields, runFields, largeFields, protocolFields)
	tree         = grow(fields)
	flowTree     = grow(flowFields)
	entryTree    = grow(entryFields)
	faultTree    = grow(faultFields)
	linkTree     = grow(linkFields)
	switchTree   = grow(switchFields)
	slowTree     = grow(slowFields)
	hostLinkTree = grow(hostLinkFields)
	rowTree      = grow(rowFields)
	bucketTree   = grow(bucketFields)
	jobTree      = grow(jobFields)
	byPath       = index(fields)
)

// Keys returns the root of the keys of a scenario.
func Keys() *Key { return tree }

// grow builds the tree of a table and fills the kinds.
func grow(table []*Field) *Key {
	root := &Key{}
	for _, f := range table {
		f.Kind = Group
		if f.value.kind != nil {
			f.Kind = f.value.kind.facts().name
		}
		k := root
		parts := strings.Split(f.Path, ".")
		for _, p := range parts[:len(parts)-1] {
			if k = k.child(p); k == nil {
				panic("scenario: field " + f.Path + " stands before its group")
			}
		}
		key := &Key{Name: parts[len(parts)-1], Field: f}
		if l := f.List(); l != nil && l.Single {
			key.Keys = l.Keys.Keys
		}
		k.Keys = append(k.Keys, key)
	}
	return root
}

func index(table []*Field) map[string]*Field {
	m := make(map[string]*Field, len(table))
	for _, f := range table {
		if m[f.Path] != nil {
			panic("scenario: field " + f.Path + " twice in the table")
		}
		m[f.Path] = f
	}
	return m
}

// Table returns every field of a scenario in order, groups first; keys of a flow, a fault and so on
// are listed once, as job.flows[].from and faults[].link. For documentation and schemas.
func Table() []Field { return rows(fields, "") }

// rows lists a table below a prefix, with the keys of its lists' entries.
func rows(table []*Field, prefix string) (all []Field) {
	for _, f := range table {
		row := *f
		row.Path = prefix + f.Path
		all = append(all, row)
		if l := f.List(); l != nil && row.Path != "background.flows" && row.Path != "jobs" {
			all = append(all, rows(l.table, l.entry(row.Path, -1)+".")...)
		}
	}
	return all
}
