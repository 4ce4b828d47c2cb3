package workload

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
)

// DataParallelConfig is a network trained with the same weights on every rank.
type DataParallelConfig struct {
	Layers   []Layer
	Batch    int        // rows per rank and step
	Momentum bool       // the update also reads and writes a velocity
	Bucket   unit.Bytes // cap; 0 is DefaultBucket
	Ranks    int
	Schedule coll.Schedule // all-reduce, over Ranks; unused when Ranks is 1
	Device   Device
	Slow     map[int32]unit.Ratio // ranks whose device takes so many times as long
}

// DataParallel returns a job whose ranks all do the same: Lower with as many replicas as ranks.
func DataParallel(c DataParallelConfig) (*Job, error) {
	if c.Ranks < 1 {
		return nil, fmt.Errorf("data parallel: %d ranks, want at least 1", c.Ranks)
	}
	if c.Ranks > 1 && (c.Schedule == nil || c.Schedule.Ranks() != c.Ranks) {
		return nil, fmt.Errorf("data parallel: %d ranks want an all-reduce schedule over %d ranks", c.Ranks, c.Ranks)
	}
	return Lower(Config{Layers: c.Layers, Batch: c.Batch, Momentum: c.Momentum, Bucket: c.Bucket,
		Layout: Layout{DP: c.Ranks}, Device: c.Device, Slow: c.Slow,
		Schedules: func(*Group, coll.Collective) (coll.Schedule, error) { return c.Schedule, nil }})
}
