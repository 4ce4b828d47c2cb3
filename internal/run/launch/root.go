//go:build unix

package launch

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/run/run"
)

// Run runs all ranks of a scenario as processes, those of this node and, of several nodes, those that join: see Join. It
// returns what run.Run does.
func Run(ctx context.Context, cfg Config) (sum *result.Summary, err error) {
	if err := cfg.Deal(); err != nil {
		return nil, err
	}
	if cfg.Nodes > 1 && cfg.door == nil {
		cfg.door = newDoor()
		defer func() { cfg.door.close(err) }()
	}
	return run.RunReal(ctx, cfg.Scenario, cfg.Run, func(x *run.Real) error {
		r := &root{cfg: &cfg, run: x, ctx: ctx, frames: make(chan heard, 256), pids: map[int32]int{}, over: make(chan struct{})}
		return r.drive()
	})
}

// heard is what a node says, or one of its ranks.
type heard struct {
	frame
	node int
}

// root is the launcher of node 0.
type root struct {
	cfg    *Config
	run    *run.Real
	ctx    context.Context
	frames chan heard
	over   chan struct{} // closed when nobody takes frames any more

	local   *node
	others  []*station // by node; that of node 0 is nil
	world   int
	perNode int

	pids      map[int32]int
	addresses map[int32]string
	ready     int
	linked    int
	ended     int
	begun     time.Time // zero: the ranks have not begun
	foremost  int64     // steps of a rank that have ended, at most
	stopped   bool
	told      int // ranks that have told what they have ended of a step that is given up

	suspect *suspect
}

// suspect is why a rank may have ended, until it is clear whether another is the cause.
type suspect struct {
	rank int32
	text string
	peer *int32
	at   time.Time
}

// How long the causes of a failure may take to show: a process that is gone before its peers' connections, and how the others
// stand.
const (
	causeTime    = 400 * time.Millisecond
	standingTime = 500 * time.Millisecond
	quitTime     = 2 * time.Second
	patience     = 2 * time.Second // for interrupted ranks to end the step that they are in

	lookEvery = 50 * time.Millisecond // whether another node is silent, or time is over
)

func (r *root) drive() (err error) {
	r.world, r.addresses = r.run.Work().Ranks(), map[int32]string{}
	r.perNode = r.cfg.PerNode
	over := sync.OnceFunc(func() { close(r.over) })
	defer over()
	order := jobOrder{Name: r.cfg.Name, Scenario: string(r.cfg.Scenario.YAML()), World: r.world, Ranks: r.perNode,
		Transport: r.cfg.Transport, Faults: r.cfg.Faults, Capture: r.cfg.Capture, Listen: "127.0.0.1", Images: r.run.Images()}
	if from := r.run.From(); from != nil {
		if order.Weights, err = filepath.Abs(from.Path); err != nil {
			return err
		}
		order.WeightsSHA256 = from.SHA256
	}
	r.others = make([]*station, r.cfg.Nodes)
	if r.cfg.Nodes > 1 {
		if order.Listen, err = r.meet(); err != nil {
			return err
		}
		defer func() { r.dismiss(err) }()
	}
	if r.local, err = startNode(r.cfg, order, r.run.Work(), func(f frame) { r.take(heard{f, 0}) }); err != nil {
		return err
	}
	defer func() {
		over() // who waits until somebody takes a frame would keep its process from being waited for
		r.local.quit(textOf(err), quitTime)
	}()
	return r.loop()
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// take hands on what was heard, as long as somebody takes it.
func (r *root) take(h heard) {
	select {
	case r.frames <- h:
	case <-r.over:
	}
}

// loop takes what is said until all ranks have ended.
func (r *root) loop() error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	interrupted := r.ctx.Done()
	var giveUp <-chan time.Time
	for r.ended < r.world {
		select {
		case h := <-r.frames:
			if err := r.handle(&h); err != nil {
				return err
			}
			if err := r.run.Failed(); err != nil {
				return err
			}
		case <-interrupted:
			interrupted = nil
			if r.begun.IsZero() {
				return r.ctx.Err()
			}
			r.stop()
			giveUp = time.After(patience + stopLead)
		case <-giveUp:
			return r.ctx.Err()
		case <-tick.C:
			if s := r.suspect; s != nil && time.Since(s.at) > causeTime {
				return r.broke(s.rank, s.text)
			}
			if err := r.silent(); err != nil {
				return err
			}
		}
	}
	return nil
}

// handle takes a frame.
func (r *root) handle(h *heard) error {
	if h.rank >= 0 && (int(h.rank) >= r.world || int(h.rank)/r.perNode != h.node) {
		return fmt.Errorf("node %d speaks for rank %d, which is not its own", h.node, h.rank)
	}
	switch h.kind {
	case kindReady:
		var s ready
		if err := h.decode(&s); err != nil {
			return err
		}
		r.pids[h.rank], r.addresses[h.rank] = s.PID, s.Address
		if r.ready++; r.ready == r.world {
			id := make([]byte, jobIDBytes)
			_, _ = rand.Read(id) // it never fails: crypto/rand
			r.tell(newFrame(kindPeers, -1, peers{id, r.addresses}))
		}
	case kindLinked:
		if r.linked++; r.linked == r.world {
			r.begin()
		}
	case kindStep:
		t, err := decodeTold(r.run.Work(), h.rank, h.body)
		if err == nil {
			err = r.run.Hear(t)
		}
		if err != nil {
			return r.broke(h.rank, "told nonsense: "+err.Error())
		}
		r.foremost = max(r.foremost, t.Step.Step+1)
	case kindSoFar:
		t, err := decodeTold(r.run.Work(), h.rank, h.body)
		if err == nil {
			err = r.run.HearSoFar(t)
		}
		if err != nil {
			return r.broke(h.rank, "told nonsense: "+err.Error())
		}
		if r.told++; r.told == r.world {
			return r.ctx.Err()
		}
	case kindEnded:
		var s ended
		if err := h.decode(&s); err != nil {
			return err
		}
		if s.Error == "" {
			r.ended++
			return nil
		}
		if r.suspect == nil || r.suspect.peer != nil && s.Peer == nil {
			r.suspect = &suspect{h.rank, "cannot go on: " + s.Error, s.Peer, time.Now()}
		}
	case kindDied, kindStalled:
		var s died
		if err := h.decode(&s); err != nil {
			return err
		}
		if c := r.suspect; c != nil && c.peer == nil && h.kind == kindStalled {
			return r.broke(c.rank, c.text) // that was first
		}
		r.pids[h.rank] = s.PID
		return r.broke(h.rank, s.Text)
	case kindOverdue:
		return r.overdue(h.rank)
	case kindStanding: // too late
	default:
		return fmt.Errorf("node %d sent a control frame of kind %d", h.node, h.kind)
	}
	return nil
}

// tell says something to a rank, or to all.
func (r *root) tell(f frame) {
	r.local.tell(f)
	for _, s := range r.others {
		if s != nil {
			s.tell(f)
		}
	}
}

// begin has all ranks begin.
func (r *root) begin() {
	r.begun = time.Now()
	r.local.tell(newFrame(kindGo, -1, start{r.begun.UnixNano()}))
	for _, s := range r.others {
		if s != nil {
			s.tell(newFrame(kindGo, -1, start{r.begun.UnixNano() + s.ahead}))
		}
	}
}

// stopLead is how far ahead of all ranks the step lies after which they are told to end: word must have come before they end it.
const stopLead = 400 * time.Millisecond

// stop makes all ranks end after the same step, soon.
func (r *root) stop() {
	steps := r.foremost + 2
	if n := r.run.Ended(); n > 0 {
		steps += int64(float64(n) * float64(stopLead) / float64(time.Since(r.begun)))
	}
	if steps >= r.run.Steps() {
		if r.run.Work().Training == nil { // one step: what of it has ended are figures
			r.tell(frame{kindTell, -1, nil})
		}
		return
	}
	r.stopped = true
	r.run.StopAfter(steps)
	r.tell(newFrame(kindStop, -1, stop{steps}))
}

// broke says why the job cannot go on: which rank, where, and who waited for it.
func (r *root) broke(rank int32, how string) error { return r.broken(r.standings(), rank, how) }

// overdue ends the job because a rank has been in a collective for too long. To blame is the rank at the end of those that
// wait for each other.
func (r *root) overdue(rank int32) error {
	stands := r.standings()
	b := r.broken(stands, holdsUp(stands, rank), fmt.Sprintf("kept a collective open for %v, as long as job.watchdog lets it be,",
		r.cfg.watchdog()))
	b.Why = result.AbortWatchdog
	return b
}

// holdsUp follows who waits for whom from a rank to one that gives no sign, that waits for none, or that was met before: a
// circle.
func holdsUp(stands []standing, rank int32) int32 {
	met := map[int32]bool{}
	for !met[rank] {
		met[rank] = true
		i := slices.IndexFunc(stands, func(s standing) bool { return s.Rank == rank })
		if i < 0 || stands[i].Quiet || len(stands[i].Waits) == 0 {
			break
		}
		rank = stands[i].Waits[0]
	}
	return rank
}

// broken is broke for ranks that stand so.
func (r *root) broken(stands []standing, rank int32, how string) *run.Broken {
	b := &run.Broken{Rank: rank, Step: workload.StartStep, Why: result.AbortRank}
	who := fmt.Sprintf("rank %d (%s, pid %d)", rank, r.hostOf(rank), r.pids[rank])
	where := ""
	var waited []int32
	for i := range stands {
		s := &stands[i]
		if s.Rank != rank {
			if slices.Contains(s.Waits, rank) {
				waited = append(waited, s.Rank)
			}
			continue
		}
		where = " before its first step"
		if s.Begun {
			b.Step = s.Step
			where = fmt.Sprintf(" in step %d", s.Step)
			if s.Step == workload.StartStep {
				where = " in the start phase"
			}
			if s.Coll >= 0 && int(s.Coll) < len(r.run.Work().Collectives) {
				b.Collective = r.run.Work().Collectives[s.Coll].Name
				where += ", " + b.Collective
			}
		}
	}
	b.Text = who + " " + how + where
	if len(waited) > 0 {
		slices.Sort(waited)
		b.Text += "; " + rankList(waited) + " waited for it"
	}
	return b
}

// rankList is "rank 4", "ranks 4 and 6", "ranks 1, 2, 3 and 5 others".
func rankList(all []int32) string {
	if len(all) == 1 {
		return fmt.Sprintf("rank %d", all[0])
	}
	const most = 8
	var names []string
	for _, r := range all[:min(len(all), most)] {
		names = append(names, fmt.Sprint(r))
	}
	last := names[len(names)-1]
	if more := len(all) - most; more > 0 {
		last = unit.CountOf(int64(more), "other")
	} else {
		names = names[:len(names)-1]
	}
	return "ranks " + strings.Join(names, ", ") + " and " + last
}

func (r *root) hostOf(rank int32) string {
	if s := r.others[int(rank)/r.perNode]; s != nil {
		return s.host
	}
	return r.local.host
}

// standings asks how all ranks stand, those of other nodes for a while.
func (r *root) standings() []standing {
	all := r.local.standings()
	open := 0
	for _, s := range r.others {
		if s != nil {
			s.tell(frame{kindAsk, -1, nil})
			open++
		}
	}
	timeout := time.After(standingTime)
	for open > 0 {
		select {
		case h := <-r.frames:
			var more []standing
			if h.kind == kindStanding && h.decode(&more) == nil {
				all = append(all, more...)
				open--
			}
		case <-timeout:
			return all
		}
	}
	return all
}
