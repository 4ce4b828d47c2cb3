package scenario

import "fmt"

// A List is a field that holds a list of mappings: flows, faults. Each entry has the keys of a
// table of its own.
type List struct {
	Noun string // one entry
	Path string // of an entry: job.flows[]
	Keys *Key   // those of an entry

	example string
	table   []*Field
	add     func(list any) any // appends an empty entry and returns it
	entries func(list any) []any
}

var (
	flowList = listOf[Flow](FlowList, "flow", "job.flows[]", "- {from: host1/gpu0, to: host2/gpu0, bytes: 10MB}",
		flowFields, flowTree)
	faultList = listOf[Fault](FaultList, "fault", "faults[]", "- {link: rail1/spine1, at: 1ms, down: 50ms}",
		faultFields, faultTree)
	linkList = listOf[NamedLink](LinkList, "link", "fabric.links.named[]", "- {link: rail1/host2, rate: 100Gb/s}",
		linkFields, linkTree)
	rowList = listOf[CollectiveRow](RowList, "collective", "job.collectives[]", "- {op: all-reduce, bytes: 64MB}",
		rowFields, rowTree)
	slowList = listOf[SlowRank](SlowList, "slow", "cluster.slow[]", "- {rank: 3, factor: 1.5}", slowFields, slowTree)
)

// Lists returns the lists of mappings that a scenario may have.
func Lists() []*List {
	return []*List{flowList.rows, faultList.rows, linkList.rows, slowList.rows, rowList.rows}
}

// listOf makes the kind of a list of mappings. It is read entry by entry, so it knows no text.
func listOf[T any](name Kind, noun, path, example string, table []*Field, keys *Key) *kind[[]T] {
	keys.entry = true
	l := &List{Noun: noun, Path: path, Keys: keys, example: example, table: table,
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
	return &kind[[]T]{traits: traits{name: name, want: "a " + string(name), rows: l}}
}

// entries resolves a list of mappings.
func (d *decoder) entries(dst any, f *Field, s *Scenario, path string) {
	n, l := d.values[path], f.List()
	if n == nil {
		return
	}
	if n.shape != sequenceShape {
		d.bad[path] = true
		d.problem(path, n.described()+", want "+f.want()+": "+l.example, "")
		return
	}
	if len(n.items) == 0 {
		d.bad[path] = true
		d.problem(path, "an empty list, want at least one "+l.Noun, "remove the key")
		return
	}
	for i, item := range n.items {
		entry := fmt.Sprintf("%s[%d]", path, i)
		d.keys[entry] = item.at
		v := l.add(dst)
		if item.shape != mappingShape {
			d.bad[entry] = true
			d.problem(entry, item.described()+", want keys: "+list(l.Keys.names()), "")
			continue
		}
		d.walk(l.Keys, item, entry+".", v)
		d.resolve(l.table, s, v, entry+".")
	}
}
