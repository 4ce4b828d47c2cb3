package endpoint

import (
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"

	"railyard/internal/net/wire"
)

// batch is datagrams that go or come by one system call: struct mmsghdr of Linux, with what it points to.
type batch struct {
	n       int
	heads   [batchPackets]message
	pieces  [batchPackets]unix.Iovec
	names   [batchPackets][unix.SizeofSockaddrInet6]byte
	beside  [batchPackets][besideBytes]byte
	packets [batchPackets][]byte
}

// batchPackets is the most of them: as many as a window holds at a path MTU of 4096.
const batchPackets = 32

// besideBytes is room for a control message of an int, and more of those that nobody asked for.
const besideBytes = 64

// message is struct mmsghdr.
type message struct {
	unix.Msghdr
	n uint32 // bytes that came
}

// call sends or receives those from the one on, and returns how many it was.
func (m *batch) call(number uintptr, fd, from, to, flags int) (int, unix.Errno) {
	n, _, err := unix.Syscall6(number, uintptr(fd), uintptr(unsafe.Pointer(&m.heads[from])), uintptr(to-from), uintptr(flags), 0, 0)
	return int(n), err
}

// add puts a datagram behind the others; its bytes are the caller's until it is sent.
func (m *batch) add(b []byte, to netip.Addr, marked bool) {
	i := m.n
	m.n++
	h := &m.heads[i].Msghdr
	*h = unix.Msghdr{Name: &m.names[i][0], Namelen: nameTo(&m.names[i], to), Iov: &m.pieces[i]}
	h.SetIovlen(1)
	m.pieces[i].Base = &b[0]
	m.pieces[i].SetLen(len(b))
	if marked {
		v := familyOf(to.Is6())
		c := m.beside[i][:]
		binary.NativeEndian.PutUint32(c[unix.CmsgLen(0):], ce)
		head := (*unix.Cmsghdr)(unsafe.Pointer(&c[0]))
		head.Level, head.Type = int32(v.level), int32(v.class)
		head.SetLen(unix.CmsgLen(4))
		h.Control = &c[0]
		h.SetControllen(unix.CmsgSpace(4))
	}
}

// nameTo writes a socket address, and returns its length.
func nameTo(to *[unix.SizeofSockaddrInet6]byte, a netip.Addr) uint32 {
	binary.BigEndian.PutUint16(to[2:], wire.RoCEv2Port)
	if a.Is4() {
		binary.NativeEndian.PutUint16(to[:], unix.AF_INET)
		v := a.As4()
		copy(to[4:], v[:])
		return unix.SizeofSockaddrInet4
	}
	binary.NativeEndian.PutUint16(to[:], unix.AF_INET6)
	v := a.As16()
	copy(to[8:], v[:])
	return unix.SizeofSockaddrInet6
}

// sender reads the socket address that the datagram came from.
func (m *batch) sender(i int) netip.AddrPort {
	b := &m.names[i]
	port := binary.BigEndian.Uint16(b[2:])
	if binary.NativeEndian.Uint16(b[:]) == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:])), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:])), port)
}

// expect makes room for datagrams that come, behind head bytes of each.
func (m *batch) expect(head int) {
	for i := range m.heads {
		m.packets[i] = make([]byte, head+packetBytes)
		m.pieces[i].Base = &m.packets[i][head]
		m.pieces[i].SetLen(packetBytes)
		m.heads[i].Iov = &m.pieces[i]
		m.heads[i].SetIovlen(1)
	}
	m.n = batchPackets
}

// packetBytes is the most of a packet that is read: none of RoCEv2 is as long.
const packetBytes = 9216

// receive reads datagrams; wait says that it waits for one. It needs who sent them only where named says so.
func (m *batch) receive(fd int, wait, named bool) (int, unix.Errno) {
	if named {
		for i := range m.n { // those that were filled last time
			h := &m.heads[i].Msghdr
			h.Name, h.Namelen, h.Control = &m.names[i][0], unix.SizeofSockaddrInet6, &m.beside[i][0]
			h.SetControllen(besideBytes)
		}
	}
	flags := unix.MSG_DONTWAIT
	if wait {
		flags = unix.MSG_WAITFORONE
	}
	n, err := m.call(unix.SYS_RECVMMSG, fd, 0, batchPackets, flags)
	if err != 0 {
		m.n = 0
		return 0, err
	}
	m.n = n
	return n, 0
}

// ecn returns the two bits of the IP header's second byte, which came beside a datagram.
func (m *batch) ecn(i int) uint8 {
	h := &m.heads[i].Msghdr
	for rest := m.beside[i][:h.Controllen]; len(rest) >= unix.SizeofCmsghdr; {
		head, data, next, err := unix.ParseOneSocketControlMessage(rest)
		if err != nil {
			return 0
		}
		four := head.Level == unix.IPPROTO_IP && head.Type == unix.IP_TOS && len(data) > 0
		six := head.Level == unix.IPPROTO_IPV6 && head.Type == unix.IPV6_TCLASS && len(data) >= 4
		switch {
		case four:
			return data[0] & 3
		case six: // an int
			return uint8(binary.NativeEndian.Uint32(data) & 3)
		}
		rest = next
	}
	return 0
}
