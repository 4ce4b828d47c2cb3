package sonic

import "strings"

// tablesOf are the tables of a text. Redis has keys TABLE|KEY, which dumps of it keep: they are put into their tables. An
// object that has nothing but tables is a wrapper, such as fixtures have.
func tablesOf(all *node) (tables []*node) {
	index := map[string]*node{}
	for _, t := range unwrapped(all.below) {
		table, key, flat := strings.Cut(t.key, "|")
		if !flat {
			tables = append(tables, t)
			continue
		}
		of := index[table]
		if of == nil {
			of = &node{key: table, line: t.line}
			index[table] = of
			tables = append(tables, of)
		}
		t.key = key
		of.below = append(of.below, t)
	}
	return tables
}

// unwrapped puts the tables of a wrapper in its place.
func unwrapped(all []*node) (out []*node) {
	for _, t := range all {
		_, table := known[t.key]
		if flat := strings.Contains(t.key, "|"); flat || table || ofNoMatter[t.key] || t.plain || !wraps(t) {
			out = append(out, t)
			continue
		}
		out = append(out, t.below...)
	}
	return out
}

// wraps reports whether all that an object has is known as a table.
func wraps(t *node) bool {
	for _, b := range t.below {
		if _, table := known[b.key]; !table && !ofNoMatter[b.key] {
			return false
		}
	}
	return len(t.below) > 0
}
