package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// What is kept of events.
const (
	eventBins  = 1 << 11 // of time, for the marks beside the scrubber
	mostPauses = 200_000
	blockRows  = 2048 // of a row group
)

// eventTable is what was learnt of events.parquet.
type eventTable struct {
	groups  *result.Groups[result.EventRow]
	spans   []span
	kinds   []uint32 // of a row group: a bit for each kind that it has
	blocks  [][]block
	ports   whoIs // that row groups have events of
	names   whoIs
	width   unit.Duration
	counts  [][]int64 // by kind, then bin
	rows    int64
	leftOut map[string]int64
	pauses  []pauseSpan // in order of time
	unkept  int64       // pauses beyond mostPauses
	open    map[queueName]pauseSpan
}

// block is what some rows of a group in a row have, so that the next event of a kind is found without looking at all.
type block struct {
	span
	kinds uint32
}

// pauseSpan is a class of a port that its peer held.
type pauseSpan struct {
	Port  string    `json:"port"`
	Class int32     `json:"class"`
	Root  string    `json:"root"` // from whose queue it spread; "": not known
	From  unit.Time `json:"from_ps"`
	Until unit.Time `json:"until_ps"` // -1: it was not over when the table ends
}

// eventKinds numbers the kinds, as result lists them.
func eventKinds() (names []string, number map[string]int) {
	number = map[string]int{}
	for i, k := range result.EventKindList() {
		names = append(names, k.Name)
		number[k.Name] = i
	}
	return names, number
}

// readEvents reads events.parquet once.
func readEvents(ctx context.Context, run *result.Run, progress func(done, all int)) (*eventTable, error) {
	groups, err := run.EventGroups()
	if err != nil {
		return nil, err
	}
	names, number := eventKinds()
	e := &eventTable{groups: groups, width: 1, counts: make([][]int64, len(names)), leftOut: map[string]int64{},
		open: map[queueName]pauseSpan{}}
	for i := range e.counts {
		e.counts[i] = make([]int64, eventBins)
	}
	for i := range groups.Len() {
		progress(i, groups.Len())
		if err := ctx.Err(); err != nil {
			groups.Close()
			return nil, err
		}
		e.spans = append(e.spans, span{From: unit.Never})
		e.kinds = append(e.kinds, 0)
		var blocks []block
		n := 0
		if err := groups.Each(i, func(r *result.EventRow) bool {
			if n%blockRows == 0 {
				blocks = append(blocks, block{span: span{From: unit.Never}})
			}
			n++
			if r.LeftOut == 0 {
				blocks[len(blocks)-1].add(r.Time, number[r.Kind])
			}
			e.row(r, number[r.Kind], i)
			return true
		}); err != nil {
			groups.Close()
			return nil, fmt.Errorf("events.parquet: %w", err)
		}
		e.blocks = append(e.blocks, blocks)
	}
	for _, p := range e.open {
		p.Until = -1
		e.pause(p)
	}
	e.open = nil
	slices.SortFunc(e.pauses, func(a, b pauseSpan) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
	})
	return e, nil
}

func (b *block) add(at unit.Time, kind int) {
	b.From, b.Until, b.kinds = min(b.From, at), max(b.Until, at+1), b.kinds|1<<kind
}

// has tells whether a block may have what is wanted: of kinds a bit each, none: all.
func (b *block) has(q *eventQuery, kinds uint32) bool {
	return b.From < q.Until && b.Until > q.From && (kinds == 0 || b.kinds&kinds != 0)
}

// sure reports whether a block has something that is wanted for certain.
func (b *block) sure(q *eventQuery, kinds uint32) bool {
	return q.Port == "" && q.Name == "" && q.Job == "" && b.Until > 0 && b.From >= q.From && b.Until <= q.Until &&
		(kinds == 0 || b.kinds&kinds != 0)
}

func (e *eventTable) row(r *result.EventRow, kind, group int) {
	if r.LeftOut > 0 {
		e.leftOut[r.Kind] += r.LeftOut
		return
	}
	e.rows++
	e.kinds[group] |= 1 << kind
	e.ports.add(group, r.Port)
	e.names.add(group, r.Name)
	g := &e.spans[group]
	g.From, g.Until = min(g.From, r.Time), max(g.Until, r.Time+1)
	for int64(r.Time)/int64(e.width) >= eventBins {
		e.width *= 2
		for _, c := range e.counts {
			for i := range eventBins / 2 {
				c[i] = c[2*i] + c[2*i+1]
			}
			clear(c[eventBins/2:])
		}
	}
	e.counts[kind][int64(r.Time)/int64(e.width)]++
	at := queueName{r.Port, r.Class}
	switch r.Kind {
	case result.EventPause:
		if _, held := e.open[at]; !held {
			e.open[at] = pauseSpan{Port: r.Port, Class: r.Class, Root: r.Root, From: r.Time}
		}
	case result.EventResume:
		if p, held := e.open[at]; held {
			delete(e.open, at)
			p.Until = r.Time
			e.pause(p)
		}
	}
}

func (e *eventTable) pause(p pauseSpan) {
	if len(e.pauses) == mostPauses {
		e.unkept++
		return
	}
	e.pauses = append(e.pauses, p)
}

// eventLog is what /api/events answers.
type eventLog struct {
	Events []result.EventRow `json:"events"`
	More   bool              `json:"more"` // there are others that were asked for
	// by kind, of the whole table: events without a row, see output.events_kept
	LeftOut map[string]int64 `json:"left_out"`
}

// eventQuery says which events are wanted.
type eventQuery struct {
	Port, Job, Name string
	Kinds           map[string]bool // none: all
	From, Until     unit.Time
	Most            int
	Back            bool // the last before Until, newest first
}

func (q *eventQuery) takes(r *result.EventRow) bool {
	return r.LeftOut == 0 && r.Time >= q.From && r.Time < q.Until && (q.Port == "" || r.Port == q.Port) &&
		(q.Name == "" || r.Name == q.Name) && (q.Job == "" || r.Job == q.Job) &&
		(len(q.Kinds) == 0 || q.Kinds[r.Kind])
}

// find reads the row groups that may have what is wanted.
func (e *eventTable) find(ctx context.Context, q eventQuery) (*eventLog, error) {
	_, number := eventKinds()
	wanted := uint32(0)
	for k := range q.Kinds {
		wanted |= 1 << number[k]
	}
	log := &eventLog{Events: []result.EventRow{}, LeftOut: e.leftOut}
	for n := range e.groups.Len() {
		i := n
		if q.Back {
			i = e.groups.Len() - 1 - n
		}
		if g := e.spans[i]; g.From >= q.Until || g.Until <= q.From || wanted != 0 && e.kinds[i]&wanted == 0 ||
			!e.ports.may(i, q.Port) || !e.names.may(i, q.Name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		here, more, err := e.in(i, &q, wanted, q.Most-len(log.Events))
		if err != nil {
			return nil, err
		}
		if q.Back {
			slices.Reverse(here)
		}
		log.Events = append(log.Events, here...)
		if full := len(log.Events) == q.Most; more || full && e.sure(i, &q, wanted) {
			log.More = true
			return log, nil
		}
	}
	return log, nil
}

// sure reports whether row groups beyond one have another event that is wanted, so that none of them has to be read to say so.
func (e *eventTable) sure(i int, q *eventQuery, kinds uint32) bool {
	beyond := e.blocks[i+1:]
	if q.Back {
		beyond = e.blocks[:i]
	}
	return slices.ContainsFunc(beyond, func(all []block) bool {
		return slices.ContainsFunc(all, func(b block) bool { return b.sure(q, kinds) })
	})
}

// in reads what a row group has of what is wanted, in order of time: so many at most, of what is asked backwards the last. More says
// that it has others.
func (e *eventTable) in(i int, q *eventQuery, kinds uint32, most int) (here []result.EventRow, more bool, err error) {
	if most == 0 {
		most = 1 // is there one?
		here, _, err = e.in(i, q, kinds, most)
		return nil, len(here) > 0, err
	}
	blocks := e.blocks[i]
	has := func(b block) bool { return b.has(q, kinds) }
	first := slices.IndexFunc(blocks, has)
	if first < 0 {
		return nil, false, nil
	}
	if !q.Back {
		here, err = e.from(i, first, q, kinds, most)
		return here[:min(len(here), most)], len(here) > most, err
	}
	last := len(blocks) - 1
	for !has(blocks[last]) {
		last--
	}
	// The last block that may have some has enough, mostly.
	if here, err = e.from(i, last, q, kinds, most); err != nil {
		return nil, false, err
	}
	sure := slices.ContainsFunc(blocks[first:last], func(b block) bool { return b.sure(q, kinds) })
	if n := len(here); n < most || n == most && !sure && first < last {
		if here, err = e.from(i, first, q, kinds, most); err != nil {
			return nil, false, err
		}
		sure = false // what is in those blocks has been read
	}
	n := len(here)
	return here[max(n-most, 0):], n > most || n == most && sure, nil
}

// from reads what is wanted of the rows of a group from a block on: forwards one more than so many, if need be, backwards the last,
// one more too.
func (e *eventTable) from(i, first int, q *eventQuery, kinds uint32, most int) (here []result.EventRow, err error) {
	rest := e.blocks[i][first:]
	ends := slices.IndexFunc(rest, func(b block) bool { return b.Until > 0 && b.From >= q.Until }) // rows are in order of time
	if ends < 0 {
		ends = len(rest)
	}
	sure := 0 // blocks after which there is no more that is known to be wanted
	for k := range rest {
		if rest[k].sure(q, kinds) {
			sure = k
		}
	}
	n := 0
	err = e.groups.EachFrom(i, first*blockRows, func(r *result.EventRow) bool {
		if n++; n > ends*blockRows {
			return false
		}
		if !q.takes(r) {
			return q.Back || len(here) <= most
		}
		here = append(here, *r)
		if q.Back && len(here) > 2*most+1 {
			here = append(here[:0], here[len(here)-most-1:]...)
		}
		if !q.Back && len(here) == most && n <= sure*blockRows {
			here = append(here, result.EventRow{}) // it has another, whatever that is
		}
		return q.Back || len(here) <= most
	})
	return here, err
}

// pausesIn lists the pauses that reach into a span of time, most at most: those that spread from a root's queue, "" of any.
func (e *eventTable) pausesIn(from, until unit.Time, root string, most int) (all []pauseSpan, more bool) {
	all = []pauseSpan{}
	for _, p := range e.pauses {
		if p.From < until && (p.Until > from || p.Until < 0) && (root == "" || p.Root == root) {
			if len(all) == most {
				return all, true
			}
			all = append(all, p)
		}
	}
	return all, e.unkept > 0
}
