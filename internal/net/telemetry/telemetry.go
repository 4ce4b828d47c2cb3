package telemetry

import (
	"cmp"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// Unknown is a value that was not read.
const Unknown = -1

// Kind is what a row or a series is of.
type Kind string

// The kinds.
const (
	Port       Kind = "port"       // of a switch
	Queue      Kind = "queue"      // of another priority than that of the port's row
	NIC        Kind = "nic"        // a port of a host
	GPU        Kind = "gpu"        //
	Collective Kind = "collective" // one rank's part in one
	Step       Kind = "step"       // of one rank
	Line       Kind = "log"        // a line of a device's log
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{Port, Queue, NIC, GPU, Collective, Step, Line} }

// Counter names what is counted.
type Counter uint8

// The counters.
const (
	RxBytes Counter = iota
	TxBytes
	RxPackets
	TxPackets
	InErrors
	Oversize
	InDiscards
	OutDiscards
	RxPFC
	TxPFC
	RxPause
	ECNMarked
	Watermark
	Watchdog
	LinkDowns
	Up
	Speed
	PCIe
	NPMarked
	NPSent
	RPHandled
	OutOfSequence
	SequenceErrors
	AckTimeouts
	Utilisation
	Power
	CounterCount // how many there are
)

// Nature is how the value of a counter behaves.
type Nature uint8

// The natures.
const (
	Counts Nature = iota // what has been since it was cleared
	Peak                 // the largest since it was cleared
	Gauge                // as it is, or was on average since the last read
)

// About is what is known of a counter.
type About struct {
	Name    string // column of telemetry.parquet
	Unit    string
	Bits    uint // width: it wraps beyond
	Nature  Nature
	Meaning string
}

// Counters is the one table of counters.
var Counters = [CounterCount]About{
	RxBytes:        {"rx_bytes", "bytes", 64, Counts, "received, frames of every kind"},
	TxBytes:        {"tx_bytes", "bytes", 64, Counts, "sent, frames of every kind"},
	RxPackets:      {"rx_packets", "packets", 64, Counts, "frames received"},
	TxPackets:      {"tx_packets", "packets", 64, Counts, "frames sent"},
	InErrors:       {"in_errors", "packets", 64, Counts, "frames received with a wrong FCS or symbol, and discarded"},
	Oversize:       {"oversize", "packets", 64, Counts, "frames longer than the MTU of the port, in or out, and discarded"},
	InDiscards:     {"in_discards", "packets", 64, Counts, "packets that came in and were discarded: no route, at a NIC no room"},
	OutDiscards:    {"out_discards", "packets", 64, Counts, "discarded for want of buffer, by the watchdog, as the link was down"},
	RxPFC:          {"rx_pfc", "frames", 64, Counts, "PFC frames received of `priority`: the neighbour told this port to stop"},
	TxPFC:          {"tx_pfc", "frames", 64, Counts, "PFC frames sent of `priority`: this device told the neighbour to stop"},
	RxPause:        {"rx_pause_us", "us", 64, Counts, "time in which the neighbour held the port"},
	ECNMarked:      {"ecn_marked", "packets", 64, Counts, "packets marked in the port's queues"},
	Watermark:      {"watermark_bytes", "bytes", 64, Peak, "the deepest that the queue of `priority` was since it was cleared"},
	Watchdog:       {"wd_detected", "events", 64, Counts, "storms that the PFC watchdog found on the port's queue"},
	LinkDowns:      {"link_downs", "events", 64, Counts, "times that the link went down"},
	Up:             {"up", "0 or 1", 64, Gauge, "the link is up"},
	Speed:          {"speed_mbps", "Mb/s", 64, Gauge, "speed that both ends of the link have agreed upon"},
	PCIe:           {"pcie_mbps", "Mb/s", 64, Gauge, "of a NIC, what its PCIe link carries at the width and speed that it came up with"},
	NPMarked:       {"np_ecn_marked_roce_packets", "packets", 64, Counts, "received with congestion experienced"},
	NPSent:         {"np_cnp_sent", "packets", 64, Counts, "CNPs sent by the receiver"},
	RPHandled:      {"rp_cnp_handled", "packets", 64, Counts, "CNPs that slowed a sender"},
	OutOfSequence:  {"out_of_sequence", "packets", 32, Counts, "gaps that the receiver found"},
	SequenceErrors: {"packet_seq_err", "packets", 32, Counts, "sequence NAKs that the sender got"},
	AckTimeouts:    {"local_ack_timeout_err", "events", 32, Counts, "retransmission timers that ran out"},
	Utilisation:    {"utilisation_percent", "%", 64, Gauge, "share of the time since the last read in which a kernel ran, NCCL's too"},
	Power:          {"power_mw", "mW", 64, Gauge, "mean power since the last read"},
}

// Series is a port, a queue, a NIC or a GPU over time.
type Series struct {
	Kind         Kind
	Device, Port string // leaf1 and leaf1/spine2; host3 and gpu1
	Priority     int32  // 0 to 7; Unknown
	At           []unit.Time
	Values       [CounterCount][]int64 // nil: never read; else as long as At; read only, since series may share them
}

// Has reports whether the counter was ever read.
func (s *Series) Has(c Counter) bool { return s.Values[c] != nil }

// Value is the counter's i-th value, or Unknown.
func (s *Series) Value(c Counter, i int) int64 {
	if s.Values[c] == nil {
		return Unknown
	}
	return s.Values[c][i]
}

// Rise returns how much was counted from read i to read j, as far as it is known, and whether it is at all. A value
// below the one before it has wrapped, if it came from near the end of its width, or begins anew.
func (s *Series) Rise(c Counter, i, j int) (sum int64, known bool) {
	all := s.Values[c]
	if all == nil {
		return 0, false
	}
	last := int64(Unknown)
	for _, v := range all[i : j+1] {
		switch {
		case v == Unknown:
			continue
		case last == Unknown:
		case v >= last:
			sum, known = sum+v-last, true
		default:
			sum, known = sum+Counters[c].again(last, v), true
		}
		last = v
	}
	return sum, known
}

// again is what was counted between a value and a smaller one.
func (a *About) again(from, to int64) int64 {
	if a.Bits < 63 {
		if end := int64(1) << a.Bits; from < end && from > end-end/4 && to < end/4 {
			return end - from + to
		}
	}
	return to // it was cleared: what it has counted since
}

// Total is the rise over all reads.
func (s *Series) Total(c Counter) (sum int64, known bool) {
	if len(s.At) == 0 {
		return 0, false
	}
	return s.Rise(c, 0, len(s.At)-1)
}

// Span is the time from the first read to the last.
func (s *Series) Span() unit.Duration {
	if len(s.At) == 0 {
		return 0
	}
	return s.At[len(s.At)-1].Sub(s.At[0])
}

// AllToAll is the Op of a Part in which each rank sends each other one what is for it.
const AllToAll = "all-to-all"

// Part is one rank's part in a collective, or its step.
type Part struct {
	Device, Port string // host3 and gpu1
	Rank         int32
	Comm         string // communicator; "": a step
	Seq          int64  // number in the communicator; of a step, its own
	Op           string // all-reduce, ...
	Bytes        unit.Bytes
	Start, End   unit.Time // End Unknown: it has not ended
}

// Text is a line of a device's log.
type Text struct {
	At     unit.Time
	Device string
	Port   string // "": of none
	Text   string
}

// Telemetry is what a fabric shows.
type Telemetry struct {
	Series      []Series // in order of kind, device, port, priority
	Collectives []Part   // in order of communicator, number, rank
	Steps       []Part   // in order of number, rank
	Lines       []Text   // in order of time
}

// Row is one read of a device, one part of a collective, a step or a line: a row of telemetry.parquet. What a kind does
// not have, or was not read, is Unknown or "".
type Row struct {
	Time     unit.Time `parquet:"time_ps,delta"`
	Kind     string    `parquet:"kind,delta"`
	Device   string    `parquet:"device,delta"`
	Port     string    `parquet:"port,delta"`
	Priority int32     `parquet:"priority"`

	RxBytes     int64 `parquet:"rx_bytes,delta"`
	TxBytes     int64 `parquet:"tx_bytes,delta"`
	RxPackets   int64 `parquet:"rx_packets,delta"`
	TxPackets   int64 `parquet:"tx_packets,delta"`
	InErrors    int64 `parquet:"in_errors,delta"`
	Oversize    int64 `parquet:"oversize,delta"`
	InDiscards  int64 `parquet:"in_discards,delta"`
	OutDiscards int64 `parquet:"out_discards,delta"`
	RxPFC       int64 `parquet:"rx_pfc,delta"`
	TxPFC       int64 `parquet:"tx_pfc,delta"`
	RxPause     int64 `parquet:"rx_pause_us,delta"`
	ECNMarked   int64 `parquet:"ecn_marked,delta"`
	Watermark   int64 `parquet:"watermark_bytes,delta"`
	Watchdog    int64 `parquet:"wd_detected,delta"`
	LinkDowns   int64 `parquet:"link_downs,delta"`
	Up          int64 `parquet:"up,delta"`
	Speed       int64 `parquet:"speed_mbps,delta"`
	PCIe        int64 `parquet:"pcie_mbps,delta"`

	NPMarked       int64 `parquet:"np_ecn_marked_roce_packets,delta"`
	NPSent         int64 `parquet:"np_cnp_sent,delta"`
	RPHandled      int64 `parquet:"rp_cnp_handled,delta"`
	OutOfSequence  int64 `parquet:"out_of_sequence,delta"`
	SequenceErrors int64 `parquet:"packet_seq_err,delta"`
	AckTimeouts    int64 `parquet:"local_ack_timeout_err,delta"`

	Utilisation int64 `parquet:"utilisation_percent,delta"`
	Power       int64 `parquet:"power_mw,delta"`

	Rank  int32      `parquet:"rank"`
	Comm  string     `parquet:"comm,delta"`
	Seq   int64      `parquet:"seq,delta"`
	Op    string     `parquet:"op,delta"`
	Bytes unit.Bytes `parquet:"bytes,delta"`
	End   unit.Time  `parquet:"end_ps,delta"`
	Text  string     `parquet:"text,delta"`
}

// fields are where a row has its counters.
func (r *Row) fields() [CounterCount]*int64 {
	return [...]*int64{RxBytes: &r.RxBytes, TxBytes: &r.TxBytes, RxPackets: &r.RxPackets, TxPackets: &r.TxPackets,
		InErrors: &r.InErrors, Oversize: &r.Oversize, InDiscards: &r.InDiscards, OutDiscards: &r.OutDiscards,
		RxPFC: &r.RxPFC, TxPFC: &r.TxPFC, RxPause: &r.RxPause, ECNMarked: &r.ECNMarked, Watermark: &r.Watermark,
		Watchdog: &r.Watchdog, LinkDowns: &r.LinkDowns, Up: &r.Up, Speed: &r.Speed, PCIe: &r.PCIe, NPMarked: &r.NPMarked, NPSent: &r.NPSent,
		RPHandled: &r.RPHandled, OutOfSequence: &r.OutOfSequence, SequenceErrors: &r.SequenceErrors,
		AckTimeouts: &r.AckTimeouts, Utilisation: &r.Utilisation, Power: &r.Power}
}

// Set sets a counter of the row.
func (r *Row) Set(c Counter, v int64) { *r.fields()[c] = v }

// All returns all counters, Unknown where one was not read.
func (r *Row) All() (values [CounterCount]int64) {
	for c, f := range r.fields() {
		values[c] = *f
	}
	return values
}

// NewRow is a row of which nothing was read.
func NewRow(k Kind, device, port string, at unit.Time) Row {
	r := Row{Time: at, Kind: string(k), Device: device, Port: port, Priority: Unknown, Rank: Unknown, Seq: Unknown,
		Bytes: Unknown, End: Unknown}
	for _, f := range r.fields() {
		*f = Unknown
	}
	return r
}

// Builder makes telemetry of rows in any order.
type Builder struct {
	out  Telemetry
	at   map[key]int
	same []standing // by series
}

// standing are the counters of a series that have had one value so far, in each of its reads: most of a fabric in order. They take no
// room until they change.
type standing struct {
	value [CounterCount]int64
	is    [CounterCount]bool
}

type key struct {
	kind         Kind
	device, port string
	priority     int32
}

// Add takes a row.
func (b *Builder) Add(r *Row) {
	switch k := Kind(r.Kind); k {
	case Collective, Step:
		p := Part{r.Device, r.Port, r.Rank, r.Comm, r.Seq, r.Op, r.Bytes, r.Time, r.End}
		if k == Step {
			b.out.Steps = append(b.out.Steps, p)
		} else {
			b.out.Collectives = append(b.out.Collectives, p)
		}
	case Line:
		b.out.Lines = append(b.out.Lines, Text{r.Time, r.Device, r.Port, r.Text})
	default:
		b.read(key{k, r.Device, r.Port, -1}, r)
	}
}

// read adds a read to its series. Those of a queue are told apart by their priority.
func (b *Builder) read(k key, r *Row) {
	if k.kind == Queue {
		k.priority = r.Priority
	}
	if b.at == nil {
		b.at = map[key]int{}
	}
	i, there := b.at[k]
	if !there {
		i = len(b.out.Series)
		b.at[k] = i
		b.out.Series = append(b.out.Series, Series{Kind: k.kind, Device: k.device, Port: k.port, Priority: r.Priority})
		b.same = append(b.same, standing{})
	}
	s, same := &b.out.Series[i], &b.same[i]
	n := len(s.At)
	s.At = append(s.At, r.Time)
	for c, v := range r.All() {
		switch {
		case same.is[c] && v == same.value[c]:
		case same.is[c]:
			same.is[c] = false
			s.Values[c] = append(repeated(same.value[c], n), v)
		case n == 0 && v != Unknown:
			same.is[c], same.value[c] = true, v
		case s.Values[c] != nil:
			s.Values[c] = append(s.Values[c], v)
		case v != Unknown:
			s.Values[c] = append(repeated(Unknown, n), v)
		}
	}
}

// repeated is a value n times.
func repeated(v int64, n int) []int64 {
	all := make([]int64, n, n+8)
	for i := range all {
		all[i] = v
	}
	return all
}

// fill gives the counters that have stood their values. Series share them: values are read only.
func (b *Builder) fill() {
	type column struct {
		value int64
		n     int
	}
	shared := map[column][]int64{}
	for i := range b.same {
		s := &b.out.Series[i]
		for c, is := range b.same[i].is {
			if !is {
				continue
			}
			k := column{b.same[i].value[c], len(s.At)}
			if shared[k] == nil {
				shared[k] = slices.Clip(repeated(k.value, k.n))
			}
			s.Values[c] = shared[k]
		}
	}
	b.same = nil
}

// Telemetry returns what was added, in order.
func (b *Builder) Telemetry() *Telemetry {
	b.fill()
	t := &b.out
	for i := range t.Series {
		t.Series[i].sort()
	}
	slices.SortFunc(t.Series, func(x, y Series) int {
		return cmp.Or(strings.Compare(string(x.Kind), string(y.Kind)), strings.Compare(x.Device, y.Device),
			strings.Compare(x.Port, y.Port), cmp.Compare(x.Priority, y.Priority))
	})
	parts := func(x, y Part) int {
		return cmp.Or(strings.Compare(x.Comm, y.Comm), cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Rank, y.Rank),
			cmp.Compare(x.Start, y.Start))
	}
	slices.SortFunc(t.Collectives, parts)
	slices.SortFunc(t.Steps, parts)
	slices.SortStableFunc(t.Lines, func(x, y Text) int {
		return cmp.Or(cmp.Compare(x.At, y.At), strings.Compare(x.Device, y.Device), strings.Compare(x.Text, y.Text))
	})
	b.at = nil
	return t
}

// sort puts reads in order of time. Two of one time are one read: what the first does not know the other may.
func (s *Series) sort() {
	order := make([]int, len(s.At))
	for i := range order {
		order[i] = i
	}
	if slices.IsSortedFunc(order, func(i, j int) int {
		if s.At[i] < s.At[j] {
			return -1
		}
		return 1
	}) {
		return
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.At[i], s.At[j]) })
	old := *s
	s.At, s.Values = nil, [CounterCount][]int64{}
	for _, i := range order {
		again := len(s.At) > 0 && s.At[len(s.At)-1] == old.At[i]
		if !again {
			s.At = append(s.At, old.At[i])
		}
		for c := range old.Values {
			switch v := old.Value(Counter(c), i); {
			case old.Values[c] == nil:
			case !again:
				s.Values[c] = append(s.Values[c], v)
			case v != Unknown:
				s.Values[c][len(s.At)-1] = v
			}
		}
	}
}

// Find returns the series of a kind, in order.
func (t *Telemetry) Find(kinds ...Kind) (all []*Series) {
	for i := range t.Series {
		if slices.Contains(kinds, t.Series[i].Kind) {
			all = append(all, &t.Series[i])
		}
	}
	return all
}
