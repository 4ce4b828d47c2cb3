package scenario

import "fmt"

// A List is a field that holds a list of mappings: flows, faults. Each entry has the keys of a
// table of its own.
type List struct {
	Noun string // one entry
	Path string // of an entry: job.flows[]
	Keys *Key   // those of an entry

	Single bool // there is one entry, which stands without the list

	example string
	table   []*Field
	add     func(list any) any // appends an empty entry and returns it
	entries func(list any) []any
}

// of returns the entries of a list. The jobs of a scenario are its job or its jobs.
func (l *List) of(list any) []any {
	if jobs, ok := list.(*[]Job); ok && len(*jobs) > 0 && l.Single != ((*jobs)[0].Path() == "job") {
		return nil
	}
	return l.entries(list)
}

var (
	flowList = listOf[FlowEntry](FlowList, "flow", "job.flows[]", "- {from: host1/gpu0, to: host2/gpu0, bytes: 10MB}",
		entryFields, entryTree)
	faultList = listOf[Fault](FaultList, "fault", "faults[]", "- {link: rail1/spine1, at: 1ms, down: 50ms}",
		faultFields, faultTree)
	linkList = listOf[NamedLink](LinkList, "link", "fabric.links.named[]", "- {link: rail1/host2, rate: 100Gb/s}",
		linkFields, linkTree)
	rowList = listOf[CollectiveRow](RowList, "collective", "job.collectives[]", "- {op: all-reduce, bytes: 64MB}",
		rowFields, rowTree)
	bucketList = listOf[ReplayBucket](BucketList, "bucket", "job.replay.buckets[]", "- {compute: 2ms, bytes: 25MB}",
		bucketFields, bucketTree)
	jobList    = listOf[Job](JobList, "job", "job", "- {name: a, train: {...}}", jobFields, jobTree)
	oneJob     = single(jobList, OneJob)
	switchList = listOf[SwitchProfile](SwitchList, "switch", "fabric.switches[]",
		"- {match: spine*, buffer: 16MB}", switchFields, switchTree)
	hostLinkList = listOf[HostLink](HostLinkList, "edge", "cluster.host.links[]", "- {link: CPU0/PCIe1, rate: 63GB/s}",
		hostLinkFields, hostLinkTree)
	slowList = listOf[SlowRank](SlowList, "slow", "cluster.slow[]", "- {rank: 3, factor: 1.5}", slowFields, slowTree)
)

// Lists returns the lists of mappings that a scenario may have.
func Lists() []*List {
	return []*List{flowList.rows, faultList.rows, linkList.rows, switchList.rows, slowList.rows, hostLinkList.rows,
		rowList.rows, bucketList.rows, jobList.rows}
}

// listOf makes the kind of a list of mappings. It is read entry by entry, so it knows no text.
func listOf[T any](name Kind, noun, path, example string, table []*Field, keys *Key) *kind[[]T] {
	keys.entry = noun != "job" // whose keys are found as those of the file
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

// single is the kind of a list of one entry, which is written as the entry alone.
func single[T any](k *kind[[]T], name Kind) *kind[[]T] {
	one, l := *k, *k.rows
	l.Single = true
	one.traits = traits{name: name, want: "a " + string(name), rows: &l}
	return &one
}

// entry is the path of an entry of a list that is at path; of any (i < 0) as documentation has it.
func (l *List) entry(path string, i int) string {
	switch {
	case l.Single:
		return path
	case i < 0:
		return path + "[]"
	}
	return fmt.Sprintf("%s[%d]", path, i)
}

// entries resolves a list of mappings.
func (d *decoder) entries(dst any, f *Field, path string) {
	n, l := d.values[path], f.List()
	if n == nil {
		return
	}
	if l.Single {
		delete(d.values, path) // it is a group: problems stand at its key
		d.entry(dst, l, n, path)
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
		entry := l.entry(path, i)
		d.keys[entry] = item.at
		d.entry(dst, l, item, entry)
	}
}

// entry resolves a new entry of a list.
func (d *decoder) entry(dst any, l *List, n *node, path string) {
	v := l.add(dst)
	if j, ok := v.(*Job); ok {
		j.path = path
	}
	if n.shape != mappingShape {
		d.group(l.Keys, n, path)
		return
	}
	d.walk(l.Keys, n, path+".", v)
	d.resolve(l.table, v, path+".")
}
