package lab

import (
	"fmt"
	"strings"

	"railyard/internal/job/coll"
	"railyard/internal/out/chart"
)

var ringBench = Bench{
	Meaning: "an all-reduce round a ring, message by message: who sends which chunk, who holds whose gradients",
	Params: []Param{
		{Name: "ranks", Meaning: "ranks of the ring, 2 to 8", Default: 4.0},
		{Name: "elements", Meaning: "gradients of each rank", Default: 1024.0},
		{Name: "bytes", Meaning: "bytes of a gradient", Default: 4.0},
		{Name: "gradient", Meaning: "the first gradient of rank 0, as an example; rank r has r + 1 times as much", Default: 1.0},
	},
	Run: runRing,
}

// ring is an all-reduce that was walked.
type ring struct {
	schedule *coll.Ring
	rounds   []coll.Round
}

func walkRing(ranks int) (*ring, error) {
	s, err := coll.RingAllReduce([][]int32{inOrder(ranks)})
	if err != nil {
		return nil, err
	}
	return &ring{s, coll.Walk(s, 0)}, nil
}

// inOrder is the ranks from 0 on.
func inOrder(ranks int) []int32 {
	order := make([]int32, ranks)
	for r := range order {
		order[r] = int32(r)
	}
	return order
}

// letter names a chunk.
func letter[I int | int32](chunk I) string { return string(rune('A' + chunk)) }

func runRing(a Args) (*Shown, error) {
	n, err := a.Whole("ranks", 2, 8)
	if err != nil {
		return nil, err
	}
	elements, err := a.Whole("elements", n, 1<<20)
	if err != nil {
		return nil, err
	}
	size, err := a.Whole("bytes", 1, 8)
	if err != nil {
		return nil, err
	}
	own := make([]float64, n)
	for rank := range own {
		own[rank] = float64(rank+1) * a.Number("gradient")
	}
	r, err := walkRing(n)
	if err != nil {
		return nil, err
	}
	s := &Shown{Tables: []Table{r.sends(), r.holds()}, Figures: []chart.Figure{r.figure()}}
	r.counts(s, elements, size)
	r.owners(s)
	r.means(s, own)
	return s, nil
}

// counts adds how many steps, messages and bytes the ring takes. They are counted in the walk.
func (r *ring) counts(s *Shown, elements, size int) {
	n := r.schedule.Ranks()
	steps := len(r.rounds) - 1
	s.add("steps", float64(steps), fmt.Sprintf("2 * (%d - 1)", n), "steps of the all-reduce")
	s.add("reduce_steps", float64(r.reduceSteps()), fmt.Sprintf("%d - 1", n),
		"of them in the reduce-scatter: chunks are added")
	s.add("gather_steps", float64(steps-r.reduceSteps()), fmt.Sprintf("%d - 1", n),
		"of them in the all-gather: chunks are passed on")
	chunk := coll.MaxChunk(r.schedule, elements)
	s.add("chunk_elements", float64(chunk), fmt.Sprintf("%d / %d", elements, n), "gradients of a chunk")
	s.add("chunk_bytes", float64(chunk*size), fmt.Sprintf("%d * %d", chunk, size), "bytes of a chunk")
	s.add("buffer_bytes", float64(elements*size), fmt.Sprintf("%d * %d", elements, size), "bytes of all gradients")
	sent := make([]int, n) // by rank
	for _, round := range r.rounds {
		for _, m := range round.Sends {
			lo, hi := coll.ChunkRange(r.schedule, elements, 0, int(m.Chunk))
			sent[m.From] += (hi - lo) * size
		}
	}
	s.add("sent_bytes", float64(sent[0]), fmt.Sprintf("%d * %d", steps, chunk*size), "bytes that rank 0 sends in all")
	s.add("sent_share", float64(sent[0])/float64(elements*size), fmt.Sprintf("2 * (%d - 1) / %d", n, n),
		"bytes sent over bytes of gradients")
}

// reduceSteps is after how many steps some chunk is complete on each rank.
func (r *ring) reduceSteps() int {
	for i, round := range r.rounds {
		if complete(round.Holds[0]) >= 0 {
			return i
		}
	}
	panic("lab: a ring that sums nothing")
}

// complete is the first chunk that has every rank's contribution, -1: none has.
func complete(chunks []coll.Contributors) int {
	for c, of := range chunks {
		if of.Count() == len(chunks) {
			return c
		}
	}
	return -1
}

// owners adds which chunk each rank has complete after the reduce-scatter.
func (r *ring) owners(s *Shown) {
	for rank, chunks := range r.rounds[r.reduceSteps()].Holds {
		c := complete(chunks)
		s.add(fmt.Sprintf("owned[%d]", rank), float64(c), letter(c),
			fmt.Sprintf("chunk that rank %d has complete after the reduce-scatter (A is 0)", rank))
	}
}

// means follows the first gradient, of chunk A, through real sums.
func (r *ring) means(s *Shown, own []float64) {
	n := len(own)
	bufs := make([][]float32, n)
	texts := make([]string, n)
	for rank := range bufs {
		bufs[rank] = make([]float32, n)
		bufs[rank][0] = float32(own[rank])
		texts[rank] = fmt.Sprintf("%g", own[rank])
	}
	s.add("partial", own[0]+own[1], texts[0]+" + "+texts[1], "rank 1's gradient after step 1: a sum of two")
	coll.Execute(r.schedule, bufs)
	sum := s.add("sum", float64(bufs[0][0]), strings.Join(texts, " + "), "the gradient that all ranks have at the end")
	s.add("mean", sum/float64(n), fmt.Sprintf("%g / %d", sum, n), "after each rank has divided it by the number of ranks")
}

// sends is the table of what goes where.
func (r *ring) sends() Table {
	t := Table{Name: "sends", Title: "Which chunk each rank sends to the next", Columns: []string{"step", "phase"}}
	for rank := range r.schedule.Ranks() {
		t.Columns = append(t.Columns, fmt.Sprintf("%d to %d", rank, (rank+1)%r.schedule.Ranks()))
	}
	for i, round := range r.rounds[1:] {
		row := []string{fmt.Sprint(i + 1), r.phase(i + 1)}
		for _, m := range round.Sends {
			row = append(row, fmt.Sprintf("%s (%s)", letter(m.Chunk), m.Of))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *ring) phase(step int) string {
	if step <= r.reduceSteps() {
		return "reduce-scatter"
	}
	return "all-gather"
}

// holds is the table of whose gradients each rank has in each chunk.
func (r *ring) holds() Table {
	n := r.schedule.Ranks()
	t := Table{Name: "holds", Title: "Whose gradients are in each chunk, after each step", Columns: []string{"step", "rank"}}
	for c := range n {
		t.Columns = append(t.Columns, letter(c))
	}
	for i, round := range r.rounds {
		for rank, chunks := range round.Holds {
			row := []string{"", fmt.Sprint(rank)}
			if rank == 0 {
				row[0] = fmt.Sprint(i)
				if i == 0 {
					row[0] = "start"
				}
			}
			for _, of := range chunks {
				row = append(row, sumOf(of, n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// sumOf writes whose contributions a chunk has.
func sumOf(of coll.Contributors, ranks int) string {
	if of.Count() == ranks {
		return "all"
	}
	return of.String()
}

// figure draws each rank's chunks over the steps, and the messages between them.
func (r *ring) figure() chart.Figure {
	n := r.schedule.Ranks()
	steps := len(r.rounds) - 1
	f := chart.Figure{Name: "chunks", Title: "A ring all-reduce, chunk by chunk",
		Caption: "A row is a chunk of a rank; its colour says how many ranks' gradients are summed in it. A line is a " +
			"message to the next rank: follow chunk A from rank 0 until it is complete."}
	for k := 1; k <= n; k++ {
		name := fmt.Sprintf("%d ranks", k)
		switch k {
		case 1:
			name = "its own"
		case n:
			name = fmt.Sprintf("all %d", n)
		}
		f.Keys = append(f.Keys, chart.Key{ID: fmt.Sprintf("sum%d", k), Name: name, Ink: chart.InkOfRun(k - 1)})
	}
	f.Keys = append(f.Keys, chart.Key{ID: "message", Name: "message", Ink: chart.Highlight})
	l := &chart.Lanes{X: chart.Axis{Label: "steps done", High: chart.Value(steps + 1), Whole: true}}
	for rank := range n {
		for c := range n {
			l.Lanes = append(l.Lanes, chart.Lane{Group: fmt.Sprintf("rank %d", rank), Label: letter(c),
				Spans: r.spans(rank, c)})
		}
	}
	for i, round := range r.rounds {
		for _, m := range round.Sends {
			l.Links = append(l.Links, chart.Link{Key: "message", From: int(m.From)*n + int(m.Chunk), At: chart.Value(i) - 1,
				To: int(m.To)*n + int(m.Chunk), Then: chart.Value(i)})
		}
	}
	f.Lanes = l
	return f
}

// spans is what a rank has in a chunk, from step to step; what does not change is one span.
func (r *ring) spans(rank, chunk int) (out []chart.Span) {
	for i, round := range r.rounds {
		of := round.Holds[rank][chunk]
		name := sumOf(of, r.schedule.Ranks())
		if last := len(out) - 1; last >= 0 && out[last].Name == name {
			out[last].To = chart.Value(i + 1)
			continue
		}
		out = append(out, chart.Span{From: chart.Value(i), To: chart.Value(i + 1), Key: fmt.Sprintf("sum%d", of.Count()),
			Name: name})
	}
	return out
}
