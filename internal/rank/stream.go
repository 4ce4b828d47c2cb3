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
	buf     []byte // what has come and is not a large message
	broken  bool
}

// How much of a stream is moved at once: a read of small things, a piece of a message, and what one poll takes before others
// have their turn.
const (
	streamBuffer = 64 << 10
	streamPiece  = 128 << 10
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
	if err := raw.Control(func(fd uintptr) { s.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, err
	}
	return s, failed
}

// Send implements Link.
func (s *Stream) Send(f *Frame, b []byte, outlet int32) {
	s.sending.add(f, b, outlet)
	if !s.broken {
		s.push()
	}
}

// push writes what the socket takes, and reports whether that was anything.
func (s *Stream) push() (did bool) {
	for !s.sending.empty() {
		x := s.sending.next()
		n, err := s.write(x)
		if err != nil {
			s.fail(err)
			return did
		}
		if n == 0 {
			break
		}
		x.done += n
		did = true
		s.sending.moved(s.loop)
	}
	return did
}

// write writes some of a frame, and returns how much.
func (s *Stream) write(x *sending) (n int, err error) {
	var parts [3][]byte
	all := parts[:0]
	at := x.done - FrameBytes
	if at < 0 {
		all, at = append(all, x.head[x.done:]), 0
	}
	if end := min(at+streamPiece, len(x.bytes)); at < len(x.bytes) {
		x.sumTo(end)
		all = append(all, x.bytes[at:end])
		at = end
	}
	if x.sums && at >= len(x.bytes) {
		x.sumTo(len(x.bytes))
		all = append(all, x.tail[at-len(x.bytes):])
	}
	return ignoring(unix.SendmsgBuffers(s.fd, all, nil, nil, unix.MSG_DONTWAIT|noSignal))
}

// ignoring makes nothing of an error that says to try again.
func ignoring(n int, err error) (int, error) {
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return 0, nil
	}
	return max(n, 0), err
}

// Poll implements Link.
func (s *Stream) Poll() (did bool) {
	if s.broken {
		return false
	}
	if !s.sending.empty() {
		did = s.push()
	}
	for most := streamPoll; most > 0 && !s.broken; {
		to, direct := s.buf, false
		if room := s.receive.room(); len(room) > streamBuffer {
			to, direct = room[:min(len(room), streamPiece)], true
		}
		n, _, err := unix.Recvfrom(s.fd, to, unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
			return did
		case err != nil:
			s.fail(err)
			return true
		case n == 0:
			s.fail(&Closed{s.loop.cfg.Rank, s.peer})
			return true
		}
		did = true
		most -= n
		if direct {
			s.receive.placed(n)
			continue
		}
		for b := s.buf[:n]; len(b) > 0 && !s.broken; {
			k, err := s.receive.take(b)
			if b = b[k:]; err != nil {
				s.fail(err)
			}
		}
		if n < len(to) {
			return true // there was no more
		}
	}
	return did
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
