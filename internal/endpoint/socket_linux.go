package endpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"railyard/internal/wire"
)

// sockets is a UDP socket to send by, and what is received by.
type sockets struct {
	udp *net.UDPConn
	in  *net.IPConn // nil: the UDP socket
	own netip.Addr
}

// Options of Linux that package syscall does not name.
const (
	soRcvBufForce  = 33
	udpNoCheck6Rx  = 102 // takes datagrams without a checksum over IPv6: rdma_rxe sends none
	ipv6MTUProbing = syscall.IPV6_MTU_DISCOVER
)

// family is what IPv4 and IPv6 call the same options.
type family struct {
	udp                     string
	level, mtu, class, told int // of setsockopt: path MTU discovery, traffic class, and that it comes with what is received
}

func familyOf(six bool) family {
	if six {
		return family{"udp6", syscall.IPPROTO_IPV6, ipv6MTUProbing, syscall.IPV6_TCLASS, syscall.IPV6_RECVTCLASS}
	}
	return family{"udp4", syscall.IPPROTO_IP, syscall.IP_MTU_DISCOVER, syscall.IP_TOS, syscall.IP_RECVTOS}
}

// receiveBuffer is what is asked for; Linux gives less to whoever is not root.
const receiveBuffer = 16 << 20

func open(addr netip.Addr) (socket, error) { return openSockets(addr, true) }

// openSockets is open; without raw what comes is read from the UDP socket, whoever asks.
func openSockets(addr netip.Addr, raw bool) (socket, error) {
	v := familyOf(addr.Is6())
	udp, err := net.ListenUDP(v.udp, net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, wire.RoCEv2Port)))
	if err != nil {
		return nil, fmt.Errorf("UDP socket at %v, port %d: %w", addr, wire.RoCEv2Port, err)
	}
	s := &sockets{udp: udp, own: addr}
	err = control(udp, func(fd int) error {
		err := errors.Join(syscall.SetsockoptInt(fd, v.level, v.mtu, syscall.IP_PMTUDISC_DO),
			syscall.SetsockoptInt(fd, v.level, v.class, ect0), syscall.SetsockoptInt(fd, v.level, v.told, 1))
		if addr.Is6() {
			err = errors.Join(err, syscall.SetsockoptInt(fd, syscall.IPPROTO_UDP, udpNoCheck6Rx, 1))
		}
		return err
	})
	if err != nil {
		udp.Close()
		return nil, fmt.Errorf("UDP socket at %v: %w", addr, err)
	}
	if raw && addr.Is4() { // of IPv6 the ICRC covers nothing that a UDP socket does not see
		if s.in, err = net.ListenIP("ip4:udp", &net.IPAddr{IP: addr.AsSlice()}); err != nil {
			s.in = nil // not root
		}
	}
	if s.in == nil {
		return s, enlarge(udp, receiveBuffer)
	}
	// What comes is read from the other one.
	return s, errors.Join(enlarge(s.in, receiveBuffer), udp.SetReadBuffer(1))
}

// enlarge asks for a receive buffer.
func enlarge(c syscall.Conn, bytes int) error {
	return control(c, func(fd int) error {
		if syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, soRcvBufForce, bytes) == nil {
			return nil
		}
		return syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, bytes)
	})
}

func control(c syscall.Conn, f func(fd int) error) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	return errors.Join(raw.Control(func(fd uintptr) { inner = f(int(fd)) }), inner)
}

func (s *sockets) raw() bool { return s.in != nil || s.own.Is6() }

func (s *sockets) close() {
	s.udp.Close()
	if s.in != nil {
		s.in.Close()
	}
}

func (s *sockets) send(b []byte, to netip.Addr, marked bool) error {
	if marked {
		tos := func(v int) error {
			f := familyOf(to.Is6())
			return control(s.udp, func(fd int) error { return syscall.SetsockoptInt(fd, f.level, f.class, v) })
		}
		if err := tos(ce); err != nil {
			return err
		}
		defer tos(ect0) //nolint:errcheck // as above
	}
	_, err := s.udp.WriteToUDPAddrPort(b, netip.AddrPortFrom(to, wire.RoCEv2Port))
	if errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil // lost, as on a wire
	}
	return err
}

func (s *sockets) receive(b []byte) (packet []byte, whole bool, err error) {
	if s.in != nil {
		n, err := s.in.Read(b)
		return b[:n], true, err
	}
	var oob [64]byte
	head := int(wire.PacketHeaders(s.own.Is6()))
	for {
		n, m, _, from, err := s.udp.ReadMsgUDPAddrPort(b[head:], oob[:])
		if errors.Is(err, syscall.ECONNREFUSED) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		udp := wire.UDP{Source: from.Port(), Dest: wire.RoCEv2Port, Length: uint16(int(wire.UDPBytes) + n)}
		if s.own.Is6() {
			ip := wire.IPv6{TTL: 64, Protocol: wire.ProtocolUDP, ECN: ecn(oob[:m]), Source: from.Addr().WithZone(""), Dest: s.own,
				Length: udp.Length}
			udp.Append(ip.Append(b[:0]))
			return b[:head+n], true, nil
		}
		ip := wire.IPv4{DontFragment: true, TTL: 64, Protocol: wire.ProtocolUDP, ECN: ecn(oob[:m]), Source: from.Addr().Unmap(),
			Dest: s.own, Length: uint16(head + n)}
		udp.Append(ip.Append(b[:0]))
		return b[:head+n], false, nil
	}
}

// ecn returns the two bits of the IP header's second byte, which came beside a datagram.
func ecn(oob []byte) uint8 {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return 0
	}
	for _, m := range messages {
		four := m.Header.Level == syscall.IPPROTO_IP && m.Header.Type == syscall.IP_TOS && len(m.Data) > 0
		six := m.Header.Level == syscall.IPPROTO_IPV6 && m.Header.Type == syscall.IPV6_TCLASS && len(m.Data) >= 4
		switch {
		case four:
			return m.Data[0] & 3
		case six: // an int
			return uint8(binary.NativeEndian.Uint32(m.Data) & 3)
		}
	}
	return 0
}
