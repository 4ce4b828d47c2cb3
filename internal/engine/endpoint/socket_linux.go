package endpoint

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"railyard/internal/net/wire"
)

// sockets is a UDP socket to send by, and what is received by. Both are unknown to the runtime: it would wake a thread for
// each packet that comes and for each that has gone.
type sockets struct {
	udp, in int // descriptors; the same: without a raw socket
	own     netip.Addr
	out     batch
	to      [batchPackets]netip.Addr
	got     batch
}

// family is what IPv4 and IPv6 call the same options.
type family struct {
	domain                  int
	level, mtu, class, told int // of setsockopt: path MTU discovery, traffic class, and that it comes with what is received
}

func familyOf(six bool) family {
	if six {
		return family{unix.AF_INET6, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_TCLASS, unix.IPV6_RECVTCLASS}
	}
	return family{unix.AF_INET, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_TOS, unix.IP_RECVTOS}
}

// receiveBuffer is what is asked for; Linux gives less to whoever is not root.
const receiveBuffer = 16 << 20

func open(addr netip.Addr) (socket, error) { return openSockets(addr, true) }

// openSockets is open; without raw what comes is read from the UDP socket, whoever asks.
func openSockets(addr netip.Addr, raw bool) (socket, error) {
	s := &sockets{own: addr}
	var err error
	if s.udp, err = openUDP(addr); err != nil {
		return nil, fmt.Errorf("UDP socket at %v, port %d: %w", addr, wire.RoCEv2Port, err)
	}
	s.in = s.udp
	if raw && addr.Is4() { // of IPv6 the ICRC covers nothing that a UDP socket does not see
		if in, err := openRaw(addr); err == nil { // else it is not root
			s.in = in
		}
	}
	if s.in == s.udp {
		s.got.expect(int(wire.PacketHeaders(addr.Is6())))
		err = enlarge(s.udp)
	} else { // what comes is read from the other one
		s.got.expect(0)
		err = errors.Join(enlarge(s.in), unix.SetsockoptInt(s.udp, unix.SOL_SOCKET, unix.SO_RCVBUF, 1))
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("receive buffer at %v: %w", addr, err)
	}
	return s, nil
}

// openUDP makes the socket to send by.
func openUDP(addr netip.Addr) (int, error) {
	v := familyOf(addr.Is6())
	fd, err := unix.Socket(v.domain, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	err = errors.Join(unix.SetsockoptInt(fd, v.level, v.mtu, unix.IP_PMTUDISC_DO),
		unix.SetsockoptInt(fd, v.level, v.class, ect0), unix.SetsockoptInt(fd, v.level, v.told, 1))
	if addr.Is6() { // rdma_rxe sends no checksums
		err = errors.Join(err, unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1),
			unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_NO_CHECK6_RX, 1))
	}
	if err == nil {
		err = unix.Bind(fd, socketAddress(addr, wire.RoCEv2Port))
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// openRaw makes a socket that sees all UDP packets to an address, with their IP headers.
func openRaw(addr netip.Addr) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
	if err != nil {
		return 0, err
	}
	if err = unix.Bind(fd, socketAddress(addr, 0)); err != nil {
		unix.Close(fd)
	}
	return fd, err
}

func socketAddress(a netip.Addr, port int) unix.Sockaddr {
	if a.Is4() {
		return &unix.SockaddrInet4{Port: port, Addr: a.As4()}
	}
	return &unix.SockaddrInet6{Port: port, Addr: a.As16()}
}

// enlarge asks for a receive buffer.
func enlarge(fd int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) == nil {
		return nil
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
}

func (s *sockets) raw() bool { return s.in != s.udp || s.own.Is6() }

// mtu looks for the interface that has the address; of the loopback it is the network: all of 127.0.0.0/8.
func (s *sockets) mtu() int {
	all, err := net.Interfaces()
	if err != nil {
		return ethernetMTU
	}
	for _, i := range all {
		addrs, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addrs {
			p, err := netip.ParsePrefix(a.String())
			if err == nil && (p.Addr().WithZone("") == s.own || i.Flags&net.FlagLoopback != 0 && p.Contains(s.own)) {
				return i.MTU
			}
		}
	}
	return ethernetMTU
}

// ethernetMTU is that of an interface of which nothing else is known.
const ethernetMTU = 1500

// stop has receive return: Linux wakes who waits, though it says that the socket is not connected.
func (s *sockets) stop() { _ = unix.Shutdown(s.in, unix.SHUT_RDWR) }

func (s *sockets) close() {
	unix.Close(s.udp)
	if s.in != s.udp {
		unix.Close(s.in)
	}
}

func (s *sockets) send(b []byte, to netip.Addr, marked bool) error {
	if s.out.n == batchPackets {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.to[s.out.n] = to
	s.out.add(b, to, marked)
	return nil
}

func (s *sockets) flush() error {
	all := s.out.n
	s.out.n = 0
	for at := 0; at < all; {
		n, err := s.out.call(unix.SYS_SENDMMSG, s.udp, at, all, 0)
		switch err {
		case 0:
			at += n
		case unix.EINTR:
		case unix.ENOBUFS, unix.ECONNREFUSED: // lost, as on a wire
			at++
		default:
			return fmt.Errorf("sending to %v: %w", s.to[at], err)
		}
	}
	return nil
}

func (s *sockets) receive(wait bool) (int, error) {
	for {
		n, err := s.got.receive(s.in, wait, s.in == s.udp)
		switch err {
		case 0:
			return n, nil
		case unix.EAGAIN:
			return 0, nil
		case unix.EINTR, unix.ECONNREFUSED:
		default:
			return 0, err
		}
	}
}

func (s *sockets) packet(i int) (b []byte, whole bool) {
	n := int(s.got.heads[i].n)
	if s.in != s.udp {
		return s.got.packets[i][:n], true
	}
	head := int(wire.PacketHeaders(s.own.Is6()))
	b = s.got.packets[i][:head+n]
	from := s.got.sender(i)
	udp := wire.UDP{Source: from.Port(), Dest: wire.RoCEv2Port, Length: uint16(int(wire.UDPBytes) + n)}
	if s.own.Is6() {
		ip := wire.IPv6{TTL: 64, Protocol: wire.ProtocolUDP, ECN: s.got.ecn(i), Source: from.Addr(), Dest: s.own, Length: udp.Length}
		udp.Append(ip.Append(b[:0]))
		return b, true
	}
	ip := wire.IPv4{DontFragment: true, TTL: 64, Protocol: wire.ProtocolUDP, ECN: s.got.ecn(i), Source: from.Addr(), Dest: s.own,
		Length: uint16(head + n)}
	udp.Append(ip.Append(b[:0]))
	return b, false
}

// yield lets another process have the processor.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
