package nccl

import "railyard/internal/base/unit"

// Faster returns the constants of GPUs and hosts that are so many times as fast: every latency is a part, and every limit of a
// rate and speed of the search a multiple. With links as many times as fast, a collective then takes that part of its time.
//
// NCCL's own table goes from generation to generation so: its limits of LL on Blackwell are twice those on Hopper (tuning.cc:
// llMaxBws).
func (p Params) Faster(times unit.Ratio) Params {
	quick := func(ds ...*unit.Duration) {
		for _, d := range ds {
			*d = unit.Duration(unit.Ratio{Num: times.Den, Den: times.Num}.Of(int64(*d)))
		}
	}
	for a := range algorithms {
		for proto := range protocols {
			quick(&p.Base[a][proto])
			for h := range hops {
				quick(&p.Hop[h][a][proto])
			}
		}
	}
	quick(&p.NetOverhead, &p.NetOverheadAMD, &p.Arity, &p.PATRank)
	for proto := range protocols {
		p.Protocols[proto].Cap = of(times, p.Protocols[proto].Cap)
	}
	for _, table := range []*[generations]ByNodes{&p.LLMax, &p.RingLL128Max, &p.TreeMax, &p.TreeLL128Max, &p.NVLSTreeMax} {
		for g := range table {
			for n := range table[g] {
				table[g][n] = of(times, table[g][n])
			}
		}
	}
	for g := range p.Speeds {
		for between := range p.Speeds[g] {
			speeds := make([]unit.Bitrate, len(p.Speeds[g][between])) // not to change those of others
			for i, s := range p.Speeds[g][between] {
				speeds[i] = of(times, s)
			}
			p.Speeds[g][between] = speeds
		}
	}
	p.FastChannel, p.FasterChannel, p.SlowRing = of(times, p.FastChannel), of(times, p.FasterChannel), of(times, p.SlowRing)
	p.Sends.Unit = of(times, p.Sends.Unit)
	for g, link := range p.Sends.NVLink {
		p.Sends.NVLink[g] = of(times, link)
	}
	return p
}
