package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Axis is one of the ways in which ranks share the work.
type Axis uint8

// The axes.
const (
	TensorAxis   Axis = iota // parts of each layer
	DataAxis                 // replicas, each with rows of its own
	PipelineAxis             // stages: layers that follow each other
	axes
)

var axisNames = [axes]string{"tp", "dp", "pp"}

// String is the name that a scenario uses.
func (a Axis) String() string { return axisNames[a] }

// OrderNamed returns the order of axes of a name such as tp-dp-pp, innermost first.
func OrderNamed(name string) (o [axes]Axis, ok bool) {
	parts := strings.Split(name, "-")
	for i := range o {
		at := -1
		if len(parts) == len(o) {
			at = slices.Index(axisNames[:], parts[i])
		}
		if at < 0 || slices.Contains(parts[:i], parts[i]) {
			return o, false
		}
		o[i] = Axis(at)
	}
	return o, true
}

// DefaultOrder is that of Megatron-LM: tensor-parallel ranks are neighbours, then replicas.
var DefaultOrder = [axes]Axis{TensorAxis, DataAxis, PipelineAxis}

// Updates says when a stage's parameters are updated.
type Updates uint8

// The times of updates.
const (
	UpdateEnd  Updates = iota // once, after the step's last backward: as one rank does
	UpdateEach                // after each micro-batch's backward: PipeDream (Narayanan et al., SOSP 2019)
	updates
)

var updateNames = [updates]string{"end", "each"}

// String is the name that a scenario uses.
func (u Updates) String() string { return updateNames[u] }

// UpdatesNamed returns the time of updates of a name.
func UpdatesNamed(name string) (Updates, bool) {
	i := slices.Index(updateNames[:], name)
	return Updates(max(i, 0)), i >= 0
}

// TensorStyle says how tensor-parallel ranks share layers.
type TensorStyle uint8

// The styles.
const (
	// Megatron splits a pair of layers by columns, then by rows: one all-reduce of the pair's outputs
	// forward, one of its input's gradient backward (Shoeybi et al., "Megatron-LM", 2019, section 3).
	// A layer without another in its run is split as by BookStyle.
	Megatron TensorStyle = iota
	// BookStyle splits every layer by columns: an all-gather of its outputs forward, an all-reduce
	// of its input's gradient backward (Pasanen, 2025, chapter 8).
	BookStyle
	tensorStyles
)

var tensorNames = [tensorStyles]string{"megatron", "book"}

// String is the name that a scenario uses.
func (s TensorStyle) String() string { return tensorNames[s] }

// Zero says what the replicas of a training hold in shards, each its own, instead of whole: the
// stages of ZeRO (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
// Models", SC 2020, section 5).
type Zero uint8

// The stages.
const (
	ZeroNone       Zero = iota // nothing: gradients are all-reduced
	ZeroOptimiser              // the optimiser's state: each updates its part, which is gathered
	ZeroGradients              // and gradients: those of each micro-batch are summed and scattered
	ZeroParameters             // and parameters: gathered before each forward and each backward
	zeros
)

// ZeroBuckets is how many whole buckets a rank has room for beside its shards: of gradients
// (ZeroGradients) the one that is made and the one before it, which travels; of parameters
// (ZeroParameters) the one in use and the next, which is gathered meanwhile.
const ZeroBuckets = 2

// TensorStyleNamed returns the style of a name.
func TensorStyleNamed(name string) (TensorStyle, bool) {
	i := slices.Index(tensorNames[:], name)
	return TensorStyle(max(i, 0)), i >= 0
}

// Layout is how the ranks of a job share one training.
type Layout struct {
	DP, TP, PP   int // replicas, parts of each layer, stages; 0 is 1
	EP           int // replicas over which experts are spread, one after the other; 0 is 1: each has all
	TPStyle      TensorStyle
	Sequence     bool // between layers, tensor-parallel ranks have a part of the positions each
	MicroBatches int  // into which a replica's rows of a step are cut; 0 is 1
	Schedule     PipelineSchedule
	Virtual      int // virtual stages of a stage, with interleaved; 0 is 1
	Update       Updates
	Stash        bool       // with UpdateEach: a backward uses the parameters that its forward did
	Slots        int        // micro-batches that a sending stage holds, so that it can run ahead; 0 is 2
	Order        [axes]Axis // of ranks, innermost first; zero is DefaultOrder
	Zero         Zero       // with UpdateEnd and more than one replica
	Blocks       Blocking   // what computing waits for
	Starts       []int      // the first layer of each virtual stage; nil: runs as even as can be
	// Folded is for ranks that differ in nothing but where they are: the first part of the first replica stands for the
	// others of its stage, and is the only one that there is. Groups say for whom it stands: Group.All.
	Folded bool
}

// Blocking says which collectives computing does not go on beside: they begin when what was computed before has ended, and
// what comes next waits for them. Without, they begin as soon as what they take is there.
type Blocking struct {
	Data  bool // of replicas: sums of gradients, gathers of parameters
	Sends bool // between stages
}

// Unfolded is the layout with all its ranks.
func (l Layout) Unfolded() Layout {
	l.Folded = false
	return l
}

// each is how many parts of how many replicas are there.
func (l *Layout) each() (replicas, parts int) {
	if l.Folded {
		return 1, 1
	}
	return l.DP, l.TP
}

// filled returns l with its defaults.
func (l Layout) filled() Layout {
	for _, n := range []*int{&l.DP, &l.TP, &l.PP, &l.EP, &l.MicroBatches, &l.Virtual} {
		if *n == 0 {
			*n = 1
		}
	}
	if l.Slots == 0 {
		l.Slots = 2
	}
	if l.Order == ([axes]Axis{}) {
		l.Order = DefaultOrder
	}
	return l
}

// World returns the number of ranks.
func (l Layout) World() int {
	l = l.filled()
	if l.Folded {
		return l.PP
	}
	return l.DP * l.TP * l.PP
}

// Coord is a rank's place in a layout, each from 0.
type Coord struct{ Data, Tensor, Stage int }

// at returns the place along an axis.
func (c *Coord) at(a Axis) *int { return [axes]*int{&c.Tensor, &c.Data, &c.Stage}[a] }

func (l *Layout) size(a Axis) int { return [axes]int{l.TP, l.DP, l.PP}[a] }

// Coord returns the place of a rank.
func (l Layout) Coord(rank int) (c Coord) {
	l = l.filled()
	if l.Folded {
		return Coord{Stage: rank}
	}
	for _, a := range l.Order {
		*c.at(a) = rank % l.size(a)
		rank /= l.size(a)
	}
	return c
}

// Rank returns the rank at a place.
func (l Layout) Rank(c Coord) int {
	l = l.filled()
	if l.Folded {
		return c.Stage
	}
	rank := 0
	for i := len(l.Order) - 1; i >= 0; i-- {
		a := l.Order[i]
		rank = rank*l.size(a) + *c.at(a)
	}
	return rank
}

// Chunks returns how many virtual stages there are over all stages. Number q belongs to stage q mod PP.
func (l Layout) Chunks() int {
	l = l.filled()
	return l.PP * l.Virtual
}

// Run returns the layers [lo, hi) of virtual stage q of a network of so many layers: as Starts says, or as even as can be.
func (l Layout) Run(layers, q int) (lo, hi int) {
	n := l.Chunks()
	if len(l.Starts) == n {
		if lo, hi = l.Starts[q], layers; q+1 < n {
			hi = l.Starts[q+1]
		}
		return lo, hi
	}
	at := func(q int) int { return q*(layers/n) + min(q, layers%n) }
	return at(q), at(q + 1)
}

// Misfit is one thing of a layout that cannot be. Key is what a scenario calls it.
type Misfit struct{ Key, Text string }

// Misfits is why a training cannot be laid out so: all that is wrong.
type Misfits []Misfit

// Error lists them.
func (m Misfits) Error() string {
	all := make([]string, len(m))
	for i := range m {
		all[i] = m[i].Text
	}
	return "layout: " + strings.Join(all, "; ")
}

// err is nil of none.
func (m Misfits) err() error {
	if len(m) == 0 {
		return nil
	}
	return m
}

// check reports what cannot be laid out so: all of it.
func (l Layout) check(of []Layer, batch int) error {
	layers := len(of)
	var wrong Misfits
	say := func(key, format string, args ...any) {
		wrong = append(wrong, Misfit{key, fmt.Sprintf(format, args...)})
	}
	for _, n := range []struct {
		key, name string
		is        int
	}{{"dp", "dp", l.DP}, {"tp", "tp", l.TP}, {"pp", "pp", l.PP}, {"ep", "ep", l.EP}, {"micro_batches", "micro-batches", l.MicroBatches},
		{"virtual_stages", "virtual stages", l.Virtual}, {"slots", "slots", l.Slots}} {
		if n.is < 1 {
			say(n.key, "%s %d, want at least 1", n.name, n.is)
		}
	}
	if sorted := l.Order; len(wrong) == 0 {
		slices.Sort(sorted[:])
		if sorted != [axes]Axis{TensorAxis, DataAxis, PipelineAxis} {
			say("order", "order %v, want tp, dp and pp, each once", l.Order)
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	if batch%l.MicroBatches != 0 {
		say("micro_batches", "%d micro-batches do not divide a batch of %d rows", l.MicroBatches, batch)
	}
	if l.Chunks() > layers {
		say("pp", "%d stages with %d virtual stages each want %d layers, there are %d", l.PP, l.Virtual, l.Chunks(), layers)
	}
	for q := 0; q < l.Chunks() && l.Chunks() <= layers; q++ {
		if lo, hi := l.Run(layers, q); Trained(of[lo:hi]) == hi-lo {
			say("pp", "layers %d to %d, a stage or a part of one, have no parameters to train: want fewer stages", lo+1, hi)
		}
	}
	if err := l.Schedule.check(l.PP, l.Virtual, l.MicroBatches); err != nil {
		say("schedule", "%v", err)
	}
	if l.TPStyle >= tensorStyles {
		say("tensor", "tensor-parallel style %d, want megatron or book", l.TPStyle)
	}
	switch {
	case l.Sequence && l.TP == 1:
		say("sequence", "sequence with tp 1: tensor-parallel ranks share the positions, want tp at least 2")
	case l.Sequence && l.TPStyle != Megatron:
		say("sequence", "sequence with tensor %s, want megatron", l.TPStyle)
	}
	if l.Update >= updates {
		say("update", "update %d, want end or each", l.Update)
	}
	switch {
	case l.Zero >= zeros:
		say("zero", "zero %d, want 0 to 3", l.Zero)
	case l.Zero > ZeroNone && l.DP == 1:
		say("zero", "zero %d with dp 1: replicas hold the shards, want dp at least 2", l.Zero)
	case l.Zero > ZeroNone && l.Update == UpdateEach:
		say("zero", "zero %d with update each, want update end", l.Zero)
	}
	switch {
	case l.EP == 1:
	case l.DP%l.EP != 0:
		say("ep", "ep %d does not divide the %d replicas over which experts are spread", l.EP, l.DP)
	case l.Zero > ZeroOptimiser:
		say("zero", "zero %d with ep %d: experts' gradients and weights are held whole, want zero 0 or 1", l.Zero, l.EP)
	case l.Update == UpdateEach:
		say("ep", "ep %d with update each, want update end", l.EP)
	}
	if l.Stash && l.Update != UpdateEach {
		say("stash", "stash with one update at the end of a step, before which parameters do not change: want update each")
	}
	return wrong.err()
}
