package dump

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// Bounds of what is read.
const (
	MostText    = 20 << 20   // bytes of a text
	MostSamples = 20_000_000 // of all texts
	mostParts   = 2_000_000  // of collectives and steps
	mostLines   = 200_000    // of logs that are kept
	mostDays    = 90         // from the first time to the last
	mostUnread  = 1000       // kinds of things that are listed
	mostRows    = 1_000_000  // lines of one command that prints a table
	mostPorts   = 65_536     // ports and GPUs of all texts
)

// Reader takes texts and makes telemetry of them.
type Reader struct {
	names     *Names
	series    map[key]*columns
	roles     map[string]evidence // by device
	nodes     map[string]string   // name of a device by its address, as node_uname_info has it
	addresses map[string]bool     // devices that are named by an address of an exporter
	joined    map[key]string      // interface by RDMA device
	gpus      map[rankOn]string   // GPU of a rank on a host; "": two are said to be
	parts     []part
	lines     []line
	counted   []counted // collectives that ranks had begun, by RAS
	cables    [][2]plug
	heard     []heard
	groups    map[string]map[string]bool // names of process groups, and the ranks of each

	samples int
	unread  map[string]int
	order   []string
}

// key is an interface or a GPU of a device, as it calls it.
type key struct {
	device, port string
	gpu          bool
}

type rankOn struct {
	device string
	rank   int32
}

// evidence is by what a device is a switch or a host.
type evidence struct {
	role role
	by   string
}

// columns are the samples of a key by counter and priority, -1: of none.
type columns struct{ of map[column]*samples }

type column struct {
	counter  telemetry.Counter
	priority int8
}

// samples are of the metric that stands first in the table of those that there are.
type samples struct {
	rank int
	all  []sample
}

type sample struct {
	at    instant
	value int64
}

// instant is a time since 1970: seconds and picoseconds. Years do not fit a unit.Time.
type instant struct{ sec, ps int64 }

func (a instant) compare(b instant) int {
	return cmp.Or(cmp.Compare(a.sec, b.sec), cmp.Compare(a.ps, b.ps))
}

// never is the end of what has not ended.
var never = instant{sec: -1}

// part is a rank's part in a collective, or a step.
type part struct {
	telemetry.Part // without times
	from, until    instant
	group          string // the ranks of its communicator
	step           bool
}

type line struct {
	at                 instant
	device, port, text string
}

// NewReader is a reader with these names of metrics.
func NewReader(n *Names) *Reader {
	return &Reader{names: n, series: map[key]*columns{}, roles: map[string]evidence{}, nodes: map[string]string{},
		addresses: map[string]bool{}, joined: map[key]string{},
		gpus: map[rankOn]string{}, groups: map[string]map[string]bool{}, unread: map[string]int{}}
}

// pass lists something that was not understood.
func (r *Reader) pass(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if r.unread[what] == 0 {
		if len(r.order) >= mostUnread {
			what = "more kinds of things"
		}
		if r.unread[what] == 0 {
			r.order = append(r.order, what)
		}
	}
	r.unread[what]++
}

// Unread lists what was not understood, and how often it was met.
func (r *Reader) Unread() (all []string) {
	for _, what := range r.order {
		if n := r.unread[what]; n > 1 {
			what += fmt.Sprintf(", %s times", unit.Count(int64(n)))
		}
		all = append(all, what)
	}
	return all
}

// add takes a sample. rank: where its name stands among those of the counter.
func (r *Reader) add(k key, c column, rank int, s sample) error {
	if r.samples++; r.samples > MostSamples {
		return fmt.Errorf("more than %s samples in all", unit.Count(MostSamples))
	}
	of := r.series[k]
	if of == nil {
		if len(r.series) == mostPorts {
			return fmt.Errorf("more than %s ports and GPUs", unit.Count(mostPorts))
		}
		of = &columns{map[column]*samples{}}
		r.series[key{strings.Clone(k.device), strings.Clone(k.port), k.gpu}] = of
	}
	have := of.of[c]
	switch {
	case have == nil || rank < have.rank:
		of.of[c] = &samples{rank, []sample{s}}
	case rank == have.rank:
		have.all = append(have.all, s)
	}
	return nil
}

// is notes what a device is.
func (r *Reader) is(device string, is role, by string) error {
	if is == anyRole {
		return nil
	}
	had := r.roles[device]
	if had.role != anyRole && had.role != is {
		return fmt.Errorf("%s has %s, as %s has, and %s, as %s has: want one name for one device", located.Shown(device), had.by, had.role,
			by, is)
	}
	if had.role == anyRole {
		r.roles[device] = evidence{is, by}
	}
	return nil
}

// Empty reports whether nothing at all was understood.
func (r *Reader) Empty() bool { return len(r.series)+len(r.parts)+len(r.lines)+len(r.counted) == 0 } // neighbours alone show nothing

// Telemetry returns what was read.
func (r *Reader) Telemetry() (*telemetry.Telemetry, error) {
	if err := r.rename(); err != nil {
		return nil, err
	}
	r.join()
	if err := r.waits(); err != nil {
		return nil, err
	}
	base, err := r.base()
	if err != nil {
		return nil, err
	}
	var b telemetry.Builder
	usual := r.usualPriority()
	for _, k := range slices.SortedFunc(maps.Keys(r.series), func(x, y key) int {
		return cmp.Or(strings.Compare(x.device, y.device), strings.Compare(x.port, y.port), one(x.gpu)-one(y.gpu))
	}) {
		if err := r.emit(&b, k, usual, base); err != nil {
			return nil, err
		}
	}
	r.emitParts(&b, base)
	r.emitLines(&b, base)
	return b.Telemetry(), nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rename gives devices that are named by an address their names: that of node_uname_info, or the address without its port.
func (r *Reader) rename() error {
	for _, address := range slices.Sorted(maps.Keys(r.addresses)) {
		name := r.nodes[address]
		if name == "" {
			name, _, _ = strings.Cut(address, ":")
		}
		if name == address || name == "" {
			continue
		}
		if had := r.roles[address]; had.role != anyRole {
			delete(r.roles, address)
			if err := r.is(name, had.role, had.by); err != nil {
				return err
			}
		}
		for k := range r.series {
			if k.device == address {
				r.move(k, key{name, k.port, k.gpu})
			}
		}
	}
	return nil
}

// move gives the samples of one key to another.
func (r *Reader) move(from, to key) {
	of := r.series[from]
	delete(r.series, from)
	into := r.series[to]
	if into == nil {
		r.series[to] = of
		return
	}
	for c, s := range of.of {
		have := into.of[c]
		switch {
		case have == nil || s.rank < have.rank:
			into.of[c] = s
		case s.rank == have.rank:
			have.all = append(have.all, s.all...)
		}
	}
}

// join gives what is known of RDMA devices to their interfaces.
func (r *Reader) join() {
	for from, port := range r.joined {
		if to := (key{device: from.device, port: port}); r.series[from] != nil && from != to {
			r.move(from, to)
		}
	}
}

const day = 86_400

// base is midnight before the earliest time.
func (r *Reader) base() (int64, error) {
	first, last, any := int64(0), int64(0), false
	see := func(t instant) {
		if !any {
			first, last, any = t.sec, t.sec, true
		}
		first, last = min(first, t.sec), max(last, t.sec)
	}
	for _, of := range r.series {
		for _, s := range of.of {
			for i := range s.all {
				see(s.all[i].at)
			}
		}
	}
	for i := range r.parts {
		see(r.parts[i].from)
		if r.parts[i].until != never {
			see(r.parts[i].until)
		}
	}
	for i := range r.lines {
		see(r.lines[i].at)
	}
	if last-first > mostDays*day {
		return 0, fmt.Errorf("from the first time to the last are more than %d days: want a dump of one run", mostDays)
	}
	return first / day * day, nil
}

func (t instant) since(base int64) unit.Time {
	return unit.Time(t.sec-base)*unit.Time(unit.Second) + unit.Time(t.ps)
}

// Counters that are of one priority, and those of which a port has the sum over priorities.
var (
	ofPriority = []telemetry.Counter{telemetry.RxPFC, telemetry.TxPFC, telemetry.RxPause, telemetry.Watermark}
	summed     = []telemetry.Counter{telemetry.ECNMarked, telemetry.Watchdog, telemetry.OutDiscards, telemetry.TxBytes, telemetry.TxPackets}
)

// usualPriority is that with the most PFC frames of all ports; 3 if there are none.
func (r *Reader) usualPriority() int8 {
	var sum [8]int64
	for _, of := range r.series {
		for c, s := range of.of {
			if c.priority >= 0 && (c.counter == telemetry.RxPFC || c.counter == telemetry.TxPFC) {
				for i := range s.all {
					if s.all[i].value > 0 && (i == 0 || s.all[i].value > s.all[i-1].value) {
						sum[c.priority]++ // counts may be of years: how often they rose is enough
					}
				}
			}
		}
	}
	best := int8(3)
	for p := range sum {
		if sum[p] > sum[best] {
			best = int8(p)
		}
	}
	return best
}

// lossless is the priority of a port's PFC: the only one that it has, or else the usual one.
func (of *columns) lossless(usual int8) int8 {
	only := int8(-1)
	for _, c := range []telemetry.Counter{telemetry.RxPFC, telemetry.Watermark} {
		n := 0
		for p := range int8(8) {
			if of.of[column{c, p}] != nil {
				n, only = n+1, p
			}
		}
		if n == 1 {
			return only
		}
	}
	return usual
}

// emit gives the rows of an interface or a GPU.
func (r *Reader) emit(b *telemetry.Builder, k key, usual int8, base int64) error {
	of := r.series[k]
	if k.gpu {
		return rows(b, telemetry.GPU, k, telemetry.Unknown, columnsAt(of, -1, nil), base)
	}
	kind := telemetry.NIC
	if r.roles[k.device].role == aSwitch {
		kind = telemetry.Port
	} else if k.port == "lo" {
		r.pass("%s of hosts: no port of the fabric", k.port)
		return nil
	}
	own := of.lossless(usual)
	k.port = k.device + "/" + k.port
	all := columnsAt(of, -1, nil)
	for _, c := range summed {
		if _, there := all[c]; !there {
			if s := of.sum(c); s != nil {
				all[c] = s
			}
		}
	}
	all = columnsAt(of, own, all)
	priority := int32(own)
	if !slices.ContainsFunc(ofPriority, func(c telemetry.Counter) bool { return all[c] != nil }) {
		priority = telemetry.Unknown
	}
	if err := rows(b, kind, k, priority, all, base); err != nil {
		return err
	}
	for p := range int8(8) {
		if p == own {
			continue
		}
		if more := columnsAt(of, p, nil); len(more) > 0 {
			if err := rows(b, telemetry.Queue, k, int32(p), more, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnsAt adds the counters of a priority.
func columnsAt(of *columns, priority int8, all map[telemetry.Counter][]sample) map[telemetry.Counter][]sample {
	if all == nil {
		all = map[telemetry.Counter][]sample{}
	}
	for c, s := range of.of {
		if c.priority == priority && all[c.counter] == nil && (priority < 0 || slices.Contains(ofPriority, c.counter)) {
			all[c.counter] = s.all
		}
	}
	return all
}

// sum adds a counter up over priorities, at the times at which all have it.
func (of *columns) sum(c telemetry.Counter) (all []sample) {
	type total struct {
		value int64
		n     int
	}
	at, have := map[instant]total{}, 0
	for p := range int8(8) {
		s := of.of[column{c, p}]
		if s == nil {
			continue
		}
		have++
		for _, x := range s.all {
			t := at[x.at]
			at[x.at] = total{t.value + x.value, t.n + 1}
		}
	}
	for _, t := range slices.SortedFunc(maps.Keys(at), instant.compare) {
		if at[t].n == have {
			all = append(all, sample{t, at[t].value})
		}
	}
	return all
}

// rows gives a row for each time at which a counter has a sample.
func rows(b *telemetry.Builder, kind telemetry.Kind, k key, priority int32, of map[telemetry.Counter][]sample, base int64) error {
	var times []instant
	for c, all := range of {
		if !slices.IsSortedFunc(all, func(x, y sample) int { return x.at.compare(y.at) }) {
			all = slices.Clone(all)
			slices.SortStableFunc(all, func(x, y sample) int { return x.at.compare(y.at) })
			of[c] = all
		}
		for i := range all {
			if i > 0 && all[i].at == all[i-1].at && all[i].value != all[i-1].value {
				return fmt.Errorf("%s: %s is %d and %d at one time: want one collector of a device", located.Shown(k.port),
					telemetry.Counters[c].Name, all[i-1].value, all[i].value)
			}
			times = append(times, all[i].at)
		}
	}
	slices.SortFunc(times, instant.compare)
	times = slices.Compact(times)
	var next [telemetry.CounterCount]int
	for _, t := range times {
		row := telemetry.NewRow(kind, k.device, k.port, t.since(base))
		row.Priority = priority
		for c, all := range of {
			for next[c] < len(all) && all[next[c]].at == t {
				row.Set(c, all[next[c]].value)
				next[c]++
			}
		}
		b.Add(&row)
	}
	return nil
}

// emitParts gives collectives and steps.
func (r *Reader) emitParts(b *telemetry.Builder, base int64) {
	for i := range r.parts {
		p := &r.parts[i]
		kind := telemetry.Collective
		if p.step {
			kind = telemetry.Step
		}
		row := telemetry.NewRow(kind, p.Device, r.gpus[rankOn{p.Device, p.Rank}], p.from.since(base))
		row.Rank, row.Comm, row.Seq, row.Op, row.Bytes = p.Rank, p.Comm, p.Seq, p.Op, p.Bytes
		if len(r.groups[p.Comm]) > 1 {
			row.Comm += " " + p.group
		}
		if p.until != never {
			row.End = p.until.since(base)
		}
		b.Add(&row)
	}
}
