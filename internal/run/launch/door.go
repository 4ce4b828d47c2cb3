//go:build unix

package launch

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// door is where other nodes come to node 0, from try to try as long as its job lives: so spares, which wait there, know when
// it is over.
type door struct {
	l    net.Listener // nil: it is closed
	own  hello
	say  func(string)
	came chan *station // nodes, with their numbers
	more chan struct{} // a spare has come
	over chan struct{}

	mu     sync.Mutex
	shut   bool
	spares []*spare // that wait, in the order in which they came

	lost   map[int]bool     // nodes that are gone, as far as is known: who waits may take their place at once
	before map[int]*station // those of the try before that are to come again: while they live they say so where they did
}

// spare is a host that waits for a place.
type spare struct {
	*station
	waits chan struct{} // closed: it does not any more
}

// mostSpares wait: who comes then is refused.
const mostSpares = 64

func newDoor() *door {
	return &door{came: make(chan *station), more: make(chan struct{}, 1), over: make(chan struct{}), lost: map[int]bool{},
		before: map[int]*station{}}
}

// open has nodes come, until close.
func (d *door) open(at string, own hello, say func(string)) (err error) {
	if d.l != nil {
		return nil
	}
	d.own, d.say = own, say
	l, err := net.Listen("tcp", at)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is in use: another job's node 0 may have it, want another port in --rdzv", at)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%s is no address of this machine, and --rdzv names node 0, which this is", at)
	case err != nil:
		return fmt.Errorf("--rdzv %s: %w", at, err)
	}
	d.l = l
	go d.accept()
	return nil
}

func (d *door) accept() {
	limit := make(chan struct{}, strangers)
	for {
		conn, err := d.l.Accept()
		if err != nil {
			return
		}
		limit <- struct{}{}
		go func() {
			s := d.receive(conn)
			<-limit
			if s == nil {
				return
			}
			select {
			case d.came <- s:
			case <-d.over:
				conn.Close()
			}
		}()
	}
}

// receive hears who has connected: nil, it is refused, a spare, or a stranger.
func (d *door) receive(conn net.Conn) *station {
	s := &station{conn: &hearing{Conn: conn}}
	_ = conn.SetReadDeadline(time.Now().Add(helloTime))
	f, err := readFrame(conn, helloMost)
	var h hello
	if err == nil && f.kind == kindHello {
		err = f.decode(&h)
	}
	if err != nil || f.kind != kindHello {
		conn.Close()
		return nil
	}
	if text := differs(&d.own, &h); text != "" {
		s.refuse(text)
		d.say(fmt.Sprintf("%s (%s) was refused: %s", h.Host, conn.RemoteAddr(), text))
		return nil
	}
	s.node, s.host = h.Node, h.Host
	if s.ahead, err = clockOf(conn); err != nil {
		conn.Close()
		return nil
	}
	_ = conn.SetReadDeadline(time.Time{})
	if s.node == spareNode {
		d.keep(s)
		return nil
	}
	return s
}

// keep has a spare wait. It is told that node 0 lives, and is known to be gone when that cannot be written.
func (d *door) keep(s *station) {
	at := &spare{s, make(chan struct{})}
	if text := d.add(at); text != "" {
		s.refuse(text)
		return
	}
	select {
	case d.more <- struct{}{}:
	default:
	}
	d.say(fmt.Sprintf("a spare is here: %s (%s)", s.host, s.conn.RemoteAddr()))
	go beats(at.waits, func() {
		if s.tell(frame{kindBeat, -1, nil}) != nil && d.take(at) {
			s.conn.Close()
			d.say(fmt.Sprintf("the spare %s (%s) has gone", s.host, s.conn.RemoteAddr()))
		}
	})
}

// add has a spare wait, or says why it cannot.
func (d *door) add(s *spare) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.shut:
		return "the job is over"
	case len(d.spares) == mostSpares:
		return fmt.Sprintf("%d spares wait already", mostSpares)
	}
	d.spares = append(d.spares, s)
	return ""
}

// take has a spare wait no more, and reports whether it has.
func (d *door) take(s *spare) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.spares, s)
	if i < 0 {
		return false
	}
	d.spares = slices.Delete(d.spares, i, i+1)
	close(s.waits)
	return true
}

// spare is a spare that waits no more; nil: none did.
func (d *door) spare() *station {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.spares) == 0 {
		return nil
	}
	s := d.spares[0]
	d.spares = d.spares[1:]
	close(s.waits)
	return s.station
}

// lose says that a node is gone; find that it, or another in its place, is there; await that it is to come again.
func (d *door) lose(node int)    { d.lost[node] = true }
func (d *door) await(s *station) { d.before[s.node] = s }

func (d *door) find(node int) {
	delete(d.lost, node)
	if s := d.before[node]; s != nil {
		s.conn.Close()
		delete(d.before, node)
	}
}

// look loses those of the nodes that are to come again that have gone, or have been silent, since they were told so.
func (d *door) look(now time.Time) {
	for node, s := range d.before {
		if s.gone.Load() || s.conn.quietFor(now) >= silence {
			d.find(node)
			d.lose(node)
		}
	}
}

// close ends it, and tells spares why the job is over.
func (d *door) close(why error) {
	if d.l == nil {
		return
	}
	d.l.Close()
	for _, s := range d.before {
		s.conn.Close()
	}
	d.mu.Lock()
	d.shut = true
	d.mu.Unlock()
	close(d.over)
	for s := d.spare(); s != nil; s = d.spare() {
		_ = s.tell(frame{kindQuit, -1, []byte(textOf(why))}) // who is gone need not know
		s.conn.Close()
	}
}

// differs says what keeps a node from the job, "" if nothing does.
func differs(own, h *hello) string {
	switch {
	case h.Version != own.Version:
		return fmt.Sprintf("it is railyard %s, node 0 is %s", h.Version, own.Version)
	case h.ID != own.ID:
		return fmt.Sprintf("it has --id %q, node 0 has %q: two jobs have one address", h.ID, own.ID)
	case h.Nodes != own.Nodes:
		return fmt.Sprintf("it is one of %d nodes, node 0 of %d (--nnodes)", h.Nodes, own.Nodes)
	case h.PerNode != own.PerNode:
		return fmt.Sprintf("it has %d processes, node 0 has %d (--nproc-per-node)", h.PerNode, own.PerNode)
	case h.Node != spareNode && (h.Node < 1 || h.Node >= own.Nodes):
		return fmt.Sprintf("it is node %d, want 1 to %d (--node-rank)", h.Node, own.Nodes-1)
	case h.Scenario != own.Scenario:
		return "its scenario differs: " + firstDifference(h.Scenario, own.Scenario)
	case !slices.Equal(h.Inputs, own.Inputs):
		return fmt.Sprintf("what it reads differs: %s, node 0 has %s", strings.Join(h.Inputs, ", "), strings.Join(own.Inputs, ", "))
	}
	return ""
}
