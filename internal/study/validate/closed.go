package validate

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
)

// closedForms compares with what formulas say. Those that need traffic of their own are tests of
// packages nic and fabric; docs/accuracy.md lists them.
func (s *suite) closedForms() error {
	const tx = 83.84 // ns, 1,048 bytes at 100 Gb/s
	for _, n := range []int{2, 8} {
		o, err := experiment{senders: n, variant: "pfconly", bytes: 10_000_000, seed: 1,
			series: unit.Microsecond}.run(s.ctx, s.opt.Run)
		if err != nil {
			return err
		}
		want := float64(n)*10_000*tx/1000 + 4.1
		s.add(Row{"closed form", fmt.Sprintf("%d:1, PFC only", n), "last completion: n x 10,000 x 83.84 ns + 4.1 us",
			"us", want, maximum(o.fcts), 0.1, "the latency term is rounded"})
		if n == 8 {
			// B' is the buffer of 32 MiB less headroom and reserve of nine ports; xOFF is an eighth
			// of what is free.
			free := float64(32<<20 - 9*(37_500+4096))
			most := int64(0)
			for _, p := range o.series {
				most = max(most, p.shared)
			}
			want := free * 8 / (8 + 8)
			s.add(Row{"closed form", "8:1, PFC only", "shared buffer at rest: B' n/(n+8)", "B", want, float64(most),
				8 * 1048, "a packet for each ingress port"})
		}
	}
	// SIGCOMM'15 (DCQCN), section 4: 12 MB, 32 ports, 8 priorities, headroom 22.4 KB.
	shared := 12*unit.Megabyte - 32*8*22_400
	s.add(Row{"closed form", "DCQCN paper, section 4", "largest static xOFF", "kB", 24.47,
		float64(qos.StaticBound(shared, 32, 8)) / 1000, 0.01, "as printed"})
	s.add(Row{"closed form", "DCQCN paper, section 4", "ECN threshold below, beta 8", "kB", 21.75,
		float64(qos.MarkingBound(shared, 32, 8, unit.Ratio{Num: 1, Den: 1})) / 1000, 0.01, "as printed"})
	s.add(Row{"closed form", "IEEE 802.1Qbb headroom", "100 Gb/s, 100 m, 9,216 B", "KiB", 70,
		float64(qos.FormulaHeadroom(9216,
			0).At(qos.Link{Rate: 100 * unit.GigabitPerSec, Delay: 500 * unit.Nanosecond})) / 1024, 0.5, "as printed"})
	return nil
}
