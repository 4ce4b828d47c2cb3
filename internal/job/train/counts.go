package train

import (
	"sync"

	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// counts says over how many labels the mean of a micro-batch's losses goes: so many that the means of
// all micro-batches which an update sums, divided by how many those are, make the mean over all their
// labels. Ranks may be one step apart.
type counts struct {
	of       nn.Examples
	plan     *plan
	replicas int
	batch    int // examples of a replica and step
	micro    int // micro-batches of it that have an update together
	updates  int // in a step

	mu    sync.Mutex
	steps [2]struct {
		step  int64 // + 1; 0: none yet
		means []float64
	}
	labels []int32
}

func newCounts(cfg *Config, p *plan, replicas, batch int, l workload.Layout) *counts {
	c := &counts{of: cfg.Train, plan: p, replicas: replicas, batch: batch, micro: l.MicroBatches, updates: 1}
	if l.Update == workload.UpdateEach {
		c.micro, c.updates = 1, l.MicroBatches
	}
	return c
}

// over returns how many labels the mean of a micro-batch of a step goes over.
func (c *counts) over(step int64, micro int) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.steps[step&1]
	if s.step != step+1 {
		s.step, s.means = step+1, s.means[:0]
		for u := range c.updates {
			s.means = append(s.means, c.count(step, u))
		}
	}
	return s.means[micro/c.micro]
}

// count counts the labels of an update of a step.
func (c *counts) count(step int64, update int) float64 {
	n := c.batch / c.updates
	if want := n * c.of.Targets(); len(c.labels) < want {
		c.labels = make([]int32, want)
	}
	sum := 0
	for d := range c.replicas {
		c.of.ReadLabels(c.labels, c.plan.rows(step, d*c.batch+update*n, n))
		sum += nn.Counted(c.labels)
	}
	return float64(sum) / float64(c.replicas*c.micro)
}
