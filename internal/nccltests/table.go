package nccltests

import (
	"path"
	"strings"

	"railyard/internal/coll"
	"railyard/internal/unit"
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

// Operation is the program's name without what builds put round it: all_reduce of
// build/all_reduce_perf_mpi. Empty where the log does not say.
func (t *Table) Operation() string {
	name, _, _ := strings.Cut(path.Base(strings.ReplaceAll(t.Program, `\`, "/")), "_perf")
	if t.Program == "" {
		return ""
	}
	return name
}

// Collective returns what the program ran; ok is false if that is not known.
func (t *Table) Collective() (c coll.Collective, ok bool) {
	c, ok = programs[t.Operation()+"_perf"]
	return c, ok
}

// Program returns the name of the program for a collective, empty if there is none.
func Program(c coll.Collective) string {
	for name, of := range programs {
		if of == c {
			return name
		}
	}
	return ""
}

// Ranks is how many ranks the log names.
func (t *Table) Ranks() int {
	seen := map[int]bool{}
	for _, d := range t.Devices {
		seen[d.Rank] = true
	}
	return len(seen)
}

// Hosts is how many hosts the log names.
func (t *Table) Hosts() int {
	seen := map[string]bool{}
	for _, d := range t.Devices {
		seen[d.Host] = true
	}
	return len(seen)
}

// NewResult is a time with its bandwidths (doc/PERFORMANCE.md). bytes is the whole buffer of a
// rank.
func NewResult(c coll.Collective, ranks int, bytes unit.Bytes, time unit.Duration) Result {
	return Result{Time: time, AlgBW: coll.BusBandwidth(coll.SendReceive, ranks, bytes, time), // factor 1
		BusBW: coll.BusBandwidth(c, ranks, bytes, time)}
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
