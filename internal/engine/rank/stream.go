//go:build unix

package rank

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stream is a link over a connection that keeps order, such as TCP. The loop itself reads and writes it, without waiting.
type Stream struct {
	loop    *Loop
	peer    int32
	fd      int
	sending queue
	receive receive
	buf     []byte   // what has come and is not a large message
	held    []byte   // of that: what nobody has looked at
	drained bool     // all that had come has been read
	parts   [][]byte // room
	broken  bool
}

// How much of a stream is moved at once: a read of small things, a piece of messages, in so many parts, and what one poll
// takes before others have their turn. Behind a message as large as a read of small things only what leads to the bytes of
// the next is read with it: so these too come where they belong.
const (
	streamBuffer = 16 << 10
	streamPiece  = 512 << 10
	streamBehind = SumBytes + FrameBytes
	streamParts  = 48
	streamPoll   = 1 << 20
)

// NewStream returns a link of a loop to a peer over a socket, which it takes over.
func NewStream(l *Loop, peer int32, conn net.Conn) (*Stream, error) {
	defer conn.Close()
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("rank %d: what joins it to rank %d is no socket", l.cfg.Rank, peer)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &Stream{loop: l, peer: peer, receive: receive{loop: l, peer: peer}, buf: make([]byte, streamBuffer)}
	// A descriptor of its own: the runtime watches that of conn, and would be woken by each packet.
	var failed error
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok && a.IP.IsLoopback() {
		_ = raw.Control(unpaced)
	}
	if err := raw.Control(func(fd uintptr) { s.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, err
	}
	return s, failed
}

// Send implements Link.
func (s *Stream) Send(f *Frame, b []byte, outlet int32) {
	s.sending.add(f, b, outlet)
	s.sending.knows(&s.loop.known)
}

// Push implements Link.
func (s *Stream) Push() (did bool) {
	for !s.broken && !s.sending.empty() {
		n, err := s.write()
		if err != nil {
			s.fail(err)
			return did
		}
		if n == 0 {
			break
		}
		did = true
		s.sending.left(n, s.loop)
	}
	return did
}

// write writes some of what is to be sent, and returns how much.
func (s *Stream) write() (n int, err error) {
	s.parts = s.parts[:0]
	for i, room := s.sending.first, streamPiece; i < len(s.sending.all) && len(s.parts) < streamParts && room > 0; i++ {
		s.parts, room = s.sending.all[i].parts(s.parts, room)
	}
	return ignoring(sendNow(s.fd, s.parts))
}

// ignoring makes nothing of an error that says to try again.
func ignoring(n int, err error) (int, error) {
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return 0, nil
	}
	return max(n, 0), err
}

// Poll implements Link. What a message has given the loop to do is done before the next is looked at: then the rank mostly
// waits for that one, which need not lie in its slot (see land).
func (s *Stream) Poll() (did, more bool) {
	for most := streamPoll; !s.broken; {
		if err := s.look(); err != nil {
			s.fail(err)
			return true, false
		}
		switch {
		case len(s.held) > 0:
			return did, true
		case s.drained:
			s.drained = false
			return true, false
		case len(s.loop.todo) > 0 || most <= 0:
			return did, true
		}
		room, behind := s.coming()
		n, err := s.read(room, behind)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
			return did, errors.Is(err, unix.EINTR)
		case err != nil:
			s.fail(err)
			return true, false
		case n == 0:
			s.fail(&Closed{s.loop.cfg.Rank, s.peer})
			return true, false
		}
		did = true
		most -= n
		direct := min(n, len(room))
		s.receive.placed(direct)
		s.held, s.drained = behind[:n-direct], n < len(room)+len(behind)
	}
	return did, false
}

// look takes what has come with something else, until that gives the loop something to do.
func (s *Stream) look() error {
	for len(s.held) > 0 && len(s.loop.todo) == 0 {
		n, err := s.receive.take(s.held)
		if err != nil {
			return err
		}
		s.held = s.held[n:]
	}
	return nil
}

// coming is where what comes next belongs: bytes of a message, and what is behind them.
func (s *Stream) coming() (room, behind []byte) {
	switch room = s.receive.room(); {
	case len(room) > streamPiece:
		return room[:streamPiece], nil
	case len(room) < s.receive.rest():
		return room, nil
	case len(room) > streamBuffer:
		return room, s.buf[:streamBehind]
	}
	return room, s.buf
}

// read reads into both, one after the other.
func (s *Stream) read(room, behind []byte) (n int, err error) {
	s.parts = s.parts[:0]
	for _, part := range [...][]byte{room, behind} {
		if len(part) > 0 {
			s.parts = append(s.parts, part)
		}
	}
	return receiveNow(s.fd, s.parts)
}

// Ready implements Link: who sleeps is woken by the descriptor.
func (s *Stream) Ready() bool { return false }

// Descriptor implements Link.
func (s *Stream) Descriptor() (fd int, write bool) {
	if s.broken {
		return -1, false
	}
	return s.fd, s.Pending()
}

// Pending implements Link.
func (s *Stream) Pending() bool { return !s.sending.empty() }

// Close implements Link.
func (s *Stream) Close() {
	s.broken = true
	_ = unix.Close(s.fd)
}

// fail ends the link.
func (s *Stream) fail(err error) {
	s.broken = true
	if errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.EPIPE) {
		err = &Closed{s.loop.cfg.Rank, s.peer}
	}
	s.loop.Broken(s.peer, err)
}

// Closed says that the connection to a rank has ended before the job.
type Closed struct{ Rank, Peer int32 }

func (c *Closed) Error() string {
	return fmt.Sprintf("rank %d: the connection to rank %d has ended before the job", c.Rank, c.Peer)
}
