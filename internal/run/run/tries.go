package run

import (
	"context"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/plan/images"
)

// newRunner builds a run of what was prepared.
func newRunner(ctx context.Context, w *watcher, in *prepared, opt Options) (*runner, error) {
	r := &runner{plan: in.plan, opt: opt, ctx: ctx, watcher: w, memory: in.estimate.Memory}
	for i := range in.plan.Jobs {
		j := &job{run: r, index: i, plan: &in.plan.Jobs[i]}
		if src := in.data[i]; src != nil {
			j.data = src
			j.from = in.start
			j.kept.Training = in.about[i]
		}
		r.jobs = append(r.jobs, j)
	}
	r.pace = newPace(in.plan, in.estimate.PacketHops, in.estimate.Steps)
	return r, r.build()
}

// whole runs until all is done, or there is a reason to stop: it reports whether all was.
func (r *runner) whole() (whole bool) {
	r.start()
	r.opt.Around(func() { whole = r.drive() })
	return whole
}

// simulate runs, with nothing simulated of parts of the network that look as others do, for as long as they do what those do. If they do
// not then what was told is not so: the run begins anew, without these. It returns the runner of the last try, and why there was more
// than one.
func (r *runner) simulate(w *watcher, in *prepared) (_ *runner, whole bool, apart string, err error) {
	opt := r.opt
	whole = r.whole()
	for tries := 1; ; tries++ {
		unlike, why := r.images.over()
		if why == "" {
			return r, whole, apart, nil
		}
		apart = why
		opt.apart(unlike, tries)
		r.fab.Release()
		if err := opt.Dir.Anew(); err != nil {
			return nil, false, "", err
		}
		if r, err = newRunner(r.ctx, w, in, opt); err != nil {
			return nil, false, "", err
		}
		whole = r.whole()
	}
}

// apart has the next try tell nothing of what has shown to be unlike, or of no image at all: if that was not all, or in several tries.
func (o *Options) apart(unlike []images.Unlike, tries int) {
	o.unlike = append(o.unlike, unlike...)
	o.each = len(unlike) == 0 || tries >= mostAnew
}

// mostAnew is how many runs may begin anew because images were unlike: that shows in the first messages, mostly.
const mostAnew = 4

// sampled takes the length of a queue, for its images too.
func (r *runner) sampled(island int32, s fabric.Sample) {
	if r.images == nil {
		r.record.Sample(island, s)
		return
	}
	r.images.sample(s, func(s fabric.Sample) { r.record.Sample(island, s) })
}

// timedOut takes it that a queue pair sends again: its timer has waited for a time that was drawn, its twins' for others.
func (r *runner) timedOut(island int32, now unit.Time, qp int32, oldest int64) {
	r.net.Part("frames were sent again")
	r.record.TimedOut(island, now, qp, oldest)
}
