package endpoint

import (
	"net/netip"
	"runtime"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// socket is a way to and from the network.
type socket interface {
	// send sends what follows the UDP header, by the next flush at the latest; until then b is not to be changed.
	send(b []byte, to netip.Addr, marked bool) error
	flush() error
	// receive reads packets, and returns how many; none without wait, if there are none now. They are good until the next call.
	receive(wait bool) (int, error)
	// packet returns one of them from its IP header on. Without that header whole is false: it is made up, but for the
	// identification.
	packet(i int) (b []byte, whole bool)
	// mtu is that of the interface: bytes of an IP packet.
	mtu() int
	// raw reports whether packets come with their IP headers.
	raw() bool
	// stop has receive return, which is then not called again; close is called behind that.
	stop()
	close()
}

// PathMTU returns the largest path MTU whose packets its interface takes.
func (e *Endpoint) PathMTU() wire.MTU {
	return wire.MTUOf(unit.Bytes(e.sock.mtu()) - wire.PacketHeaders(e.addr.Is6()) - mostBeside)
}

// mostBeside is what a packet has beside its payload and the headers before its BTH: a WRITE with immediate of one packet has most.
const mostBeside = wire.BTHBytes + wire.RETHBytes + wire.ImmDtBytes + wire.ICRCBytes

// alert is for how long a packet is looked for before the reader sleeps, if the one before it came as soon: to sleep and to be
// woken takes longer. Where packets are rare nobody looks.
const alert = 100 * time.Microsecond

// await waits for packets.
func (e *Endpoint) await(soon *bool) (n int, err error) {
	from := time.Now()
	for *soon && time.Since(from) < alert {
		if n, err := e.sock.receive(false); n > 0 || err != nil {
			return n, err
		}
		runtime.Gosched()
		yield() // the other end may be on this processor
	}
	from = time.Now()
	n, err = e.sock.receive(true)
	*soon = time.Since(from) < alert
	return n, err
}
