package unit

import (
	"fmt"
	"math"
	"math/bits"
)

// Time is a point in virtual time: picoseconds since the start of the run.
type Time int64

// Duration is a span of virtual time in picoseconds.
type Duration int64

// Spans of virtual time.
const (
	Picosecond  Duration = 1
	Nanosecond           = 1000 * Picosecond
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)

// Never is later than every event of every run.
const Never Time = math.MaxInt64

// Add returns the time d after t.
func (t Time) Add(d Duration) Time { return t + Time(d) }

// Sub returns the span from u to t.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// String prints the time as the span since the start of the run.
func (t Time) String() string { return Duration(t).String() }

// Seconds returns the span in seconds, for reports only.
func (d Duration) Seconds() float64 { return float64(d) / float64(Second) }

// TruncatedSeconds returns how long s seconds are by a clock of 1 ns as ns-3 has it: of the
// fraction of a second 64 binary places are kept, in whole nanoseconds, the rest dropped. Of most
// times that are whole nanoseconds in decimal one is lost. s is not negative.
func TruncatedSeconds(s float64) Duration {
	seconds, fraction := math.Modf(s)
	ns, _ := bits.Mul64(uint64(fraction*(1<<64)), uint64(Second/Nanosecond))
	return Duration(seconds)*Second + Duration(ns)*Nanosecond
}

// Bytes is a count of bytes.
type Bytes int64

// Byte counts: decimal multiples, as networks count, and binary ones.
const (
	Byte     Bytes = 1
	Kilobyte       = 1000 * Byte
	Megabyte       = 1000 * Kilobyte
	Gigabyte       = 1000 * Megabyte
	Terabyte       = 1000 * Gigabyte
	Kibibyte       = 1024 * Byte
	Mebibyte       = 1024 * Kibibyte
	Gibibyte       = 1024 * Mebibyte
	Tebibyte       = 1024 * Gibibyte
)

// Bitrate is a rate in bits per second.
type Bitrate int64

// Bit rates.
const (
	BitPerSecond  Bitrate = 1
	KilobitPerSec         = 1000 * BitPerSecond
	MegabitPerSec         = 1000 * KilobitPerSec
	GigabitPerSec         = 1000 * MegabitPerSec
	TerabitPerSec         = 1000 * GigabitPerSec
)

// TransmitTime returns how long b bytes occupy a link of rate r: exact, rounded
// up to the next picosecond. It panics if r is not positive or b is negative.
func (r Bitrate) TransmitTime(b Bytes) Duration {
	if r <= 0 || b < 0 {
		panic(fmt.Sprintf("unit: transmit time of %d bytes at %d bit/s", b, r))
	}
	hi, lo := bits.Mul64(uint64(b), 8*uint64(Second))
	if hi >= uint64(r) {
		panic(fmt.Sprintf("unit: transmit time of %d bytes at %d bit/s overflows", b, r))
	}
	q, rem := bits.Div64(hi, lo, uint64(r))
	if rem != 0 {
		q++
	}
	if q > math.MaxInt64 {
		panic(fmt.Sprintf("unit: transmit time of %d bytes at %d bit/s overflows", b, r))
	}
	return Duration(q)
}

// BytesIn returns how many whole bytes a link of rate r sends in d, d >= 0.
func (r Bitrate) BytesIn(d Duration) Bytes {
	hi, lo := bits.Mul64(uint64(r), uint64(d))
	q, _ := bits.Div64(hi, lo, 8*uint64(Second))
	return Bytes(q)
}

// Length is a cable length in millimetres.
type Length int64

// Lengths.
const (
	Millimetre Length = 1
	Centimetre        = 10 * Millimetre
	Metre             = 1000 * Millimetre
	Kilometre         = 1000 * Metre
)

// Ratio is an exact fraction Num/Den, Den > 0: a probability, a threshold factor,
// an efficiency. It keeps the terms as written.
type Ratio struct{ Num, Den int64 }

// Lowest is the ratio in lowest terms.
func (r Ratio) Lowest() Ratio {
	a, b := r.Num, r.Den
	for b != 0 {
		a, b = b, a%b
	}
	if a == 0 {
		return r
	}
	return Ratio{Num: r.Num / a, Den: r.Den / a}
}

// Float returns the ratio as a float, for reports and for parameters that are floats.
func (r Ratio) Float() float64 { return float64(r.Num) / float64(r.Den) }

// Of returns floor(r * x) for r >= 0 and x >= 0, exact in 128 bits; it panics on overflow.
func (r Ratio) Of(x int64) int64 {
	hi, lo := bits.Mul64(uint64(r.Num), uint64(x))
	q, _ := bits.Div64(hi, lo, uint64(r.Den))
	if q > math.MaxInt64 {
		panic("unit: ratio overflows")
	}
	return int64(q)
}

// Cmp compares r with s: -1, 0 or 1.
func (r Ratio) Cmp(s Ratio) int {
	ahi, alo := mul(r.Num, s.Den)
	bhi, blo := mul(s.Num, r.Den)
	switch {
	case ahi != bhi && ahi < bhi, ahi == bhi && alo < blo:
		return -1
	case ahi == bhi && alo == blo:
		return 0
	}
	return 1
}

// mul returns the signed 128-bit product of a and b.
func mul(a, b int64) (hi int64, lo uint64) {
	h, l := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		h -= uint64(b)
	}
	if b < 0 {
		h -= uint64(a)
	}
	return int64(h), l
}
