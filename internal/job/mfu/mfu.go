package mfu

import (
	"slices"

	"railyard/internal/base/unit"
)

// Work is the arithmetic of one step on all ranks, in FLOP of matrix products.
type Work struct {
	Model    int64 // what the model's forward and backward need, maps of attention whole: dense
	Causal   int64 // of that, without what causal masks hide
	Hardware int64 // what ranks compute
	GPUs     int64
	Alike    int64 // above 1: each of these GPUs stands for so many, itself among them, and the FLOP are of it alone
	Peak     int64 // FLOP/s of a GPU, dense, of the precision that is used
	// Precision is the number format of Peak: "TF32", "float32".
	Precision string
}

// Of is the part of the peak that so many FLOP in a time are, on so many GPUs of a peak in FLOP/s; 0 without time or
// peak. A peak for sparse matrices halves it: half of those products are never computed.
func Of(flop int64, in unit.Duration, gpus, peak int64) float64 {
	if in <= 0 || gpus <= 0 || peak <= 0 {
		return 0
	}
	return float64(flop) / (in.Seconds() * float64(gpus) * float64(peak))
}

// Figures are what a step comes to. Times are means over ranks and steps.
type Figures struct {
	MFU       float64 `json:"mfu,omitempty"`        // dense; 0: no peak is known
	MFUCausal float64 `json:"mfu_causal,omitempty"` // 0: without attention it is the same
	HFU       float64 `json:"hfu,omitempty"`

	ModelFLOP    int64  `json:"model_flop,omitempty"` // of a step, on all ranks
	CausalFLOP   int64  `json:"causal_flop,omitempty"`
	HardwareFLOP int64  `json:"hardware_flop,omitempty"`
	Peak         int64  `json:"peak_flop_per_s,omitempty"` // of a GPU
	Precision    string `json:"precision,omitempty"`
	GPUs         int64  `json:"gpus"`
	// Alike, above 1: one of so many GPUs that do the same was run, and the FLOP above are of those that were.
	Alike int64 `json:"gpus_alike,omitempty"`

	Launch   unit.Duration `json:"launch_ps,omitempty"` // of a kernel
	LaunchAs string        `json:"launch_as,omitempty"` // "graph", "eager"; empty: another time

	Memory        unit.Bytes      `json:"memory_bytes,omitempty"`      // tensors of the rank that holds most
	TokenRate     float64         `json:"tokens_per_second,omitempty"` // of text: labels that a step sees / step time
	Cost          *Cost           `json:"cost,omitempty"`              // of a step on all GPUs; nil: no price is known
	Energy        *Energy         `json:"energy,omitempty"`            // likewise; nil: no power is known
	Bubble        *Bubble         `json:"bubble,omitempty"`            // nil: no pipeline
	Communication []Communication `json:"communication,omitempty"`     // by kind of group
	Waterfall     []Bar           `json:"waterfall,omitempty"`         // sums to the step time
}

// Cost is what a step costs: GPUs are paid for by time, whether they compute or wait.
type Cost struct {
	Step     float64 `json:"step"`     // of all GPUs
	GPUHour  float64 `json:"gpu_hour"` // of one
	Currency string  `json:"currency"`
}

// CostOf is the cost of a time on so many GPUs, from the price of one for an hour in hundredths.
func CostOf(in unit.Duration, gpus, hundredths int64, currency string) *Cost {
	hour := float64(hundredths) / 100
	return &Cost{in.Seconds() / 3600 * float64(gpus) * hour, hour, currency}
}

// Energy is what a step draws: a GPU the same all the time.
type Energy struct {
	Step  float64 `json:"step_joules"` // of all GPUs
	Watts float64 `json:"gpu_watts"`   // of one
}

// EnergyOf is the energy of a time on so many GPUs, from the power of one.
func EnergyOf(in unit.Duration, gpus int64, power unit.Power) *Energy {
	watts := float64(power) / float64(unit.Watt)
	return &Energy{in.Seconds() * float64(gpus) * watts, watts}
}

// Bubble is what stages of a pipeline wait for each other.
type Bubble struct {
	Waited  float64 `json:"waited"`  // part of the step, as measured
	Formula float64 `json:"formula"` // (p-1)/(vm+p-1): see workload.Bubble
}

// Communication is what collectives of a kind of group take, from when all that they wait for has begun.
type Communication struct {
	Kind    string        `json:"kind"`
	Exposed unit.Duration `json:"exposed_ps"`          // ranks waited for it
	Hidden  unit.Duration `json:"hidden_ps"`           // ranks computed, or waited for something else
	Bytes   unit.Bytes    `json:"bytes"`               // that ranks send in a step, all together
	Between unit.Bytes    `json:"between_hosts_bytes"` // of them, between hosts
}

// Sent is what ranks send in a step, all together, and what of it goes between hosts.
func (f *Figures) Sent() (all, between unit.Bytes) {
	for i := range f.Communication {
		all, between = all+f.Communication[i].Bytes, between+f.Communication[i].Between
	}
	return all, between
}

// Bar is a part of the step time.
type Bar struct {
	Name string        `json:"name"`
	Time unit.Duration `json:"time_ps"`
}

// The kinds of communication.
const (
	Data       = "data"       // sums of gradients over replicas
	Tensor     = "tensor"     // between ranks that share layers
	Pipeline   = "pipeline"   // from stage to stage
	Zero       = "ZeRO"       // parameters that are gathered from shards
	Statistics = "statistics" // sums of batch norms over replicas
	Experts    = "experts"    // positions for experts, and what those give
	Others     = "others"     // tied tensors, norms of gradients
)

// Kinds lists them in order.
func Kinds() []string { return []string{Data, Tensor, Pipeline, Zero, Statistics, Experts, Others} }

// The bars, in order; those of communication and of the network come between Imbalance and HostCopies.
const (
	Ideal     = "ideal compute"    // products of the model at the peak
	Repeated  = "repeated compute" // products beyond those: recomputation, or the same on several ranks
	BelowPeak = "below peak"       // products slower than the peak, and other arithmetic
	Memory    = "memory-bound"     // kernels wait for memory
	Launch    = "launch"           // kernels start
	Given     = "compute as given" // of a replay: durations, of which nothing more is known
	SlowGPUs  = "slow GPUs"        // what slow devices take longer
	Bubbles   = "bubble"           // stages wait for one another
	Imbalance = "imbalance"        // ranks wait for one that begins a collective last
	Copies    = "host copies"      // of samples over PCIe
	Ahead     = "begun ahead"      // ranks computed before all had ended the start phase: not in the step time
)

// Hidden names the figure of what of a kind of communication nobody waits for.
func Hidden(kind string) string { return "hidden " + kind }

// Exposed names the bar of what of a kind of communication ranks wait for.
func Exposed(kind string) string { return "exposed " + kind }

// Network names the bar of a cause that the network, and not the communication, has.
func Network(cause string) string { return "network: " + cause }

// Meaning says what the time of a bar is.
func Meaning(bar string) string {
	i := slices.IndexFunc(meanings, func(m [2]string) bool { return m[0] == bar })
	if i < 0 {
		return ""
	}
	return meanings[i][1]
}

var meanings = [][2]string{
	{Ideal, "the model's matrix products at the peak: MFU x the step"},
	{Repeated, "products beyond the model's: recomputed, or alike on several ranks"},
	{BelowPeak, "products slower than the peak, and all other arithmetic"},
	{Memory, "kernels waited for the GPU's memory"},
	{Launch, "kernels started"},
	{Given, "durations of the file, of which nothing more is known"},
	{SlowGPUs, "what slow GPUs took longer"},
	{Bubbles, "stages waited for one another"},
	{Imbalance, "ranks waited for the one that began a collective last"},
	{Exposed(Data), "gradients were summed while ranks waited"},
	{Exposed(Tensor), "ranks that share layers exchanged while they waited"},
	{Exposed(Pipeline), "activations and their gradients were in flight"},
	{Exposed(Zero), "parameters were gathered while ranks waited"},
	{Exposed(Statistics), "batch norms were summed over replicas while ranks waited"},
	{Exposed(Experts), "positions went to experts, or back, while ranks waited"},
	{Exposed(Others), "tied tensors and norms were summed while ranks waited"},
	{Copies, "samples were copied over PCIe while ranks waited"},
	{Ahead, "computed before the last rank had ended the start phase"},
}
