package workload

import (
	"math/big"
	"math/bits"

	"railyard/internal/base/unit"
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
	Curve           *Curve        // what products reach, in place of MatmulEff; nil: that
	Measured        *Measured     // operators that were measured; nil: none
}

// Curve is what part of its peak a device reaches in a matrix product, by the product's shape. A multiprocessor makes a
// square tile of the output at a time, all of them side by side a wave of tiles; a tile takes its depth, and beside it
// what filling and emptying takes:
//
//	time = ceil(tiles / SMs) x SMs x 2 Tile^2 (K + Fill) / (Sustained x peak)
//
// So what lies beyond the edges of M and N, and what is missing in the last wave, is time lost (NVIDIA, "Matrix
// Multiplication Background User's Guide": tile and wave quantization).
type Curve struct {
	SMs int64 // multiprocessors: of the data sheet

	// The three constants.
	Sustained unit.Ratio // of the peak, inside a tile: what clock and memory leave
	Tile      int64      // rows and columns of a tile
	Fill      int64      // as deep as filling and emptying takes
	Source    string     // of Sustained
}

// flop is what a device could compute inside tiles in the time that so many products take.
func (c *Curve) flop(m, n, k, each int64) int64 {
	up := func(a, b int64) int64 { return (a + b - 1) / b }
	waves := up(each*up(m, c.Tile)*up(n, c.Tile), c.SMs)
	return waves * c.SMs * 2 * c.Tile * c.Tile * (k + c.Fill)
}

// of is how long the arithmetic of a kernel takes on so many rows. With a curve that is its products: other arithmetic
// is over before its memory traffic.
func (d *Device) of(k *Kernel, rows int64) unit.Duration {
	if d.Curve == nil {
		return d.arithmetic(k.FLOP * rows)
	}
	if k.Product == 0 || d.FLOPS == 0 {
		return 0
	}
	flop := k.Product * rows
	if k.N > 0 {
		m, deep, each := k.shape(rows)
		// Of several products of one shape in a row each has its waves.
		flop = d.Curve.flop(m, k.N, deep, each) * max(1, k.Product*rows/(2*m*k.N*deep*each))
	}
	if k.By == BySeen {
		flop = quotient(flop, k.Product-k.Masked, 1, k.Product, 1)
	}
	at := d.Curve.Sustained
	return unit.Duration(quotient(flop, int64(unit.Second), at.Den, d.FLOPS, at.Num))
}

// Kernel returns the duration of one kernel: exact, rounded up to a picosecond.
func (d *Device) Kernel(flop, bytes int64) unit.Duration {
	return d.slowed(d.Launch + max(d.arithmetic(flop), d.traffic(bytes)))
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
