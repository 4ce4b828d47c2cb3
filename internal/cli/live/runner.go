package live

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Options say where runs go and what runs them.
type Options struct {
	Root    string // run directories lie in it
	Program string // railyard
	Bounds  Bounds
}

// Line is what a run with --stream says of itself, in one line of JSON.
type Line struct {
	Phase      string     `json:"phase"`
	Done       int64      `json:"done"`
	Total      int64      `json:"total"` // 0: not known
	Loss       *float64   `json:"loss,omitempty"`
	Virtual    unit.Time  `json:"virtual_ps"`
	PacketHops int64      `json:"packet_hops"`
	Part       float64    `json:"part"` // 0 to 1, where Done and Total are too coarse to tell
	CPU        float64    `json:"cpu_seconds"`
	Memory     unit.Bytes `json:"memory_bytes"` // at most so far
}

// State is how it is with a run that was posted.
type State string

// States beside those of a run directory (result.State), which a run that ended has.
const (
	Waiting   State = "waiting"
	Running   State = "running"
	Cancelled State = "cancelled" // before it began: it left nothing
	Refused   State = "refused"   // it did not begin, see Why
	Killed    State = "killed"
)

// View is a run that was posted, as it is now.
type View struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	State    State      `json:"state"`
	Place    int        `json:"place"`    // in the line, from 1; 0: it is not in the line
	Run      string     `json:"run"`      // its directory below the root; "": there is none
	Progress *Line      `json:"progress"` // the newest; null: it said nothing yet
	Memory   unit.Bytes `json:"memory_bytes"`
	Why      string     `json:"why"` // it ended so; "": nothing is to be said
}

// Ended reports whether nothing more happens to it.
func (v *View) Ended() bool { return v.State != Waiting && v.State != Running }

type job struct {
	id, name string
	need     unit.Bytes
	posted   unit.Bytes
	folder   string // of what was posted
	remove   func()

	// Of the runner's lock.
	state    State
	run      string // name of its directory
	progress *Line
	disk     unit.Bytes // its run directory, and what the run put beside what was posted
	why      string
	stopped  bool // by Cancel, a bound or the end of the server
	process  *os.Process
	input    io.WriteCloser
	changed  chan struct{} // closed when there is news
	seen     seen
}

// Runner runs what is posted.
type Runner struct {
	options Options
	checks  chan struct{}
	ctx     context.Context // of the runner
	end     context.CancelFunc
	all     sync.WaitGroup

	mu     sync.Mutex
	over   bool
	taken  int
	jobs   []*job
	line   []*job
	active map[*job]bool
	used   unit.Bytes // by the forecasts of active
	disk   unit.Bytes // of what ended
	cpu    float64    // of what ended
}

var errEnds = full("the server ends")

// New returns a runner.
func New(o Options) *Runner {
	ctx, cancel := context.WithCancel(context.Background())
	return &Runner{options: o, checks: make(chan struct{}, mostChecks), ctx: ctx, end: cancel, active: map[*job]bool{}}
}

// Bounds returns what the runner keeps to, and what its runs have taken.
func (r *Runner) Bounds() (Bounds, Use) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options.Bounds, r.use()
}

// Start checks what is posted, and puts it in the line if nothing is wrong with it; otherwise View is nil.
func (r *Runner) Start(ctx context.Context, p Post) (*View, *Checked, error) {
	r.mu.Lock()
	err := r.spent()
	if err == nil {
		r.taken++
	}
	r.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	v, c, err := r.start(ctx, p)
	if v == nil {
		r.mu.Lock()
		r.taken--
		r.mu.Unlock()
	}
	return v, c, err
}

func (r *Runner) start(ctx context.Context, p Post) (*View, *Checked, error) {
	dir, remove, err := p.write()
	if err != nil {
		return nil, nil, err
	}
	c, err := r.check(ctx, dir)
	if err == nil && c.Errors == 0 && c.Estimate == nil {
		err = refuse("the check forecasts nothing")
	}
	if err != nil || c.Errors > 0 {
		remove()
		return nil, c, err
	}
	if most := r.options.Bounds.Memory; most > 0 && c.Estimate.Memory > most {
		remove()
		return nil, c, refuse("this run would need about %s of memory, and this server has %s for its runs (--max-memory): make it smaller",
			c.Estimate.Memory.Human(), most.Human())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		remove()
		return nil, nil, errEnds
	}
	j := &job{id: fmt.Sprint(len(r.jobs) + 1), name: c.Name, need: c.Estimate.Memory, folder: dir, remove: remove, state: Waiting,
		posted: p.bytes(), changed: make(chan struct{}), seen: nothingSeen()}
	r.disk += j.posted
	r.jobs = append(r.jobs, j)
	r.line = append(r.line, j)
	r.advance()
	v := r.view(j)
	return &v, c, nil
}

// advance starts what there is room for. The lock is held.
func (r *Runner) advance() {
	b := r.options.Bounds
	for len(r.line) > 0 && !r.over {
		j := r.line[0]
		if n := len(r.active); n > 0 && (n >= b.AtOnce || b.Memory > 0 && r.used+j.need > b.Memory) {
			break
		}
		r.line = r.line[1:]
		r.active[j] = true
		r.used += j.need
		j.state = Running
		r.tell(j)
		r.all.Go(func() { r.play(j) })
	}
	for _, j := range r.line { // their places have changed
		r.tell(j)
	}
}

// tell wakes who watches. The lock is held.
func (r *Runner) tell(j *job) {
	close(j.changed)
	j.changed = make(chan struct{})
	j.seen.news()
}

// view returns a job as it is. The lock is held.
func (r *Runner) view(j *job) View {
	return View{ID: j.id, Name: j.name, State: j.state, Place: slices.Index(r.line, j) + 1, Run: j.run, Progress: j.progress,
		Memory: j.need, Why: j.why}
}

// Jobs returns all that was posted, newest first.
func (r *Runner) Jobs() []View {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]View, 0, len(r.jobs))
	for _, j := range slices.Backward(r.jobs) {
		all = append(all, r.view(j))
	}
	return all
}

// find returns a job, nil without one. The lock is held.
func (r *Runner) find(id string) *job {
	for _, j := range r.jobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

// Watch returns a job as it is, and what is closed when it is otherwise; nil: there is none.
func (r *Runner) Watch(id string) (*View, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.find(id)
	if j == nil {
		return nil, nil
	}
	v := r.view(j)
	return &v, j.changed
}

// Cancel takes a run out of the line, or ends it as Ctrl-C does; for the second time at once. It reports whether there is such
// a run.
func (r *Runner) Cancel(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.find(id)
	if j == nil {
		return false
	}
	r.stop(j, "")
	return true
}

// stop ends a job; why is what is said of it, beside its state. The lock is held.
func (r *Runner) stop(j *job, why string) {
	switch {
	case j.state == Waiting:
		r.drop(j, why)
		r.advance()
	case j.state != Running:
	case j.stopped:
		if j.process != nil {
			_ = j.process.Kill()
		}
	default:
		j.stopped, j.why = true, why
		interrupt(j)
		r.tell(j)
	}
}

// drop takes a job out of the line. The lock is held.
func (r *Runner) drop(j *job, why string) {
	r.line = slices.DeleteFunc(r.line, func(x *job) bool { return x == j })
	r.disk -= j.posted
	j.state, j.why = Cancelled, why
	r.all.Go(j.remove)
	r.tell(j)
}

// interrupt does what Ctrl-C does. Where a process cannot be told so, the end of its standard input says it.
func interrupt(j *job) {
	if j.process != nil && j.process.Signal(os.Interrupt) != nil {
		j.input.Close()
	}
}

// play runs a job.
func (r *Runner) play(j *job) {
	dir, err := result.NextDir(r.options.Root, j.name)
	state, why := Refused, ""
	var cpu float64
	if err == nil {
		state, why, cpu = r.process(j, dir)
	} else {
		why = err.Error()
	}
	size := sizeOf(dir)
	j.remove()
	r.mu.Lock()
	defer r.mu.Unlock()
	j.state, j.why = state, cmp.Or(j.why, why)
	if state == Refused || state == Cancelled {
		j.run = ""
	}
	delete(r.active, j)
	j.seen.ports, j.seen.view = nil, nil
	r.used -= j.need
	r.disk += size - j.posted
	r.cpu += cpu
	r.tell(j)
	r.advance()
}

// process starts the process of a job, hears it to its end and says what became of it.
func (r *Runner) process(j *job, dir string) (state State, why string, cpu float64) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Refused, err.Error(), 0
	}
	r.mu.Lock()
	cores := max(1, runtime.GOMAXPROCS(0)/max(1, len(r.active)))
	j.run = filepath.Base(dir)
	r.mu.Unlock()
	// --force: the forecast was held against the bounds of this server.
	cmd := exec.Command(r.options.Program)
	cmd.Args = []string{"railyard", "run", scenarioFile, "--out", abs, "--stream", "--local", "--force", fmt.Sprint("--workers=", cores)}
	cmd.Dir = j.folder
	apart(cmd)
	errs := &tail{}
	cmd.Stderr = errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return Refused, err.Error(), 0
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Refused, err.Error(), 0
	}
	r.mu.Lock()
	if stopped := j.stopped; stopped {
		r.mu.Unlock()
		output.Prune(dir)
		return Cancelled, "", 0
	}
	if err = cmd.Start(); err == nil {
		j.process, j.input = cmd.Process, in
	}
	r.tell(j)
	r.mu.Unlock()
	if err != nil {
		output.Prune(dir)
		return Refused, err.Error(), 0
	}
	done := make(chan struct{})
	r.all.Go(func() { r.measure(j, dir, done) })
	r.all.Go(func() { instruct(j, in, done) })
	r.hear(j, out)
	err = cmd.Wait()
	close(done)
	in.Close()
	s := cmd.ProcessState
	state, why = ended(dir, errs, err)
	r.mu.Lock()
	if state == Refused && j.stopped {
		state, why = Cancelled, ""
	}
	j.process = nil
	r.mu.Unlock()
	return state, why, (s.UserTime() + s.SystemTime()).Seconds()
}

// ended says how a run ended, from what it left.
func ended(dir string, errs *tail, err error) (State, string) {
	run, e := result.OpenIncomplete(dir)
	switch {
	case e != nil:
		output.Prune(dir)
		if err == nil {
			err = e
		}
		return Refused, saidBy(errs, err)
	case run.Summary.State == result.Running:
		return Killed, ""
	case run.Summary.State == result.Complete:
		return State(run.Summary.State), ""
	}
	return State(run.Summary.State), run.Summary.Error
}

// longestLine is more than a run says in one.
const longestLine = 2 << 20

// hear takes what a run says of itself until it ends.
func (r *Runner) hear(j *job, out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var l struct {
			Line
			told
		}
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue
		}
		r.mu.Lock()
		if l.told.some() {
			r.see(j, l.told)
		} else {
			j.progress = &l.Line
			r.keepTo()
			r.tell(j)
		}
		r.mu.Unlock()
	}
	_, _ = io.Copy(io.Discard, out) // a line too long ends no run
}

// measure looks how much of the disk a job takes, until it is done.
func (r *Runner) measure(j *job, dir string, done <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
		}
		size := sizeOf(dir) + max(0, sizeOf(j.folder)-j.posted)
		r.mu.Lock()
		j.disk = size
		r.keepTo()
		r.mu.Unlock()
	}
}

// keepTo stops what is over a bound. The lock is held.
func (r *Runner) keepTo() {
	b, u := r.options.Bounds, r.use()
	switch {
	case u.CPU >= b.CPU:
		r.stopAll(fmt.Sprintf("stopped: the runs of this server have taken %.0f s of processors, the bound (--max-cpu)", b.CPU))
	case u.Disk >= b.Disk:
		r.stopAll(fmt.Sprintf("stopped: the runs of this server hold %s on disk, the bound (--max-disk)", b.Disk.Human()))
	}
}

// stopAll ends what runs and what waits, once. The lock is held.
func (r *Runner) stopAll(why string) {
	for _, j := range slices.Clone(r.line) {
		r.drop(j, why)
	}
	for j := range r.active {
		if !j.stopped {
			r.stop(j, why)
		}
	}
}

// patience is how long runs have to end when the server does.
const patience = 1500 * time.Millisecond

// Close ends all runs as Ctrl-C does, and those that go on for too long at once. Then nothing of the runner goes on.
func (r *Runner) Close() {
	r.mu.Lock()
	r.over = true
	r.stopAll("the server ended")
	r.mu.Unlock()
	r.end()
	quiet := make(chan struct{})
	go func() {
		r.all.Wait()
		close(quiet)
	}()
	select {
	case <-quiet:
		return
	case <-time.After(patience):
	}
	r.mu.Lock()
	for j := range r.active {
		if j.process != nil {
			_ = j.process.Kill()
		}
	}
	r.mu.Unlock()
	<-quiet
}
