package coll

import (
	"fmt"
	"math/big"

	"railyard/internal/unit"
)

// RingAllReduceTime returns the closed-form time of a ring all-reduce of bytes
// over n ranks whose links all have this rate and whose messages all take this
// latency besides: 2(n-1) steps of one chunk, the largest (bytes/n rounded up).
// One channel, nothing else on the links, no slices, no time to reduce.
func RingAllReduceTime(n int, bytes unit.Bytes, rate unit.Bitrate, latency unit.Duration) unit.Duration {
	if n < 1 {
		panic(fmt.Sprintf("coll: ring all-reduce over %d ranks", n))
	}
	chunk := (bytes + unit.Bytes(n) - 1) / unit.Bytes(n)
	return unit.Duration(2*(n-1)) * (rate.TransmitTime(chunk) + latency)
}

// BusFactor returns bus bandwidth / algorithm bandwidth of a collective over n
// ranks, as nccl-tests defines it (PERFORMANCE.md): 2(n-1)/n for all-reduce,
// (n-1)/n for all-gather and reduce-scatter, 1 for broadcast.
func BusFactor(c Collective, n int) unit.Ratio {
	if n < 1 {
		panic(fmt.Sprintf("coll: bus factor over %d ranks", n))
	}
	switch c {
	case AllReduce:
		return unit.Ratio{Num: 2 * int64(n-1), Den: int64(n)}
	case AllGather, ReduceScatter:
		return unit.Ratio{Num: int64(n - 1), Den: int64(n)}
	case BroadcastFrom:
		return unit.Ratio{Num: 1, Den: 1}
	}
	panic("coll: bus factor of " + c.String())
}

// BusBandwidth returns bytes/d times the bus factor, rounded down: the rate at
// which the hardware moved data, to be compared with a link's. bytes is the
// whole buffer of one rank: of an all-gather the gathered result, of a
// reduce-scatter the input. d > 0.
func BusBandwidth(c Collective, n int, bytes unit.Bytes, d unit.Duration) unit.Bitrate {
	if d <= 0 || bytes < 0 {
		panic(fmt.Sprintf("coll: bus bandwidth of %d bytes in %d ps", bytes, d))
	}
	f := BusFactor(c, n)
	num := new(big.Int).Mul(big.NewInt(int64(bytes)), big.NewInt(8*int64(unit.Second)))
	num.Mul(num, big.NewInt(f.Num))
	den := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(f.Den))
	q := num.Quo(num, den)
	if !q.IsInt64() {
		panic(fmt.Sprintf("coll: bus bandwidth of %d bytes in %d ps overflows", bytes, d))
	}
	return unit.Bitrate(q.Int64())
}
