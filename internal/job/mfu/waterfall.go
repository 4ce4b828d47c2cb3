package mfu

import (
	"math/big"

	"railyard/internal/base/unit"
)

// Waterfall sums bars over ranks and steps.
type Waterfall struct {
	names []string
	sums  []unit.Duration
}

// Add adds time to a bar; bars are in the order of their first use.
func (w *Waterfall) Add(name string, d unit.Duration) {
	for i := range w.names {
		if w.names[i] == name {
			w.sums[i] += d
			return
		}
	}
	w.names, w.sums = append(w.names, name), append(w.sums, d)
}

// Sum returns that of all bars.
func (w *Waterfall) Sum() (all unit.Duration) {
	for _, d := range w.sums {
		all += d
	}
	return all
}

// Bars divides all bars by n. They sum to Sum()/n, rounded down: each is rounded so that it and those before it do.
func (w *Waterfall) Bars(n int64) (bars []Bar) {
	done, until := unit.Duration(0), unit.Duration(0)
	for i, d := range w.sums {
		if d == 0 {
			continue
		}
		done += d
		mean := floor(done, n)
		bars = append(bars, Bar{w.names[i], mean - until})
		until = mean
	}
	return bars
}

// floor is d/n, rounded down.
func floor(d unit.Duration, n int64) unit.Duration {
	q := d / unit.Duration(n)
	if d%unit.Duration(n) < 0 {
		q--
	}
	return q
}

// Share is the part a/all of d, rounded down, for 0 <= a <= all.
func Share(d, a, all unit.Duration) unit.Duration {
	if all <= 0 {
		return 0
	}
	n := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(int64(a)))
	return unit.Duration(n.Quo(n, big.NewInt(int64(all))).Int64())
}
