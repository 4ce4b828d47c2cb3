//go:build unix

package launch

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"railyard/internal/base/output"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/rank"
)

// pair links the rank with others by queue pairs: what they are each tells the other over the connections, which are then of
// no more use.
func (c *child) pair(far []int32, conns map[int32]net.Conn, deadline time.Time) error {
	if err := c.openRoCE(); err != nil {
		return err
	}
	links := map[int32]*rank.Paired{}
	for _, peer := range far {
		var psn [4]byte
		_, _ = rand.Read(psn[:]) // it never fails: crypto/rand
		k, err := rank.NewPaired(c.loop, peer, c.roce, binary.BigEndian.Uint32(psn[:]))
		if err != nil {
			return err
		}
		links[peer] = k
		_ = conns[peer].SetDeadline(deadline)
		if _, err := conns[peer].Write(k.Pairing().Append(nil)); err != nil {
			return fmt.Errorf("rank %d cannot tell rank %d of its queue pair: %w", c.rank, peer, err)
		}
	}
	for _, peer := range far {
		b := make([]byte, rank.PairingBytes)
		_, err := io.ReadFull(conns[peer], b)
		if err == nil {
			var to rank.Pairing
			if to, err = rank.DecodePairing(b); err == nil {
				err = links[peer].Connect(to)
			}
		}
		if err != nil {
			return fmt.Errorf("rank %d does not hear of the queue pair of rank %d: %w", c.rank, peer, err)
		}
		c.loop.Join(peer, links[peer])
	}
	return nil
}

// capture is the file of a rank's packets.
type capture struct {
	f *output.File
	b *bufio.Writer
	*endpoint.Capture
}

// openRoCE opens the rank's endpoint: at the address of its node, or at one of its own where that is for this machine alone.
func (c *child) openRoCE() error {
	at, err := netip.ParseAddr(c.order.Listen)
	if err != nil {
		return err
	}
	const tries = 64 // other jobs may be at some
	for range tries {
		own := at
		if at.IsLoopback() {
			own = ownLoopback()
		}
		if c.roce, err = c.openAt(own); err == nil || !at.IsLoopback() || !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return err
}

// ownLoopback draws an address of 127.64.0.0/10, which Linux has in full.
func ownLoopback() netip.Addr {
	b := [4]byte{127}
	_, _ = rand.Read(b[1:])
	b[1] = b[1]&63 | 64
	return netip.AddrFrom4(b)
}

func (c *child) openAt(own netip.Addr) (*endpoint.Endpoint, error) {
	var faults *endpoint.Faults
	var err error
	if c.order.Faults != "" {
		if faults, err = endpoint.ParseFaults(c.order.Faults); err != nil {
			return nil, err
		}
	}
	if c.order.Capture == "" {
		return endpoint.Open(own, faults, nil)
	}
	if c.taken == nil {
		f, err := output.Create(CaptureOf(c.order.Capture, c.rank))
		if err != nil {
			return nil, err
		}
		c.taken = &capture{f: f, b: bufio.NewWriterSize(f, 1<<20)}
	}
	c.taken.b.Reset(c.taken.f) // of an address that was taken
	c.taken.Capture = endpoint.NewCapture(c.taken.b, own)
	return endpoint.Open(own, faults, c.taken)
}

// written reports whether all packets so far are in their file.
func (c *child) written() (err error) {
	if c.taken == nil {
		return nil
	}
	c.roce.Do(func() { err = errors.Join(c.taken.Err(), c.taken.b.Flush()) })
	if err != nil {
		return fmt.Errorf("packets of rank %d: %w", c.rank, err)
	}
	return nil
}

// closeRoCE ends what openRoCE has opened: all ranks have ended, and nobody waits for an answer of this one any more.
func (c *child) closeRoCE() error {
	if c.roce != nil {
		c.roce.Close()
	}
	if c.taken == nil {
		return nil
	}
	return errors.Join(c.taken.Err(), c.taken.b.Flush(), c.taken.f.Commit())
}
