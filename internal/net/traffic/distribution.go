package traffic

import "math/bits"

// A Distribution is sizes of flows as a cumulative distribution, linear between its points.
type Distribution struct {
	Name    string
	Meaning string // what was measured, and where it is published
	points  []point
}

// point says that this part of all flows, in ten-thousandths, has at most so many bytes.
type point struct{ bytes, part uint64 }

const whole = 10_000

// Distributions lists those that there are. Their points are the ones that the authors of HPCC (SIGCOMM 2019) publish with
// their simulator, which the literature since has taken from there.
var Distributions = []Distribution{
	{"websearch", "flows of a web search cluster, mean 1.7 MB (DCTCP, SIGCOMM'10, section 2.2; points as in HPCC, SIGCOMM'19)",
		[]point{{0, 0}, {10_000, 1500}, {20_000, 2000}, {30_000, 3000}, {50_000, 4000}, {80_000, 5300}, {200_000, 6000},
			{1_000_000, 7000}, {2_000_000, 8000}, {5_000_000, 9000}, {10_000_000, 9700}, {30_000_000, whole}}},
	{"hadoop", "flows of a Hadoop cluster of Facebook, mean 120 kB (Roy et al., SIGCOMM'15, section 5.1; points as in HPCC, " +
		"SIGCOMM'19)",
		[]point{{0, 0}, {100, 100}, {200, 200}, {300, 500}, {350, 1500}, {400, 2000}, {500, 3000}, {600, 4000}, {700, 5000},
			{1000, 6000}, {2000, 6700}, {7000, 7000}, {30_000, 7200}, {50_000, 8200}, {80_000, 8700}, {120_000, 9000},
			{300_000, 9500}, {1_000_000, 9750}, {2_000_000, 9900}, {10_000_000, whole}}},
	{"alistorage", "flows of a storage system of Alibaba in 2019, mean 41 kB (published with the simulator of HPCC: " +
		"AliStorage2019)",
		[]point{{0, 0}, {4000, 2293}, {8000, 6921}, {16_000, 8061}, {32_000, 9047}, {64_000, 9353}, {128_000, 9677},
			{256_000, 9753}, {2_000_000, whole}}},
}

// Named returns the distribution of a name, nil if there is none.
func Named(name string) *Distribution {
	for i := range Distributions {
		if Distributions[i].Name == name {
			return &Distributions[i]
		}
	}
	return nil
}

// Mean returns the mean size in bytes, rounded down.
func (d *Distribution) Mean() uint64 {
	sum := uint64(0) // of twice the bytes
	for i := 1; i < len(d.points); i++ {
		a, b := d.points[i-1], d.points[i]
		sum += (b.part - a.part) * (a.bytes + b.bytes)
	}
	return sum / (2 * whole)
}

// Draw returns the size at which the distribution has the part r of 2^64: at least 1 byte.
func (d *Distribution) Draw(r uint64) uint64 {
	part, rest := bits.Mul64(r, whole)
	i := 1
	for d.points[i].part <= part {
		i++
	}
	a, b := d.points[i-1], d.points[i]
	more, _ := bits.Mul64(rest, b.bytes-a.bytes)
	return max(1, a.bytes+((part-a.part)*(b.bytes-a.bytes)+more)/(b.part-a.part))
}
