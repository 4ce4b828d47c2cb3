package plan

import (
	"railyard/internal/coll"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// planReplay plans a training of which durations and byte counts are known. All buckets have one
// schedule, as job.collective says; a protocol is that of the largest.
func (p *Plan) planReplay(j *Job) error {
	r := j.Spec.Replay
	cfg := workload.ReplayConfig{Ranks: j.Ranks(), Forward: r.Forward, Update: r.Update, Device: p.device(j), Slow: p.slow(j)}
	largest := unit.Bytes(0)
	for _, b := range r.Buckets {
		cfg.Buckets = append(cfg.Buckets, workload.ReplayBucket{Compute: b.Compute, Elems: int64(b.Bytes) / 4})
		largest = max(largest, b.Bytes)
	}
	if j.Ranks() > 1 {
		c := &j.Spec.Collective
		s, err := p.travelling(j, j.Placement, coll.AllReduce, c.Algorithm, EvenChannels(c.Algorithm, c.Channels), largest)
		if err != nil {
			return err
		}
		j.Schedule, j.Rings = s.Schedule, coll.Rings(j.Placement, c.Channels)
		cfg.Schedule, cfg.Protocol = s.Schedule, s.protocol
	}
	var err error
	if j.Work, err = workload.Replay(cfg); err != nil {
		return err
	}
	if err := j.Work.CheckRepeat(); err != nil {
		return j.wrong("collective.algorithm", err)
	}
	if err := p.connectRanks(j, func(int32) []coll.Schedule { return []coll.Schedule{cfg.Schedule} }); err != nil {
		return err
	}
	p.lessNetwork(j, cfg.Protocol)
	return nil
}
