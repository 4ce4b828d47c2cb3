package scenario

import "fmt"

// A listing is a field that holds a list of mappings: flows, faults. Each entry has the keys of a table of its own.
type listing struct {
	noun    string // one entry; also its name in the schema
	example string
	table   []*Field
	tree    *branch
	add     func(list any) any // appends an empty entry and returns it
	entries func(list any) []any
}

// listings by kind; made by init, because the tables name their kinds.
var listings map[Kind]*listing

func init() {
	listings = map[Kind]*listing{
		FlowList:  newListing[Flow]("flow", "- {from: host1/gpu0, to: host2/gpu0, bytes: 10MB}", flowFields, flowTree),
		FaultList: newListing[Fault]("fault", "- {link: rail1/spine1, at: 1ms, down: 50ms}", faultFields, faultTree),
		LinkList:  newListing[NamedLink]("link", "- {link: rail1/host2, rate: 100Gb/s}", linkFields, linkTree),
		SlowList:  newListing[SlowRank]("slow", "- {rank: 3, factor: 1.5}", slowFields, slowTree),
	}
}

func newListing[T any](noun, example string, table []*Field, tree *branch) *listing {
	return &listing{noun: noun, example: example, table: table, tree: tree,
		add: func(list any) any {
			l := list.(*[]T)
			*l = append(*l, *new(T))
			return &(*l)[len(*l)-1]
		},
		entries: func(list any) []any {
			l := *list.(*[]T)
			all := make([]any, len(l))
			for i := range l {
				all[i] = &l[i]
			}
			return all
		}}
}

// listed reports whether a branch holds the keys of an entry of a list.
func listed(b *branch) bool {
	for _, l := range listings { // order does not matter
		if l.tree == b {
			return true
		}
	}
	return false
}

// entries resolves a list of mappings.
func (d *decoder) entries(dst any, f *Field, s *Scenario, path string) {
	n, l := d.values[path], listings[f.Kind]
	if n == nil {
		return
	}
	if n.shape != sequenceShape {
		d.bad[path] = true
		d.problem(path, n.described()+", want "+examples[f.Kind]+": "+l.example, "")
		return
	}
	if len(n.items) == 0 {
		d.bad[path] = true
		d.problem(path, "an empty list, want at least one "+l.noun, "remove the key")
		return
	}
	for i, item := range n.items {
		entry := fmt.Sprintf("%s[%d]", path, i)
		d.keys[entry] = item.at
		v := l.add(dst)
		if item.shape != mappingShape {
			d.bad[entry] = true
			d.problem(entry, item.described()+", want keys: "+list(l.tree.names()), "")
			continue
		}
		d.walk(l.tree, item, entry+".", v)
		d.resolve(l.table, s, v, entry+".")
	}
}
