//go:build unix

package rank

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// Config is what a loop needs of its rank. Observer and Body may be nil; what they are told, they are told on the loop's
// goroutine.
type Config struct {
	Rank     int32
	Job      *workload.Job
	Steps    int64
	Memory   exec.Memory
	Body     exec.Body
	Observer exec.Observer
	Origin   time.Time       // instant 0 of the times that Observer is told
	Bell     *Bell           // how it is woken; nil: within this process
	Board    *Board          // where others see how it stands; nil: nobody does
	Looks    int             // looks around so often before it sleeps, and lets others have the processor between
	Brief    time.Duration   // a sleep begins by so long with the runtime's processor; 0 where loops share a process
	Mend     func(Link) Link // replaces links, in tests; nil: none
}

// A Link carries frames between the loop's rank and one other. Its methods are called by the loop, and none waits.
type Link interface {
	// Send takes a frame, of a message with its bytes, to send at the next Push. Loop.Left is told, with outlet, when the
	// bytes have left their memory; -1: it is not.
	Send(f *Frame, b []byte, outlet int32)
	// Push sends what there is room for, and reports whether that was anything.
	Push() bool
	// Poll takes what has come, and reports whether that was anything, and whether there may be more.
	Poll() (did, more bool)
	// Ready reports whether Push or Poll would do anything, as far as the link can tell without its Descriptor: a loop asks
	// before it sleeps.
	Ready() bool
	// Pending reports whether something is still to be sent.
	Pending() bool
	// Descriptor is a file that says when there is something to read or, with write, room; below 0: there is none.
	Descriptor() (fd int, write bool)
	// Close ends the link. What was sent arrives.
	Close()
}

// Loop runs one rank: exec.Transport and exec.Clock.
type Loop struct {
	cfg   Config
	rank  *exec.Rank
	reg   *registered
	links []peerLink
	to    map[int32]int // peer: index in links
	ways  []exec.Way    // by the number that the rank knows
	todo  []event
	box   mailbox
	heavy chan event // work for the goroutine beside
	board *Board
	err   error
	ended bool          // the rank has, and its peers are told
	files []unix.PollFd // room
	owes  int           // credits that peers have not been sent

	shared   []*Shared // of links, those that are; nil: another
	borrowed int       // slots of the rank that lie in a peer's memory
	borrows  bool
	landed   []landedAt // messages that have been read as they came
	known    landedAt   // one that has just been left, until the rank does something else
}

// peerLink is a link, and what has passed over it.
type peerLink struct {
	Link
	peer    int32
	out, in uint32  // frames
	owed    []Frame // credits that it has not been sent
	stirs   bool    // its descriptor has said that there is something to read, or room
	filled  bool    // something is to be sent that no Push has seen
	saidEnd bool    // the peer has ended
}

// what an event is.
type what uint8

const (
	evDone  what = iota // tok has run
	evWork              // work of tok is to run here
	evAcked             // the oldest message of outlet out has left
	evCall              // fn
)

type event struct {
	what what
	tok  exec.Token
	do   func()
	out  int32
}

var (
	_ exec.Transport = (*Loop)(nil)
	_ exec.Clock     = (*Loop)(nil)
)

// NewLoop returns a loop of a rank that has no links yet.
func NewLoop(cfg Config) *Loop {
	if cfg.Bell == nil {
		cfg.Bell = NewBell()
	}
	if cfg.Board == nil {
		cfg.Board = NewBoard()
	}
	l := &Loop{cfg: cfg, reg: newRegistered(cfg.Job, cfg.Rank), to: map[int32]int{}, board: cfg.Board}
	l.rank = exec.NewRank(exec.Config{Rank: cfg.Rank, Job: cfg.Job, Steps: cfg.Steps, Transport: l, Clock: l, Body: bodyOf(l),
		Observer: observer{cfg.Observer, l}})
	return l
}

// observer keeps the board up to date as steps end.
type observer struct {
	exec.Observer
	l *Loop
}

func (o observer) Operation(r exec.OperationRecord) {
	o.l.known = landedAt{} // what comes next is another's
	if o.Observer != nil {
		o.Observer.Operation(r)
	}
}

func (o observer) Step(s exec.StepRecord, waits []exec.Wait) {
	if o.Observer != nil {
		o.Observer.Step(s, waits)
	}
	o.l.board.setStep(s.Step + 1)
}

// Join gives the loop its link to a peer, before Drive.
func (l *Loop) Join(peer int32, k Link) {
	s, _ := k.(*Shared)
	l.shared = append(l.shared, s)
	if l.cfg.Mend != nil {
		k = l.cfg.Mend(k)
	}
	l.to[peer] = len(l.links)
	l.links = append(l.links, peerLink{Link: k, peer: peer})
}

// Begin says which instant is 0 of the times that the observer is told, before Drive.
func (l *Loop) Begin(origin time.Time) { l.cfg.Origin = origin }

// Rank is that of the loop.
func (l *Loop) Rank() *exec.Rank { return l.rank }

// now is the time since the origin.
func (l *Loop) now() unit.Time { return unit.Time(time.Since(l.cfg.Origin).Nanoseconds() * 1000) }

// Drive runs the rank to its end, and returns why it did not come to it.
func (l *Loop) Drive() error {
	l.heavy = make(chan event, 16)
	var beside sync.WaitGroup
	beside.Go(func() {
		for e := range l.heavy {
			e.do()
			l.box.put(l, event{what: evDone, tok: e.tok})
		}
	})
	l.rank.Start(l.now())
	for l.err == nil && !l.over() {
		if !l.turn() {
			l.idle()
		}
	}
	close(l.heavy)
	beside.Wait()
	for i := range l.links {
		l.links[i].Close()
	}
	l.publish()
	return l.err
}

// over reports whether rank and peers have ended, after it has told these.
func (l *Loop) over() bool {
	if !l.rank.Finished() || len(l.todo) > 0 {
		return false
	}
	if !l.ended {
		l.ended = true
		for i := range l.links {
			l.frame(&l.links[i], &Frame{Kind: FrameEnd, Way: exec.Way{Src: l.cfg.Rank, Dst: l.links[i].peer}}, nil, -1)
		}
	}
	return !slices.ContainsFunc(l.links, func(k peerLink) bool { return !k.saidEnd || k.Pending() })
}

// turn does what there is to do, and reports whether there was anything.
func (l *Loop) turn() (did bool) {
	for i := 0; i < len(l.todo) && l.err == nil; i++ {
		did = true
		l.do(&l.todo[i])
		l.known = landedAt{}
		l.push()
	}
	l.todo = l.todo[:0]
	if l.box.some.Load() {
		l.todo = l.box.take(l.todo)
		return true
	}
	for i := range l.links {
		k := &l.links[i]
		fd, _ := k.Descriptor()
		if fd >= 0 && !k.stirs {
			continue
		}
		if k.Pending() {
			did = k.Push() || did
		}
		moved := false
		moved, k.stirs = k.Poll()
		did = moved || did
		l.push()
	}
	return did
}

// push sends what has been put into links.
func (l *Loop) push() {
	for i := range l.links {
		if k := &l.links[i]; k.filled {
			k.filled = false
			k.Push()
		}
	}
}

func (l *Loop) do(e *event) {
	switch e.what {
	case evWork:
		e.do()
		l.rank.Done(l.now(), e.tok)
	case evDone:
		l.rank.Done(l.now(), e.tok)
	case evAcked:
		if !l.rank.Finished() {
			l.rank.Acked(l.now(), e.out, nil)
		}
	case evCall:
		e.do()
	}
}

// Wake wakes the loop if it sleeps; from anywhere.
func (l *Loop) Wake() { l.board.wake(l.cfg.Bell) }

// Call has f called by the loop, soon; from anywhere.
func (l *Loop) Call(f func()) { l.box.put(l, event{what: evCall, do: f}) }

// End ends the loop for a reason; from anywhere.
func (l *Loop) End(err error) { l.Call(func() { l.fail(err) }) }

func (l *Loop) fail(err error) {
	if l.err == nil {
		l.err = err
		l.rank.Fail(l.now())
	}
}

// Left says that the oldest message of an outlet of which it was not told has left its memory: on the loop.
func (l *Loop) Left(outlet int32) { l.todo = append(l.todo, event{what: evAcked, out: outlet}) }

// Open numbers a way: exec.Transport.
func (l *Loop) Open(w exec.Way) int32 {
	l.ways = append(l.ways, w)
	return int32(len(l.ways) - 1)
}

// Post sends a message: exec.Transport.
func (l *Loop) Post(m *exec.Message) {
	f := messageFrame(m)
	k := l.link(m.Dst)
	if k == nil {
		l.fail(fmt.Errorf("no link to rank %d", m.Dst))
		return
	}
	l.frame(k, &f, l.cfg.Memory.Bytes(m.Src, m.From), l.rank.Outlet(m.AtSource()))
}

// Credit tells a sender that a slot is free: exec.Transport. What tells it is sent with the next message to it, or when there
// is nothing else to do: the way to a message is longer than that of a credit, and who sends has a window of them.
func (l *Loop) Credit(via, coll int32) {
	w := l.ways[via]
	k := l.link(w.Src)
	if k == nil {
		l.fail(fmt.Errorf("no link to rank %d", w.Src))
		return
	}
	f := Frame{Kind: FrameCredit, Way: w}
	f.Header.Coll = coll
	k.owed = append(k.owed, f)
	l.owes++
}

// settle sends credits that are owed: all, or those of peers that may soon wait for them.
func (l *Loop) settle(all bool) {
	for i := 0; i < len(l.links) && l.owes > 0; i++ {
		k := &l.links[i]
		if n := len(k.owed); n > 0 && (all || n >= l.reg.patience(&k.owed[n-1])) {
			l.credits(k)
		}
	}
	l.push()
}

// credits puts what is owed to a peer into its link.
func (l *Loop) credits(k *peerLink) {
	for i := range k.owed {
		l.put(k, &k.owed[i], nil, -1)
	}
	l.owes -= len(k.owed)
	k.owed = k.owed[:0]
}

func (l *Loop) link(peer int32) *peerLink {
	if i, ok := l.to[peer]; ok {
		return &l.links[i]
	}
	return nil
}

// frame sends a frame, and before it the credits that its receiver is owed.
func (l *Loop) frame(k *peerLink, f *Frame, b []byte, outlet int32) {
	if len(k.owed) > 0 {
		l.credits(k)
	}
	l.put(k, f, b, outlet)
}

// put numbers a frame and puts it into a link.
func (l *Loop) put(k *peerLink, f *Frame, b []byte, outlet int32) {
	f.Number = k.out
	k.out++
	k.filled = true
	k.Send(f, b, outlet)
}

// Abort says that the rank cannot go on: exec.Transport.
func (l *Loop) Abort(_ int32, err error) { l.fail(err) }

// heavyFLOP is the arithmetic from which on an operation is worth another goroutine: some 20 us.
const heavyFLOP = 200_000

// Run runs an operation; its duration is what it takes: exec.Clock.
func (l *Loop) Run(_ int32, tok exec.Token, _ unit.Duration, w exec.Work) {
	switch {
	case w.Do == nil:
		l.todo = append(l.todo, event{what: evDone, tok: tok})
	case w.Effort.FLOP >= heavyFLOP:
		l.heavy <- event{tok: tok, do: w.Do}
	default:
		l.todo = append(l.todo, event{what: evWork, tok: tok, do: w.Do})
	}
}

// CopyIn has a batch loaded: exec.Transport.
func (l *Loop) CopyIn(rank int32, tok exec.Token, _ unit.Bytes, w exec.Work) { l.Run(rank, tok, 0, w) }

// Take holds a frame that has come from a peer against what may come: on the loop. A frame without bytes has been taken when
// it returns.
func (l *Loop) Take(peer int32, f *Frame) error {
	k := l.link(peer)
	from, to := f.Way.Src, f.Way.Dst
	if f.Kind == FrameCredit {
		from, to = to, from
	}
	var err error
	switch {
	case from != peer || to != l.cfg.Rank:
		err = fmt.Errorf("a frame of rank %d to rank %d", from, to)
	case f.Number != k.in:
		err = fmt.Errorf("frame %d where frame %d was due", f.Number, k.in)
	case k.saidEnd:
		err = errors.New("a frame after its last")
	default:
		err = l.taken(k, f)
	}
	if err != nil {
		return fmt.Errorf("rank %d got from rank %d %w", l.cfg.Rank, peer, err)
	}
	k.in++
	return nil
}

// taken takes a frame that is the next of its link.
func (l *Loop) taken(k *peerLink, f *Frame) error {
	switch f.Kind {
	case FrameMessage, FrameLent:
		return l.reg.message(f)
	case FrameCredit:
		if err := l.reg.credit(f); err != nil {
			return err
		}
		if l.rank.Finished() {
			return nil
		}
		out := l.rank.Outlet(f.Way.AtSource())
		if !l.rank.Owed(out, f.Header.Coll) {
			return fmt.Errorf("a credit of collective %q that no message waits for, in step %d",
				l.cfg.Job.Collectives[f.Header.Coll].Name, l.rank.Step())
		}
		l.rank.Credited(l.now(), out, f.Header.Coll)
		return nil
	case FrameEnd:
		k.saidEnd = true
		return nil
	}
	return fmt.Errorf("a frame of kind %d", f.Kind)
}

// Placed says that the bytes of a message that was taken are in memory: on the loop.
func (l *Loop) Placed(f *Frame) {
	l.rank.Received(l.now(), l.rank.Inlet(f.Way.AtTarget()), f.arrival(), nil)
	l.known = landedAt{}
}

// Broken says that a link cannot go on: on the loop.
func (l *Loop) Broken(peer int32, err error) {
	if k := l.link(peer); k != nil && k.saidEnd && l.ended {
		return
	}
	l.fail(err)
}
