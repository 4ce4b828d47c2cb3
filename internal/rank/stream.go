package rank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
)

// Stream is a link over a connection that keeps order, such as TCP. A goroutine reads it and one writes what does not
// leave at once.
type Stream struct {
	loop   *Loop
	peer   int32
	conn   net.Conn
	raw    syscall.RawConn // of a socket; nil: what is sent goes through the goroutine
	closed chan struct{}   // by the reader, when it has ended

	mu      sync.Mutex
	work    sync.Cond
	queue   []outgoing
	writing bool // the goroutine has taken something that has not left
	ending  bool
	buf     []byte // of a small frame
}

// outgoing is a frame that has not left.
type outgoing struct {
	head   []byte // the frame, or what is left of it with its bytes
	bytes  []byte
	tail   [SumBytes]byte
	sums   bool
	outlet int32 // as of sending
}

// smallMessage is up to which size the bytes of a message are copied, so that they leave with their frame, and are read
// before the loop is asked where they go.
const smallMessage = 32 << 10

// NewStream returns a link of a loop to a peer over a connection, which it owns.
func NewStream(l *Loop, peer int32, conn net.Conn) *Stream {
	s := &Stream{loop: l, peer: peer, conn: conn, closed: make(chan struct{})}
	s.work.L = &s.mu
	if c, ok := conn.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			s.raw = raw
		}
	}
	go s.read()
	go s.write()
	return s
}

// Send implements Link.
func (s *Stream) Send(f *Frame, b []byte, outlet int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := outgoing{bytes: b, sums: f.Kind == FrameMessage, outlet: outlet}
	if x.sums {
		binary.BigEndian.PutUint32(x.tail[:], sumOf(0, b))
	}
	if len(b) > smallMessage {
		x.head = f.Append(nil)
		s.put(x)
		return
	}
	s.buf = append(f.Append(s.buf[:0]), b...)
	if x.sums {
		s.buf = append(s.buf, x.tail[:]...)
	}
	if outlet >= 0 {
		s.loop.Left(outlet) // it has been copied
	}
	rest := s.buf
	if len(s.queue) == 0 && !s.writing && s.raw != nil {
		rest = rest[tryWrite(s.raw, rest):]
	}
	if len(rest) > 0 {
		s.put(outgoing{head: append([]byte{}, rest...), outlet: -1})
	}
}

func (s *Stream) put(x outgoing) {
	s.queue = append(s.queue, x)
	s.work.Signal()
}

// write writes what lies in the queue.
func (s *Stream) write() {
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.ending {
			s.work.Wait()
		}
		if len(s.queue) == 0 {
			s.mu.Unlock()
			s.finish()
			return
		}
		x := s.queue[0]
		s.queue = append(s.queue[:0], s.queue[1:]...)
		s.writing = true
		s.mu.Unlock()
		parts := net.Buffers{x.head}
		if x.sums {
			parts = append(parts, x.bytes, x.tail[:])
		}
		_, err := parts.WriteTo(s.conn)
		s.mu.Lock()
		s.writing = false
		s.mu.Unlock()
		switch {
		case err != nil:
			s.broken(err)
			return
		case x.outlet >= 0:
			s.loop.LeftLater(x.outlet)
		default:
			s.loop.Call(func() {}) // it may wait for nothing being pending; a mere Wake may come before it sleeps
		}
	}
}

// finish ends this direction, and the connection once the peer has ended the other.
func (s *Stream) finish() {
	if c, ok := s.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

// read takes what comes.
func (s *Stream) read() {
	defer close(s.closed)
	var head [FrameBytes]byte
	small := make([]byte, smallMessage)
	for {
		if _, err := io.ReadFull(s.conn, head[:]); err != nil {
			s.broken(err)
			return
		}
		f, err := DecodeFrame(head[:])
		if err != nil {
			s.broken(fmt.Errorf("rank %d got from rank %d a %w", s.loop.cfg.Rank, s.peer, err))
			return
		}
		if f.Kind != FrameMessage {
			s.loop.Call(func() {
				if _, err := s.loop.Take(s.peer, &f); err != nil {
					s.loop.Broken(s.peer, err)
				}
			})
			continue
		}
		if n := int64(f.Header.Bytes); n <= smallMessage {
			if !s.readSmall(f, small[:n]) {
				return
			}
			small = make([]byte, smallMessage)
		} else if !s.readLarge(f) {
			return
		}
	}
}

// readSmall reads the bytes before it is known where they go.
func (s *Stream) readSmall(f Frame, b []byte) bool {
	var tail [SumBytes]byte
	if err := s.readBoth(b, tail[:]); err != nil {
		s.broken(err)
		return false
	}
	want, sum := binary.BigEndian.Uint32(tail[:]), sumOf(0, b)
	s.loop.Call(func() {
		to, err := s.loop.Take(s.peer, &f)
		if err == nil && sum != want {
			err = wrongSum(&f, sum, want)
		}
		if err != nil {
			s.loop.Broken(s.peer, err)
			return
		}
		copy(to, b)
		s.loop.Placed(&f)
	})
	return true
}

func (s *Stream) readBoth(b, tail []byte) error {
	if _, err := io.ReadFull(s.conn, b); err != nil {
		return err
	}
	_, err := io.ReadFull(s.conn, tail)
	return err
}

// readLarge asks the loop where the bytes go, and reads them there.
func (s *Stream) readLarge(f Frame) bool {
	place := make(chan []byte, 1)
	s.loop.Call(func() {
		to, err := s.loop.Take(s.peer, &f)
		if err != nil {
			s.loop.Broken(s.peer, err)
		}
		place <- to
	})
	var to []byte
	select {
	case to = <-place:
	case <-s.loop.gone:
	}
	if to == nil {
		return false
	}
	sum := uint32(0)
	for at := 0; at < len(to); {
		const piece = 256 << 10 // summed while the cache has it
		b := to[at:min(at+piece, len(to))]
		if _, err := io.ReadFull(s.conn, b); err != nil {
			s.broken(err)
			return false
		}
		sum = sumOf(sum, b)
		at += len(b)
	}
	var tail [SumBytes]byte
	if _, err := io.ReadFull(s.conn, tail[:]); err != nil {
		s.broken(err)
		return false
	}
	want := binary.BigEndian.Uint32(tail[:])
	s.loop.Call(func() {
		if sum != want {
			s.loop.Broken(s.peer, wrongSum(&f, sum, want))
			return
		}
		s.loop.Placed(&f)
	})
	return true
}

// broken tells the loop that the connection has ended.
func (s *Stream) broken(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		err = &Closed{s.loop.cfg.Rank, s.peer}
	}
	s.loop.Call(func() { s.loop.Broken(s.peer, err) })
}

// Closed says that the connection to a rank has ended before the job.
type Closed struct{ Rank, Peer int32 }

func (c *Closed) Error() string {
	return fmt.Sprintf("rank %d: the connection to rank %d has ended before the job", c.Rank, c.Peer)
}

// Poll implements Link: goroutines move what comes.
func (s *Stream) Poll() bool { return false }

// Ready implements Link.
func (s *Stream) Ready() bool { return false }

// Pending implements Link.
func (s *Stream) Pending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) > 0 || s.writing
}

// Close implements Link.
func (s *Stream) Close() {
	s.mu.Lock()
	s.ending = true
	s.work.Signal()
	s.mu.Unlock()
	if s.loop.err != nil {
		s.conn.Close()
	}
}

// Closed implements Link: the peer ends its direction when its job is over.
func (s *Stream) Closed() {
	<-s.closed
	s.conn.Close()
}
