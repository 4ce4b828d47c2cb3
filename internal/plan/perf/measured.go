package perf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/nccl"
	"railyard/internal/job/nccltests"
	"railyard/internal/plan/plan"
)

// Machines is what a log says of where it was measured.
type Machines struct {
	Hosts, GPUs int    // GPUs of each host; 0 where the log does not say
	Preset      string // of cluster.host; empty where the log names no GPU that has one
	GPU         string // as the log names it
}

// boards are the GPUs of host presets, as nccl-tests names them behind NVIDIA.
var boards = map[string]string{"A100": "hgx-a100", "H100": "hgx-h100", "H200": "hgx-h200", "B200": "hgx-b200"}

// MachinesOf reads hosts and GPUs from the devices that a log names. It fails if no cluster of
// equal hosts with one group of ranks can be what it says.
func MachinesOf(t *nccltests.Table) (m Machines, err error) {
	if len(t.Devices) == 0 {
		return m, nil
	}
	on := map[string]int{}
	var hosts []string // in the log's order
	for _, d := range t.Devices {
		if on[d.Host]++; on[d.Host] == 1 {
			hosts = append(hosts, d.Host)
		}
		if d.Group != t.Devices[0].Group {
			return m, fmt.Errorf("ranks in groups %d and %d: want one group of all ranks", t.Devices[0].Group, d.Group)
		}
		if d.Name != t.Devices[0].Name && !t.Cut {
			return m, fmt.Errorf("rank %d has %q, rank %d %q: want equal GPUs", t.Devices[0].Rank, t.Devices[0].Name, d.Rank,
				d.Name)
		}
	}
	m.GPU = t.Devices[0].Name
	m.Preset = preset(m.GPU)
	if t.Cut { // some devices are missing
		return m, nil
	}
	for _, h := range hosts {
		if on[h] != on[hosts[0]] {
			return m, fmt.Errorf("%s on %q, %d on %q: want as many on each host", unit.CountOf(int64(on[hosts[0]]), "GPU"),
				hosts[0], on[h], h)
		}
	}
	m.Hosts, m.GPUs = len(hosts), on[hosts[0]]
	return m, nil
}

// preset returns the host preset with a GPU, empty if there is none: cards are in no HGX board.
func preset(gpu string) string {
	words := strings.Fields(gpu)
	if slices.Contains(words, "PCIe") || slices.Contains(words, "NVL") {
		return ""
	}
	for _, w := range words {
		w, _, _ = strings.Cut(w, "-")
		if p := boards[w]; p != "" {
			return p
		}
	}
	return ""
}

// Measured is a row of a log, with how it is simulated.
type Measured struct {
	Row
	nccltests.Result
	InPlace bool
	Left    string // why it cannot be compared; empty if it can
}

// Measured returns the rows of a log in its order, those in place or out of place as
// they are simulated where it has them, and what is
// to say about them. It fails if the bus bandwidths are not those of the sweep's operation and
// ranks.
func (s *Sweep) Measured(t *nccltests.Table) (all []Measured, notes []string, err error) {
	if len(t.Rows) > MaxRows {
		return nil, nil, fmt.Errorf("%d rows, want at most %d", len(t.Rows), MaxRows)
	}
	if _, err := s.algorithm(); err != nil {
		return nil, nil, err
	}
	ranks := s.Base.GPUs()
	seen := map[unit.Bytes]bool{}
	var other, wrong, roots int
	simulated, otherwise := "in place", "out of place"
	if !s.Op.InPlace() {
		simulated, otherwise = otherwise, simulated
	}
	types := []string{}
	for _, row := range t.Rows {
		m := Measured{Row: Row{Bytes: row.Bytes}, InPlace: row.In != nil && (s.Op.InPlace() || row.Out == nil)}
		if m.InPlace {
			m.Result = *row.In
		} else {
			m.Result = *row.Out
		}
		if err := s.counted(row, m.Result); err != nil {
			return nil, nil, err
		}
		switch size := rounded(s.Op.Collective, ranks, row.Bytes); {
		case row.Bytes == 0 || m.Time == 0:
			m.Left = "no bytes or no time: nothing to compare"
		case seen[row.Bytes]:
			m.Left = "measured more than once: the first row of a size counts"
		case size != row.Bytes:
			m.Left = fmt.Sprintf("ranks here send whole float32 values and would run %s", size)
		case row.Bytes > maxSize:
			m.Left = fmt.Sprintf("too large, want at most %s", maxSize)
		default:
			if m.Row, err = s.row(row.Bytes); err != nil {
				return nil, nil, err
			}
			seen[row.Bytes] = true
			if m.InPlace != s.Op.InPlace() {
				other++
			}
			if m.Errors.Value > 0 && !t.Delta {
				wrong++
			}
			if row.Root > 0 {
				roots++
			}
			if row.Type != "float" && !slices.Contains(types, strconv.Quote(row.Type)) {
				types = append(types, strconv.Quote(row.Type))
			}
		}
		all = append(all, m)
	}
	note := func(n int, format string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s", unit.CountOf(int64(n), "size"), format))
		}
	}
	note(other, "only measured "+otherwise+"; simulated "+simulated)
	note(wrong, "the log counts wrong results: what was timed may not be what should have run")
	note(roots, "measured with another root than rank 0, which is the one simulated")
	if len(types) > 0 {
		notes = append(notes, fmt.Sprintf("measured with %s; simulated as many bytes of float", strings.Join(types, ", ")))
	}
	if t.CPUTime {
		notes = append(notes, "the log has the host's times (-C 1); simulated are the GPUs'")
	}
	above, err := s.above(all)
	return all, append(notes, above...), err
}

// above notes from which size on more was measured than a ring, or than anything, can carry over the links of the
// sweep's cluster: what ran then is one of those that can, whatever was simulated.
func (s *Sweep) above(all []Measured) (notes []string, err error) {
	sc, err := s.ofAll()
	if err != nil {
		return nil, err
	}
	p, g, op := plan.NCCLParams(sc), plan.NCCLGroup(sc, &sc.Jobs[0], s.Host), s.Op.Collective
	rows := slices.DeleteFunc(slices.Clone(all), func(m Measured) bool { return m.Left != "" })
	slices.SortStableFunc(rows, func(a, b Measured) int { return int(min(max(a.Bytes-b.Bytes, -1), 1)) })
	ring, none := 0, 0
	for _, m := range rows {
		able := p.Able(plan.RowAlgorithms, op, m.Bytes, m.Time, g)
		switch {
		case len(able) == 0:
			if none++; none == 1 {
				notes = append(notes, fmt.Sprintf("from %s on more was measured than anything can carry over the links that are "+
					"simulated: --cluster says which there are", m.Bytes))
			}
		case !slices.Contains(able, nccl.Ring) && !slices.Contains(able, nccl.Direct):
			if ring++; ring == 1 {
				notes = append(notes, fmt.Sprintf("from %s on more was measured than a ring can carry over these links, %s of bus "+
					"bandwidth: %s", m.Bytes, s.busOf(p.Bound(op, nccl.Ring, g)), named(able)))
			}
		}
	}
	return notes, nil
}

// busOf is a bandwidth as nccl-tests' bus bandwidth.
func (s *Sweep) busOf(b unit.Bitrate) string {
	return unit.ByteRate(float64(s.Op.BusFactor(s.Base.GPUs()).Float() * float64(b) / 8))
}

// named says which algorithm ran, of those that can have: the first, as NCCL chooses.
func named(able []nccl.Algorithm) string {
	text := able[0].String() + " ran"
	for i, a := range able[1:] {
		text += []string{", which NCCL's table has first, or ", ", "}[min(i, 1)] + a.String()
	}
	return text
}

// counted says whether a row's bus bandwidth is what nccl-tests makes of its bandwidth for the
// sweep's operation and ranks (doc/PERFORMANCE.md): another factor is another operation, or other
// ranks.
func (s *Sweep) counted(row nccltests.Row, r nccltests.Result) error {
	ranks := s.Base.GPUs()
	const gBs = 8_000_000_000.0 // bits per second
	alg, bus := float64(r.AlgBW)/gBs, float64(r.BusBW)/gBs
	factor := s.Op.BusFactor(ranks).Float()
	// Each is printed with two decimals, fewer where it is large: half of the last digit, and a
	// little for the decimals' own rounding.
	half := func(v float64) float64 {
		switch {
		case v < 1000:
			return 0.0051
		case v < 10_000:
			return 0.051
		}
		return 0.51
	}
	if math.Abs(bus-float64(factor*alg)) <= half(bus)+float64(factor*half(alg)) {
		return nil
	}
	return fmt.Errorf("%s: busbw is %.4g times algbw, of %s over %s it is %.4g: want the operation and the ranks that "+
		"were measured", row.Bytes, bus/alg, name(s.Op),
		unit.CountOf(int64(ranks), "rank"), factor)
}

// Comparison is a measured sweep beside the simulated one.
type Comparison struct {
	Error   float64       // see nccl.Error
	Large   float64       // the same from LargeFrom on
	Larges  int           // sizes of that
	Parting *nccl.Parting // nil: nowhere by more than the factor
}

// LargeFrom is the size from which on bandwidth decides, and not latency: errors are given from there on too.
const LargeFrom = 64 * unit.Mebibyte

// Compare says how far simulated times are off, and from which size on and why they differ by more
// than a factor. rows are those that were simulated.
func (s *Sweep) Compare(rows []Row, pairs []nccl.Pair, factor unit.Ratio) (c Comparison, err error) {
	c.Error = nccl.Error(pairs)
	large := slices.DeleteFunc(slices.Clone(pairs), func(p nccl.Pair) bool { return p.Bytes < LargeFrom })
	c.Large, c.Larges = nccl.Error(large), len(large)
	sc, err := s.ofAll()
	if err != nil {
		return c, err
	}
	p, g := plan.NCCLParams(sc), plan.NCCLGroup(sc, &sc.Jobs[0], s.Host)
	g.Channels = s.Channels
	i := slices.IndexFunc(rows, func(r Row) bool { _, _, ok := s.known(&r); return !ok })
	if i >= 0 { // nothing to model it with
		at := slices.IndexFunc(pairs, func(p nccl.Pair) bool { return p.Ratio() > factor.Float() })
		if at >= 0 {
			c.Parting = &nccl.Parting{Pair: pairs[at], Left: nccl.Error(pairs[at:]), Text: fmt.Sprintf(
				"at %v: NCCL has no %s of this, so there is no model to look for a reason with", pairs[at].Bytes,
				rows[i].Algorithm)}
		}
		return c, nil
	}
	used := func(size unit.Bytes) (nccl.Algorithm, nccl.Protocol) {
		a, proto, _ := s.known(&rows[slices.IndexFunc(rows, func(r Row) bool { return r.Bytes == size })])
		return a, proto
	}
	at, found, err := p.Part(s.Op.Collective, g, pairs, factor, used)
	if found && err == nil {
		c.Parting = &at
	}
	return c, err
}

// known returns NCCL's algorithm and protocol of a row.
func (s *Sweep) known(r *Row) (nccl.Algorithm, nccl.Protocol, bool) {
	a, has := plan.NCCLAlgorithm(s.Op.Collective, r.Algorithm)
	proto, named := plan.NCCLProtocol(r.Protocol)
	return a, proto, has && named
}

// BaseOf returns a scenario of hosts with these GPUs; its job is only there to make it one.
func BaseOf(m Machines) []byte {
	preset := ""
	if m.Preset != "" {
		preset = "preset: " + m.Preset + ", "
	}
	return fmt.Appendf(nil, "cluster: {hosts: %d, host: {%sgpus: %d}}\njob: {collectives: "+
		"[{op: all-reduce, bytes: 4B}]}\n", m.Hosts, preset, m.GPUs)
}
