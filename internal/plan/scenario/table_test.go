package scenario

import (
	"strings"
	"testing"
)

// fullJob is a job in which every group is there.
func fullJob() *Job {
	data := Data{Digits: &Drawn{}, Shapes: &Drawn{}, Images: &Pictures{}, Text: &Corpus{Grammar: &Grammar{}}}
	return &Job{Train: &Train{Data: data}, Model: &LargeModel{}, Replay: &Replay{}}
}

// full is a scenario in which every group is there.
func full() *Scenario {
	return &Scenario{Jobs: []Job{*fullJob()}}
}

// Every row says what its field means, and its default, bounds and choices can be
// read by its own parser.
func TestTable(t *testing.T) {
	check := func(f *Field, base any) {
		if f.Meaning == "" {
			t.Errorf("%s: no meaning", f.Path)
		}
		if f.Kind == Group || f.List() != nil {
			return
		}
		if f.Default != "" {
			if _, err := f.parseText(f.at(base), f.Default); err != nil {
				t.Errorf("%s: default: %v", f.Path, err)
			}
			if got := f.format(f.at(base)); got != f.Default && f.Kind != ByteCount && f.Kind != Time {
				t.Errorf("%s: default %s prints as %s", f.Path, f.Default, got)
			}
		}
		if f.DefaultText() == "" {
			t.Errorf("%s: neither default nor rule nor required", f.Path)
		}
		if (f.Rule != "") != (f.derive != nil) && !strings.Contains(f.Rule, "preset") {
			t.Errorf("%s: a rule in words and one in code belong together", f.Path)
		}
		for _, bound := range []string{f.Min, f.Max} {
			if bound == "" {
				continue
			}
			if _, err := f.parseText(f.at(base), bound); err != nil {
				t.Errorf("%s: bound: %v", f.Path, err)
			}
		}
		if f.Kind != Money && f.value.kind.facts().quantity && (f.Min == "" || f.Max == "") {
			t.Errorf("%s: a quantity without bounds", f.Path)
		}
		switch f.Kind {
		case Text:
			if f.check == nil {
				t.Errorf("%s: text without a check", f.Path)
			}
		case Name:
			for _, c := range f.Choices {
				if c.Name == "" || c.Meaning == "" || c.Name != strings.ToLower(c.Name) {
					t.Errorf("%s: choice %+v", f.Path, c)
				}
			}
		}
	}
	for _, f := range fields {
		if f.Kind != WholeList {
			check(f, full())
		}
	}
	for _, f := range jobFields {
		if f.Kind != WholeList {
			check(f, fullJob())
		}
	}
	for _, f := range flowFields {
		check(f, &Flow{})
	}
	for _, f := range entryFields {
		check(f, &FlowEntry{})
	}
	for _, f := range faultFields {
		check(f, &Fault{})
	}
	for _, f := range bucketFields {
		check(f, &ReplayBucket{})
	}
}

// Every name of a preset has values, and they are values of fields of its group.
func TestPresets(t *testing.T) {
	for path, group := range presets {
		f := byPath[path]
		if f == nil || len(f.Choices) != len(group) {
			t.Fatalf("%s: %d presets for the field %+v", path, len(group), f)
		}
		for _, c := range f.Choices {
			values, ok := group[c.Name]
			if !ok {
				t.Errorf("%s: %s has no values", path, c.Name)
			}
			for p, text := range values {
				g := byPath[p]
				if g == nil || path != "preset" && !strings.HasPrefix(p, parent(path)+".") {
					t.Fatalf("%s: %s: sets %s", path, c.Name, p)
				}
				if _, err := g.parseText(g.at(full()), text); err != nil {
					t.Errorf("%s: %s: %s: %v", path, c.Name, p, err)
				}
			}
		}
	}
	for _, f := range fields { // what only a preset gives must be in all of them
		if f.Rule != "from the preset" {
			continue
		}
		for name, values := range presets["cluster.host.preset"] {
			if values[f.Path] == "" {
				t.Errorf("preset %s does not set %s", name, f.Path)
			}
		}
	}
}

// A misspelt key of any field gets that field as a suggestion.
func TestSuggestEveryKey(t *testing.T) {
	for _, f := range Table() {
		if strings.Contains(f.Path, "[]") {
			continue
		}
		name := f.Path[strings.LastIndex(f.Path, ".")+1:]
		if len(name) < 5 {
			continue
		}
		swapped := name[:1] + name[2:3] + name[1:2] + name[3:]
		k := tree
		for p := range strings.SplitSeq(parent(f.Path), ".") {
			if p != "" {
				k = k.child(p)
			}
		}
		if got := suggest(swapped, k.names()); swapped != name && got != name {
			t.Errorf("%s: %s suggests %q", f.Path, swapped, got)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"spines", "spine", 1}, {"clutser", "cluster", 1}, {"kitten", "sitting", 3},
		{"ab", "ba", 1}} {
		if got := Edits(c.a, c.b); got != c.want {
			t.Errorf("Edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
