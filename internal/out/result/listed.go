package result

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
)

// mostListed is how many entries run.json has of a list that grows with the network or its flows: flows, queues, ports.
// All flows are in flows.parquet, all ports in links.parquet.
const mostListed = 10_000

// Reuse is how much of a run was simulated, and how much that stands for: run.reuse.
type Reuse struct {
	Simulated   int64    `json:"simulated"`        // packet-hops
	Represented int64    `json:"represented"`      // packet-hops
	Steps       int64    `json:"steps"`            // told whole without being simulated
	Parts       int64    `json:"parts,omitempty"`  // of other steps, such as layers
	Images      int64    `json:"images,omitempty"` // parts of the network, such as rails, that were told from another one
	Notes       []string `json:"notes,omitempty"`  // what kept them from being told so: a sentence each
}

// LeftOut is what run.json does not list, so that it is read at once however large the run was.
type LeftOut struct {
	Flows    []FlowsLeft `json:"flows,omitempty"` // by job and kind
	Queues   int64       `json:"queues,omitempty"`
	Pausing  int64       `json:"pausing,omitempty"`
	Watchdog int64       `json:"watchdog,omitempty"`
}

// FlowsLeft is flows of a job and a kind that are not listed: those that are listed took at least as long.
type FlowsLeft struct {
	Job     string         `json:"job,omitempty"` // as in FlowFigures
	Kind    string         `json:"kind"`
	Flows   int64          `json:"flows"`
	Posted  int64          `json:"posted"` // messages
	Done    int64          `json:"done"`   // of them, acknowledged
	FCT     *unit.Duration `json:"fct_ps"` // mean over messages that were done; nil: none
	Slowest *unit.Duration `json:"slowest_ps"`
}

// AllFlows returns how many flows there were: those of Flows, and those left out.
func (s *Summary) AllFlows() int64 {
	n := int64(len(s.Flows))
	for _, l := range s.flowsLeft() {
		n += l.Flows
	}
	return n
}

func (s *Summary) flowsLeft() []FlowsLeft {
	if s.LeftOut == nil {
		return nil
	}
	return s.LeftOut.Flows
}

// FlowsOf sums the flows of a kind, listed or not: messages posted and done, the mean completion time of those done, in
// picoseconds, and that of the flow whose messages took longest.
func (s *Summary) FlowsOf(kind string) (posted, done int64, mean float64, slowest unit.Duration) {
	var sum float64
	for i := range s.Flows {
		if f := &s.Flows[i]; f.Kind == kind {
			posted, done = posted+f.Posted, done+f.Done
			if f.Done > 0 {
				sum += float64(f.Took()) * float64(f.Done)
				slowest = max(slowest, f.Took())
			}
		}
	}
	for _, f := range s.flowsLeft() {
		if f.Kind == kind && f.FCT != nil && f.Slowest != nil {
			sum += float64(*f.FCT) * float64(f.Done)
			slowest = max(slowest, *f.Slowest)
		}
		if f.Kind == kind {
			posted, done = posted+f.Posted, done+f.Done
		}
	}
	if done > 0 {
		mean = sum / float64(done)
	}
	return posted, done, mean, slowest
}

// SlowestFlows returns the flows in the order of the scenario. If there are more than n, it returns the slowest n,
// slowest first: flows without a completed message, then by mean completion time, then flows that had not begun.
func SlowestFlows(list []FlowFigures, n int) []FlowFigures {
	if len(list) <= n {
		return list
	}
	never := func(f *FlowFigures) int {
		switch {
		case f.FCT != nil:
			return 1
		case f.Posted > 0:
			return 0
		}
		return 2
	}
	order := make([]*FlowFigures, len(list)) // flows are large: they are moved once
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortStableFunc(order, func(a, b *FlowFigures) int {
		return cmp.Or(cmp.Compare(never(a), never(b)), cmp.Compare(b.Took(), a.Took()))
	})
	out := make([]FlowFigures, n)
	for i := range out {
		out[i] = *order[i]
	}
	return out
}

// listed returns the summary as run.json has it, with lists of at most so many entries.
func (s *Summary) listed(most int) *Summary {
	if len(s.Flows) <= most && len(s.Queues) <= most && len(s.Pausing) <= most && len(s.Watchdog) <= most {
		return s
	}
	out, left := *s, LeftOut{}
	if s.LeftOut != nil { // it was read from a run.json
		left = *s.LeftOut
	}
	out.LeftOut = &left
	left.Queues += cut(&out.Queues, most)
	left.Pausing += cut(&out.Pausing, most)
	left.Watchdog += cut(&out.Watchdog, most)
	if len(s.Flows) > most {
		out.Flows, left.Flows = listedFlows(s.Flows, most, left.Flows)
	}
	return &out
}

// cut keeps the first entries of a list, which has those that matter most first, and returns how many go.
func cut[T any](list *[]T, most int) int64 {
	left := max(0, len(*list)-most)
	*list = (*list)[:len(*list)-left]
	return int64(left)
}

// listedFlows keeps the slowest flows, in the order of the scenario, and adds the others to what is left out.
func listedFlows(all []FlowFigures, most int, before []FlowsLeft) (kept []FlowFigures, left []FlowsLeft) {
	type flow struct{ job, name string }
	stay := map[flow]bool{}
	for _, f := range SlowestFlows(all, most) {
		stay[flow{f.Job, f.Name}] = true
	}
	type family struct{ job, kind string }
	index := map[family]int{}
	left = slices.Clone(before)
	for i, l := range left {
		index[family{l.Job, l.Kind}] = i
	}
	sums := make([]float64, len(left)) // of completion times
	for i := range left {
		if left[i].FCT != nil {
			sums[i] = float64(*left[i].FCT) * float64(left[i].Done)
		}
	}
	for _, f := range all {
		if stay[flow{f.Job, f.Name}] && len(kept) < most {
			kept = append(kept, f)
			continue
		}
		of := family{f.Job, f.Kind}
		i, known := index[of]
		if !known {
			i = len(left)
			index[of] = i
			left, sums = append(left, FlowsLeft{Job: f.Job, Kind: f.Kind}), append(sums, 0)
		}
		l := &left[i]
		l.Flows, l.Posted, l.Done = l.Flows+1, l.Posted+f.Posted, l.Done+f.Done
		if f.FCT == nil {
			continue
		}
		sums[i] += float64(f.Took()) * float64(f.Done)
		if l.Slowest == nil || f.Took() > *l.Slowest {
			l.Slowest = f.FCT
		}
	}
	for i := range left {
		if left[i].Done > 0 {
			left[i].FCT = new(unit.Duration(sums[i] / float64(left[i].Done)))
		}
	}
	return kept, left
}
