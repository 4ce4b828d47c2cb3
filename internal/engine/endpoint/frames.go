package endpoint

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"railyard/internal/net/wire"
)

// frames is the way to a network that needs no rights and no network of this machine: Ethernet frames in the datagrams of a
// unix socket, one each, as QEMU's netdev dgram has them. It answers ARP and neighbour discovery, and asks.
//
//	endpoint --send--> frame --> datagram to the other socket
//	endpoint <-receive- queue <-- datagrams to its own socket (its own goroutine: who sends to it never waits for the endpoint)
type frames struct {
	own  netip.Addr
	mac  wire.MAC
	conn *net.UnixConn
	name string // of its socket
	peer *net.UnixAddr

	came, free chan []byte
	ended      sync.WaitGroup

	last   []byte // the frame that came last, and the packet in it
	packed []byte

	mu      sync.Mutex
	known   map[netip.Addr]wire.MAC
	waiting map[netip.Addr]*awaited
	buf     []byte
}

// awaited is frames whose receiver's Ethernet address is asked for.
type awaited struct {
	frames [][]byte
	asked  time.Time
}

// Bounds of a frames: packets that came and wait, bytes of each, frames that wait for an address, addresses, and time until
// an address is asked for again.
const (
	frameQueue   = 4096
	frameBytes   = 9216
	frameWaiting = 64
	mostKnown    = 1024
	askAgain     = 200 * time.Millisecond
)

// OpenFrames makes an endpoint at an IP address on an Ethernet whose frames go to the unix datagram socket remote, and come to
// local, which it makes.
func OpenFrames(addr netip.Addr, local, remote string, faults *Faults, watch Watcher) (*Endpoint, error) {
	if err := usable(addr); err != nil {
		return nil, err
	}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: local, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("frames: %w (a socket that another program left is to be removed)", err)
	}
	_ = conn.SetReadBuffer(4 << 20)  // what the system gives
	_ = conn.SetWriteBuffer(4 << 20) // likewise
	s := newFrames(addr)
	s.conn, s.name, s.peer = conn, local, &net.UnixAddr{Name: remote, Net: "unixgram"}
	s.ended.Go(s.drain)
	return begin(addr, s, faults, watch), nil
}

func newFrames(addr netip.Addr) *frames {
	s := &frames{own: addr, mac: macOf(addr), came: make(chan []byte, frameQueue), free: make(chan []byte, frameQueue),
		known: map[netip.Addr]wire.MAC{}, waiting: map[netip.Addr]*awaited{}}
	return s
}

// macOf is the Ethernet address of an IP address: its last four bytes, behind those of who draws for himself.
func macOf(a netip.Addr) wire.MAC {
	b := a.AsSlice()
	b = b[len(b)-4:]
	return wire.MAC{2, 0, b[0], b[1], b[2], b[3]}
}

func (s *frames) raw() bool { return true }

func (s *frames) mtu() int { return frameBytes - int(wire.EthernetBytes) }

func (s *frames) stop() {
	s.conn.Close()
	s.ended.Wait()
	_ = os.Remove(s.name)
}

func (s *frames) close() {}

func (s *frames) flush() error { return nil }

// drain takes frames as they come. What finds the queue full is lost, as at a NIC.
func (s *frames) drain() {
	for {
		var b []byte
		select {
		case b = <-s.free:
		default:
			b = make([]byte, frameBytes)
		}
		n, err := s.conn.Read(b[:frameBytes])
		if err != nil {
			close(s.came)
			return
		}
		select {
		case s.came <- b[:n]:
		default:
		}
	}
}

func (s *frames) receive(wait bool) (int, error) {
	for {
		if s.last != nil {
			select {
			case s.free <- s.last[:frameBytes]:
			default:
			}
			s.last = nil
		}
		ok := true
		if wait {
			s.last, ok = <-s.came
		} else {
			select {
			case s.last, ok = <-s.came:
			default:
				return 0, nil
			}
		}
		if !ok {
			return 0, net.ErrClosed
		}
		if s.packed = s.take(s.last); len(s.packed) > 0 {
			return 1, nil
		}
	}
}

func (s *frames) packet(int) (b []byte, whole bool) { return s.packed, true }

// take returns the IP packet in a frame that is for the endpoint; nil: it is none, or has been answered.
func (s *frames) take(f []byte) []byte {
	eth, err := wire.DecodeEthernet(f)
	if err != nil || eth.Dest != s.mac && eth.Dest[0]&1 == 0 {
		return nil
	}
	b := f[wire.EthernetBytes:]
	switch eth.Type {
	case wire.TypeARP:
		if a, err := wire.DecodeARP(b); err == nil && s.own.Is4() {
			s.arp(&a)
		}
	case wire.TypeIPv4:
		if h, err := wire.DecodeIPv4(b); err == nil && h.Dest == s.own && int(h.Length) <= len(b) {
			return b[:h.Length] // a short frame is padded
		}
	case wire.TypeIPv6:
		h, err := wire.DecodeIPv6(b)
		if err != nil || int(wire.IPv6Bytes)+int(h.Length) > len(b) {
			return nil
		}
		b = b[:int(wire.IPv6Bytes)+int(h.Length)]
		switch {
		case h.Protocol == wire.ProtocolICMPv6 && h.TTL == 255: // nobody forwarded it (RFC 4861, 7.1)
			if n, err := wire.DecodeNeighbour(b[wire.IPv6Bytes:], h.Source, h.Dest); err == nil && s.own.Is6() {
				s.neighbour(&n, h.Source)
			}
		case h.Dest == s.own:
			return b
		}
	}
	return nil
}

// arp answers who asks for the endpoint's address, and takes answers.
func (s *frames) arp(a *wire.ARP) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.WantIP != s.own {
		return
	}
	s.learn(a.SenderIP, a.Sender)
	if !a.Reply {
		r := wire.ARP{Reply: true, Sender: s.mac, SenderIP: s.own, Target: a.Sender, WantIP: a.SenderIP}
		s.write(r.Append(s.ethernet(a.Sender, wire.TypeARP)))
	}
}

// neighbour does so over IPv6.
func (s *frames) neighbour(n *wire.Neighbour, from netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case n.Advertises && n.Link != wire.MAC{}:
		s.learn(n.Target, n.Link)
	case !n.Advertises && n.Target == s.own && !from.IsUnspecified() && n.Link != wire.MAC{}:
		s.learn(from, n.Link)
		s.discover(n.Link, from, wire.Neighbour{Advertises: true, Target: s.own, Link: s.mac})
	}
}

// learn notes an address and sends what waits for it.
func (s *frames) learn(a netip.Addr, m wire.MAC) {
	w := s.waiting[a]
	if _, ok := s.known[a]; !ok && (w == nil || len(s.known) >= mostKnown) {
		return // nobody has asked
	}
	s.known[a] = m
	delete(s.waiting, a)
	if w == nil {
		return
	}
	for _, f := range w.frames {
		copy(f, m[:])
		s.write(f)
	}
}

// ethernet begins a frame.
func (s *frames) ethernet(to wire.MAC, t wire.EtherType) []byte {
	return wire.Ethernet{Dest: to, Source: s.mac, Type: t}.Append(s.buf[:0])
}

// discover sends a message of neighbour discovery.
func (s *frames) discover(to wire.MAC, dest netip.Addr, n wire.Neighbour) {
	h := wire.IPv6{Length: wire.NeighbourBytes, Protocol: wire.ProtocolICMPv6, TTL: 255, Source: s.own, Dest: dest}
	s.write(n.Append(h.Append(s.ethernet(to, wire.TypeIPv6)), s.own, dest))
}

// ask asks for the Ethernet address of an IP address.
func (s *frames) ask(a netip.Addr) {
	if a.Is4() {
		s.write(wire.ARP{Sender: s.mac, SenderIP: s.own, WantIP: a}.Append(s.ethernet(wire.Broadcast, wire.TypeARP)))
		return
	}
	b := a.As16() // of the solicited node (RFC 4291, 2.7.1; RFC 2464, 7)
	group := netip.AddrFrom16([16]byte{0xFF, 2, 11: 1, 12: 0xFF, 13: b[13], 14: b[14], 15: b[15]})
	s.discover(wire.MAC{0x33, 0x33, 0xFF, b[13], b[14], b[15]}, group, wire.Neighbour{Target: a, Link: s.mac})
}

// write sends a frame. Where nobody listens it is lost, as on a cable.
func (s *frames) write(f []byte) { _, _ = s.conn.WriteToUnix(f, s.peer) }

func (s *frames) send(b []byte, to netip.Addr, marked bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	mac, ok := s.known[to]
	s.buf = s.frame(mac, b, to, marked)
	if ok {
		s.write(s.buf)
		return nil
	}
	w := s.waiting[to]
	if w == nil {
		w = &awaited{}
		s.waiting[to] = w
	}
	if len(w.frames) < frameWaiting {
		w.frames = append(w.frames, append([]byte{}, s.buf...))
	}
	if now := time.Now(); now.Sub(w.asked) > askAgain {
		w.asked = now
		s.ask(to)
	}
	return nil
}

// frame makes the frame of what follows a UDP header.
func (s *frames) frame(mac wire.MAC, b []byte, to netip.Addr, marked bool) []byte {
	e := uint8(ect0)
	if marked {
		e = ce
	}
	udp := wire.UDP{Source: wire.RoCEv2Port, Dest: wire.RoCEv2Port, Length: uint16(int(wire.UDPBytes) + len(b))}
	if to.Is4() {
		ip := wire.IPv4{DontFragment: true, TTL: 64, Protocol: wire.ProtocolUDP, ECN: e, Source: s.own, Dest: to,
			Length: uint16(wire.IPv4Bytes) + udp.Length}
		return append(udp.Append(ip.Append(s.ethernet(mac, wire.TypeIPv4))), b...)
	}
	ip := wire.IPv6{TTL: 64, Protocol: wire.ProtocolUDP, ECN: e, Source: s.own, Dest: to, Length: udp.Length}
	f := append(udp.Append(ip.Append(s.ethernet(mac, wire.TypeIPv6))), b...)
	d := f[wire.EthernetBytes+wire.IPv6Bytes:]
	binary.BigEndian.PutUint16(d[6:], wire.UDPChecksum(s.own, to, d))
	return f
}
