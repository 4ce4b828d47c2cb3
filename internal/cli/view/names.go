package view

import (
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/sheet"
	"railyard/internal/out/headline"
	"railyard/internal/plan/scenario"
)

// A NameList is names that belong together.
type NameList struct {
	Name  string  `json:"name"`  // the key that takes them: fabric.design
	About string  `json:"about"` // what they are
	Names []Named `json:"names"`
}

// Named is one of them.
type Named struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default bool   `json:"default,omitempty"`
}

// ListsNamed returns the lists whose key is name, or ends in it.
func ListsNamed(lists []NameList, name string) []NameList {
	var out []NameList
	for _, l := range lists {
		if l.Name == name || strings.HasSuffix(l.Name, "."+name) {
			out = append(out, l)
		}
	}
	return out
}

// ListNames are the keys of the lists.
func ListNames(lists []NameList) []string {
	names := make([]string, len(lists))
	for i, l := range lists {
		names[i] = l.Name
	}
	return names
}

// LastParts returns what follows the last period of each list's key.
func LastParts(lists []NameList) []string {
	names := ListNames(lists)
	for i, n := range names {
		names[i] = n[strings.LastIndex(n, ".")+1:]
	}
	return names
}

// NameLists returns every list: keys in the order of a scenario, then the rest.
func NameLists() []NameList {
	var all []NameList
	words := NameList{Name: "words", About: "accepted instead of a value"}
	for _, f := range scenario.Table() {
		for _, w := range []string{f.Word, f.Other} {
			if w != "" {
				words.Names = append(words.Names,
					Named{Name: f.Path + ": " + w, Meaning: f.Meaning, Default: f.Default == w})
			}
		}
		if len(f.Choices) == 0 {
			continue
		}
		l := NameList{Name: f.Path, About: f.Meaning}
		for _, c := range f.Choices {
			l.Names = append(l.Names, Named{c.Name, c.Meaning, c.Name == f.Default})
		}
		all = append(all, l)
	}
	values := NameList{Name: "values", About: "how the values of each kind are written"}
	for _, k := range scenario.Kinds() {
		values.Names = append(values.Names, Named{Name: k.Name, Meaning: k.Meaning})
	}
	causes := NameList{Name: "causes", About: "why time passed, in reports and tables; in a run's tables a column each"}
	for _, c := range cause.All() {
		causes.Names = append(causes.Names, Named{Name: c.String(), Meaning: c.Meaning()})
	}
	figures := NameList{Name: "figures", About: "the figures of a run, by the names that conditions of a sweep use"}
	for _, name := range headline.Names() {
		figures.Names = append(figures.Names, Named{Name: headline.Key(name), Meaning: name})
	}
	return append(all, words, values, causes, figures)
}

// NamesText prints lists: each name with what it means.
func NamesText(s *sheet.Sheet, lists []NameList) {
	for i, l := range lists {
		if i > 0 {
			s.Blank()
		}
		s.Hang("", "  ", l.Name+": "+l.About)
		var rows [][]string
		for _, n := range l.Names {
			meaning := n.Meaning
			if n.Default {
				meaning += " (default)"
			}
			rows = append(rows, []string{n.Name, meaning})
		}
		s.Grid("lw", rows)
	}
}
