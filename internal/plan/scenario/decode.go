package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"railyard/internal/base/located"
)

// A decoder resolves one scenario. First it walks the tree and matches keys with
// the table; then it gives every field its value, in the table's order, so that a
// rule may look at fields above its own; then it checks fields against each other.
type decoder struct {
	file     string
	rows     func() []Field // every key of the file, for advice
	scenario *Scenario      // as far as it is resolved
	problems located.Problems
	keys     map[string]span   // where the key of a path stands
	values   map[string]*node  // the value given for a path
	preset   map[string]string // path -> value, from the presets chosen so far
	from     map[string]string // path -> "preset NAME" for the entries of preset
	origin   map[string]string
	bad      map[string]bool // fields whose value could not be found
	effort   int             // ends and flows that shorthands for flows went through
}

func newDecoder(file string) *decoder {
	return &decoder{file: file, rows: sync.OnceValue(Table), keys: map[string]span{}, values: map[string]*node{},
		preset: map[string]string{}, from: map[string]string{}, origin: map[string]string{}, bad: map[string]bool{}}
}

// decode decodes the whole file. The result means nothing if there are problems.
func (d *decoder) decode(root *node) *Scenario {
	s := &Scenario{}
	d.scenario = s
	if root.shape != mappingShape {
		d.at("", root.at, root.described()+", want the keys of a scenario: "+located.OneOf(tree.names()), "")
		return s
	}
	if d.mistaken(root, tree, requirementTree, "the keys of a requirement, want those of a scenario",
		"railyard design reads requirements") {
		return s
	}
	if d.mistaken(root, tree, sweepTree, "the keys of a sweep, want those of a scenario", "railyard sweep reads sweeps") {
		return s
	}
	d.walk(tree, root, "", s)
	d.resolve(fields, s, "")
	d.check(s)
	s.file, s.origin, s.places = d.file, d.origin, d.places()
	return s
}

// mistaken reports a file of another kind, once: it has several keys of that kind, and none that only
// its own has.
func (d *decoder) mistaken(root *node, own, other *Key, message, hint string) bool {
	var foreign []entry
	for _, e := range root.entries {
		switch mine := own.child(e.key) != nil; {
		case other.child(e.key) == nil:
			if mine {
				return false
			}
		case !mine:
			foreign = append(foreign, e)
		}
	}
	if len(foreign) < 2 {
		return false
	}
	d.at("", foreign[0].at, message, hint)
	return true
}

// places returns where the values and the groups of the file stand.
func (d *decoder) places() map[string]span {
	all := make(map[string]span, len(d.keys))
	for path, at := range d.keys {
		all[path] = at
	}
	for path, n := range d.values {
		all[path] = n.at
		for i, item := range n.items {
			if item.shape == scalarShape {
				all[fmt.Sprintf("%s[%d]", path, i)] = item.at
			}
		}
	}
	return all
}

// at adds a problem at a place.
func (d *decoder) at(path string, at span, message, hint string) {
	d.problems = append(d.problems, at.problem(d.file, path, message, hint))
}

// where finds the place to point at for a path: its value, its key, or the key of
// the nearest group that is in the file.
func (d *decoder) where(path string) span {
	if n := d.values[path]; n != nil {
		return n.at
	}
	for p := path; p != ""; p = parent(p) {
		if at, ok := d.keys[p]; ok {
			return at
		}
	}
	return span{1, 1, 1}
}

// problem adds a problem about a path.
func (d *decoder) problem(path, message, hint string) {
	d.at(path, d.where(path), message, hint)
}

// given reports whether the file has a value for path.
func (d *decoder) given(path string) bool { return d.values[path] != nil }

// text returns the scalar that the file gives for path, "" if none.
func (d *decoder) text(path string) string {
	if n := d.values[path]; n != nil && n.shape == scalarShape {
		return n.text
	}
	return ""
}

// parent returns the group of a path: job.flows[2].from -> job.flows[2] -> job.flows -> job.
func parent(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return ""
}

// walk matches the keys of mapping n with the keys of k.
func (d *decoder) walk(k *Key, n *node, prefix string, base any) {
	for _, e := range n.entries {
		path := prefix + e.key
		c := k.child(e.key)
		if c == nil {
			d.unknown(k, e, prefix)
			continue
		}
		if first, ok := d.keys[path]; ok {
			d.at(path, e.at, fmt.Sprintf("duplicate key, first on line %d", first.line), "")
			continue
		}
		d.keys[path] = e.at
		if c.Field.List() != nil || c.Field.Kind != Group && (len(c.Keys) == 0 || e.value.shape != mappingShape) {
			d.values[path] = e.value
			continue
		}
		if e.value.shape != mappingShape {
			d.group(c, e.value, path)
			continue
		}
		if c.Field.open != nil {
			c.Field.open(base)
		}
		d.walk(c, e.value, path+".", base)
	}
}

// group reports a value where keys belong.
func (d *decoder) group(c *Key, n *node, path string) {
	hint := ""
	if n.null() {
		hint = "remove the key, or write {}"
	}
	for _, key := range c.Keys {
		if n.shape == scalarShape && n.text != "" && slices.Contains(key.Field.names(), n.text) {
			hint = fmt.Sprintf("did you mean %s.%s: %s?", path, key.Name, n.text)
			break
		}
	}
	d.bad[path] = true
	d.at(path, n.at, n.described()+", want keys: "+located.OneOf(c.names()), hint)
}

// unknown reports a key that the table does not have, with the key that was likely
// meant, else with all that there are; of one that is known and not there, what it asks for.
func (d *decoder) unknown(k *Key, e entry, prefix string) {
	path := prefix + located.Shown(e.key)
	if d.problems.Full() {
		d.at(path, e.at, "unknown key", "") // counted: problems come in the order of the text, and so many are shown
		return
	}
	if k.Field != nil && k.Field.absent[e.key] != "" {
		d.at(path, e.at, k.Field.absent[e.key]+" is not there yet, want "+located.OneOf(k.names()), "")
		return
	}
	meant := suggest(e.key, k.names())
	for _, c := range k.Keys {
		if slices.Contains(c.Field.Also, e.key) {
			meant = c.Name
		}
	}
	if meant != "" {
		d.at(path, e.at, "unknown key", "did you mean "+meant+"?")
		return
	}
	hint := ""
	if !k.entry {
		hint = elsewhere(e.key, d.rows)
	}
	d.at(path, e.at, "unknown key, want "+located.OneOf(k.names()), hint)
}

// elsewhere says where a key belongs that was written in the wrong group.
func elsewhere(key string, rows func() []Field) string {
	for _, f := range rows() {
		if strings.HasSuffix(f.Path, "."+key) && !strings.Contains(f.Path, "[]") {
			return "there is a key " + f.Path
		}
	}
	return ""
}

// resolve gives every field of a table its value in base.
func (d *decoder) resolve(table []*Field, base any, prefix string) {
	for _, f := range table {
		v, path := f.at(base), prefix+f.Path
		switch {
		case v == nil:
		case f.List() != nil:
			d.entries(v, f, path)
		case f.Unfit(base) != "":
			why := f.Unfit(base)
			if d.given(path) && !d.bad[parent(path)] &&
				!(d.bad["fabric.design"] && strings.HasPrefix(path, "fabric.")) && !d.restsOnRefused(why) {
				d.problem(path, "has no meaning here: "+why, "remove it")
				d.problems[len(d.problems)-1].Unfit = true
			}
		default:
			d.field(v, f, base, path, prefix)
		}
	}
}

// restsOnRefused reports whether a reason names a key whose value was refused: what it would have been is not known.
func (d *decoder) restsOnRefused(why string) bool {
	return slices.ContainsFunc(strings.Fields(why), func(word string) bool { return d.bad[strings.TrimRight(word, ",:;")] })
}

// field gives one field its value: from the file, a preset, or its default.
func (d *decoder) field(v any, f *Field, base any, path, prefix string) {
	d.origin[path] = "default"
	n, text := d.values[path], f.Default
	if n != nil {
		d.origin[path] = "file"
		if hint, err := f.parseNode(v, n); err != nil {
			d.bad[path] = true
			d.at(path, placeOf(err, n), err.Error(), hint)
		}
	} else {
		if p, ok := d.preset[path]; ok {
			text, d.origin[path] = p, d.from[path]
		} else if f.derive != nil {
			text = f.derive(d, base, prefix)
		} else if f.Required {
			if f.chooser == "" || d.ok(strings.TrimSuffix(path, f.Path)+f.chooser) {
				d.missing(f, path)
			}
			return
		}
		if _, err := f.parseText(v, text); err != nil {
			d.bad[path] = true // it follows from another field that is bad and was reported
		}
	}
	if group, ok := presets[f.Path]; ok && prefix == "" {
		d.choose(*v.(*string), f, group, d.origin[path] == "default")
	}
}

// placeOf returns where an error is: at an entry of a list, or at the value as a whole.
func placeOf(err error, n *node) span {
	var e *entryError
	if errors.As(err, &e) {
		return e.at
	}
	return n.at
}

// choose takes the values of a preset. A preset that is not known was reported;
// the first one stands in, so that its group is not reported too. A preset that nobody
// chose leaves what an earlier, wider one has set.
func (d *decoder) choose(name string, f *Field, group map[string]map[string]string, unchosen bool) {
	values, ok := group[name]
	if !ok {
		name = f.Choices[0].Name
		values = group[name]
	}
	for path, text := range values { // order does not matter: paths differ
		if _, set := d.preset[path]; set && unchosen {
			continue
		}
		d.preset[path], d.from[path] = text, "preset "+name
	}
}

// missing reports a required field that is not in the file.
func (d *decoder) missing(f *Field, path string) {
	if f.Path == "train.data" && len(d.dataGroups(path)) > 0 || !d.ok(parent(path)) {
		return // given the other way, or its group was reported
	}
	d.bad[path] = true
	d.problem(path, "missing, want "+f.want(), "")
}
