//go:build unix

package launch

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"railyard/internal/engine/rank"
	"railyard/internal/job/workload"
)

// node is the ranks of this machine: their processes, and the memory that they share.
type node struct {
	cfg     *Config
	order   jobOrder
	host    string // its name
	seg     *segment
	procs   []*process
	up      func(frame) // what they say, from any goroutine
	over    chan struct{}
	ended   sync.WaitGroup
	watched sync.WaitGroup // who reads the shared memory
	most    int64          // bytes of a frame of theirs
	quiting sync.Once

	mu    sync.Mutex
	quiet []time.Duration // for how long each process has given no sign
}

// process is that of a rank.
type process struct {
	rank int32
	cmd  *exec.Cmd
	conn net.Conn
	tail tail

	writes sync.Mutex
	mu     sync.Mutex
	done   bool // it has been told to end, or has said that it has
}

// tail keeps the first lines that a process prints: why it panicked stands there.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const tailBytes = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if left := tailBytes - t.b.Len(); left > 0 {
		t.b.Write(b[:min(left, len(b))])
	}
	return len(b), nil
}

// first is the first line, "" of none.
func (t *tail) first() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, _, _ := strings.Cut(t.b.String(), "\n")
	return line
}

// The files that a rank's process inherits, behind stdin, stdout and stderr: its socket to the launcher, the shared memory, the
// end of its bell that it reads, and the ends of all bells of its node that are written.
const (
	fileSocket = 3 + iota
	fileMemory
	fileBell
	fileBells // of all ranks; behind them, where order.Rooms, their rooms
)

// startNode starts the processes of a node.
func startNode(cfg *Config, order jobOrder, work *workload.Job, up func(frame)) (*node, error) {
	n := &node{cfg: cfg, order: order, up: up, over: make(chan struct{}), most: toldBytes(work)}
	n.host, _ = os.Hostname()
	pairs := localPairs(work, order.First, order.Ranks)
	if order.Transport != Shared {
		pairs = nil
	}
	n.order.RingBytes = ringBytes(len(pairs))
	mem, err := memory(segmentBytes(order.Ranks, len(pairs), n.order.RingBytes))
	if err != nil {
		return nil, fmt.Errorf("launch: memory for %d processes to share: %w", order.Ranks, err)
	}
	defer mem.Close()
	if n.seg, err = mapSegment(mem, order.Ranks); err != nil {
		return nil, err
	}
	var reads, writes, rooms []*os.File
	defer func() {
		for _, f := range slices.Concat(reads, writes, rooms) {
			f.Close()
		}
	}()
	for range order.Ranks {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, n.give(err)
		}
		reads, writes = append(reads, r), append(writes, w)
		if len(pairs) == 0 {
			continue
		}
		switch f, err := room(); {
		case err != nil:
			return nil, n.give(err)
		case f != nil:
			rooms = append(rooms, f)
		}
	}
	n.order.Rooms = len(rooms) > 0
	// Children die with the thread that started them: it lives as long as the node.
	began := make(chan error)
	go func() {
		runtime.LockOSThread()
		for i := range order.Ranks {
			if err := n.start(int32(i), mem, reads[i], slices.Concat(writes, rooms)); err != nil {
				began <- err
				return
			}
		}
		began <- nil
		<-n.over
	}()
	if err := <-began; err != nil {
		return nil, n.give(err)
	}
	n.quiet = make([]time.Duration, len(n.procs))
	for _, p := range n.procs {
		n.ended.Go(func() { n.read(p) })
	}
	n.watched.Go(n.watch)
	return n, nil
}

// give ends what has been started.
func (n *node) give(err error) error {
	n.quit("", 0)
	return fmt.Errorf("launch: %d processes: %w", n.order.Ranks, err)
}

// start starts the process of a rank.
func (n *node) start(local int32, mem, bell *os.File, bells []*os.File) error {
	p := &process{rank: n.order.First + local}
	ours, theirs, err := sockets()
	if err != nil {
		return err
	}
	defer ours.Close()
	defer theirs.Close()
	if p.conn, err = net.FileConn(ours); err != nil {
		return err
	}
	p.cmd = &exec.Cmd{Path: n.cfg.Program, Args: n.cfg.Args}
	p.cmd.ExtraFiles = append([]*os.File{theirs, mem, bell}, bells...)
	p.cmd.Stdout, p.cmd.Stderr = &p.tail, &p.tail
	p.cmd.SysProcAttr = orphan()
	p.cmd.Env = append(os.Environ(),
		"RANK="+strconv.Itoa(int(p.rank)),
		"LOCAL_RANK="+strconv.Itoa(int(local)),
		"WORLD_SIZE="+strconv.Itoa(n.order.World),
		"LOCAL_WORLD_SIZE="+strconv.Itoa(n.order.Ranks),
		"MASTER_ADDR="+n.cfg.masterAddr(),
		"MASTER_PORT="+n.cfg.masterPort())
	if err := p.cmd.Start(); err != nil {
		p.conn.Close()
		return err
	}
	n.procs = append(n.procs, p)
	return nil
}

// sockets are the two ends of a connection between a launcher and a process. No other process that is started meanwhile
// inherits them: it would keep the connection open beyond the end of whose it is.
func sockets() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return os.NewFile(uintptr(fds[0]), "rank"), os.NewFile(uintptr(fds[1]), "launcher"), nil
}

// read passes on what a process says, until it has ended.
func (n *node) read(p *process) {
	order := newFrame(kindJob, p.rank, n.order)
	_ = p.send(&order, time.Time{}) // as long as it takes to begin; a process that is gone has a wait status
	for {
		f, err := readFrame(p.conn, n.most)
		if err != nil {
			break
		}
		if f.rank != p.rank || f.kind > kindEnded {
			f = newFrame(kindDied, p.rank, died{p.cmd.Process.Pid,
				fmt.Sprintf("sent a control frame of kind %d for rank %d", f.kind, f.rank)})
		}
		if f.kind == kindEnded {
			p.mu.Lock()
			p.done = true
			p.mu.Unlock()
		}
		n.up(f)
	}
	_ = p.cmd.Wait()
	p.conn.Close()
	if !p.isDone() {
		n.up(newFrame(kindDied, p.rank, died{p.cmd.Process.Pid, p.how()}))
	}
}

// how says how a process ended.
func (p *process) how() string {
	text := fmt.Sprintf("ended with exit code %d", p.cmd.ProcessState.ExitCode())
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		text = fmt.Sprintf("was killed by signal %d", s.Signal())
		if s.Signal() == syscall.SIGKILL {
			return text
		}
	}
	if line := p.tail.first(); line != "" {
		text += " (" + line + ")"
	}
	return text
}

func (p *process) send(f *frame, until time.Time) error {
	p.writes.Lock()
	defer p.writes.Unlock()
	_ = p.conn.SetWriteDeadline(until)
	_, err := p.conn.Write(appendFrame(nil, f))
	return err
}

// writeTime is how long a process or node may take to read what it is told: one that is stopped does not.
const writeTime = 2 * time.Second

// tell passes a frame on to a rank, or to all of the node.
func (n *node) tell(f frame) {
	for _, p := range n.procs {
		if f.rank < 0 || f.rank == p.rank {
			to := f
			to.rank = p.rank
			_ = p.send(&to, time.Now().Add(writeTime)) // a process that is gone has a wait status
		}
	}
}

// watched is a process that is watched.
type watched struct {
	sentry
	told    bool
	step    int64
	coll    int32 // below 0: it waits in none
	open    quiet // for how long it has been in that collective of that step
	overdue bool
}

// watch looks for processes that do not go on, and for ranks that are in a collective for longer than job.watchdog.
func (n *node) watch() {
	last := make([]watched, len(n.procs))
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-n.over:
			return
		case <-tick.C:
		}
		for i, p := range n.procs {
			if p.isDone() {
				continue
			}
			w, now := &last[i], n.seg.boards[i].Standing()
			at := time.Now()
			n.late(w, p, &now, at)
			mute := w.look(at, now.Beat, func() (time.Duration, bool) { return processor(p.cmd.Process.Pid) })
			n.mu.Lock()
			n.quiet[i] = w.quiet.length
			n.mu.Unlock()
			if !mute {
				w.told = false
			} else if text := w.text(stopped(p.cmd.Process.Pid)); text != "" && !w.told {
				w.told = true
				n.up(newFrame(kindStalled, p.rank, died{p.cmd.Process.Pid, text}))
			}
		}
	}
}

// late reports a rank that has been in a collective for too long. As with silence, time counts in which who looks is there:
// not while the machine was asleep, or gave the launcher no processor.
func (n *node) late(w *watched, p *process, now *rank.Standing, at time.Time) {
	coll := now.Coll
	if len(now.Waits) == 0 {
		coll = -1
	}
	moved := coll < 0 || now.Step != w.step || coll != w.coll
	if moved {
		w.step, w.coll, w.overdue = now.Step, coll, false
	}
	limit := n.cfg.watchdog()
	if long := w.open.look(at, moved); limit > 0 && !w.overdue && long >= limit {
		w.overdue = true
		n.up(frame{kindOverdue, p.rank, nil})
	}
}

// isDone reports whether a process has been told to end, or has said that it has.
func (p *process) isDone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// quietFor is for how long a process has given no sign.
func (n *node) quietFor(i int) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.quiet[i]
}

// standings is how the ranks of the node stand.
func (n *node) standings() (all []standing) {
	for i, p := range n.procs {
		b := n.seg.boards[i].Standing()
		s := standing{Rank: p.rank, PID: p.cmd.Process.Pid, Begun: b.Begun, Step: b.Step, Coll: b.Coll,
			Quiet: n.quietFor(i) > 2*beatEvery}
		for _, w := range b.Waits {
			if !slices.Contains(s.Waits, w.Peer) {
				s.Waits = append(s.Waits, w.Peer)
			}
		}
		all = append(all, s)
	}
	return all
}

// quit ends all processes, for a reason or because all is done: those that do not end within a time are killed.
func (n *node) quit(text string, grace time.Duration) {
	n.quiting.Do(func() {
		for _, p := range n.procs {
			p.mu.Lock()
			p.done = true
			p.mu.Unlock()
		}
		gone := make(chan struct{})
		go func() {
			n.tell(frame{kindQuit, -1, []byte(text)})
			for _, p := range n.procs {
				if c, ok := p.conn.(*net.UnixConn); ok {
					_ = c.CloseWrite() // nothing follows: a process that has ended its steps waits for this
				}
			}
			n.ended.Wait()
			close(gone)
		}()
		select {
		case <-gone:
		case <-time.After(grace):
			for _, p := range n.procs {
				_ = p.cmd.Process.Kill()
			}
			<-gone
		}
		close(n.over)
		n.watched.Wait()
		n.seg.close()
	})
}

// splitAddress is host and port of --rdzv.
func (c *Config) splitAddress() (host, port string) {
	host, port, err := net.SplitHostPort(c.Rendezvous)
	if err != nil {
		return "127.0.0.1", ""
	}
	return host, port
}

func (c *Config) masterAddr() string { host, _ := c.splitAddress(); return host }
func (c *Config) masterPort() string { _, port := c.splitAddress(); return port }

var errQuit = errors.New("the job is over")
