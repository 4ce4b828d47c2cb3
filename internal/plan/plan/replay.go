package plan

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
)

// replaying is a training of which durations and byte counts are known.
type replaying struct{}

func (replaying) name() string { return result.JobReplay }

func (replaying) steps(j *Job, _ int) int64 { return int64(j.Spec.Replay.Steps) }

// work has one schedule for all buckets, as job.collective says; a protocol is that of the largest.
func (replaying) work(p *Plan, j *Job) (w ranksWork, err error) {
	r := j.Spec.Replay
	cfg := workload.ReplayConfig{Ranks: j.Ranks(), Forward: r.Forward, Update: r.Update, Device: p.device(j), Slow: p.slow(j)}
	largest := unit.Bytes(0)
	for _, b := range r.Buckets {
		cfg.Buckets = append(cfg.Buckets, workload.ReplayBucket{Compute: b.Compute, Elems: int64(b.Bytes) / 4})
		largest = max(largest, b.Bytes)
	}
	closed := p.inside(j, j.Placement)
	switch c := &j.Spec.Collective; {
	case j.Ranks() == 1:
	case closed:
		if cfg.Schedule, err = closedSchedule(j.Ranks(), coll.AllReduce); err != nil {
			return w, err
		}
	default:
		s, err := p.travelling(j, j.Placement, coll.AllReduce, c.Algorithm, EvenChannels(c.Algorithm, c.Channels), largest)
		if err != nil {
			return w, err
		}
		j.Schedule, j.Rings = s.Schedule, coll.Rings(j.Placement, c.Channels)
		cfg.Schedule, cfg.Protocol = s.Schedule, s.protocol
	}
	if w.Job, err = workload.Replay(cfg); err != nil {
		return w, err
	}
	if closed {
		w.schedules = func(int32) []coll.Schedule { return nil }
		return w, p.close(j, w.Job, map[int32]bool{0: true})
	}
	w.schedules = func(int32) []coll.Schedule { return []coll.Schedule{cfg.Schedule} }
	w.protocols = []*workload.Protocol{cfg.Protocol}
	return w, nil
}
