package bench

import (
	"context"
	"slices"

	"railyard/internal/base/machine"
	"railyard/internal/base/splitmix"
	"railyard/internal/learn/nn"
)

// TrainRow is what a step of a net costs.
type TrainRow struct {
	Model  string `json:"model"`
	Kernel string `json:"kernel"`
	Update string `json:"optimiser"`
	Batch  int    `json:"batch"`
	Params int    `json:"params"`
	Steps  int    `json:"steps"`
	// The median over windows, and the least.
	CPU     float64 `json:"cpu_ms_per_step"`
	Least   float64 `json:"cpu_ms_per_step_min"`
	Samples float64 `json:"samples_per_cpu_second"` // by the median
	First   float64 `json:"loss_first"`
	Last    float64 `json:"loss_last"`
}

const (
	trainBatches = 16  // made up front, taken in turn
	windows      = 9   // of which the median counts
	windowCPU    = 0.3 // seconds of CPU time of one, at least
)

// trainer is a net on its way through the batches.
type trainer struct {
	net    *Net
	model  *nn.Model
	rank   *nn.Replica
	state  [][]float32 // of the optimiser
	x      []float32
	labels []int32
	steps  int
}

func (n *Net) trainer(k nn.Kernel) (*trainer, error) {
	m, err := n.model()
	if err != nil {
		return nil, err
	}
	t := &trainer{net: n, model: m, rank: m.NewReplica(m.Init(1), n.Batch, k),
		x: make([]float32, trainBatches*n.Batch*m.Inputs()), labels: make([]int32, trainBatches*n.Batch*m.Targets())}
	s := splitmix.Stream(1)
	n.data(&s, t.x, t.labels)
	for range n.moves.State() {
		t.state = append(t.state, make([]float32, m.Params()))
	}
	return t, nil
}

// step is forward, loss, backward and the update, of the next batch. It returns the loss before.
func (t *trainer) step() (loss float64) {
	from := t.steps % trainBatches * t.net.Batch
	t.rank.Load(t.x[from*t.model.Inputs():], t.labels[from*t.model.Targets():], t.net.Batch)
	loss = pass(t.rank, t.model.Layers())
	at := nn.Move{Step: int64(t.steps), Update: int64(t.steps), Scale: 1}
	t.net.moves.Step(t.rank.Params, t.rank.Grads, t.state, at)
	t.steps++
	return loss
}

// pass is forward, loss and backward of what a replica has been given. It returns the loss.
func pass(r *nn.Replica, layers int) (loss float64) {
	for l := range layers {
		r.Forward(l)
	}
	loss, _ = r.Loss()
	for l := layers - 1; l >= 0; l-- {
		r.Backward(l)
	}
	return loss
}

// Train times steps of a net on one core, by CPU time.
func (n *Net) Train(ctx context.Context, k nn.Kernel) (row TrainRow, err error) {
	t, err := n.trainer(k)
	if err != nil {
		return row, err
	}
	row = TrainRow{Model: n.Name, Kernel: k.Name, Update: n.moves.Method.String(), Batch: n.Batch, Params: t.model.Params()}
	row.First = t.step()
	t.step()
	var spent []float64
	for len(spent) < windows {
		begin, from := machine.CPU(), t.steps
		for t.steps == from || machine.CPU()-begin < windowCPU {
			if ctx.Err() != nil {
				return row, ctx.Err()
			}
			row.Last = t.step()
		}
		spent = append(spent, 1e3*(machine.CPU()-begin)/float64(t.steps-from))
	}
	slices.Sort(spent)
	row.CPU, row.Least = spent[len(spent)/2], spent[0]
	row.Samples, row.Steps = 1e3*float64(n.Batch)/row.CPU, t.steps
	return row, nil
}
