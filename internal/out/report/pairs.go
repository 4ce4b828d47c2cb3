package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// maxPairs bounds for how many queue pairs messages are summed.
const maxPairs = 1 << 16

// Pair is the messages of one queue pair. Time and Split are sums over those done.
type Pair struct {
	Name, Path               string
	Count, Done              int64
	Bytes                    unit.Bytes
	Time, Longest            unit.Duration
	Marks, CNPs, Retransmits int64
	Split                    cause.Split
}

// pairs sums messages by the name of their queue pair.
type pairs struct {
	byName map[string]*Pair
	left   int64 // messages of queue pairs beyond maxPairs
}

func (p *pairs) add(row *result.FlowRow) {
	q := p.byName[row.Name]
	if q == nil {
		if len(p.byName) >= maxPairs {
			p.left++
			return
		}
		if p.byName == nil {
			p.byName = map[string]*Pair{}
		}
		q = &Pair{Name: strings.Clone(row.Name), Path: strings.Clone(row.Path)}
		p.byName[q.Name] = q
	}
	q.Count++
	q.Bytes += row.Bytes
	q.Marks, q.CNPs, q.Retransmits = q.Marks+row.Marks, q.CNPs+row.CNPs, q.Retransmits+row.Retransmits
	if row.FCT == 0 {
		return
	}
	split := row.Split()
	q.Done++
	q.Time += row.FCT
	q.Longest = max(q.Longest, row.FCT)
	q.Split.Add(&split)
}

// slowestFirst lists queue pairs by their slowest message.
func (p *pairs) slowestFirst() []*Pair {
	return slices.SortedFunc(maps.Values(p.byName), func(a, b *Pair) int {
		return cmp.Or(cmp.Compare(b.Longest, a.Longest), cmp.Compare(a.Name, b.Name))
	})
}
