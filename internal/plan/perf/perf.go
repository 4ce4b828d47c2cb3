package perf

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/job/nccltests"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Sweep is what to run.
type Sweep struct {
	Op         nccltests.Operation
	Sizes      Sizes
	Iterations int
	Warmup     int
	Algorithm  scenario.Algorithm    // of job.collectives; empty: as NCCL chooses
	Protocol   scenario.NCCLProtocol // the same
	Channels   int                   // 0: as NCCL chooses
	Skew       int                   // of an all-to-all, as job.collectives[].skew; 0: 1
	Counts     *Counts               // of an all-to-all: what each rank has for each, in place of sizes; nil: sizes are all that is known
	Exit       string                // job.collective.exit; empty: its default
	Base       *scenario.Scenario
	NICRate    unit.Bitrate  // what PCIe leaves of a NIC, for Closed; 0: all
	Host       plan.NCCLHost // what NCCL finds inside a host of Base
	Processes  bool          // ranks are processes, and times are measured

	all *scenario.Scenario // see ofAll
}

// ofAll is the base with a job of collectives over all its GPUs.
func (s *Sweep) ofAll() (*scenario.Scenario, error) {
	var err error
	if s.all == nil {
		s.all, err = s.Base.Set("job", fmt.Sprintf("{collectives: [{op: %v, bytes: 4B}]}", s.Op))
	}
	return s.all, err
}

// Row is one size of a sweep.
type Row struct {
	Bytes     unit.Bytes // of the larger of a rank's input and output
	Count     int64      // elements that the call names
	Algorithm scenario.Algorithm
	Protocol  scenario.NCCLProtocol
	Channels  int
	Skew      int    // 1: all blocks are alike
	Why       string // another algorithm runs than was asked for; empty: what was asked for
}

// Operations names nccl-tests' operations.
func Operations() []string {
	var all []string
	for c := coll.AllReduce; c < coll.Barrier; c++ {
		all = append(all, name(nccltests.Operation{Collective: c}))
	}
	return append(all, name(nccltests.Operation{Collective: coll.AllGather, Hypercube: true}))
}

// name is what nccl-tests calls an operation.
func name(op nccltests.Operation) string { return strings.TrimSuffix(op.Program(), "_perf") }

// ParseOp returns the operation of nccl-tests' name, all_reduce or all_reduce_perf.
func ParseOp(name string) (nccltests.Operation, error) {
	t := nccltests.Table{Program: strings.TrimSuffix(name, "_perf") + "_perf"}
	op, known := t.Operation()
	if !known {
		return op, fmt.Errorf("%q: no operation of nccl-tests, want one of %s", name, strings.Join(Operations(), ", "))
	}
	return op, nil
}

// algorithm is the algorithm of all rows, empty if NCCL chooses: hypercube is one itself.
func (s *Sweep) algorithm() (scenario.Algorithm, error) {
	if !s.Op.Hypercube {
		return s.Algorithm, nil
	}
	if s.Algorithm != "" && s.Algorithm != scenario.AlgorithmHypercube {
		return "", fmt.Errorf("algorithm %s of hypercube, which is one itself: leave it out", s.Algorithm)
	}
	return scenario.AlgorithmHypercube, s.Op.Check(s.Base.GPUs())
}

// Rows returns the rows of the sweep.
func (s *Sweep) Rows() ([]Row, error) {
	if s.Counts != nil {
		row, err := s.row(s.Counts.whole())
		return []Row{row}, err
	}
	sizes, err := s.Sizes.List()
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, size := range sizes {
		row, err := s.row(rounded(s.Op.Collective, s.Base.GPUs(), size))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// treeMost is up to how many bytes an all-reduce of processes goes along a tree, which has the fewest messages: while they
// take longer than their bytes do.
const treeMost = 64 << 10

// betweenProcesses is how processes run a size, where nothing is said. A protocol of NCCL's is about memory of GPUs: between
// processes it would only make messages small.
func (s *Sweep) betweenProcesses(algorithm scenario.Algorithm, size unit.Bytes) (scenario.Algorithm, scenario.NCCLProtocol) {
	if algorithm == "" && s.Op.Collective == coll.AllReduce && s.Base.GPUs() > 2 && size <= treeMost {
		return scenario.AlgorithmTree, scenario.ProtocolSimple
	}
	return algorithm, scenario.ProtocolNone
}

// row says how a size is run: as NCCL's model chooses, but for what the sweep says.
func (s *Sweep) row(size unit.Bytes) (Row, error) {
	algorithm, err := s.algorithm()
	if err != nil {
		return Row{}, err
	}
	protocol := s.Protocol
	if s.Processes && protocol == "" {
		algorithm, protocol = s.betweenProcesses(algorithm, size)
	}
	sc, err := s.ofAll()
	if err != nil {
		return Row{}, err
	}
	row := Row{Bytes: size, Count: nccltests.Count(s.Op.Collective, s.Base.GPUs(), size, element),
		Protocol: protocol, Channels: s.Channels, Skew: max(s.Skew, 1)}
	if a, has := plan.NCCLAlgorithm(s.Op.Collective, algorithm); has {
		if a, row.Why = plan.NCCLParams(sc).Runs(s.Op.Collective, a, plan.NCCLGroup(sc, &sc.Jobs[0], s.Host)); row.Why != "" {
			algorithm = plan.AlgorithmOf(a, s.Op.Collective)
		}
	}
	row.Algorithm = algorithm
	if row.Algorithm != "" && row.Protocol == scenario.ProtocolNone && row.Channels > 0 {
		return row, nil
	}
	if algorithm == "" {
		algorithm = scenario.AlgorithmAuto
	}
	choice, err := plan.NCCLChoice(sc, &sc.Jobs[0], s.Host, s.Op.Collective, row.Bytes, algorithm, protocol, row.Channels)
	if err != nil {
		return row, err
	}
	if row.Algorithm == "" {
		row.Algorithm = plan.AlgorithmOf(choice.Algorithm, s.Op.Collective)
	}
	if row.Protocol == "" {
		row.Protocol = plan.ProtocolOf(choice.Protocol)
	}
	if row.Channels == 0 {
		row.Channels = plan.ChannelsFor(sc, choice, row.Algorithm, s.exit(row.Algorithm))
	}
	return row, nil
}

// Closed is how long a row takes by NCCL's model alone: latencies, and bytes over the rate that links
// reach. The error says that it has none for the row's algorithm.
func (s *Sweep) Closed(row Row) (unit.Duration, error) {
	sc, err := s.ofAll()
	if err != nil {
		return 0, err
	}
	j := &sc.Jobs[0]
	choice, err := plan.NCCLChoice(sc, j, s.Host, s.Op.Collective, row.Bytes, row.Algorithm, row.Protocol, row.Channels)
	if err != nil {
		return 0, err
	}
	g := plan.NCCLGroup(sc, j, s.Host)
	g.Channels = row.Channels
	if s.NICRate > 0 {
		g.NICRate = min(g.NICRate, s.NICRate)
	}
	took, err := plan.NCCLParams(sc).Predict(s.Op.Collective, row.Bytes, g, choice.Algorithm, choice.Protocol)
	return took.Time(), err
}

// Scenario returns the sweep's cluster with a job of these rows.
func (s *Sweep) Scenario(rows ...Row) (*scenario.Scenario, error) {
	var entries []string
	for _, r := range rows {
		skew := ""
		if r.Skew > 1 {
			skew = fmt.Sprintf(", skew: %d", r.Skew)
		}
		entries = append(entries, fmt.Sprintf(
			"{op: %v, bytes: %dB, algorithm: %s, protocol: %s, channels: %d, iterations: %d, warmup: %d%s}",
			s.Op, int64(r.Bytes), r.Algorithm, r.Protocol, r.Channels, s.Iterations, s.Warmup, skew))
	}
	exit := ""
	if by := s.exit(rows[0].Algorithm); by != "channel" { // all rows are of one operation
		exit = "collective: {exit: " + by + "}, "
	}
	return s.Base.Set("job", "{"+exit+"collectives: ["+strings.Join(entries, ", ")+"]}")
}

// exit is by which NIC messages leave a host: what was said. Else sends leave by the NIC on the receiver's rail, over NVLink to it,
// as NCCL's do (PXN), or by their own without NVLink, and messages of other algorithms by their channel's.
func (s *Sweep) exit(algorithm scenario.Algorithm) string {
	like, _ := plan.NCCLAlgorithm(s.Op.Collective, algorithm)
	switch {
	case s.Exit != "":
		return s.Exit
	case like != nccl.Direct && !s.Op.Hypercube:
		return "channel"
	}
	if sc, err := s.ofAll(); err == nil && plan.NCCLGroup(sc, &sc.Jobs[0], s.Host).Intra == nccl.PCI {
		return "own"
	}
	return "peer"
}

// Result is what the run of a row says, as nccl-tests counts: in place, or out
// of place where input and output are two buffers.
func (s *Sweep) Result(row Row, sum *result.Summary) (nccltests.Row, error) {
	if len(sum.Collectives) != 1 {
		return nccltests.Row{}, fmt.Errorf("the run has figures of %d collectives, want 1", len(sum.Collectives))
	}
	c := sum.Collectives[0]
	took := &nccltests.Result{Time: c.Time}
	if c.Time > 0 && c.Bytes > 0 {
		*took = nccltests.NewResult(s.Op, s.Base.GPUs(), row.Bytes, c.Time)
	}
	if s.Counts != nil && c.Time > 0 {
		took.BusBW = coll.BusBandwidth(coll.SendReceive, s.Counts.Ranks, s.Counts.Load().Mean, c.Time)
	}
	if c.Wrong != nil {
		took.Errors = nccltests.Errors{Checked: true, Value: float64(*c.Wrong)}
	}
	out := nccltests.Row{Bytes: row.Bytes, Count: row.Count, Type: "float", RedOp: "none", Root: -1}
	if s.Op.InPlace() {
		out.In = took
	} else {
		out.Out = took
	}
	switch s.Op.Collective {
	case coll.AllReduce, coll.ReduceScatter, coll.ReduceTo, coll.SendReceive: // which adds nothing, but says so
		out.RedOp = "sum"
	}
	if s.Op.Rooted() {
		out.Root = 0
	}
	return out, nil
}

// How says in words how the row is run.
func (r *Row) How() string {
	how := fmt.Sprintf("%s, %s, %s", r.Algorithm, r.Protocol, unit.CountOf(int64(r.Channels), "channel"))
	if r.Skew > 1 {
		how += fmt.Sprintf(", skew %d", r.Skew)
	}
	if r.Why != "" {
		how += "; " + r.Why
	}
	return how
}
