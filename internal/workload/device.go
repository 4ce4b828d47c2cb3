package workload

import (
	"math/big"
	"math/bits"

	"railyard/internal/unit"
)

// Device is the roofline model of one GPU (Williams, Waterman, Patterson, CACM
// 2009): a kernel takes its launch overhead and then the longer of its
// arithmetic and its memory traffic.
//
//	time = Slow x (Launch + max(FLOP / (MatmulEff x FLOPS), bytes / (MemoryEff x MemoryBandwidth)))
//
// The zero Device takes no time at all: FLOPS or bandwidth 0 means infinite.
type Device struct {
	FLOPS           int64 // peak, floating point operations per second
	MemoryBandwidth unit.Bitrate
	Launch          unit.Duration // of every kernel
	MatmulEff       unit.Ratio    // of FLOPS
	MemoryEff       unit.Ratio    // of MemoryBandwidth
	Slow            unit.Ratio    // everything takes this times as long; the zero Ratio is 1
}

// Kernel returns the duration of one kernel: exact, rounded up to a picosecond.
func (d *Device) Kernel(flop, bytes int64) unit.Duration {
	return d.slowed(d.Launch + max(d.arithmetic(flop), d.traffic(bytes)))
}

// memoryWait is how much longer a kernel's traffic takes than its arithmetic, on a device that is not slow.
func (d *Device) memoryWait(flop, bytes int64) unit.Duration {
	return max(0, d.traffic(bytes)-d.arithmetic(flop))
}

// AtPeak returns how long so many FLOP take at the peak; 0: it has none.
func (d *Device) AtPeak(flop int64) unit.Duration {
	whole := Device{FLOPS: d.FLOPS, MatmulEff: unit.Ratio{Num: 1, Den: 1}}
	return whole.arithmetic(flop)
}

// ReduceTime returns how long a collective's running kernel needs to add n bytes
// from staging to n bytes in place: two reads and a write, no launch.
func (d *Device) ReduceTime(n int64) unit.Duration { return d.slowed(d.traffic(3 * n)) }

// CopyTime returns how long a collective's running kernel needs to copy n bytes
// out of staging: a read and a write, no launch.
func (d *Device) CopyTime(n int64) unit.Duration { return d.slowed(d.traffic(2 * n)) }

// LaunchTime returns how long the kernel of a collective takes to start.
func (d *Device) LaunchTime() unit.Duration { return d.slowed(d.Launch) }

// slowed is t on this device, rounded down to a picosecond.
func (d *Device) slowed(t unit.Duration) unit.Duration {
	if d.Slow == (unit.Ratio{}) {
		return t
	}
	return unit.Duration(d.Slow.Of(int64(t)))
}

func (d *Device) arithmetic(flop int64) unit.Duration {
	if d.FLOPS == 0 {
		return 0
	}
	return unit.Duration(quotient(flop, int64(unit.Second), d.MatmulEff.Den, d.FLOPS, d.MatmulEff.Num))
}

func (d *Device) traffic(bytes int64) unit.Duration {
	if d.MemoryBandwidth == 0 {
		return 0
	}
	return unit.Duration(quotient(bytes, 8*int64(unit.Second), d.MemoryEff.Den,
		int64(d.MemoryBandwidth), d.MemoryEff.Num))
}

// quotient returns a*b*c / (d*e), rounded up, for a, b, c >= 0 and d, e > 0. It
// works in 128 bits where that is enough, for it runs once per chunk of a collective.
func quotient(a, b, c, d, e int64) int64 {
	xhi, x := bits.Mul64(uint64(b), uint64(c))
	yhi, y := bits.Mul64(uint64(d), uint64(e))
	hi, lo := bits.Mul64(uint64(a), x)
	if xhi == 0 && yhi == 0 && hi < y {
		q, rem := bits.Div64(hi, lo, y)
		if rem != 0 {
			q++
		}
		if q < 1<<63 {
			return int64(q)
		}
	}
	n := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	n.Mul(n, big.NewInt(c))
	m := new(big.Int).Mul(big.NewInt(d), big.NewInt(e))
	n.Add(n, m).Sub(n, big.NewInt(1)).Quo(n, m)
	if !n.IsInt64() {
		panic("workload: a kernel's duration overflows")
	}
	return n.Int64()
}
