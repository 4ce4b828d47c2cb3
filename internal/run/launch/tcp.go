//go:build unix

package launch

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"railyard/internal/engine/rank"
	"railyard/internal/job/exec"
)

// linkTime is how long a rank waits for the connections of others.
const linkTime = 30 * time.Second

// listener takes the connections of a rank's peers. Each begins with the number of the job and a frame that says who it is.
type listener struct{ net.Listener }

func listen(ip string) (*listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return nil, err
	}
	return &listener{l}, nil
}

func (l *listener) address() string { return l.Addr().String() }

func (l *listener) close() { l.Close() }

// connect links the rank with others by TCP: it calls those below it, and is called by those above.
func (c *child) connect(far []int32, to *peers) error {
	if len(far) == 0 {
		return nil
	}
	if len(to.ID) != jobIDBytes {
		return fmt.Errorf("the number of the job has %d bytes, want %d", len(to.ID), jobIDBytes)
	}
	deadline := time.Now().Add(linkTime)
	links := map[int32]net.Conn{}
	give := func(err error) error {
		for _, conn := range links {
			conn.Close()
		}
		return err
	}
	above := map[int32]bool{}
	for _, peer := range far {
		if peer > c.rank {
			above[peer] = true
			continue
		}
		d := net.Dialer{Deadline: deadline}
		conn, err := d.Dial("tcp", to.Addresses[peer])
		if err != nil {
			return give(fmt.Errorf("rank %d cannot reach rank %d at %s: %w", c.rank, peer, to.Addresses[peer], errors.Unwrap(err)))
		}
		links[peer] = conn
		hello := rank.Frame{Kind: rank.FrameHello, Way: exec.Way{Src: c.rank, Dst: peer}}
		if _, err := conn.Write(hello.Append(bytes.Clone(to.ID))); err != nil {
			return give(fmt.Errorf("rank %d cannot greet rank %d: %w", c.rank, peer, err))
		}
	}
	if err := c.called(above, links, to.ID, deadline); err != nil {
		return give(err)
	}
	if c.order.Transport == RoCE {
		return give(c.pair(far, links, deadline))
	}
	for _, peer := range far {
		k, err := rank.NewStream(c.loop, peer, links[peer])
		if err != nil {
			return give(err)
		}
		c.loop.Join(peer, k)
	}
	return nil
}

// called takes the connections of ranks above. Who does not say in time that it is one of them is a stranger, and of no
// consequence.
func (c *child) called(above map[int32]bool, links map[int32]net.Conn, id []byte, deadline time.Time) error {
	type call struct {
		peer int32
		conn net.Conn
		err  error
	}
	calls := make(chan call)
	over := make(chan struct{})
	var greeting sync.WaitGroup
	defer greeting.Wait()
	defer close(over)
	limit := make(chan struct{}, 64+len(above))
	greeting.Go(func() {
		for {
			conn, err := c.ways.Accept()
			if err != nil {
				return
			}
			select {
			case limit <- struct{}{}:
			case <-over:
				conn.Close()
				return
			}
			greeting.Go(func() {
				peer, err := greeted(conn, c.rank, id)
				<-limit
				select {
				case calls <- call{peer, conn, err}:
				case <-over:
					conn.Close()
				}
			})
		}
	})
	defer c.ways.close()
	timeout := time.After(time.Until(deadline))
	for len(above) > 0 {
		select {
		case k := <-calls:
			if k.err != nil || !above[k.peer] {
				k.conn.Close()
				continue
			}
			delete(above, k.peer)
			links[k.peer] = k.conn
		case <-timeout:
			for peer := range above {
				return fmt.Errorf("rank %d waited %v for the connection of rank %d", c.rank, linkTime, peer)
			}
		}
	}
	return nil
}

// greeted reads who has called.
func greeted(conn net.Conn, me int32, id []byte) (peer int32, err error) {
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	b := make([]byte, jobIDBytes+rank.FrameBytes)
	if _, err := io.ReadFull(conn, b); err != nil {
		return 0, err
	}
	if subtle.ConstantTimeCompare(b[:jobIDBytes], id) != 1 {
		return 0, errors.New("it is of another job")
	}
	f, err := rank.DecodeFrame(b[jobIDBytes:])
	if err != nil {
		return 0, err
	}
	if f.Kind != rank.FrameHello || f.Way.Dst != me {
		return 0, fmt.Errorf("a frame of kind %d to rank %d, want a greeting to rank %d", f.Kind, f.Way.Dst, me)
	}
	return f.Way.Src, conn.SetReadDeadline(time.Time{})
}
