package nccltests

import (
	"fmt"
	"path"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Table is what a run of nccl-tests says.
type Table struct {
	Program string   // such as all_reduce_perf; empty where the log does not say, as before 2.17
	Devices []Device // a line each
	Cut     bool     // the program cut short what it says of devices: some are missing
	CPUTime bool     // times are those until the host was done (-C 1)
	// Delta: errors are the greatest difference from the right result, as before 2.11, not the
	// number of wrong elements.
	Delta bool
	Rows  []Row
}

// Device is a GPU that took part.
type Device struct {
	Rank, Group int // Group is 0 where the version has none
	Pid         int
	Host        string
	Device      int    // number in the host
	Bus         string // such as 0000:1b:00, or 0x1b
	Name        string
}

// Row is a size. Out and In are nil where it was not run out of place, or in place.
type Row struct {
	Bytes unit.Bytes // of the whole buffer of a rank: the larger of what it sends and receives
	Count int64      // elements that the call names: of an all-gather those of one rank
	Type  string
	RedOp string // none where nothing is reduced
	Root  int    // -1 where there is none
	Out   *Result
	In    *Result
}

// Result is how long it took.
type Result struct {
	Time         unit.Duration // of one operation
	AlgBW, BusBW unit.Bitrate
	Errors       Errors
}

// Errors is what the check of the result found.
type Errors struct {
	Checked bool
	Value   float64 // wrong elements, or a difference: see Table.Delta
}

// programs are nccl-tests' programs whose collective coll knows.
var programs = map[string]coll.Collective{
	"all_reduce_perf": coll.AllReduce, "all_gather_perf": coll.AllGather, "reduce_scatter_perf": coll.ReduceScatter,
	"broadcast_perf": coll.BroadcastFrom, "reduce_perf": coll.ReduceTo, "gather_perf": coll.GatherTo,
	"scatter_perf": coll.ScatterFrom, "alltoall_perf": coll.AllToAll, "sendrecv_perf": coll.SendReceive,
}

// Operation is what a program times.
type Operation struct {
	coll.Collective
	// Hypercube: an all-gather that the program makes of sends, by recursive doubling, and counts in
	// another way than all_gather_perf (src/hypercube.cu).
	Hypercube bool
}

const hypercube = "hypercube_perf"

// Name is the program's name without what builds put round it: all_reduce of
// build/all_reduce_perf_mpi. Empty where the log does not say.
func (t *Table) Name() string {
	name, _, _ := strings.Cut(path.Base(strings.ReplaceAll(t.Program, `\`, "/")), "_perf")
	if t.Program == "" {
		return ""
	}
	return name
}

// Operation returns what the program ran; ok is false if that is not known.
func (t *Table) Operation() (op Operation, ok bool) {
	name := t.Name() + "_perf"
	if name == hypercube {
		return Operation{coll.AllGather, true}, true
	}
	c, ok := programs[name]
	return Operation{Collective: c}, ok
}

// Check says why an operation cannot be run over so many ranks.
func (o Operation) Check(ranks int) error {
	if o.Hypercube && ranks&(ranks-1) != 0 {
		return fmt.Errorf("hypercube over %d ranks: want a power of two: 1, 2, 4, 8 and so on", ranks)
	}
	return nil
}

// Program returns the name of the program for an operation, empty if there is none.
func (o Operation) Program() string {
	if o.Hypercube {
		return hypercube
	}
	for name, of := range programs {
		if of == o.Collective {
			return name
		}
	}
	return ""
}

// NewResult is a time with its bandwidths (doc/PERFORMANCE.md). bytes is the whole buffer of a
// rank. hypercube counts what a rank receives, as both (src/hypercube.cu).
func NewResult(o Operation, ranks int, bytes unit.Bytes, time unit.Duration) Result {
	r := Result{Time: time, AlgBW: coll.BusBandwidth(coll.SendReceive, ranks, bytes, time), // factor 1
		BusBW: coll.BusBandwidth(o.Collective, ranks, bytes, time)}
	if o.Hypercube {
		r.AlgBW = r.BusBW
	}
	return r
}

// BusFactor is bus bandwidth over the bandwidth that the program gives as algbw.
func (o Operation) BusFactor(ranks int) unit.Ratio {
	if o.Hypercube {
		return unit.Ratio{Num: 1, Den: 1}
	}
	return coll.BusFactor(o.Collective, ranks)
}

// Count is how many elements of a size the call of a collective names for a buffer of bytes (the
// tests' GetCollByteCount).
func Count(c coll.Collective, ranks int, bytes, element unit.Bytes) int64 {
	n := int64(bytes / element)
	switch c {
	case coll.AllGather, coll.ReduceScatter, coll.AllToAll, coll.GatherTo, coll.ScatterFrom:
		n /= int64(ranks)
	}
	return n
}

// AverageBusBW is the mean bus bandwidth of all results, as the program prints it last.
func (t *Table) AverageBusBW() float64 {
	sum, n := 0.0, 0
	for _, r := range t.Rows {
		for _, res := range []*Result{r.Out, r.In} {
			if res != nil {
				sum, n = sum+float64(res.BusBW)/gBs, n+1
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
