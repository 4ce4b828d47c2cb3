package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// A Timetable is what the stages of a pipeline did in one step.
//
// Invariant: of all ranks, Span is from the first forward to the last backward; there are at least two
// stages.
type Timetable struct {
	Step    int32       `json:"step"`
	Stages  int         `json:"stages"`
	Virtual int         `json:"virtual_stages"` // of each stage
	Micro   int         `json:"micro_batches"`
	Orders  []string    `json:"orders"` // whose timetables these are; those that do not differ here are all named
	Rows    []stageJSON `json:"ranks"`

	Span      unit.Duration `json:"span_ps"`
	Bubble    float64       `json:"bubble"`         // share of it in which no pass runs, mean over ranks
	Idle      float64       `json:"idle"`           // nothing of a pass is computed: waits within passes, too
	Formula   float64       `json:"bubble_formula"` // see workload.Bubble
	BookBusy  []int         `json:"book_busy_stages,omitempty"`
	from, end unit.Time
}

// A stageJSON is a rank and its passes in order of time.
type stageJSON struct {
	Rank   int32      `json:"rank"`
	Stage  int        `json:"stage"` // from 1
	Passes []passJSON `json:"passes"`
}

// A passJSON is a micro-batch's way through a virtual stage of a rank.
type passJSON struct {
	Name     string        `json:"name"` // F1, B1; F1b, in the rank's second virtual stage
	Start    unit.Time     `json:"start_ps"`
	End      unit.Time     `json:"end_ps"`
	Computes unit.Duration `json:"computes_ps"`
	pass     workload.Pass
}

// NewTimetable finds the passes of a step among bars, nil if they are no pipeline's.
func NewTimetable(step int32, bars []Bar) *Timetable {
	t := &Timetable{Step: step, from: math.MaxInt64}
	byRank, layers := map[int32][]passOp{}, map[int32]map[int]bool{}
	for i := range bars {
		b := &bars[i]
		pass, layer, ok := workload.PassOf(b.Name)
		if b.Step != step || b.stream != "compute" || !ok {
			continue
		}
		byRank[b.Rank] = append(byRank[b.Rank], passOp{b, pass, layer})
		if layers[b.Rank] == nil {
			layers[b.Rank] = map[int]bool{}
		}
		if layer >= 0 {
			layers[b.Rank][layer] = true
		}
	}
	of := map[string]int{} // by the layers of a stage: its number
	var all [][]int
	runs := map[int32][]int{} // by rank: the first layer of each run
	for rank, has := range layers {
		runs[rank] = runsOf(has)
		if name := fmt.Sprint(runs[rank]); of[name] == 0 {
			of[name] = 1
			all = append(all, runs[rank])
		}
	}
	if len(all) < 2 {
		return nil
	}
	slices.SortFunc(all, slices.Compare[[]int])
	for i, first := range all {
		of[fmt.Sprint(first)] = i + 1
		t.Virtual = max(t.Virtual, len(first))
	}
	t.Stages = len(all)
	for rank, ops := range byRank {
		s := stageJSON{Rank: rank, Stage: of[fmt.Sprint(runs[rank])], Passes: passesOf(ops, runs[rank], t.Virtual)}
		for _, p := range s.Passes {
			t.Micro = max(t.Micro, p.pass.Micro+1)
			t.from, t.end = min(t.from, p.Start), max(t.end, p.End)
		}
		t.Rows = append(t.Rows, s)
	}
	slices.SortFunc(t.Rows, func(a, b stageJSON) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Rank, b.Rank))
	})
	t.measure()
	return t
}

// passOp is an operation of a pass.
type passOp struct {
	*Bar
	pass  workload.Pass
	layer int // -1: the last
}

// runsOf returns the first layer of each virtual stage.
func runsOf(has map[int]bool) (first []int) {
	for l := range has {
		if !has[l-1] {
			first = append(first, l)
		}
	}
	slices.Sort(first)
	return first
}

// passesOf joins a rank's operations to passes.
func passesOf(ops []passOp, first []int, virtual int) []passJSON {
	var all []passJSON
	for _, op := range ops {
		p := op.pass
		p.Chunk = len(first) - 1
		for op.layer >= 0 && op.layer < first[p.Chunk] {
			p.Chunk--
		}
		i := slices.IndexFunc(all, func(a passJSON) bool { return a.pass == p })
		if i < 0 {
			i = len(all)
			all = append(all, passJSON{Name: passName(p, virtual), Start: op.Start, End: op.End, pass: p})
		}
		a := &all[i]
		a.Start, a.End, a.Computes = min(a.Start, op.Start), max(a.End, op.End), a.Computes+op.Duration
	}
	slices.SortFunc(all, func(a, b passJSON) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return all
}

// passName is F or B, the micro-batch from 1, and of several virtual stages which: F1b.
func passName(p workload.Pass, virtual int) string {
	name := "F"
	if p.Backward {
		name = "B"
	}
	name += fmt.Sprint(p.Micro + 1)
	if virtual > 1 {
		name += string(rune('a' + p.Chunk%26))
	}
	return name
}

// measure works out how much of the time stages wait.
func (t *Timetable) measure() {
	t.Span = t.end.Sub(t.from)
	passes, computes := 0.0, 0.0
	taken := make([][]workload.Pass, t.Stages)
	for _, r := range t.Rows {
		first := taken[r.Stage-1] == nil
		for _, p := range r.Passes {
			passes += float64(p.End.Sub(p.Start))
			computes += float64(p.Computes)
			if first {
				taken[r.Stage-1] = append(taken[r.Stage-1], p.pass)
			}
		}
	}
	whole := max(float64(t.Span), 1) * float64(len(t.Rows))
	t.Bubble, t.Idle = 1-passes/whole, 1-computes/whole
	waits, slots := workload.Bubble(t.Stages, t.Virtual, t.Micro)
	t.Formula = float64(waits) / float64(slots)
	t.Orders = workload.Orders(t.Stages, t.Virtual, t.Micro, taken)
	if slices.Equal(t.Orders, []string{workload.BookOrder.String()}) {
		t.BookBusy = workload.BookBusy(t.Stages, t.Micro)
	}
}

// text draws a row for each stage, of its first rank, and says how much it waits.
func (t *Timetable) text(s *sheet.Sheet, most int) {
	order := "an order of its own"
	if len(t.Orders) > 0 {
		order = "order " + strings.Join(t.Orders, " or ")
	}
	s.Wrap("", fmt.Sprintf("step %d as a pipeline: %s, %s, %s", t.Step, unit.CountOf(int64(t.Stages), "stage"), t.microText(), order))
	s.Blank()
	label, drawn := 0, t.firsts()
	for _, r := range drawn {
		label = max(label, len(r.label()))
	}
	columns := max(s.Width-label-4, 8)
	for _, r := range drawn[:min(len(drawn), most)] {
		s.Line(fmt.Sprintf("%-*s  |%s|", label, r.label(), t.draw(r, columns)))
	}
	if n := len(drawn) - most; n > 0 {
		s.Wrap("", fmt.Sprintf("and %s more: --ranks %d", unit.CountOf(int64(n), "stage"), len(drawn)))
	}
	s.Wrap("", fmt.Sprintf("F forward, B backward, with the number of the micro-batch; . the stage waits; one column "+
		"is %s", (t.Span/unit.Duration(columns)).Human()))
	s.Blank()
	rows := [][]string{{"bubble", unit.Percent(t.Bubble), fmt.Sprintf("of %s from the first forward to the last backward "+
		"no pass runs, mean over ranks", t.Span.Human())}}
	if t.Idle-t.Bubble >= 0.001 {
		rows = append(rows, []string{"idle", unit.Percent(t.Idle),
			"with what passes wait for within: other ranks of their stage"})
	}
	s.Grid("lrw", append(rows, []string{"formula", unit.Percent(t.Formula), t.formulaText()}))
	if len(t.BookBusy) > 0 {
		s.Wrap("  ", t.bookText())
	}
	s.Blank()
}

func (t *Timetable) microText() string {
	if t.Micro == 1 {
		return "1 micro-batch"
	}
	return fmt.Sprintf("%d micro-batches", t.Micro)
}

func (t *Timetable) formulaText() string {
	waits, slots := workload.Bubble(t.Stages, t.Virtual, t.Micro)
	rule := "(p-1)/(m+p-1)"
	if t.Virtual > 1 {
		rule = "(p-1)/(vm+p-1)"
	}
	return fmt.Sprintf("%s = %d/%d, if all passes take equally long and the network no time", rule, waits, slots)
}

// bookText is how many stages work in each slot of the book's order.
func (t *Timetable) bookText() string {
	var b strings.Builder
	b.WriteString("in the book's slots, where a forward and a backward may share one, stages busy:")
	sum := 0
	for _, n := range t.BookBusy {
		fmt.Fprintf(&b, " %.0f", 100*float64(n)/float64(t.Stages))
		sum += n
	}
	fmt.Fprintf(&b, " %%, mean %s", unit.Percent(float64(sum)/float64(t.Stages*len(t.BookBusy))))
	return b.String()
}

// firsts are the first rank of each stage.
func (t *Timetable) firsts() (rows []stageJSON) {
	for i, r := range t.Rows {
		if i == 0 || r.Stage != t.Rows[i-1].Stage {
			rows = append(rows, r)
		}
	}
	return rows
}

func (r *stageJSON) label() string { return fmt.Sprintf("stage %d, rank %d", r.Stage, r.Rank) }

// draw puts a box for each pass on a line: its name, and - or = for as long as it takes.
//
//	|F1-F2-..B1==B2==|
func (t *Timetable) draw(r stageJSON, columns int) string {
	line := []byte(strings.Repeat(".", columns))
	at := func(x unit.Time) int {
		return int(math.Round(float64(x-t.from) * float64(columns) / max(float64(t.Span), 1)))
	}
	for _, p := range r.Passes {
		box, fill := p.Name, "-"
		if p.pass.Backward {
			fill = "="
		}
		lo, hi := at(p.Start), at(p.End)
		if len(box) > hi-lo {
			box = box[:max(hi-lo, 0)]
		}
		copy(line[lo:hi], box+strings.Repeat(fill, hi-lo-len(box)))
	}
	return string(line)
}
