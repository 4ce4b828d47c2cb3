package report

import (
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
)

// timeCount is how many things took a time.
type timeCount struct {
	took unit.Duration
	n    int64
}

// bins is a histogram of times: edges[i] to edges[i+1] holds counts[i].
type bins struct {
	edges  []float64
	counts []int64
}

// histogramOf puts ascending times, more than one of them different, into about n bins:
// of equal width, or of equal ratio where the greatest is eight times the least and more.
func histogramOf(all []timeCount, n int) *bins {
	lo, hi := float64(all[0].took), float64(all[len(all)-1].took)
	b := &bins{}
	if lo > 0 && hi > 8*lo {
		ratio := math.Pow(hi/lo, 1/float64(n))
		for i := 0; i <= n; i++ {
			b.edges = append(b.edges, math.Round(lo*math.Pow(ratio, float64(i))))
		}
	} else {
		for i := 0; i <= n; i++ {
			b.edges = append(b.edges, math.Round(lo+(hi-lo)*float64(i)/float64(n)))
		}
	}
	b.counts = make([]int64, n)
	bin := 0
	for _, t := range all {
		for bin < n-1 && float64(t.took) >= b.edges[bin+1] {
			bin++
		}
		b.counts[bin] += t.n
	}
	return b
}

func (b *bins) most() chart.Value {
	most := int64(0)
	for _, n := range b.counts {
		most = max(most, n)
	}
	return chart.Value(most)
}

func (b *bins) series(key string) chart.Series {
	s := chart.Series{Key: key, Shape: chart.Filled}
	for i, n := range b.counts {
		s.X, s.Y = append(s.X, chart.Value(b.edges[i])), append(s.Y, chart.Value(n))
	}
	s.X, s.Y = append(s.X, chart.Value(b.edges[len(b.counts)])), append(s.Y, chart.Nothing)
	return s
}
