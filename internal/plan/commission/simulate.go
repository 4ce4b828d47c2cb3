package commission

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/nccltests"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Bare returns a scenario's cluster and fabric with another job: without what else it has to do, and without its faults.
func Bare(sc *scenario.Scenario, job string) (*scenario.Scenario, error) {
	changes := []scenario.Change{{Path: "job", Text: job}}
	for _, path := range []string{"jobs", "faults", "background", "cluster.slow", "output"} {
		more := append(slices.Clone(changes), scenario.Change{Path: path, Remove: true})
		if _, err := sc.With(more...); err == nil { // else it is not there, or cannot be taken away
			changes = more
		}
	}
	return sc.With(changes...)
}

// Most senders of an incast, and what each writes.
const (
	mostSenders = 4
	incastBytes = 16 * unit.Megabyte
)

// Incast is a scenario in which several hosts write to the first NIC of the first at once, and how many they are; fewer than
// two that reach it: nil.
func Incast(p *plan.Plan) (*scenario.Scenario, int, error) {
	g := p.Graph
	if len(g.Hosts) == 0 || len(g.Hosts[0].NICs) == 0 {
		return nil, 0, nil
	}
	to := g.Hosts[0].NICs[0]
	var flows []string
	for _, h := range g.Hosts[1:] {
		if len(h.NICs) == 0 || len(flows) == mostSenders || g.Nodes[g.Edge(h.NICs[0])].Kind == topo.HostKind {
			continue
		}
		if _, err := p.Routes.Path(h.NICs[0], to, nil); err == nil && !g.Apart(h.NICs[0], to) {
			flows = append(flows, fmt.Sprintf("{from: %s, to: %s, bytes: %dB}", g.NICName(h.NICs[0]), g.NICName(to),
				int64(incastBytes)))
		}
	}
	if len(flows) < 2 {
		return nil, 0, nil
	}
	sc, err := Bare(p.Scenario, "{flows: ["+strings.Join(flows, ", ")+"]}")
	return sc, len(flows), err
}

// LoadOf is what an incast of so many senders did.
func LoadOf(sum *result.Summary, senders int) *Loaded {
	l := &Loaded{Senders: senders, Marks: sum.ECNMarks, Pauses: sum.Pauses, Drops: sum.Drops}
	for _, f := range sum.Flows {
		l.Took = max(l.Took, f.Took())
	}
	return l
}

// Sweep is nccl-tests' all-reduce over all GPUs of a plan, from 8 B to 4 GiB.
func Sweep(p *plan.Plan) (*perf.Sweep, error) {
	s := &perf.Sweep{Sizes: perf.Sizes{Min: 8, Max: 4 << 30, Factor: 2}, Iterations: 1, NICRate: p.PCIe.NICRate(), Host: p.NCCLHost()}
	var err error
	if s.Op, err = perf.ParseOp("all_reduce"); err == nil {
		s.Base, err = Bare(p.Scenario, "{collectives: [{op: all-reduce, bytes: 4B}]}")
	}
	return s, err
}

// Rows are the sizes of the sweep; of a plan of fewer than two GPUs there are none.
func Rows(p *plan.Plan) (*perf.Sweep, []perf.Row, error) {
	if p.Scenario.GPUs() < 2 {
		return nil, nil, nil
	}
	s, err := Sweep(p)
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.Rows()
	return s, rows, err
}

// Foreseen is what can be known of a plan without a simulation: Checks has all keys and units by it.
// Whether an incast marks is open, so it says that it does.
func Foreseen(p *plan.Plan) (k Known, err error) {
	incast, senders, err := Incast(p)
	if err != nil {
		return k, err
	}
	if incast != nil {
		k.Load = &Loaded{Senders: senders, Marks: 1}
	}
	s, rows, err := Rows(p)
	for _, row := range rows {
		f, err := Closed(s, row)
		if err != nil {
			f = Figure{Row: row} // then it takes packets
		}
		k.Figures = append(k.Figures, f)
	}
	return k, err
}

// Closed is a row by the closed form of NCCL's model alone.
func Closed(s *perf.Sweep, row perf.Row) (Figure, error) {
	took, err := s.Closed(row)
	if err != nil {
		return Figure{}, err
	}
	return figure(s, row, took, FromFormula), nil
}

// Simulated is a row by packets, with the closed form beside it if there is one.
func Simulated(s *perf.Sweep, row perf.Row, sum *result.Summary) (Figure, error) {
	r, err := s.Result(row, sum)
	if err != nil {
		return Figure{}, err
	}
	f := figure(s, row, r.In.Time, FromPackets)
	if closed, err := s.Closed(row); err == nil {
		f.Closed = closed
	}
	return f, nil
}

func figure(s *perf.Sweep, row perf.Row, took unit.Duration, from Source) Figure {
	r := nccltests.NewResult(s.Op, s.Base.GPUs(), row.Bytes, took)
	return Figure{Row: row, Time: took, Bus: r.BusBW, Source: from}
}
