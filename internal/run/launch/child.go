//go:build unix

package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/rank"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// child is the process of a rank.
type child struct {
	rank  int32
	conn  net.Conn
	order jobOrder
	share *run.Share
	loop  *rank.Loop
	seg   *segment
	bells []*rank.Bell // by rank of the node
	ways  *listener    // nil: nobody connects by TCP
	roce  *endpoint.Endpoint
	taken *capture

	out     chan frame // to the launcher
	sent    sync.WaitGroup
	room    *rank.Room // of the buffers that ranks of the node see; nil: none do
	rooms   []*os.File // of the ranks of the node
	garbage int        // percent of what is in use that may lie uncollected, where that is much

	operations []exec.OperationRecord // since the last step ended
	last       int64                  // steps that the rank takes
}

// Rank is the process of a rank, which a launcher has started with the files that it needs. It returns when the launcher says
// that all is over, or is gone.
func Rank() error {
	c := &child{out: make(chan frame, 64), garbage: leaveGarbage(0)}
	socket := os.NewFile(fileSocket, "launcher")
	conn, err := net.FileConn(socket)
	if err != nil {
		return errors.New("this is what railyard launch starts for each rank: it has no launcher")
	}
	socket.Close()
	c.conn = conn
	f, err := readFrame(conn, scenario.MaxBytes*8)
	if err != nil || f.kind != kindJob {
		return fmt.Errorf("launcher: no job: %w", errors.Join(err))
	}
	if err := f.decode(&c.order); err != nil {
		return err
	}
	c.rank = f.rank
	c.sent.Go(c.write)
	err = c.run()
	if err == nil {
		err = c.written()
	}
	if err != nil {
		c.say(kindEnded, c.whyEnded(err))
	} else {
		c.say(kindEnded, ended{})
	}
	close(c.out)
	c.sent.Wait()
	_, _ = io.Copy(io.Discard, conn) // until the launcher closes it
	return c.closeRoCE()
}

// whyEnded is what the launcher is told of an error.
func (c *child) whyEnded(err error) ended {
	var closed *rank.Closed
	if errors.As(err, &closed) {
		return ended{Error: err.Error(), Peer: &closed.Peer}
	}
	return ended{Error: err.Error()}
}

func (c *child) say(k kind, data any) { c.out <- newFrame(k, c.rank, data) }

// write sends what the rank says.
func (c *child) write() {
	var buf []byte
	for f := range c.out {
		buf = appendFrame(buf[:0], &f)
		if _, err := c.conn.Write(buf); err != nil {
			for range c.out { // nobody listens any more
			}
			return
		}
	}
}

// run runs the rank.
func (c *child) run() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := c.inherit(); err != nil {
		return err
	}
	go c.beat()
	sc, err := scenario.Parse(c.order.Name, []byte(c.order.Scenario))
	if err != nil {
		return err
	}
	var from *run.Resume
	if c.order.Weights != "" {
		if from, err = run.ReadResume(ctx, c.order.Weights); err != nil {
			return err
		}
		if from.SHA256 != c.order.WeightsSHA256 {
			return fmt.Errorf("weights %s have changed since the launcher read them", c.order.Weights)
		}
	}
	if c.share, err = run.NewShare(ctx, sc, []int32{c.rank}, from, c.order.Images, c.room.Floats, func(result.Progress) {}); err != nil {
		return err
	}
	if n := c.share.Work.Ranks(); n != c.order.World {
		return fmt.Errorf("the scenario has %d ranks, the launcher says %d", n, c.order.World)
	}
	local := localPairs(c.share.Work, c.order.First, c.order.Ranks)
	if c.order.Transport != Shared {
		local = nil
	}
	if err := c.seg.divide(local, c.order.RingBytes); err != nil {
		return err
	}
	return c.drive()
}

// inherit takes the files that the launcher has given.
func (c *child) inherit() (err error) {
	if n := c.order.Ranks; n < 1 || n > c.order.World || c.rank < c.order.First || c.rank >= c.order.First+int32(n) {
		return fmt.Errorf("rank %d of %d ranks from %d, of %d: it cannot be", c.rank, n, c.order.First, c.order.World)
	}
	mem := os.NewFile(fileMemory, "shared memory")
	if c.seg, err = mapSegment(mem, c.order.Ranks); err != nil {
		return err
	}
	mem.Close()
	file := func(fd int) *os.File {
		unix.CloseOnExec(fd)
		_ = unix.SetNonblock(fd, true) // so that who waits for it keeps no thread
		return os.NewFile(uintptr(fd), "bell")
	}
	for i := range c.order.Ranks {
		if c.order.Rooms {
			c.rooms = append(c.rooms, os.NewFile(uintptr(fileBells+c.order.Ranks+i), "room"))
		}
		var read *os.File
		if i == int(c.rank-c.order.First) {
			read = file(fileBell)
		}
		bell, err := rank.BellOf(read, file(fileBells+i))
		if err != nil {
			return err
		}
		c.bells = append(c.bells, bell)
	}
	if c.order.Rooms {
		c.room = rank.NewRoom(c.rooms[c.rank-c.order.First])
	}
	return nil
}

// beat says that the process lives, to its end: what it says last, a launcher that is busy may take long to read.
func (c *child) beat() {
	board := c.seg.boards[c.rank-c.order.First]
	for n := int64(1); ; n++ {
		board.Beat(n)
		time.Sleep(beatEvery)
	}
}

// drive links the rank with others and runs it to its end.
func (c *child) drive() error {
	c.last = c.share.Steps
	me := c.rank - c.order.First
	c.loop = rank.NewLoop(rank.Config{Rank: c.rank, Job: c.share.Work, Steps: c.share.Steps, Memory: c.share.Memory(),
		Body: c.share.Body(), Observer: c, Origin: time.Now(), Bell: c.bells[me], Board: c.seg.boards[me], Looks: looks,
		Brief: brief(), Mend: mend})
	if c.room != nil {
		c.room.Seal()
	}
	near, far := c.mine()
	address := ""
	if len(far) > 0 {
		var err error
		if c.ways, err = listen(c.order.Listen); err != nil {
			return err
		}
		defer c.ways.close()
		address = c.ways.address()
	}
	c.say(kindReady, ready{PID: os.Getpid(), Address: address})
	var to peers
	if err := c.await(kindPeers, &to); err != nil {
		return err
	}
	if err := c.join(near); err != nil {
		return err
	}
	if err := c.connect(far, &to); err != nil {
		return err
	}
	c.say(kindLinked, struct{}{})
	var begin start
	if err := c.await(kindGo, &begin); err != nil {
		return err
	}
	now := time.Now()
	c.loop.Begin(now.Add(time.Unix(0, begin.UnixNano).Sub(now)))
	leaveGarbage(c.garbage)
	go c.listen()
	return c.loop.Drive()
}

// join links the rank with others by memory.
func (c *child) join(near []int32) error {
	for _, peer := range near {
		there, back := c.seg.ways(c.rank, peer)
		k := rank.NewShared(c.loop, peer, there, back, c.seg.boards[peer-c.order.First], c.bells[peer-c.order.First])
		if c.room != nil {
			view, err := rank.View(c.rooms[peer-c.order.First])
			if err != nil {
				return fmt.Errorf("rank %d, of rank %d: %w", c.rank, peer, err)
			}
			k.Lend(c.room, view)
		}
		c.loop.Join(peer, k)
	}
	for _, f := range c.rooms {
		f.Close()
	}
	return nil
}

// looks is how often a loop looks around before it sleeps: some 30 us where no other process wants the processor.
const looks = 100

// brief is how long a rank sleeps unknown to the runtime: longer than most waits for a message, and shorter than the 10 ms after
// which the runtime wants its processor back. A sleep that it knows of has its monitor take the processor away and look around
// fifty times in the next milliseconds. What else is to run in the process has another processor, or minds.
func brief() time.Duration {
	if runtime.GOMAXPROCS(0) == 1 {
		return time.Millisecond
	}
	return 9 * time.Millisecond
}

// mend replaces links, in tests; nil: none.
var mend func(rank.Link) rank.Link

// mine are the ranks that this one is linked with: by memory, and by TCP.
func (c *child) mine() (near, far []int32) {
	rank.Pairs(c.share.Work, func(a, b int32) {
		peer := b
		switch c.rank {
		case a:
		case b:
			peer = a
		default:
			return
		}
		if _, ok := c.seg.rings[[2]int32{a, b}]; ok {
			near = append(near, peer)
		} else {
			far = append(far, peer)
		}
	})
	return near, far
}

// await reads what the launcher says next: that, or that all is over.
func (c *child) await(want kind, to any) error {
	f, err := readFrame(c.conn, smallBody)
	switch {
	case err != nil:
		return errQuit
	case f.kind == kindQuit:
		return errQuit
	case f.kind != want:
		return fmt.Errorf("the launcher sent a control frame of kind %d, want %d", f.kind, want)
	}
	return f.decode(to)
}

// listen takes what the launcher says while the rank runs.
func (c *child) listen() {
	for {
		f, err := readFrame(c.conn, smallBody)
		var s stop
		switch {
		case err != nil || f.kind == kindQuit:
			c.loop.End(errQuit)
			return
		case f.kind == kindStop && f.decode(&s) == nil:
			c.loop.Call(func() { c.stopAfter(s.Steps) })
		case f.kind == kindTell:
			c.loop.Call(c.soFar)
		}
	}
}

// stopAfter ends the rank after so many steps, if it has not begun more.
func (c *child) stopAfter(steps int64) {
	r := c.loop.Rank()
	if now := r.Step() + 1; now > steps && !r.Finished() {
		c.loop.End(fmt.Errorf("it was told to end after %d steps when it was in the next", steps))
		return
	}
	r.StopAfter(steps)
	c.last = min(c.last, steps)
}

// soFar tells what the rank has ended of the step that it is in.
func (c *child) soFar() {
	t := run.Told{Operations: c.operations}
	t.Step.Step = c.loop.Rank().Step()
	c.out <- frame{kindSoFar, c.rank, appendTold(nil, &t)}
}

// Operation implements exec.Observer.
func (c *child) Operation(o exec.OperationRecord) {
	if c.share.Operations || c.share.Work.Program(c.rank).OpsOf(o.Step)[o.Op].Kind == workload.Communication {
		c.operations = append(c.operations, o)
	}
	if c.share.Contents != nil {
		c.share.Contents.Ended(o.Op)
	}
}

// Step implements exec.Observer.
func (c *child) Step(s exec.StepRecord, waits []exec.Wait) {
	t := run.Told{Step: s, Waits: waits, Operations: c.operations}
	tr := c.share.Train
	switch {
	case tr == nil:
		t.Wrong = c.share.Contents.Wrong()
	case s.Step == workload.StartStep:
		tr.Started(c.rank)
	default:
		if c.share.Tells(s.Step, c.last) {
			tr.Hold(c.rank, s.Step)
		}
		t.Said = tr.Say(c.rank, s.Step)
	}
	c.out <- frame{kindStep, c.rank, appendTold(nil, &t)}
	if tr != nil {
		tr.LetGo(s.Step)
	}
	c.operations = c.operations[:0]
}
