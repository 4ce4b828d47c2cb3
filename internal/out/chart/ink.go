package chart

import "railyard/internal/base/cause"

// Ink is what a mark stands for, as far as drawing it is concerned: drawings give every
// ink of one figure another look, and the same ink the same look in all figures.
type Ink string

// Inks that are no cause. A cause has InkOf, whatever else it is drawn beside.
const (
	Subject   Ink = "subject"   // what the figure is about, where it is one thing
	Other     Ink = "other"     // what is there beside it
	Reference Ink = "reference" // what it is compared with: a median, a bound
	Alarm     Ink = "alarm"     // a loss, a failure
	Marking   Ink = "marking"   // where switches mark packets
	Pausing   Ink = "pausing"   // where they pause senders
	Highlight Ink = "highlight" // the path or place to look at
	Outside   Ink = "outside"   // what lies before or after what the figure is about

	Forward   Ink = "forward" // kinds of work of a training step
	Loss      Ink = "loss"
	Backward  Ink = "backward"
	AllReduce Ink = "collective"
	Update    Ink = "update"
	OtherWork Ink = "other-work"

	Activations   Ink = "activations" // what stages of a pipeline hand on, forwards
	Deltas        Ink = "deltas"      // and backwards: gradients of those
	AllGather     Ink = "all-gather"
	ReduceScatter Ink = "reduce-scatter"
)

// InkOf is the ink of a cause.
func InkOf(c cause.Cause) Ink { return Ink("cause-" + c.Column()) }

// InkOfRun is the ink of the nth run of a comparison.
func InkOfRun(n int) Ink { return Ink("run-" + string(rune('a'+n%26))) }
