package train

import "railyard/internal/learn/nn"

// Routed is what a mixture of experts made of positions, of one expert.
type Routed = nn.Routed

// routes is where a rank's mixtures of experts sent its positions, by step until it is taken: sums over micro-batches.
type routes struct {
	layers []routing
	all    int
	steps  [][]nn.Routed
}

// routing is a layer with so many experts from a place on.
type routing struct{ layer, at, experts int }

// newRoutes finds the layers that a rank has.
func newRoutes(layers []nn.Layer, saved [][]nn.Saved, steps int64) routes {
	r := routes{steps: make([][]nn.Routed, steps)}
	for l := range layers {
		if n := nn.RoutedExperts(layers[l]); n > 0 && len(saved[l]) > 0 {
			r.layers = append(r.layers, routing{l, r.all, n})
			r.all += n
		}
	}
	return r
}

// add takes what a forward of a layer did.
func (r *routes) add(step int64, layer int, of nn.Layer, saved nn.Saved) {
	for _, l := range r.layers {
		if l.layer != layer {
			continue
		}
		if r.steps[step] == nil {
			r.steps[step] = make([]nn.Routed, r.all)
		}
		nn.RoutedTo(of, saved, func(expert int, to nn.Routed) {
			sum := &r.steps[step][l.at+expert]
			sum.Came, sum.Dropped = sum.Came+to.Came, sum.Dropped+to.Dropped
			sum.Share, sum.Balance = sum.Share+to.Share, sum.Balance+to.Balance
		})
	}
}

// Routes reports whether the model has experts to which positions go.
func (j *Job) Routes() bool {
	for _, l := range j.layers {
		if nn.RoutedExperts(l) > 0 {
			return true
		}
	}
	return false
}

// TakeRoutes visits where a rank's positions went in a step that it has ended, by layer and expert, and lets go of it:
// numbers are sums over micro-batches, shares and losses means over them.
func (j *Job) TakeRoutes(id int32, step int64, visit func(layer string, expert int, to Routed)) {
	r := &j.ranks[id].routes
	if len(r.layers) == 0 || r.steps[step] == nil {
		return
	}
	micro := float64(j.work.Layout.MicroBatches)
	for _, l := range r.layers {
		for e, to := range r.steps[step][l.at : l.at+l.experts] {
			to.Share, to.Balance = to.Share/micro, to.Balance/micro
			visit(j.cfg.Model.LayerName(l.layer), e, to)
		}
	}
	r.steps[step] = nil
}
