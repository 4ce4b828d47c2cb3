package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/job/contents"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/record"
)

// Real is a run on real time in progress: its ranks are driven elsewhere, in other processes. This one plans it, hears what
// they tell of their steps, and leaves the directory that a simulated run leaves, with times that were measured. Its methods
// are called by one goroutine.
//
//	process of a rank: Share ── Told ──>  Real.Hear: tables, loss, weights
type Real struct {
	r        *runner
	j        *job
	inputs   []result.InputDigest
	images   string
	heard    map[int64][]Told // of steps that some ranks have ended
	wrong    []int64          // of rows of job.collectives, over all ranks: as Told.Wrong
	at       unit.Time        // the last time that was told
	reported time.Time
}

// Told is what a rank tells of a step that it has ended. Said is that of train.Job, but of the start phase.
type Told struct {
	Step       exec.StepRecord
	Waits      []exec.Wait
	Operations []exec.OperationRecord
	Said       train.Said
	Wrong      []int64 // of rows of job.collectives: elements that were wrong; contents.Unchecked: nobody looked
}

// Broken ends a run because of a rank, or of what joins ranks.
type Broken struct {
	Rank       int32  // that is at fault; -1: none is known
	Step       int64  // that it was in; workload.StartStep: the start phase
	Collective string // that it was in; "": none
	Why        string // result.AbortRank or AbortWatchdog
	Text       string // all of it in a sentence
}

func (b *Broken) Error() string { return b.Text }

// RunReal runs a scenario whose ranks drive runs in other processes. It returns what Run does. drive returns when all ranks
// have ended, or why they have not: an error of type *Broken names a rank.
func RunReal(ctx context.Context, sc *scenario.Scenario, opt Options, drive func(*Real) error) (*result.Summary, error) {
	if opt.Progress == nil {
		opt.Progress = func(result.Progress) {}
	}
	in, err := prepareReal(ctx, sc, opt.Resume, "", opt.Progress)
	if err != nil {
		return nil, err
	}
	resumed := opt.Resume
	opt.Resume = in.from
	r := &runner{plan: in.plan, opt: opt, ctx: ctx}
	j := &job{run: r, plan: &in.plan.Jobs[0], data: in.data[0], from: in.start}
	j.kept.Training, j.fresh = in.about[0], true
	r.jobs = []*job{j}
	x := &Real{r: r, j: j, inputs: in.digests(), images: in.images(), heard: map[int64][]Told{}}
	if j.plan.Spec.Train != nil {
		if err := j.newTraining(in.start, []int32{}, false); err != nil {
			return nil, err
		}
	}
	r.record = record.NewMeasured(in.plan, opt.Dir, record.Hooks{
		Progress: opt.Progress,
		Stopped:  func() bool { return ctx.Err() != nil },
		Step:     x.ended,
		Ended:    func(int64) {},
		Done:     func(unit.Time) {},
	}, func() unit.Time { return x.at })
	j.record = r.record.Job(0)
	sum, err := r.begin(in)
	if err != nil {
		return nil, err
	}
	sum.Network = result.NetworkReal
	r.record.Open(record.Parts{Jobs: []record.JobParts{{Train: j.train, Steps: j.steps(), Data: j.data.parts()}}})
	failed := drive(x)
	if b, ok := failed.(*Broken); ok && r.diverged == nil {
		j.record.Broke(x.at, b.Why, b.Rank, b.Step, b.Collective, b.Text)
		failed = nil
	}
	var notes []string
	if j.train != nil {
		j.keepWeights()
		notes = j.keepInside()
	}
	err = r.record.Finish(sum, record.Ending{
		Whole:       failed == nil,
		Stopped:     !r.stopBy.IsZero(),
		Interrupted: ctx.Err(),
		Diverged:    r.diverged,
	})
	sum.Notes = append(sum.Notes, notes...)
	if resumed != nil {
		sum.Notes = append(sum.Notes, resumed.note(in.start))
	}
	x.countWrong(sum)
	if err == nil && ctx.Err() == nil {
		err = failed
	}
	return sum, err
}

// countWrong says of rows that have been timed how many elements were wrong.
func (x *Real) countWrong(sum *result.Summary) {
	if len(x.wrong) != len(sum.Collectives) {
		return
	}
	for i, n := range x.wrong {
		if n != contents.Unchecked {
			sum.Collectives[i].Wrong = &n
		}
	}
}

// prepareReal plans a run on real time and reads what it needs.
func prepareReal(ctx context.Context, sc *scenario.Scenario, from *Resume, images string, progress func(result.Progress)) (*prepared,
	error) {
	if problems := NotReal(sc); len(problems) > 0 {
		return nil, problems
	}
	w := &watcher{ctx: ctx, progress: progress}
	in, err := prepare(w, sc, &Sources{known: images}, from, func(foresight.Estimate) error { return nil })
	if err != nil {
		return nil, err
	}
	rows := in.plan.Jobs[0].Rows
	for i := range rows { // of those whose algorithm is chosen
		if a := rows[i].Algorithm; a.Adds() {
			return nil, located.Problems{sc.Located(scenario.Finding{Severity: scenario.Error,
				Path: fmt.Sprintf("%s.collectives[%d].algorithm", sc.Jobs[0].Path(), i), Message: fmt.Sprintf("auto: NCCL would "+
					"take %s here, in which a switch adds and copies, and processes have none: want another, such as ring", a)})}
		}
	}
	return in, nil
}

// NotReal lists what of a scenario ranks in processes cannot do, with its place.
func NotReal(sc *scenario.Scenario) (all located.Problems) {
	refuse := func(path, format string, args ...any) {
		all = append(all, sc.Located(scenario.Finding{Severity: scenario.Error, Path: path, Message: fmt.Sprintf(format, args...)}))
	}
	if n := len(sc.Jobs); n > 1 {
		refuse("jobs", "%d jobs: want one, whose ranks become processes", n)
		return all
	}
	j := &sc.Jobs[0]
	path := j.Path()
	if kind := j.Kind(); kind != scenario.TrainJob && kind != scenario.CollectivesJob {
		refuse(path, "%s: want %[2]s.train or %[2]s.collectives: what else a job does is simulated by railyard run", kind, path)
	}
	for i := range j.Collectives {
		if a := j.Collectives[i].Algorithm; a.Adds() {
			refuse(fmt.Sprintf("%s.collectives[%d].algorithm", path, i), "%s: a switch adds and copies, and processes have none: "+
				"want another, such as ring", a)
		}
	}
	if n := len(sc.Faults); n > 0 {
		refuse("faults", "%s: nothing fails on purpose in processes: want none", unit.CountOf(int64(n), "fault"))
	}
	if n := len(sc.Background.Flows); n > 0 {
		refuse("background.flows", "%s: traffic beside a job is simulated by railyard run: want none", unit.CountOf(int64(n), "flow"))
	}
	if sc.ByFormula() {
		refuse("run.network", "formula: processes send what they compute: want packets")
	}
	if j.Survival.Saves() || j.Survival.Restart.Set {
		refuse(path+".checkpoint", "the time that checkpoints and restarts take is simulated by railyard run: want none")
	}
	if j.Parallel.EP > 1 {
		refuse(path+".parallel.ep", "%d: experts are spread by railyard run alone, want 1: each process has all", j.Parallel.EP)
	}
	if j.Start > 0 {
		refuse(path+".start", "%s: it is virtual time: want 0", j.Start.Human())
	}
	return all
}

// Work is what its ranks do.
func (x *Real) Work() *workload.Job { return x.j.plan.Work }

// Steps is how many they take.
func (x *Real) Steps() int64 { return x.j.steps() }

// Ended is how many steps all ranks have ended.
func (x *Real) Ended() int64 { return x.j.record.Steps() }

// From is what it goes on from; nil: its beginning.
func (x *Real) From() *Resume { return x.r.opt.Resume }

// Images is the digest of the images that it learns from, for NewShare; "": it learns from none.
func (x *Real) Images() string { return x.images }

// Inputs is what is read beside the scenario.
func (x *Real) Inputs() []result.InputDigest { return x.inputs }

// Failed is why nothing more is worth hearing: a loss that is no number, a directory that is full. Nil: it is.
func (x *Real) Failed() error {
	if x.r.diverged != nil {
		return x.r.diverged
	}
	return x.r.opt.Dir.Err()
}

// StopAfter says that ranks end after so many steps.
func (x *Real) StopAfter(steps int64) {
	x.r.stopBy = time.Now()
	x.j.record.StopAfter(steps)
}

// check refuses what a rank cannot tell.
func (x *Real) check(t *Told) error {
	s := &t.Step
	if s.Rank < 0 || int(s.Rank) >= x.j.plan.Ranks() || s.Step < workload.StartStep || s.Step >= x.Steps() || s.End < s.Start {
		return fmt.Errorf("step %d of rank %d, from %v to %v: want one of %d steps of %d ranks", s.Step, s.Rank, s.Start, s.End,
			x.Steps(), x.j.plan.Ranks())
	}
	for i := range t.Operations {
		if o := &t.Operations[i]; o.Rank != s.Rank || o.Step != s.Step || o.Op < 0 ||
			int(o.Op) >= len(x.Work().Program(s.Rank).OpsOf(s.Step)) {
			return fmt.Errorf("rank %d tells of operation %d of step %d: its program has no such", s.Rank, o.Op, o.Step)
		}
	}
	return nil
}

// HearSoFar takes what a rank has ended of a step that it does not end, or refuses what cannot be: rows whose runs all ranks
// have ended are figures. Nothing is heard after that.
func (x *Real) HearSoFar(t Told) error {
	if err := x.check(&t); err != nil {
		return err
	}
	for _, o := range t.Operations {
		x.j.record.Hears().Operation(o)
		x.at = max(x.at, o.End)
	}
	x.r.record.Join()
	return nil
}

// Hear takes what a rank tells, or refuses what cannot be. Steps of a rank come in order.
func (x *Real) Hear(t Told) error {
	s := &t.Step
	if err := x.check(&t); err != nil {
		return err
	}
	if len(t.Wrong) != len(x.j.plan.Rows) {
		return fmt.Errorf("rank %d tells of %d rows, want %d", s.Rank, len(t.Wrong), len(x.j.plan.Rows))
	}
	for _, n := range t.Wrong {
		if n < contents.Unchecked || n > math.MaxInt64/int64(x.j.plan.Ranks()) {
			return fmt.Errorf("rank %d tells of %d wrong elements, want %d or more", s.Rank, n, contents.Unchecked)
		}
	}
	all := append(x.heard[s.Step], t)
	x.heard[s.Step] = all
	if len(all) < x.j.plan.Ranks() {
		return nil
	}
	delete(x.heard, s.Step)
	if x.j.train == nil {
		x.hearWrong(all)
	} else if s.Step != workload.StartStep {
		for i := range all {
			if err := x.j.train.Hear(all[i].Step.Rank, all[i].Said); err != nil {
				return err
			}
		}
	}
	hears := x.j.record.Hears()
	for i := range all {
		for _, o := range all[i].Operations {
			hears.Operation(o)
		}
		hears.Step(all[i].Step, all[i].Waits)
		x.at = max(x.at, all[i].Step.End)
	}
	x.r.record.Join()
	x.r.opt.Dir.Keep()
	if now := time.Now(); now.Sub(x.reported) >= betweenReports {
		x.reported = now
		x.r.record.Report(x.at)
	}
	return nil
}

// hearWrong adds up what ranks found to be wrong in rows.
func (x *Real) hearWrong(all []Told) {
	x.wrong = make([]int64, len(x.j.plan.Rows))
	for row := range x.wrong {
		for i := range all {
			if n := all[i].Wrong[row]; n == contents.Unchecked || x.wrong[row] == contents.Unchecked {
				x.wrong[row] = contents.Unchecked
			} else {
				x.wrong[row] += n
			}
		}
	}
}

// ended takes a step that all ranks have ended.
func (x *Real) ended(_ int, step int64, _ unit.Time, loss float64) {
	j := x.j
	if j.train == nil {
		return
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		j.nan, x.r.diverged = true, j.divergence(step, loss)
		return
	}
	if j.train.Knows(step) && x.r.opt.Dir != nil {
		j.keepState(step)
	}
}

// Share is the part that one process has in such a run: its ranks' real work. Either Train or Contents is nil.
type Share struct {
	Train    *train.Job
	Contents *contents.Job // of job.collectives, of one rank
	Work     *workload.Job
	Steps    int64
	// Operations says that each operation is told, and not only those that communicate.
	Operations bool
	done       int64 // steps of the training before the first of these
	every      int64 // a state is kept after so many steps; 0: only after the last
	inputs     []result.InputDigest
	images     string
}

// NewShare prepares ranks of a scenario for this process, which go on from weights, nil: from the beginning; none: it only
// reads and plans what they need. images is their digest, where another process has read them and found them whole; "": they
// are held against what they must be.
func NewShare(ctx context.Context, sc *scenario.Scenario, ranks []int32, from *Resume, images string, room train.Room,
	progress func(result.Progress)) (*Share, error) {
	in, err := prepareReal(ctx, sc, from, images, progress)
	if err != nil {
		return nil, err
	}
	j := &job{run: &runner{plan: in.plan}, plan: &in.plan.Jobs[0], data: in.data[0], room: room}
	s := &Share{Work: j.plan.Work, Operations: sc.Output.Operations, inputs: in.digests(), images: in.images()}
	if j.plan.Spec.Train == nil {
		s.Steps = j.steps()
		for _, r := range ranks {
			var timed []workload.TimedRow
			for i := range j.plan.Rows {
				timed = append(timed, j.plan.Rows[i].TimedRow)
			}
			s.Contents = contents.New(s.Work, r, timed, room)
		}
		return s, nil
	}
	j.kept.Training = in.about[0]
	if in.start != nil {
		s.done = in.start.Step
	}
	if err := j.newTraining(in.start, append([]int32{}, ranks...), false); err != nil {
		return nil, err
	}
	s.Train, s.Steps, s.every = j.train, j.steps(), j.keptEvery()
	return s, nil
}

// Memory is that of the ranks of this process.
func (s *Share) Memory() exec.Memory {
	if s.Train != nil {
		return s.Train
	}
	return s.Contents
}

// Body is what they do.
func (s *Share) Body() exec.Body {
	if s.Train != nil {
		return s.Train
	}
	return s.Contents
}

// Images is the digest of the images that it learns from; "": it learns from none.
func (s *Share) Images() string { return s.images }

// Inputs is what is read beside the scenario.
func (s *Share) Inputs() []result.InputDigest { return s.inputs }

// Tells reports whether ranks tell what they hold after a step, of a run that ends after so many: a state is kept then.
func (s *Share) Tells(step, last int64) bool {
	return step+1 == last || s.every > 0 && (s.done+step+1)%s.every == 0
}
