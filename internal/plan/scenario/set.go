package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// A Change is one edit of a scenario's file: Text, as a file would have it, becomes the value of
// the key at Path (fabric.qos.pfc.enabled, job.flows[3].bytes; the entry after the last of a list
// is a new one), or the key or entry goes away.
type Change struct {
	Path   string
	Text   string
	Remove bool
}

// Set returns the scenario that the file would give if it had text as the value of path: presets
// and what follows from other keys are found anew, and everything is checked. The error, if any, is
// located.Problems.
func (s *Scenario) Set(path, text string) (*Scenario, error) {
	return s.With(Change{Path: path, Text: text})
}

// With returns the scenario that the file would give after some changes, made one after another. s
// stays as it is. The error, if any, is located.Problems: of all changes that cannot be made.
func (s *Scenario) With(changes ...Change) (*Scenario, error) {
	root := s.root
	if root == nil { // not from a file
		var ps located.Problems
		if root, ps = readTree(s.file, s.YAML()); len(ps) > 0 {
			return nil, ps.Sorted()
		}
	}
	var ps located.Problems
	for _, c := range changes {
		next, err := c.in(root)
		if err != nil {
			ps = append(ps, located.Problem{File: s.file, Path: c.Path, Message: err.Error(), Set: true})
			continue
		}
		root = next
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return decode(s.file, root, nil)
}

// WithFitting is With, without the keys that the changes leave without a meaning (sequence, of a layout whose layers are
// in one part): s had a meaning for each, so a change took it. The keys are returned, too.
func (s *Scenario) WithFitting(changes ...Change) (*Scenario, []string, error) {
	changes = slices.Clone(changes)
	var ignored []string
	for {
		next, err := s.With(changes...)
		var problems located.Problems
		if err == nil || !errors.As(err, &problems) {
			return next, ignored, err
		}
		for _, p := range problems {
			if !p.Unfit || slices.Contains(ignored, p.Path) {
				return nil, nil, err
			}
			ignored = append(ignored, p.Path)
			changes = append(changes, Change{Path: p.Path, Remove: true})
		}
	}
}

// Given reports whether the file, or a change of it, says something at path: only that can be removed.
func (s *Scenario) Given(path string) bool {
	root := s.root
	if root == nil { // not from a file
		root, _ = readTree(s.file, s.YAML())
	}
	_, err := edited(root, path, "", nil)
	return err == nil
}

// in returns a tree that the change has been made in.
func (c Change) in(root *node) (*node, error) {
	if c.Path == "" {
		return nil, errors.New("a scenario has keys, want the path of one such as fabric.spines")
	}
	value, err := c.value()
	if err != nil {
		return nil, err
	}
	return edited(root, c.Path, "", value)
}

// value reads the text of a change; nil removes.
func (c Change) value() (*node, error) {
	if c.Remove {
		return nil, nil
	}
	if strings.TrimSpace(c.Text) == "" {
		return &node{at: settled}, nil
	}
	n, ps := readTree("", []byte(c.Text))
	if len(ps) > 0 {
		return nil, fmt.Errorf("%s: %s", located.Shown(c.Text), ps[0].Message)
	}
	n.settle()
	return n, nil
}

// settled is the place of what stands in no file.
var settled = span{line: -1}

// settle marks a tree as one that stands in no file.
func (n *node) settle() {
	n.at = settled
	for i := range n.entries {
		n.entries[i].at = settled
		n.entries[i].value.settle()
	}
	for _, item := range n.items {
		item.settle()
	}
}

// edited returns a tree in which the value at path below n is another, or is not there (value nil).
// What is not on the way is shared with n. above is the path of n, for errors.
func edited(n *node, path, above string, value *node) (*node, error) {
	if path == "" {
		return value, nil
	}
	if rest, ok := strings.CutPrefix(path, "["); ok {
		return editedEntry(n, rest, above, value)
	}
	path = strings.TrimPrefix(path, ".")
	key, rest := path, ""
	if i := strings.IndexAny(path, ".["); i >= 0 {
		key, rest = path[:i], path[i:]
	}
	if key == "" || strings.HasSuffix(rest, ".") {
		return nil, fmt.Errorf("not the path of a key, want one such as fabric.spines or job.flows[0].bytes")
	}
	out := &node{shape: mappingShape, at: settled}
	if n != nil && n.shape == mappingShape { // a value gives way to keys, as it does in a file
		*out = *n
		out.entries = append([]entry(nil), n.entries...)
	}
	for i := range out.entries {
		if out.entries[i].key != key {
			continue
		}
		v, err := edited(out.entries[i].value, rest, above+"."+key, value)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
			out.entries = append(out.entries[:i], out.entries[i+1:]...)
		default:
			out.entries[i].value = v
		}
		return out, nil
	}
	if value == nil {
		return nil, fmt.Errorf("cannot be unset: the file does not have it")
	}
	v, err := edited(nil, rest, above+"."+key, value)
	out.entries = append(out.entries, entry{key, settled, v})
	return out, err
}

// editedEntry is edited for path "3]..." in a list, or "name]..." of the entry with that name. A list
// that loses its last entry goes away.
func editedEntry(n *node, path, above string, value *node) (*node, error) {
	digits, rest, closed := strings.Cut(path, "]")
	i, err := strconv.Atoi(digits)
	if k := n.named(digits); err != nil && k >= 0 {
		i, err = k, nil
	}
	if !closed || err != nil || i < 0 || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return nil, fmt.Errorf("not the path of a key, want an entry such as job.flows[0], or job.flows[a] of the one " +
			"whose name is a")
	}
	out := &node{shape: sequenceShape, at: settled}
	if n != nil && n.shape == sequenceShape {
		*out = *n
		out.items = append([]*node(nil), n.items...)
	}
	name, length := strings.TrimPrefix(above, "."), len(out.items)
	switch {
	case i > length || i == length && value == nil:
		have := "the list is not there"
		if length > 0 {
			have = fmt.Sprintf("%s has entries 0 to %d", name, length-1)
		}
		return nil, fmt.Errorf("no entry %d: %s", i, have)
	case i == length:
		out.items = append(out.items, nil)
	}
	v, err := edited(out.items[i], rest, fmt.Sprintf("%s[%d]", above, i), value)
	if err != nil {
		return nil, err
	}
	if out.items[i] = v; v == nil {
		out.items = append(out.items[:i], out.items[i+1:]...)
	}
	if len(out.items) == 0 {
		return nil, nil
	}
	return out, nil
}

// named returns the index of the entry of a list that has a name, -1 if none has.
func (n *node) named(name string) int {
	if n == nil {
		return -1
	}
	return slices.IndexFunc(n.items, func(item *node) bool {
		return slices.ContainsFunc(item.entries, func(e entry) bool { return e.key == "name" && e.value.text == name })
	})
}

// Source returns the text of a file that gives this scenario without its derived values: the file
// that it was read from, or one that says the same where changes were made.
func (s *Scenario) Source() []byte {
	if s.source != nil {
		return s.source
	}
	if s.root == nil {
		return s.YAML()
	}
	var b strings.Builder
	s.root.print(&b, "")
	return []byte(b.String())
}

// print writes a mapping with a line for each key.
func (n *node) print(b *strings.Builder, indent string) {
	for _, e := range n.entries {
		if e.value.shape == mappingShape && len(e.value.entries) > 0 {
			fmt.Fprintf(b, "%s%s:\n", indent, plainYAML(e.key))
			e.value.print(b, indent+"  ")
			continue
		}
		if s := e.value; s.shape == sequenceShape && len(s.items) > 0 && s.items[0].shape == mappingShape {
			fmt.Fprintf(b, "%s%s:\n", indent, plainYAML(e.key))
			for _, item := range s.items {
				if !item.nested() {
					fmt.Fprintf(b, "%s  - %s\n", indent, item.inline())
					continue
				}
				var inner strings.Builder
				item.print(&inner, indent+"    ")
				fmt.Fprintf(b, "%s  - %s", indent, strings.TrimPrefix(inner.String(), indent+"    "))
			}
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, plainYAML(e.key), e.value.inline())
	}
}

// nested reports whether a mapping holds mappings.
func (n *node) nested() bool {
	return slices.ContainsFunc(n.entries, func(e entry) bool { return e.value.shape == mappingShape })
}

// inline writes a value in one line.
func (n *node) inline() string {
	var parts []string
	switch n.shape {
	case mappingShape:
		for _, e := range n.entries {
			parts = append(parts, plainYAML(e.key)+": "+e.value.inline())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case sequenceShape:
		for _, item := range n.items {
			parts = append(parts, item.inline())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if n.quoted {
		return quoteYAML(n.text)
	}
	return plainYAML(n.text)
}

// plainYAML prints unquoted text as it is, where that is read back alike, else in quotes: it is
// then no number, and was none.
func plainYAML(t string) string {
	for i, r := range t {
		alone := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '/' ||
			r == '.' || r == '~'
		if !alone && (i == 0 || !strings.ContainsRune("-+%#", r)) {
			if (r == '-' || r == '+') && i == 0 && len(t) > 1 && (&node{text: t}).number() {
				continue
			}
			return quoteYAML(t)
		}
	}
	if t == "" {
		return "~"
	}
	return t
}
