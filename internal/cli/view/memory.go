package view

import (
	"errors"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
)

var errTrainsNothing = errors.New("the job trains nothing: its ranks hold no weights; want one with train")

// A memoryJSON is what the ranks of a job hold.
type memoryJSON struct {
	Job   string         `json:"job"`
	Ranks []heldJSON     `json:"ranks"`
	parts []memoryOfRank // the same
}

// A heldJSON is what ranks that are alike hold each.
type heldJSON struct {
	Ranks []int32    `json:"ranks"`
	Terms []termJSON `json:"terms"`
	All   unit.Bytes `json:"bytes"`
}

// A termJSON is one term of it.
type termJSON struct {
	Term    string     `json:"term"`
	Letters string     `json:"figure_8_1,omitempty"` // of the book
	Bytes   unit.Bytes `json:"bytes"`
}

// memoryOfRank is what each of some ranks holds.
type memoryOfRank struct {
	ranks  []int32
	memory workload.Memory
}

func memoryOf(j *plan.Job) (*memoryJSON, error) {
	if j.Work == nil || j.Work.Training == nil {
		return nil, errTrainsNothing
	}
	d := &memoryJSON{Job: j.Spec.Name}
	for r := range int32(j.Ranks()) {
		m := j.Work.Memory(r)
		i := slices.IndexFunc(d.parts, func(p memoryOfRank) bool { return p.memory == m })
		if i < 0 {
			i = len(d.parts)
			d.parts = append(d.parts, memoryOfRank{memory: m})
		}
		d.parts[i].ranks = append(d.parts[i].ranks, r)
	}
	for i := range d.parts {
		p := &d.parts[i]
		h := heldJSON{Ranks: p.ranks, Terms: []termJSON{}, All: p.memory.All()}
		for term := range workload.Terms {
			if b := p.memory[term]; b > 0 {
				h.Terms = append(h.Terms, termJSON{term.String(), term.Letters(), b})
			}
		}
		d.Ranks = append(d.Ranks, h)
	}
	return d, nil
}

// MemoryData is what each rank's GPU holds as data.
func MemoryData(_ *plan.Plan, j *plan.Job) (any, error) { return memoryOf(j) }

// termRules say how each term is counted, in numbers.
var termRules = [workload.Terms]string{
	workload.WeightsTerm:     "P, the parameters of the rank's layers, or its shard of them",
	workload.StashTerm:       "P for each micro-batch in flight",
	workload.GradientsTerm:   "P, or its shard",
	workload.OptimiserTerm:   "P for each vector of its state, masters among them, or its shard",
	workload.ActivationTerm:  "rows x inputs of each layer, for each micro-batch in flight, and outputs; images too",
	workload.ErrorTerm:       "rows x outputs of each layer, of a few micro-batches",
	workload.BucketTerm:      "the largest bucket: of gradients and parameters that travel",
	workload.WorkspaceTerm:   "a micro-batch's gradient to be added, outputs that are gathered",
	workload.ExpertTerm:      "copies of a micro-batch's positions, and those that can come, by capacity or by what is declared",
	workload.StagingData:     "the largest chunks of each sum over replicas",
	workload.StagingTensor:   "the largest chunks of each exchange of parts",
	workload.StagingExpert:   "the largest chunks of each dispatch and combine",
	workload.ReservedTerm:    "the GPU's context, NCCL's buffers and the framework: 2 GB, assumed",
	workload.StagingPipeline: "each micro-batch that comes from a neighbour",
}

// MemoryText prints what each rank's GPU holds, term by term.
func MemoryText(s *sheet.Sheet, _ *plan.Plan, j *plan.Job) error {
	d, err := memoryOf(j)
	if err != nil {
		return err
	}
	s.Wrap("", d.Job+": what each rank's GPU holds, by formula; letters as in figure 8-1 of the book")
	s.Blank()
	shown := []workload.Term{}
	for term := range workload.Terms {
		if slices.ContainsFunc(d.parts, func(p memoryOfRank) bool { return p.memory[term] > 0 }) {
			shown = append(shown, term)
		}
	}
	names, columns := []string{""}, [][]string{}
	for _, term := range shown {
		names = append(names, letters(term)+term.String())
	}
	for i := range d.parts {
		p := &d.parts[i]
		column := []string{ranksText(p.ranks)}
		for _, term := range shown {
			cell := "-"
			if b := p.memory[term]; b > 0 {
				cell = b.Human()
			}
			column = append(column, cell)
		}
		columns = append(columns, append(column, p.memory.All().Human()))
	}
	s.Columns(append(names, "    all"), columns)
	s.Blank()
	size := "4 bytes for each of"
	if j.Work.Training.Precision.Weights == workload.BFloat16 {
		size = "4 bytes, of weights, errors, what is between layers and what is sent 2, for each of"
	}
	rows := [][]string{{"term", size}}
	for _, term := range shown {
		rows = append(rows, []string{letters(term) + term.String(), termRules[term]})
	}
	s.Grid("lw", rows)
	s.Wrap("  ", "b, weighted sums, are not kept: an activation is applied in place. g, the learning rate, is one "+
		"number; h, the adjustments, are the velocities. The code is not counted.")
	return nil
}

// letters are those of the book, in a column of their own.
func letters(term workload.Term) string {
	l := term.Letters()
	return l + strings.Repeat(" ", 4-len(l))
}
