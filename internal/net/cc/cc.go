package cc

import (
	"math/bits"

	"railyard/internal/base/unit"
)

// Hop is what one switch port on the path stamped into a packet as it left
// (in-band telemetry; HPCC section 3.1).
type Hop struct {
	Queue   unit.Bytes   // bytes in the egress queue behind the packet
	TxBytes unit.Bytes   // bytes the port has sent since the start of the run
	Time    unit.Time    // when the packet left
	Rate    unit.Bitrate // of the port, as it sends
}

// MaxHops is the longest path whose telemetry a controller can keep.
const MaxHops = 8

// Ack is what a sender learns from one acknowledgement.
type Ack struct {
	Now     unit.Time     // when it arrived
	Bytes   unit.Bytes    // newly acknowledged
	RTT     unit.Duration // latest sample, from sending the packet that caused an acknowledgement to that; 0: none yet
	Seq     int64         // byte offset acknowledged: all before it has arrived
	NextSeq int64         // byte offset sent so far
	Marked  bool          // congestion experienced, echoed by the receiver (or the CNP bit)
	Hops    []Hop         // telemetry, first hop first; only valid during the call
	// Path tells the paths apart by which packets come, where Hops says something: the same number for the same ports.
	Path uint64
	// Lead is how long before Now its arrival was scheduled, where events of an instant go in order
	// of scheduling: timers of Now that were armed later than that tick after it. 0: every timer of
	// Now ticks before it.
	Lead unit.Duration

	Paced bool // the algorithm's answer: it has set its rate, if only to what it was
}

// A Controller is the congestion control of one queue pair. Calls come in order
// of time.
type Controller interface {
	// Rate is the pacing rate now, in bits per second of frames on the link.
	Rate(now unit.Time) unit.Bitrate
	// Window is the number of bytes that may be in flight; 0 means no limit. A
	// sender with nothing in flight may always send one packet.
	Window(now unit.Time) unit.Bytes
	// OnSent reports a packet that left.
	OnSent(now unit.Time, bytes unit.Bytes)
	// OnAck reports an acknowledgement; a is not kept, and takes the answer.
	OnAck(a *Ack)
	// OnCNP reports a congestion notification packet, whose arrival was scheduled lead before now
	// (see Ack).
	OnCNP(now unit.Time, lead unit.Duration)
	// OnLoss reports a NAK or a retransmission timeout.
	OnLoss(now unit.Time)
}

// State is the inside of a controller, for time series and tests. What an
// algorithm does not have is zero.
type State struct {
	Rate, Target unit.Bitrate
	Alpha        float64
	Window       unit.Bytes
}

// An Inspector is a Controller that shows its state.
type Inspector interface{ State(now unit.Time) State }

// Params are the parameters of one algorithm: DCQCN, HPCC, TIMELY, DCTCP, Swift
// or None.
type Params interface {
	// Algorithm is the name under which Algorithms lists it.
	Algorithm() string
	// Validate names the first parameter out of bounds, and what is accepted.
	Validate() error

	newSet(n int) Set
}

// UsesRTT reports whether an algorithm looks at round-trip times: a driver times packets only for
// those.
func UsesRTT(p Params) bool {
	switch p.(type) {
	case TIMELY, Swift:
		return true
	}
	return false
}

// Unlimited reports whether an algorithm never limits the bytes in flight: a driver need not ask.
func Unlimited(p Params) bool {
	switch p := p.(type) {
	case DCQCN:
		return p.Window.none()
	case None:
		return p.Window.none()
	}
	return false
}

// WindowGrowsUnasked reports whether an algorithm's window can grow without news of the network:
// with a rate that timers raise.
func WindowGrowsUnasked(p Params) bool {
	d, ok := p.(DCQCN)
	return ok && d.Window.Scale && !d.Window.none()
}

// A Set is the congestion control of many queue pairs under the same
// parameters. Their state lies in one slice.
type Set interface {
	Len() int
	// Init puts queue pair i at its start: line is the rate of its NIC port,
	// baseRTT its round trip through an idle network.
	Init(i int, line unit.Bitrate, baseRTT unit.Duration)
	// At returns the controller of queue pair i; it stays valid and does not allocate.
	At(i int) Controller
}

// NewSet returns the controllers of n queue pairs. It panics if p is not valid:
// whoever took p from a user has asked Validate.
func NewSet(p Params, n int) Set {
	if err := p.Validate(); err != nil {
		panic("cc: " + err.Error())
	}
	return p.newSet(n)
}

// flow is a pointer to the state T of one queue pair with constants C.
type flow[T, C any] interface {
	*T
	Controller
	init(c *C, line unit.Bitrate, baseRTT unit.Duration)
}

// slab is the Set of every algorithm.
type slab[T, C any, F flow[T, C]] struct {
	constants C
	flows     []T
}

func newSlab[T, C any, F flow[T, C]](c C, n int) *slab[T, C, F] {
	return &slab[T, C, F]{constants: c, flows: make([]T, n)}
}

func (s *slab[T, C, F]) Len() int            { return len(s.flows) }
func (s *slab[T, C, F]) At(i int) Controller { return F(&s.flows[i]) }

func (s *slab[T, C, F]) Init(i int, line unit.Bitrate, baseRTT unit.Duration) {
	if line <= 0 || baseRTT < 0 {
		panic("cc: queue pair with line rate " + line.String() + ", base RTT " + baseRTT.String())
	}
	F(&s.flows[i]).init(&s.constants, line, baseRTT)
}

// Window limits the bytes in flight of a rate-based algorithm. The zero value
// sets no limit.
type Window struct {
	// Bytes is the limit. 0: see BDP.
	Bytes unit.Bytes
	// BDP, with Bytes 0: the limit is line rate x base RTT of the queue pair.
	BDP bool
	// Scale shrinks the limit with the rate: limit x rate / line rate, at least 1
	// byte (VAR_WIN of the HPCC ns-3 model).
	Scale bool
}

func (w Window) none() bool { return w.Bytes == 0 && !w.BDP }

func (w Window) validate() error {
	if w.Bytes < 0 {
		return outOfRange("window", w.Bytes.String(), "0 (none) or more")
	}
	return nil
}

// start returns the limit of one queue pair at line rate, 0 for none.
func (w Window) start(line unit.Bitrate, baseRTT unit.Duration) unit.Bytes {
	if w.Bytes > 0 || !w.BDP {
		return w.Bytes
	}
	return bdp(line, baseRTT)
}

// at returns the limit full, shrunk if need be to the rate.
func (w Window) at(full unit.Bytes, rate, line unit.Bitrate) unit.Bytes {
	if !w.Scale || full == 0 {
		return full
	}
	return max(1, unit.Bytes(unit.Ratio{Num: int64(rate), Den: int64(line)}.Of(int64(full))))
}

// bdp is the bandwidth-delay product of a queue pair.
func bdp(line unit.Bitrate, baseRTT unit.Duration) unit.Bytes {
	if baseRTT <= 0 {
		panic("cc: this algorithm needs the base RTT of the queue pair")
	}
	return max(1, line.BytesIn(baseRTT))
}

// sqrt returns the square root of x, 0 <= x < 2^32, to 16 binary places, the
// same on every processor.
func sqrt(x float64) float64 {
	v := uint64(float64(x * (1 << 32)))
	if v == 0 {
		return 0
	}
	r := uint64(1) << ((bits.Len64(v) + 1) / 2) // not below the root
	for {
		next := (r + v/r) / 2
		if next >= r {
			return float64(float64(r) / (1 << 16))
		}
		r = next
	}
}

// A Rester is a Controller that comes to rest: what it has put off until it is looked at is done, and timers whose ticks
// change nothing any more stand still. No answer that it gives later is another for that. Nothing is on its way: so many
// bytes have been sent, and all are acknowledged.
type Rester interface {
	Rest(now unit.Time, acked int64)
}

// A Repeater is a Controller that remembers offsets or times: since it last rested so many bytes more have been sent and
// acknowledged in so long a time, of which it does not hear, because they were as those before, and without a loss or a mark.
type Repeater interface {
	Repeat(bytes int64, took unit.Duration)
}

// bound is an offset up to which acknowledgements do not count.
type bound struct {
	acked int64 // when the queue pair last rested
	at    int64
}

// holds reports whether an acknowledgement does not reach beyond it.
func (b *bound) holds(a *Ack) bool { return a.Seq <= b.at }

// rest forgets how far a bound is behind all that was sent: what is acknowledged later is none of that.
func (b *bound) rest(acked int64) { b.acked, b.at = acked, max(b.at, acked-1) }

func (b *bound) repeat(bytes int64) { b.acked, b.at = b.acked+bytes, b.at+bytes }
